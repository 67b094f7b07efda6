"""The four axes of each run item side by side (R1)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rag_eval_pipeline.scores import behavior, evidence, search
from rag_eval_pipeline.scores import format as format_axis
from rag_eval_pipeline.scores.axis import ITEM, shortened
from rag_eval_pipeline.scores.diagnosis import detailed_reason, diagnose
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.model import AXES

SCORERS = {
    "search": search.score,
    "evidence": evidence.score,
    "behavior": behavior.score,
    "format": format_axis.score,
}
PASSED = "all checks passed"


def score_axes(facts: pl.DataFrame, rubric: Rubric) -> dict[str, pl.DataFrame]:
    """Each axis scored by its section of the rubric; frames as `axis.judge` returns them."""
    return {axis: score(facts, rubric.sections[axis]) for axis, score in SCORERS.items()}


def join_axes(
    facts: pl.DataFrame, axes: Mapping[str, pl.DataFrame], rubric: Rubric
) -> pl.DataFrame:
    """One row a run item: {axis}_score, _passed, _state, and the item as a whole.

    Returns
    -------
    run_id, case_id, trial; per axis score, passed, state; score (mean over the applicable axes,
    null unless all are measured), score_low, score_high, state, passed (Kleene AND over the
    applicable axes), failed_axes, diagnosis, also, where_to_mend, reason.
    """
    frame = facts
    for axis, scored in axes.items():
        named = scored.select(
            *ITEM,
            pl.col("score").alias(f"{axis}_score"),
            pl.col("score_low").alias(f"{axis}_low"),
            pl.col("score_high").alias(f"{axis}_high"),
            pl.col("passed").alias(f"{axis}_passed"),
            pl.col("state").alias(f"{axis}_state"),
            pl.col("reason").alias(f"{axis}_reason"),
        )
        frame = frame.join(named, on=ITEM, maintain_order="left")
    frame = frame.with_columns(
        state=_state(),
        passed=_passed(),
        failed_axes=pl.concat_list(
            pl.when(~pl.col(f"{axis}_passed")).then(pl.lit(axis)) for axis in AXES
        ).list.drop_nulls(),
    )
    frame = frame.with_columns(
        score=pl.when(pl.col("state") == "measured").then(_mean("score")),
        score_low=_mean("low"),
        score_high=_mean("high"),
    )
    # R12: `strict` names the failed axes and nothing else.
    strict = rubric.sections["evidence"]["measure"] == "exact_match"
    reason = _reason() if strict else detailed_reason(PASSED)
    return (
        diagnose(frame, rubric)
        .with_columns(reason=shortened(reason))
        .select(
            *ITEM,
            *(f"{axis}_{part}" for axis in AXES for part in ("score", "passed", "state")),
            "score",
            "score_low",
            "score_high",
            "state",
            "passed",
            "failed_axes",
            "diagnosis",
            "also",
            "where_to_mend",
            "reason",
        )
    )


def _applicable(axis: str) -> pl.Expr:
    return pl.col(f"{axis}_state") != "not_applicable"


def _passed() -> pl.Expr:
    """Kleene AND: any false is false, else any open is null, else true."""
    applicable = [_applicable(axis) for axis in AXES]
    verdicts = [
        pl.when(applies).then(pl.col(f"{axis}_passed")).otherwise(pl.lit(value=True))
        for axis, applies in zip(AXES, applicable, strict=True)
    ]
    held_out = pl.any_horizontal(pl.col(f"{axis}_state") == "held_out" for axis in AXES)
    return pl.when(pl.any_horizontal(applicable) & ~held_out).then(pl.all_horizontal(verdicts))


def _state() -> pl.Expr:
    """held_out if an axis is; measured once decided; not_applicable if all are; else unmeasured."""
    states = [pl.col(f"{axis}_state") for axis in AXES]
    return (
        pl.when(pl.any_horizontal(state == "held_out" for state in states))
        .then(pl.lit("held_out"))
        .when(pl.all_horizontal(state == "not_applicable" for state in states))
        .then(pl.lit("not_applicable"))
        .when(pl.any_horizontal(state == "unmeasured" for state in states) & _passed().is_null())
        .then(pl.lit("unmeasured"))
        .otherwise(pl.lit("measured"))
    )


def _mean(part: str) -> pl.Expr:
    values = [pl.when(_applicable(axis)).then(pl.col(f"{axis}_{part}")) for axis in AXES]
    whole = pl.all_horizontal(
        ~_applicable(axis) | pl.col(f"{axis}_{part}").is_not_null() for axis in AXES
    )
    return pl.when(whole).then(pl.mean_horizontal(values))


def _reason() -> pl.Expr:
    """R12: the failed axes in axis order, or `all checks passed`; else what stands in the way."""
    return (
        pl.when(pl.col("state") == "held_out")
        .then(pl.col("gold_problem"))
        .when(pl.col("failed_axes").list.len() > 0)
        .then(pl.col("failed_axes").list.join(","))
        .when(pl.col("state") == "not_applicable")
        .then(pl.lit("no axis applies"))
        .when(pl.col("state") == "unmeasured")
        .then(pl.lit("open"))
        .otherwise(pl.lit(PASSED))
    )
