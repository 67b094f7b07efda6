"""Which verdicts flip between two rubrics, over all stored runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, answer, case

CASES = [case("fee"), case("free", evidence=None), case("late")]
HOUSE = """
name: house
search: {measure: gold_retrieved, no_evidence: full_credit, malformed: zero}
evidence: {measure: exact_match, malformed: zero}
behavior: {measure: status_match, malformed: zero}
format: {measure: required_fields}
"""


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    """Two runs of three items; in the second one `late` is malformed: its status is a number."""
    root = make_root("rubric_diff")
    root.put("datasets/faq/v1/cases.jsonl", CASES)
    root.put("datasets/faq/v1/dataset.yaml", "rubrics: house\n")
    root.put("rubrics/house.yaml", HOUSE)
    rows = [answer(each["id"]) for each in CASES]
    root.put("runs/monday.jsonl", rows)
    root.put("runs/tuesday.jsonl", [*rows[:2], rows[2] | {"status": 7}])
    assert root.run("nightly").code == 0
    return root


@pytest.fixture(scope="module")
def stored(root: Root) -> str:
    """The version that scored; the file was edited since, and nothing scored by it."""
    [row] = root.sql("SELECT DISTINCT rubric_version AS version FROM rubrics")
    edited = HOUSE.replace("full_credit", "separate").replace(
        "exact_match, malformed: zero", "exact_match, malformed: ignore"
    )
    root.put("rubrics/house.yaml", edited)
    return str(row["version"])


def differ(root: Root, *arguments: str) -> dict[str, Any]:
    said = root.run("rubric", "diff", *arguments, "--json")
    assert said.code == 0, said.err
    (of_version,) = said.json()["datasets"]
    found: dict[str, Any] = of_version
    return found


def test_every_verdict_that_flips_is_listed_with_both_reasons(root: Root, stored: str) -> None:
    told = differ(root, stored, "house")
    assert (told["n_runs"], told["n_items"], told["runs_without_measures"]) == (2, 6, [])
    axes = {each["axis"]: each for each in told["axes"]}
    assert {axis: (each["n_items"], each["transitions"]) for axis, each in axes.items()} == {
        "search": (6, {"pass → not_applicable": 2}),
        "evidence": (6, {"fail → pass": 1}),
        "behavior": (6, {}),
        "format": (6, {}),
        # The malformed item still fails on three axes.
        "overall": (6, {}),
    }
    assert (axes["evidence"]["fail_to_pass"], axes["evidence"]["pass_to_fail"]) == (1, 0)
    assert axes["search"]["n_changed"] == axes["search"]["n_score_changed"] == 2
    changes = [(each["axis"], each["run_id"], each["case_id"]) for each in told["changes"]]
    assert changes == [
        ("search", "monday", "free"),
        ("search", "tuesday", "free"),
        ("evidence", "tuesday", "late"),
    ]
    flip = told["changes"][2]
    assert (flip["old_verdict"], flip["new_verdict"]) == ("fail", "pass")
    assert flip["old_reason"].startswith("malformed")
    assert flip["new_reason"] != flip["old_reason"]


def test_the_other_way_round_the_same_verdicts_flip_back(root: Root, stored: str) -> None:
    there, back = differ(root, stored, "house"), differ(root, "house", stored)
    turned = [
        each
        | {
            "old_verdict": each["new_verdict"],
            "new_verdict": each["old_verdict"],
            "old_reason": each["new_reason"],
            "new_reason": each["old_reason"],
        }
        for each in there["changes"]
    ]
    assert back["changes"] == turned


def test_a_rubric_against_itself_differs_in_nothing(root: Root) -> None:
    said = root.run("rubric", "diff", "house", "house")
    assert said.code == 0
    assert "no key differs" in said.out
    assert "No verdict changes." in said.out


def test_people_are_shown_the_edit_the_counts_and_some_of_the_changes(
    root: Root, stored: str
) -> None:
    said = root.run("rubric", "diff", stored, "house", "--dataset", "faq", "--limit", "1")
    assert said.code == 0
    assert "search.no_evidence: full_credit → separate" in said.out
    assert "monday free: pass → not_applicable" in said.out
    assert "tuesday free" not in said.out
    assert "and 2 more" in said.out


def test_nothing_is_written(root: Root, stored: str) -> None:
    assert root.sql("SELECT DISTINCT rubric_version AS version FROM rubrics") == [
        {"version": stored}
    ]
    assert root.sql("SELECT DISTINCT rubric_version AS version FROM case_scores") == [
        {"version": stored}
    ]


def test_a_version_nothing_was_scored_by_is_an_error_with_the_nearest(
    root: Root, stored: str
) -> None:
    said = root.run("rubric", "diff", "house@00000000", "house")
    assert said.code == 2
    said.problem("'house@00000000'", stored)
    said = root.run("rubric", "diff", "hose", "house")
    assert said.code == 2
    said.problem("'hose'", "did you mean 'house'?")
