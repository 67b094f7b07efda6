"""Results per case and axis of one run, under any reference and rubric (R9, R10)."""

from collections.abc import Sequence

import polars as pl

from rag_eval_pipeline.comparison.pairs import Side
from rag_eval_pipeline.comparison.regressions import case_results
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
from rag_eval_pipeline.scores.rubric import Rubric


def results_of(
    evaluation: Evaluation,
    side: Side,
    reference: Reference,
    rubric: Rubric,
    case_ids: Sequence[str],
) -> pl.DataFrame:
    """`case_results` of some cases of a run, scored under a reference and a rubric.

    A side of the reference's own dataset version was measured under it already, and where the
    rubric scored it too, its rows are read; a side of another version is measured again, from its
    stored items. A case the run lacks has state missing or no row.
    """
    chosen = pl.col("case_id").is_in(case_ids)
    if side.dataset_version != reference.cases["dataset_version"].first():
        known = _measured_again(evaluation, side, reference, chosen)
        return case_results(join_axes(known, score_axes(known, rubric), rubric))
    keys = evaluation.measure_keys(side.dataset_version).filter(pl.col("run_id") == side.run_id)
    scored = evaluation.warehouse.read(
        "case_scores", keys.with_columns(rubric_version=pl.lit(rubric.version))
    )
    if scored.is_empty():
        known = facts_of(evaluation, keys).filter(chosen)
        scored = join_axes(known, score_axes(known, rubric), rubric)
    return case_results(scored.filter(chosen))


def _measured_again(
    evaluation: Evaluation, side: Side, reference: Reference, chosen: pl.Expr
) -> pl.DataFrame:
    runs = pl.Series([side.run_id])
    items = items_of(evaluation, side.dataset_version, runs)
    measured = measurable(items, reference).filter(chosen)
    retrieved = evaluation.rows("retrieved", side.dataset_version, *RETRIEVED, runs=runs)
    texts = text_measures(measured, retrieved.filter(chosen), reference)
    return facts(
        retrieval_measures(measured, retrieved, reference),
        texts["answer_measures"],
        texts["behavior_measures"],
        texts["claim_verdicts"],
        items,
        reference.evidence,
    )
