"""Markdown that shows hostile text as text: no HTML, no links, no broken tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

import polars as pl

CELL_LENGTH = 160
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~$:@&-])")
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


def escape(text: str) -> str:
    """The text on one line, every character that Markdown or HTML reads escaped."""
    return _SPECIAL.sub(_entity, _INVISIBLE.sub(" ", text))


def cell(value: object, length: int = CELL_LENGTH) -> str:
    """A value for a table cell: null is an en dash, numbers are plain, text is escaped and cut."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, list | tuple | pl.Series):
        value = ", ".join(str(each) for each in value)
    text = str(value)
    return escape(text if len(text) <= length else text[: length - 1] + "…")


def table(frame: pl.DataFrame, columns: Iterable[str] | None = None) -> str:
    """A frame as a Markdown table; `none` where it has no rows."""
    names = list(columns) if columns is not None else frame.columns
    if frame.is_empty():
        return "none"
    lines = [
        "| " + " | ".join(escape(name) for name in names) + " |",
        "|" + " --- |" * len(names),
    ]
    lines += [
        "| " + " | ".join(cell(value) for value in row) + " |"
        for row in frame.select(names).iter_rows()
    ]
    return "\n".join(lines)


def _entity(found: re.Match[str]) -> str:
    character = found.group()
    # Entities survive renderers that drop backslashes; common marks stay readable in source.
    return f"\\{character}" if character in "-_#()+!." else f"&#{ord(character)};"
