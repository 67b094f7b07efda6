"""Format axis: has the item the fields it must have, with right types (R12)?"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import Section, judge


def score(facts: pl.DataFrame, section: Section) -> pl.DataFrame:  # noqa: ARG001
    """Score the axis; facts need malformed_fields (see `axis.judge`)."""
    faults = pl.col("malformed_fields")
    return judge(
        facts,
        faults.list.len() == 0,
        passed_reason=pl.lit("all fields are there"),
        failed_reason=pl.format("malformed: {}", faults.list.join(", ")),
        malformed=pl.lit(value=False),
    )
