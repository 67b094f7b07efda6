"""What an evidence id points at: its document and section part (R2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

RESOLVED = {
    "evidence_id": pl.String,
    "doc_id": pl.String,
    "section_id": pl.String,
    "resolved": pl.Boolean,
}


@dataclass(frozen=True, slots=True)
class KnownIds:
    """Ids of a snapshot; `held` is False where there is no knowledge base at all."""

    documents: frozenset[str]
    sections: frozenset[tuple[str, str]]
    held: bool

    @classmethod
    def of(cls, sections: pl.DataFrame, documents: pl.DataFrame) -> KnownIds:
        """Ids of the tables `sections` and `documents` of one dataset version."""
        pairs = sections.filter(pl.col("section_id").is_not_null()).select("doc_id", "section_id")
        return cls(
            documents=frozenset(documents["doc_id"]),
            sections=frozenset(pairs.iter_rows()),
            held=documents.height > 0,
        )


def split_id(evidence_id: str, known: KnownIds) -> tuple[str, str | None, bool | None]:
    """Document part, section part and whether the snapshot has it (None without a snapshot).

    An exact doc_id comes first, since doc_ids may hold `#`; then the longest doc_id followed by
    `#` and one of its section ids; else the id is split at its last `#` and is unresolved.
    """
    if evidence_id in known.documents:
        return evidence_id, None, True
    cut = evidence_id.rfind("#")
    while cut > 0:
        document, section = evidence_id[:cut], evidence_id[cut + 1 :]
        if (document, section) in known.sections:
            return document, section, True
        cut = evidence_id.rfind("#", 0, cut)
    document, mark, section = evidence_id.rpartition("#")
    unresolved = False if known.held else None
    if not mark or not document or not section:
        return evidence_id, None, unresolved
    return document, section, unresolved


def resolve(evidence_ids: Iterable[str | None], known: KnownIds) -> pl.DataFrame:
    """One row per distinct id: evidence_id, doc_id, section_id, resolved."""
    distinct = sorted({each for each in evidence_ids if each is not None})
    return pl.DataFrame(
        [(each, *split_id(each, known)) for each in distinct], schema=RESOLVED, orient="row"
    )
