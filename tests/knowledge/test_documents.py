import json
from pathlib import Path
from typing import Any

import pytest

from rag_eval_pipeline.knowledge.documents import parse_documents, read_knowledge
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.json_lines import read_json_lines
from rag_eval_pipeline.reading.quarantine import Rejected

Documents = list[dict[str, object]]


def parsed(*rows: dict[str, Any] | str) -> tuple[Documents, list[Rejected]]:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    text = "".join(f"{line}\n" for line in lines)
    return parse_documents(read_json_lines(text.encode(), "documents.jsonl"))


def only(row: dict[str, Any]) -> dict[str, object]:
    (document,), rejected = parsed(row)
    assert rejected == []
    return document


def fault(row: dict[str, Any]) -> Rejected:
    documents, (rejected,) = parsed(row)
    assert documents == []
    return rejected


def test_a_text_becomes_one_section_without_id() -> None:
    found = only({"doc_id": "shipping", "text": "送料は500円"})
    assert found == {
        "doc_id": "shipping",
        "lifecycle": "active",
        "sections": [{"text": "送料は500円"}],
    }


def test_sections_keep_id_heading_and_order() -> None:
    found = only(
        {
            "id": "d",
            "sections": [
                {"section_id": "2", "heading": "H", "text": "b"},
                {"id": "1", "text": "a"},
            ],
        }
    )
    assert found["sections"] == [
        {"section_id": "2", "heading": "H", "text": "b"},
        {"section_id": "1", "text": "a"},
    ]


def test_dates_go_by_their_aliases_and_are_kept_as_days() -> None:
    found = only({"doc_id": "d", "text": "t", "valid_from": "2026-01-01", "valid_to": "2026-09-30"})
    assert (found["effective_from"], found["effective_until"]) == ("2026-01-01", "2026-09-30")


def test_numeric_ids_become_their_digits_and_this_is_noted() -> None:
    (document,), _ = parsed('{"doc_id": 1e5, "text": "t"}')
    assert document["doc_id"] == "1e5"
    assert document["flags"] == ["doc_id:number_as_text"]


def test_unknown_fields_are_kept() -> None:
    assert only({"doc_id": "d", "text": "t", "team": {"b": 1}})["extra"] == {"team": {"b": "1"}}


@pytest.mark.parametrize(
    ("row", "code", "field"),
    [
        ({"text": "t"}, "missing_field", "doc_id"),
        ({"doc_id": "d"}, "missing_field", "text"),
        ({"doc_id": " ", "text": "t"}, "refused_id", "doc_id"),
        ({"doc_id": ["d"], "text": "t"}, "not_an_id", "doc_id"),
        ({"doc_id": "d", "text": "t", "lifecycle": "old"}, "unknown_value", "lifecycle"),
        ({"doc_id": "d", "sections": "t"}, "not_a_list", "sections"),
        ({"doc_id": "d", "sections": ["t"]}, "not_an_object", "sections[1]"),
        ({"doc_id": "d", "sections": [{"text": "t"}]}, "missing_field", "sections[1]"),
        (
            {"doc_id": "d", "sections": [{"id": "s", "text": "a"}, {"id": "s", "text": "b"}]},
            "duplicate_section_id",
            "sections[2]",
        ),
    ],
)
def test_a_document_that_cannot_be_used_names_its_field(
    row: dict[str, Any], code: str, field: str
) -> None:
    rejected = fault(row)
    assert (rejected.code, rejected.field, rejected.line) == (code, field, 1)


def test_equal_documents_are_one_whatever_the_order_of_their_keys() -> None:
    documents, rejected = parsed({"doc_id": "d", "text": "t"}, {"text": "t", "doc_id": "d"})
    assert len(documents) == 1
    assert [(each.code, each.line) for each in rejected] == [("exact_duplicate", 2)]


def test_documents_of_one_id_with_other_contents_are_both_rejected_with_their_lines() -> None:
    documents, rejected = parsed(
        {"doc_id": "d", "text": "t"}, {"doc_id": "e", "text": "t"}, {"doc_id": "d", "text": "u"}
    )
    assert [each["doc_id"] for each in documents] == ["e"]
    assert [(each.code, each.line) for each in rejected] == [
        ("duplicate_doc_id", 1),
        ("duplicate_doc_id", 3),
    ]
    assert all("1, 3" in each.reason for each in rejected)


def test_ids_that_are_one_in_nfc_clash() -> None:
    _, rejected = parsed({"doc_id": "ガ", "text": "t"}, {"doc_id": "カ\u3099", "text": "u"})
    assert {each.code for each in rejected} == {"duplicate_doc_id"}


def test_one_bad_line_leaves_the_others() -> None:
    documents, rejected = parsed({"doc_id": "a", "text": "t"}, "{", {"doc_id": "b", "text": "t"})
    assert [each["doc_id"] for each in documents] == ["a", "b"]
    assert [each.line for each in rejected] == [2]


def knowledge_file(root: Path, data: bytes) -> None:
    folder = root / "knowledge" / "shop"
    folder.mkdir(parents=True)
    (folder / "documents.jsonl").write_bytes(data)


def test_a_knowledge_base_is_read_from_its_folder(tmp_path: Path) -> None:
    row = json.dumps({"doc_id": "d", "text": "送料"}, ensure_ascii=False)
    knowledge_file(tmp_path, row.encode("cp932") + b"\n{\n")
    found = read_knowledge(tmp_path, "shop")
    assert [each["doc_id"] for each in found.documents] == ["d"]
    assert found.encodings == {"knowledge/shop/documents.jsonl": "cp932"}
    assert [(file, each.line) for file, each in found.quarantined] == [
        ("knowledge/shop/documents.jsonl", 2)
    ]


@pytest.mark.parametrize("data", [b"", b"\n \n"])
def test_an_empty_file_is_an_error(tmp_path: Path, data: bytes) -> None:
    knowledge_file(tmp_path, data)
    with pytest.raises(InputError) as raised:
        read_knowledge(tmp_path, "shop")
    assert raised.value.code == "empty_file"
    assert raised.value.file == "knowledge/shop/documents.jsonl"


def test_a_file_without_a_usable_document_is_an_error_that_names_the_first_line(
    tmp_path: Path,
) -> None:
    knowledge_file(tmp_path, b'\n{"text": "t"}\n[]\n')
    with pytest.raises(InputError) as raised:
        read_knowledge(tmp_path, "shop")
    assert (raised.value.code, raised.value.line) == ("missing_field", 2)
    assert "2 rejected" in raised.value.found


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        read_knowledge(tmp_path, "shop")
    assert raised.value.code == "file_missing"
