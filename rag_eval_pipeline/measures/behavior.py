"""Expected against observed status (R3): did the system answer, abstain or ask back rightly?"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.tables.model import STATUSES


def observed_status() -> pl.Expr:
    """The item's own status where it is one of answer, unknown, clarify; else null."""
    return pl.when(pl.col("status").is_in(STATUSES)).then(pl.col("status"))


def status_matches() -> pl.Expr:
    """Whether the observed status is one the case accepts; no status matches nothing."""
    return pl.col("accepted_statuses").list.contains(observed_status()).fill_null(value=False)
