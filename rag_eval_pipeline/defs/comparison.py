"""Comparisons: each run against the baseline its rule gives it, plus the pairs asked for."""

from collections.abc import Iterator, Sequence

import dagster as dg
import polars as pl

from rag_eval_pipeline.comparison.pairs import (
    ASKED,
    ASKED_IDENTICAL,
    Pair,
    Side,
    sides,
    wanted_pairs,
)
from rag_eval_pipeline.comparison.slices import slices_hash
from rag_eval_pipeline.dataset.baseline_history import pin_told
from rag_eval_pipeline.dataset.manifest import DatasetVersion, discover_datasets
from rag_eval_pipeline.defs.comparison_checks import comparable, latest_runs, no_regression
from rag_eval_pipeline.defs.comparison_metadata import night_metadata
from rag_eval_pipeline.defs.evaluation import SHOWN_ROWS, Evaluation, explained
from rag_eval_pipeline.defs.measures import reference_of
from rag_eval_pipeline.defs.pairs import TABLES, Inputs, batches, compare_batch, held_indexes
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    contracts_told,
    counted,
    partition_check,
    table_spec,
)
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.scores.rubric import Rubric

SLICED = (
    "dataset_version", "case_id", "lifecycle", "category", "split", "risk", "language",
    "scenario_id",
)  # fmt: skip
LISTED = (
    "dataset_version", "comparison_id", "candidate_run", "baseline_run", "rubric_version",
    "baseline_rule", "state", "reason_code", "reason", "n_core", "superseded_at",
)  # fmt: skip
"""Columns of `comparisons` that are read of every pair; lists of cases are not."""


class ComparisonConfig(dg.Config):
    """A pair to compare beside those the rules give: candidate and baseline run ids."""

    candidate: str = ""
    baseline: str = ""
    require_identical: bool = False


@dg.multi_asset(
    name="comparison",
    specs=[
        table_spec(table, "comparison", ["case_scores", "run_logs", "cases"]) for table in TABLES
    ],
    check_specs=[
        *(contract_check(table) for table in TABLES),
        partition_check(
            "no_regression",
            "regressions",
            "In the latest run of each system no case fails that passed in the baseline its rule "
            "gives it, and no axis is worse, by the first rubric",
        ),
        partition_check(
            "comparable",
            "comparisons",
            "The latest run of each system is compared with the baseline its rule gives it",
        ),
    ],
)
@contracts_told
def comparison(
    context: dg.AssetExecutionContext, evaluation: Evaluation, config: ComparisonConfig
) -> Iterator[Reported]:
    """Compare the pairs that are due; mark those no rule gives any more."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        with evaluation.warehouse.reading():
            wanted = _wanted(evaluation, dataset, config)
            held = set(evaluation.warehouse.held("comparisons", _of(dataset))["comparison_id"])
            ordered, runs = sides_of(evaluation, dataset.name)
        due = {
            pair.comparison_id: (pair, rubric)
            for pair, rubric in wanted
            if pair.comparison_id not in held
        }
        if due:
            with evaluation.warehouse.reading():
                reference = reference_of(evaluation, dataset.key)
            known = _knowledge(evaluation, dataset.name)
            inputs = Inputs(evaluation, dataset, reference, runs, known)
            for pairs, rubric in batches(list(due.values()), inputs):
                compare_batch(inputs, pairs, rubric)
        _supersede(evaluation, dataset, {pair.comparison_id for pair, _ in wanted})
        with evaluation.warehouse.reading():
            current = _current(evaluation.rows("comparisons", dataset.key, *LISTED))
            by_rule = _by_rule(current, evaluation.rubrics(dataset)[0].version)
            decisive = _decisive(by_rule, latest_runs(ordered, dataset.key))
            pairs_told = decisive.select("dataset_version", "comparison_id")
            changes, summary, figures = (
                evaluation.warehouse.read(table, pairs_told) for table in TABLES[1:]
            )
            shown = {table: evaluation.sample(table, dataset.key) for table in TABLES}
    for table in TABLES:
        yield contract_result(table, [])
    yield no_regression(decisive, changes, summary)
    yield comparable(latest_runs(ordered, dataset.key), by_rule)
    version = dg.DataVersion(hash_json(sorted(current["comparison_id"])))
    night = night_metadata(decisive, changes, summary, figures)
    for table, (rows, sample) in shown.items():
        first = current.drop("dataset_version", "comparison_id", "superseded_at")
        yield dg.MaterializeResult(
            asset_key=table,
            data_version=version,
            metadata=counted(
                rows,
                first.tail(SHOWN_ROWS) if table == "comparisons" else _told(sample),
                len(due),
            )
            | night[table],
        )


def sides_of(evaluation: Evaluation, name: str) -> tuple[list[Side], pl.DataFrame]:
    """All runs on a dataset name in order of time, and their rows of `runs` with reference."""
    knowledge = _knowledge(evaluation, name)
    keys = pl.DataFrame({"dataset_version": list(knowledge)}, schema={"dataset_version": pl.String})
    names = ["dataset_version", "dataset_hash", "snapshot_id", "draft"]
    references = evaluation.warehouse.read("cases", keys, names, distinct=True)
    slices = evaluation.warehouse.read("cases", keys, SLICED)
    hashes = pl.DataFrame(
        [
            (str(version), slices_hash(cases))
            for (version,), cases in slices.group_by("dataset_version")
        ],
        schema={"dataset_version": pl.String, "slices_hash": pl.String},
        orient="row",
    )
    references = references.join(hashes, on="dataset_version", how="left")
    runs = evaluation.warehouse.read("runs", keys)
    indexed = held_indexes(evaluation, runs.join(references, on="dataset_version"), knowledge)
    known = [*runs.columns, "index"]
    return sides(indexed.select(known), references), indexed


def is_settled(evaluation: Evaluation, dataset: DatasetVersion) -> bool:
    """Whether a dataset version holds exactly the comparisons wanted of what is read by now."""
    with evaluation.warehouse.reading():
        wanted = _wanted(evaluation, dataset, ComparisonConfig())
        current = _current(evaluation.rows("comparisons", dataset.key, *LISTED))
    return {pair.comparison_id for pair, _ in wanted} == set(current["comparison_id"])


def _told(sample: pl.DataFrame) -> pl.DataFrame:
    """The first rows of a table without what names the pair twice."""
    return sample.drop("dataset_version", "comparison_id", "rubric_version")


def _knowledge(evaluation: Evaluation, name: str) -> dict[str, str | None]:
    """The knowledge base of each version of a dataset."""
    return {
        each.key: each.knowledge
        for each in discover_datasets(evaluation.data_root).versions.values()
        if each.name == name
    }


def _current(compared: pl.DataFrame) -> pl.DataFrame:
    return compared.filter(pl.col("superseded_at").is_null())


def _wanted(
    evaluation: Evaluation, dataset: DatasetVersion, config: ComparisonConfig
) -> list[tuple[Pair, Rubric]]:
    ordered, _ = sides_of(evaluation, dataset.name)
    earlier = _current(evaluation.rows("comparisons", dataset.key, *LISTED)).filter(
        pl.col("baseline_rule").is_in([ASKED, ASKED_IDENTICAL])
    )
    asked = set(earlier.select("candidate_run", "baseline_run", "baseline_rule").iter_rows())
    if config.candidate:
        rule = ASKED_IDENTICAL if config.require_identical else ASKED
        asked.add((config.candidate, config.baseline, rule))
    rubrics = {rubric.version: rubric for rubric in evaluation.rubrics(dataset)}
    pairs = wanted_pairs(
        ordered,
        dataset.key,
        pinned=dataset.baseline,
        rubric_versions=list(rubrics),
        asked=sorted(asked),
        noted=pin_told(dataset),
        min_measured=dataset.min_measured,
    )
    return [(pair, rubrics[pair.rubric_version]) for pair in pairs]


def _supersede(evaluation: Evaluation, dataset: DatasetVersion, wanted: set[str]) -> None:
    """Mark comparisons that no rule gives any more; they are kept."""
    rows = evaluation.rows("comparisons", dataset.key, "comparison_id", "superseded_at")
    given = pl.col("comparison_id").is_in(sorted(wanted))
    superseded = pl.col("superseded_at").is_not_null()
    for moved, at in (
        (rows.filter(~superseded & ~given), evaluation.now()),
        (rows.filter(superseded & given), None),
    ):
        if moved.height:
            keys = moved.select(pl.lit(dataset.key).alias("dataset_version"), "comparison_id")
            fresh = evaluation.warehouse.read("comparisons", keys).with_columns(
                superseded_at=pl.lit(at, pl.Datetime("us", "UTC"))
            )
            evaluation.warehouse.replace("comparisons", keys, fresh)


def _of(dataset: DatasetVersion) -> pl.DataFrame:
    return pl.DataFrame({"dataset_version": [dataset.key]})


def _by_rule(current: pl.DataFrame, rubric_version: str) -> pl.DataFrame:
    """Comparisons with the baseline the rule gives, by one rubric."""
    return current.filter(
        (pl.col("rubric_version") == rubric_version)
        & ~pl.col("baseline_rule").is_in([ASKED, ASKED_IDENTICAL])
    )


def _decisive(by_rule: pl.DataFrame, latest: Sequence[str]) -> pl.DataFrame:
    """Those of the latest run of each system; earlier nights had their own check."""
    return by_rule.filter(
        pl.col("candidate_run").is_in(latest) & (pl.col("state") != "no_baseline")
    )
