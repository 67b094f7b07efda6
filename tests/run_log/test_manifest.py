import pytest

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.json_lines import Row, read_json_lines
from rag_eval_pipeline.run_log.manifest import (
    Manifest,
    manifest_of_rows,
    merged,
    read_manifest_file,
    row_agrees,
)

WRITTEN = """\
run_id: 010
dataset: faq@v1
system: bot
kind: live
model: m
settings:
  temperature: 0.10
  k: 5
indexed_snapshot: 0123
complete: no
team: a
"""


def rows(*lines: str) -> list[Row]:
    return read_json_lines("\n".join(lines).encode(), "run.jsonl").rows


def of_rows(*lines: str) -> Manifest:
    return manifest_of_rows(rows(*lines), "run.jsonl")


def of_file(text: str) -> Manifest:
    return read_manifest_file(text.encode(), "run.yaml")


def test_values_of_a_file_are_text_as_written() -> None:
    found = of_file(WRITTEN)
    assert (found.values["run_id"], found.values["indexed_snapshot"]) == ("010", "0123")
    assert found.values["settings"] == {"temperature": "0.10", "k": "5"}
    assert found.values["complete"] is False
    assert found.extra == {"team": "a"}


@pytest.mark.parametrize(
    ("text", "code", "field", "line"),
    [
        ("model: m\nkind: alive\n", "unknown_value", "kind", 2),
        ("run_id: ' '\n", "refused_id", "run_id", 1),
        ("model: m\ndataset: [a]\n", "not_an_id", "dataset", 2),
    ],
)
def test_a_bad_value_of_a_file_names_its_line(text: str, code: str, field: str, line: int) -> None:
    with pytest.raises(InputError) as raised:
        of_file(text)
    assert (raised.value.code, raised.value.field, raised.value.line) == (code, field, line)
    assert raised.value.file == "run.yaml"


def test_rows_give_the_first_value_of_each_key_and_note_where_it_varies() -> None:
    found = of_rows(
        '{"model": null, "system": "a"}', '{"model": "m", "system": "b"}', '{"kind": "live"}'
    )
    assert (found.values["model"], found.values["system"]) == ("m", "a")
    assert found.values["kind"] == "live"
    assert found.flags == ["system:varies"]


def test_a_bad_value_of_a_row_names_its_line() -> None:
    with pytest.raises(InputError) as raised:
        of_rows('{"model": "m"}', '{"kind": "alive"}')
    assert (raised.value.field, raised.value.line) == ("kind", 2)


def test_a_start_of_a_row_is_the_item_s_and_not_the_run_s() -> None:
    assert of_rows('{"started_at": "2026-04-01"}').values["started_at"] is None


def test_the_file_comes_first_and_rows_fill_what_it_leaves_open() -> None:
    found = merged(of_file("model: m\n"), of_rows('{"model": "x", "system": "s"}'))
    assert (found.values["model"], found.values["system"]) == ("m", "s")


def test_the_order_of_keys_and_comments_do_not_count() -> None:
    assert of_file("a: 1\nb: 2\n").canonical == of_file("# c\nb: 2\na: 1\n").canonical
    assert of_file("a: 1\n").canonical != of_file("a: 2\n").canonical


@pytest.mark.parametrize(
    ("line", "agrees"),
    [
        ("{}", True),
        ('{"dataset": null}', True),
        ('{"dataset": "faq@v1"}', True),
        ('{"dataset_version": "faq@v1"}', True),
        ('{"dataset": "faq"}', True),
        ('{"dataset": "faq@v2"}', False),
        ('{"dataset_version": "faq@v2"}', False),
        ('{"dataset": ["faq@v1"]}', False),
    ],
)
def test_a_row_must_belong_to_the_run_s_dataset(line: str, agrees: bool) -> None:
    assert row_agrees(rows(line)[0].fields, "dataset", ("faq@v1", "faq")) is agrees


def test_ids_agree_in_nfc() -> None:
    assert row_agrees({"run_id": "カ\u3099"}, "run_id", ("ガ",))


def test_only_the_first_row_says_which_run_the_file_belongs_to() -> None:
    found = of_rows('{"run_id": null}', '{"run_id": "b", "dataset": "faq@v1", "model": "m"}')
    assert (found.values["run_id"], found.values["dataset"]) == (None, None)
    assert found.values["model"] == "m"
