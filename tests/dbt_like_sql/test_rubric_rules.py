"""What models beside the scores take from the rubric: its rule for trials, its cut per case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.regressions import case_results
from rag_eval_pipeline.scores.rubric import Rubric, parse_rubric
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.sql_models import compile_model, load_models
from tests.dbt_like_sql.conftest import Row, fill
from tests.dbt_like_sql.test_marts import item

MODELS = load_models(Path(__file__).parents[2] / "dbt_like_sql")
KEYS: Row = {"dataset_version": "d@1", "dataset_hash": "h", "run_id": "r", "run_hash": "rh",
             "measure_version": "m"}  # fmt: skip

# Trials of a case: passed, failed, unmeasured.
TRIALS = ["P", "F", "U", "PF", "PPF", "PFF", "PUF", "PPU", "PU", "FU", "PFUU", "PPPF", "FFF", "PP"]


def rubric(text: str) -> Rubric:
    return parse_rubric(text.encode(), "own.yaml", "own")


def rows_of(own: Rubric) -> list[Row]:
    return own.frame().to_dicts()


def of_model(warehouse: DuckDBFile, model: str) -> pl.DataFrame:
    bound = {table: tables.columns(table) for table in MODELS[model].depends_on}
    query = compile_model(MODELS[model], MODELS, bound)
    values = {"dataset_version": "d@1", "run_ids": ["r"]}
    return warehouse.sql(query, {name: value for name, value in values.items() if name in query})


@pytest.mark.parametrize(
    ("rule", "passing", "open_"),
    [
        ("majority", {"P", "PPF", "PPU", "PPPF", "PP"}, {"PUF", "PU", "PFUU"}),
        ("all", {"P", "PP"}, {"PPU", "PU"}),
        ("any", {each for each in TRIALS if "P" in each}, {"FU"}),
    ],
)
def test_a_case_passes_by_the_rule_for_trials_in_models_and_comparisons(
    warehouse: DuckDBFile, rule: str, passing: set[str], open_: set[str]
) -> None:
    own = rubric(f"pass: {{trials: {rule}}}")
    scores = [
        item(name, letter * 5, trial=trial, rubric_version=own.version)
        for name in TRIALS
        for trial, letter in enumerate(name, start=1)
    ]
    fill(warehouse, case_scores=scores, rubrics=rows_of(own), run_items=[])
    expected = {
        name: True if name in passing else None if name in open_ or name == "U" else False
        for name in TRIALS
    }
    found = of_model(warehouse, "stg_case_axis").filter(pl.col("axis") == "overall")
    assert dict(found.select("case_id", "passed").rows()) == expected
    compared = case_results(warehouse.read("case_scores"), trials=own.trials)
    overall = compared.filter(pl.col("axis") == "overall")
    assert dict(overall.select("case_id", "passed").rows()) == expected


def test_a_rubric_that_is_not_stored_decides_by_majority(warehouse: DuckDBFile) -> None:
    scores = [item("a", letter * 5, trial=trial) for trial, letter in enumerate("PPF", start=1)]
    fill(warehouse, case_scores=scores, rubrics=[], run_items=[])
    assert of_model(warehouse, "stg_case_axis")["passed"].all()


def ranked(warehouse: DuckDBFile, own: Rubric, ranks: list[tuple[str, int, int | None]]) -> None:
    """Fill in cases with the rank of their gold per trial; q2 and q3 have slices of their own."""
    same: dict[str, Any] = {**KEYS, "ranks": [], "group_ranks": []}
    fill(
        warehouse,
        case_scores=[
            item(case, "PPPPP", trial=trial, rubric_version=own.version)
            for case, trial, _ in ranks
        ],
        run_items=[],
        cases=[
            {"dataset_version": "d@1", "case_id": case, "category": category, "risk": risk}
            for case, category, risk in (
                ("q1", "direct", None),
                ("q2", "multi_evidence", "low"),
                ("q3", "multi_evidence", "high"),
            )
        ],
        rubrics=rows_of(own),
        retrieval_measures=[
            {**same, "case_id": case, "trial": trial, "ranks": [rank], "group_ranks": [rank],
             "grades": [1]}
            for case, trial, rank in ranks
        ],
    )  # fmt: skip


def test_evidence_is_found_within_the_cut_of_the_case(warehouse: DuckDBFile) -> None:
    own = rubric("""
search: {measure: recall, k: 5}
overrides:
- when: {risk: [unclassified]}
  search: {pass_at: 0.5}
- when: {category: [multi_evidence], risk: [high]}
  search: {k: 2}
- when: {category: multi_evidence}
  search: {k: 9}
""")
    ranked(warehouse, own, [("q1", 1, 4), ("q2", 1, 8), ("q3", 1, 3)])
    found = of_model(warehouse, "stg_case_evidence").sort("case_id")
    assert found.select("case_id", "k", "depth", "is_found").rows() == [
        ("q1", 5, 4, True), ("q2", 9, 8, True), ("q3", 2, 3, False),
    ]  # fmt: skip
    assert found["rubric_k"].to_list() == [5, 5, 5]
    (body,) = [row["body"] for row in rows_of(own) if row["axis"] == "search"]
    assert len(json.loads(body)["overrides"]) == 3


@pytest.mark.parametrize(("rule", "depth"), [("majority", 4), ("all", None), ("any", 1)])
def test_the_depth_of_a_case_follows_the_rule_for_trials(
    warehouse: DuckDBFile, rule: str, depth: int | None
) -> None:
    own = rubric(f"search: {{measure: recall, k: 5}}\npass: {{trials: {rule}}}")
    ranked(warehouse, own, [("q1", 1, 1), ("q1", 2, None), ("q1", 3, 4)])
    (found,) = of_model(warehouse, "stg_case_evidence").to_dicts()
    assert (found["depth"], found["is_found"]) == (depth, depth is not None)


def test_a_case_that_no_chosen_axis_applies_to_is_no_item_where_the_run_lacks_it(
    warehouse: DuckDBFile,
) -> None:
    lacking, there = item("a", "NNNNN"), item("b", "NPPPN")
    logged = {name: there[name] for name in ("dataset_version", "run_id", "run_hash", "case_id",
                                             "trial")}  # fmt: skip
    fill(warehouse, case_scores=[lacking, there], rubrics=[], run_items=[logged])
    assert of_model(warehouse, "stg_item")["case_id"].to_list() == ["b"]
    assert set(AXES) < set(of_model(warehouse, "stg_item_axis")["axis"])
