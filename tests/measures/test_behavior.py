from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.dataset.policy import AbstainPolicy
from rag_eval_pipeline.measures.behavior import behavior_facts, observed_status
from rag_eval_pipeline.reading.fingerprint import canonical_json

ITEM = {"run_id": "r", "case_id": "q", "trial": 1}
SCHEMA: dict[str, Any] = {
    "run_id": pl.String,
    "case_id": pl.String,
    "trial": pl.Int64,
    "answer": pl.String,
    "status": pl.String,
    "escalated": pl.String,
    "not_logged": pl.List(pl.String),
    "expected_status": pl.String,
    "accepted_statuses": pl.List(pl.String),
    "abstain_policy": pl.String,
}
GROUNDED: dict[str, Any] = {
    "run_id": pl.String,
    "case_id": pl.String,
    "trial": pl.Int64,
    "n_values": pl.Int64,
    "ungrounded_values": pl.List(pl.String),
    "open_values": pl.List(pl.String),
}
UNKNOWN = {"expected_status": "unknown", "accepted_statuses": ["unknown"], "status": "unknown",
           "answer": "記載がありません。"}  # fmt: skip

Facts = Callable[..., dict[str, Any]]


def facts(policy: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    item = {
        **ITEM,
        "answer": "500円です。",
        "status": "answer",
        "not_logged": [],
        "expected_status": "answer",
        "accepted_statuses": ["answer"],
        "abstain_policy": None if policy is None else _stored(policy),
        **changes,
    }
    values = {name: item.pop(name) for name in GROUNDED if name in item and name not in ITEM}
    items = pl.DataFrame([item], schema=SCHEMA, orient="row")
    grounded = {**ITEM, "n_values": 0, "ungrounded_values": [], "open_values": [], **values}
    frame = pl.DataFrame([grounded], schema=GROUNDED, orient="row")
    return behavior_facts(items, frame).row(0, named=True)


def _stored(policy: dict[str, Any]) -> str:
    empty = AbstainPolicy()
    names = ("must_not_invent", "missing_conditions", "next_action", "escalate_to", "escalation")
    return canonical_json({name: policy.get(name, getattr(empty, name)) for name in names})


@pytest.mark.parametrize("status", ["answer", "unknown", "clarify"])
def test_a_status_matches_itself(status: str) -> None:
    found = facts(status=status, accepted_statuses=[status])
    assert (found["observed_status"], found["status_match"]) == (status, True)


def test_any_accepted_status_matches() -> None:
    assert facts(status="clarify", accepted_statuses=["unknown", "clarify"])["status_match"]
    assert not facts(status="answer", accepted_statuses=["unknown", "clarify"])["status_match"]


@pytest.mark.parametrize("status", [None, "", "Answer", "answered", " answer"])
def test_what_is_no_status_is_none_and_matches_nothing(status: str | None) -> None:
    found = facts(status=status, accepted_statuses=["answer", "unknown", "clarify"])
    assert (found["observed_status"], found["status_match"]) == (None, False)


def test_the_status_logged_outranks_the_wording_which_is_kept_beside_it() -> None:
    found = facts(status="answer", answer="その情報は見つかりませんでした。")
    assert (found["observed_status"], found["status_from"]) == ("answer", "logged")
    assert found["pattern_status"] == "unknown"


def test_the_wording_decides_only_where_the_run_logs_no_status() -> None:
    lacking = {"status": None, "answer": "どの商品についてのご質問でしょうか？"}
    assert facts(**lacking)["observed_status"] is None
    found = facts(**lacking, not_logged=["status"])
    assert (found["observed_status"], found["status_from"]) == ("clarify", "pattern")


def test_without_a_policy_nothing_is_asked() -> None:
    found = facts(**UNKNOWN, ungrounded_values=["9円"])
    assert [found[name] for name in (
        "no_invented_value", "names_missing_condition", "gives_next_action",
        "escalates_as_allowed",
    )] == [None] * 4  # fmt: skip


@pytest.mark.parametrize(
    ("values", "state"),
    [
        ({}, "met"),
        ({"ungrounded_values": ["9円"], "open_values": ["3日"]}, "unmet"),
        ({"open_values": ["3日"]}, "open"),
        ({"n_values": None}, "open"),
    ],
)
def test_an_invented_value_is_one_without_ground(values: dict[str, Any], state: str) -> None:
    policy = {"must_not_invent": True}
    assert facts(policy, **UNKNOWN, **values)["no_invented_value"] == state


def test_values_are_not_judged_here_where_an_answer_is_expected() -> None:
    assert facts({"must_not_invent": True}, ungrounded_values=["9円"])["no_invented_value"] is None


def test_all_missing_conditions_must_be_named() -> None:
    policy = {"missing_conditions": ["配送先", "注文金額"]}
    asked = {"expected_status": "clarify", "accepted_statuses": ["clarify"], "status": "clarify"}
    found = facts(policy, **asked, answer="配送先と注文金額を教えてください。")
    assert found["names_missing_condition"] == "met"
    found = facts(policy, **asked, answer="配送先を教えてください。")
    assert found["names_missing_condition"] == "unmet"
    assert found["missing_conditions_named"] == ["配送先"]
    assert found["missing_conditions_unnamed"] == ["注文金額"]


def test_one_next_action_suffices() -> None:
    policy = {"next_action": ["注文番号をお知らせください", "サポート窓口に問い合わせる"]}
    answer = "わかりかねます。サポート窓口にお問い合わせください。"
    assert facts(policy, **{**UNKNOWN, "answer": answer})["gives_next_action"] == "met"
    assert facts(policy, **UNKNOWN)["gives_next_action"] == "unmet"


@pytest.mark.parametrize(
    ("escalation", "field", "answer", "state"),
    [
        ("required", "人事部", "", "met"),
        ("required", "true", "", "met"),
        ("required", None, "人事部にお問い合わせください。", "met"),
        ("required", None, "記載がありません。", "unmet"),
        ("required", "false", "人事部にお問い合わせください。", "unmet"),
        ("none", "人事部", "", "unmet"),
        ("none", None, "記載がありません。", "met"),
        ("allowed", "人事部", "", None),
    ],
)
def test_escalation_is_told_by_the_field_else_by_the_name_of_the_desk(
    escalation: str, field: str | None, answer: str, state: str | None
) -> None:
    policy = {"escalate_to": ["人事部"], "escalation": escalation}
    found = facts(policy, **{**UNKNOWN, "answer": answer}, escalated=field)
    assert found["escalates_as_allowed"] == state


def test_an_item_without_answer_has_no_wording() -> None:
    found = facts(answer=None)
    assert (found["pattern_status"], found["mixed"]) == (None, None)


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_is_no_abstention(answer: str) -> None:
    found = facts(answer=answer, status=None, not_logged=["status"])
    assert (found["pattern_status"], found["observed_status"]) == (None, None)


def test_observed_status_is_an_expression_over_the_log() -> None:
    frame = pl.DataFrame({"status": ["unknown", "x", None]})
    assert frame.select(observed_status())["status"].to_list() == ["unknown", None, None]
