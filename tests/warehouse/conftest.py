"""A warehouse of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile


@pytest.fixture
def warehouse(tmp_path: Path) -> DuckDBFile:
    return DuckDBFile(tmp_path / "warehouse.duckdb", lock_timeout=20)
