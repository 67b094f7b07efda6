"""Which verdicts two rubrics give otherwise, from the same measures."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import ITEM
from rag_eval_pipeline.scores.case import join_axes, score_axes
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.model import AXES

OVERALL = "overall"
CHANGES = {
    "run_id": pl.String(),
    "case_id": pl.String(),
    "trial": pl.Int64(),
    "axis": pl.String(),
    "old_verdict": pl.String(),
    "new_verdict": pl.String(),
    "old_reason": pl.String(),
    "new_reason": pl.String(),
}
COUNTS = {
    "axis": pl.String(),
    "old_verdict": pl.String(),
    "new_verdict": pl.String(),
    "n_items": pl.Int64(),
    "n_score_changed": pl.Int64(),
}
_COMPARED = ("verdict", "score", "reason")


def rubric_diff(facts: pl.DataFrame, old: Rubric, new: Rubric) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Score run items by two rubrics and say what differs.

    Parameters
    ----------
    facts
        One row a run item (`scores.facts`).

    Returns
    -------
    changes
        Columns `CHANGES`: one row per item and axis (or `overall`) whose verdict differs, sorted.
        A verdict is pass, fail, or a state that is not measured.
    counts
        Columns `COUNTS`: how many items have which two verdicts, and how many of these another
        score.
    """
    before, after = (score_axes(facts, rubric) for rubric in (old, new))
    sides = [(axis, before[axis], after[axis]) for axis in AXES]
    sides.append((OVERALL, join_axes(facts, before, old), join_axes(facts, after, new)))
    compared = pl.concat(
        _verdicts(one, "old")
        .join(_verdicts(other, "new"), on=ITEM)
        .with_columns(axis=pl.lit(axis, pl.String))
        for axis, one, other in sides
    )
    changes = compared.filter(pl.col("old_verdict") != pl.col("new_verdict")).select(*CHANGES)
    counts = compared.group_by("axis", "old_verdict", "new_verdict").agg(
        n_items=pl.len().cast(pl.Int64),
        n_score_changed=pl.col("old_score").ne_missing(pl.col("new_score")).sum().cast(pl.Int64),
    )
    return in_order(changes, "run_id", "case_id", "trial"), in_order(counts, "old_verdict")


def in_order(rows: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Rows by axis, `overall` last, then by some columns and by the new verdict."""
    places = {axis: number for number, axis in enumerate((*AXES, OVERALL))}
    place = pl.col("axis").replace_strict(places, return_dtype=pl.Int64)
    return rows.sort(place, *columns, "new_verdict")


def _verdicts(scored: pl.DataFrame, side: str) -> pl.DataFrame:
    """Pass or fail where measured, else the state."""
    verdict = (
        pl.when(pl.col("state") != "measured")
        .then(pl.col("state"))
        .when("passed")
        .then(pl.lit("pass"))
        .otherwise(pl.lit("fail"))
    )
    compared = scored.select(*ITEM, "score", "reason", verdict=verdict)
    return compared.rename({name: f"{side}_{name}" for name in _COMPARED})
