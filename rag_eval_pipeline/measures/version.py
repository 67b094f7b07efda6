"""Which rules and which texts a measure was made with: its version."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.measures import MEASURE_VERSION


def measure_version(index: pl.Expr | None = None) -> pl.Expr:
    """Version of measures under the gold of a `cases` row (its draft and snapshot_id).

    `index` is the snapshot the run's index was built from, where it is held and another than the
    pinned one: holes, outdated documents and texts are then judged on it (R7), and no row made
    without it is served once it is there.

    A frozen version pins its texts, and they are in dataset_hash as far as they are gold. A draft
    is judged against the live knowledge, of which any text may change: its snapshot belongs to the
    version, so that no measure of other texts is served.
    """
    live = pl.col("draft") & pl.col("snapshot_id").is_not_null()
    gold = (
        pl.when(live)
        .then(pl.format("{}+{}", pl.lit(MEASURE_VERSION), "snapshot_id"))
        .otherwise(pl.lit(MEASURE_VERSION))
    )
    if index is None:
        return gold
    return pl.when(index.is_not_null()).then(pl.format("{}+index:{}", gold, index)).otherwise(gold)
