"""Evidence axis: is the answer right, and taken from the gold evidence?

strict (R12): the answer equals an accepted one and the source is one of the gold documents. A case
that gives no answer to compare with is not applicable.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import Section, judge, scores_zero


def score(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    """Score the axis; facts need exact_match, source_match, source, gold_ids (see `axis.judge`)."""
    wrong_answer = pl.when(~pl.col("exact_match")).then(
        pl.lit("the answer differs from the expected one")
    )
    gold = pl.when(pl.col("gold_ids").list.len() > 0).then(pl.col("gold_ids").list.join(", "))
    wrong_source = pl.when(~pl.col("source_match")).then(
        pl.format(
            "source {}, gold {}",
            pl.col("source").fill_null("none"),
            gold.fill_null("none"),
        )
    )
    return judge(
        facts,
        pl.col("exact_match") & pl.col("source_match"),
        passed_reason=pl.lit("answer and source are the expected ones"),
        failed_reason=pl.concat_str(wrong_answer, wrong_source, separator="; ", ignore_nulls=True),
        malformed=scores_zero(section),
        not_applicable=pl.col("exact_match").is_null(),
        not_applicable_reason="the case gives no answer to compare with",
    )
