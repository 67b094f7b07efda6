"""The text rules on any input, one at a time and in batches."""

from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.data_root import command, lines, strict_json

BATCHES: list[tuple[str, dict[str, Any], set[str]]] = [
    ("values", {"text": "送料は500円です"}, {"values"}),
    ("pair", {"a": "2週間以内", "b": "14日以内"}, {"label"}),
    ("claim", {"claim": "送料は500円", "answer": "送料は五百円です", "claim_kind": "required"},
     {"label", "mention", "rule", "quote"}),
    ("status", {"text": "その情報は見つかりませんでした。"}, {"label"}),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "given", "names"), BATCHES)
def test_a_batch_gives_one_object_a_line_in_the_same_order(
    tmp_path: Path, subject: str, given: dict[str, Any], names: set[str]
) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(lines([given, {**given, "id": 7}, given]), encoding="utf-8")
    said = command("explain", subject, "--jsonl", str(file))
    assert said.code == 0, said.err
    found = [strict_json(line) for line in said.out.splitlines()]
    assert len(found) == 3
    assert found[0] == found[1] == found[2]
    assert names <= set(found[0])


def test_the_single_form_says_the_same_as_the_batch() -> None:
    assert "same" in command("explain", "pair", "2週間以内", "14日以内").out
    (value,) = command("--json", "explain", "values", "送料は500円です").json()["values"]
    assert (value["kind"], value["unit"], value["n"], value["quote"]) == (
        "money", "JPY", "500", "500円",
    )  # fmt: skip
    assert (value["start"], value["end"]) == (3, 7)
    said = command("--json", "explain", "claim", "送料は500円", "送料は800円です")
    assert said.json()["label"] == "contradicted"
    said = command("--json", "explain", "status", "どの商品でしょうか？")
    assert said.json()["label"] == "clarify"


def test_a_forbidden_claim_that_is_asserted_is_supported() -> None:
    said = command(
        "--json", "explain", "claim", "--kind", "forbidden", "必ず返金される", "必ず返金します。"
    )
    assert said.json()["label"] == "supported"


def test_a_line_that_cannot_be_read_keeps_its_place_and_the_rest_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text('{"text": "3日"}\n{"text": \n{"note": "x"}\n{"text": "4日"}\n')
    said = command("explain", "values", "--jsonl", str(file))
    assert said.code == 2
    found = [strict_json(line) for line in said.out.splitlines()]
    assert ["values" in each for each in found] == [True, False, False, True]
    assert [found[1]["line"], found[2]["line"]] == [2, 3]
    assert "2 of 4 lines" in said.err


@pytest.mark.parametrize(
    "arguments",
    [("values",), ("pair", "500円"), ("claim", "送料は500円"), ("values", "x", "--jsonl", "f")],
)
def test_texts_or_a_file_must_be_given(arguments: tuple[str, ...]) -> None:
    said = command("explain", *arguments)
    assert said.code == 2
    assert "--jsonl FILE" in said.err


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    said = command("explain", "status", "--jsonl", str(tmp_path / "none.jsonl"))
    assert said.code == 2
    assert "none.jsonl" in said.err


def test_a_kind_that_is_none_is_told(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text('{"claim": "a", "answer": "b", "claim_kind": "optional"}\n')
    said = command("explain", "claim", "--jsonl", str(file))
    assert said.code == 2
    assert "required or forbidden" in said.out
