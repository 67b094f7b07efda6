"""Small frames of any table."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import settings

from rag_eval_pipeline import tables

RowsOf = Callable[..., pl.DataFrame]

# A slow or busy machine is no fault of the code under test.
# RAG_EVAL_EXAMPLES sets how many examples each law is tried on (8).
settings.register_profile(
    "suite", deadline=None, max_examples=int(os.environ.get("RAG_EVAL_EXAMPLES", "8"))
)
settings.load_profile("suite")


def value_of(dtype: pl.DataType) -> Any:
    if isinstance(dtype, pl.List):
        return []
    if dtype == pl.Boolean:
        return True
    if dtype == pl.Int64:
        return 1
    if dtype == pl.Float64:
        return 0.5
    if dtype == pl.Date:
        return dt.date(2026, 1, 2)
    if isinstance(dtype, pl.Datetime):
        return dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    return "x"


@pytest.fixture(scope="session")
def rows_of() -> RowsOf:
    """Rows of a table from what matters to the test; nullable columns are null, others filled."""

    def make(table: str, *rows: dict[str, Any]) -> pl.DataFrame:
        schema = tables.TABLES[table].to_schema().columns
        types = tables.columns(table)
        filled = {
            name: None if schema[name].nullable else value_of(dtype)
            for name, dtype in types.items()
        }
        for row in rows:
            assert set(row) <= set(types), set(row) - set(types)
        return pl.DataFrame([{**filled, **row} for row in rows], schema=types, orient="row")

    return make
