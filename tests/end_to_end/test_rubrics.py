"""`rag-eval rubric check`, `show` and `schema`, and a rubric with overrides in a nightly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, answer, case, lines

WRONG = """\
name: other
search:
  measure: recall
  kk: 3
  pass_at: 2
pass:
  trials: most
"""
OWN = """\
name: own
version: first
search: {measure: recall, k: 1}
evidence: {measure: claims}
behavior: {measure: abstain_policy}
format: {measure: logged_fields}
pass: {trials: any}
overrides:
  - when: {category: multi_evidence}
    search: {k: 2}
"""
CASES = lines([case("q1"), case("q2", category="multi_evidence"), case("q3")])
RANKED = {1: ["other", "guide"], 2: ["guide", "other"]}
ITEMS = lines(
    [
        answer(
            name, trial=trial, retrieved=["other", "guide"] if trial == 1 else ["guide", "other"]
        )
        for name in ("q1", "q2", "q3")
        for trial in (1, 2)
        if (name, trial) != ("q3", 2)
    ]
)


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("rubrics")
    root.put("knowledge/help/documents.jsonl", lines(
        [{"doc_id": "guide", "text": "yes"}, {"doc_id": "other", "text": "no"}]
    ))  # fmt: skip
    root.put("datasets/faq/v1/dataset.yaml", "name: faq\nversion: v1\nrubrics: [own, strict]\n")
    root.put("datasets/faq/v1/cases.jsonl", CASES)
    root.put("runs/r1.jsonl", ITEMS)
    root.put("rubrics/own.yaml", OWN)
    return root


def asked(root: Root, query: str) -> list[dict[str, Any]]:
    """Rows by the rubric `own`."""
    said = root.run("sql", f"SELECT {query} rubric_version LIKE 'own@%'", "--json")
    rows: list[dict[str, Any]] = said.json()
    return rows


def test_all_problems_of_all_files_are_told(make_root: MakeRoot) -> None:
    root = make_root("wrong_rubrics")
    root.put("datasets/faq/v1/dataset.yaml", "name: faq\nversion: v1\nrubrics: [strict, ownn]\n")
    root.put("datasets/faq/v1/cases.jsonl", CASES)
    root.put("rubrics/own.yaml", WRONG)
    root.put("rubrics/another.yaml", "search: recall\n")
    root.put("rubrics/short.yml", "")
    said = root.run("rubric", "check")
    assert said.code == 2
    for told in (
        "rubrics/own.yaml, line 1, field name",
        "rubrics/own.yaml, line 4, field search.kk",
        "did you mean 'search.k'?",
        "rubrics/own.yaml, line 5, field search.pass_at",
        "rubrics/own.yaml, line 7, field pass.trials",
        "rubrics/own.yaml, evidence: the section is left out",
        "rubrics/another.yaml, line 1, field search",
        "datasets/faq/v1/dataset.yaml, field rubrics",
        "did you mean 'own'?",
        "rubrics/short.yaml",
    ):
        assert told in said.err, told
    assert "strict@6acab85a" in said.out

    told = root.run("rubric", "check", "--json")
    assert told.code == 2
    by_name = {each["name"]: each for each in told.json()["rubrics"]}
    assert set(by_name) == {"another", "own", "ownn", "strict"}
    assert [each["line"] for each in by_name["own"]["problems"]] == [1, 4, 5, 7]
    assert by_name["strict"]["problems"] == by_name["strict"]["warnings"] == []
    assert [each["code"] for each in told.json()["warnings"]] == ["unread_file"]

    only = root.run("rubric", "check", "strict")
    assert (only.code, only.err) == (0, "")
    assert root.run("rubric", "show", "own").code == 2
    nearest = root.run("rubric", "show", "clams")
    assert (nearest.code, "did you mean 'claims'?" in nearest.err) == (2, True)


def test_what_is_shown_is_the_same_rubric_again(root: Root) -> None:
    shown = root.run("rubric", "show", "own")
    assert shown.code == 0
    told = root.run("rubric", "show", "own", "--json").json()
    assert told["version"] == "first"
    assert told["rubric_version"] in shown.out
    assert told["sections"]["search"]["overrides"] == [
        {"when": {"category": ["multi_evidence"]}, "k": 2}
    ]
    root.put("rubrics/own.yaml", shown.out)
    assert root.run("rubric", "show", "own", "--json").json() == told
    root.put("rubrics/own.yaml", OWN)


def test_the_schema_is_json(root: Root) -> None:
    assert set(json.loads(root.run("rubric", "schema").out)["properties"]) >= {"search", "pass"}


def test_a_nightly_scores_each_case_by_its_keys_and_trials_by_the_rule(root: Root) -> None:
    night = root.run("nightly", "--json")
    assert night.code == 0, night.err
    rows = asked(root, "case_id, trial, search_passed FROM case_scores WHERE")
    found = {(row["case_id"], row["trial"]): row["search_passed"] for row in rows}
    assert found == {
        ("q1", 1): False, ("q1", 2): True,
        ("q2", 1): True, ("q2", 2): True,
        ("q3", 1): False,
    }  # fmt: skip
    where = "axis = 'search' AND scope = 'headline' AND"
    (row,) = asked(root, f"n_passed, n_failed FROM run_summary WHERE {where}")
    # One passing trial is enough, and q3 has none.
    assert (row["n_passed"], row["n_failed"]) == (2, 1)
    assert root.run("rubric", "check").err == ""

    root.put("rubrics/own.yaml", OWN.replace("k: 1", "k: 3"))
    warned = root.run("rubric", "check", "own")
    assert warned.code == 0
    assert 'own.yaml, version: "first" was the version of own@' in warned.err
    root.put("rubrics/own.yaml", OWN)
