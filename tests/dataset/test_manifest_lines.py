"""Single keys of dataset.yaml are set; every other byte stays."""

from typing import Any

import pytest

from rag_eval_pipeline.dataset.manifest_lines import set_keys
from rag_eval_pipeline.reading.errors import InputError

NAMED = "name: faq\nversion: v1\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'baseline: "r"\n'),
        ("baseline: previous\n", 'baseline: "r"\n'),
        ("baseline:\n", 'baseline: "r"\n'),
        ("baseline: old # agreed in May\nlang: ja\n", 'baseline: "r" # agreed in May\nlang: ja\n'),
        ("baseline: 'it''s # one'   # why\n", 'baseline: "r"   # why\n'),
        ('baseline: "a \\" # b"\n', 'baseline: "r"\n'),
        ("baseline: run#7\n", 'baseline: "r"\n'),
        ("# baseline: none yet\nlang: ja", '# baseline: none yet\nlang: ja\nbaseline: "r"\n'),
        ("owners:\n  baseline: x\n", 'owners:\n  baseline: x\nbaseline: "r"\n'),
    ],
)
def test_a_key_is_set_on_its_line_or_added(root: Any, before: str, after: str) -> None:
    root.manifest(NAMED + before)
    set_keys(root.dataset(), {"baseline": "r"})
    assert (root.folder / "dataset.yaml").read_text() == NAMED + after
    assert root.dataset().baseline == "r"


def test_line_ends_and_byte_order_mark_stay(root: Any) -> None:
    root.file("dataset.yaml", b"\xef\xbb\xbfname: faq\r\nversion: v1\r\nbaseline: old\r\n")
    set_keys(root.dataset(), {"baseline": "r", "decision": "d"})
    assert (root.folder / "dataset.yaml").read_bytes() == (
        b'\xef\xbb\xbfname: faq\r\nversion: v1\r\nbaseline: "r"\r\ndecision: "d"\r\n'
    )


@pytest.mark.parametrize(
    "run_id", ["夜間 #1", "it's", 'a "quoted" one', "back\\slash\\1", "no", "07"]
)
def test_any_run_id_is_read_back_as_it_is(root: Any, run_id: str) -> None:
    root.manifest(NAMED)
    for _ in range(2):
        set_keys(root.dataset(), {"baseline": run_id})
        assert root.dataset().baseline == run_id


def test_without_a_manifest_one_is_written(root: Any) -> None:
    set_keys(root.dataset(), {"baseline": "r"})
    assert (
        root.folder / "dataset.yaml"
    ).read_text() == 'name: "faq"\nversion: "v1"\nbaseline: "r"\n'


def test_a_layout_in_which_the_key_cannot_be_set_is_left_alone(root: Any) -> None:
    root.manifest("{name: faq, version: v1, baseline: old}\n")
    with pytest.raises(InputError) as raised:
        set_keys(root.dataset(), {"baseline": "r"})
    assert (raised.value.code, raised.value.file) == ("cannot_pin", "datasets/faq/v1/dataset.yaml")
    assert "baseline" in raised.value.todo
    assert (root.folder / "dataset.yaml").read_text() == "{name: faq, version: v1, baseline: old}\n"
