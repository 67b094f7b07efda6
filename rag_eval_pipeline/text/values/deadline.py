"""Days counted from a month or a day: 翌月5営業日, 月末, the 10th of the following month."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_MONTH_JA = {
    "翌々月": "month_after_next", "再来月": "month_after_next", "翌月": "next_month",
    "来月": "next_month",
    "次月": "next_month", "次の月": "next_month", "翌月度": "next_month", "当月": "this_month",
    "今月": "this_month",
    "同月": "this_month", "本月": "this_month", "当該月": "this_month", "その月": "this_month",
    "毎月": "each_month",
    "各月": "each_month", "月々": "each_month", "前月": "last_month", "先月": "last_month",
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTH_JA, key=len, reverse=True))
_BUSINESS = r"(?:銀行)?(?:営業日|稼働日|稼動日|就業日|平日|業務日)"
_END_BUSINESS = rf"(?:月?末(?:の|最終|最後の)?|最終の?|末日の?|最後の){_BUSINESS}"
_END = r"(?:月末最終日|月末日|月末|末日|最終日|末|みそか|晦日|最後の日)"
_JAPANESE = re.compile(
    rf"(?P<month>{_MONTH})(?:の|、|\s|・)?(?:(?:月?初め?の?|最初の"
    rf"|頭から)?(?:第)?(?P<day>[0-9]{{1,2}})(?:番目の)?(?P<unit>{_BUSINESS}|日)(?!間|分|本|程)目?"
    rf"|(?P<end_business>{_END_BUSINESS})|(?P<end>{_END})(?!の?{_BUSINESS}))"
    rf"|(?P<first_business>(?<![一-鿿0-9])(?:月初|月の?)(?:の|から"
    rf"|第)?第?(?P<first_day>[0-9]{{1,2}}){_BUSINESS}目?)"
    rf"|第(?P<ordinal_day>[0-9]{{1,2}}){_BUSINESS}"
    rf"|(?<![0-9年度週期学])(?P<bare_business>{_END_BUSINESS})"
    rf"|(?<![0-9年度週期学])(?P<bare>月末最終日|月末日?(?!(?:最終|最後の)?{_BUSINESS})"
    rf"|(?<!月)末日)"
    rf"|(?P<next_business>翌々?{_BUSINESS}|次の?{_BUSINESS}|(?<!~)(?<!から)翌々?日(?!(?:から|より"
    rf"|を)(?:起算|数え|[^、。]{{0,3}}[0-9]|含|1日目|初日)))"
    r"|(?<![0-9月])(?P<closing>[0-9]{1,2})日(?=締|〆|〆め|払い|支払い?|振込|振り込み|引き?落とし"
    r"|引落|支給|請求|しめ|必着締)"
    r"|(?P<month_left>今月|来月|当月|翌月)(?=いっぱい|中に|内に|一杯|中$)"
)
_ENGLISH = re.compile(
    r"(?<![a-z0-9.])(?:the )?(?:(?P<day>[0-9]{1,2})(?:st|nd|rd|th)|day (?P<day_n>[0-9]{1,2})"
    r"|(?P<first>first|second|third))(?:[ -](?P<unit>business|working|calendar"
    r"|banking))?(?:[ -]day)? (?:of|in|into) "
    r"(?P<article>the |each |every |that |this |any |a )?(?P<which>(?:following |next "
    r"|subsequent |same |current |calendar |succeeding ){0,2})month(?![a-z])"
    r"|(?<![a-z0-9.])(?:the )?(?:first )?(?P<span>[0-9]{1,2}) (?P<span_unit>business |working "
    r"|calendar |banking )?days (?:of|in|into) (?P<article2>the |each |every "
    r")?(?P<which2>(?:following |next |subsequent |same |current ){0,2})month(?![a-z])"
    r"|(?<![a-z])(?:the )?(?P<end>(?:end|last(?: (?P<last_unit>business|working|calendar))? day"
    r"|final(?: (?P<final_unit>business|working|calendar))? day|close)) of (?P<article3>the "
    r"|each |every |that |this )?(?P<which3>(?:following |next |subsequent |same |current "
    r"|calendar ){0,2})month(?![a-z])"
    r"|(?<![a-z])(?:the )?(?P<article4>each |every )?(?P<which4>following |next |current |same "
    r")?(?P<month_end>month[- ]end|month's end|eom)(?![a-z])"
    r"|(?<![a-z])(?:the )?(?P<next>next|following)[ -](?:(?P<next_unit>business|working|calendar"
    r"|banking)[ -])?day(?![a-z])"
    r"|(?<![a-z])(?:on|by|before|until|the) (?:the )?(?P<alone>[0-9]{1,2})(?:st|nd|rd|th)(?: "
    r"day)?(?=,? (?:each|every|of every|of each) month|[.,;)]|$)(?P<alone_each>,? (?:of )?(?:each"
    r"|every) month)?"
    r"|(?<![a-z])(?:each|every) month (?:on|by) the (?P<each_day>[0-9]{1,2})(?:st|nd|rd|th)"
    r"|(?<![a-z])monthly (?:on|by) the (?P<monthly_day>[0-9]{1,2})(?:st|nd|rd|th)"
)


_HINT_JA = re.compile(
    "|".join(f"{sign}月" for sign in "翌来今当同本毎各々次前先")
    + "|その月|月初|月の|月末|末日|営業日|稼働日|稼動日|就業日|平日|業務日|翌日|翌々日"
)
_HINT_CLOSING = re.compile("[0-9]日[締〆払支振引請し]")
_START_JA = re.compile("[翌再来次当今同本そ毎各月前先第末最0-9](?<![0-9][0-9])")
_WORDS = frozenset(["month", "monthly", "eom", "next", "following", "st", "nd", "rd", "th"])


def deadlines(text: Normal) -> Iterator[Core]:
    """Deadlines of a text."""
    low = text.low
    if ("日" in low or "月" in low) and (_HINT_JA.search(low) or _HINT_CLOSING.search(low)):
        for found in scan.finditer(_JAPANESE, _START_JA, low):
            yield from _japanese(found)
    if text.latin and not _WORDS.isdisjoint(text.words):
        for found in _ENGLISH.finditer(low):
            yield from _english(found)


def _japanese(found: re.Match[str]) -> Iterator[Core]:
    start, end = found.span()

    def core(unit: str, n: Fraction | str, anchor: str | None, rule: str) -> Core:
        return Core("deadline", unit, n, start, end, f"deadline_{rule}", anchor=anchor)

    if found.group("month_left"):
        left = core("day", "end", _MONTH_JA[found.group("month_left")], "month_end")
        left.cmp = "le"
        yield left
    elif found.group("month"):
        anchor = _MONTH_JA[found.group("month")]
        if found.group("day"):
            unit = "day" if found.group("unit") == "日" else "business_day"
            yield core(unit, Fraction(int(found.group("day"))), anchor, "month_day")
        elif found.group("end_business"):
            yield core("business_day", "end", anchor, "month_end")
        else:
            yield core("day", "end", anchor, "month_end")
    elif found.group("first_business"):
        yield core(
            "business_day", Fraction(int(found.group("first_day"))), "this_month", "month_day"
        )
    elif found.group("ordinal_day"):
        yield core("business_day", Fraction(int(found.group("ordinal_day"))), None, "ordinal_day")
    elif found.group("bare_business"):
        yield core("business_day", "end", "this_month", "month_end")
    elif found.group("bare"):
        yield core("day", "end", "this_month", "month_end")
    elif found.group("next_business"):
        written = found.group("next_business")
        unit = "day" if written in ("翌日", "翌々日") else "business_day"
        yield core(unit, Fraction(2 if "々" in written else 1), "next", "next_day")
    else:
        yield core("day", Fraction(int(found.group("closing"))), None, "closing_day")


def _english(found: re.Match[str]) -> Iterator[Core]:
    start, end = found.span()

    def core(unit: str | None, n: Fraction | str, anchor: str | None, rule: str) -> Core:
        business = unit is not None and unit.strip() in ("business", "working", "banking")
        return Core(
            "deadline", "business_day" if business else "day", n, start, end,
            f"deadline_{rule}", anchor=anchor,
        )  # fmt: skip

    group = found.group
    if group("day") or group("day_n") or group("first"):
        words = {"first": 1, "second": 2, "third": 3}
        day = words[group("first")] if group("first") else int(group("day") or group("day_n"))
        yield core(
            group("unit"),
            Fraction(day),
            _month_anchor(group("article"), group("which")),
            "month_day",
        )
    elif group("span"):
        anchor = _month_anchor(group("article2"), group("which2"))
        yield core(group("span_unit"), Fraction(int(group("span"))), anchor, "month_day")
    elif group("end"):
        anchor = _month_anchor(group("article3"), group("which3"))
        yield core(group("last_unit") or group("final_unit"), "end", anchor, "month_end")
    elif group("month_end"):
        yield core(
            None, "end", _month_anchor(group("article4"), group("which4") or ""), "month_end"
        )
    elif group("next"):
        yield core(group("next_unit"), Fraction(1), "next", "next_day")
    else:
        alone = group("alone")
        if alone:
            start = found.start("alone")
        day = int(alone or group("each_day") or group("monthly_day"))
        each = "each_month" if not alone or group("alone_each") else None
        yield core(None, Fraction(day), each, "month_day")


def _month_anchor(article: str | None, which: str | None) -> str:
    if which and any(word in which for word in ("following", "next", "subsequent", "succeeding")):
        return "next_month"
    if article in ("each ", "every "):
        return "each_month"
    return "this_month"
