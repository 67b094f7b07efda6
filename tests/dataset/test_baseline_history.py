import json
from typing import Any

from rag_eval_pipeline.dataset.baseline_history import Entry, decide, history, pin_told

FIRST = Entry("2026-04-01T09:00:00+09:00", "Mori", "night-1", "previous", "the release of April")
SECOND = Entry("2026-05-01T09:00:00+09:00", "Abe", "night-9", "night-1", "新しい索引")
CLEARED = Entry("2026-06-01T09:00:00+09:00", "Abe", "previous", "night-9", "nightly again")


def test_decisions_are_kept_in_order_and_the_last_one_holds(root: Any) -> None:
    root.manifest("name: faq\nversion: v1\n")
    assert (history(root.dataset()), pin_told(root.dataset())) == ([], "")
    for entry in (FIRST, SECOND):
        decide(root.dataset(), entry)
        assert root.dataset().baseline == entry.baseline
        assert pin_told(root.dataset()) == entry.told
    assert history(root.dataset()) == [FIRST, SECOND]
    assert SECOND.told == "pinned by Abe on 2026-05-01: 新しい索引"
    decide(root.dataset(), CLEARED)
    assert pin_told(root.dataset()) == ""


def test_the_record_is_canonical_lines(root: Any) -> None:
    decide(root.dataset(), FIRST)
    decide(root.dataset(), SECOND)
    lines = (root.folder / "baselines.jsonl").read_text().splitlines()
    assert [json.loads(line)["by"] for line in lines] == ["Mori", "Abe"]
    assert all(list(json.loads(line)) == sorted(json.loads(line)) for line in lines)


def test_a_baseline_written_by_hand_has_nobody_to_name(root: Any) -> None:
    decide(root.dataset(), FIRST)
    root.manifest("name: faq\nversion: v1\nbaseline: another\n")
    assert pin_told(root.dataset()) == "pinned in dataset.yaml; who did it and why is not recorded"


def test_a_line_that_is_no_decision_is_passed_over(root: Any) -> None:
    root.file("baselines.jsonl", b'{"by": "x"}\nno json\n{"at": 1}')
    assert history(root.dataset()) == []
    decide(root.dataset(), FIRST)
    assert history(root.dataset()) == [FIRST]


def test_the_record_does_not_change_what_was_frozen(root: Any) -> None:
    root.knowledge()
    root.cases()
    before = root.read().dataset_hash
    decide(root.dataset(), FIRST)
    assert root.read().dataset_hash == before
