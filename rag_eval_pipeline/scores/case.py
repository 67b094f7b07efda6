"""The four axes of each run item side by side (R1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from rag_eval_pipeline.scores import behavior, evidence, search
from rag_eval_pipeline.scores import format as format_axis
from rag_eval_pipeline.scores.axis import ITEM, shortened
from rag_eval_pipeline.scores.diagnosis import detailed_reason, diagnose
from rag_eval_pipeline.scores.overrides import by_rubric
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
    return {axis: score_axis(facts, rubric, axis) for axis in SCORERS}


def score_axis(facts: pl.DataFrame, rubric: Rubric, axis: str) -> pl.DataFrame:
    """One axis scored by its section, each item by the keys that hold for its case.

    Where the rubric has overrides, `facts` also has category and risk. In the order of `facts`.
    """
    return by_rubric(facts, rubric, lambda rows, chosen: SCORERS[axis](rows, chosen.sections[axis]))


def join_axes(
    facts: pl.DataFrame, axes: Mapping[str, pl.DataFrame], rubric: Rubric
) -> pl.DataFrame:
    """One row a run item: {axis}_score, _passed, _state, and the item as a whole.

    The item as a whole is judged by the axes that decide: all, or those the rubric chooses.

    Returns
    -------
    run_id, case_id, trial; per axis score, passed, state; score (mean over the applicable axes
    that decide, null unless all are measured), score_low, score_high, state, passed (Kleene AND
    over them), failed_axes (of them), diagnosis, also, where_to_mend, reason.
    """
    return by_rubric(facts, rubric, lambda rows, chosen: _joined(rows, axes, chosen))


def _joined(facts: pl.DataFrame, axes: Mapping[str, pl.DataFrame], rubric: Rubric) -> pl.DataFrame:
    deciding = rubric.deciding_axes
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
        state=_state(deciding),
        passed=_passed(deciding),
        failed_axes=pl.concat_list(
            pl.when(~pl.col(f"{axis}_passed")).then(pl.lit(axis)) for axis in deciding
        ).list.drop_nulls(),
    )
    frame = frame.with_columns(
        score=pl.when(pl.col("state") == "measured").then(_mean("score", deciding)),
        score_low=_mean("low", deciding),
        score_high=_mean("high", deciding),
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


def _passed(axes: Sequence[str]) -> pl.Expr:
    """Kleene AND: any false is false, else any open is null, else true."""
    applicable = [_applicable(axis) for axis in axes]
    verdicts = [
        pl.when(applies).then(pl.col(f"{axis}_passed")).otherwise(pl.lit(value=True))
        for axis, applies in zip(axes, applicable, strict=True)
    ]
    held_out = pl.any_horizontal(pl.col(f"{axis}_state") == "held_out" for axis in axes)
    return pl.when(pl.any_horizontal(applicable) & ~held_out).then(pl.all_horizontal(verdicts))


def _state(axes: Sequence[str]) -> pl.Expr:
    """held_out if an axis is; measured once decided; not_applicable if all are; else unmeasured."""
    states = [pl.col(f"{axis}_state") for axis in axes]
    return (
        pl.when(pl.any_horizontal(state == "held_out" for state in states))
        .then(pl.lit("held_out"))
        .when(pl.all_horizontal(state == "not_applicable" for state in states))
        .then(pl.lit("not_applicable"))
        .when(
            pl.any_horizontal(state == "unmeasured" for state in states) & _passed(axes).is_null()
        )
        .then(pl.lit("unmeasured"))
        .otherwise(pl.lit("measured"))
    )


def _mean(part: str, axes: Sequence[str]) -> pl.Expr:
    values = [pl.when(_applicable(axis)).then(pl.col(f"{axis}_{part}")) for axis in axes]
    whole = pl.all_horizontal(
        ~_applicable(axis) | pl.col(f"{axis}_{part}").is_not_null() for axis in axes
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
