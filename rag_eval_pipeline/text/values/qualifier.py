"""What changes the meaning of a number: tax, discount, surcharge, before and after, ordinal."""

from __future__ import annotations

import re

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_TAX_IN_JA = (
    r"(?:消費税等?|税)(?:込み?|を含む|を含み|を含んだ|含む|含み|込価格|込み価格)|内税|税金込み?"
)
_TAX_EX_JA = (
    r"(?:消費税等?|税)(?:抜き?|別途?|を除く|を含まない|を含まず|は別途?|は含まれ(?:ない|ません)"
    r"|抜価格)|外税|本体価格|税引前|\+(?:消費)?税|税金別"
)
_TAX_IN_EN = (
    r"(?:tax|vat|gst|consumption tax|sales tax)(?:es)?[ -](?:included|inclusive|incl\.?)"
    r"|(?:including|includes|inclusive of|incl\.?|inc\.?|with) (?:all |the |sales |consumption "
    r"|10% )?(?:tax(?:es)?|vat|gst)|after tax|all-in"
)
_TAX_EX_EN = (
    r"(?:tax|vat|gst|consumption tax|sales tax)(?:es)?[ -](?:excluded|exclusive|excl\.?|not "
    r"included)|(?:excluding|excludes|exclusive of|excl\.?|ex\.?|plus|before|without|not "
    r"including|\+) ?(?:all |the |sales |consumption |applicable |any )?(?:tax(?:es)?|vat"
    r"|gst)(?![a-z])|pre-tax"
)
_TAX_AFTER = re.compile(
    rf"\s?(?:[(\[（]\s?)?[,、]?\s?(?:は|の|の価格は)?(?:(?P<incl>{_TAX_IN_JA}|{_TAX_IN_EN})"
    rf"|(?P<excl>{_TAX_EX_JA}|{_TAX_EX_EN}))(?:み|き|価格|料金)?(?:\s?[)\]）])?"
)
_TAX_BEFORE = re.compile(
    rf"(?:(?P<incl>{_TAX_IN_JA})|(?P<excl>{_TAX_EX_JA}))(?:み|き)?(?:の|で|価格|金額|合計|総額"
    rf"|料金|額|本体|は|が|:|、|\s|\)|\]|,|み|[:=]){{0,5}}\Z"
)
_TAX_BEFORE_EN = re.compile(
    rf"(?:(?P<incl>{_TAX_IN_EN})|(?P<excl>{_TAX_EX_EN}))(?: price| total| amount)?(?:\)|:|,| is| "
    rf"of| comes to)?\s?\Z"
)

_OFF_AFTER = re.compile(
    r"\s?の?(?:(?:ポイント|pt)?(?:引き?(?!上|落|当|越|続)|割引(?!後)|off(?![a-z])|オフ(?!ィ|サ|シ"
    r"|ラ)|値引き?|減額?(?!ら)|ディスカウント|お得|安い|安く|ダウン|引下げ|引き下げ"
    r"|減(?![塩ら点]))|[- ]?(?:discount|off|reduction|price cut|rebate|cheaper|lower|less than "
    r"the)(?![a-z]))"
)
_OFF_BEFORE = re.compile(
    r"(?:(?<![a-z])(?:discount(?: rate)?(?: of| is|:)?(?: up to)?|save(?: up to)?|saves?|reduced "
    r"by|discounted by|reduces? [a-z ]{0,20}by|割引率?(?:は|が|:)|値引き?(?:率|額)?(?:は|が"
    r"|:)))\s?\Z"
)
_PLUS_AFTER = re.compile(
    r"\s?の?(?:割?増し?(?!し?設|額分)|割増|アップ|up(?![a-z])|上乗せ|加算|増額?(?!設)"
    r"|プラス(?!チ)|引き上げ|値上げ|の追加料金|[- ]?(?:surcharge|premium|extra charge|markup"
    r"|mark-up|increase|uplift|raise|on top)(?![a-z]))"
)
_PLUS_BEFORE = re.compile(
    r"(?:(?<![0-9a-z.])\+\s?|プラス|追加で|(?<![a-z])(?:plus|surcharge of|additional|increased? "
    r"by|increases by|raised by|premium of|an extra|extra) ?)\Z"
)
_ORDINAL_AFTER = re.compile(r"\s?目(?!標|的|安|途|処|次|下|録|視|立|線|前)|回(?=目)")
_ORDINAL_BEFORE = re.compile(r"第\s?\Z")
_BEFORE_JA = re.compile(
    r"\s?(?:(?P<more>以上)(?=前)|(?P<less>以内)(?=前))?(?:以上|以内)?前(?!後|金|半|提|述|回|借|納"
    r"|払|年|期|後|夜|倒)"
)
_AFTER_JA = re.compile(r"\s?後(?!半|述|期|任|輩|日|払|続|者)")
_BEFORE_EN = re.compile(
    r"(?:'|s')? ?(?:notice )?(?:(?:or more|or less) )?(?:before|prior to|prior|in advance(?: of)?"
    r"|ahead of|ahead|beforehand|preceding|earlier|ago|previous to|in advance)(?![a-z])"
)
_AFTER_EN = re.compile(
    r" (?:later|afterwards?|thereafter|after that|from (?:now|today|then)|hence)(?![a-z])"
)
# What these patterns end or begin with: most numbers stand by none of it.
_OFF_ENDS = (
    "of", "is", ":", "up to", "discount", "rate", "save", "saves", "by", "は", "が",
)  # fmt: skip
_PLUS_ENDS = (
    "+", "プラス", "追加で", "plus", "surcharge of", "additional", "by", "premium of", "extra",
)  # fmt: skip
_CHANGE_SIGNS = frozenset("のポ引割オ値減デお安ダ増ア上加プ-pordclusemi")
_ORDER_SIGNS = frozenset("'snobpiaelthf")
_DAYS = frozenset({"duration", "deadline"})


def read_tax(text: Normal, core: Core) -> None:
    """Tax said right before or after an amount."""
    if core.kind != "money" or not text.tax:
        return
    found = _TAX_AFTER.match(text.low, core.end)
    if found:
        core.end = found.end()
    else:
        window = max(0, core.start - 16)
        found = _TAX_BEFORE.search(text.low, window, core.start)
        found = found or _TAX_BEFORE_EN.search(text.low, max(0, core.start - 34), core.start)
        if found:
            core.start = found.start()
    if found:
        core.qual = "tax_incl" if found.group("incl") else "tax_excl"


def read_change(text: Normal, core: Core, sign: str) -> None:
    """Discount or surcharge; `sign` is the first one after the value."""
    if core.qual is not None or core.kind not in ("ratio", "money"):
        return
    window = max(0, core.start - 34)
    written = text.low[window : core.start].rstrip()
    changed = sign in _CHANGE_SIGNS or sign.isspace() or written.endswith(_OFF_ENDS + _PLUS_ENDS)
    if not changed or not text.change:
        return
    for after, before, ends, qual in (
        (_OFF_AFTER, _OFF_BEFORE, _OFF_ENDS, "off"),
        (_PLUS_AFTER, _PLUS_BEFORE, _PLUS_ENDS, "plus"),
    ):
        found = after.match(text.low, core.end)
        if found:
            core.end = found.end()
            core.qual = qual
            return
        if written.endswith(ends) and before.search(text.low, window, core.start):
            core.qual = qual
            return


def read_ordinal(text: Normal, core: Core, sign: str) -> None:
    """The third time is no three times; `sign` is the first one after the value."""
    if core.kind not in ("count", "duration") or core.qual is not None:
        return
    if sign in ("目", "回"):
        found = _ORDINAL_AFTER.match(text.low, core.end)
        if found:
            core.qual, core.end = "ordinal", found.end()
            return
    if scan.sign_before(text.low, core.start) == "第":
        found = _ORDINAL_BEFORE.search(text.low, max(0, core.start - 2), core.start)
        if found:
            core.qual, core.start = "ordinal", found.start()


def read_order(text: Normal, core: Core, sign: str) -> None:
    """Before or after: 7日前, two weeks in advance, 3営業日後; `sign` is the first one after it."""
    if core.kind not in _DAYS or core.qual is not None:
        return
    if core.kind == "duration":
        found = _BEFORE_JA.match(text.low, core.end) if sign in ("前", "以") else None
        if found:
            if found.group("more"):
                core.cmp, core.bound = "ge", True
            elif found.group("less"):
                core.cmp, core.bound = "le", True
            core.qual, core.end = "before", found.end()
            return
        english = text.latin and sign in _ORDER_SIGNS
        found = _BEFORE_EN.match(text.low, core.end) if english else None
        if found:
            core.qual, core.end = "before", found.end()
            return
    found = _AFTER_JA.match(text.low, core.end) if sign == "後" else None
    if found is None and core.kind == "duration" and text.latin and sign in _ORDER_SIGNS:
        found = _AFTER_EN.match(text.low, core.end)
    if found:
        core.qual, core.end = "after", found.end()
