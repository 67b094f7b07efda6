"""What the two READMEs show can be done as written."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from rag_eval_pipeline.dataset.manifest import read_manifest
from rag_eval_pipeline.dataset.reference import cases_against, read_snapshot
from rag_eval_pipeline.scores.diagnosis import MEND, PRACTICE
from tests.end_to_end.data_root import command

CHECKOUT = Path(__file__).resolve().parents[1]
READMES = ("README.md", "README.ja.md")


def text_of(readme: str) -> str:
    return (CHECKOUT / readme).read_text(encoding="utf-8")


def blocks(readme: str, language: str) -> list[str]:
    """The lines of all code blocks of a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text_of(readme), re.DOTALL | re.MULTILINE)
    return [line for named, body in found if named == language for line in body.splitlines()]


def examples(readme: str, field: str) -> list[dict[str, Any]]:
    """The JSON examples that have a field."""
    return [row for row in map(json.loads, blocks(readme, "json")) if field in row]


def commands(readme: str) -> list[list[str]]:
    """The arguments of the calls of rag-eval."""
    lines = [line for line in blocks(readme, "") if line.startswith("rag-eval ")]
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize("readme", READMES)
def test_documents_and_cases_are_read_without_a_remark(readme: str, tmp_path: Path) -> None:
    for path, field in (
        ("knowledge/my-kb/documents.jsonl", "doc_id"),
        ("datasets/my-faq/v1/cases.jsonl", "question"),
    ):
        (tmp_path / path).parent.mkdir(parents=True)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in examples(readme, field))
        (tmp_path / path).write_text("".join(lines), encoding="utf-8")
    dataset = read_manifest(tmp_path, tmp_path / "datasets/my-faq/v1")
    snapshot = read_snapshot(dataset, tmp_path)
    read = cases_against(dataset, tmp_path, snapshot.documents, snapshot.sections)

    assert not snapshot.quarantined
    assert not read.rejected
    assert not read.unknown_fields
    assert read.cases["case_id"].to_list() == ["h1", "h2", "h3"]
    assert read.cases["flags"].list.len().sum() == 0
    assert read.evidence["resolved"].all()
    assert read.claims["claim_id"].to_list() == ["r1", "fee", "f1"]


@pytest.mark.parametrize("readme", READMES)
def test_texts_are_explained(readme: str) -> None:
    shown = {each[1]: each for each in commands(readme) if each[0] == "explain"}
    said = {name: command(*each) for name, each in shown.items()}

    assert set(shown) == {"values", "pair", "claim", "status"}
    assert {name: each.code for name, each in said.items()} == dict.fromkeys(shown, 0)
    for name, word in (("pair", "same"), ("claim", "contradicted"), ("status", "abstain")):
        assert word in said[name].out, name


@pytest.mark.parametrize("readme", READMES)
def test_diagnoses_are_all_there_in_their_order_with_where_to_mend(readme: str) -> None:
    row = r"^\| `([a-z_]+)` \| [^|]+ \| ([a-z]+) \| ([a-z ]*)"
    rows = re.findall(row, text_of(readme), re.MULTILINE)

    assert [(code, mend) for code, mend, _ in rows] == list(MEND.items())
    assert {code: word.strip() for code, _, word in rows if word.strip()} == PRACTICE


def test_both_readmes_show_the_same() -> None:
    english, japanese = (text_of(readme) for readme in READMES)

    for shape in (r"^#+ ", r"^```\w*$", r"^\| `rag-eval [^`]*`", r"^\|[-|]+\|$"):
        shown = [re.findall(shape, text, re.MULTILINE) for text in (english, japanese)]
        assert shown[0] == shown[1], shape
    options = [[word for word in each if word.startswith("-")] for each in commands("README.md")]
    assert options == [
        [word for word in each if word.startswith("-")] for each in commands("README.ja.md")
    ]


@pytest.mark.parametrize("readme", READMES)
def test_links_lead_somewhere(readme: str) -> None:
    text = text_of(readme)
    headings = {
        re.sub(r"[^\w\- ]", "", line).strip().lower().replace(" ", "-")
        for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    targets = re.findall(r"\]\(([^)]+)\)", text)

    assert targets
    for target in targets:
        known = target[1:].lower() in headings if target[0] == "#" else (CHECKOUT / target).exists()
        assert known, target
