import datetime as dt
import json
from typing import Any

import pytest

from rag_eval_pipeline.dataset.freeze import Frozen, changed_since_frozen, freeze
from rag_eval_pipeline.knowledge.snapshot import load_snapshot
from rag_eval_pipeline.reading.errors import InputError

TODAY = dt.date(2026, 4, 1)
CASES = [
    {"id": "q1", "question": "送料は？", "expected": "500円", "evidence": "shipping"},
    {"id": "q2", "question": "返品は？", "expected": "30日", "evidence": "returns"},
]


def frozen(root: Any, **options: Any) -> Frozen:
    return freeze(root.dataset(), root.path, today=TODAY, **options)


def refused(root: Any) -> InputError:
    with pytest.raises(InputError) as raised:
        frozen(root)
    return raised.value


def bytes_of(root: Any) -> dict[str, bytes]:
    return {
        str(path.relative_to(root.path)): path.read_bytes()
        for path in root.path.rglob("*")
        if path.is_file()
    }


def edited(root: Any, **changes: Any) -> None:
    root.cases(CASES[0], {**CASES[1], **changes})


@pytest.fixture
def root(root: Any) -> Any:
    root.cases(*CASES)
    return root


def test_freezing_pins_snapshot_and_hash(root: Any) -> None:
    result = frozen(root)
    dataset = root.dataset()
    assert dataset.frozen is True
    assert (dataset.snapshot, dataset.dataset_hash) == (result.snapshot, result.dataset_hash)
    assert dataset.frozen_on == TODAY
    assert (result.n_cases, result.already) == (2, False)
    assert load_snapshot(root.path, "shop", str(result.snapshot)) == root.snapshot().contents
    assert root.read().dataset_hash == result.dataset_hash


def test_the_manifest_keeps_its_comments_and_bytes(root: Any) -> None:
    before = (
        "# ours\nname: faq   # the shop's\nversion: v1\nsnapshot:  # filled by freeze\n"
        "owners:\n  dataset: 佐藤\n"
    )
    root.manifest(before)
    result = frozen(root)
    after = (root.folder / "dataset.yaml").read_text()
    assert after == before.replace("snapshot:  #", f'snapshot: "{result.snapshot}"  #') + (
        f'dataset_hash: "{result.dataset_hash}"\nfrozen_on: "2026-04-01"\n'
    )


@pytest.mark.parametrize(
    ("encoding", "end"),
    [("utf-8", "\r\n"), ("utf-8-sig", "\n"), ("cp932", "\r\n"), ("utf-16", "\n")],
)
def test_encoding_and_line_ends_of_the_manifest_stay(root: Any, encoding: str, end: str) -> None:
    before = f"name: faq{end}decision: 切り替えるか{end}".encode(encoding)
    root.file("dataset.yaml", before)
    frozen(root)
    after = (root.folder / "dataset.yaml").read_bytes()
    assert after.startswith(before)
    assert after.decode(encoding).count(end) == 5
    assert root.dataset().decision == "切り替えるか"


def test_a_manifest_in_which_nothing_can_be_set_stays_as_it_was(root: Any) -> None:
    root.manifest("{name: faq, version: v1}\n")
    assert refused(root).code == "cannot_pin"
    assert (root.folder / "dataset.yaml").read_text() == "{name: faq, version: v1}\n"


def test_freezing_again_without_a_change_writes_nothing(root: Any) -> None:
    first = frozen(root)
    before = bytes_of(root)
    root.knowledge({"doc_id": "shipping", "text": "the live knowledge moved on"})
    before |= {"knowledge/shop/documents.jsonl": bytes_of(root)["knowledge/shop/documents.jsonl"]}
    again = frozen(root)
    assert again.already is True
    assert (again.snapshot, again.dataset_hash) == (first.snapshot, first.dataset_hash)
    assert bytes_of(root) == before


@pytest.mark.parametrize("change", [{"expected": "14日"}, {"evidence": "shipping"}])
def test_a_changed_version_is_refused_with_the_cases_and_three_ways_out(
    root: Any, change: dict[str, Any]
) -> None:
    frozen(root)
    edited(root, **change)
    before = bytes_of(root)
    problem = refused(root)
    assert problem.code == "frozen_hash"
    assert "1 case(s) that differ" in problem.found
    assert "'q2'" in problem.found
    assert "'q1'" not in problem.found
    for way in ("undo the edit", "new version", "--amend --reason"):
        assert way in problem.todo
    assert bytes_of(root) == before


def test_added_and_removed_cases_are_named_too(root: Any) -> None:
    frozen(root)
    root.cases(CASES[0], {"id": "q3", "question": "支払いは？"})
    problem = refused(root)
    assert "'q2', 'q3'" in problem.found


def test_the_difference_is_told_also_without_the_record(root: Any) -> None:
    frozen(root)
    edited(root, expected="14日")
    (root.folder / "frozen.json").write_text("not json")
    problem = changed_since_frozen(root.dataset(), root.path, root.read())
    assert problem.found == "other contents than were frozen"


def test_edits_that_do_not_decide_scores_leave_a_version_frozen(root: Any) -> None:
    frozen(root)
    edited(root, owner="b", tags=["x"], question=" 返品は? ")
    assert frozen(root).already is True


def test_an_amendment_records_what_it_changed_and_why(root: Any) -> None:
    first = frozen(root)
    edited(root, expected="14日")
    second = frozen(root, amend=True, reason="wrong deadline")
    assert second.dataset_hash != first.dataset_hash
    assert second.snapshot == first.snapshot
    assert root.dataset().dataset_hash == second.dataset_hash
    record = json.loads((root.folder / "frozen.json").read_text())
    assert record["amendments"] == [
        {
            "on": "2026-04-01",
            "reason": "wrong deadline",
            "from": first.dataset_hash,
            "to": second.dataset_hash,
        }
    ]
    edited(root, expected="7日")
    frozen(root, amend=True, reason="again")
    record = json.loads((root.folder / "frozen.json").read_text())
    assert [each["reason"] for each in record["amendments"]] == ["wrong deadline", "again"]


def test_a_dataset_with_a_rejected_case_is_not_frozen(root: Any) -> None:
    root.cases(*CASES, {"id": "q3"})
    problem = refused(root)
    assert (problem.line, problem.field) == (3, "question")
    assert root.dataset().frozen is False


def test_a_repeated_case_does_not_stand_in_the_way(root: Any) -> None:
    root.cases(*CASES, CASES[0])
    assert frozen(root).n_cases == 2


def test_a_dataset_with_dangling_gold_is_not_frozen(root: Any) -> None:
    edited(root, evidence="gone")
    problem = refused(root)
    assert problem.code == "dangling_evidence"
    assert "case 'q2' cites 'gone'" in problem.found


def test_a_knowledge_base_with_a_bad_row_is_not_frozen(root: Any) -> None:
    root.knowledge(
        {"doc_id": "shipping", "text": "t"}, {"doc_id": "returns", "text": "t"}, {"doc_id": "x"}
    )
    problem = refused(root)
    assert (problem.file, problem.line) == ("knowledge/shop/documents.jsonl", 3)


def test_a_dataset_without_knowledge_base_freezes_without_snapshot(root: Any) -> None:
    (root.path / "knowledge" / "shop" / "documents.jsonl").unlink()
    (root.path / "knowledge" / "shop").rmdir()
    assert frozen(root).snapshot is None
    assert root.dataset().frozen is True
