"""A frozen dataset version stays what it was, or says what changed and the ways out."""

import json
from pathlib import Path

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, case

DOCUMENTS = [
    {"doc_id": "guide", "sections": [{"section_id": "s1", "text": "It is so."}]},
    {"doc_id": "annex", "text": "It may be."},
]


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("frozen")
    root.put("knowledge/kb/documents.jsonl", DOCUMENTS)
    for name in ("edited", "cut", "kept"):
        root.put(f"datasets/{name}/v1/cases.jsonl", [case("c1"), case("c2", evidence="guide#s1")])
        root.put(f"datasets/{name}/v1/dataset.yaml", "# how sure are we?\nlanguage: en  # en\n")
        assert root.run("freeze", name).code == 0
    root.put("datasets/loose/v1/cases.jsonl", [case("c1"), case("c2", evidence="guide#s9")])
    return root


def manifest(root: Root, name: str) -> str:
    return (root.data / f"datasets/{name}/v1/dataset.yaml").read_text()


def test_freezing_pins_snapshot_and_hash_and_keeps_what_was_written(root: Root) -> None:
    text = manifest(root, "kept")
    assert text.startswith("# how sure are we?\nlanguage: en  # en\n")
    snapshots = [path.stem for path in (root.data / "snapshots/kb").iterdir()]
    assert len(snapshots) == 1
    assert f'snapshot: "{snapshots[0]}"' in text
    assert root.pairs("SELECT DISTINCT dataset_version, draft FROM cases") == {
        "edited@v1": False,
        "cut@v1": False,
        "kept@v1": False,
    }


def test_freezing_again_changes_nothing(root: Root) -> None:
    before = manifest(root, "kept")
    said = root.run("--json", "freeze", "kept@v1")
    assert said.code == 0
    assert said.json()["already_frozen"] is True
    assert manifest(root, "kept") == before


def test_an_edited_case_is_named_with_three_ways_out(root: Root) -> None:
    root.put("datasets/edited/v1/cases.jsonl", [case("c1", expected="no"), case("c3")])
    said = root.run("check")
    assert said.code == 2
    told = said.problem("datasets/edited/v1", "'c1', 'c2', 'c3'")
    assert "undo" in told
    assert "new version" in told
    assert "rag-eval freeze edited@v1 --amend --reason" in told
    assert "kept@v1: no findings" in said.out
    assert "3 of 4 dataset versions done" in said.out
    assert root.run("freeze", "edited").code == 2


def test_amending_needs_a_reason_and_records_it(root: Root) -> None:
    assert root.run("freeze", "edited", "--amend").code == 2
    assert root.run("freeze", "edited", "--amend", "--reason", "typo").code == 0
    record = json.loads((root.data / "datasets/edited/v1/frozen.json").read_text())
    assert [each["reason"] for each in record["amendments"]] == ["typo"]
    assert root.run("check", "edited").code == 0


def test_an_edited_live_knowledge_base_does_not_touch_what_is_frozen(root: Root) -> None:
    root.put("knowledge/kb/documents.jsonl", [{"doc_id": "guide", "text": "It is not so."}])
    assert root.run("check", "kept").code == 0
    root.put("knowledge/kb/documents.jsonl", DOCUMENTS)


def test_gold_outside_the_pinned_snapshot_stops_the_frozen_version(root: Root) -> None:
    root.put("datasets/cut/v1/cases.jsonl", [case("c1"), case("c2", evidence="guide#s9")])
    said = root.run("check", "cut")
    assert said.code == 2
    said.problem("datasets/cut/v1/cases.jsonl", "'c2' cites 'guide#s9'")


def test_a_draft_with_gold_that_is_not_there_goes_on_and_cannot_be_frozen(root: Root) -> None:
    said = root.run("check", "loose")
    assert said.code == 0
    assert "guide#s9" in said.out
    said = root.run("freeze", "loose")
    assert said.code == 2
    said.problem("datasets/loose/v1/cases.jsonl", "'c2' cites 'guide#s9'")
    assert not (root.data / "datasets/loose/v1/dataset.yaml").exists()


def test_an_edited_snapshot_is_refused(root: Root) -> None:
    path = next(Path(root.data / "snapshots/kb").iterdir())
    before = path.read_bytes()
    path.write_bytes(before.replace(b"It is so.", b"It is no."))
    said = root.run("check", "kept")
    assert said.code == 2
    said.problem(f"snapshots/kb/{path.name}", "never edited")
    path.write_bytes(before)


def test_versions_are_frozen_one_at_a_time(root: Root) -> None:
    root.put("datasets/kept/v2/cases.jsonl", [case("c1")])
    said = root.run("freeze", "kept")
    assert said.code == 2
    assert "kept@v1, kept@v2" in said.err
