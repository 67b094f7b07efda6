from collections.abc import Callable
from typing import Any

import polars as pl

from rag_eval_pipeline.scores.facts import facts

RowsOf = Callable[..., pl.DataFrame]
ITEM = {"run_id": "r", "trial": 1}


def test_the_measures_of_an_item_stand_side_by_side(rows_of: RowsOf) -> None:
    cases: list[dict[str, Any]] = [{**ITEM, "case_id": "q1"}, {**ITEM, "case_id": "q2"}]
    found = facts(
        rows_of("retrieval_measures", *cases),
        rows_of("answer_measures", *({**each, "system_error": False} for each in cases)),
        rows_of("behavior_measures", *({**each, "observed_status": "clarify"} for each in cases)),
        rows_of("run_items", {**cases[0], "source": "shipping"}, cases[1]),
        rows_of(
            "case_evidence",
            {"case_id": "q1", "group_no": 2, "evidence_id": "b"},
            {"case_id": "q1", "group_no": 1, "evidence_id": "a"},
        ),
    )
    assert found.select("case_id", "source", "gold_ids", "observed_status").rows() == [
        ("q1", "shipping", ["a", "b"], "clarify"),
        ("q2", None, [], "clarify"),
    ]
    assert {"group_ranks", "exact_match", "status_match"} <= set(found.columns)
