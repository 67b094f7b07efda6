"""Reciprocal rank: 1 / position of the first slot that covers a gold group; 0 if none does.

Formula: RR = 1 / smallest rank
Source: Voorhees, The TREC-8 Question Answering Track Report (1999); trec_eval `recip_rank`; R2
Gives: retrieval_measures (reciprocal_rank); reciprocal_rank@k at any k, computed
Needs: `case.evidence`, `log.retrieved`
Absent: `case.evidence`: null; `log.retrieved`: 0; ranks, where they are unmeasured: null
"""

from __future__ import annotations

import polars as pl


def reciprocal_rank(ranks: pl.Expr, k: int | None = None) -> pl.Expr:
    """Reciprocal rank of a column of ranks (list of positions from 1, null = not found).

    With `k`, slots after the k-th do not count. Null where ranks are null or empty.
    """
    first = ranks.list.min()
    if k is not None:
        first = pl.when(first <= k).then(first)
    return pl.when(ranks.list.len() > 0).then((1.0 / first).fill_null(0.0))
