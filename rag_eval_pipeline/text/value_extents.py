"""The part of its measuring line that a value covers, and how two such parts stand.

以上, 未満, ranges and plain numbers all become a lower and an upper bound in exact fractions, so
that 90分 is 1時間30分, and 100件を超えない is 100件以下.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from rag_eval_pipeline.text.value_units import comes_in_wholes, place

Standing = Literal["same", "different", "undecided"]

# Longer numbers are no amounts, and int() refuses digits by the thousand.
_NUMBER = re.compile(
    r"(?P<sign>[-−]?)(?P<whole>[0-9]{1,200})(?:\.(?P<part>[0-9]{1,200})|/(?P<below>[0-9]{1,200}))?"
    r"(?P<unit>[^0-9.,/~()\[\]\s-][^~()\s]{0,20})?"
)
_OPEN_LOW, _OPEN_HIGH = "(", ")"
# The last day of a month lies after every numbered one; no day or business day has this number.
END = Fraction(99)


@dataclass(frozen=True, slots=True)
class Bound:
    """One end: a place on a named line, itself left out where `is_open`."""

    line: str
    at: Fraction
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Extent:
    """What a value covers; a missing bound is unbounded. `form` is exact, approx, or vague.

    vague: some place within the bounds, not the whole of them (2026年4月 as a day).
    """

    low: Bound | None
    high: Bound | None
    form: Literal["exact", "approx", "vague"] = "exact"

    @property
    def is_point(self) -> bool:
        """Is it one number?"""
        return self.low is not None and self.low == self.high

    @property
    def is_two_sided(self) -> bool:
        """Has it a lower and an upper bound?"""
        return self.low is not None and self.high is not None


def number(text: str) -> tuple[Fraction, str] | None:
    """A canonical number (`12`, `0.5`, `2/3`) with the unit written behind it, if any."""
    found = _NUMBER.fullmatch(text)
    if found is None or (found["below"] and not int(found["below"])):
        return None
    amount = Fraction(int(found["whole"]))
    if found["part"]:
        amount += Fraction(int(found["part"]), 10 ** len(found["part"]))
    elif found["below"]:
        amount /= int(found["below"])
    return (-amount if found["sign"] else amount), found["unit"] or ""


def range_ends(n: str) -> tuple[str, bool, str, bool] | None:
    """Lower end, is it open, upper end, is it open: `(3000~5000` and `3000~5000)`."""
    low, tilde, high = n.partition("~")
    if not tilde:
        return None
    return (
        low.removeprefix(_OPEN_LOW),
        low.startswith(_OPEN_LOW),
        high.removesuffix(_OPEN_HIGH),
        high.endswith(_OPEN_HIGH),
    )


def extent_between(cmp: str, low: Bound, high: Bound) -> Extent | None:
    """The extent of a comparator over a value that itself reaches from `low` to `high`."""
    match cmp:
        case "eq":
            return Extent(low, high)
        case "approx":
            return Extent(low, high, "approx")
        case "ge":
            return Extent(low, None)
        case "gt":
            return Extent(replace(high, is_open=True), None)
        case "le":
            return Extent(None, high)
        case "lt":
            return Extent(None, replace(low, is_open=True))
        case _:
            return None


def numeric_extent(kind: str, unit: str, cmp: str, n: str) -> Extent | None:
    """The extent of a value whose `n` is a number or a range of numbers; None if it is neither."""
    if cmp != "range":
        at = _bound(kind, unit, n)
        extent = extent_between(cmp, at, at) if at else None
    else:
        ends = range_ends(n)
        if ends is None:
            return None
        low, high = _bound(kind, unit, ends[0]), _bound(kind, unit, ends[2])
        if low is None or high is None:
            return None
        extent = Extent(replace(low, is_open=ends[1]), replace(high, is_open=ends[3]))
    return _whole(extent) if extent and comes_in_wholes(kind, unit) else extent


def _bound(kind: str, unit: str, text: str) -> Bound | None:
    if kind == "deadline" and text == "end":
        return Bound(f"{kind} {unit}", END)
    read = number(text)
    if read is None:
        return None
    amount, own_unit = read
    line, factor = place(kind, own_unit or unit)
    return Bound(line, amount * factor)


def _whole(extent: Extent) -> Extent:
    """Open bounds of whole numbers as the closed ones they equal: more than 9 is at least 10."""
    low, high = extent.low, extent.high
    if low and low.is_open and low.at.denominator == 1:
        low = Bound(low.line, low.at + 1)
    if high and high.is_open and high.at.denominator == 1:
        high = Bound(high.line, high.at - 1)
    return replace(extent, low=low, high=high)


def rest_of_whole(extent: Extent) -> Extent:
    """What is left of 1: 3割引 leaves 7割, 3割引以上 leaves 7割以下."""

    def turned(bound: Bound | None) -> Bound | None:
        return replace(bound, at=1 - bound.at) if bound else None

    return replace(extent, low=turned(extent.high), high=turned(extent.low))


def standing(a: Extent, b: Extent, *, near: Fraction | None = None) -> Standing:
    """How two extents stand to each other; symmetric.

    Parameters
    ----------
    a, b
        The extents.
    near
        How far an exact value may lie from an approximate one before they differ; by default a
        tenth of the larger.

    Returns
    -------
    Standing
        same: the same bounds. undecided: units that do not convert, 約 against an exact value
        near it, a number or a range against one of its own bounds (R15). different: all else.
    """
    if a.low == b.low and a.high == b.high:
        return "same" if a.form == b.form else "undecided"
    if not _on_one_line(a, b):
        return "different" if _differ_on_a_shared_line(a, b) else "undecided"
    if (a.form == "approx") != (b.form == "approx"):
        return "undecided" if _gap(a, b) <= _reach(a, b, near) else "different"
    return "undecided" if _is_bound_of_other(a, b) else "different"


def _is_bound_of_other(a: Extent, b: Extent) -> bool:
    """Do they share a bound, being not two ranges? 30日 and 30日以内; 10〜20日 and 10日 (R15)."""
    if a.is_two_sided and b.is_two_sided and not (a.is_point or b.is_point or _vague(a, b)):
        return False
    return (a.low is not None and a.low == b.low) or (a.high is not None and a.high == b.high)


def _vague(a: Extent, b: Extent) -> bool:
    return "vague" in (a.form, b.form)


def _on_one_line(a: Extent, b: Extent) -> bool:
    return len({bound.line for bound in (a.low, a.high, b.low, b.high) if bound}) == 1


def _differ_on_a_shared_line(a: Extent, b: Extent) -> bool:
    """Ranges of mixed units (2週間〜1か月) that part where they can be compared."""
    return any(
        one and other and one.line == other.line and one != other
        for one, other in ((a.low, b.low), (a.high, b.high))
    )


def _gap(a: Extent, b: Extent) -> Fraction:
    """The distance between two extents; 0 where they meet."""
    gap = Fraction(0)
    for lower, upper in ((a, b), (b, a)):
        if lower.high and upper.low:
            gap = max(gap, upper.low.at - lower.high.at)
    return gap


def _reach(a: Extent, b: Extent, near: Fraction | None) -> Fraction:
    if near is not None:
        return near
    places = (bound.at for bound in (a.low, a.high, b.low, b.high) if bound)
    return max(map(abs, places), default=Fraction(0)) / 10
