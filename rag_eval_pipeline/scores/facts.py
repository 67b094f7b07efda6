"""The facts of run items side by side: what axis scores and diagnosis are made of."""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]


def facts(
    retrieval: pl.DataFrame,
    answer: pl.DataFrame,
    behavior: pl.DataFrame,
    items: pl.DataFrame,
    evidence: pl.DataFrame,
) -> pl.DataFrame:
    """Join measures of the same keys per run item.

    Parameters
    ----------
    retrieval, answer, behavior
        The tables `retrieval_measures`, `answer_measures`, `behavior_measures` of some keys.
    items
        run_id, case_id, trial, source of the table `run_items`.
    evidence
        The table `case_evidence`.

    Returns
    -------
    The columns of all three measure tables, `source`, and `gold_ids`: the case's gold ids in
    order of group, empty without gold.
    """
    gold = (
        evidence.sort(["case_id", "group_no"], maintain_order=True)
        .group_by("case_id", maintain_order=True)
        .agg(gold_ids="evidence_id")
    )
    own = [name for name in answer.columns if name not in retrieval.columns]
    status = [name for name in behavior.columns if name not in retrieval.columns]
    return (
        retrieval.join(answer.select(*ITEM, *own), on=ITEM, maintain_order="left")
        .join(behavior.select(*ITEM, *status), on=ITEM, maintain_order="left")
        .join(items.select(*ITEM, "source"), on=ITEM, how="left", maintain_order="left")
        .join(gold, on="case_id", how="left", maintain_order="left")
        .with_columns(pl.col("gold_ids").fill_null([]).cast(pl.List(pl.String)))
    )
