"""What a report is made of, before it is Markdown or HTML; all text is plain, none is escaped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import polars as pl

from rag_eval_pipeline.report.plots import Picture


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the title of the report."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph; `loud` where it must not be overlooked."""

    text: str
    loud: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of plain texts."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table; the headings are the names of the columns."""

    frame: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture with its words."""

    picture: Picture


@dataclass(frozen=True, slots=True)
class Folded:
    """Blocks that are put away behind a sentence until somebody asks for them."""

    summary: str
    inside: tuple[Block, ...]


Block: TypeAlias = Heading | Sentence | Bullets | Rows | Plot | Folded
