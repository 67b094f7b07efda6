"""Rows of the tables the marts read, filled in where a test does not say."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.warehouse import Change

Row = dict[str, Any]


def of_table(table: str, rows: list[Row]) -> pl.DataFrame:
    """Rows of a table; what is not given is null if it may be, else a plain value."""
    plain: dict[Any, Any] = {
        pl.String: "x",
        pl.Int64: 1,
        pl.Float64: 0.5,
        pl.Boolean: True,
        pl.Date: dt.date(2026, 1, 2),
        pl.Datetime: dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
        pl.List: [],
    }
    schema = tables.TABLES[table].to_schema().columns
    types = tables.columns(table)
    filled = {
        name: None if schema[name].nullable else plain[dtype.base_type()]
        for name, dtype in types.items()
    }
    return pl.DataFrame([{**filled, **row} for row in rows], schema=types, orient="row")


def fill(warehouse: DuckDBFile, **rows: list[Row]) -> None:
    """Put rows into the warehouse in place of all that is there."""
    changes = []
    for table, given in rows.items():
        frame = of_table(table, given)
        old = warehouse.held(table)
        changes.append(Change(table, pl.concat([old, frame.select(old.columns)]), frame))
    warehouse.apply(changes)


@pytest.fixture
def warehouse(tmp_path: Path) -> DuckDBFile:
    return DuckDBFile(tmp_path / "warehouse.duckdb", lock_timeout=20)
