"""Hit at k: 1 if a gold group is covered in the first k slots, else 0.

Formula: hit@k = 1 if the smallest rank is at most k, else 0
Source: trec_eval `success_k`; R2
Gives: hit@k at any k, computed from the stored ranks
Needs: `case.evidence`, `log.retrieved`
Absent: `case.evidence`: null; `log.retrieved`: 0
"""

from __future__ import annotations

import polars as pl


def hit(ranks: pl.Expr, k: int | None = None) -> pl.Expr:
    """Hit at k of a column of ranks (list of positions from 1, null = not found).

    Without `k` the whole ranking counts. Null where ranks are null or empty.
    """
    covered = pl.element().is_not_null() if k is None else pl.element() <= k
    found = ranks.list.agg(covered.any())
    return pl.when(ranks.list.len() > 0).then(found.cast(pl.Float64))
