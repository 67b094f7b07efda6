import datetime as dt

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.tables.contract import SHOWN_VALUE, ContractError, verified, violations

CASE = {
    "dataset_version": "faq@v1",
    "dataset_hash": "h",
    "snapshot_id": None,
    "draft": True,
    "case_id": "q1",
    "case_hash": "c",
    "question": "送料は？",
    "reference_answer": "500円",
    "accepted_answers": [],
    "evidence_quotes": [],
    "expected_status": "answer",
    "accepted_statuses": ["answer"],
    "abstain_policy": None,
    "policy_notes": [],
    "category": "direct",
    "split": None,
    "risk": None,
    "scenario_id": None,
    "user_roles": [],
    "as_of": dt.date(2026, 4, 1),
    "tags": [],
    "owner": None,
    "reviewed_by": [],
    "collected_from": None,
    "frequency": None,
    "language": None,
    "lifecycle": "approved",
    "source_file": "datasets/faq/v1/cases.jsonl",
    "source_line": 1,
    "flags": [],
    "extra": None,
}


def frame(*changes: dict[str, object]) -> pl.DataFrame:
    rows = [CASE | {"case_id": f"q{number}"} | each for number, each in enumerate(changes, 1)]
    return pl.DataFrame(rows, schema=tables.columns("cases"), orient="row")


def test_a_frame_that_keeps_the_contract_has_no_violations() -> None:
    assert violations("cases", frame({}, {})) == []


def test_each_violation_names_row_column_rule_and_value() -> None:
    found = violations("cases", frame({}, {"split": "dev"}, {"question": None}, {"source_line": 0}))
    assert [(each.table, each.row_id, each.column, each.value) for each in found] == [
        ("cases", "q2", "split", "'dev'"),
        ("cases", "q3", "question", "nothing"),
        ("cases", "q4", "source_line", "'0'"),
    ]
    assert "development, validation, test" in found[0].rule
    assert found[0].sentence == f"split is 'dev'; expected {found[0].rule}"
    assert found[1].rule == "a value"
    assert found[2].rule == "at least 1"


def test_one_row_may_break_several_rules() -> None:
    found = violations("cases", frame({"split": "dev", "risk": "huge", "lifecycle": "old"}))
    assert [each.column for each in found] == ["lifecycle", "risk", "split"]


def test_rows_of_one_key_are_each_named() -> None:
    found = violations("cases", frame({}, {"case_id": "q1"}))
    assert {each.column for each in found} == {"dataset_version, case_id"}
    assert {each.rule for each in found} == {"each combination once"}
    assert {each.row_id for each in found} == {"q1"}


def test_a_row_named_by_several_columns_shows_all_of_them() -> None:
    rows = {
        "dataset_version": ["faq@v1"],
        "case_id": ["q1"],
        "group_no": [0],
        "evidence_id": ["shipping#fee"],
        "doc_id": ["shipping"],
        "section_id": ["fee"],
        "grade": [1],
        "resolved": [True],
        "sha256": [None],
    }
    (found,) = violations(
        "case_evidence", pl.DataFrame(rows, schema=tables.columns("case_evidence"))
    )
    assert found.row_id == '["q1", 0, "shipping#fee"]'


def test_a_wrong_type_says_the_type_wanted() -> None:
    (found,) = violations("cases", frame({}).with_columns(pl.col("source_line").cast(pl.Float64)))
    assert (found.column, found.rule, found.value) == (
        "source_line",
        "the type Int64",
        "'Float64'",
    )
    assert found.row_id == ""


def test_a_long_value_is_cut_in_the_message() -> None:
    (found,) = violations("cases", frame({"split": "x" * 500}))
    assert len(found.value) == SHOWN_VALUE
    assert found.value.endswith("…")


def test_verified_puts_columns_into_the_order_of_the_contract() -> None:
    shuffled = frame({}).select(sorted(tables.columns("cases")))
    assert verified("cases", shuffled).columns == list(tables.columns("cases"))


def test_verified_raises_with_every_violation() -> None:
    with pytest.raises(ContractError, match="q2: split is 'dev'") as raised:
        verified("cases", frame({}, *({"split": "dev"} for _ in range(7))))
    assert len(raised.value.violations) == 7
    assert "(and 2 more)" in str(raised.value)
