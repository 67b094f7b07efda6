"""Search axis: are the gold evidence groups among the retrieved ids?

strict (R12): all groups are retrieved. A case without gold passes (`no_evidence: full_credit`) or
is not applicable (`separate`).
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import Section, judge, scores_zero


def score(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    """Score the axis; facts need n_groups, n_retrieved, group_ranks, gold_ids (`axis.judge`)."""
    no_gold = pl.col("n_groups") == 0
    missed = pl.col("group_ranks").list.eval(pl.element().is_null()).list.any()
    ranks = pl.col("group_ranks").cast(pl.List(pl.String)).list.join(", ", ignore_nulls=True)
    gold = pl.col("gold_ids").list.join(", ")
    return judge(
        facts,
        no_gold | ~missed,
        passed_reason=pl.when(no_gold)
        .then(pl.lit("the case has no gold evidence"))
        .otherwise(pl.format("gold {} at rank {}", gold, ranks)),
        failed_reason=pl.format(
            "gold {}: {} of {} groups among {} retrieved",
            gold,
            pl.col("group_ranks").list.drop_nulls().list.len(),
            "n_groups",
            "n_retrieved",
        ),
        malformed=scores_zero(section),
        not_applicable=no_gold if section["no_evidence"] == "separate" else None,
        not_applicable_reason="the case has no gold evidence",
    )
