from typing import Any

import polars as pl

from rag_eval_pipeline.dataset.findings import dataset_findings
from rag_eval_pipeline.tables.contract import violations


def found(root: Any) -> list[tuple[str, str, str | None]]:
    """check, severity and subject of each finding."""
    frame = dataset_findings(root.dataset(), root.snapshot(), root.read())
    assert violations("dataset_findings", frame) == []
    assert set(frame["stage"]) <= {"dataset"}
    assert frame.select(pl.col("message").str.len_chars().min()).item() != 0
    return frame.select("check", "severity", "subject").rows()


def test_the_minimal_form_has_no_findings(root: Any) -> None:
    assert found(root) == []


def test_rows_left_out_are_errors_and_repeated_ones_notes(root: Any) -> None:
    case = {"id": "q1", "question": "a"}
    root.cases(case, case, {"id": "q2"})
    assert found(root) == [
        ("rejected_case", "error", "datasets/faq/v1/cases.jsonl:3"),
        ("rejected_case", "note", "datasets/faq/v1/cases.jsonl:2"),
    ]


def test_documents_left_out_are_warnings(root: Any) -> None:
    root.knowledge({"doc_id": "shipping", "text": "t"}, {"doc_id": "b"})
    assert found(root) == [("rejected_document", "warning", "knowledge/shop/documents.jsonl:2")]


def test_dangling_gold_is_a_warning_in_a_draft_and_an_error_once_frozen(root: Any) -> None:
    root.cases({"id": "q1", "question": "a", "evidence": "gone"})
    assert found(root) == [("dangling_evidence", "warning", "q1")]
    root.manifest("dataset_hash: abc\n")
    assert found(root) == [("dangling_evidence", "error", "q1")]


def test_what_was_odd_in_reading_is_noted(root: Any) -> None:
    root.manifest("as_of: someday\nmascot: cat\n")
    data = '{"id": 1, "question": "送料", "team": "a", "category": "朝礼"}\n'
    root.file("cases.jsonl", data.encode("cp932"))
    assert found(root) == [
        ("manifest_value", "warning", "datasets/faq/v1/dataset.yaml"),
        ("case_value", "note", "1"),
        ("encoding", "note", "datasets/faq/v1/cases.jsonl"),
        ("own_category", "note", "朝礼"),
        ("unknown_fields", "note", "datasets/faq/v1/cases.jsonl"),
        ("unknown_fields", "note", "datasets/faq/v1/dataset.yaml"),
    ]


def test_a_policy_in_sentences_is_told_to_be_checked_by_nobody(root: Any) -> None:
    root.cases({"id": "q1", "question": "a", "abstain_policy": ["断る"]})
    assert found(root) == [("policy_not_checkable", "note", "q1")]


def test_a_category_short_of_its_target_is_a_warning(root: Any) -> None:
    root.manifest("targets: {direct: 1, conditional: 1}\n")
    root.cases({"id": "q1", "question": "a", "category": "direct"})
    assert found(root) == [("target", "warning", "conditional")]
