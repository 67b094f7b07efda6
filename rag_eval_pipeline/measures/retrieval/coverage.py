"""Group coverage: gold groups covered anywhere in the ranking / gold groups; and whether all are.

It is recall without a cut: what a deeper k could reach at most with this ranking.

Formula:
- coverage = groups with a rank / groups
- all_covered@k = every group has a rank of at most k
Source: R2
Gives: coverage, and all_covered at any k, computed from the stored ranks
Needs: `case.evidence`, `log.retrieved`
Absent: `case.evidence`: null; `log.retrieved`: 0, all_covered is false
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.measures.retrieval.recall import covered, recall


def coverage(ranks: pl.Expr) -> pl.Expr:
    """Share of gold groups in the ranking (list of positions from 1, null = not found).

    Null where ranks are null or empty.
    """
    return recall(ranks)


def all_covered(ranks: pl.Expr, k: int | None = None) -> pl.Expr:
    """Whether every gold group is covered in the first k slots, as R2 asks to pass.

    Without `k` the whole ranking counts. Null where ranks are null or empty.
    """
    groups = ranks.list.len()
    return pl.when(groups > 0).then(covered(ranks, k) == groups)
