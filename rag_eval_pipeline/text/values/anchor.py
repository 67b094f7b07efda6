"""What a span of time is counted from: delivery, purchase, application, joining, leaving."""

from __future__ import annotations

import re

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_JA = {
    "delivery": (
        "(?:お)?(?:届け?(?:日)?|届き|届い(?:て|た)|到着|受け?取(?:り|った|って|られ(?:た|て))?"
        "|受領|納品|納入|配達|着荷|配送完了|引き?渡し?|入荷|受取)"
    ),
    "purchase": "(?:ご)?(?:購入|注文(?!書)|お?買い?上げ|お?買い物|買った|発注|オーダー|決済)",
    "application": (
        "(?:ご|お)?(?:申請|申し?込み?|申込|応募|出願|申し出|お申し出|依頼|請求(?!書)"
        "|申し込(?:んだ|んで))"
    ),
    "joining": (
        "(?:ご)?(?:入社|雇い?入れ|採用|雇用開始|就職|着任|入職|勤務開始|入会|入所|雇用契約開始)"
    ),
    "leaving": "(?:ご)?(?:退職|退社|離職|辞職|辞める|退任|離任|退所|離任)",
}
_LINK = (
    r"(?:済み?|完了|確定|成立|受付|確認|手続き?|いただい(?:た|て)|頂い(?:た|て)|になった"
    r"|なさっ(?:た|て)|され(?:た|て)|した|して|し|た|て|り|ご?希望日?|予定日?|日時|日付|日|時点"
    r"|時|当日"
    r"|の翌(?:営業)?日|翌(?:営業)?日|の当日|の日|より|から|以降|以後|後|の|まで|を含め?(?:て|た"
    r"|む|み)?|含む|起算(?:して|し|で|の)?|を?(?:起点|起算日)(?:に|として|と)?(?:し(?:て)?)?"
    r"|を(?:1日目|初日|第1日)(?:として|と|に)?(?:し(?:て)?)?|(?:として|を)?数え(?:て|で)"
    r"|カウント(?:して|し)?|、|,|\s|・|に|は|を|が|原則(?:として)?|必ず|少なくとも|遅くとも"
    r"|おおむね|約|最大|最長|最短|で|おおよそ|およそ|概ね|だいたい|なら|であれば|ちょうど|満|最低"
    r"|開封前の?|商品|品物){0,9}"
)
_BEFORE_JA = re.compile(
    "(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _JA.items())
    + rf")(?P<link>{_LINK})\Z"
)
# Nothing is looked for where no word of these stands nearby.
_NOUN_JA = re.compile("[届到受納配着引入購注買発決申応出依請雇採就任退離辞]")
_START_JA = re.compile("[おご届到受納配着引入購注買発オ決申応出依請雇採就勤退離辞]")
_LINKED = re.compile(
    r"から|より|後|以降|以後|起算|起点|数え|含|カウント|の|1日目|初日|た[、ら]?|て|起算日|時"
)
_WINDOW = 34
_TOPIC_ONLY = re.compile(r"(?:は|が|を|に|で|・|まで|確認|手続き?|し|希望日?)")

_EN = {
    "delivery": (
        r"deliver(?:y|ed|ies)|receipt|receiv(?:e|ed|es|ing)(?=$|[.,;:)]| (?:it|them|the"
        r"|your|this|that|an? (?:item|product|package|parcel|order)|items?|goods|orders?"
        r"|products?|delivery|merchandise)(?![a-z]))|arriv(?:al|e|es|ed|ing)|gets? (?:it"
        r"|them|the item|your (?:order|item|package))"
    ),
    "purchase": (
        r"purchas(?:e|ed|es|ing)|order(?:ed|ing|s)?(?! (?:is |was |has been )?(?:deliver|arriv"
        r"|receiv))|buying|bought|checkout|buy"
    ),
    "application": (
        r"appl(?:ication|y|ied|ying|ies)|submission|submitt(?:ed|ing)|submit|request(?:ed|ing)?"
        r"|filing|filed"
    ),
    "joining": (
        r"join(?:ing|ed|s)?|hire(?:d)?(?! date of)|hiring|start(?:ing)? (?:date|work|employment)"
        r"|onboarding|commencement|employment start|first day(?: of (?:work|employment))?"
        r"|starting (?:work|employment|the job)|entering the company|begin(?:ning)? employment"
    ),
    "leaving": (
        r"leav(?:e the company|es the company|ing(?: the company)?)|resign(?:ation|ing|ed|s)?"
        r"|terminat(?:ion|ed|ing)|retire(?:ment|s)?|separation|last (?:working )?day(?: of "
        r"(?:work|employment))?|offboarding|departure from the company|final day(?: of (?:work"
        r"|employment))?|quit(?:ting)?"
    ),
}
_EN_WORDS = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _EN.items())
_NOUN_EN = re.compile(
    "(?:after|from|following|since|upon|once|of) .{0,60}?(?:deliver|recei|arriv|get|purchas"
    "|order|buy|bought|checkout|appl|submi|request|fil|join|hir|start|onboard|commenc|employ"
    "|first|enter|begin|leav|resign|terminat|retire|separat|last|offboard|depart|final|quit)"
)
_FILL_EN = (
    r"(?:(?:day after|day following|the|your|our|their|its|his|her|a|an|you|we|they|it|date|day"
    r"|time|of|customer|customers|buyer|employee|employees|original|initial|product"
    r"|products|item|items|goods|package|parcel|order|successful|actual|confirmed|first"
    r"|you've|you have|has been|have|has|been|is|are|was|being|on which|on|when|which"
    r"|confirmation of|completing|making|placing|their order|merchandise|shipment|last"
    r"|that|official|expected|intended|planned|proposed|scheduled|effective|formal"
    r"|submitting|completion of|to) ){0,7}"
)
_AFTER_EN = re.compile(
    rf",? ?(?:of|after|from|following|since|upon|before|prior to|in advance of|ahead of|counting"
    rf" from|starting from|beginning on|beginning from|once|when|as of|including|counting"
    rf"|inclusive of) "
    rf"{_FILL_EN}(?:{_EN_WORDS})(?![a-z])"
)
_BEFORE_EN = re.compile(
    rf"(?<![a-z])(?:after|from|following|since|upon|once|of) {_FILL_EN}(?:{_EN_WORDS})(?: (?:the"
    rf"|your|their|it|them|item|items|order|product|goods|package|company|date|is|was|has|been"
    rf"|confirmed|arrives|in|good|condition|of|delivered|us)){{0,5}},? ?(?:you (?:have|can|may"
    rf"|must|get|are given)|customers (?:have|can|may)|employees (?:have|can|may|must)|it takes"
    rf"|please allow|we (?:will|have|ship|refund|process|respond|reply))?(?: [a-z]+){{0,5}} ?\Z"
)
_LINK_WORDS = frozenset(["after", "from", "following", "since", "upon", "once", "of"])
_START_EN = scan.heads(["after ", "from ", "following ", "since ", "upon ", "once ", "of "])
_NEXT_DAY = re.compile(r"翌(?:営業)?日")
_INCLUDED = re.compile(r"含")
_SAME_DAY = re.compile(r"当日|同日|1日目|初日|第1日")


def read_anchor(text: Normal, core: Core) -> None:
    """Find what a duration is counted from, on either side of it."""
    if core.kind != "duration" or core.qual == "ordinal":
        return
    low = text.low
    window = max(0, core.start - _WINDOW)
    found = None
    if text.japanese and (
        _NOUN_JA.search(low, window, core.start) or low.find("オーダー", window, core.start) >= 0
    ):
        found = scan.search(_BEFORE_JA, _START_JA, low, window, core.start)
    if found and found.lastgroup:
        link = found.group("link")
        if (
            (
                link == ""
                and low.startswith(("以内", "前", "以上", "後", "を超", "を過", "経過"), core.end)
            )
            or (link == "" and core.qual in ("before", "after"))
            or (link == "" and core.cmp in ("le", "gt"))
        ):
            linked = True
        else:
            linked = _LINKED.search(link) is not None and _TOPIC_ONLY.fullmatch(link) is None
        if linked:
            _hang(core, next(name for name in _JA if found.group(name)))
            if _INCLUDED.search(link):
                core.counted_from = "inclusive"
            elif _NEXT_DAY.search(link):
                core.counted_from = "next_day"
            elif _SAME_DAY.search(link):
                core.counted_from = "same_day"
            return
    if not text.latin:
        return
    after = _AFTER_EN.match(low, core.end)
    if after is None and core.qual == "before":
        after = _AFTER_EN.match(low, max(core.number_start, low.rfind(" ", 0, core.end)))
    if after and after.lastgroup:
        _hang(core, after.lastgroup)
        written = after.group()
        if "day after" in written or "day following" in written:
            core.counted_from = "next_day"
        elif "includ" in written or "inclusive" in written:
            core.counted_from = "inclusive"
        core.end = max(core.end, after.end())
        return
    if _LINK_WORDS.isdisjoint(text.words):
        return
    window = max(0, core.start - 70)
    sentence = max(low.rfind(mark, window, core.start) for mark in (". ", "! ", "? ", "\n", ";"))
    if not _NOUN_EN.search(low, max(window, sentence + 1), core.start):
        return
    before = scan.search(_BEFORE_EN, _START_EN, low, max(window, sentence + 1), core.start)
    if before and before.lastgroup and not re.search(r"[0-9]", before.group()):
        _hang(core, before.lastgroup)


def _hang(core: Core, anchor: str) -> None:
    """Counted from an event is after it unless said otherwise (入社6か月後)."""
    core.anchor = anchor
    if core.qual == "after":
        core.qual = None
