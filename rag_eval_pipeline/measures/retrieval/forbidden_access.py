"""Forbidden-access share: slots of documents the asker's roles may not read / slots.

A document without `access` is open to all.

Formula: forbidden share = slots of documents whose `access` holds none of the roles / slots
Source: R3
Gives: retrieval_measures (n_forbidden, forbidden_ids); forbidden share, computed
Needs: `case.user_roles`, `document.access`, `log.retrieved`
Absent:
- `case.user_roles`: null, the case is not checked
- `document.access`: the document is open to all
- the knowledge base, or nine tenths of the run's ids in it: null
- `log.retrieved`: n_forbidden is 0, the share null
"""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]


def forbidden_share(n_forbidden: pl.Expr, n_retrieved: pl.Expr) -> pl.Expr:
    """Share of slots in [0, 1]; null where nothing was retrieved or nothing was checked."""
    return pl.when(n_retrieved > 0).then(n_forbidden / n_retrieved)


def forbidden_slots(
    retrieved: pl.DataFrame, items: pl.DataFrame, documents: pl.DataFrame
) -> pl.DataFrame:
    """Items that retrieved documents their asker may not read.

    Parameters
    ----------
    retrieved
        run_id, case_id, trial, position, evidence_id, doc_id of the table.
    items
        run_id, case_id, trial, user_roles.
    documents
        doc_id, access of the table.

    Returns
    -------
    run_id, case_id, trial, n_forbidden, forbidden_ids (each once, as ranked); only items that have
    some.
    """
    closed = documents.filter(pl.col("access").list.len() > 0).select("doc_id", "access")
    asked = items.filter(pl.col("user_roles").list.len() > 0).select(*ITEM, "user_roles")
    return (
        retrieved.select(*ITEM, "position", "evidence_id", "doc_id")
        .join(closed, on="doc_id")
        .join(asked, on=ITEM)
        .filter(pl.col("access").list.set_intersection("user_roles").list.len() == 0)
        .sort("position")
        .group_by(ITEM)
        .agg(
            n_forbidden=pl.len().cast(pl.Int64),
            forbidden_ids=pl.col("evidence_id").unique(maintain_order=True),
        )
    )
