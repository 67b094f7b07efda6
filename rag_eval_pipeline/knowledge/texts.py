"""Hashes of the snapshot's texts, by what an evidence id points at."""

from __future__ import annotations

import polars as pl


def text_hashes(
    documents: pl.DataFrame, sections: pl.DataFrame
) -> dict[tuple[str, str | None], str]:
    """sha256 by (doc_id, section_id); section_id None stands for the document as a whole.

    `documents` and `sections` are the tables of one dataset version.
    """
    named = sections.filter(pl.col("section_id").is_not_null())
    hashes: dict[tuple[str, str | None], str] = {
        (document, section): sha256
        for document, section, sha256 in named.select("doc_id", "section_id", "sha256").iter_rows()
    }
    hashes.update(
        ((document, None), sha256)
        for document, sha256 in documents.select("doc_id", "sha256").iter_rows()
    )
    return hashes
