"""Facts of run items, right in every respect unless the test says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.scores.facts import CLAIM_LISTS, NOTE_LISTS

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
    "level": pl.String,
    "method": pl.String,
    "ranks": pl.List(pl.Int64),
    "section_ranks": pl.List(pl.Int64),
    "document_ranks": pl.List(pl.Int64),
    "unmeasured_reason": pl.String,
    "forbidden_ids": pl.List(pl.String),
    "retrieved_type": pl.String,
    "not_logged": pl.List(pl.String),
    "n_values": pl.Int64,
    "ungrounded_values": pl.List(pl.String),
    "open_values": pl.List(pl.String),
    "echoed_values": pl.List(pl.String),
    "stale_values": pl.List(pl.String),
    "source_acceptable": pl.Boolean,
    "no_invented_value": pl.String,
    "names_missing_condition": pl.String,
    "gives_next_action": pl.String,
    "escalates_as_allowed": pl.String,
    "missing_conditions_unnamed": pl.List(pl.String),
    "escalated": pl.Boolean,
    **dict.fromkeys((*CLAIM_LISTS, *NOTE_LISTS), pl.List(pl.String)),
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
    "level": "document",
    "method": "ids",
    "ranks": [1],
    "section_ranks": [None],
    "document_ranks": [1],
    "unmeasured_reason": None,
    "forbidden_ids": [],
    "retrieved_type": "list",
    "not_logged": [],
    "n_values": 0,
    "ungrounded_values": [],
    "open_values": [],
    "echoed_values": [],
    "stale_values": [],
    "source_acceptable": True,
    "escalated": False,
    "missing_conditions_unnamed": [],
    **{name: [] for name in (*CLAIM_LISTS, *NOTE_LISTS)},
    "vital_met": ["r1"],
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
