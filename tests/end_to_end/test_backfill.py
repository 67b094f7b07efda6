"""A rubric is edited: what is due, doing it in batches, going back, and trying another rubric."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.scores import case as scoring
from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, answer, case, lines

CASES = [case("fee"), case("free", evidence=None), case("late")]
HOUSE = """
name: house
search: {measure: gold_retrieved, no_evidence: full_credit}
evidence: {measure: exact_match}
behavior: {measure: status_match}
format: {measure: required_fields}
"""
SEPARATE = HOUSE.replace("full_credit", "separate")
RUNS = ("monday", "tuesday", "wednesday")
TABLES = ("case_scores", "search_scores", "evidence_scores", "rubrics", "run_summary")


class Counted:
    """How many items each axis was asked to score, and how many were measured, call by call."""

    def __init__(self) -> None:
        self.items: dict[str, list[int]] = {}

    def add(self, what: str, items: pl.DataFrame) -> None:
        self.items.setdefault(what, []).append(items.height)

    def done(self) -> dict[str, list[int]]:
        """What was asked for since the last call."""
        found, self.items = self.items, {}
        return found


@pytest.fixture
def counted(root: Root, monkeypatch: pytest.MonkeyPatch) -> Counted:
    # Only once a command has set the filters of warnings.
    from rag_eval_pipeline.defs import measures, results

    told = Counted()
    for axis, score in scoring.SCORERS.items():

        def counting(
            facts: pl.DataFrame, section: Any, axis: str = axis, score: Any = score
        ) -> pl.DataFrame:
            told.add(axis, facts)
            result: pl.DataFrame = score(facts, section)
            return result

        monkeypatch.setitem(scoring.SCORERS, axis, counting)
    for module in (measures, results):

        def measuring(
            items: pl.DataFrame, *more: Any, measure: Any = module.text_measures
        ) -> dict[str, pl.DataFrame]:
            told.add("measured", items)
            made: dict[str, pl.DataFrame] = measure(items, *more)
            return made

        monkeypatch.setattr(module, "text_measures", measuring)
    return told


def write_run(root: Root, run_id: str, day: int) -> None:
    rows = [answer(each["id"], started_at=f"2026-05-0{day}T02:00:00Z") for each in CASES]
    rows[2] |= {"answer": "no"}
    root.put(f"runs/{run_id}.jsonl", rows)


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("backfill")
    root.put("datasets/faq/v1/cases.jsonl", CASES)
    root.put("datasets/faq/v1/dataset.yaml", "rubrics: house\n")
    root.put("rubrics/house.yaml", HOUSE)
    for day, run_id in enumerate(RUNS, start=1):
        write_run(root, run_id, day)
    assert root.run("nightly").code == 0
    return root


def versions(root: Root) -> dict[str, bool]:
    """Rubric versions of the case scores, and whether their rows are current."""
    return root.pairs(
        "SELECT rubric_version, bool_and(current) FROM case_scores GROUP BY 1 ORDER BY 1"
    )


def plan(root: Root, rubric: str, *more: str) -> dict[str, Any]:
    said = root.run("backfill", "--rubric", rubric, *more, "--json")
    assert said.code == 0, said.err
    told: dict[str, Any] = said.json()
    return told


def contents(root: Root) -> dict[str, list[dict[str, Any]]]:
    return {table: root.sql(f"SELECT * FROM {table} ORDER BY ALL") for table in TABLES}


def test_an_edited_section_is_due_scored_in_batches_and_taken_back(
    root: Root, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old,) = versions(root)
    before = contents(root)
    nothing = root.run("backfill", "--rubric", "house")
    assert nothing.code == 0
    assert "nothing is due" in nothing.out

    root.put("rubrics/house.yaml", SEPARATE)
    told = plan(root, "house")
    assert told["judge_calls"] == 0
    (of_version,) = told["plans"]
    assert of_version["listed"] is True
    assert of_version["scored_before_by"] == old
    due = {each["axis"]: each for each in of_version["due"]}
    assert list(due) == ["search", "case_scores"]
    for each in due.values():
        assert (each["n_runs"], each["n_items"], each["judge_calls"]) == (3, 9, 0)
        assert each["changes"] == [
            {"section": "search", "key": "no_evidence", "old": '"full_credit"', "new": '"separate"'}
        ]
    shown = root.run("backfill", "--rubric", "house")
    assert "search.no_evidence: full_credit → separate" in shown.out
    assert contents(root) == before
    assert counted.done() == {}

    # Two runs of three items a batch.
    monkeypatch.setenv("RAG_EVAL_BATCH_ITEMS", "7")
    done = root.run("backfill", "--rubric", "house", "--yes")
    assert done.code == 0, done.err
    assert counted.done() == {"search": [6, 3]}
    new = told["rubric_version"]
    assert versions(root) == {old: False, new: True}
    kept = [row | {"current": True} for row in root.sql(
        f"SELECT * FROM case_scores WHERE rubric_version = '{old}' ORDER BY ALL")]  # fmt: skip
    assert kept == before["case_scores"]
    assert root.pairs(
        f"SELECT case_id, min(search_state) FROM case_scores WHERE rubric_version = '{new}' "
        "GROUP BY 1"
    ) == {"fee": "measured", "free": "not_applicable", "late": "measured"}

    root.put("rubrics/house.yaml", HOUSE)
    back = root.run("backfill", "--rubric", "house")
    assert "nothing is due" in back.out
    assert root.run("backfill", "--rubric", "house", "--yes").code == 0
    assert counted.done() == {}
    assert versions(root) == {old: True, new: False}
    assert root.pairs("SELECT rubric_version, bool_and(current) FROM run_summary GROUP BY 1") == {
        old: True,
        new: False,
    }


def test_a_batch_size_that_is_no_number_is_an_error_that_names_it(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_EVAL_BATCH_ITEMS", "many")
    said = root.run("rubric", "diff", "house", "strict")
    assert said.code == 2
    said.problem("RAG_EVAL_BATCH_ITEMS", "'many'")


def test_a_rubric_no_dataset_lists_is_tried_and_the_nightly_scores_a_new_run_only(
    root: Root, counted: Counted
) -> None:
    before = versions(root)
    root.put("rubrics/trial.yaml", SEPARATE.replace("house", "trial"))
    told = plan(root, "trial")
    assert [(each["dataset_version"], each["listed"]) for each in told["plans"]] == [
        ("faq@v1", False)
    ]
    done = root.run("backfill", "--rubric", "trial", "--dataset", "faq", "--yes")
    assert done.code == 0, done.err
    trial = told["rubric_version"]
    assert versions(root) == before | {trial: False}
    counted.done()

    write_run(root, "thursday", 4)
    assert root.run("nightly").code == 0
    # Of those it is compared with, what is stored is read.
    assert counted.done() == {what: [3] for what in ("measured", *scoring.SCORERS)}
    assert versions(root) == before | {trial: False}
    assert root.pairs(
        "SELECT candidate_run, baseline_run FROM comparisons WHERE superseded_at IS NULL"
    ) == {
        "monday": None,
        "tuesday": "monday",
        "wednesday": "tuesday",
        "thursday": "wednesday",
    }

    # Adopting it leaves only the run that came after the trial to be scored.
    root.put("datasets/faq/v1/dataset.yaml", "rubrics: [house, trial]\n")
    (adopted,) = plan(root, "trial")["plans"]
    assert adopted["listed"] is True
    assert {each["axis"]: (each["n_runs"], each["n_items"]) for each in adopted["due"]} == {
        "search": (1, 3),
        "case_scores": (1, 3),
    }
    root.put("datasets/faq/v1/dataset.yaml", "rubrics: house\n")


def test_an_unknown_rubric_or_dataset_is_an_error_with_the_nearest(root: Root) -> None:
    said = root.run("backfill", "--rubric", "hause")
    assert said.code == 2
    said.problem("'hause'", "did you mean 'house'?")
    said = root.run("backfill", "--rubric", "house", "--dataset", "faq@v3", "--yes")
    assert said.code == 2
    said.problem("'faq@v3'", "did you mean 'faq@v1'?")


def test_before_anything_was_evaluated_that_is_said(make_root: MakeRoot) -> None:
    root = make_root("backfill_nothing")
    root.put("rubrics/house.yaml", HOUSE)
    root.put("datasets/faq/v1/cases.jsonl", lines(CASES))
    said = root.run("backfill", "--rubric", "house")
    assert said.code == 2
    said.problem("rag-eval nightly")
    assert not root.home.exists()
