"""The trend: headlines of all runs with their verdicts, and what is drawn of it in the UI."""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import polars as pl

from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.defs.comparison_checks import covered
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.keyed import due_keys, refresh_flags
from rag_eval_pipeline.defs.marts import (
    LINEAGE,
    MODELS,
    TREND,
    checked,
    make_rows,
    mart_checks,
    mart_keys,
    mart_spec,
)
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_result,
    contracts_told,
    counted,
    partition_check,
)
from rag_eval_pipeline.defs.trend_metadata import pictures, plotted
from rag_eval_pipeline.report.run_report import trend_of
from rag_eval_pipeline.report.trend import history
from rag_eval_pipeline.report.trend_blocks import latest_rows
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.warehouse.due import data_version


@dg.multi_asset(
    name="trend",
    specs=[mart_spec(TREND)],
    check_specs=[
        *mart_checks(TREND),
        partition_check(
            "coverage",
            TREND,
            "In the latest run of each system enough cases are measured on every axis: "
            "`min_measured` of the dataset, else of the rubric",
        ),
    ],
)
@contracts_told
def trend(context: dg.AssetExecutionContext, evaluation: Evaluation) -> Iterator[Reported]:
    """Bring the trend of a dataset version up to date, and draw it over all versions."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        rubrics = evaluation.rubrics(dataset)
        with evaluation.warehouse.reading():
            wanted = trend_keys(evaluation, dataset)
            due = due_keys(evaluation, TREND, wanted)
        make_rows(evaluation, dataset, {TREND: due})
        flags = wanted.with_columns(draft=pl.lit(not dataset.frozen))
        refresh_flags(evaluation, dataset.key, {TREND: flags})
        with evaluation.warehouse.reading():
            runs = evaluation.rows("runs", dataset.key, "dataset_version", "run_id")
            of_name = trend_of(evaluation.warehouse, dataset.key)
    rows = of_name.filter(pl.col("dataset_version") == dataset.key)
    points = history(of_name)
    yield contract_result(TREND, [])
    yield from checked(TREND, rows, runs)
    yield covered(rows.filter(pl.col("current")), _least(dataset, rubrics))
    latest = latest_rows(points.filter(pl.col("dataset_version") == dataset.key))
    shown: dict[str, Any] = counted(rows.height, latest, due.height)
    yield dg.MaterializeResult(
        asset_key=TREND,
        data_version=dg.DataVersion(data_version(wanted)),
        metadata=shown
        | pictures(points)
        | plotted(rows.filter(pl.col("current")))
        | LINEAGE[TREND],
    )


def trend_keys(evaluation: Evaluation, dataset: DatasetVersion) -> pl.DataFrame:
    """The keys the trend should hold: another comparison by rule makes a run's rows due."""
    keys = mart_keys(evaluation, dataset, MODELS[TREND])
    judged = evaluation.rows(
        "comparisons", dataset.key, "comparison_id", "candidate_run", "rubric_version",
        "baseline_rule", "superseded_at",
    ).filter(
        pl.col("superseded_at").is_null() & ~pl.col("baseline_rule").is_in([ASKED, ASKED_IDENTICAL])
    )  # fmt: skip
    by_run = judged.select("rubric_version", "comparison_id", run_id="candidate_run")
    made_from = pl.concat_str("model_hash", "comparison_id", separator="+", ignore_nulls=True)
    return (
        keys.join(by_run, on=["run_id", "rubric_version"], how="left")
        .with_columns(model_hash=made_from)
        .select(keys.columns)
    )


def _least(dataset: DatasetVersion, rubrics: list[Rubric]) -> dict[str, float]:
    """Least share of cases that must be measured, by rubric version."""
    return {
        rubric.version: rubric.min_measured
        if dataset.min_measured is None
        else dataset.min_measured
        for rubric in rubrics
    }
