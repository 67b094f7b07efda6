"""Does a value of one text give ground to a value said in another? (R6)

Stricter comparing than R15's would call half of what an answer says invented: 500円 stands on 500円
以下 and 2〜3日 on "2日から、遅くとも3日", though neither is the same value.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

from rag_eval_pipeline.text.compare_values import compare
from rag_eval_pipeline.text.value_extents import number, numeric_extent, range_ends
from rag_eval_pipeline.text.value_units import is_bare_kilo
from rag_eval_pipeline.text.values import Value

Ground = Literal["found", "low", "high", "maybe", "none"]

_SPANS = frozenset({"duration", "deadline"})
_CALENDAR = frozenset({"date", "time", "deadline"})
# How long one base unit of a span's line may be, in days: a working day has eight hours, business
# days may have a weekend or a holiday between them.
_DAYS = {
    "clock": (Fraction(1, 86_400), Fraction(1, 28_800)),
    "day": (Fraction(1), Fraction(1)),
    "business_day": (Fraction(1), Fraction(3)),
    "month": (Fraction(28), Fraction(31)),
}
# Taxes on sales there have been, and what rounding adds.
_TAX = (Fraction(102, 100), Fraction(111, 100))


def ground(said: Value, found: Value, *, deadline: bool = False) -> Ground:
    """What a found value is to a said one.

    Parameters
    ----------
    said
        The value of the answer.
    found
        A value of the text it may be taken from.
    deadline
        Whether a deadline is spoken of in either text (see `compare`).

    Returns
    -------
    Ground
        found: the same; or of the same kind, unit and number where only comparator, anchor or
        qualifier leave that undecided, or the span beyond a found one (30日を過ぎる of 30日以内);
        or one of the bounds of a found range. low, high: the lower
        or upper bound of a said range. maybe: undecided because of another unit, precision or tax,
        where the numbers allow it. none: all else.
    """
    if _same_number(said, found, deadline=deadline):
        return "found"
    if any(_same_number(said, end, deadline=deadline) for end in _ends(found)):
        return "found"
    for place, end in zip(("low", "high"), _ends(said), strict=False):
        if _same_number(end, found, deadline=deadline):
            return "low" if place == "low" else "high"
    undecided = compare(said, found, deadline=deadline) == "undecided"
    return "maybe" if undecided and _may_be(said, found) else "none"


def _same_number(said: Value, found: Value, *, deadline: bool) -> bool:
    if said.cmp == "gt" and found.cmp in ("eq", "le") and {said.kind, found.kind} <= _SPANS:
        # 30日を過ぎると tells of the other side of 30日以内, and of no other number.
        said = replace(said, cmp=found.cmp)
    label = compare(said, found, deadline=deadline)
    kinds = {said.kind, found.kind}
    alike = (len(kinds) == 1 or kinds == _SPANS) and (said.unit, said.n) == (found.unit, found.n)
    return label == "same" or (label == "undecided" and alike)


def _ends(value: Value) -> tuple[Value, ...]:
    """Lower and upper bound of a range, each as a value of its own; empty for any other value."""
    ends = range_ends(value.n) if value.cmp == "range" else None
    if ends is None:
        return ()
    return tuple(_end(value, text) for text in (ends[0], ends[2]))


def _end(value: Value, text: str) -> Value:
    read = number(text) if value.unit == "range" else None
    unit = read[1] if read is not None else ""
    if not unit:
        return replace(value, cmp="eq", n=text)
    return replace(value, cmp="eq", n=text.removesuffix(unit), unit=unit)


def _may_be(said: Value, found: Value) -> bool:
    """Whether a conversion or a rounding may lie between two values that `compare` leaves open."""
    kinds = {said.kind, found.kind}
    if said.kind == found.kind == "money":
        return said.unit == found.unit and _within_tax(said, found)
    if kinds <= _SPANS and said.unit != found.unit:
        return _may_last_as_long(said, found)
    if kinds <= _CALENDAR:
        return True
    if len(kinds) > 1:
        return said.n == found.n
    if said.unit == found.unit or said.kind == "ratio":
        return _near(said, found)
    kilo = is_bare_kilo(said.quote) or is_bare_kilo(found.quote)
    return _on_one_line(said, found) or (said.n == found.n and (kilo or said.kind == "count"))


def _near(said: Value, found: Value) -> bool:
    """Whether 約 may lie between two numbers: 約3日 lies within 30日以内, and is not from there."""
    one, other = number(said.n), number(found.n)
    if (said.cmp == "approx") == (found.cmp == "approx") or one is None or other is None:
        return True
    less, more = sorted((one[0], other[0]))
    return more - less <= abs(more) / 10


def _on_one_line(said: Value, found: Value) -> bool:
    lines = {
        bound.line
        for value in (said, found)
        for extent in [numeric_extent(value.kind, value.unit, value.cmp, value.n)]
        if extent is not None
        for bound in (extent.low, extent.high)
        if bound is not None
    }
    return len(lines) == 1


def _within_tax(said: Value, found: Value) -> bool:
    """Approximate amounts are near each other when undecided; others may differ by the tax."""
    one, other = number(said.n), number(found.n)
    if "approx" in (said.cmp, found.cmp) or one is None or other is None:
        return True
    less, more = sorted((one[0], other[0]))
    return less == more or (less > 0 and _TAX[0] <= more / less <= _TAX[1])


def _may_last_as_long(said: Value, found: Value) -> bool:
    one, other = _days(said), _days(found)
    if one is None or other is None:
        return said.n == found.n
    return one[0] <= other[1] and other[0] <= one[1]


def _days(value: Value) -> tuple[Fraction, Fraction] | None:
    """Least and most days a span may last, its comparator left aside; None where it tells none."""
    ends = range_ends(value.n) if value.cmp == "range" else (value.n, False, value.n, False)
    if ends is None:
        return None
    lasts = [_days_of(value.unit, text) for text in (ends[0], ends[2])]
    if lasts[0] is None or lasts[1] is None:
        return None
    near = Fraction(1, 10) if value.cmp == "approx" else Fraction(0)
    return lasts[0][0] * (1 - near), lasts[1][1] * (1 + near)


def _days_of(unit: str, text: str) -> tuple[Fraction, Fraction] | None:
    read = number(text)
    if read is None:
        return None
    extent = numeric_extent("duration", read[1] or unit, "eq", text.removesuffix(read[1]))
    if extent is None or extent.low is None:
        return None
    line = extent.low.line.removeprefix("duration ")
    least, most = _DAYS.get(line, (None, None))
    if least is None or most is None:
        return None
    return extent.low.at * least, extent.low.at * most
