"""Numbers without a unit of their own that are an end of a range: 10〜20日, $10-20, April 1-30."""

from __future__ import annotations

import re
from fractions import Fraction

from rag_eval_pipeline.text.numerals import number
from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.comparator import read_after, read_before
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal
from rag_eval_pipeline.text.values.ranges import JOIN
from rag_eval_pipeline.text.values.time import clock

_JOIN_BEFORE = re.compile(r"\s?(?:~|-|to|through)\s?\Z")
_JOIN_ENDS = frozenset("~-oh")
_AND_BOUND = re.compile(
    r",? ?(?:and|but|to) (?:at most|no more than|not more than|less than|fewer than|under|up to"
    r"|below|a maximum of|no longer than|not exceeding) (?=[0-9])|(?: or more|以上|超)?(?:,? "
    r"(?:and|but) |、?)(?:fewer than|less than|at most|no more than|under)? ?(?=[0-9])"
)
_YEAR_AFTER = re.compile(r",? (?P<year>(?:19|20)[0-9]{2})(?![0-9])")
_UPPER_JOIN = re.compile(r"\s?(?:~|-|to|through)\s?")
_LETTER_BEFORE = re.compile(r"[a-z][-/]?\Z")


def with_bare(
    text: Normal, cores: list[Core], bare: list[re.Match[str]], taken: bytearray
) -> list[Core]:
    """Add numbers without unit that are the lower end of a range (10〜20日)."""
    if not bare:
        return cores
    by_start = {core.number_start: core for core in cores}
    by_end = {core.end: core for core in cores}
    added = []
    for found in bare:
        low = None
        if scan.sign_before(text.low, found.start()) in _JOIN_ENDS:
            at = _JOIN_BEFORE.search(text.low, max(0, found.start() - 9), found.start())
            low = by_end.get(at.start()) if at else None
        if low is not None:
            upper = _with_unit_before(text, low, found.start(), found.end(), number(found.group()))
            if upper is not None:
                added.append(upper)
                continue
        gap = JOIN.match(text.low, found.end())
        if gap is None:
            low = _bounded(text, found, by_start)
            if low:
                added.append(low)
            continue
        high = by_start.get(gap.end())
        if high is None or _LETTER_BEFORE.search(
            text.low, max(0, found.start() - 2), found.start()
        ):
            continue
        numeral = text.numerals.get(gap.end())
        low = _with_unit_of(
            text, found.start(), found.end(), number(found.group()), high,
            scale=numeral.scale if numeral else 1, leading=numeral.leading if numeral else None,
        )  # fmt: skip
        if low is not None and not taken[found.start()]:
            added.append(low)
    return sorted([*cores, *added], key=lambda core: core.start)


def _bounded(text: Normal, found: re.Match[str], by_start: dict[int, Core]) -> Core | None:
    gap = _AND_BOUND.match(text.low, found.end())
    if gap is None:
        return None
    high = by_start.get(gap.end())
    if (
        high is None
        or not gap.group().strip()
        or high.kind not in ("count", "duration", "quantity", "money", "ratio")
    ):
        return None
    low = _with_unit_of(
        text, found.start(), found.end(), number(found.group()), high, scale=1, leading=None
    )
    if low is None:
        return None
    read_before(text, low)
    if low.cmp not in ("ge", "gt"):
        read_after(text, low, scan.sign_after(text.low, low.end))
    return low if low.cmp in ("ge", "gt") else None


def _with_unit_of(
    text: Normal,
    start: int,
    end: int,
    amount: Fraction,
    high: Core,
    *,
    scale: int,
    leading: Fraction | None,
) -> Core | None:
    """A bare amount before a joiner as the lower end, in the unit of the upper end."""
    if high.kind in ("money", "ratio", "duration", "count", "quantity", "deadline"):
        if not isinstance(high.n, Fraction):
            return None
        if high.kind == "ratio" and high.unit == "":
            amount = amount / (10 if high.rule == "ratio_wari" else 100)
        elif leading is not None and amount < leading and scale > 1:
            amount = amount * scale
        elif high.rule == "ratio_fraction":
            return None
        return Core(
            high.kind, high.unit, amount, start, end, high.rule, qual=None, number_start=start
        )
    if amount.denominator != 1:
        return None
    whole = int(amount)
    if high.kind == "time" and isinstance(high.n, str):
        return _bare_hour(text, start, end, whole, high)
    if high.kind == "date" and high.unit == "month" and 1 <= whole <= 12:
        return Core("date", "month", str(whole), start, end, high.rule, number_start=start)
    if high.kind == "date" and high.unit in ("year", "fiscal_year") and 1900 <= whole <= 2199:
        return Core("date", high.unit, str(whole), start, end, high.rule, number_start=start)
    return None


def _bare_hour(text: Normal, start: int, end: int, hour: int, high: Core) -> Core | None:
    n = clock(hour, 0)
    if n is None or not isinstance(high.n, str):
        return None
    written = text.low[high.number_start : high.end]
    if ("pm" in written or "p.m" in written) and hour < 12:
        afternoon = clock(hour + 12, 0)
        if afternoon is not None and afternoon < high.n:
            n = afternoon
    return Core("time", "", n, start, end, high.rule, number_start=start)


def _with_unit_before(
    text: Normal, low: Core, start: int, end: int, amount: Fraction
) -> Core | None:
    """A bare amount after a joiner as the upper end: $10-20, April 1-30."""
    gap = _UPPER_JOIN.match(text.low, low.end)
    if gap is None or gap.end() != start:
        return None
    if low.rule == "money_sign" and isinstance(low.n, Fraction) and amount > low.n:
        return Core("money", low.unit, amount, start, end, low.rule, number_start=start)
    if low.rule == "date_en" and low.unit == "" and isinstance(low.n, str):
        day = int(low.n[-2:])
        if amount.denominator != 1 or not day < amount <= 31:
            return None
        year = _YEAR_AFTER.match(text.low, end)
        if year and low.n.startswith("--"):
            low.n = f"{year.group('year')}{low.n[1:]}"
            end = year.end()
        return Core(
            "date", "", f"{low.n[:-2]}{int(amount):02d}", start, end, low.rule, number_start=start
        )
    return None
