"""What goes into the warehouse and what comes out of it, as frames: types, keys, finite numbers."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from polars import selectors as cs

from rag_eval_pipeline import tables


def check_keys(table: str, keys: pl.DataFrame) -> pl.DataFrame:
    """Distinct keys of a table, in its types.

    Parameters
    ----------
    table
        Name of the table.
    keys
        Frame of some or all key columns of the table and of no others.

    Returns
    -------
    pl.DataFrame
        Each key once, in the order of `keys`.

    Raises
    ------
    ValueError
        If there is no key column, one is not the table's, or a type is not the contract's.
    """
    names = tables.keys(table)
    if not keys.columns or not set(keys.columns) <= set(names):
        raise ValueError(
            f"table {table}: its keys are {', '.join(names) or 'none'}, "
            f"found {', '.join(keys.columns) or 'none'}"
        )
    types = tables.columns(table)
    return _typed(table, keys, {name: types[name] for name in keys.columns}).unique(
        maintain_order=True
    )


def check_rows(table: str, rows: pl.DataFrame, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Rows in the table's columns and types, with finite numbers only.

    Raises
    ------
    ValueError
        If a column is missing, unknown or of another type, or holds NaN or infinity.
    """
    missing = [name for name in types if name not in rows.columns]
    unknown = [name for name in rows.columns if name not in types]
    if missing or unknown:
        raise ValueError(
            f"table {table}: columns missing: {', '.join(missing) or 'none'}; "
            f"not in the contract: {', '.join(unknown) or 'none'}"
        )
    typed = _typed(table, rows.select(list(types)), types)
    return finite(table, typed)


def check_marks(
    table: str, marks: pl.DataFrame, types: Mapping[str, pl.DataType]
) -> tuple[pl.DataFrame, list[str]]:
    """Keys with the columns to set, in the table's types, and the names of these columns.

    Raises
    ------
    ValueError
        If a key column is missing, a column is unknown or of another type, nothing is to be set, a
        key is there twice, or a number is NaN or infinite.
    """
    names = tables.keys(table)
    missing = [name for name in names if name not in marks.columns]
    unknown = [name for name in marks.columns if name not in types]
    if missing or unknown:
        raise ValueError(
            f"table {table}: key columns missing: {', '.join(missing) or 'none'}; "
            f"not in the contract: {', '.join(unknown) or 'none'}"
        )
    to_set = [name for name in marks.columns if name not in names]
    if not to_set:
        raise ValueError(f"table {table}: no column to set beside the keys")
    if marks.select(names).is_duplicated().any():
        raise ValueError(f"table {table}: a key is given more than once")
    typed = _typed(table, marks, {name: types[name] for name in marks.columns})
    return finite(table, typed), to_set


def finite(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows as they are, if no number in them is NaN or infinite.

    Raises
    ------
    ValueError
        Naming the table and the column.
    """
    floats = rows.select(cs.float())
    bad = floats.select((~pl.all().is_finite()).any(ignore_nulls=True))
    for name in bad.columns:
        if bad.height and bad.get_column(name).item():
            raise ValueError(
                f"table {table}, column {name}: found NaN or infinity, expected a finite number or "
                "null"
            )
    return rows


def plain_types(frame: pl.DataFrame) -> pl.DataFrame:
    """What DuckDB returns, without what later steps trip over.

    Instants are in UTC, decimals are whole numbers if they have no places and fit 64 bits, else
    floats; NaN and infinity are null.
    """
    zoned = [
        name
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
    ]
    decimals = [
        _without_decimal(frame.get_column(name))
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.Decimal)
    ]
    return frame.with_columns(pl.col(zoned).dt.convert_time_zone("UTC"), *decimals).with_columns(
        pl.when(cs.float().is_finite()).then(cs.float()).otherwise(None).name.keep()
    )


def _without_decimal(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.Decimal) and column.dtype.scale == 0:
        whole = column.cast(pl.Int64, strict=False)
        if whole.null_count() == column.null_count():
            return whole
    return column.cast(pl.Float64)


def _typed(table: str, frame: pl.DataFrame, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    for name, dtype in types.items():
        found = frame.schema[name]
        # A column without a single value has no type of its own.
        if found not in (dtype, pl.Null):
            raise ValueError(f"table {table}, column {name}: found {found}, expected {dtype}")
    return frame.cast(dict(types))  # type: ignore[arg-type]
