"""What `rubric show` prints is the same rubric again."""

from pathlib import Path

import pytest
from hypothesis import given

from rag_eval_pipeline.scores.rubric import (
    SECTIONS,
    Rubric,
    as_object,
    as_yaml,
    load_rubric,
    parse_rubric,
)
from tests.scores.rubric.drawn import rubric_texts

FULL = """\
name: own
version: "# 1: yes"
search: {measure: recall, k: 7, pass_at: 0.333333333}
evidence: {measure: claims, okay_weight: 0.1}
pass: {rule: chosen_axes, axes: [format, search], diagnosis_order: [wrong_answer]}
overrides:
  - when: {category: ["a: b", 独自], risk: high}
    search: {k: 20}
    evidence: {pass_at: 0.8}
"""


def again(rubric: Rubric) -> Rubric:
    return parse_rubric(as_yaml(rubric).encode(), rubric.source, rubric.name)


@pytest.mark.parametrize("name", ["strict", "claims"])
def test_a_shipped_rubric_is_read_back(name: str) -> None:
    shipped = load_rubric(name, Path("no data root"))
    assert again(shipped) == shipped


@pytest.mark.parametrize("name", ["own", "no", "null", "007", "a: b", "日本", '"'])
def test_names_and_texts_are_quoted_where_they_must_be(name: str) -> None:
    rubric = parse_rubric(FULL.replace("name: own\n", "").encode(), "x.yaml", name)
    assert again(rubric).name == name
    assert again(rubric).version == rubric.version
    assert again(rubric).version_text == "# 1: yes"


@given(rubric_texts())
def test_any_rubric_is_read_back_with_the_same_hashes(text: str) -> None:
    rubric = parse_rubric(text.encode(), "x.yaml", "own")
    back = again(rubric)
    assert back.version == rubric.version
    assert (back.sections, back.overrides) == (rubric.sections, rubric.overrides)


def test_sections_that_the_file_leaves_out_are_marked() -> None:
    shown = as_yaml(parse_rubric(b"search: {measure: recall}", "x.yaml", "own"))
    (search,) = [line for line in shown.splitlines() if line.startswith("search:")]
    (evidence,) = [line for line in shown.splitlines() if line.startswith("evidence:")]
    assert "defaults" not in search
    assert "its file leaves it out: defaults" in evidence


def test_programs_are_told_hashes_keys_and_overrides() -> None:
    rubric = parse_rubric(FULL.encode(), "x.yaml", "own")
    found = as_object(rubric)
    assert (found["rubric_version"], found["version"]) == (rubric.version, "# 1: yes")
    sections = found["sections"]
    assert isinstance(sections, dict)
    assert {name: each["hash"] for name, each in sections.items()} == {
        name: rubric.axis_hash(name) for name in SECTIONS
    }
    assert sections["search"]["measure"] == "recall"
    assert sections["search"]["keys"]["k"] == 7
    assert sections["search"]["overrides"] == [
        {"when": {"category": ["a: b", "独自"], "risk": ["high"]}, "k": 20}
    ]
    assert sections["pass"]["keys"]["axes"] == ["search", "format"]
    assert sections["behavior"]["left_out"] is True
