"""Which fields of the minimal form a run item lacks or has with a wrong type (R12).

`retrieved` must be a list of text ids or of objects with a text id, `answer` text, `source` a text
id or null, `status` one of answer, unknown, clarify.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.tables.model import STATUSES


def malformed_fields() -> pl.Expr:
    """Names of the malformed fields, from the `*_type` columns and `status` of `run_items`."""
    faults = (
        (pl.col("retrieved_type") != "list", "retrieved"),
        (pl.col("answer_type") != "text", "answer"),
        (~pl.col("source_type").is_in(["text", "null"]), "source"),
        (
            (pl.col("status_type") != "text")
            | ~pl.col("status").is_in(STATUSES).fill_null(value=False),
            "status",
        ),
    )
    return pl.concat_list(
        pl.when(fault).then(pl.lit(name)) for fault, name in faults
    ).list.drop_nulls()
