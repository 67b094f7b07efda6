"""docs/rubrics.md and the table of keys say the same."""

from __future__ import annotations

import re

import pytest

from docs import build_rubrics
from rag_eval_pipeline.scores.rubric import SECTIONS, parse_rubric, read_rubric
from rag_eval_pipeline.scores.rubric.keys import CAUSES, CHOOSERS, MEASURES

PAGE = build_rubrics.PAGE.read_text("utf-8")


def test_page_is_what_the_generator_makes() -> None:
    assert build_rubrics.build(PAGE) == PAGE, "run `make docs`"


def test_a_page_without_its_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="causes"):
        build_rubrics.build(PAGE.replace("<!-- causes: end -->", ""))


def test_every_key_of_every_measure_has_a_row_with_its_meaning() -> None:
    for section in SECTIONS:
        part = PAGE.split(f"\n### {section}\n")[1].split("\n### ")[0].split("\n<!--")[0]
        rows = [
            [cell.strip() for cell in line.strip("| \n").split(" | ")]
            for line in part.splitlines()
            if line.startswith("|")
        ]
        assert [CHOOSERS[section], "meaning"] in rows
        for measure in MEASURES[section]:
            assert any(row[0].startswith(f"`{measure.name}`") for row in rows)
            for key in measure.keys:
                assert any(
                    row[0] == f"`{key.name}`" and f"`{measure.name}`" in row[1]
                    and row[-1] == key.meaning
                    for row in rows
                )  # fmt: skip
    assert all(f"`{cause}`" in PAGE for cause in CAUSES)


def test_the_example_is_a_rubric_without_doubts() -> None:
    (example,) = re.findall(r"```yaml\n(.+?)```", PAGE, re.DOTALL)
    read = read_rubric(example.encode(), "support.yaml", "support")
    assert (read.problems, read.doubts) == ((), ())
    rubric = parse_rubric(example.encode(), "support.yaml", "support")
    assert rubric.of_case("multi_evidence", "low").sections["search"]["k"] == 10
    assert rubric.of_case("direct", "high").sections["evidence"]["open_claims"] == "fail"
