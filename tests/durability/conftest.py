"""Nightlies as processes of their own, on a small data root that none of them writes to.

RAG_EVAL_ROUNDS sets how many kills are tried (1; `make durability`: 30), and with it the doubles
(two of three).
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import cli, tables
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

# What says when something was done, not what came of it.
CLOCKS = ("scored_at", "compared_at", "superseded_at", "first_read_on", "mtime")
OPEN = ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")

# The server that forks them has imported what they need and does nothing itself.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "hypothesis",
        "pytest",
        "dagster._core.storage.legacy_storage",
        "dagster._core.storage.runs",
        "dagster._core.storage.schedules",
        "pandera.backends.polars.builtin_checks",
        "rag_eval_pipeline.cli",
        "rag_eval_pipeline.commands.overview",
        "rag_eval_pipeline.defs.event_log",
        "rag_eval_pipeline.launch",
    ]
)


class Nightly:
    """A `rag-eval nightly` in a process of its own, begun when made."""

    def __init__(self, data: Path, home: Path, *, forked: bool) -> None:
        arguments = ["--data", str(data), "--home", str(home), "--json", "nightly"]
        self.begun = time.perf_counter()
        self._process: Any
        if forked:
            self._process = FORKS.Process(target=cli.main, args=(arguments,))
            self._process.start()
            return
        command = [sys.executable, "-m", "rag_eval_pipeline.cli", *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    @property
    def pid(self) -> int:
        return int(self._process.pid)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.end()

    def end(self) -> int:
        """Wait for the end; the exit code."""
        if isinstance(self._process, subprocess.Popen):
            return self._process.wait(timeout=300)
        self._process.join(timeout=300)
        assert self._process.exitcode is not None, "the nightly does not end"
        return int(self._process.exitcode)


@dataclass(slots=True)
class Situation:
    """A home before the nightly, and one after it, with its tables, that nothing disturbed."""

    data: Path
    before: Path | None
    after: Path | None = None
    expected: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    seconds: dict[bool, float] = field(default_factory=dict)

    def prepare(self, home: Path) -> Path:
        if self.before is not None:
            shutil.copytree(self.before, home)
        return home

    def undisturbed(self, home: Path, *, forked: bool) -> float:
        """Seconds of a nightly that nothing disturbs; its tables are what is expected."""
        nightly = Nightly(self.data, self.prepare(home), forked=forked)
        assert nightly.end() == 0
        seconds = time.perf_counter() - nightly.begun
        self.after = self.after or home
        self.expected = self.expected or contents(home)
        self.seconds[forked] = max(seconds, self.seconds.get(forked, 0.0))
        return seconds


def contents(home: Path) -> dict[str, pl.DataFrame]:
    """All tables, of clocks only whether they are set."""
    warehouse = DuckDBFile(home / "warehouse.duckdb")
    with warehouse.reading():
        return {
            table: warehouse.read(table).with_columns(
                pl.col(name).is_not_null() for name in CLOCKS if name in tables.columns(table)
            )
            for table in tables.TABLES
        }


def assert_same(found: Mapping[str, pl.DataFrame], expected: Mapping[str, pl.DataFrame]) -> None:
    for table, rows in expected.items():
        assert found[table].equals(rows), f"{table}\n{found[table]}\n{rows}"


def open_runs(home: Path) -> list[tuple[str, str]]:
    """Dagster runs that are not over."""
    with contextlib.closing(sqlite3.connect(home / "history" / "runs.db")) as connection:
        runs = connection.execute("SELECT run_id, status FROM runs").fetchall()
    assert runs
    return [(run_id, status) for run_id, status in runs if status in OPEN]


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


CASES = [
    {"id": "c1", "question": "入館料はいくらですか。", "expected": "300円", "evidence": "fees"},
    {"id": "c2", "question": "休館日はいつですか。", "expected": "月曜日", "evidence": "days"},
    {"id": "c3", "question": "割引はありますか。", "expected": "記載なし", "evidence": None},
]


def write_run(data: Path, run_id: str, started_at: str, answers: Sequence[str]) -> None:
    write_rows(
        data / "runs" / f"{run_id}.jsonl",
        [
            {
                "run_id": run_id,
                "system": "guide",
                "kind": "fixture",
                "started_at": started_at,
                "case_id": case["id"],
                "retrieved": [case["evidence"] or "fees"],
                "answer": answer,
                "source": case["evidence"],
                "status": "answer",
            }
            for case, answer in zip(CASES, answers, strict=True)
        ],
    )


@pytest.fixture(scope="session")
def museum(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Situation]:
    """`fresh`: a first nightly over two runs. `later`: one run is new, the other was taken in."""
    folder = tmp_path_factory.mktemp("museum")
    data = folder / "data"
    documents = [
        {"doc_id": "fees", "text": "入館料は一人300円です。"},
        {"doc_id": "days", "text": "休館日は毎週月曜日です。"},
    ]
    write_rows(data / "knowledge" / "museum" / "documents.jsonl", documents)
    cases = [{**case, "status": "answer"} for case in CASES]
    write_rows(data / "datasets" / "museum" / "v1" / "cases.jsonl", cases)
    write_run(data, "night-1", "2026-04-02T02:00:00+09:00", ["300円", "月曜日", "記載なし"])
    before = folder / "before"
    assert Nightly(data, before, forked=True).end() == 0
    write_run(data, "night-2", "2026-04-03T02:00:00+09:00", ["300円", "火曜日", "記載なし"])
    situations = {"fresh": Situation(data, None), "later": Situation(data, before)}
    for name, situation in situations.items():
        situation.undisturbed(folder / f"{name}-usual", forked=True)
    return situations


@pytest.fixture(scope="session")
def durability() -> Any:
    """What the tests of this folder share: `Nightly`, `contents`, `assert_same`, `open_runs`."""
    return sys.modules[__name__]
