"""Results per case and axis of runs, under any reference and rubric (R9, R10)."""

from collections.abc import Sequence

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.pairs import Side
from rag_eval_pipeline.comparison.regressions import RESULT, run_results
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.measures import RETRIEVED, items_of
from rag_eval_pipeline.defs.scores import facts_of
from rag_eval_pipeline.measures.tables import (
    Reference,
    measurable,
    retrieval_measures,
    text_measures,
)
from rag_eval_pipeline.scores.case import join_axes, score_axes
from rag_eval_pipeline.scores.facts import facts
from rag_eval_pipeline.scores.overrides import with_slices
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.model import AXES

SCORED = (
    "run_id", "case_id", "trial", "score", "passed", "state", "also",
    *(f"{axis}_{part}" for axis in AXES for part in ("score", "passed", "state")),
)  # fmt: skip
BASIS = ("run_id", "level", "method")


def results_of(
    evaluation: Evaluation,
    side: Side,
    reference: Reference,
    rubric: Rubric,
    case_ids: Sequence[str],
) -> pl.DataFrame:
    """`case_results` of some cases of a run, scored under a reference and a rubric.

    As `results_of_runs`, of one run and without what paired tests need.
    """
    runs = pl.Series([side.run_id], dtype=pl.String)
    found, _ = results_of_runs(
        evaluation, side.dataset_version, runs, reference, rubric, case_ids=case_ids
    )
    return found.select(RESULT)


def results_of_runs(
    evaluation: Evaluation,
    dataset_version: str,
    runs: pl.Series,
    reference: Reference,
    rubric: Rubric,
    *,
    case_ids: Sequence[str] | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Results of several runs of one dataset version, scored under a reference and a rubric.

    Runs of the reference's own dataset version were measured under it already, and where the
    rubric scored them too, their rows are read; runs of another version are measured again, from
    their stored items. A case a run lacks has state missing or no row.

    Parameters
    ----------
    dataset_version
        The version the runs belong to.
    runs
        Their ids.
    case_ids
        The only cases wanted; None = all.

    Returns
    -------
    `regressions.run_results`, and how search was judged: run_id, level, method, each combination
    once.
    """
    chosen = pl.lit(value=True) if case_ids is None else pl.col("case_id").is_in(case_ids)
    if dataset_version != reference.cases["dataset_version"].first():
        measured = _measured_again(evaluation, dataset_version, runs, reference, chosen)
        scored = join_axes(measured, score_axes(measured, rubric), rubric)
        basis = measured.select(BASIS).unique().sort(BASIS)
        return run_results(scored, trials=rubric.trials), basis
    keys = evaluation.measure_keys(dataset_version).join(
        runs.rename("run_id").to_frame(), on="run_id", how="semi"
    )
    stored = evaluation.warehouse.read(
        "case_scores", keys.with_columns(rubric_version=pl.lit(rubric.version)), SCORED
    )
    unscored = keys.join(stored, on="run_id", how="anti")
    if unscored.height:
        known = facts_of(evaluation, unscored).filter(chosen)
        again = join_axes(known, score_axes(known, rubric), rubric).select(SCORED)
        stored = pl.concat([stored, again])
    basis = evaluation.warehouse.read(
        "retrieval_measures", keys.select(tables.keys("retrieval_measures")), BASIS, distinct=True
    )
    return run_results(stored.filter(chosen), trials=rubric.trials), basis


def _measured_again(
    evaluation: Evaluation,
    dataset_version: str,
    runs: pl.Series,
    reference: Reference,
    chosen: pl.Expr,
) -> pl.DataFrame:
    items = items_of(evaluation, dataset_version, runs)
    measured = measurable(items, reference).filter(chosen)
    retrieved = evaluation.rows("retrieved", dataset_version, *RETRIEVED, runs=runs)
    texts = text_measures(measured, retrieved.filter(chosen), reference)
    known = facts(
        retrieval_measures(measured, retrieved, reference),
        texts["answer_measures"],
        texts["behavior_measures"],
        texts["claim_verdicts"],
        items,
        reference.evidence,
    )
    return with_slices(known, reference.cases)
