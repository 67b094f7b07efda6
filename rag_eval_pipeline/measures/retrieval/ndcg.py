"""nDCG: the discounted gain of the ranking / that of a perfect one.

The gain of a slot is the grade (1 to 3) of what it covers, linear as in trec_eval, and 1 where gold
has no grades. A slot that covers two groups earns once, by the higher grade. The perfect ranking
holds min(k, groups) slots, the highest grades first.

Formula:
- nDCG@k = DCG@k / DCG@k of the perfect ranking
- DCG@k = Σ gain / log2(position + 1), over the slots up to k that earn
Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques (2002); trec_eval
  `ndcg` and `ndcg_cut_k`; R2
Gives: ndcg@k at any k, computed from the stored ranks and grades
Needs: `case.evidence`, `log.retrieved`
Absent: `case.evidence`: null; a grade in it: 1; `log.retrieved`: 0
"""

from __future__ import annotations

import polars as pl

MAX_GRADE = 3
_SPREAD = MAX_GRADE + 1


def ndcg(ranks: pl.Expr, grades: pl.Expr, found_grades: pl.Expr, k: int | None = None) -> pl.Expr:
    """Normalised discounted cumulative gain at k.

    Parameters
    ----------
    ranks
        Position of each gold group from 1 (list), null = not found.
    grades
        Highest grade of each group.
    found_grades
        Grade of what was found at the rank, null = not found.
    k
        Slots that count; without it all do.

    Returns
    -------
    A number in [0, 1]; null where ranks are null or empty.
    """
    # One number a group, so that rank and grade stay together. A grade of n is n gains of 1: the
    # sums over those that are at least 1, 2 and 3 need no sorting.
    met = ranks * _SPREAD - found_grades
    levels = range(1, MAX_GRADE + 1)
    gained = sum((_gained(met, level, k) for level in levels), pl.lit(0.0))
    best = sum((_best(grades, level, k) for level in levels), pl.lit(0.0))
    # Rounding must not lift a perfect ranking above 1.
    return pl.when(ranks.list.len() > 0).then((gained / best).clip(upper_bound=1.0))


def _gained(met: pl.Expr, level: int, k: int | None) -> pl.Expr:
    position = -(-pl.element() // _SPREAD)
    counts = position * _SPREAD - pl.element() >= level
    if k is not None:
        counts &= position <= k
    earning = pl.when(counts).then(position).unique()
    return met.list.agg(_discount(earning).sum())


def _best(grades: pl.Expr, level: int, k: int | None) -> pl.Expr:
    groups = grades.list.agg((pl.element() >= level).sum())
    places = pl.int_ranges(1, groups.clip(upper_bound=k) + 1)
    return places.list.agg(_discount(pl.element()).sum())


def _discount(position: pl.Expr) -> pl.Expr:
    return 1.0 / (position + 1).log(2)
