"""List columns from values that lie one after the other."""

from __future__ import annotations

import polars as pl
import pyarrow as pa


def listed(values: pl.Series, lengths: pl.Series) -> pl.Series:
    """Values cut into lists of these lengths, whose sum is the number of values.

    Nothing is copied, and no list is ever a Python object.
    """
    ends = pl.concat([pl.Series([0], dtype=pl.Int64), lengths.cast(pl.Int64).cum_sum()])
    held = pa.LargeListArray.from_arrays(
        ends.to_arrow(), values.rechunk().to_arrow(compat_level=pl.CompatLevel.newest())
    )
    return pl.Series(values.name, held)
