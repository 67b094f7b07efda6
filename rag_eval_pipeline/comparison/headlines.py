"""Headlines of two runs whose cases are not the same: what the mix of cases does to them.

A paired difference cannot move against all of its slices; headlines over different cases can
(Simpson's paradox). So where both sides stand on different dataset versions, the direction of the
headline is held against that of its slices, and nothing else is made of the two numbers: means of
two different datasets are not subtracted for anybody to read (R9).
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.comparison.regressions import SIDES
from rag_eval_pipeline.comparison.slices import MIN_SLICE, OF_HEADLINE, WHOLE
from rag_eval_pipeline.comparison.statistics.paired import PARTS
from rag_eval_pipeline.comparison.statistics.simpson import simpson

PARADOX = {
    "comparison_id": pl.String,
    "axis": pl.String,
    "dimension": pl.String,
    "rose": pl.Boolean,
}
"""Columns of `paradoxes`."""


def headlines(results: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Mean of each run, slice and axis over its cases, missing ones as 0 (R8).

    Parameters
    ----------
    results
        `regressions.run_results` of the runs under their own dataset version.
    groups
        Its headline and slices (`slices.groups`).

    Returns
    -------
    run_id, dimension, slice, axis, rate; without slices under five cases, and without splits,
    which are no parts of the headline.
    """
    counted = pl.col("rate").is_not_null() | (pl.col("state") == "missing")
    members = groups.filter(pl.col("dimension").is_in([WHOLE, *OF_HEADLINE]))
    return (
        results.filter(counted)
        .select(
            "run_id",
            "case_id",
            "axis",
            parts=(pl.col("rate").fill_null(0.0) * PARTS).round().cast(pl.Int64),
        )
        .join(members.select("case_id", "dimension", "slice"), on="case_id")
        .group_by("run_id", "dimension", "slice", "axis")
        .agg(n=pl.len(), rate=pl.col("parts").sum() / (pl.len() * PARTS))
        .filter((pl.col("n") >= MIN_SLICE) | (pl.col("dimension") == WHOLE))
        .drop("n")
    )


def paradoxes(pairs: pl.DataFrame, candidate: pl.DataFrame, baseline: pl.DataFrame) -> pl.DataFrame:
    """Where the whole and every slice of a dimension moved in opposite directions.

    Parameters
    ----------
    pairs
        comparison_id, candidate_run, baseline_run.
    candidate, baseline
        `headlines` of the runs of each side.

    Returns
    -------
    comparison_id, axis, dimension, rose (whether the whole went up); sorted.
    """
    key = ["dimension", "slice", "axis"]
    sides = {
        side: pairs.select("comparison_id", run_id=f"{side}_run").join(rates, on="run_id")
        for side, rates in zip(SIDES, (candidate, baseline), strict=True)
    }
    moves = (
        sides["candidate"]
        .join(sides["baseline"], on=["comparison_id", *key], suffix="_baseline")
        .with_columns(move=pl.col("rate") - pl.col("rate_baseline"))
        .sort("comparison_id", *key)
    )
    whole = moves.filter(pl.col("dimension") == WHOLE).select("comparison_id", "axis", whole="move")
    slices = (
        moves.filter(pl.col("dimension") != WHOLE)
        .group_by("comparison_id", "axis", "dimension", maintain_order=True)
        .agg("move")
        .join(whole, on=["comparison_id", "axis"], maintain_order="left")
    )
    found = [
        (row["comparison_id"], row["axis"], row["dimension"], row["whole"] > 0)
        for row in slices.iter_rows(named=True)
        if simpson(row["whole"], row["move"])
    ]
    return pl.DataFrame(found, schema=PARADOX, orient="row").sort(
        "comparison_id", "axis", "dimension"
    )
