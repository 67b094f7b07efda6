from typing import Any

import pytest

from rag_eval_pipeline.dataset.cases import FIELDS
from rag_eval_pipeline.dataset.gold import Claim, claims, evidence_groups
from rag_eval_pipeline.reading.record import Record, shape


def record(row: dict[str, Any], *, typed: bool = True) -> Record:
    return shape(row, FIELDS, typed=typed)


def groups(*, typed: bool = True, **row: Any) -> list[list[tuple[str, int]]]:
    of = record(row, typed=typed)
    found = evidence_groups(of, typed=typed)
    assert of.faults == []
    return found


def fault(**row: Any) -> str:
    of = record(row)
    evidence_groups(of, typed=True)
    claims(of, "required", typed=True)
    return of.faults[0].code


def test_each_id_of_a_plain_list_is_a_group_of_its_own() -> None:
    assert groups(reference_evidence_ids=["a", "b#1"]) == [[("a", 1)], [("b#1", 1)]]


@pytest.mark.parametrize("name", ["evidence", "source", "reference_evidence_ids"])
def test_one_document_or_none_is_the_minimal_form_and_no_oddity(name: str) -> None:
    of = record({name: "a"})
    assert evidence_groups(of, typed=True) == [[("a", 1)]]
    assert of.flags == []
    assert groups(**{name: None}) == []


def test_inner_lists_are_alternatives() -> None:
    assert groups(evidence_groups=[["a", "b"], "c"]) == [[("a", 1), ("b", 1)], [("c", 1)]]


def test_grades_are_kept() -> None:
    assert groups(reference_evidence_ids=[{"id": "a", "grade": 3}, {"evidence_id": "b"}]) == [
        [("a", 3)],
        [("b", 1)],
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"reference_evidence_ids": ["a", "a"]},
        {"evidence_groups": [["a"], ["a"]]},
        {"evidence_groups": [["a", "a"]]},
        {"reference_evidence_ids": ["a", {"id": "a", "grade": 3}]},
    ],
)
def test_repeated_ids_and_equal_groups_count_once_and_are_noted(row: dict[str, Any]) -> None:
    of = record(row)
    assert evidence_groups(of, typed=True) == [[("a", 1)]]
    assert of.flags == ["reference_evidence_ids:duplicate_gold"]


def test_groups_are_equal_in_any_order_of_their_alternatives() -> None:
    assert groups(evidence_groups=[["a", "b"], ["b", "a"]]) == [[("a", 1), ("b", 1)]]


@pytest.mark.parametrize(
    ("cell", "found"),
    [("a", ["a"]), ('["a", "b"]', ["a", "b"]), ("a\nb", ["a", "b"])],
)
def test_a_cell_of_a_sheet_is_a_list(cell: str, found: list[str]) -> None:
    assert groups(typed=False, evidence=cell) == [[(each, 1)] for each in found]


def test_a_cell_may_hold_groups_as_json() -> None:
    assert groups(typed=False, evidence_groups='[["a", "b"], ["c"]]') == [
        [("a", 1), ("b", 1)],
        [("c", 1)],
    ]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"reference_evidence_ids": ["a"], "evidence_groups": [["b"]]}, "two_golds"),
        ({"evidence_groups": [[]]}, "empty_group"),
        ({"reference_evidence_ids": [None]}, "missing_id"),
        ({"reference_evidence_ids": [" "]}, "refused_id"),
        ({"reference_evidence_ids": [True]}, "not_an_id"),
        ({"reference_evidence_ids": [{"id": "a", "grade": 4}]}, "bad_grade"),
        ({"reference_evidence_ids": [{"grade": 1}]}, "missing_id"),
        ({"required_claims": [""]}, "missing_claim_text"),
        ({"required_claims": [{"送料は": "500円"}]}, "missing_claim_text"),
        ({"required_claims": [{"text": "t", "importance": "high"}]}, "unknown_value"),
    ],
)
def test_gold_that_cannot_be_read_is_a_fault(row: dict[str, Any], code: str) -> None:
    assert fault(**row) == code


def test_an_ambiguous_cell_is_a_fault() -> None:
    of = record({"evidence": "a;b"}, typed=False)
    evidence_groups(of, typed=False)
    assert of.faults[0].code == "ambiguous_list"


def test_claims_are_sentences_or_objects() -> None:
    of = record(
        {
            "required_claims": [
                "送料は500円",
                {
                    "id": "c9",
                    "text": "期限は30日",
                    "importance": "okay",
                    "any_of": ["30日"],
                    "not": ["60日"],
                },
            ],
            "forbidden_claims": "無料である",
        }
    )
    assert claims(of, "required", typed=True) == [
        Claim("r1", "required", "送料は500円", "vital"),
        Claim("c9", "required", "期限は30日", "okay", ("30日",), (), ("60日",)),
    ]
    assert claims(of, "forbidden", typed=True) == [Claim("f1", "forbidden", "無料である", "vital")]
    assert of.faults == []


def test_an_unknown_key_of_a_claim_is_noted() -> None:
    of = record({"required_claims": [{"text": "t", "importence": "okay"}]})
    claims(of, "required", typed=True)
    assert of.flags == ["required_claims[1]:unknown_keys importence"]
