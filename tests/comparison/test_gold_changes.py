"""What two versions of a dataset say differently about the gold of a case."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.comparison.gold_changes import gold_changes

RowsOf = Callable[..., pl.DataFrame]
CASE: dict[str, Any] = {
    "case_id": "q",
    "question": "How much?",
    "reference_answer": "500 yen",
    "expected_status": "answer",
    "accepted_statuses": ["answer"],
}
CLAIM: dict[str, Any] = {
    "case_id": "q",
    "claim_id": "r1",
    "kind": "required",
    "text": "It costs 500 yen",
    "importance": "vital",
}
GOLD: dict[str, Any] = {
    "case_id": "q", "group_no": 1, "evidence_id": "fees#a", "doc_id": "fees", "grade": 1,
    "sha256": "old",
}  # fmt: skip


@pytest.fixture
def version(rows_of: RowsOf) -> Callable[..., dict[str, pl.DataFrame]]:
    def made(
        case: dict[str, Any] = CASE,
        claims: tuple[dict[str, Any], ...] = (CLAIM,),
        gold: tuple[dict[str, Any], ...] = (GOLD,),
    ) -> dict[str, pl.DataFrame]:
        return {
            "cases": rows_of("cases", case),
            "case_claims": rows_of("case_claims", *claims),
            "case_evidence": rows_of("case_evidence", *gold),
        }

    return made


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, None),
        ({"case": CASE | {"owner": "someone", "category": "direct", "tags": ["x"]}}, None),
        ({"case": CASE | {"reference_answer": "600 yen"}}, ["reference_answer"]),
        ({"case": CASE | {"reference_answer": None}}, ["reference_answer"]),
        ({"case": CASE | {"accepted_statuses": ["answer", "clarify"]}}, ["accepted_statuses"]),
        ({"claims": (CLAIM | {"text": "It costs 600 yen"},)}, ["claims"]),
        ({"claims": (CLAIM | {"values": ["500 yen"]},)}, ["claims"]),
        ({"claims": ()}, ["claims"]),
        ({"gold": (GOLD | {"sha256": "new"},)}, ["text of fees#a"]),
        ({"gold": (GOLD | {"evidence_id": "fees#b", "sha256": "old"},)}, ["evidence"]),
        ({"gold": ()}, ["evidence"]),
        (
            {
                "case": CASE | {"reference_answer": "600 yen"},
                "claims": (CLAIM | {"text": "It costs 600 yen"},),
                "gold": (GOLD | {"sha256": "new"},),
            },
            ["reference_answer", "claims", "text of fees#a"],
        ),
    ],
)
def test_what_differs_is_named(
    version: Callable[..., dict[str, pl.DataFrame]],
    changed: dict[str, Any],
    told: list[str] | None,
) -> None:
    found = gold_changes(version(), version(**changed))
    assert dict(found.rows()) == ({} if told is None else {"q": told})


def test_the_order_claims_and_groups_are_written_in_is_no_change(
    version: Callable[..., dict[str, pl.DataFrame]],
) -> None:
    claims = (CLAIM, CLAIM | {"claim_id": "r2", "text": "Tax is included"})
    gold = (GOLD, GOLD | {"evidence_id": "fees#b"})
    old = version(claims=claims, gold=gold)
    assert gold_changes(old, version(claims=claims[::-1], gold=gold[::-1])).is_empty()


def test_cases_of_one_version_only_have_no_row(
    version: Callable[..., dict[str, pl.DataFrame]],
) -> None:
    assert gold_changes(version(), version(case=CASE | {"case_id": "other"})).is_empty()
