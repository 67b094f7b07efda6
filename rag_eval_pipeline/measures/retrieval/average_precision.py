"""Average precision: the precision at each slot that earns, summed and divided by the gold groups.

A slot earns when it covers a gold group not yet covered; one that covers two earns once. What the
ranking lacks counts as missed.

Formula: AP@k = Σ (i / position of the i-th slot that earns, up to k) / groups
Source: trec_eval `map` and `map_cut_k`, the same with one id per group; R2
Gives: average_precision@k at any k, computed from the stored ranks
Needs: `case.evidence`, `log.retrieved`
Absent: `case.evidence`: null; `log.retrieved`: 0
"""

from __future__ import annotations

import polars as pl


def average_precision(ranks: pl.Expr, k: int | None = None) -> pl.Expr:
    """Average precision of a column of ranks (list of positions from 1, null = not found).

    With `k`, slots after the k-th do not count. Null where ranks are null or empty.
    """
    position = pl.element()
    if k is not None:
        position = pl.when(position <= k).then(position)
    distinct = position.drop_nulls().unique()
    places = pl.int_ranges(1, ranks.list.agg(distinct.len()) + 1)
    precision = places / ranks.list.agg(distinct.sort())
    groups = ranks.list.len()
    return pl.when(groups > 0).then(precision.list.sum() / groups)
