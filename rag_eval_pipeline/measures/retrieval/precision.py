"""Precision at k: slots among the first k that earn / k, beside the most that can be reached.

A slot earns when it covers a gold group not yet covered; one that covers two earns once. The
divisor is k also where fewer were retrieved, so with few gold groups precision cannot reach 1: read
it beside its ceiling, and do not gate on it.

Formula:
- precision@k = slots among the first k that earn / k
- precision_ceiling@k = min(k, groups) / k
Source: trec_eval `P_k`; R2
Gives: precision@k and precision_ceiling@k at any k, computed from the stored ranks
Needs: `case.evidence`, `log.retrieved`
Absent: `case.evidence`: both null; `log.retrieved`: precision is 0
"""

from __future__ import annotations

import polars as pl


def precision(ranks: pl.Expr, k: int) -> pl.Expr:
    """Precision at k of a column of ranks (list of positions from 1, null = not found).

    Null where ranks are null or empty.
    """
    position = pl.element()
    earning = ranks.list.agg(pl.when(position <= k).then(position).drop_nulls().n_unique())
    return pl.when(ranks.list.len() > 0).then(earning / k)


def precision_ceiling(ranks: pl.Expr, k: int) -> pl.Expr:
    """min(k, groups) / k: the precision at k of a perfect ranking. Null as `precision`."""
    groups = ranks.list.len()
    return pl.when(groups > 0).then(groups.clip(upper_bound=k) / k)
