"""A data root with one dataset version of three cases and runs the test writes."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds
from rag_eval_pipeline.run_log.discover import discover, find_sources
from rag_eval_pipeline.run_log.items import CaseIndex, RunRead, read_run
from rag_eval_pipeline.tables.contract import violations

NOW = dt.datetime(2026, 10, 2, tzinfo=dt.UTC)
QUESTIONS = {"q1": "送料は？", "q2": "返品は？", "q3": "返品は？"}
ITEM = {"retrieved": ["shipping"], "answer": "500円", "source": "shipping", "status": "answer"}


class Runs:
    """Run files below a data root, read against the three cases."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.zone = "Asia/Tokyo"
        self.known = KnownIds(
            frozenset({"shipping", "returns"}), frozenset({("shipping", "fee")}), held=True
        )
        (path / "runs").mkdir(parents=True)

    @staticmethod
    def dataset(key: str = "faq@v1", zone: str = "Asia/Tokyo") -> DatasetVersion:
        name, _, version = key.partition("@")
        return DatasetVersion(name, version, Path(), "dataset.yaml", ZoneInfo(zone))

    def file(self, name: str, data: bytes | str) -> Path:
        path = self.path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def rows(self, name: str, *rows: dict[str, Any] | str) -> Path:
        texts = [row if isinstance(row, str) else json.dumps(ITEM | row) for row in rows]
        return self.file(name, "".join(f"{text}\n" for text in texts))

    def read(self, name: str = "night", **options: Any) -> RunRead:
        """The run whose folder or file has the name."""
        (source,) = (each for each in find_sources(self.path)[0] if each.named == name)
        cases = pl.DataFrame(list(QUESTIONS.items()), schema=["case_id", "question"], orient="row")
        arguments: dict[str, Any] = {"against": "now", "now": NOW} | options
        read = read_run(
            source,
            self.path,
            self.dataset(zone=self.zone),
            CaseIndex.of(cases),
            self.known,
            **arguments,
        )
        for table in ("run", "items", "retrieved", "quarantine"):
            name = {"run": "runs", "items": "run_items"}.get(table, table)
            assert violations(name, getattr(read, table)) == []
        assert read.n_rows == read.items.height + read.quarantine.height
        return read

    def discover(
        self, known: pl.DataFrame | None = None, keys: tuple[str, ...] = ("faq@v1",)
    ) -> pl.DataFrame:
        datasets = {key: self.dataset(key) for key in keys}
        found = discover(self.path, tables.empty("run_files") if known is None else known, datasets)
        assert violations("run_files", found) == []
        return found


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path / "data")
