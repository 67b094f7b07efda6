from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docs import build_measures
from docs.build_measures import LayoutError, measure_of
from rag_eval_pipeline import tables
from rag_eval_pipeline.tables.measures import KEYS

PAGE = build_measures.PAGE.read_text("utf-8")
LAID_OUT = """Recall: found / gold.

What is not found is missed.

Formula:
- recall = groups found
  / groups
- all = recall is 1
Source: trec_eval; R2
Gives: retrieval_measures (ranks, grades); recall at any k
Needs: `case.evidence`, `log.retrieved`
Absent: `case.evidence`: null; `log.retrieved`: 0
"""


def figures(**counts: int | None) -> dict[str, Any]:
    unmeasured: dict[str, dict[str, int | None]] = {
        "values": {"n": None, "right": None},
        "pairs": {"n": None, "right": None},
        "claims": {"n": None, "decided": None, "wrong": None},
        "status": {"n": None, "right": None},
    }
    for name, count in counts.items():
        subject, part = name.split("_")
        unmeasured[subject][part] = count
    return {"rounds": [unmeasured]}


def row(text_rules: dict[str, Any], *cells: str) -> str:
    page = build_measures.page(build_measures.measures(), text_rules)
    (found,) = [line for line in page.splitlines() if all(f"| {cell} |" in line for cell in cells)]
    return found


def test_page_is_what_the_generator_makes() -> None:
    assert build_measures.build() == PAGE, "run `make docs`"


def test_every_module_that_measures_is_on_the_page() -> None:
    modules = {
        path.relative_to(build_measures.MEASURES).with_suffix("").as_posix()
        for path in build_measures.MEASURES.rglob("*.py")
        if path.name != "__init__.py"
    }
    chapters = build_measures.measures()
    shown = {each.module: each for chapter in chapters.values() for each in chapter}

    parts = {each for each in modules if each.startswith(build_measures.PARTS)}
    assert shown.keys() - parts == modules - parts - build_measures.PLUMBING
    assert shown.keys() & parts
    for each in shown.values():
        assert f"\n### {each.name}\n\n{each.definition}\n" in PAGE


@pytest.mark.parametrize("table", build_measures.TABLES)
def test_every_column_is_explained(table: str) -> None:
    section = PAGE.split(f"\n### {table}\n")[1].split("\n### ")[0].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| .+? \| (.+?) \| \[", section, re.MULTILINE))
    named = {*KEYS, "case_id", "trial"}

    assert list(rows) == [name for name in tables.columns(table) if name not in named]
    assert all(rows.values())


def test_every_needed_field_says_for_each_measure_what_its_absence_does() -> None:
    section = PAGE.split("\n## When a field is absent\n")[1].split("\n## ")[0]
    told: set[tuple[str, str]] = set()
    field = ""
    for first, name in re.findall(r"^\| (?:`([\w.]+)`.*?)? ?\| \[(.+?)\]", section, re.MULTILINE):
        field = first or field
        told.add((field, name))

    chapters = build_measures.measures().values()
    assert told == {(need, each.name) for its in chapters for each in its for need in each.needs}


def test_fields_listed_with_commas_are_absent_each_alone() -> None:
    alone = "| `case.required_claims` | [Claim verdict](#claim-verdict) | no verdict on it |"
    together = "[Exact match](#exact-match) | both `case.reference_answer` and"

    assert alone in PAGE
    assert together in PAGE


def test_every_link_leads_to_a_heading() -> None:
    headings = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    anchors = [re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings]

    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r"\]\(#(.+?)\)", PAGE)) <= set(anchors)


def test_every_table_has_as_many_cells_in_each_row() -> None:
    for block in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(cells) == 1, block


def test_docstring_is_read() -> None:
    read = measure_of("recall", LAID_OUT)

    assert (read.name, read.definition) == ("Recall", "Found / gold.")
    assert read.prose == "What is not found is missed."
    assert read.formula == ("recall = groups found / groups", "all = recall is 1")
    assert read.source == "trec_eval; R2"
    assert read.stored == (("retrieval_measures", "ranks"), ("retrieval_measures", "grades"))
    assert read.computed == ("recall at any k",)
    assert read.needs == ("case.evidence", "log.retrieved")
    assert read.absent == (("`case.evidence`", "null"), ("`log.retrieved`", "0"))


@pytest.mark.parametrize(
    ("written", "instead", "complaint"),
    [
        ("Source: trec_eval; R2\n", "", "labels"),
        ("Source: trec_eval; R2", "Source:", "empty"),
        ("Recall: found", "Recall is found", "Name: definition"),
        ("(ranks, grades)", "(ranks, grade)", "no column grade"),
        ("Needs: `case.evidence`", "Needs: `case.gold`", "no field"),
        ("Needs: `case.evidence`, ", "Needs: ", "only one of Needs and Absent"),
        ("; `log.retrieved`: 0", "", "only one of Needs and Absent"),
        (": 0", "", "what is absent: value"),
    ],
)
def test_docstring_laid_out_otherwise_is_refused(
    written: str, instead: str, complaint: str
) -> None:
    assert written in LAID_OUT
    with pytest.raises(LayoutError, match=complaint):
        measure_of("recall", LAID_OUT.replace(written, instead))


def test_module_in_no_chapter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text('"""New: something."""', "utf-8")

    with pytest.raises(LayoutError, match="new: add it"):
        build_measures.measures(tmp_path)


def test_column_that_no_measure_gives_is_refused() -> None:
    chapters = dict(build_measures.measures())
    del chapters["Claims"]

    with pytest.raises(LayoutError, match=r"claim_verdicts\.claim_id: given by none"):
        build_measures.page(chapters, figures())


def test_rule_without_a_line_is_refused() -> None:
    chapters = dict(build_measures.measures())
    chapters["Claims"] = tuple(replace(each, source="R99") for each in chapters["Claims"])

    with pytest.raises(LayoutError, match="rule R99"):
        build_measures.page(chapters, figures())


def test_figures_of_the_text_rules_are_well_formed() -> None:
    text_rules = json.loads(build_measures.TEXT_RULES.read_text("utf-8"))

    assert row(text_rules, "1", "values")


def test_what_is_not_measured_says_so() -> None:
    assert "not measured yet |" in row(figures(), "values")
    assert "not measured yet (n = 60)" in row(figures(pairs_n=60), "pairs")


def test_measured_shares_show_their_n_and_what_it_allows() -> None:
    measured = figures(values_n=60, values_right=51)

    # Wilson's interval of 51 of 60, worked out by hand.
    assert "85 % (51 of n = 60; 74 % to 92 %)" in row(measured, "values")


def test_wrong_claims_are_counted_among_the_decided() -> None:
    measured = figures(claims_n=50, claims_decided=40, claims_wrong=1)

    assert "80 % (40 of n = 50;" in row(measured, "claims", "decided")
    assert "2 % (1 of n = 40;" in row(measured, "claims", "wrong, of those decided")


@pytest.mark.parametrize(
    "counts", [{"status_n": 5, "status_right": 6}, {"status_n": -1}, {"status_n": True}]
)
def test_impossible_figures_are_refused(counts: dict[str, int]) -> None:
    with pytest.raises(LayoutError, match="text_rules"):
        row(figures(**counts), "status")
