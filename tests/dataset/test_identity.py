"""What changes the hash of a case, and what does not."""

import json
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.dataset.identity import dataset_hash

CASE: dict[str, Any] = {
    "case_id": "q1",
    "question": "送料は いくら？",
    "reference_answer": "500円",
    "accepted_answers": ["五百円", "¥500"],
    "reference_evidence_ids": ["shipping#fee", "returns"],
    "required_claims": [{"id": "c1", "text": "送料は500円", "importance": "vital"}],
    "forbidden_claims": ["無料である"],
    "evidence_quotes": ["送料は500円"],
    "expected_status": "answer",
    "accepted_statuses": ["answer", "clarify"],
    "abstain_policy": {"must_not_invent": True, "next_action": ["窓口へ"]},
    "user_roles": ["staff", "guest"],
    "as_of": "2026-04-01",
    "category": "direct",
    "split": "validation",
    "risk": "low",
    "owner": "a",
    "tags": ["x"],
    "reviewed_by": ["r"],
    "scenario_id": "s1",
}


@pytest.fixture
def hash_of(new_root: Callable[[], Any]) -> Callable[..., str]:
    def of(case: dict[str, Any], *documents: dict[str, Any]) -> str:
        root = new_root()
        if documents:
            root.knowledge(*documents)
        root.file("cases.jsonl", (json.dumps(case, ensure_ascii=False) + "\n").encode())
        read = root.read()
        assert read.rejected == []
        found: str = read.cases["case_hash"].item()
        return found

    return of


@pytest.mark.parametrize(
    "change",
    [
        {"question": " 送料は　いくら？ "},
        {"question": "送料は  いくら?"},
        {"accepted_answers": ["¥500", "五百円"]},
        {"accepted_statuses": ["clarify", "answer"]},
        {"user_roles": ["guest", "staff"]},
        {"category": "paraphrase"},
        {"split": "test"},
        {"risk": "high"},
        {"owner": "b"},
        {"tags": []},
        {"reviewed_by": []},
        {"scenario_id": "s2"},
        {"unheard_of": 1},
    ],
)
def test_what_does_not_decide_the_score_does_not_count(
    hash_of: Callable[..., str], change: dict[str, Any]
) -> None:
    assert hash_of(CASE | change) == hash_of(CASE)


def test_the_order_of_keys_does_not_count(hash_of: Callable[..., str]) -> None:
    turned = dict(reversed(CASE.items()))
    turned["abstain_policy"] = dict(reversed(CASE["abstain_policy"].items()))
    assert hash_of(turned) == hash_of(CASE)


def test_aliases_do_not_count(hash_of: Callable[..., str]) -> None:
    renamed = CASE | {
        "id": CASE["case_id"],
        "expected": CASE["reference_answer"],
        "status": CASE["expected_status"],
    }
    for name in ("case_id", "reference_answer", "expected_status"):
        del renamed[name]
    assert hash_of(renamed) == hash_of(CASE)


@pytest.mark.parametrize(
    "change",
    [
        {"question": "送料はいくら？"},
        {"reference_answer": "400円"},
        {"accepted_answers": ["五百円"]},
        {"reference_evidence_ids": ["shipping#fee"]},
        {"reference_evidence_ids": [{"id": "shipping#fee", "grade": 2}, "returns"]},
        {"required_claims": []},
        {"required_claims": [{"id": "c1", "text": "送料は500円", "importance": "okay"}]},
        {"forbidden_claims": []},
        {"evidence_quotes": []},
        {"expected_status": "clarify"},
        {"accepted_statuses": ["answer"]},
        {"abstain_policy": {"must_not_invent": False, "next_action": ["窓口へ"]}},
        {"user_roles": []},
        {"as_of": "2026-04-02"},
        {"as_of": None},
    ],
)
def test_what_decides_the_score_counts(hash_of: Callable[..., str], change: dict[str, Any]) -> None:
    assert hash_of(CASE | change) != hash_of(CASE)


def test_the_pinned_text_of_the_gold_counts_and_no_other_text(hash_of: Callable[..., str]) -> None:
    fee = {"section_id": "fee", "text": "送料は500円"}
    returns = {"doc_id": "returns", "text": "返品は30日以内"}
    before = hash_of(CASE)
    changed = {"doc_id": "shipping", "sections": [fee | {"text": "送料は600円"}]}
    other = {"doc_id": "shipping", "sections": [fee, {"section_id": "time", "text": "3日"}]}
    assert hash_of(CASE, changed, returns) != before
    assert hash_of(CASE, other, returns) == before
    assert (
        hash_of(CASE, {"doc_id": "shipping", "sections": [fee]}, {**returns, "text": "60日"})
        != before
    )


def cases(*rows: tuple[str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["case_id", "case_hash", "lifecycle"], orient="row")


def test_a_dataset_is_its_approved_cases_in_any_order() -> None:
    whole = dataset_hash(cases(("a", "1", "approved"), ("b", "2", "approved")))
    assert dataset_hash(cases(("b", "2", "approved"), ("a", "1", "approved"))) == whole
    assert (
        dataset_hash(cases(("a", "1", "approved"), ("b", "2", "approved"), ("c", "3", "draft")))
        == whole
    )
    for other in (
        cases(("a", "1", "approved")),
        cases(("a", "1", "approved"), ("b", "9", "approved")),
        cases(("a", "1", "approved"), ("c", "2", "approved")),
        cases(("a", "1", "approved"), ("b", "2", "retired")),
    ):
        assert dataset_hash(other) != whole
