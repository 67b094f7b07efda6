"""Reciprocal rank: 1 / position of the first slot that covers a gold group; 0 if none does.

Source: Voorhees, The TREC-8 Question Answering Track Report (1999); trec_eval `recip_rank`.
Without gold evidence it is null, not 0: the case is in no denominator.
"""

from __future__ import annotations

import polars as pl


def reciprocal_rank(ranks: pl.Expr) -> pl.Expr:
    """Reciprocal rank of a column of group ranks (list of positions from 1, null = not found)."""
    first = ranks.list.min()
    return pl.when(ranks.list.len() > 0).then((1.0 / first).fill_null(0.0))
