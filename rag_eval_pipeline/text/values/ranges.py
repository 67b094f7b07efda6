"""Two numbers that are one value: 10〜20日, between 3 and 5 days, 3000円以上5000円未満."""

from __future__ import annotations

import re
from fractions import Fraction

from rag_eval_pipeline.text.numerals import decimal_text
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

JOIN = re.compile(
    r"\s?(?:~|-|ー|から|より|~から|→|、(?=[0-9]{1,2}[^0-9,])|・(?=[0-9])|to|up to|through|until"
    r"|till|and|or|ないし|乃至|または(?=[0-9])|か(?=[0-9]))\s?(?:最大で?|最長|up to |翌(?=[0-9])"
    r"|翌朝の?|翌日の?(?=(?:午前)?[0-9]{1,2}[時:]))?(?=[0-9$¥€£午(朝夜昼約]|令和|平成|昭和"
    r"|[rhs][0-9]|us\$|noon|midnight|正午|jpy|usd|eur|翌|(?:jan|feb|mar|apr|may|jun|jul|aug|sep"
    r"|oct|nov|dec)[a-z]{0,6})"
)
# No join is longer than this.
LONGEST_JOIN = 16
_BOTH = re.compile(
    r"(?:、|,|\s|かつ|で|and|but|から|および|及び|また|なおかつ|ただし|、?かつ、?){0,4}"
)
_BETWEEN = re.compile(r"(?:between|from|anywhere from|anywhere between) (?:the )?\Z")
_TAIL = re.compile(r"\s?の?間(?!隔)")


def joined(text: Normal, low: Core, high: Core) -> Core | None:
    """Low and high as one range where the text between them joins them."""
    if low.kind != high.kind or low.bound or (low.qual and low.qual != high.qual):
        return None
    gap = JOIN.match(text.low, low.end)
    if gap is None or gap.end() != high.number_start:
        return None
    word = gap.group().strip()
    between = _BETWEEN.search(text.low, max(0, low.start - 20), low.start)
    if word == "and" and (
        between is None or not between.group().startswith(("between", "anywhere b"))
    ):
        return None
    if word in ("、", "・") and low.unit != high.unit:
        return None
    if word == "or" and (not isinstance(low.n, Fraction) or low.unit != high.unit):
        return None
    return _range(low, high, between.start() if between else low.start)


def _range(low: Core, high: Core, start: int) -> Core | None:
    upper = high.n
    if isinstance(low.n, str) and isinstance(upper, str):
        if low.kind == "date":
            if low.unit != high.unit:
                return None
            upper = _with_year(low.n, upper)
    elif isinstance(low.n, Fraction) and isinstance(upper, Fraction):
        if low.unit == high.unit and upper < low.n:
            return None
        if low.unit != high.unit and low.kind == "money":
            return None
    joined_core = Core(
        low.kind, low.unit, low.n, start, high.end, f"{high.rule}_range", cmp="range",
        qual=low.qual or high.qual, anchor=low.anchor or high.anchor, high=upper,
        number_start=low.number_start,
    )  # fmt: skip
    if low.unit != high.unit:
        joined_core.high_unit = high.unit
    return joined_core


def _with_year(low: str, high: str) -> str:
    """The upper date in the year said for the lower one, or the next where it comes before it."""
    if low.startswith("-") or not high.startswith("--"):
        return high
    year = int(low[:4])
    return f"{year + 1 if high[2:] < low[5:] else year}-{high[2:]}"


def both_bounds(text: Normal, low: Core, high: Core) -> Core | None:
    """A lower and an upper bound next to each other are one range."""
    if low.kind != high.kind or low.cmp not in ("ge", "gt") or high.cmp not in ("le", "lt"):
        return None
    gap = _BOTH.match(text.low, low.end)
    if gap is None or gap.end() != high.start:
        return None
    joined_core = _range(low, high, low.start)
    if joined_core is not None:
        joined_core.open_low = low.cmp == "gt"
        joined_core.open_high = high.cmp == "lt"
        joined_core.bound = True
    return joined_core


def read_tail(text: Normal, core: Core) -> None:
    """10時から18時までの間."""
    found = _TAIL.match(text.low, core.end)
    if found:
        core.end = found.end()


def number_text(core: Core) -> tuple[str, str]:
    """`n` and `unit` as the value shows them."""
    low = core.n if isinstance(core.n, str) else decimal_text(core.n)
    if core.high is None:
        return low, core.unit
    high = core.high if isinstance(core.high, str) else decimal_text(core.high)
    unit = core.unit
    if core.high_unit is not None:
        low, high, unit = f"{low}{core.unit}", f"{high}{core.high_unit}", "range"
    return f"{'(' if core.open_low else ''}{low}~{high}{')' if core.open_high else ''}", unit


def complete(text: Normal, low: Core, high: Core) -> None:
    """Read the upper end as what the lower one makes of it.

    4月1日〜30日 is a day of the same month, 午後1時〜5時 the same half of the day, 2026年4月〜6月 a
    month of the same year.
    """
    if not isinstance(low.n, str) or low.kind not in ("date", "time"):
        return
    gap = JOIN.match(text.low, low.end)
    if gap is None or gap.end() != high.number_start:
        return
    if low.kind == "date" and high.kind == "duration":
        _day_of_month(text, low.n, low, high)
    elif low.kind == high.kind == "time" and isinstance(high.n, str):
        hour = int(high.n[:2])
        if high.n < low.n and hour < 12 and "午後" in text.low[low.start : low.end]:
            high.n = f"{hour + 12:02d}{high.n[2:]}"
    elif low.unit == "year_month" and high.unit == "month" and isinstance(high.n, str):
        year = int(low.n[:4]) + (1 if int(high.n) < int(low.n[5:]) else 0)
        high.unit, high.n = "year_month", f"{year}-{int(high.n):02d}"


_LENGTH_AFTER = ("以内", "以上", "前", "後", "以下")


def _day_of_month(text: Normal, first: str, low: Core, high: Core) -> None:
    if low.unit or high.unit != "day" or not isinstance(high.n, Fraction):
        return
    is_length = text.low[high.end - 1] != "日" or text.low.startswith(_LENGTH_AFTER, high.end)
    if not is_length and high.n.denominator == 1 and int(first[-2:]) < high.n <= 31:
        high.kind, high.unit, high.rule = "date", "", low.rule
        high.n = f"{first[:-2]}{int(high.n):02d}"
