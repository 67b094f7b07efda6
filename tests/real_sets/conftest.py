"""Reading and writing JSON lines, and one nightly over a data root."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag_eval_pipeline.cli import main
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

Rows = list[dict[str, Any]]


def read(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, rows: Rows) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def rows_in() -> Callable[[Path], Rows]:
    return read


@pytest.fixture(scope="session")
def rows_into() -> Callable[[Path, Rows], None]:
    return write


@pytest.fixture(scope="session")
def nightly() -> Callable[[Path], DuckDBFile]:
    """Evaluate a data root and open its warehouse, which lies beside it."""

    def run(data_root: Path) -> DuckDBFile:
        home = data_root.with_name("home")
        with pytest.raises(SystemExit) as ended:
            main(["--data", str(data_root), "--home", str(home), "nightly"])
        assert ended.value.code == 0
        return DuckDBFile(home / "warehouse.duckdb")

    return run
