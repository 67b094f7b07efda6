"""Markdown that shows hostile text as text: no HTML, no links, no broken tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

import polars as pl

CELL_LENGTH = 160
# What means something wherever it stands, then what does in some places only: an underscore at the
# edge of a word, a colon or @ that makes a link, a mention or a picture, a mark that opens a block.
_SPECIAL = re.compile(
    r"""[\\`*{}\[\]<>|~$&]
        | (?<![^\W_])_ | _(?![^\W_])
        | :(?=\S) | (?<!\w)@ | @(?=[\w-]*\.)
        | (?<=www)\.
        | ^\s*[-+=\#] | ^\s*\d+[.)]""",
    re.IGNORECASE | re.VERBOSE,
)
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]+"
)


def escape(text: str) -> str:
    """The text on one line, every character that Markdown or HTML would act on escaped."""
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
    """Entities survive renderers that drop backslashes; the last character is the one that acts."""
    marked = found.group()
    return f"{marked[:-1]}&#{ord(marked[-1])};"
