"""Duplicate share: slots that repeat an id of an earlier slot / slots.

A repeated id earns nothing and keeps its place, so it costs the places it takes.

Formula: duplicate share = slots whose id an earlier slot has / slots
Source: R2
Gives: retrieval_measures (n_duplicates); duplicate share, computed
Needs: `log.retrieved`
Absent: `log.retrieved`: n_duplicates is 0, the share null
"""

from __future__ import annotations

import polars as pl


def duplicate_share(n_duplicates: pl.Expr, n_retrieved: pl.Expr) -> pl.Expr:
    """Share of slots in [0, 1]; null where nothing was retrieved."""
    return pl.when(n_retrieved > 0).then(n_duplicates / n_retrieved)
