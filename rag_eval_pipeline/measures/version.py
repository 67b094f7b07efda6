"""Which rules and which texts a measure was made with: its version."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.measures import MEASURE_VERSION


def measure_version() -> pl.Expr:
    """Version of measures under the gold of a `cases` row (its draft and snapshot_id).

    A frozen version pins its texts, and they are in dataset_hash as far as they are gold. A draft
    is judged against the live knowledge, of which any text may change: its snapshot belongs to the
    version, so that no measure of other texts is served.
    """
    live = pl.col("draft") & pl.col("snapshot_id").is_not_null()
    return (
        pl.when(live)
        .then(pl.format("{}+{}", pl.lit(MEASURE_VERSION), "snapshot_id"))
        .otherwise(pl.lit(MEASURE_VERSION))
    )
