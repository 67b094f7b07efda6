"""A value on its way: what stands around the number is added step by step."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(slots=True)
class Core:
    """A number with its unit, before comparator, qualifier and anchor are read.

    `n` is the number, or text where the value is no plain number (dates, times, `end`). `high` is
    the upper end of a range; `text_start` and `text_end` span the normal text.
    """

    kind: str
    unit: str
    n: Fraction | str
    start: int
    end: int
    rule: str
    cmp: str = "eq"
    qual: str | None = None
    anchor: str | None = None
    counted_from: str | None = None
    high: Fraction | str | None = None
    high_unit: str | None = None
    open_low: bool = False
    open_high: bool = False
    # Where the number itself stands: `start` and `end` grow with what is read around it.
    number_start: int = -1
    # A comparator was read; `bound_after`: the one that follows the value.
    bound: bool = False
    bound_after: bool = False
