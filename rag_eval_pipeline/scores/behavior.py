"""Behavior axis: did the system answer, abstain or ask back as it should?

strict (R12): the status is one the case accepts.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import Section, judge, scores_zero


def score(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    """Score the axis; facts need status_match, expected_status, observed_status."""
    observed = pl.col("observed_status").fill_null("none")
    return judge(
        facts,
        pl.col("status_match"),
        passed_reason=pl.format("status {} is right", observed),
        failed_reason=pl.format("status {}, expected {}", observed, "expected_status"),
        malformed=scores_zero(section),
    )
