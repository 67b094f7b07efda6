"""Comparisons: each run against the baseline its rule gives it, plus the pairs asked for."""

from collections.abc import Iterator, Sequence

import dagster as dg
import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.pairs import (
    ASKED,
    ASKED_IDENTICAL,
    Pair,
    Side,
    differences,
    sides,
    wanted_pairs,
)
from rag_eval_pipeline.comparison.regressions import (
    Core,
    core,
    n_measured_pairs,
    regressions,
)
from rag_eval_pipeline.comparison.verdicts import comparison_row, standing
from rag_eval_pipeline.dataset.manifest import DatasetVersion, discover_datasets
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.measures import reference_of
from rag_eval_pipeline.defs.results import results_of
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    contracts_told,
    counted,
    partition_check,
    table_spec,
)
from rag_eval_pipeline.measures.tables import Reference
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.warehouse.warehouse import Change

TABLES = ("comparisons", "regressions")
NO_CORE = Core((), (), (), ())


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
            "In the latest run of each system no case fails that passed in the "
            "baseline its rule gives it, by the first rubric",
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
            reference = reference_of(evaluation, dataset.key)
            ordered, runs = sides_of(evaluation, dataset.name)
        for pair, rubric in wanted:
            if pair.comparison_id not in held:
                _compare(evaluation, pair, rubric, reference, runs)
        _supersede(evaluation, dataset, {pair.comparison_id for pair, _ in wanted})
        with evaluation.warehouse.reading():
            compared = evaluation.rows("comparisons", dataset.key)
            changes = evaluation.rows("regressions", dataset.key)
    current = _current(compared)
    for table in TABLES:
        yield contract_result(table, [])
    decisive = _decisive(current, ordered, evaluation.rubrics(dataset)[0].version)
    yield _no_regression(decisive, changes)
    version = dg.DataVersion(hash_json(sorted(current["comparison_id"])))
    due = len({pair.comparison_id for pair, _ in wanted} - held)
    yield dg.MaterializeResult(
        asset_key="comparisons",
        data_version=version,
        metadata=counted(
            compared.height,
            current.select("candidate_run", "baseline_run", "state", "reason", "n_core"),
            due,
        ),
    )
    yield dg.MaterializeResult(
        asset_key="regressions",
        data_version=version,
        metadata=counted(
            changes.height,
            changes.select("candidate_run", "baseline_run", "case_id", "axis", "change", "reason"),
            due,
        ),
    )


def sides_of(evaluation: Evaluation, name: str) -> tuple[list[Side], pl.DataFrame]:
    """All runs on a dataset name in order of time, and their rows of `runs` with reference."""
    versions = [
        each.key for each in discover_datasets(evaluation.data_root).versions.values()
        if each.name == name
    ]  # fmt: skip
    keys = pl.DataFrame({"dataset_version": versions}, schema={"dataset_version": pl.String})
    names = ["dataset_version", "dataset_hash", "snapshot_id", "draft"]
    references = evaluation.warehouse.read("cases", keys, names, distinct=True)
    runs = evaluation.warehouse.read("runs", keys)
    return sides(runs, references), runs.join(references, on="dataset_version")


def is_settled(evaluation: Evaluation, dataset: DatasetVersion) -> bool:
    """Whether a dataset version holds exactly the comparisons wanted of what is read by now."""
    with evaluation.warehouse.reading():
        wanted = _wanted(evaluation, dataset, ComparisonConfig())
        current = _current(evaluation.rows("comparisons", dataset.key))
    return {pair.comparison_id for pair, _ in wanted} == set(current["comparison_id"])


def _current(compared: pl.DataFrame) -> pl.DataFrame:
    return compared.filter(pl.col("superseded_at").is_null())


def _wanted(
    evaluation: Evaluation, dataset: DatasetVersion, config: ComparisonConfig
) -> list[tuple[Pair, Rubric]]:
    ordered, _ = sides_of(evaluation, dataset.name)
    earlier = evaluation.rows("comparisons", dataset.key).filter(
        pl.col("baseline_rule").is_in([ASKED, ASKED_IDENTICAL]) & pl.col("superseded_at").is_null()
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
    )
    return [(pair, rubrics[pair.rubric_version]) for pair in pairs]


def _compare(
    evaluation: Evaluation,
    pair: Pair,
    rubric: Rubric,
    reference: Reference,
    runs: pl.DataFrame,
) -> None:
    split = NO_CORE
    differing: list[str] = []
    changed = tables.empty("regressions")
    n_measured = 0
    if pair.baseline is not None:
        both = (pair.candidate, pair.baseline)
        with evaluation.warehouse.reading():
            split = core(*(_approved(evaluation, side) for side in both))
            candidate, baseline = (
                results_of(evaluation, side, reference, rubric, split.unchanged) for side in both
            )
        differing = differences(*(_row(runs, side) for side in both))
        n_measured = n_measured_pairs(candidate, baseline)
        if pair.candidate.run_id != pair.baseline.run_id:
            changed = regressions(candidate, baseline, split).with_columns(
                dataset_version=pl.lit(pair.candidate.dataset_version),
                comparison_id=pl.lit(pair.comparison_id),
                candidate_run=pl.lit(pair.candidate.run_id),
                baseline_run=pl.lit(pair.baseline.run_id),
                rubric_version=pl.lit(rubric.version),
            )
    result = standing(pair, split, min_core=rubric.min_core, n_measured=n_measured)
    row = comparison_row(pair, split, result, differing, compared_at=evaluation.now())
    keys = row.select("dataset_version", "comparison_id")
    evaluation.warehouse.apply(
        [
            Change("comparisons", keys, verified("comparisons", row)),
            Change("regressions", keys, verified("regressions", changed)),
        ]
    )


def _approved(evaluation: Evaluation, side: Side) -> pl.DataFrame:
    return evaluation.rows(
        "cases", side.dataset_version, "case_id", "case_hash", "lifecycle"
    ).filter(pl.col("lifecycle") == "approved")


def _row(runs: pl.DataFrame, side: Side) -> dict[str, object]:
    return runs.filter(
        (pl.col("run_id") == side.run_id) & (pl.col("dataset_version") == side.dataset_version)
    ).row(0, named=True)


def _supersede(evaluation: Evaluation, dataset: DatasetVersion, wanted: set[str]) -> None:
    """Mark comparisons that no rule gives any more; they are kept."""
    rows = evaluation.rows("comparisons", dataset.key)
    stale = rows.filter(
        pl.col("superseded_at").is_null() & ~pl.col("comparison_id").is_in(sorted(wanted))
    )
    back = rows.filter(
        pl.col("superseded_at").is_not_null() & pl.col("comparison_id").is_in(sorted(wanted))
    )
    for moved, at in ((stale, evaluation.now()), (back, None)):
        if moved.height:
            fresh = moved.with_columns(superseded_at=pl.lit(at, pl.Datetime("us", "UTC")))
            keys = fresh.select("dataset_version", "comparison_id")
            evaluation.warehouse.replace("comparisons", keys, fresh)


def _of(dataset: DatasetVersion) -> pl.DataFrame:
    return pl.DataFrame({"dataset_version": [dataset.key]})


def _decisive(current: pl.DataFrame, ordered: Sequence[Side], rubric_version: str) -> pl.DataFrame:
    """Comparisons of the latest run of each system, by rule; earlier nights had their own check.

    The latest is the last to have been started: a log that arrives late is no news.
    """
    latest = {(side.system, side.dataset_version): side.run_id for side in ordered}
    return current.filter(
        pl.col("candidate_run").is_in(sorted(latest.values()))
        & (pl.col("rubric_version") == rubric_version)
        & ~pl.col("baseline_rule").is_in([ASKED, ASKED_IDENTICAL])
        & (pl.col("state") != "no_baseline")
    )


def _no_regression(decisive: pl.DataFrame, changes: pl.DataFrame) -> dg.AssetCheckResult:
    """What was not compared is no pass."""
    lost = changes.join(decisive, on="comparison_id", how="semi").filter(
        (pl.col("change") == "regressed") & (pl.col("axis") == "overall")
    )
    refused = decisive.filter(pl.col("state") != "compared")
    if decisive.is_empty():
        said = "nothing was compared: no run has a baseline yet"
    elif refused.height:
        said = "; ".join(
            f"{run} was not compared with {baseline}: {reason}"
            for run, baseline, reason in refused.select(
                "candidate_run", "baseline_run", "reason"
            ).iter_rows()
        )
    else:
        said = f"{decisive.height} runs compared"
    if lost.height:
        said = f"{lost.height} cases regressed: {', '.join(lost['case_id'].head(10))}; {said}"
    return dg.AssetCheckResult(
        check_name="no_regression",
        asset_key="regressions",
        passed=lost.is_empty() and refused.is_empty() and not decisive.is_empty(),
        severity=dg.AssetCheckSeverity.WARN,
        description=said,
        metadata={"regressed": lost.height, "compared": decisive.height - refused.height},
    )
