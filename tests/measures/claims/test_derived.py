"""Claims of cases: written ones as they are, derived ones where none is required."""

from collections.abc import Callable
from typing import Any

import polars as pl

from rag_eval_pipeline.measures.claims.derived import case_claims

RowsOf = Callable[..., pl.DataFrame]


def claims_of(rows_of: RowsOf, case: dict[str, Any], *claims: dict[str, Any]) -> pl.DataFrame:
    cases = rows_of("cases", {"case_id": "q", "expected_status": "answer", **case})
    written = [{"case_id": "q", "kind": "required", "importance": "vital", **each}
               for each in claims]  # fmt: skip
    return case_claims(cases, rows_of("case_claims", *written))


def ids_and_texts(found: pl.DataFrame) -> list[tuple[str, str, str]]:
    return found.select("claim_id", "kind", "claim").rows()


def test_each_accepted_answer_is_a_derived_claim_the_reference_answer_first(
    rows_of: RowsOf,
) -> None:
    found = claims_of(rows_of, {"reference_answer": "三日", "accepted_answers": ["3日", "三日間"]})
    assert ids_and_texts(found) == [
        ("a1", "derived", "三日"),
        ("a2", "derived", "3日"),
        ("a3", "derived", "三日間"),
    ]
    assert found["importance"].unique().to_list() == ["vital"]
    assert found["any_of"].to_list() == [[], [], []]


def test_equal_and_blank_accepted_answers_are_no_claims_of_their_own(rows_of: RowsOf) -> None:
    found = claims_of(
        rows_of, {"reference_answer": "三日", "accepted_answers": ["三日", " ", "", "3日"]}
    )
    assert ids_and_texts(found) == [("a1", "derived", "三日"), ("a2", "derived", "3日")]


def test_a_required_claim_leaves_nothing_to_derive(rows_of: RowsOf) -> None:
    required = {"claim_id": "c1", "text": "保証は三日", "values": ["三日"]}
    found = claims_of(rows_of, {"reference_answer": "三日"}, required)
    assert ids_and_texts(found) == [("c1", "required", "保証は三日")]
    assert found["values"].to_list() == [["三日"]]


def test_a_forbidden_claim_does_not_stand_for_a_required_one(rows_of: RowsOf) -> None:
    forbidden = {"claim_id": "f1", "kind": "forbidden", "text": "保証はない"}
    found = claims_of(rows_of, {"reference_answer": "三日"}, forbidden)
    assert ids_and_texts(found) == [
        ("f1", "forbidden", "保証はない"),
        ("a1", "derived", "三日"),
    ]


def test_a_derived_id_never_takes_one_that_is_written(rows_of: RowsOf) -> None:
    forbidden = {"claim_id": "a1", "kind": "forbidden", "text": "保証はない"}
    found = claims_of(rows_of, {"reference_answer": "三日"}, forbidden)
    assert found["claim_id"].to_list() == ["a1", "a2"]


def test_only_a_case_that_expects_an_answer_has_derived_claims(rows_of: RowsOf) -> None:
    for status in ("unknown", "clarify"):
        given = {"expected_status": status, "reference_answer": "記載がありません"}
        assert claims_of(rows_of, given).is_empty()


def test_claims_of_cases_that_are_not_scored_are_left_out(rows_of: RowsOf) -> None:
    other = {"case_id": "draft", "claim_id": "c1", "text": "x"}
    assert claims_of(rows_of, {"reference_answer": None}, other).is_empty()


def test_without_cases_there_are_no_claims(rows_of: RowsOf) -> None:
    found = case_claims(rows_of("cases"), rows_of("case_claims"))
    assert found.is_empty()
    assert found.columns[0] == "case_id"
