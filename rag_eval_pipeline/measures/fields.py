"""Fields of the row: which ones of the minimal form an item lacks or has with a wrong type.

What one item lacks is a fault of the item. What no item of the run carries is not logged: the axes
that need it do not apply, so that a log of rankings alone can be measured.

Formula:
- malformed_fields = those of `retrieved`, `answer`, `source` and `status` that are not as they must
  be: `retrieved` a list of text ids or of objects with a text id, `answer` text, `source` a text id
  or null, `status` one of answer, unknown, clarify
- not_logged = those of the four and `citations` that are absent or null in every row of the run
Source: R12
Gives: answer_measures (malformed_fields, not_logged)
Needs: `log.retrieved`, `log.answer`, `log.source`, `log.status`, `log.citations`
Absent:
- `log.retrieved`, `log.answer`, `log.status`: named in malformed_fields
- `log.source`: named in malformed_fields where it is missing, not where it is null
- `log.citations`: the item lacks nothing
- one of them in every item: named in not_logged as well
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


def not_logged(items: pl.DataFrame) -> pl.DataFrame:
    """Fields that no item of a run carries: absent or null in every row.

    `items` is the table `run_items` of whole runs. Returns run_id, not_logged: the names of
    retrieved, answer, source, status and citations that the run does not log.
    """
    logged = {
        name: ~pl.col(f"{name}_type").is_in(["absent", "null"]).all()
        for name in ("retrieved", "answer", "source", "status")
    }
    logged["citations"] = (pl.col("citations").list.len() > 0).any()
    return (
        items.group_by("run_id", maintain_order=True)
        .agg(**logged)
        .select(
            "run_id",
            not_logged=pl.concat_list(
                pl.when(~pl.col(name)).then(pl.lit(name)) for name in logged
            ).list.drop_nulls(),
        )
    )
