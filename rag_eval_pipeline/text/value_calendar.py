"""Dates and times of day as extents: precision, missing years, fiscal years, hours past midnight.

A date is the span of days it may mean: 2026年4月 the thirty days of April. A comparator takes the
end it speaks of: 2026年4月以降 and 2026年4月1日以降 are the same days.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from rag_eval_pipeline.text.value_extents import (
    Bound,
    Extent,
    Standing,
    extent_between,
    range_ends,
    standing,
)

# Beside the three standings: the same, but one side tells more (its year, month or day).
CalendarStanding = Standing | Literal["a_tells_more", "b_tells_more"]

_TOKEN = re.compile(
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?)?"
    r"|--(?P<m>[0-9]{2})(?:-(?P<d>[0-9]{2}))?"
    r"|(?P<bare>[0-9]{1,2})"
)
_CLOCK = re.compile(
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])(?:\.0+)?)?"
)
# Dates without a year are laid into a leap year, so that 29 February is one of them.
_ANY_YEAR = 2024
_YEARLY_LINE, _DAY_LINE, _CLOCK_LINE, _FISCAL_LINE = "day of year", "date", "time", "fiscal year"
_DAY_SECONDS = 24 * 3600
_NEAR_DAYS = Fraction(10)
_NEAR_SECONDS = Fraction(30 * 60)


@dataclass(frozen=True, slots=True)
class _Day:
    """A date as far as it is told; without month it is a year, without year it recurs."""

    year: int | None
    month: int | None
    day: int | None

    def span(self) -> tuple[Bound, Bound] | None:
        """First and last day it may mean; None for a day that no calendar has."""
        year = _ANY_YEAR if self.year is None else self.year
        first_month, last_month = self.month or 1, self.month or 12
        try:
            first = date(year, first_month, self.day or 1)
            last_day = self.day or calendar.monthrange(year, last_month)[1]
            last = date(year, last_month, last_day)
        except ValueError:
            return None
        line = _YEARLY_LINE if self.year is None else _DAY_LINE
        return Bound(line, Fraction(first.toordinal())), Bound(line, Fraction(last.toordinal()))


@dataclass(frozen=True, slots=True)
class CalendarValue:
    """A date value as read: its comparator, one day or the two ends of a range."""

    cmp: str
    days: tuple[_Day, ...]
    is_fiscal: bool
    low_open: bool = False
    high_open: bool = False

    @property
    def has_year(self) -> bool:
        """Is the year told?"""
        return all(day.year is not None for day in self.days)

    @property
    def has_month(self) -> bool:
        """Is the month told?"""
        return all(day.month is not None for day in self.days)

    def without_year(self) -> CalendarValue:
        """The same month and day of any year."""
        return replace(self, days=tuple(replace(day, year=None) for day in self.days))

    def extent(self) -> Extent | None:
        """The days covered, open bounds as the closed ones they equal (days come in wholes)."""
        spans = [day.span() for day in self.days]
        first, last = spans[0], spans[-1]
        if first is None or last is None:
            return None
        if self.cmp == "range":
            low = first[1] if self.low_open else first[0]
            high = last[0] if self.high_open else last[1]
            extent: Extent | None = Extent(
                replace(low, at=low.at + self.low_open), replace(high, at=high.at - self.high_open)
            )
        else:
            extent = extent_between(self.cmp, *first)
        if extent is None:
            return None
        low_bound, high_bound = extent.low, extent.high
        if low_bound and low_bound.is_open:
            low_bound = Bound(low_bound.line, low_bound.at + 1)
        if high_bound and high_bound.is_open:
            high_bound = Bound(high_bound.line, high_bound.at - 1)
        extent = replace(extent, low=low_bound, high=high_bound)
        is_vague = extent.form == "exact" and self.cmp == "eq" and not extent.is_point
        return replace(extent, form="vague") if is_vague else extent


@lru_cache(maxsize=8192)
def read_date(unit: str, cmp: str, n: str) -> CalendarValue | None:
    """A date value from its canonical text; None for a text that is no date."""
    ends = range_ends(n) if cmp == "range" else (n, False, n, False)
    if ends is None:
        return None
    low, low_open, high, high_open = ends
    first, last = _day(unit, low), _day(unit, high)
    if first is None or last is None:
        return None
    days = (first, last) if cmp == "range" else (first,)
    return CalendarValue(cmp, days, unit == "fiscal_year", low_open, high_open)


def _day(unit: str, text: str) -> _Day | None:
    found = _TOKEN.fullmatch(text)
    if found is None:
        return None
    parts = {name: int(part) for name, part in found.groupdict().items() if part is not None}
    if "bare" in parts:
        return _Day(None, parts["bare"], None) if unit in {"month", ""} else None
    return _Day(
        parts.get("year"), parts.get("month", parts.get("m")), parts.get("day", parts.get("d"))
    )


def compare_dates(a: CalendarValue, b: CalendarValue, *, by: bool = False) -> CalendarStanding:
    """How two dates stand.

    Parameters
    ----------
    a, b
        The dates.
    by
        A deadline is meant: on 4月1日 is by 4月1日.

    Returns
    -------
    CalendarStanding
        a_tells_more and b_tells_more where one says all that the other says and more: the year
        to a month and day, the day to a month. A fiscal year overlaps two calendar years:
        undecided against both.
    """
    if by:
        a, b = _as_deadline(a), _as_deadline(b)
    if a.is_fiscal or b.is_fiscal:
        return _compare_fiscal(a, b)
    if a.has_year != b.has_year:
        return _compare_across_years(a, b)
    one, other = a.extent(), b.extent()
    if one is None or other is None:
        return "same" if a == b else "undecided"
    if a.cmp == b.cmp == "eq":
        return _compare_days(one, other)
    return standing(one, other, near=_NEAR_DAYS)


def _as_deadline(value: CalendarValue) -> CalendarValue:
    return replace(value, cmp="le") if value.cmp == "eq" else value


def _compare_days(a: Extent, b: Extent) -> CalendarStanding:
    if a == b:
        return "same"
    if _holds(a, b):
        return "b_tells_more"
    if _holds(b, a):
        return "a_tells_more"
    return "different"


def _holds(outer: Extent, inner: Extent) -> bool:
    return bool(
        outer.low
        and inner.low
        and outer.high
        and inner.high
        and outer.low.at <= inner.low.at
        and inner.high.at <= outer.high.at
    )


def _compare_across_years(a: CalendarValue, b: CalendarValue) -> CalendarStanding:
    """One side leaves the year open: months and days decide, as far as both tell them."""
    if not (a.has_month and b.has_month):
        return "undecided"
    result = compare_dates(a.without_year(), b.without_year())
    told_by_a, told_by_b = (
        a.has_year or result == "a_tells_more",
        b.has_year or (result == "b_tells_more"),
    )
    if result in {"different", "undecided"}:
        return result
    if told_by_a and told_by_b:
        return "undecided"
    return "a_tells_more" if told_by_a else "b_tells_more"


def _compare_fiscal(a: CalendarValue, b: CalendarValue) -> CalendarStanding:
    one, other = _years(a), _years(b)
    if one is None or other is None:
        return "undecided"
    if a.is_fiscal and b.is_fiscal:
        return standing(one, other, near=Fraction(0))
    is_apart = (
        one.is_point
        and other.is_point
        and one.low is not None
        and other.low is not None
        and abs(one.low.at - other.low.at) > 1
    )
    return "different" if is_apart else "undecided"


def _years(value: CalendarValue) -> Extent | None:
    """A value on the line of its years alone."""
    first, last = value.days[0].year, value.days[-1].year
    if first is None or last is None:
        return None
    low, high = Bound(_FISCAL_LINE, Fraction(first)), Bound(_FISCAL_LINE, Fraction(last))
    return Extent(low, high) if value.cmp == "range" else extent_between(value.cmp, low, high)


def read_time(cmp: str, n: str) -> Extent | None:
    """A time of day, `17:00` or `10:00~18:00`; hours past midnight (25:00) are those of the day."""
    if cmp != "range":
        at = _clock(n)
        return extent_between(cmp, at, at) if at else None
    ends = range_ends(n)
    if ends is None:
        return None
    low, high = _clock(ends[0]), _clock(ends[2])
    if low is None or high is None:
        return None
    return Extent(replace(low, is_open=ends[1]), replace(high, is_open=ends[3]))


def _clock(text: str) -> Bound | None:
    found = _CLOCK.fullmatch(text)
    if found is None or int(found["hour"]) > 36:
        return None
    seconds = int(found["hour"]) * 3600 + int(found["minute"]) * 60 + int(found["second"] or 0)
    return Bound(_CLOCK_LINE, Fraction(seconds % _DAY_SECONDS))


def compare_times(a: Extent, b: Extent) -> Standing:
    """How two times of day stand; half an hour is near an approximate one."""
    return standing(a, b, near=_NEAR_SECONDS)
