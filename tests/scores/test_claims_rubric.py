"""The four axes under the shipped claims rubric, and what is diagnosed from them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.scores.case import join_axes, score_axes
from rag_eval_pipeline.scores.diagnosis import MEND
from rag_eval_pipeline.scores.rubric import Rubric, load_rubric

FactsOf = Callable[..., pl.DataFrame]
CLAIMS = load_rubric("claims", Path("no data root"))
NO_GOLD = {"n_groups": 0, "ranks": [], "gold_ids": [], "source_acceptable": None}
UNKNOWN = {"expected_status": "unknown", "observed_status": "unknown", "vital_met": []}
MISSED = {"expected_status": "unknown", "observed_status": "answer", "status_match": False}


def own(**sections: dict[str, str | float]) -> Rubric:
    changed = {name: {**CLAIMS.sections[name], **keys} for name, keys in sections.items()}
    return Rubric("own", {**CLAIMS.sections, **changed}, "")


def axis(facts: pl.DataFrame, name: str, rubric: Rubric = CLAIMS) -> dict[str, Any]:
    return score_axes(facts, rubric)[name].row(0, named=True)


def item(facts: pl.DataFrame, rubric: Rubric = CLAIMS) -> dict[str, Any]:
    return join_axes(facts, score_axes(facts, rubric), rubric).row(0, named=True)


# --- search


@pytest.mark.parametrize(
    ("ranks", "score", "passed"),
    [([1, 10], 1.0, True), ([1, 11], 0.5, False), ([None, None], 0.0, False)],
)
def test_search_is_recall_of_the_groups_in_the_top_k(
    facts_of: FactsOf, ranks: list[int | None], score: float, passed: bool
) -> None:
    found = axis(facts_of({"ranks": ranks, "n_groups": 2}), "search")
    assert (found["score"], found["passed"], found["state"]) == (score, passed, "measured")


def test_k_is_the_rubric_s(facts_of: FactsOf) -> None:
    facts = facts_of({"ranks": [4]})
    assert axis(facts, "search", own(search={"k": 3}))["passed"] is False
    assert axis(facts, "search", own(search={"k": 4}))["passed"] is True


def test_the_rubric_may_name_the_level(facts_of: FactsOf) -> None:
    facts = facts_of({"ranks": [7], "section_ranks": [None], "document_ranks": [2]})
    assert axis(facts, "search", own(search={"level": "section"}))["score"] == 0.0
    assert axis(facts, "search", own(search={"level": "document", "k": 2}))["score"] == 1.0


def test_a_failed_search_tells_the_gold_and_where_it_was_found(facts_of: FactsOf) -> None:
    found = axis(facts_of({"ranks": [12], "gold_ids": ["fees#1"]}), "search")
    assert found["reason"] == "0 of 1 gold groups in the top 10: fees#1 at rank 12"


def test_without_gold_search_is_not_applicable_and_nothing_retrieved_is_told_apart(
    facts_of: FactsOf,
) -> None:
    found = axis(facts_of(NO_GOLD), "search")
    assert (found["state"], found["reason_code"]) == ("not_applicable", "no_gold")
    found = axis(facts_of({**NO_GOLD, "n_retrieved": 0}), "search")
    assert (found["state"], found["reason_code"]) == ("not_applicable", "no_match_correct")


@pytest.mark.parametrize("gold", [{}, NO_GOLD])
def test_a_document_the_asker_may_not_read_fails_the_search(
    facts_of: FactsOf, gold: dict[str, Any]
) -> None:
    facts = facts_of({**gold, "forbidden_ids": ["pay#1", "pay#1"]})
    found = axis(facts, "search")
    assert (found["passed"], found["state"]) == (False, "measured")
    assert found["reason"] == "retrieved pay#1, which the asker may not read"
    assert item(facts)["diagnosis"] == "forbidden_access"
    assert axis(facts, "search", own(search={"forbidden_access": "ignore"}))["passed"] is not False


def test_ids_of_another_snapshot_are_unmeasured_and_no_miss(facts_of: FactsOf) -> None:
    found = axis(facts_of({"ranks": [None], "unmeasured_reason": "ids_not_in_snapshot"}), "search")
    assert (found["state"], found["score"], found["passed"]) == ("unmeasured", None, None)
    assert (found["score_low"], found["score_high"]) == (0.0, 1.0)
    assert found["reason_code"] == "ids_not_in_snapshot"


def test_a_field_the_run_never_logs_is_not_applicable_and_one_an_item_lacks_fails(
    facts_of: FactsOf,
) -> None:
    lacking = {
        "ranks": [None],
        "n_retrieved": 0,
        "malformed_fields": ["retrieved"],
        "retrieved_type": "absent",
    }
    assert axis(facts_of(lacking), "search")["passed"] is False
    unlogged = facts_of({**lacking, "not_logged": ["retrieved"]})
    assert axis(unlogged, "search")["reason_code"] == "not_logged"


# --- evidence


def test_vital_claims_count_1_and_okay_claims_half(facts_of: FactsOf) -> None:
    found = axis(
        facts_of({"vital_met": ["r1"], "vital_absent": ["r2"], "okay_met": ["r3"]}), "evidence"
    )
    assert found["score"] == (1 + 0.5) / 2.5
    assert (found["passed"], found["reason"]) == (False, "not met: r2")


def test_an_okay_claim_never_decides_whether_the_axis_passes(facts_of: FactsOf) -> None:
    found = axis(facts_of({"okay_unmet": ["r2"]}), "evidence")
    assert (found["passed"], found["score"]) == (True, 1 / 1.5)
    found = axis(facts_of({"okay_open": ["r2"]}), "evidence")
    assert (found["passed"], found["state"]) == (True, "measured")
    assert (found["score_low"], found["score_high"]) == (1 / 1.5, 1.0)


def test_an_open_vital_claim_leaves_the_axis_unmeasured_between_its_bounds(
    facts_of: FactsOf,
) -> None:
    facts = facts_of({"vital_met": ["r1"], "vital_open": ["r2"]})
    found = axis(facts, "evidence")
    assert (found["state"], found["score"], found["passed"]) == ("unmeasured", None, None)
    assert (found["score_low"], found["score_high"]) == (0.5, 1.0)
    assert found["reason"] == "for review: r2"
    assert item(facts)["diagnosis"] == "needs_review"
    assert axis(facts, "evidence", own(evidence={"open_claims": "fail"}))["passed"] is False


def test_false_outweighs_open(facts_of: FactsOf) -> None:
    found = axis(facts_of({"vital_met": [], "vital_open": ["r1"], "vital_absent": ["r2"]}),
                 "evidence")  # fmt: skip
    assert (found["state"], found["passed"], found["score"]) == ("measured", False, 0.0)
    assert (found["score_low"], found["score_high"]) == (0.0, 0.5)


@pytest.mark.parametrize(
    ("fault", "cause", "reason"),
    [
        (
            {"forbidden_asserted": ["f1"], "asserted_notes": ["f1: 必ず返金します"]},
            "forbidden_claim",
            "asserts f1: 必ず返金します",
        ),
        ({"ungrounded_values": ["3営業日"]}, "ungrounded_claim", "without ground: 3営業日"),
    ],
)
def test_a_forbidden_claim_or_a_value_without_ground_makes_the_score_0(
    facts_of: FactsOf, fault: dict[str, Any], cause: str, reason: str
) -> None:
    found = axis(facts_of(fault), "evidence")
    assert (found["score"], found["passed"], found["reason"]) == (0.0, False, reason)
    assert item(facts_of(fault))["diagnosis"] == cause


def test_the_rubric_may_only_report_values_without_ground(facts_of: FactsOf) -> None:
    facts = facts_of({"ungrounded_values": ["3営業日"]})
    assert axis(facts, "evidence", own(evidence={"ungrounded": "report"}))["passed"] is True


@pytest.mark.parametrize(
    ("policy", "passed"), [("ignore", True), ("review", None), ("fail", False)]
)
def test_echoed_values_are_the_rubric_s_choice(
    facts_of: FactsOf, policy: str, passed: bool | None
) -> None:
    facts = facts_of({"echoed_values": ["3000円"]})
    assert axis(facts, "evidence", own(evidence={"echoed": policy}))["passed"] is passed


def test_an_echoed_value_for_review_is_told_as_such(facts_of: FactsOf) -> None:
    found = axis(facts_of({"echoed_values": ["3000円"]}), "evidence",
                 own(evidence={"echoed": "review"}))  # fmt: skip
    assert found["reason_code"] == "undecided"
    assert found["reason"] == "for review, only in the question: 3000円"


def test_a_value_not_found_while_a_text_is_unknown_is_open(facts_of: FactsOf) -> None:
    found = axis(facts_of({"open_values": ["500円"]}), "evidence")
    assert (found["state"], found["reason_code"]) == ("unmeasured", "text_missing")


def test_the_source_must_be_of_a_gold_document_where_there_is_gold(facts_of: FactsOf) -> None:
    wrong = {"source_acceptable": False, "source": "payment"}
    found = axis(facts_of(wrong), "evidence")
    assert (found["passed"], found["reason"]) == (False, "source payment, gold shipping")
    assert found["score"] == 1.0
    assert item(facts_of(wrong))["diagnosis"] == "wrong_source"
    unlogged = facts_of({**wrong, "not_logged": ["source", "citations"]})
    assert axis(unlogged, "evidence")["passed"] is True
    assert axis(facts_of({"source_acceptable": None}), "evidence")["passed"] is True


def test_giving_up_on_a_question_with_an_answer_meets_no_claim(facts_of: FactsOf) -> None:
    refused = {"observed_status": "unknown", "status_match": False, "ungrounded_values": ["9円"]}
    found = axis(facts_of(refused), "evidence")
    assert (found["score"], found["passed"]) == (0.0, False)
    assert found["reason"] == "status unknown: no claim is met"
    assert item(facts_of(refused))["diagnosis"] == "over_refusal"


def test_a_rightful_abstention_has_no_evidence_to_judge(facts_of: FactsOf) -> None:
    found = axis(facts_of({**UNKNOWN, **NO_GOLD}), "evidence")
    assert (found["state"], found["reason_code"]) == ("not_applicable", "no_claims")
    found = axis(facts_of({**UNKNOWN, "forbidden_clear": ["f1"]}), "evidence")
    assert (found["score"], found["passed"]) == (1.0, True)
    found = axis(facts_of({**UNKNOWN, "forbidden_asserted": ["f1"]}), "evidence")
    assert (found["score"], found["passed"]) == (0.0, False)


def test_values_invented_where_none_was_expected_are_judged_in_behavior_alone(
    facts_of: FactsOf,
) -> None:
    facts = facts_of(
        {**MISSED, "vital_met": [], "forbidden_clear": ["f1"], "ungrounded_values": ["2000円"],
         "no_invented_value": "unmet"}
    )  # fmt: skip
    assert axis(facts, "evidence")["passed"] is True
    assert axis(facts, "behavior")["passed"] is False


# --- behavior and format


def test_behavior_is_the_status_and_the_conditions_asked_for(facts_of: FactsOf) -> None:
    asked = {
        **UNKNOWN,
        "no_invented_value": "met",
        "names_missing_condition": "unmet",
        "missing_conditions_unnamed": ["配送先"],
        "gives_next_action": "met",
    }
    found = axis(facts_of(asked), "behavior")
    assert (found["score"], found["passed"]) == (3 / 4, False)
    assert found["reason"] == "does not name 配送先"
    assert item(facts_of({**asked, **NO_GOLD}))["diagnosis"] == "incomplete_abstention"
    ignoring = own(behavior={"names_missing_condition": "ignore"})
    assert axis(facts_of(asked), "behavior", ignoring)["score"] == 1.0


def test_a_wrong_status_scores_0_whatever_else_is_met(facts_of: FactsOf) -> None:
    found = axis(facts_of({**MISSED, "gives_next_action": "met"}), "behavior")
    assert (found["score"], found["score_high"], found["passed"]) == (0.0, 0.0, False)


def test_a_rubric_may_ignore_every_condition(facts_of: FactsOf) -> None:
    names = ("no_invented_value", "names_missing_condition", "gives_next_action",
             "escalates_as_allowed")  # fmt: skip
    rubric = own(behavior=dict.fromkeys(names, "ignore"))
    facts = facts_of({**UNKNOWN, "gives_next_action": "unmet"}, MISSED)
    assert score_axes(facts, rubric)["behavior"]["passed"].to_list() == [True, False]


def test_a_system_error_counts_on_the_axes_that_apply(facts_of: FactsOf) -> None:
    failed = {"system_error": True, "vital_met": [], "vital_absent": ["r1"]}
    found = item(facts_of({**failed, **NO_GOLD, "not_logged": ["source", "citations"]}))
    states = [found[f"{name}_state"] for name in ("search", "evidence", "behavior", "format")]
    assert states == ["not_applicable", "measured", "measured", "measured"]
    assert [found[f"{name}_score"] for name in ("evidence", "behavior", "format")] == [0, 0, 0]
    assert found["diagnosis"] == "system_error"


@pytest.mark.parametrize(
    "foreign", [{"method": "text"}, {"unmeasured_reason": "ids_not_in_snapshot"}]
)
def test_a_source_of_another_index_than_the_gold_s_is_not_called_wrong(
    facts_of: FactsOf, foreign: dict[str, Any]
) -> None:
    facts = facts_of({"source_acceptable": False, "source": "chunk-7", **foreign})
    assert axis(facts, "evidence")["passed"] is True


def test_an_open_condition_leaves_behavior_open(facts_of: FactsOf) -> None:
    found = axis(facts_of({**UNKNOWN, "no_invented_value": "open"}), "behavior")
    assert (found["state"], found["score_low"], found["score_high"]) == ("unmeasured", 0.5, 1.0)


def test_format_asks_only_for_what_the_run_logs(facts_of: FactsOf) -> None:
    lacking = {"malformed_fields": ["source", "status"]}
    assert axis(facts_of(lacking), "format")["passed"] is False
    unlogged = facts_of({**lacking, "not_logged": ["source", "status", "citations"]})
    assert axis(unlogged, "format")["passed"] is True


def test_a_retrieval_only_run_is_scored_on_search_and_format(facts_of: FactsOf) -> None:
    found = item(
        facts_of(
            {
                "not_logged": ["answer", "source", "status", "citations"],
                "malformed_fields": ["answer", "source", "status"],
                "observed_status": None,
                "status_match": False,
                "vital_met": [],
                "vital_absent": ["r1"],
            }
        )
    )
    states = [found[f"{name}_state"] for name in ("search", "evidence", "behavior", "format")]
    assert states == ["measured", "not_applicable", "not_applicable", "measured"]
    assert found["passed"] is True


# --- diagnosis

MISS = {"ranks": [None]}
ABSENT = {"vital_met": [], "vital_absent": ["r1"]}
# Facts under which a cause holds, in order of precedence.
CAUSES: list[tuple[str, dict[str, Any]]] = [
    ("gold_problem", {"gold_problem": "expired"}),
    ("system_error", {"system_error": True}),
    ("malformed_output", {"malformed_fields": ["source"]}),
    ("forbidden_access", {"forbidden_ids": ["pay#1"]}),
    ("stale_evidence", {**ABSENT, "stale_values": ["300円"]}),
    ("retrieval_miss", {**MISS, **ABSENT}),
    ("missed_abstention", MISSED),
    ("missed_clarification", {**MISSED, "expected_status": "clarify"}),
    ("over_refusal", {"observed_status": "unknown", "status_match": False}),
    ("needless_clarification", {"observed_status": "clarify", "status_match": False}),
    ("forbidden_claim", {"forbidden_asserted": ["f1"]}),
    ("wrong_answer", {"vital_contradicted": ["r2"]}),
    ("ungrounded_claim", {"ungrounded_values": ["9円"]}),
    ("unused_evidence", ABSENT),
    ("incomplete_answer", {"vital_absent": ["r2"]}),
    ("wrong_source", {"source_acceptable": False}),
    ("incomplete_abstention", {**UNKNOWN, "gives_next_action": "unmet"}),
    ("needs_review", {"vital_open": ["r2"]}),
]


def test_every_cause_of_the_rules_is_there_in_their_order() -> None:
    assert [cause for cause, _ in CAUSES] == list(MEND)


@pytest.mark.parametrize(("cause", "facts"), CAUSES)
def test_each_cause_is_named(facts_of: FactsOf, cause: str, facts: dict[str, Any]) -> None:
    found = item(facts_of(facts))
    assert found["diagnosis"] == cause
    assert found["where_to_mend"] == MEND[cause]
    assert len(found["reason"]) <= 120


def test_all_causes_that_hold_are_kept_beside_the_first(facts_of: FactsOf) -> None:
    facts = {**MISS, **ABSENT, "source_acceptable": False, "ungrounded_values": ["9円"]}
    assert item(facts_of(facts))["also"] == [
        "retrieval_miss",
        "ungrounded_claim",
        "unused_evidence",
        "wrong_source",
    ]


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({}, "all checks passed"),
        (
            {**MISS, **ABSENT, "gold_ids": ["fees#1"]},
            "0 of 1 gold groups in the top 10: fees#1 not retrieved; not met: r1",
        ),
        (
            {"vital_contradicted": ["r1"], "contradicted_notes": ["r1: 800円です"]},
            "contradicts r1: 800円です",
        ),
        (
            {**ABSENT, "stale_values": ["300円"], "stale_source": "fee-v1"},
            "outdated: 300円, fee-v1; not met: r1",
        ),
        ({"vital_open": ["r2"]}, "for review: r2"),
        ({"gold_problem": "expired: fees#1 held until 2026-09-30"},
         "expired: fees#1 held until 2026-09-30"),
    ],
)  # fmt: skip
def test_the_reason_names_ids_and_values_what_the_diagnosis_speaks_of_first(
    facts_of: FactsOf, facts: dict[str, Any], reason: str
) -> None:
    assert item(facts_of(facts))["reason"] == reason


texts = st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True)


@given(data=st.data())
def test_whatever_the_facts_an_item_that_does_not_pass_has_a_cause(
    facts_of: FactsOf, data: st.DataObject
) -> None:
    lists = ["vital_met", "vital_contradicted", "vital_absent", "vital_open", "okay_unmet",
             "forbidden_asserted", "forbidden_open", "ungrounded_values", "open_values",
             "echoed_values", "stale_values", "forbidden_ids"]  # fmt: skip
    drawn: dict[str, Any] = {name: data.draw(texts, name) for name in lists}
    drawn["ranks"] = data.draw(st.sampled_from([[1], [None], [12]]))
    drawn["expected_status"] = data.draw(st.sampled_from(["answer", "unknown", "clarify"]))
    drawn["observed_status"] = data.draw(st.sampled_from(["answer", "unknown", "clarify"]))
    drawn["status_match"] = drawn["expected_status"] == drawn["observed_status"]
    drawn["source_acceptable"] = data.draw(st.sampled_from([True, False, None]))
    drawn["gives_next_action"] = data.draw(st.sampled_from(["met", "unmet", None]))
    found = item(facts_of(drawn))
    assert (found["diagnosis"] is None) == (found["passed"] is True)
    for name in ("search", "evidence", "behavior", "format"):
        score, passed = found[f"{name}_score"], found[f"{name}_passed"]
        assert (score is None) == (found[f"{name}_state"] != "measured")
        assert score is None or 0 <= score <= 1
        assert passed is None or found[f"{name}_state"] == "measured"
