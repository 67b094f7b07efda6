import datetime as dt
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.knowledge.documents import parse_documents
from rag_eval_pipeline.knowledge.snapshot import (
    frames,
    load_snapshot,
    snapshot_bytes,
    snapshot_id,
    snapshot_path,
    write_snapshot,
)
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.json_lines import read_json_lines
from rag_eval_pipeline.tables.contract import violations

ROWS = [
    {
        "doc_id": "shipping",
        "title": "送料",
        "sections": [{"section_id": "fee", "heading": "料金", "text": "500円"}],
        "valid_from": "2026-01-01",
        "retrieved_at": "2026-01-02T09:00:00+09:00",
        "access": ["staff"],
        "note": 1,
    },
    {"doc_id": "returns", "text": "30日以内", "lifecycle": "superseded"},
]


def documents(*rows: dict[str, object]) -> list[dict[str, object]]:
    data = "".join(json.dumps(row) + "\n" for row in rows or ROWS).encode()
    found, rejected = parse_documents(read_json_lines(data, "documents.jsonl"))
    assert rejected == []
    return found


@given(st.permutations(ROWS), st.booleans())
def test_a_snapshot_depends_on_its_contents_only(rows: list[dict[str, object]], turn: bool) -> None:
    turned = [dict(reversed(row.items())) if turn else row for row in rows]
    assert snapshot_id(documents(*turned)) == snapshot_id(documents())


def test_any_change_makes_another_snapshot() -> None:
    changed = [ROWS[0], {**ROWS[1], "text": "14日以内"}]
    assert snapshot_id(documents(*changed)) != snapshot_id(documents())


def test_a_written_snapshot_is_read_back_as_it_was(tmp_path: Path) -> None:
    name = write_snapshot(tmp_path, "shop", documents())
    assert name == snapshot_id(documents())
    assert len(name) == 12
    assert load_snapshot(tmp_path, "shop", name) == documents()
    assert snapshot_path(tmp_path, "shop", name).read_bytes() == snapshot_bytes(documents())


def test_numbers_of_unknown_fields_keep_the_snapshot_s_hash(tmp_path: Path) -> None:
    name = write_snapshot(tmp_path, "shop", documents())
    assert snapshot_id(load_snapshot(tmp_path, "shop", name)) == name


def test_an_edited_snapshot_is_refused(tmp_path: Path) -> None:
    name = write_snapshot(tmp_path, "shop", documents())
    path = snapshot_path(tmp_path, "shop", name)
    path.write_bytes(path.read_bytes().replace("500円".encode(), "400円".encode()))
    with pytest.raises(InputError) as raised:
        load_snapshot(tmp_path, "shop", name)
    assert raised.value.code == "snapshot_changed"
    assert name in raised.value.expected
    assert raised.value.file == f"snapshots/shop/{name}.jsonl"


def test_a_hostile_name_stays_below_the_snapshots(tmp_path: Path) -> None:
    path = snapshot_path(tmp_path, "../../etc", "../passwd")
    assert path.resolve().is_relative_to((tmp_path / "snapshots").resolve())


def test_the_tables_of_a_snapshot_keep_their_contracts() -> None:
    found, sections = frames(
        documents(), dataset_version="faq@v1", knowledge="shop", snapshot="s1", pinned=True
    )
    assert violations("documents", found) == []
    assert violations("sections", sections) == []
    assert found.select("doc_id", "lifecycle", "effective_from", "access", "extra").rows() == [
        ("returns", "superseded", None, [], None),
        ("shipping", "active", dt.date(2026, 1, 1), ["staff"], '{"note":1}'),
    ]
    assert found["retrieved_at"].to_list()[1] == dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
    assert sections.select("doc_id", "section_id", "text").rows() == [
        ("returns", None, "30日以内"),
        ("shipping", "fee", "500円"),
    ]


def test_the_hash_of_a_document_is_that_of_its_sections() -> None:
    renamed = [{**ROWS[0], "title": "配送料"}, ROWS[1]]
    args = {"dataset_version": "faq@v1", "knowledge": "shop", "snapshot": "s1", "pinned": False}
    before = frames(documents(), **args)[0]["sha256"]  # type: ignore[arg-type]
    assert frames(documents(*renamed), **args)[0]["sha256"].equals(before)  # type: ignore[arg-type]
