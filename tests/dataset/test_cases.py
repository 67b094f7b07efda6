import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.dataset.cases import CasesRead, uses_more_than_minimal
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.tables.contract import violations


def codes(read: CasesRead) -> list[tuple[str, int | None]]:
    return [(each.code, each.line) for each in read.rejected]


def one(root: Any, **case: Any) -> dict[str, Any]:
    """The row of a case that is right but for what is given."""
    root.cases({"id": "q1", "question": "送料は？", **case})
    read = root.read()
    assert read.rejected == []
    return dict(read.cases.row(0, named=True))


def fault(root: Any, **case: Any) -> tuple[str, str | None]:
    """Code and field for which a case is left out beside one that is right."""
    root.cases({"id": "q0", "question": "返品は？"}, {"id": "q1", "question": "送料は？", **case})
    read = root.read()
    assert read.cases["case_id"].to_list() == ["q0"]
    (rejected,) = read.rejected
    assert rejected.line == 2
    return rejected.code, rejected.field


def test_the_minimal_form_is_read_whole(root: Any) -> None:
    read = root.read()
    for table, frame in (
        ("cases", read.cases),
        ("case_evidence", read.evidence),
        ("case_claims", read.claims),
    ):
        assert violations(table, frame) == []
    row = read.cases.row(0, named=True)
    assert (row["case_id"], row["reference_answer"], row["expected_status"]) == (
        "q1",
        "500円",
        "answer",
    )
    assert row["accepted_statuses"] == ["answer"]
    assert (row["category"], row["lifecycle"], row["flags"]) == ("unclassified", "approved", [])
    evidence = read.evidence.row(0, named=True)
    assert (evidence["doc_id"], evidence["section_id"], evidence["resolved"]) == (
        "shipping",
        None,
        True,
    )
    assert read.cases["dataset_hash"].unique().to_list() == [read.dataset_hash]


FORMATS: dict[str, bytes] = {
    "cases.jsonl": b'{"id": "007", "question": "\xe9\x80\x81\xe6\x96\x99", "expected": "no", '
    b'"evidence": ["shipping#fee", "returns"], "tags": ["a", "b"]}\n',
    "cases.yaml": """
- id: 007
  question: 送料
  expected: no
  evidence: [shipping#fee, returns]
  tags:
    - a
    - b
""".encode(),
    "cases.csv": 'id,question,expected,evidence,tags\r\n007,送料,no,"shipping#fee\nreturns",'
    '"[""a"", ""b""]"\r\n'.encode(),
    "cases.tsv": 'id\tquestion\texpected\tevidence\ttags\n007\t送料\tno\t"shipping#fee\nreturns"\t'
    '"[""a"", ""b""]"\n'.encode(),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_case(root: Any, name: str) -> None:
    (root.folder / "cases.jsonl").unlink()
    root.file(name, FORMATS[name])
    read = root.read()
    assert read.rejected == []
    row = read.cases.row(0, named=True)
    assert (row["case_id"], row["question"], row["reference_answer"]) == ("007", "送料", "no")
    assert (row["tags"], row["flags"]) == (["a", "b"], [])
    assert read.evidence["evidence_id"].to_list() == ["shipping#fee", "returns"]
    root.file(name, b"")
    root.cases(json.loads(FORMATS["cases.jsonl"]))
    (root.folder / name).unlink() if name != "cases.jsonl" else None
    assert root.read().dataset_hash == read.dataset_hash


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("id,question\nq1,㈱髙橋①の表示～\n".encode("cp932"), "cp932"),
        ("id,question\nq1,㈱髙橋①の表示～\n".encode("utf-8-sig"), "utf-8-sig"),
        ("\ufeffid,question\nq1,㈱髙橋①の表示～\n".encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_the_encoding_is_found_and_noted(root: Any, data: bytes, encoding: str) -> None:
    (root.folder / "cases.jsonl").unlink()
    root.file("cases.csv", data)
    read = root.read()
    assert read.encoding == encoding
    assert read.cases["question"].to_list() == ["㈱髙橋①の表示～"]


def test_ids_and_texts_stay_as_written(root: Any) -> None:
    root.file(
        "cases.jsonl",
        b'{"id": 1e5, "question": "q", "expected": 1.10, "scenario_id": "2026-01-02"}\n',
    )
    row = root.read().cases.row(0, named=True)
    assert (row["case_id"], row["reference_answer"]) == ("1e5", "1.10")
    assert row["scenario_id"] == "2026-01-02"
    assert set(row["flags"]) == {"case_id:number_as_text", "reference_answer:number_as_text"}


def test_unknown_fields_are_kept_and_reported(root: Any) -> None:
    row = one(root, team="a", hint={"b": [1]})
    assert json.loads(row["extra"]) == {"team": "a", "hint": {"b": [1]}}
    assert root.read().unknown_fields == ("hint", "team")


def test_every_field_of_the_design_has_its_column(root: Any) -> None:
    row = one(
        root,
        accepted_answers=["五百円"],
        evidence_quotes=["送料は500円"],
        status="clarify",
        accepted_statuses=["clarify", "unknown"],
        abstain_policy={"must_not_invent": True},
        category="conditional",
        split="test",
        risk="high",
        scenario_id="s",
        user_roles=["staff"],
        as_of="2026-04-01",
        tags=["t"],
        owner="o",
        reviewed_by=["r"],
        collected_from="mail",
        frequency="weekly",
        lang="ja",
        lifecycle="draft",
    )
    assert row["accepted_statuses"] == ["clarify", "unknown"]
    assert row["as_of"] == dt.date(2026, 4, 1)
    assert [
        row[name]
        for name in (
            "category", "split", "risk", "scenario_id", "user_roles", "tags", "owner",
            "reviewed_by", "collected_from", "frequency", "language", "lifecycle",
        )
    ] == [
        "conditional", "test", "high", "s", ["staff"], ["t"], "o", ["r"], "mail", "weekly", "ja",
        "draft",
    ]  # fmt: skip
    assert row["extra"] is None


def test_a_category_is_folded(root: Any) -> None:
    assert one(root, category=" ｄｉｒｅｃｔ ")["category"] == "direct"
    assert one(root, category="  ")["category"] == "unclassified"


def test_language_and_day_come_from_the_manifest_where_the_case_is_silent(root: Any) -> None:
    root.manifest("lang: ja\nas_of: 2026-04-01\n")
    row = one(root)
    assert (row["language"], row["as_of"]) == ("ja", dt.date(2026, 4, 1))
    assert one(root, as_of="2026-05-01")["as_of"] == dt.date(2026, 5, 1)


def test_the_expected_status_is_always_an_accepted_one(root: Any) -> None:
    assert one(root, status="unknown")["accepted_statuses"] == ["unknown"]
    row = one(root, status="unknown", accepted_statuses=["clarify"])
    assert row["accepted_statuses"] == ["unknown", "clarify"]


@pytest.mark.parametrize(
    ("case", "code", "field"),
    [
        ({"question": None}, "missing_field", "question"),
        ({"question": "  "}, "missing_field", "question"),
        ({"id": None}, "missing_field", "case_id"),
        ({"id": "\u200b"}, "refused_id", "case_id"),
        ({"status": "maybe"}, "contract", "expected_status"),
        ({"accepted_statuses": ["answer", "maybe"]}, "unknown_value", "accepted_statuses"),
        ({"accepted_statuses": ["unknown"]}, "missing_field", "expected_status"),
        ({"category": "unanswerable"}, "missing_field", "expected_status"),
        ({"split": "dev"}, "contract", "split"),
        ({"risk": "huge"}, "contract", "risk"),
        ({"lifecycle": "old"}, "contract", "lifecycle"),
        ({"tags": [None]}, "not_text_in_list", "tags"),
        ({"evidence": ["a", None]}, "missing_id", "reference_evidence_ids"),
        (
            {"required_claims": [{"id": "c", "text": "a"}, {"id": "c", "text": "b"}]},
            "duplicate_claim_id",
            "required_claims",
        ),
    ],
)
def test_a_case_that_cannot_be_used_is_left_out_and_names_its_field(
    root: Any, case: dict[str, Any], code: str, field: str
) -> None:
    assert fault(root, **case) == (code, field)


def test_a_broken_contract_says_what_was_found_and_expected(root: Any) -> None:
    root.cases({"id": "q0", "question": "a"}, {"id": "q1", "question": "b", "split": "dev"})
    read = root.read()
    assert [(each.row_id, each.column, each.value) for each in read.violations] == [
        ("q1", "split", "'dev'")
    ]
    assert read.rejected[0].reason == (
        "case 'q1': split is 'dev'; expected one of development, validation, test"
    )


def test_equal_cases_are_one_and_different_ones_of_one_id_are_all_left_out(root: Any) -> None:
    root.cases(
        {"id": "a", "question": "1"},
        {"question": "1", "id": "a"},
        {"id": "b", "question": "1"},
        {"id": "c", "question": "1"},
        {"id": "b", "question": "2"},
    )
    read = root.read()
    assert read.cases["case_id"].to_list() == ["a", "c"]
    assert codes(read) == [
        ("exact_duplicate", 2),
        ("duplicate_case_id", 3),
        ("duplicate_case_id", 5),
    ]
    assert "lines 3, 5" in read.rejected[1].reason


def test_ids_are_compared_in_nfc_and_by_case(root: Any) -> None:
    root.cases(
        {"id": "ガ", "question": "1"},
        {"id": "カ\u3099", "question": "2"},
        {"id": "Q1", "question": "3"},
        {"id": "q1", "question": "4"},
    )
    read = root.read()
    assert read.cases["case_id"].to_list() == ["Q1", "q1"]
    assert codes(read) == [("duplicate_case_id", 1), ("duplicate_case_id", 2)]


def test_dangling_gold_is_kept_and_marked(root: Any) -> None:
    root.cases({"id": "q1", "question": "a", "evidence": ["gone", "shipping#none", "shipping#fee"]})
    evidence = root.read().evidence
    assert evidence.select("evidence_id", "doc_id", "section_id", "resolved").rows() == [
        ("gone", "gone", None, False),
        ("shipping#none", "shipping", "none", False),
        ("shipping#fee", "shipping", "fee", True),
    ]
    assert evidence["sha256"].is_null().to_list() == [True, True, False]


ROW = st.sampled_from(
    [
        '{"id": "a", "question": "1"}',
        '{"id": "a", "question": "2"}',
        '{"id": "b", "question": "1"}',
        '{"id": "b", "question": "1", "split": "dev"}',
        '{"id": "c"}',
        "{",
        "[]",
        "null",
        "",
        "  ",
        '{"id": "d", "id": "d"}',
    ]
)


@given(st.lists(ROW, max_size=8))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_row_is_used_or_left_out(root: Any, rows: list[str]) -> None:
    root.file("cases.jsonl", "\n".join(['{"id": "sure", "question": "0"}', *rows]).encode())
    read = root.read()
    assert read.n_rows == 1 + sum(bool(row.strip()) for row in rows)
    assert read.n_rows == read.cases.height + len(read.rejected)
    assert all(each.line is not None and each.reason for each in read.rejected)


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_an_empty_file_is_an_error(root: Any, data: bytes) -> None:
    root.file("cases.jsonl", data)
    with pytest.raises(InputError) as raised:
        root.read()
    assert raised.value.code == "empty_file"
    assert raised.value.file == "datasets/faq/v1/cases.jsonl"


def test_wrong_columns_are_an_error_that_names_those_found(root: Any) -> None:
    (root.folder / "cases.jsonl").unlink()
    root.file("cases.csv", b"nr,question\n1,a\n2,b\n")
    with pytest.raises(InputError) as raised:
        root.read()
    problem = raised.value
    assert (problem.code, problem.field, problem.file) == (
        "missing_column",
        "case_id",
        "datasets/faq/v1/cases.csv",
    )
    assert problem.found == "the columns nr, question"
    assert problem.expected == "a column case_id or id"


def test_a_file_without_a_usable_case_is_an_error_that_names_the_first_row(root: Any) -> None:
    root.cases({"id": "q1", "question": "a", "risk": "huge"}, {"id": "q2", "question": None})
    with pytest.raises(InputError) as raised:
        root.read()
    assert (raised.value.line, raised.value.field) == (1, "risk")
    assert "2 rejected" in raised.value.found


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ([], "no_cases_file"),
        (["cases.jsonl", "cases.csv"], "several_cases_files"),
        (["cases.docx"], "unknown_format"),
    ],
)
def test_there_must_be_one_file_of_a_known_format(root: Any, names: list[str], code: str) -> None:
    (root.folder / "cases.jsonl").unlink()
    for name in names:
        root.file(name, b"")
    with pytest.raises(InputError) as raised:
        root.read()
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("case", "rich"),
    [
        ({"evidence": ["shipping", "returns"], "category": "direct"}, False),
        ({"accepted_answers": ["五百円"]}, False),
        ({"accepted_statuses": ["answer", "answer"]}, False),
        ({"required_claims": ["a"]}, True),
        ({"forbidden_claims": ["a"]}, True),
        ({"evidence_groups": [["shipping", "returns"]]}, True),
        ({"evidence_quotes": ["a"]}, True),
        ({"abstain_policy": {"must_not_invent": True}}, True),
        ({"abstain_policy": ["断る"]}, True),
        ({"accepted_statuses": ["answer", "clarify"]}, True),
    ],
)
def test_cases_that_say_more_than_the_minimal_form_are_told(
    root: Any, case: dict[str, Any], rich: bool
) -> None:
    one(root, **case)
    assert uses_more_than_minimal(root.dataset(), root.path) is rich


def test_one_rich_case_is_enough_and_a_file_that_cannot_be_read_is_not_rich(root: Any) -> None:
    root.cases({"id": "q1", "question": "a"}, {"id": "q2", "question": "b", "required_claims": "c"})
    assert uses_more_than_minimal(root.dataset(), root.path) is True
    root.file("cases.jsonl", b"\xff\xfe\x00")
    assert uses_more_than_minimal(root.dataset(), root.path) is False
    (root.folder / "cases.jsonl").unlink()
    assert uses_more_than_minimal(root.dataset(), root.path) is False


def test_a_case_keeps_the_line_it_starts_on(root: Any) -> None:
    (root.folder / "cases.jsonl").unlink()
    root.file("cases.csv", '\ufeffid,question\nq1,"a\nb"\n\nq2,c\n'.encode())
    assert root.read().cases.select("case_id", "source_line").rows() == [("q1", 2), ("q2", 5)]


def test_a_draft_says_so_and_carries_the_live_snapshot(root: Any) -> None:
    row = one(root)
    assert row["draft"] is True
    assert row["snapshot_id"] == root.snapshot().snapshot


def test_without_a_knowledge_base_gold_is_neither_found_nor_dangling(
    new_root: Callable[[], Any],
) -> None:
    root = new_root()
    (root.path / "knowledge" / "shop" / "documents.jsonl").unlink()
    (root.path / "knowledge" / "shop").rmdir()
    read = root.read()
    assert read.cases["snapshot_id"].to_list() == [None]
    assert read.evidence["resolved"].to_list() == [None]
    assert isinstance(read.evidence, pl.DataFrame)
