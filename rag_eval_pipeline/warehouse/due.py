"""What is still to be made, and the version of what there is."""

from __future__ import annotations

import datetime as dt
import hashlib
import json

import polars as pl


def due(wanted: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """Wanted keys that are not held.

    Parameters
    ----------
    wanted
        Keys that should be there.
    held
        Keys that are there; has at least the columns of `wanted`.

    Returns
    -------
    pl.DataFrame
        Columns of `wanted`, each key once, sorted, nulls first. Null equals null.

    Raises
    ------
    ValueError
        If `held` lacks a column of `wanted`.
    """
    names = wanted.columns
    if lacking := [name for name in names if name not in held.columns]:
        raise ValueError(f"the held keys have no column {', '.join(lacking)}")
    if not names:
        return wanted
    return wanted.unique().join(held, on=names, how="anti", nulls_equal=True).sort(names)


def data_version(held: pl.DataFrame) -> str:
    """sha256 of the held keys, whatever the order of their rows and columns.

    Made from canonical text, so that it stays the same with other versions of Polars and DuckDB.
    """
    names = sorted(held.columns)
    rows = sorted(_canonical(row) for row in held.select(names).unique().iter_rows())
    return hashlib.sha256("\n".join([_canonical(names), *rows]).encode()).hexdigest()


def _canonical(values: object) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=_as_text)


def _as_text(value: object) -> str:
    if isinstance(value, dt.date):
        return value.isoformat()
    raise TypeError(f"a key of type {type(value).__name__} has no canonical text")
