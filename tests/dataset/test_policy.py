import json
from typing import Any

import pytest

from rag_eval_pipeline.dataset.cases import FIELDS
from rag_eval_pipeline.dataset.policy import AbstainPolicy, abstain_policy
from rag_eval_pipeline.reading.record import Record, shape


def record(policy: Any) -> Record:
    return shape({"abstain_policy": policy}, FIELDS, typed=True)


def read(policy: Any) -> AbstainPolicy:
    of = record(policy)
    stored, notes = abstain_policy(of)
    assert (of.faults, notes) == ([], [])
    return AbstainPolicy.of_json(stored)


def test_an_object_is_stored_whole_in_canonical_form() -> None:
    stored, _ = abstain_policy(record({"next_action": ["窓口へ"], "must_not_invent": True}))
    assert json.loads(stored or "") == {
        "escalate_to": [],
        "escalation": "allowed",
        "missing_conditions": [],
        "must_not_invent": True,
        "next_action": ["窓口へ"],
    }


def test_what_was_stored_is_read_back() -> None:
    assert read(
        {
            "must_not_invent": "true",
            "missing_conditions": ["配送先", "注文金額"],
            "next_action": "注文番号を知らせる",
            "escalate_to": ["人事部"],
            "escalation": "required",
        }
    ) == AbstainPolicy(
        must_not_invent=True,
        missing_conditions=("配送先", "注文金額"),
        next_action=("注文番号を知らせる",),
        escalate_to=("人事部",),
        escalation="required",
    )


def test_no_policy_asks_for_nothing() -> None:
    assert abstain_policy(shape({}, FIELDS, typed=True)) == (None, [])
    assert AbstainPolicy.of_json(None) == AbstainPolicy()


@pytest.mark.parametrize("policy", [["断る", "窓口を案内"], "断る"])
def test_sentences_are_kept_for_reviewers(policy: Any) -> None:
    stored, notes = abstain_policy(record(policy))
    assert stored is None
    assert notes == ([policy] if isinstance(policy, str) else policy)


def test_an_unknown_key_is_noted() -> None:
    of = record({"must_not_invent": True, "next_step": "x"})
    abstain_policy(of)
    assert of.flags == ["abstain_policy:unknown_keys next_step"]


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        ([{"a": 1}], "not_a_policy"),
        ({"escalation": "perhaps"}, "unknown_value"),
        ({"must_not_invent": "maybe"}, "unknown_value"),
        ({"missing_conditions": [["a", "b"]]}, "not_text"),
        ({"next_action": {"a": 1}}, "not_text"),
        ({"next_action": ["a", None]}, "not_text"),
        ({"escalate_to": " "}, "not_text"),
    ],
)
def test_a_policy_that_cannot_be_read_is_a_fault(policy: Any, code: str) -> None:
    of = record(policy)
    abstain_policy(of)
    assert of.faults[0].code == code
