"""Do two values say the same? (R15)

The number decides first, as bounds on a measuring line; then what stands beside it: anchor,
qualifier, tax, the start of counting. Where one side leaves open what the other names, a bare pair
is undecided, while an answer that tells more than the claim supports it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from rag_eval_pipeline.text.fold import fold_width
from rag_eval_pipeline.text.value_calendar import (
    compare_dates,
    compare_times,
    read_date,
    read_time,
)
from rag_eval_pipeline.text.value_extents import (
    END,
    Extent,
    numeric_extent,
    rest_of_whole,
    standing,
)
from rag_eval_pipeline.text.value_units import binary_unit, is_bare_kilo
from rag_eval_pipeline.text.values import Value, values

Label = Literal["same", "different", "undecided", "unrelated"]
# Beside the labels: the same, but only one side names an anchor, a qualifier, a year.
_Finding = Literal[
    "same", "different", "undecided", "unrelated", "claimed_names_more", "found_names_more"
]

_DEADLINE_WORD = re.compile(
    r"(?<!無)期限|締め?切り?|〆切り?|しめきり|\bdeadlines?\b", re.IGNORECASE
)
# Kinds that one expression may be read as: 10日 is a duration or a day of the month.
_MAY_MEET = frozenset(
    frozenset(pair)
    for pair in (
        ("duration", "deadline"),
        ("duration", "date"),
        ("duration", "time"),
        ("deadline", "date"),
        ("deadline", "time"),
        ("date", "time"),
        ("count", "quantity"),
        ("count", "ratio"),
        ("money", "ratio"),
    )
)
_SLASHED = re.compile(r"(?<![0-9/])([1-9][0-9]?)/([1-9][0-9]?)(?![0-9/])")
_TAXES = frozenset({"tax_incl", "tax_excl"})
_SAME_START = {"inclusive": "same_day", "exclusive": "next_day"}
# "the month" of a rule is each month
_MAY_BE_ONE_MONTH = frozenset({"this_month", "each_month"})
# The last day of a month, and the last business day, may be one of these.
_LATE_DAYS = {"day": range(28, 32), "business_day": range(17, 24)}
# Beyond this many values on a side a pair of texts is no pair of values.
_MOST_VALUES = 200


def compare(claimed: Value, found: Value, *, deadline: bool = False) -> Label:
    """Does the found value say what the claimed one says?

    Parameters
    ----------
    claimed
        The value of the claim.
    found
        The value of the text held against it. Where it names an anchor, a qualifier or a year
        that the claim leaves open, it is the same; the reverse is undecided.
    deadline
        Is a deadline spoken of (`names_deadline`) in claim, question or clause? Then a plain
        duration, date or time means that and no later.

    Returns
    -------
    Label
        unrelated: of kinds that never meet, such as an amount of money and a duration.
    """
    finding = _find(claimed, found, deadline=deadline)
    if finding == "found_names_more":
        return "same"
    return "undecided" if finding == "claimed_names_more" else finding


def compare_bare(a: Value, b: Value, *, deadline: bool = False) -> Label:
    """Do two values of no known direction say the same? Symmetric: what one leaves open is open."""
    finding = _find(a, b, deadline=deadline)
    if finding == "found_names_more" or finding == "claimed_names_more":
        return "undecided"
    return finding


def compare_texts(a: str, b: str) -> Label:
    """Do two short texts, in the normal case of one value each, say the same values? Symmetric.

    Returns
    -------
    Label
        same: each value of either side has its like on the other, in the same order. different:
        of the values left without their like, two differ. undecided: all else, also where a side
        holds no value; never unrelated.
    """
    of_a, of_b = values(a), values(b)
    if not of_a or not of_b or max(len(of_a), len(of_b)) > _MOST_VALUES:
        return "undecided"
    deadline = names_deadline(a) or names_deadline(b)
    pairs: list[tuple[int, int]] = []
    left = list(range(len(of_b)))
    alone = []
    for i, one in enumerate(of_a):
        like = next(
            (j for j in left if compare_bare(one, of_b[j], deadline=deadline) == "same"), None
        )
        if like is None:
            alone.append(one)
        else:
            left.remove(like)
            pairs.append((i, like))
    if any(
        compare_bare(one, of_b[j], deadline=deadline) == "different" for one in alone for j in left
    ):
        return "different"
    return "same" if not alone and not left and not _is_swapped(of_a, pairs) else "undecided"


def names_deadline(text: str) -> bool:
    """Does the text speak of a 期限, 締切 or deadline?"""
    return _DEADLINE_WORD.search(fold_width(text)) is not None


def _is_swapped(of_a: tuple[Value, ...], pairs: list[tuple[int, int]]) -> bool:
    """Do values of one kind change places? 大人500円、子供300円 is not 大人300円、子供500円."""
    last: dict[str, int] = {}
    for i, j in pairs:
        if j < last.get(of_a[i].kind, -1):
            return True
        last[of_a[i].kind] = j
    return False


def _find(claimed: Value, found: Value, *, deadline: bool) -> _Finding:
    if claimed.kind != found.kind:
        return _across_kinds(claimed, found)
    if claimed.kind == "money":
        return _combined(_money(claimed, found), _beside(claimed, found))
    return _combined(_numbers(claimed, found, deadline=deadline), _beside(claimed, found))


def _combined(*findings: _Finding) -> _Finding:
    """The strongest of several: a difference, then doubt, then what one side leaves open."""
    seen = set(findings)
    for decisive in ("different", "undecided"):
        if decisive in seen:
            return decisive
    if seen >= {"claimed_names_more", "found_names_more"}:
        return "undecided"
    return next((finding for finding in findings if finding != "same"), "same")


def _across_kinds(claimed: Value, found: Value) -> _Finding:
    as_share = [
        _slashed_share(value) if {claimed.kind, found.kind} == {"date", "ratio"} else None
        for value in (claimed, found)
    ]
    if any(as_share):
        return _find(as_share[0] or claimed, as_share[1] or found, deadline=False)
    if frozenset({claimed.kind, found.kind}) not in _MAY_MEET:
        return "unrelated"
    if (claimed.kind, found.kind) == ("duration", "deadline"):
        return _duration_and_deadline(claimed, found, same="found_names_more")
    if (claimed.kind, found.kind) == ("deadline", "duration"):
        return _duration_and_deadline(found, claimed, same="claimed_names_more")
    return "undecided"


def _slashed_share(value: Value) -> Value | None:
    """2/3 is read as a day of the year; held against a ratio it is two thirds."""
    slashed = _SLASHED.search(fold_width(value.quote)) if value.kind == "date" else None
    if slashed is None or value.cmp == "range" or int(slashed[1]) > int(slashed[2]):
        return None
    return replace(value, kind="ratio", unit="", n=f"{int(slashed[1])}/{int(slashed[2])}")


def _duration_and_deadline(duration: Value, by: Value, *, same: _Finding) -> _Finding:
    """A duration without anchor meets a deadline of the same unit and number (R15)."""
    if duration.anchor and by.anchor and duration.anchor != by.anchor:
        return "different"
    if duration.qual or duration.unit != by.unit or duration.cmp not in {"eq", "le"}:
        return "undecided"
    result = _numbers(replace(duration, kind="deadline"), by, deadline=True)
    return same if result == "same" else result


def _numbers(a: Value, b: Value, *, deadline: bool) -> _Finding:
    """The numbers alone, with unit and comparator."""
    is_deadline = a.kind == "deadline" or (
        deadline and a.kind in {"duration", "date", "time"} and "after" not in (a.qual, b.qual)
    )
    if a.kind == "date":
        return _dates(a, b, by=is_deadline)
    one, other = _extent(a, by=is_deadline), _extent(b, by=is_deadline)
    if one is None or other is None:
        is_equal = (a.unit, a.cmp, a.n) == (b.unit, b.cmp, b.n)
        return "same" if is_equal else "undecided"
    match a.kind:
        case "time":
            return compare_times(one, other)
        case "deadline":
            return _deadlines(a, b, one, other)
        case "ratio":
            return _ratios(a, b, one, other)
        case "quantity":
            return _quantities(a, b, one, other)
        case _:
            return standing(one, other)


def _extent(value: Value, *, by: bool = False) -> Extent | None:
    unit = value.unit
    if unit == "kg" and is_bare_kilo(value.quote):
        unit = "キロ"
    cmp = value.cmp
    if by and cmp == "eq":
        # no later than, counted back from the anchor: 7日前 is 7日前まで, at least seven days
        cmp = "ge" if value.qual == "before" else "le"
    return _read_extent(value.kind, unit, cmp, value.n)


@lru_cache(maxsize=8192)
def _read_extent(kind: str, unit: str, cmp: str, n: str) -> Extent | None:
    return read_time(cmp, n) if kind == "time" else numeric_extent(kind, unit, cmp, n)


def _dates(a: Value, b: Value, *, by: bool) -> _Finding:
    one, other = read_date(a.unit, a.cmp, a.n), read_date(b.unit, b.cmp, b.n)
    if one is None or other is None:
        return "same" if (a.unit, a.cmp, a.n) == (b.unit, b.cmp, b.n) else "undecided"
    result = compare_dates(one, other, by=by)
    if result == "a_tells_more":
        return "claimed_names_more"
    return "found_names_more" if result == "b_tells_more" else result


def _deadlines(a: Value, b: Value, one: Extent, other: Extent) -> _Finding:
    """Days and business days of a month differ, except that the last ones may coincide (R15)."""
    if (
        {a.n, b.n} != {"end"}
        and "end" in (a.n, b.n)
        and any(
            bound and bound.at != END and bound.at in _LATE_DAYS.get(value.unit, ())
            for value, extent in ((a, one), (b, other))
            for bound in (extent.low, extent.high)
        )
    ):
        return "undecided"
    if a.unit == b.unit:
        return standing(one, other)
    if {a.unit, b.unit} != {"day", "business_day"} or a.n == b.n == "end":
        return "undecided"
    return "different"


def _ratios(a: Value, b: Value, one: Extent, other: Extent) -> _Finding:
    """A plain ratio may be what is taken off or what is left: 3割 and 3割引, 半額 and 50%オフ."""
    result = standing(one, other)
    if [a.qual, b.qual].count("off") != 1 or {a.qual, b.qual} != {"off", None}:
        return result
    left = standing(rest_of_whole(one), other) if a.qual else standing(one, rest_of_whole(other))
    if result == left:
        return result
    # as the discount it is the same; `_beside` says who names that it is one
    return "same" if result == "same" else "undecided"


def _quantities(a: Value, b: Value, one: Extent, other: Extent) -> _Finding:
    result = standing(one, other)
    if result == "different":
        # A megabyte is 1,000 or, to many, 1,024 kilobytes.
        binary = [
            _read_extent(value.kind, binary_unit(value.unit), value.cmp, value.n)
            for value in (a, b)
        ]
        if binary[0] and binary[1] and standing(binary[0], binary[1]) == "same":
            return "undecided"
    return result


def _money(a: Value, b: Value) -> _Finding:
    """Amounts; two currencies may come to the same price, tax may make one of two numbers (R15)."""
    one, other = _extent(a), _extent(b)
    if one is None or other is None:
        is_equal = (a.unit, a.cmp, a.n) == (b.unit, b.cmp, b.n)
        return "same" if is_equal else "undecided"
    if a.unit != b.unit:
        zeros = [
            extent.is_point and extent.low is not None and not extent.low.at
            for extent in (one, other)
        ]
        if all(zeros):
            return "same"
        return "different" if any(zeros) else "undecided"
    result = standing(one, other)
    taxes = {a.qual, b.qual}
    if "tax_excl" not in taxes or taxes == {"tax_excl"}:
        return result
    if one.is_point and one == other and one.low is not None and not one.low.at:
        return "same"
    if "tax_incl" in taxes:
        shares = {bound.at for bound in (one.low, one.high) if bound} & {
            bound.at for bound in (other.low, other.high) if bound
        }
        return "different" if shares else "undecided"
    return "undecided" if taxes == {"tax_excl", None} else result


def _beside(claimed: Value, found: Value) -> _Finding:
    """What stands beside the numbers: anchor, qualifier, start of counting."""
    return _combined(_anchors(claimed, found), _qualifiers(claimed, found), _starts(claimed, found))


def _named(claimed: str | None, found: str | None) -> _Finding:
    if claimed == found:
        return "same"
    if claimed and found:
        return "different"
    return "claimed_names_more" if claimed else "found_names_more"


def _anchors(claimed: Value, found: Value) -> _Finding:
    if claimed.anchor != found.anchor and {claimed.anchor, found.anchor} <= _MAY_BE_ONE_MONTH:
        return "undecided"
    return _named(claimed.anchor, found.anchor)


def _qualifiers(claimed: Value, found: Value) -> _Finding:
    one, other = (None if qual in _TAXES else qual for qual in (claimed.qual, found.qual))
    finding = _named(one, other)
    if finding in {"same", "different"}:
        return finding
    if claimed.kind == "ratio" and _is_half(claimed) and _is_half(found):
        return "same"
    # 2回目 is no closer telling of 2回, nor 翌月の5営業日後 of 翌月5営業日
    if "ordinal" in (one, other) or claimed.kind == "deadline":
        return "undecided"
    return finding


def _is_half(value: Value) -> bool:
    extent = _extent(value)
    return (
        extent is not None
        and extent.is_point
        and extent.low is not None
        and extent.low.at == Fraction(1, 2)
        and value.qual in {"off", None}
    )


def _starts(claimed: Value, found: Value) -> _Finding:
    one, other = (
        _SAME_START.get(start, start) if start else None
        for start in (claimed.counted_from, found.counted_from)
    )
    return _named(one, other)
