"""Ranks of the gold evidence groups: the stored facts every rank measure follows from.

A group is covered at the first position whose id matches one of its alternatives. Ids match

- `section`: when the whole evidence ids are equal;
- `document`: when their document parts are;
- `paired` (R12): when the document parts are equal and, where both name a section, the sections.

Positions are those of the logged ranking, so a repeated id keeps its place and earns nothing.
"""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]
RANKINGS = ("group_ranks", "section_ranks", "document_ranks")


def group_ranks(
    items: pl.DataFrame, retrieved: pl.DataFrame, evidence: pl.DataFrame
) -> pl.DataFrame:
    """Where each gold group of each run item was ranked.

    Parameters
    ----------
    items
        run_id, case_id, trial: the items to measure.
    retrieved
        The table `retrieved` of those items.
    evidence
        The table `case_evidence` of their dataset version.

    Returns
    -------
    run_id, case_id, trial, n_groups, n_retrieved, n_duplicates, level, and three lists with one
    entry per group in order of group_no, null where the group was not retrieved: group_ranks
    (paired), section_ranks, document_ranks. Without gold the lists are empty and level is null.
    """
    slots = retrieved.group_by(ITEM).agg(
        n_retrieved=pl.len(),
        n_duplicates=pl.len() - pl.col("evidence_id").n_unique(),
    )
    return (
        items.select(ITEM)
        .join(slots, on=ITEM, how="left", maintain_order="left")
        .join(_ranks(items, retrieved, evidence), on=ITEM, how="left", maintain_order="left")
        .join(
            _levels(retrieved, evidence),
            on=["run_id", "case_id"],
            how="left",
            maintain_order="left",
        )
        .with_columns(
            pl.col("n_retrieved", "n_duplicates", "n_groups").fill_null(0).cast(pl.Int64),
            *(pl.col(name).fill_null([]).cast(pl.List(pl.Int64)) for name in RANKINGS),
            # Gold exists but the run retrieved nothing: documents are all there is to speak of.
            level=pl.when(pl.col("n_groups") > 0).then(pl.col("level").fill_null("document")),
        )
    )


def _ranks(items: pl.DataFrame, retrieved: pl.DataFrame, evidence: pl.DataFrame) -> pl.DataFrame:
    # Small gold is spread over the items; large `retrieved` is only probed by document.
    gold = evidence.select(
        "case_id", "group_no", "evidence_id", "doc_id", gold_section=pl.col("section_id")
    )
    wanted = items.select(ITEM).join(gold, on="case_id", maintain_order="left")
    slots = retrieved.select(
        *ITEM, "doc_id", "position", found=pl.col("evidence_id"), found_section=pl.col("section_id")
    )
    position = pl.col("position")
    return (
        wanted.join(slots, on=[*ITEM, "doc_id"], how="left", maintain_order="left")
        .group_by([*ITEM, "group_no"])
        .agg(
            section_ranks=position.filter(pl.col("found") == pl.col("evidence_id")).min(),
            document_ranks=position.min(),
            group_ranks=position.filter(
                pl.col("gold_section").is_null()
                | pl.col("found_section").is_null()
                | (pl.col("gold_section") == pl.col("found_section"))
            ).min(),
        )
        .sort([*ITEM, "group_no"])
        .group_by(ITEM, maintain_order=True)
        .agg(*RANKINGS, n_groups=pl.len())
    )


def _levels(retrieved: pl.DataFrame, evidence: pl.DataFrame) -> pl.DataFrame:
    """R2 `auto`: section when both the case's gold and the run's ids have sections."""
    gold = evidence.group_by("case_id").agg(gold_sections=pl.col("section_id").is_not_null().all())
    runs = retrieved.group_by("run_id").agg(run_sections=pl.col("section_id").is_not_null().any())
    section = pl.col("gold_sections") & pl.col("run_sections")
    return gold.join(runs, how="cross").select(
        "run_id",
        "case_id",
        level=pl.when(section).then(pl.lit("section")).otherwise(pl.lit("document")),
    )
