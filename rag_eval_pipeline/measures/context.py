"""The context an answer was given from: the texts of the retrieved slots (R6).

A slot's text is the logged one, else the snapshot's text of its id; a slot with neither is not
known, and what is not found elsewhere may stand in it.
"""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]


def snapshot_texts(sections: pl.DataFrame) -> pl.DataFrame:
    """Text by what an id points at.

    `sections` is the table of that name. Returns doc_id, section_id, snapshot_text: one row a
    section, and one with section_id null for the document as a whole, its sections in order.
    """
    text = pl.concat_str("heading", "text", separator="\n", ignore_nulls=True)
    read = sections.select("doc_id", "section_id", snapshot_text=text)
    whole = read.group_by("doc_id", maintain_order=True).agg(
        section_id=pl.lit(None, pl.String),
        snapshot_text=pl.col("snapshot_text").str.join("\n"),
    )
    return pl.concat([read.filter(pl.col("section_id").is_not_null()), whole])


def contexts(
    retrieved: pl.DataFrame, sections: pl.DataFrame, outdated: pl.DataFrame
) -> pl.DataFrame:
    """The retrieved slots with their texts.

    Parameters
    ----------
    retrieved
        run_id, case_id, trial, position, evidence_id, doc_id, section_id, text of the table.
    sections
        The table `sections` of the snapshot; empty without one.
    outdated
        run_id, case_id, trial, doc_id: documents that are outdated on the item's day.

    Returns
    -------
    run_id, case_id, trial, position, evidence_id, doc_id, section_id, text (null where it is not
    known), text_from (logged, snapshot or null), outdated.
    """
    held = snapshot_texts(sections)
    return (
        retrieved.join(
            held, on=["doc_id", "section_id"], how="left", nulls_equal=True, maintain_order="left"
        )
        .join(
            outdated.select(*ITEM, "doc_id").unique().with_columns(outdated=pl.lit(value=True)),
            on=[*ITEM, "doc_id"],
            how="left",
            maintain_order="left",
        )
        .select(
            *ITEM,
            "position",
            "evidence_id",
            "doc_id",
            "section_id",
            text=pl.coalesce("text", "snapshot_text"),
            text_from=pl.when(pl.col("text").is_not_null())
            .then(pl.lit("logged"))
            .when(pl.col("snapshot_text").is_not_null())
            .then(pl.lit("snapshot")),
            outdated=pl.col("outdated").fill_null(value=False),
        )
    )
