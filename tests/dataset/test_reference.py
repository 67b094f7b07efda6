from typing import Any

import pytest

from rag_eval_pipeline.knowledge.snapshot import snapshot_path, write_snapshot
from rag_eval_pipeline.reading.errors import InputError


def test_a_draft_is_judged_on_the_live_knowledge_base(root: Any) -> None:
    found = root.snapshot()
    assert found.documents["pinned"].to_list() == [False, False]
    assert found.documents["snapshot_id"].unique().to_list() == [found.snapshot]
    root.knowledge({"doc_id": "shipping", "text": "無料"})
    assert root.snapshot().snapshot != found.snapshot


def test_a_pinned_snapshot_is_used_whatever_the_live_knowledge_base_says(root: Any) -> None:
    name = write_snapshot(root.path, "shop", root.snapshot().contents)
    root.manifest(f'snapshot: "{name}"\n')
    root.knowledge({"doc_id": "other", "text": "無料"})
    found = root.snapshot()
    assert found.snapshot == name
    assert found.documents["doc_id"].to_list() == ["returns", "shipping"]
    assert set(found.documents["pinned"]) == {True}


def test_a_pinned_snapshot_that_is_gone_is_an_error(root: Any) -> None:
    root.manifest("snapshot: abcdefabcdef\n")
    with pytest.raises(InputError) as raised:
        root.snapshot()
    assert raised.value.code == "file_missing"
    assert raised.value.file == "snapshots/shop/abcdefabcdef.jsonl"


def test_a_pinned_snapshot_that_was_edited_is_an_error(root: Any) -> None:
    name = write_snapshot(root.path, "shop", root.snapshot().contents)
    path = snapshot_path(root.path, "shop", name)
    path.write_bytes(path.read_bytes() + b"\n")
    root.manifest(f'snapshot: "{name}"\n')
    with pytest.raises(InputError, match="restore the file"):
        root.snapshot()


def test_rows_left_out_of_the_knowledge_base_are_told(root: Any) -> None:
    root.knowledge({"doc_id": "a", "text": "t"}, {"doc_id": "b"})
    assert [each.code for _, each in root.snapshot().quarantined] == ["missing_field"]
