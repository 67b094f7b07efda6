"""Scores: each axis by its section of each rubric, then the axes of a run item side by side."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import dagster as dg
import polars as pl

from rag_eval_pipeline import __version__, tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.keyed import batches, due_keys, refresh_flags
from rag_eval_pipeline.defs.measures import OF_ITEMS as MEASURE_TABLES
from rag_eval_pipeline.defs.measures import reference_of
from rag_eval_pipeline.defs.sources import rubric_key
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    contracts_told,
    counted,
    partition_check,
    table_spec,
)
from rag_eval_pipeline.knowledge.validity import gold_problems
from rag_eval_pipeline.measures.claims.derived import case_claims
from rag_eval_pipeline.measures.tables import Reference
from rag_eval_pipeline.scores.case import SCORERS, join_axes
from rag_eval_pipeline.scores.facts import facts
from rag_eval_pipeline.scores.missing import missing_cases
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.due import data_version
from rag_eval_pipeline.warehouse.warehouse import Change

ITEM_COLUMNS = ("run_id", "case_id", "trial", "source", "retrieved_type")
AXIS_TABLES = {axis: f"{axis}_scores" for axis in AXES}


def axis_keys(evaluation: Evaluation, dataset: DatasetVersion, axis: str) -> pl.DataFrame:
    """The keys an axis' scores should be held for: measures × that section of each rubric."""
    hashes = sorted({rubric.axis_hash(axis) for rubric in evaluation.rubrics(dataset)})
    sections = pl.DataFrame({"axis_hash": hashes}, schema={"axis_hash": pl.String})
    return evaluation.measure_keys(dataset.key).join(sections, how="cross")


def case_keys(evaluation: Evaluation, dataset: DatasetVersion) -> pl.DataFrame:
    """The keys case scores should be held for: measures × each rubric."""
    versions = [rubric.version for rubric in evaluation.rubrics(dataset)]
    rubrics = pl.DataFrame({"rubric_version": versions}, schema={"rubric_version": pl.String})
    return evaluation.measure_keys(dataset.key).join(rubrics, how="cross")


def due_axis_keys(evaluation: Evaluation, dataset: DatasetVersion) -> dict[str, pl.DataFrame]:
    """What is due per axis, as every asset, `backfill` and the tests of staleness see it."""
    return {
        axis: due_keys(evaluation, table, axis_keys(evaluation, dataset, axis))
        for axis, table in AXIS_TABLES.items()
    }


def facts_of(evaluation: Evaluation, keys: pl.DataFrame) -> pl.DataFrame:
    """The stored measures of some measure keys side by side (`scores.facts`)."""
    measure_keys = keys.select(tables.keys("retrieval_measures")).unique()
    dataset_version = str(keys["dataset_version"][0])
    measures = {table: evaluation.warehouse.read(table, measure_keys) for table in MEASURE_TABLES}
    items = evaluation.rows("run_items", dataset_version, *ITEM_COLUMNS, runs=keys["run_id"])
    return facts(
        measures["retrieval_measures"],
        measures["answer_measures"],
        measures["behavior_measures"],
        measures["claim_verdicts"],
        items,
        evaluation.rows("case_evidence", dataset_version),
    )


@dg.multi_asset(
    name="axis_scores",
    specs=[
        table_spec(table, "scores", [*MEASURE_TABLES, rubric_key(axis)])
        for axis, table in AXIS_TABLES.items()
    ],
    check_specs=[contract_check(table) for table in AXIS_TABLES.values()],
    can_subset=True,
)
@contracts_told
def axis_scores(context: dg.AssetExecutionContext, evaluation: Evaluation) -> Iterator[Reported]:
    """Score the measures that are due by their axis of each rubric."""
    selected = {
        axis: table
        for axis, table in AXIS_TABLES.items()
        if dg.AssetKey(table) in context.selected_asset_keys
    }
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        with evaluation.warehouse.reading():
            n_items = evaluation.rows("runs", dataset.key, "run_id", "n_items")
            wanted = {axis: axis_keys(evaluation, dataset, axis) for axis in selected}
            due = {
                axis: due_keys(evaluation, table, wanted[axis]) for axis, table in selected.items()
            }
        measured = [keys.drop("axis_hash") for keys in due.values()]
        for keys in batches(pl.concat(measured).unique(), n_items):
            _score(evaluation, dataset, keys, due)
        with evaluation.warehouse.reading():
            held = {table: evaluation.sample(table, dataset.key) for table in selected.values()}
    for axis, table in selected.items():
        yield contract_result(table, [])
        yield dg.MaterializeResult(
            asset_key=table,
            data_version=dg.DataVersion(data_version(wanted[axis])),
            metadata=counted(*held[table], due[axis].height),
        )


@dg.multi_asset(
    name="case_scores",
    specs=[table_spec("case_scores", "scores", [*AXIS_TABLES.values(), rubric_key("pass")])],
    check_specs=[
        contract_check("case_scores"),
        partition_check(
            "cases_accounted",
            "case_scores",
            "Each current run and rubric has a row for every approved case",
            blocking=True,
        ),
    ],
)
@contracts_told
def case_scores(context: dg.AssetExecutionContext, evaluation: Evaluation) -> Iterator[Reported]:
    """Join the axes of each run item, and say which rows are current."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        rubrics = evaluation.rubrics(dataset)
        with evaluation.warehouse.reading():
            wanted = case_keys(evaluation, dataset)
            due = due_keys(evaluation, "case_scores", wanted)
            n_items = evaluation.rows("runs", dataset.key, "run_id", "n_items")
            known = evaluation.warehouse.held("rubrics")["rubric_version"].to_list()
        evaluation.warehouse.apply(
            [
                Change(
                    "rubrics",
                    pl.DataFrame({"rubric_version": [rubric.version]}),
                    verified("rubrics", rubric.frame()),
                )
                for rubric in rubrics
                if rubric.version not in known
            ]
        )
        for rubric in rubrics:
            of_rubric = due.filter(pl.col("rubric_version") == rubric.version)
            for keys in batches(of_rubric, n_items):
                _join(evaluation, dataset, keys, rubric)
        flags = wanted.with_columns(draft=pl.lit(not dataset.frozen))
        refresh_flags(evaluation, "case_scores", dataset.key, flags)
        with evaluation.warehouse.reading():
            rows = evaluation.rows(
                "case_scores", dataset.key, "run_id", "rubric_version", "case_id", "trial",
                "current", "passed", "state", "diagnosis", "reason",
            )  # fmt: skip
            cases = evaluation.rows("cases", dataset.key, "lifecycle")
    yield contract_result("case_scores", [])
    yield _accounted(cases, rows, wanted)
    current = rows.filter(pl.col("current"))
    yield dg.MaterializeResult(
        asset_key="case_scores",
        data_version=dg.DataVersion(data_version(wanted)),
        metadata=counted(
            rows.height,
            current.drop("current", "state"),
            due.height,
            current_rows=current.height,
            passed=int(current["passed"].sum() or 0),
            missing=current.filter(pl.col("state") == "missing").height,
        ),
    )


def _score(
    evaluation: Evaluation,
    dataset: DatasetVersion,
    batch: pl.DataFrame,
    due: dict[str, pl.DataFrame],
) -> None:
    """Score a batch of runs on every axis it is due on, each section once, in one transaction."""
    with evaluation.warehouse.reading():
        known = facts_of(evaluation, batch)
        snapshot = _snapshot(evaluation, dataset)
    changes = []
    for axis, keys_due in due.items():
        by_hash = {each.axis_hash(axis): each for each in evaluation.rubrics(dataset)}
        for axis_hash, rubric in by_hash.items():
            keys = keys_due.filter(pl.col("axis_hash") == axis_hash).join(
                batch, on=batch.columns, how="semi"
            )
            if keys.height:
                of_keys = known.join(keys, on=batch.columns, how="semi", maintain_order="left")
                scored = SCORERS[axis](of_keys, rubric.sections[axis])
                rows = _keyed(scored, keys, snapshot, evaluation.now())
                changes.append(Change(AXIS_TABLES[axis], keys, verified(AXIS_TABLES[axis], rows)))
    evaluation.warehouse.apply(changes)


def _join(
    evaluation: Evaluation, dataset: DatasetVersion, keys: pl.DataFrame, rubric: Rubric
) -> None:
    with evaluation.warehouse.reading():
        known = facts_of(evaluation, keys)
        axes = {
            axis: evaluation.warehouse.read(
                table,
                keys.drop("rubric_version").with_columns(axis_hash=pl.lit(rubric.axis_hash(axis))),
            )
            for axis, table in AXIS_TABLES.items()
        }
        reference = reference_of(evaluation, dataset.key)
        runs = evaluation.rows("runs", dataset.key, runs=keys["run_id"])
        snapshot = _snapshot(evaluation, dataset)
    scored = join_axes(known, axes, rubric)
    described = _described(reference, known)
    missing = [
        missing_cases(
            _unanswered(
                reference, scored.filter(pl.col("run_id") == run["run_id"]), run, dataset
            ).join(described, on=["run_id", "case_id"], how="left", maintain_order="left"),
            run["run_id"],
            rubric,
        ).select(scored.columns)
        for run in runs.iter_rows(named=True)
    ]
    rows = _keyed(pl.concat([scored, *missing]), keys, snapshot, evaluation.now()).with_columns(
        current=pl.lit(value=True), draft=pl.lit(not dataset.frozen)
    )
    evaluation.warehouse.replace("case_scores", keys, verified("case_scores", rows))


def _unanswered(
    reference: Reference,
    scored: pl.DataFrame,
    run: dict[str, Any],
    dataset: DatasetVersion,
) -> pl.DataFrame:
    """Approved cases a run has no item for, with gold_problem: what puts their gold in doubt."""
    started = run["started_at"]
    day = started.astimezone(dataset.zone).date() if started is not None else None
    unanswered = reference.approved.join(scored, on="case_id", how="anti").select(
        "case_id",
        run_id=pl.lit(run["run_id"]),
        trial=pl.lit(1, pl.Int64),
        judged_on=pl.coalesce(
            "as_of", pl.lit(day or dataset.frozen_on or run["first_read_on"], pl.Date)
        ),
    )
    problems = gold_problems(unanswered, reference.evidence, reference.documents)
    return unanswered.join(
        problems.select("case_id", "gold_problem"), on="case_id", how="left", maintain_order="left"
    )


def _described(reference: Reference, known: pl.DataFrame) -> pl.DataFrame:
    """What a case asks and a run logs: run_id, case_id and the columns `missing_cases` needs."""
    claims = case_claims(reference.approved, reference.claims)
    counted = (
        reference.approved.select(
            "case_id",
            "expected_status",
            has_answer=pl.col("reference_answer").is_not_null()
            | (pl.col("accepted_answers").list.len() > 0),
        )
        .join(
            reference.evidence.group_by("case_id").agg(n_groups=pl.col("group_no").n_unique()),
            on="case_id",
            how="left",
        )
        .join(claims.group_by("case_id").agg(n_claims=pl.len()), on="case_id", how="left")
        .with_columns(pl.col("n_groups", "n_claims").fill_null(0))
    )
    return counted.join(known.select("run_id", "not_logged").unique("run_id"), how="cross")


def _snapshot(evaluation: Evaluation, dataset: DatasetVersion) -> str | None:
    snapshots = evaluation.rows("cases", dataset.key, "snapshot_id")["snapshot_id"]
    found = snapshots.first() if snapshots.len() else None
    return None if found is None else str(found)


def _keyed(
    scored: pl.DataFrame, keys: pl.DataFrame, snapshot: str | None, now: dt.datetime
) -> pl.DataFrame:
    return scored.join(keys, on="run_id", maintain_order="left").with_columns(
        snapshot_id=pl.lit(snapshot, pl.String),
        code_version=pl.lit(__version__),
        scored_at=pl.lit(now, pl.Datetime("us", "UTC")),
    )


def _accounted(
    cases: pl.DataFrame, rows: pl.DataFrame, wanted: pl.DataFrame
) -> dg.AssetCheckResult:
    approved = cases.filter(pl.col("lifecycle") == "approved").height
    counts = (
        rows.filter(pl.col("current"))
        .group_by("run_id", "rubric_version")
        .agg(n=pl.col("case_id").n_unique())
    )
    # Without an approved case there is nothing to score, and no row.
    pairs = wanted.height if approved else 0
    whole = counts.height == pairs and bool((counts["n"] == approved).all())
    return dg.AssetCheckResult(
        check_name="cases_accounted",
        asset_key="case_scores",
        passed=whole,
        description=f"{approved} approved cases, {wanted.height} runs × rubrics",
        metadata={"approved_cases": approved, "runs_by_rubrics": wanted.height},
    )
