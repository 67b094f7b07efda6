"""Markdown that shows hostile text as text: no HTML, no links, no broken tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator

import polars as pl

from rag_eval_pipeline.report.blocks import Block, Bullets, Folded, Heading, Rows, Sentence
from rag_eval_pipeline.report.words import CELL_LENGTH, shown

# What means something wherever it stands, then what does in some places only: an underscore at the
# edge of a word, a colon or @ that makes a link, a mention or a picture, a mark that opens a block.
_SPECIAL = re.compile(
    r"""[\\`*{}\[\]<>|~$&]
        | (?<![^\W_])_ | _(?![^\W_])
        | :(?=\S) | (?<!\w)@ | @(?=[\w-]*\.)
        | (?<=www)\.
        | ^\s*[-=\#] | ^\s*(?:\+|\d+[.)])(?=\s|$)""",
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
    text = shown(value, length)
    plain = value is None or isinstance(value, bool | int | float | dt.datetime)
    return text if plain else escape(text)


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


def page(blocks: Iterable[Block]) -> str:
    """Blocks as a Markdown document; of a picture its words."""
    return "\n\n".join(_parts(blocks)) + "\n"


def _parts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            yield f"{'#' * block.level} {escape(block.text)}"
        elif isinstance(block, Sentence):
            yield f"**{escape(block.text)}**" if block.loud else escape(block.text)
        elif isinstance(block, Bullets):
            yield "\n".join(f"- {escape(item)}" for item in block.items)
        elif isinstance(block, Rows):
            yield table(block.frame)
        elif isinstance(block, Folded):
            yield f"{escape(block.summary)}:"
            yield from _parts(block.inside)
        else:
            yield escape(block.picture.text) + "."


def _entity(found: re.Match[str]) -> str:
    """Entities survive renderers that drop backslashes; the last character is the one that acts."""
    marked = found.group()
    return f"{marked[:-1]}&#{ord(marked[-1])};"
