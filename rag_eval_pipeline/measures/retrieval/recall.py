"""Recall at k: gold groups covered in the first k slots / gold groups.

What the ranking lacks counts as missed. A slot that covers two groups covers both.

Formula: recall@k = groups with a rank of at most k / groups
Source: trec_eval `recall_k`, the same with one id per group; R2
Gives: recall@k at any k, computed from the stored ranks
Needs: `case.evidence`, `log.retrieved`
Absent: `case.evidence`: null; `log.retrieved`: 0
"""

from __future__ import annotations

import polars as pl


def recall(ranks: pl.Expr, k: int | None = None) -> pl.Expr:
    """Recall at k of a column of ranks (list of positions from 1, null = not found).

    Without `k` the whole ranking counts. Null where ranks are null or empty.
    """
    groups = ranks.list.len()
    return pl.when(groups > 0).then(covered(ranks, k) / groups)


def covered(ranks: pl.Expr, k: int | None = None) -> pl.Expr:
    """Gold groups covered in the first k slots; null where ranks are null."""
    counted = pl.element().is_not_null() if k is None else pl.element() <= k
    return ranks.list.agg(counted.sum())
