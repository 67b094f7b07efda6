"""Facts of run items, right in every respect unless the test says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

TYPES: dict[str, Any] = {
    "run_id": pl.String,
    "case_id": pl.String,
    "trial": pl.Int64,
    "gold_problem": pl.String,
    "stale_source": pl.String,
    "system_error": pl.Boolean,
    "malformed_fields": pl.List(pl.String),
    "n_groups": pl.Int64,
    "n_retrieved": pl.Int64,
    "group_ranks": pl.List(pl.Int64),
    "exact_match": pl.Boolean,
    "source_match": pl.Boolean,
    "source": pl.String,
    "gold_ids": pl.List(pl.String),
    "expected_status": pl.String,
    "observed_status": pl.String,
    "status_match": pl.Boolean,
}
RIGHT: dict[str, Any] = {
    "run_id": "r",
    "trial": 1,
    "gold_problem": None,
    "stale_source": None,
    "system_error": False,
    "malformed_fields": [],
    "n_groups": 1,
    "n_retrieved": 3,
    "group_ranks": [1],
    "exact_match": True,
    "source_match": True,
    "source": "shipping",
    "gold_ids": ["shipping"],
    "expected_status": "answer",
    "observed_status": "answer",
    "status_match": True,
}

FactsOf = Callable[..., pl.DataFrame]


@pytest.fixture(scope="session")
def facts_of() -> FactsOf:
    """One row per argument: what differs from an item that is right; case ids are q1, q2, …"""

    def make(*items: dict[str, Any]) -> pl.DataFrame:
        for item in items:
            assert set(item) <= set(TYPES), set(item) - set(TYPES)
        rows = [
            {**RIGHT, "case_id": f"q{number}", **item} for number, item in enumerate(items, start=1)
        ]
        return pl.DataFrame(rows, schema=TYPES, orient="row")

    return make
