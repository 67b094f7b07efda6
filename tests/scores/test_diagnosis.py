"""Diagnosis: every cause, alone and against those that outrank it."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.scores.case import join_axes, score_axes
from rag_eval_pipeline.scores.diagnosis import MEND
from rag_eval_pipeline.scores.rubric import parse_rubric

FactsOf = Callable[..., pl.DataFrame]
STRICT = parse_rubric(b"", "strict.yaml", "strict")
UNKNOWN = {"expected_status": "unknown", "status_match": False}
CLARIFY = {"expected_status": "clarify", "status_match": False}
MISS = {"group_ranks": [None]}
WRONG = {"exact_match": False}

# Facts under which a cause holds, in order of precedence.
CAUSES: list[tuple[str, dict[str, Any], str]] = [
    ("gold_problem", {"gold_problem": "expired"}, "dataset"),
    ("system_error", {"system_error": True}, "system"),
    ("malformed_output", {"malformed_fields": ["answer"]}, "system"),
    ("stale_evidence", {"stale_source": "fee-v1", **WRONG}, "retrieval"),
    ("retrieval_miss", {**MISS, **WRONG}, "retrieval"),
    ("missed_abstention", UNKNOWN, "behavior"),
    ("missed_clarification", CLARIFY, "behavior"),
    ("over_refusal", {"observed_status": "unknown", "status_match": False}, "behavior"),
    ("needless_clarification", {"observed_status": "clarify", "status_match": False}, "behavior"),
    ("wrong_answer", WRONG, "generation"),
    ("wrong_source", {"source_match": False}, "generation"),
]
OF_STATUS = {
    "missed_abstention",
    "missed_clarification",
    "over_refusal",
    "needless_clarification",
}


def diagnosed(facts: pl.DataFrame) -> dict[str, Any]:
    return join_axes(facts, score_axes(facts, STRICT), STRICT).row(0, named=True)


def test_the_table_of_causes_is_in_order() -> None:
    known = [cause for cause, _, _ in CAUSES]
    assert known == [cause for cause in MEND if cause in known]


@pytest.mark.parametrize(("cause", "facts", "mend"), CAUSES)
def test_each_cause_is_named_with_where_to_mend_it(
    facts_of: FactsOf, cause: str, facts: dict[str, Any], mend: str
) -> None:
    found = diagnosed(facts_of(facts))
    assert (found["diagnosis"], found["where_to_mend"]) == (cause, mend)
    assert cause in found["also"]


@pytest.mark.parametrize("place", range(len(CAUSES) - 1))
def test_a_cause_outranks_all_that_come_after_it(facts_of: FactsOf, place: int) -> None:
    cause, facts, _ = CAUSES[place]
    for later, others, _ in CAUSES[place + 1 :]:
        if {cause, later} <= OF_STATUS:
            continue  # one pair of expected and observed status excludes the others
        both = {**others, **facts}
        found = diagnosed(facts_of(both))
        assert found["diagnosis"] == cause, (cause, later)


def test_all_causes_that_hold_are_kept_in_order(facts_of: FactsOf) -> None:
    found = diagnosed(facts_of({**MISS, **UNKNOWN, **WRONG, "source_match": False}))
    assert found["also"] == [
        "retrieval_miss",
        "missed_abstention",
        "wrong_answer",
        "wrong_source",
    ]


def test_an_item_that_passes_has_no_diagnosis(facts_of: FactsOf) -> None:
    found = diagnosed(facts_of({}))
    assert (found["diagnosis"], found["where_to_mend"], found["also"]) == (None, None, [])


def test_a_stale_source_of_a_right_answer_is_no_failure(facts_of: FactsOf) -> None:
    assert diagnosed(facts_of({"stale_source": "fee-v1"}))["also"] == []


def test_an_item_whose_gold_is_in_doubt_is_not_called_wrong(facts_of: FactsOf) -> None:
    wrong = {**MISS, **WRONG, **UNKNOWN, "source_match": False}
    found = diagnosed(facts_of({**wrong, "gold_problem": "expired"}))
    assert (found["diagnosis"], found["also"]) == ("gold_problem", ["gold_problem"])


def test_what_does_not_rest_on_the_gold_is_kept_beside_a_gold_problem(facts_of: FactsOf) -> None:
    facts = {"gold_problem": "expired", "stale_source": "fee-v1", "system_error": True}
    found = diagnosed(facts_of(facts | {"malformed_fields": ["answer"]}))
    assert found["also"] == ["gold_problem", "system_error", "malformed_output", "stale_evidence"]


def test_a_miss_that_was_answered_rightly_all_the_same_is_lucky(facts_of: FactsOf) -> None:
    found = diagnosed(facts_of(MISS))
    assert found["diagnosis"] == "retrieval_miss"
    assert found["also"] == ["retrieval_miss", "lucky"]


def test_a_clarifying_question_where_unknown_was_expected_is_needless(facts_of: FactsOf) -> None:
    found = diagnosed(facts_of({**UNKNOWN, "observed_status": "clarify"}))
    assert found["diagnosis"] == "needless_clarification"


def test_giving_up_where_a_question_was_expected_is_over_refusal(facts_of: FactsOf) -> None:
    found = diagnosed(facts_of({**CLARIFY, "observed_status": "unknown"}))
    assert found["diagnosis"] == "over_refusal"
