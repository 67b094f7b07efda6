"""Scores: each axis by its section of each rubric, then the axes of a run item side by side."""

import datetime as dt
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import dagster as dg
import polars as pl

from rag_eval_pipeline import __version__, tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.defs.evaluation import SHOWN_ROWS, Evaluation, explained
from rag_eval_pipeline.defs.keyed import batches, due_keys, items_due, refresh_flags
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
from rag_eval_pipeline.scores.case import join_axes, score_axis
from rag_eval_pipeline.scores.facts import facts
from rag_eval_pipeline.scores.missing import missing_cases
from rag_eval_pipeline.scores.overrides import all_slices_hash, slices_hash, with_slices
from rag_eval_pipeline.scores.rubric import Doubt, Rubric, load_rubric, reused_versions
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.due import data_version
from rag_eval_pipeline.warehouse.warehouse import Change

ITEM_COLUMNS = ("run_id", "case_id", "trial", "source", "retrieved_type")
VERDICT_COLUMNS = (
    "run_id", "case_id", "trial", "claim_id", "kind", "importance", "origin", "target", "verdict",
    "mention", "quote",
)  # fmt: skip
KEPT_OUT = {*tables.keys("retrieval_measures")} - {"run_id"}
SCORED = (
    "run_id", "case_id", "trial", "score", "score_low", "score_high", "passed", "state", "reason",
)  # fmt: skip
AXIS_TABLES = {axis: f"{axis}_scores" for axis in AXES}


CASE_COUNTS = (files("rag_eval_pipeline.defs") / "case_counts.sql").read_text(encoding="utf-8")
FIRST = ("run_id", "rubric_version", "case_id", "trial", "passed", "diagnosis", "reason")


class ScoringConfig(dg.Config):
    """Rubrics to score by, by name, beside those the dataset version lists."""

    also: list[str] = []


def scoring_rubrics(
    evaluation: Evaluation, dataset: DatasetVersion, also: Sequence[str] = ()
) -> list[Rubric]:
    """The rubrics a dataset version lists, and others by name, each once."""
    listed = evaluation.rubrics(dataset)
    names = {rubric.name for rubric in listed}
    return listed + [load_rubric(name, evaluation.data_root) for name in sorted(set(also) - names)]


def axis_keys(
    evaluation: Evaluation,
    dataset: DatasetVersion,
    axis: str,
    rubrics: Sequence[Rubric] | None = None,
) -> pl.DataFrame:
    """The keys an axis' scores should be held for: measures × that section of each rubric.

    `rubrics` are by default those the dataset version lists. Which cases their overrides concern
    is part of the keys.
    """
    chosen = evaluation.rubrics(dataset) if rubrics is None else rubrics
    slices = _slices(evaluation, dataset, chosen)
    hashes = sorted(
        {(rubric.axis_hash(axis), slices_hash(slices, rubric, axis)) for rubric in chosen}
    )
    names = dict.fromkeys(("axis_hash", "slices_hash"), pl.String)
    sections = pl.DataFrame(hashes, schema=names, orient="row")
    return evaluation.measure_keys(dataset.key).join(sections, how="cross")


def case_keys(
    evaluation: Evaluation, dataset: DatasetVersion, rubrics: Sequence[Rubric] | None = None
) -> pl.DataFrame:
    """The keys case scores should be held for: measures × each rubric, as `axis_keys`."""
    chosen = evaluation.rubrics(dataset) if rubrics is None else rubrics
    slices = _slices(evaluation, dataset, chosen)
    versions = pl.DataFrame(
        [(rubric.version, all_slices_hash(slices, rubric)) for rubric in chosen],
        schema=dict.fromkeys(("rubric_version", "slices_hash"), pl.String),
        orient="row",
    )
    return evaluation.measure_keys(dataset.key).join(versions, how="cross")


def _slices(
    evaluation: Evaluation, dataset: DatasetVersion, rubrics: Sequence[Rubric]
) -> pl.DataFrame:
    """Category, risk and lifecycle of the cases, where a rubric asks for them."""
    if not any(rubric.overrides for rubric in rubrics):
        return tables.empty("cases")
    return evaluation.rows("cases", dataset.key, "case_id", "category", "risk", "lifecycle")


def due_axis_keys(
    evaluation: Evaluation, dataset: DatasetVersion, rubrics: Sequence[Rubric] | None = None
) -> dict[str, pl.DataFrame]:
    """What is due per axis, as every asset, `backfill` and the tests of staleness see it."""
    return {
        axis: due_keys(evaluation, table, axis_keys(evaluation, dataset, axis, rubrics))
        for axis, table in AXIS_TABLES.items()
    }


def facts_of(evaluation: Evaluation, keys: pl.DataFrame) -> pl.DataFrame:
    """The stored measures of some measure keys, one a run, side by side (`scores.facts`)."""
    measure_keys = keys.select(tables.keys("retrieval_measures")).unique()
    dataset_version = str(keys["dataset_version"][0])
    # The keys are hashes as long as everything else of a row; of a run they are the same.
    measures = {
        table: evaluation.warehouse.read(
            table,
            measure_keys,
            [name for name in tables.columns(table) if name not in KEPT_OUT],
            # The others are joined to these, in the order of these.
            ordered=table == "retrieval_measures",
        )
        for table in MEASURE_TABLES
        if table != "claim_verdicts"
    }
    # The matrix of verdicts has a row for each claim and each text it was held against.
    on_answers = evaluation.warehouse.read(
        "claim_verdicts",
        measure_keys,
        VERDICT_COLUMNS,
        where={"origin": "gold", "target": "answer"},
        ordered=False,
    )
    items = evaluation.rows("run_items", dataset_version, *ITEM_COLUMNS, runs=keys["run_id"])
    known = facts(
        measures["retrieval_measures"],
        measures["answer_measures"],
        measures["behavior_measures"],
        on_answers,
        items,
        evaluation.rows("case_evidence", dataset_version),
    )
    return with_slices(
        known, evaluation.rows("cases", dataset_version, "case_id", "category", "risk")
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
def axis_scores(
    context: dg.AssetExecutionContext, evaluation: Evaluation, config: ScoringConfig
) -> Iterator[Reported]:
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
            rubrics = scoring_rubrics(evaluation, dataset, config.also)
            wanted = {axis: axis_keys(evaluation, dataset, axis) for axis in selected}
            due = {
                axis: due_keys(evaluation, table, axis_keys(evaluation, dataset, axis, rubrics))
                for axis, table in selected.items()
            }
        measured = [keys.drop("axis_hash", "slices_hash") for keys in due.values()]
        n_batches = 0
        for keys in batches(pl.concat(measured).unique(), n_items):
            _score(evaluation, dataset, keys, due, rubrics)
            n_batches += 1
        with evaluation.warehouse.reading():
            held = {table: evaluation.sample(table, dataset.key) for table in selected.values()}
    for axis, table in selected.items():
        yield contract_result(table, [])
        yield dg.MaterializeResult(
            asset_key=table,
            data_version=dg.DataVersion(data_version(wanted[axis])),
            metadata=counted(
                *held[table],
                due[axis].height,
                items_due=items_due(due[axis], n_items),
                batches=n_batches if due[axis].height else 0,
            ),
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
        partition_check(
            "version_texts",
            "case_scores",
            "No version text of a rubric stands for other content than it did before",
        ),
    ],
)
@contracts_told
def case_scores(
    context: dg.AssetExecutionContext, evaluation: Evaluation, config: ScoringConfig
) -> Iterator[Reported]:
    """Join the axes of each run item, and say which rows are current.

    Those by a rubric the dataset version does not list are never current.
    """
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        rubrics = scoring_rubrics(evaluation, dataset, config.also)
        with evaluation.warehouse.reading():
            wanted = case_keys(evaluation, dataset)
            due = due_keys(evaluation, "case_scores", case_keys(evaluation, dataset, rubrics))
            n_items = evaluation.rows("runs", dataset.key, "run_id", "n_items")
            known = evaluation.warehouse.read(
                "rubrics", None, ["rubric_version", "name", "version_text"], distinct=True
            )
        held = set(known.select("rubric_version", "version_text").iter_rows())
        evaluation.warehouse.apply(
            [
                Change(
                    "rubrics",
                    pl.DataFrame({"rubric_version": [rubric.version]}),
                    verified("rubrics", rubric.frame()),
                )
                for rubric in rubrics
                if (rubric.version, rubric.version_text) not in held
            ]
        )
        n_batches = 0
        for rubric in rubrics:
            of_rubric = due.filter(pl.col("rubric_version") == rubric.version)
            for keys in batches(of_rubric, n_items):
                _join(evaluation, dataset, keys, rubric)
                n_batches += 1
        flags = wanted.with_columns(draft=pl.lit(not dataset.frozen))
        refresh_flags(evaluation, dataset.key, {"case_scores": flags})
        with evaluation.warehouse.reading():
            counts = evaluation.warehouse.sql(CASE_COUNTS, {"dataset_version": dataset.key})
            first = evaluation.warehouse.read(
                "case_scores", wanted.head(1), FIRST, limit=SHOWN_ROWS
            )
            cases = evaluation.rows("cases", dataset.key, "lifecycle")
    yield contract_result("case_scores", [])
    yield _accounted(cases, counts, wanted)
    yield _version_texts(reused_versions(rubrics, known))
    current = counts.filter(pl.col("current"))
    yield dg.MaterializeResult(
        asset_key="case_scores",
        data_version=dg.DataVersion(data_version(wanted)),
        metadata=counted(
            int(counts["n_rows"].sum()),
            first,
            due.height,
            items_due=items_due(due, n_items),
            batches=n_batches,
            current_rows=int(current["n_rows"].sum()),
            passed=int(current["n_passed"].sum()),
            missing=int(current["n_missing"].sum()),
        ),
    )


def _score(
    evaluation: Evaluation,
    dataset: DatasetVersion,
    batch: pl.DataFrame,
    due: dict[str, pl.DataFrame],
    rubrics: Sequence[Rubric],
) -> None:
    """Score a batch of runs on every axis it is due on, each section once, in one transaction."""
    with evaluation.warehouse.reading():
        known = facts_of(evaluation, batch)
        snapshot = _snapshot(evaluation, dataset)
    changes = []
    for axis, keys_due in due.items():
        by_hash = {each.axis_hash(axis): each for each in rubrics}
        for axis_hash, rubric in by_hash.items():
            keys = keys_due.filter(pl.col("axis_hash") == axis_hash).join(
                batch, on=batch.columns, how="semi"
            )
            if keys.height:
                of_keys = known.join(keys, on="run_id", how="semi", maintain_order="left")
                scored = score_axis(of_keys, rubric, axis)
                rows = _keyed(scored, keys, snapshot, evaluation.now())
                changes.append(Change(AXIS_TABLES[axis], keys, verified(AXIS_TABLES[axis], rows)))
    evaluation.warehouse.apply(changes)


def _join(
    evaluation: Evaluation, dataset: DatasetVersion, keys: pl.DataFrame, rubric: Rubric
) -> None:
    with evaluation.warehouse.reading():
        known = facts_of(evaluation, keys)
        reference = reference_of(evaluation, dataset.key)
        axes = {
            axis: evaluation.warehouse.read(
                table,
                keys.drop("rubric_version").with_columns(
                    axis_hash=pl.lit(rubric.axis_hash(axis)),
                    slices_hash=pl.lit(slices_hash(reference.cases, rubric, axis)),
                ),
                SCORED,
                ordered=False,
            )
            for axis, table in AXIS_TABLES.items()
        }
        runs = evaluation.rows("runs", dataset.key, runs=keys["run_id"])
        snapshot = _snapshot(evaluation, dataset)
    scored = join_axes(known, axes, rubric)
    gone = unanswered_of(reference, scored, runs, dataset)
    if gone.height:
        lacking = known.join(gone, on="run_id", how="semi")
        gone = gone.join(
            described(reference, lacking),
            on=["run_id", "case_id"],
            how="left",
            maintain_order="left",
        )
        # Of all runs at once, so the run is filled in after.
        missing = missing_cases(gone, "", rubric).with_columns(gone["run_id"])
        scored = pl.concat([scored, missing.select(scored.columns)])
    rows = _keyed(scored, keys, snapshot, evaluation.now()).with_columns(
        current=pl.lit(value=True), draft=pl.lit(not dataset.frozen)
    )
    changes = [Change("case_scores", keys, verified("case_scores", rows))]
    if rubric.overrides:
        # Rows from before categories or risks were edited give way: an item has one row a rubric.
        earlier = keys.drop("slices_hash")
        changes.insert(0, Change("case_scores", earlier, tables.empty("case_scores"), drop=True))
    evaluation.warehouse.apply(changes)


def unanswered(
    reference: Reference,
    scored: pl.DataFrame,
    run: dict[str, Any],
    dataset: DatasetVersion,
) -> pl.DataFrame:
    """As `unanswered_of`, of one run; `scored` holds its items only."""
    names = ("run_id", "started_at", "first_read_on")
    runs = pl.DataFrame(
        [[run[name] for name in names]],
        schema={name: tables.columns("runs")[name] for name in names},
        orient="row",
    )
    of_run = scored.with_columns(run_id=pl.lit(run["run_id"]))
    return unanswered_of(reference, of_run, runs, dataset)


def unanswered_of(
    reference: Reference, scored: pl.DataFrame, runs: pl.DataFrame, dataset: DatasetVersion
) -> pl.DataFrame:
    """Approved cases runs have no item for, with gold_problem: what puts their gold in doubt.

    Parameters
    ----------
    scored
        run_id, case_id of the items there are.
    runs
        run_id, started_at, first_read_on of the runs.

    Returns
    -------
    case_id, run_id, trial (1), judged_on, gold_problem; in order of runs, then of cases.
    """
    days = [
        started.astimezone(dataset.zone).date() if started is not None else dataset.frozen_on
        for started in runs["started_at"]
    ]
    judged = runs.select(
        "run_id", day=pl.coalesce(pl.Series("day", days, pl.Date), pl.col("first_read_on"))
    )
    absent = (
        judged.join(reference.approved.select("case_id", "as_of"), how="cross")
        .join(scored, on=["run_id", "case_id"], how="anti", maintain_order="left")
        .select(
            "case_id",
            "run_id",
            trial=pl.lit(1, pl.Int64),
            judged_on=pl.coalesce("as_of", "day"),
        )
    )
    problems = gold_problems(absent, reference.evidence, reference.documents)
    return absent.join(
        problems.select("run_id", "case_id", "gold_problem"),
        on=["run_id", "case_id"],
        how="left",
        maintain_order="left",
    )


def described(reference: Reference, known: pl.DataFrame) -> pl.DataFrame:
    """What a case asks and a run logs: run_id, case_id and the columns `missing_cases` needs."""
    claims = case_claims(reference.approved, reference.claims)
    counted = (
        reference.approved.select(
            "case_id",
            "category",
            "risk",
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


def _version_texts(reused: Sequence[Doubt]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name="version_texts",
        asset_key="case_scores",
        passed=not reused,
        severity=dg.AssetCheckSeverity.WARN,
        description="; ".join(map(str, reused)) or "each version text stands for one content",
    )


def _accounted(
    cases: pl.DataFrame, counts: pl.DataFrame, wanted: pl.DataFrame
) -> dg.AssetCheckResult:
    approved = cases.filter(pl.col("lifecycle") == "approved").height
    current = counts.filter(pl.col("current"))
    # Without an approved case there is nothing to score, and no row.
    pairs = wanted.height if approved else 0
    whole = current.height == pairs and bool((current["n_cases"] == approved).all())
    return dg.AssetCheckResult(
        check_name="cases_accounted",
        asset_key="case_scores",
        passed=whole,
        description=f"{approved} approved cases, {wanted.height} runs × rubrics",
        metadata={"approved_cases": approved, "runs_by_rubrics": wanted.height},
    )
