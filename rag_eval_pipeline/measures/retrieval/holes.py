"""Holes: slots whose id the knowledge base does not have / slots.

The knowledge base is the snapshot the run's index was built from where that is held, else the
pinned one, and `index_basis` says which.

The index was built from something else than the documents the gold is judged on, so nothing can be
said of such a slot. A run with hardly a known id is not a run of misses: its ids are of another
kind, and its gold is looked for by text (R5).

Formula: hole share = slots with an unknown id / slots
Source: Azure AI evaluation names them so (holes are ids without a judgement there); R7
Gives: retrieval_measures (n_unresolved, index_basis); hole share, computed
Needs: `document.doc_id`, `log.retrieved`, `log.indexed_snapshot`
Absent: `document.doc_id`: null; `log.retrieved`: n_unresolved is 0, the share null;
  `log.indexed_snapshot`: index_basis is index_unknown, and the pinned snapshot is taken
"""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]
RESOLVED_AT_LEAST = 0.1
"""Share of a run's distinct ids the snapshot must have for its ranks to be measured by ids."""


def hole_share(n_unresolved: pl.Expr, n_retrieved: pl.Expr) -> pl.Expr:
    """Share of slots in [0, 1]; null where nothing was retrieved, or without a snapshot."""
    return pl.when(n_retrieved > 0).then(n_unresolved / n_retrieved)


def unresolved_ids(
    retrieved: pl.DataFrame, documents: pl.DataFrame, sections: pl.DataFrame
) -> pl.DataFrame:
    """Distinct retrieved ids of each run, and whether the snapshot lacks them.

    `retrieved`, `documents` and `sections` are the tables of those names. Returns run_id,
    evidence_id, unresolved.
    """
    known = pl.concat(
        [
            documents.select("doc_id", section_id=pl.lit(None, pl.String)),
            sections.select("doc_id", "section_id"),
        ]
    ).unique()
    ids = retrieved.select("run_id", "evidence_id", "doc_id", "section_id").unique()
    return ids.join(
        known.with_columns(unresolved=pl.lit(value=False)),
        on=["doc_id", "section_id"],
        how="left",
        nulls_equal=True,
    ).select("run_id", "evidence_id", pl.col("unresolved").fill_null(value=True))


def runs_with_other_ids(ids: pl.DataFrame) -> pl.Series:
    """Runs of which the snapshot has under a tenth of the distinct ids.

    `ids` comes from `unresolved_ids`.
    """
    resolved = ids.group_by("run_id").agg(share=(~pl.col("unresolved")).mean())
    return resolved.filter(pl.col("share") < RESOLVED_AT_LEAST)["run_id"].sort()


def holes(retrieved: pl.DataFrame, ids: pl.DataFrame) -> pl.DataFrame:
    """run_id, case_id, trial, n_unresolved of the items with a hole; `ids` as above."""
    lacking = ids.filter("unresolved")
    return (
        retrieved.select(*ITEM, "evidence_id")
        .join(lacking, on=["run_id", "evidence_id"], how="semi")
        .group_by(ITEM)
        .agg(n_unresolved=pl.len().cast(pl.Int64))
    )
