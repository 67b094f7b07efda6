"""Every rank measure at several depths at once, from the same stored ranks."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rag_eval_pipeline.measures.retrieval.average_precision import average_precision
from rag_eval_pipeline.measures.retrieval.hit import hit
from rag_eval_pipeline.measures.retrieval.ndcg import ndcg
from rag_eval_pipeline.measures.retrieval.precision import precision, precision_ceiling
from rag_eval_pipeline.measures.retrieval.recall import recall
from rag_eval_pipeline.measures.retrieval.reciprocal_rank import reciprocal_rank


def at_depths(depths: Sequence[int]) -> list[pl.Expr]:
    """Columns {measure}_at_{k} for each k, from the columns ranks, grades and found_grades.

    Measures are hit, recall, precision, precision_ceiling, reciprocal_rank, average_precision and
    ndcg; each is null where ranks are null or empty.

    Raises
    ------
    ValueError
        A depth is under 1.
    """
    if any(k < 1 for k in depths):
        raise ValueError(f"a depth is at least 1; found {min(depths)}")
    ranks, grades, found = pl.col("ranks"), pl.col("grades"), pl.col("found_grades")
    return [
        measured.alias(f"{name}_at_{k}")
        for k in depths
        for name, measured in (
            ("hit", hit(ranks, k)),
            ("recall", recall(ranks, k)),
            ("precision", precision(ranks, k)),
            ("precision_ceiling", precision_ceiling(ranks, k)),
            ("reciprocal_rank", reciprocal_rank(ranks, k)),
            ("average_precision", average_precision(ranks, k)),
            ("ndcg", ndcg(ranks, grades, found, k)),
        )
    ]
