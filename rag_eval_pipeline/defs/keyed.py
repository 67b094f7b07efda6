"""Tables whose rows are keyed by all that decides them: what is due, and what is current."""

from collections.abc import Iterator, Mapping

import dagster as dg
import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.defs import progress
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.warehouse.due import due

BATCH_ITEMS = 250_000
BATCH_ITEMS_VARIABLE = "RAG_EVAL_BATCH_ITEMS"


def due_keys(evaluation: Evaluation, table: str, wanted: pl.DataFrame) -> pl.DataFrame:
    """Wanted keys of one dataset version that the table does not hold."""
    versions = wanted.select("dataset_version").unique()
    return due(wanted, evaluation.warehouse.held(table, versions))


def batches(
    keys: pl.DataFrame, n_items: pl.DataFrame, *, weight: int = 1
) -> Iterator[pl.DataFrame]:
    """Keys in batches of runs, sorted, each of at most `batch_items()` items.

    A run's keys are never split, so a run of more items is a batch by itself. Whoever listens is
    told how far the batches are.

    Parameters
    ----------
    keys
        Keys with run_id, each with as many items as its run.
    n_items
        run_id, n_items.
    weight
        How many times the memory of scoring the work on an item takes: a batch has so many times
        fewer items.
    """
    most = batch_items() // weight
    counted = keys.join(n_items, on="run_id", how="left").sort("run_id", *keys.columns)
    runs = counted.group_by("run_id", maintain_order=True).agg(pl.col("n_items").sum())
    numbers: list[int] = []
    batch = held = 0
    sizes = runs["n_items"].to_list()
    for size in sizes:
        if numbers and numbers[-1] == batch and held + size > most:
            batch, held = batch + 1, 0
        held += size
        numbers.append(batch)
    numbered = counted.join(
        runs.select("run_id", batch=pl.Series(numbers, dtype=pl.Int64)),
        on="run_id",
        maintain_order="left",
    )
    parts = numbered.partition_by("batch", maintain_order=True)
    done = 0
    items = sum(sizes)
    for number, rows in enumerate(parts):
        progress.tell_batches(progress.Batches(number, len(parts), done, items))
        yield rows.select(keys.columns)
        done += int(rows["n_items"].sum() or 0)
    if parts:
        progress.tell_batches(progress.Batches(len(parts), len(parts), done, items))


def items_due(keys: pl.DataFrame, n_items: pl.DataFrame) -> int:
    """How many run items stand behind keys; `n_items` has run_id, n_items."""
    return int(keys.join(n_items, on="run_id", how="left")["n_items"].sum() or 0)


def batch_items() -> int:
    """Most run items of a batch: 250,000, or what RAG_EVAL_BATCH_ITEMS says.

    Raises
    ------
    InputError
        It is no whole number above 0.
    """
    written = (dg.EnvVar(BATCH_ITEMS_VARIABLE).get_value() or "").strip()
    if not written:
        return BATCH_ITEMS
    if not written.isdecimal() or int(written) == 0:
        raise InputError(
            code="batch_items",
            field=BATCH_ITEMS_VARIABLE,
            found=repr(written),
            expected="a whole number of run items above 0",
            todo=f"correct it, or unset it: {BATCH_ITEMS} is then taken",
        )
    return int(written)


def refresh_flags(
    evaluation: Evaluation, dataset_version: str, wanted: Mapping[str, pl.DataFrame]
) -> None:
    """Make `current` (and `draft`) of the tables' rows say what is true now.

    `wanted` holds by table the keys that are current and, where the table has it, `draft`. Rows are
    only rewritten where a flag is wrong.
    """
    with evaluation.warehouse.reading():
        marks = {
            table: _wrong_flags(evaluation, table, dataset_version, keys)
            for table, keys in wanted.items()
        }
    for table, right in marks.items():
        if right.height:
            evaluation.warehouse.mark(table, right)


def _wrong_flags(
    evaluation: Evaluation, table: str, dataset_version: str, wanted: pl.DataFrame
) -> pl.DataFrame:
    """Keys of rows whose flags are wrong, with the right ones."""
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
    right = [pl.col(f"{name}_now").alias(name) for name in flags]
    return wrong.select(*keys, *right).unique()
