"""The mart of trends: headline, series and verdict of each run."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl

from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.sql_models import load_models, run_model
from tests.dbt_like_sql.conftest import Row, fill

MODELS = load_models(Path(__file__).parents[2] / "dbt_like_sql")
KEYS: Row = {"dataset_version": "d@1", "dataset_hash": "h", "run_hash": "rh"}


def score(run_id: str, case_id: str, *, passed: bool = True, **values: Any) -> Row:
    row: Row = {
        **KEYS,
        "run_id": run_id,
        "case_id": case_id,
        "trial": 1,
        "measure_version": "m",
        "rubric_version": "claims@1",
        "snapshot_id": "s",
    }
    for axis in AXES:
        row |= {f"{axis}_state": "measured", f"{axis}_score": 1.0, f"{axis}_passed": True}
    row |= {"state": "measured", "score": float(passed), "passed": passed, "draft": False}
    return {**row, **values}


def pair(run_id: str, comparison_id: str, **values: Any) -> Row:
    return {
        "dataset_version": "d@1",
        "comparison_id": comparison_id,
        "candidate_run": run_id,
        "candidate_run_hash": "rh",
        "candidate_dataset_hash": "h",
        "baseline_run": "before",
        "baseline_rule": "previous",
        "rubric_version": "claims@1",
        "state": "compared",
        **values,
    }


def trend(warehouse: DuckDBFile, scores: list[Row], **rows: list[Row]) -> pl.DataFrame:
    runs = sorted({each["run_id"] for each in scores})
    items = [
        {name: each[name] for name in ("dataset_version", "run_id", "run_hash", "case_id", "trial")}
        for each in scores
    ]
    fill(
        warehouse,
        case_scores=scores,
        run_items=list({tuple(item.values()): item for item in items}.values()),
        cases=[
            {"dataset_version": "d@1", "case_id": case}
            for case in sorted({each["case_id"] for each in scores})
        ],
        runs=rows.get("runs", [{"dataset_version": "d@1", "run_id": run} for run in runs]),
        comparisons=rows.get("comparisons", []),
        comparison_summary=rows.get("comparison_summary", []),
    )
    made = run_model(warehouse, MODELS["run_trend"], MODELS, "d@1", runs)
    return verified("run_trend", made)


def test_headline_of_a_run_stands_with_its_system_and_start(warehouse: DuckDBFile) -> None:
    start = dt.datetime(2026, 4, 1, tzinfo=dt.UTC)
    run = {"dataset_version": "d@1", "run_id": "r", "system": "bot", "started_at": start}
    rows = trend(warehouse, [score("r", "a"), score("r", "b", passed=False)], runs=[run])

    (overall,) = rows.filter(pl.col("axis") == "overall").to_dicts()
    assert rows.height == 5
    assert (overall["pass_rate"], overall["n_measured"], overall["n_cases"]) == (0.5, 2, 2)
    assert (overall["dataset"], overall["system"], overall["started_at"]) == ("d", "bot", start)
    assert (overall["verdict"], overall["baseline_run"], overall["n_pairs"]) == (None, None, None)


def test_series_is_another_where_cases_snapshot_rubric_or_rules_change(
    warehouse: DuckDBFile,
) -> None:
    changes: list[Row] = [
        {}, {"dataset_hash": "h2"}, {"snapshot_id": "s2"}, {"snapshot_id": None},
        {"rubric_version": "claims@2"}, {"measure_version": "m2"},
    ]  # fmt: skip
    scores = [score(f"r{place}", "a", **change) for place, change in enumerate(changes)]
    rows = trend(warehouse, scores).filter(pl.col("axis") == "overall")

    assert rows["series"].n_unique() == len(changes)
    assert (rows["series"].str.len_chars() == 8).all()


def test_series_is_the_same_on_every_axis_and_under_another_index(warehouse: DuckDBFile) -> None:
    rows = trend(
        warehouse, [score("r1", "a"), score("r2", "a", measure_version="m+index:0123456789ab")]
    )

    assert rows["series"].n_unique() == 1


def test_verdict_is_that_of_the_pair_the_rule_gives(warehouse: DuckDBFile) -> None:
    gone = dt.datetime(2026, 4, 1, tzinfo=dt.UTC)
    judged: Row = {"dataset_version": "d@1", "dimension": "all", "slice": "all", "axis": "overall"}
    rows = trend(
        warehouse,
        [score("r", "a")],
        comparisons=[
            pair("r", "now"),
            pair("r", "asked", baseline_rule="asked"),
            pair("r", "gone", superseded_at=gone),
            pair("r", "resent", candidate_run_hash="other"),
            pair("r", "gold", candidate_dataset_hash="other"),
        ],
        comparison_summary=[
            {**judged, "comparison_id": name, "verdict": verdict, "difference": 0.1, "n_pairs": 7}
            for name, verdict in (("now", "worse"), ("asked", "better"), ("gone", "better"))
        ]
        + [{**judged, "dimension": "risk", "comparison_id": "now", "verdict": "better"}],
    )

    told = rows.sort("axis").select("axis", "comparison_id", "verdict", "n_pairs").rows()
    assert told == [
        (axis, "now", "worse" if axis == "overall" else None, 7 if axis == "overall" else None)
        for axis in sorted((*AXES, "overall"))
    ]
