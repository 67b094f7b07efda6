"""Tables whose rows are keyed by all that decides them: what is due, and what is current."""

from collections.abc import Iterator

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.warehouse.due import due
from rag_eval_pipeline.warehouse.warehouse import Change

BATCH_ITEMS = 250_000


def due_keys(evaluation: Evaluation, table: str, wanted: pl.DataFrame) -> pl.DataFrame:
    """Wanted keys of one dataset version that the table does not hold."""
    versions = wanted.select("dataset_version").unique()
    return due(wanted, evaluation.warehouse.held(table, versions))


def batches(keys: pl.DataFrame, n_items: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Keys in batches of runs of at most `BATCH_ITEMS` items; `n_items` has run_id, n_items."""
    counted = keys.join(n_items, on="run_id", how="left").sort(keys.columns)
    sizes = counted["n_items"].fill_null(0)
    numbered = counted.select(*keys.columns, batch=sizes.cum_sum() // BATCH_ITEMS)
    for _, batch in numbered.group_by("batch", maintain_order=True):
        yield batch.drop("batch")


def refresh_flags(
    evaluation: Evaluation, table: str, dataset_version: str, wanted: pl.DataFrame
) -> None:
    """Make `current` (and `draft`) of the table's rows say what is true now.

    `wanted` holds the keys that are current and, where the table has it, `draft`. Rows are only
    rewritten where a flag is wrong.
    """
    flags = [name for name in ("current", "draft") if name in tables.columns(table)]
    keys = tables.keys(table)
    version = pl.DataFrame({"dataset_version": [dataset_version]})
    stored = evaluation.warehouse.read(table, version, [*keys, *flags], distinct=True)
    now = wanted.select(
        *keys, *(pl.col(name).alias(f"{name}_now") for name in flags if name == "draft")
    ).with_columns(current_now=pl.lit(value=True))
    compared = stored.join(now, on=keys, how="left").with_columns(
        pl.col("current_now").fill_null(value=False)
    )
    if "draft" in flags:
        # A row that is no longer current keeps what it was.
        compared = compared.with_columns(pl.col("draft_now").fill_null(pl.col("draft")))
    wrong = compared.filter(
        pl.any_horizontal(pl.col(name) != pl.col(f"{name}_now") for name in flags)
    )
    if wrong.is_empty():
        return
    replaced = wrong.select(*keys)
    rows = evaluation.warehouse.read(table, replaced)
    fresh = rows.drop(flags).join(
        wrong.select(*keys, *(pl.col(f"{name}_now").alias(name) for name in flags)), on=keys
    )
    evaluation.warehouse.apply([Change(table, replaced, fresh.select(*tables.columns(table)))])
