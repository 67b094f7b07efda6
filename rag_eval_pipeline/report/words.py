"""Values as people read them, plain text that is not escaped."""

from __future__ import annotations

import datetime as dt

import polars as pl

CELL_LENGTH = 160
WHOLE = 10_000
"""From here on a number is shown without decimals; four digits would hide whole ones."""
_MINUS = "−"


def shown(value: object, length: int = CELL_LENGTH) -> str:
    """A value of a table: null is an en dash, numbers are plain, text is cut."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= WHOLE else f"{value:.4g}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, list | tuple | pl.Series):
        value = ", ".join(str(each) for each in value)
    text = str(value)
    return text if len(text) <= length else text[: length - 1] + "…"


def percent(share: float) -> str:
    """A share as percent with one decimal."""
    return f"{share * 100:.1f} %"


def signed(points: float) -> str:
    """Points with sign, a true minus and one decimal; what rounds to 0 has no sign."""
    text = f"{abs(points):.1f}"
    if float(text) == 0:
        return "0.0"
    return ("+" if points > 0 else _MINUS) + text


def instant(column: str) -> pl.Expr:
    """A column of instants as text to the minute, in UTC."""
    return pl.col(column).dt.strftime("%Y-%m-%d %H:%M UTC")
