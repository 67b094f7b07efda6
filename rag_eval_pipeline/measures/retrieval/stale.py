"""Stale share: slots of documents that are outdated on the judged day / slots.

Outdated is what is past its last valid day, marked superseded or expired, or superseded by a
document that is valid on that day. The judged day is the case's `as_of`, else the day the question
was asked, else the day of the freeze, else the day the run was first read.

The share is judged on the snapshot the run's index was built from where that is held, else on the
pinned one (see the holes). A cited document (stale_source) is outdated by the pinned snapshot, or
where the index holds an older version of what is cited: another text, valid from an earlier day
than the pinned one, once the pinned one holds.

Formula: stale share = slots of outdated documents / slots
Source: R7
Gives: retrieval_measures (n_stale, stale_ids, stale_source); stale share, computed
Needs: `document.effective_until`, `document.lifecycle`, `document.supersedes`, `case.as_of`,
  `log.started_at`, `log.retrieved`, `log.source`
Absent:
- the knowledge base, or nine tenths of the run's ids in it: n_stale and the share are null
- `document.effective_until`, `document.lifecycle`, `document.supersedes`: it is not outdated
- `case.as_of`: the day the question was asked
- `case.as_of` and `log.started_at`: the day of the freeze, else the day the run was first read
- `log.retrieved`: n_stale is 0, the share null
- `log.source`: stale_source is null
"""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]


def stale_share(n_stale: pl.Expr, n_retrieved: pl.Expr) -> pl.Expr:
    """Share of slots in [0, 1]; null where nothing was retrieved, or without a snapshot."""
    return pl.when(n_retrieved > 0).then(n_stale / n_retrieved)


def stale_slots(
    retrieved: pl.DataFrame, judged: pl.DataFrame, outdated: pl.DataFrame
) -> pl.DataFrame:
    """Items that retrieved outdated documents.

    Parameters
    ----------
    retrieved
        run_id, case_id, trial, position, evidence_id, doc_id of the table.
    judged
        run_id, case_id, trial, judged_on: the day validity is judged on.
    outdated
        judged_on, doc_id (`knowledge.validity.outdated_documents`).

    Returns
    -------
    run_id, case_id, trial, n_stale, stale_ids (each once, as ranked); only items that have some.
    """
    return (
        retrieved.select(*ITEM, "position", "evidence_id", "doc_id")
        .filter(pl.col("doc_id").is_in(outdated["doc_id"].unique().implode()))
        .join(judged.select(*ITEM, "judged_on"), on=ITEM)
        .join(outdated, on=["judged_on", "doc_id"], how="semi")
        .sort("position")
        .group_by(ITEM)
        .agg(
            n_stale=pl.len().cast(pl.Int64),
            stale_ids=pl.col("evidence_id").unique(maintain_order=True),
        )
    )
