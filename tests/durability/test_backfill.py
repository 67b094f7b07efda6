"""A backfill that is killed between two batches loses none that was done."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import polars as pl

from rag_eval_pipeline import cli
from rag_eval_pipeline.scores import case as scoring
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

ITEMS = 3
EDITED = """
name: strict
evidence: {measure: exact_match, malformed: ignore}
"""


def backfill(data: Path, home: Path, told: Path, kill_at: int) -> None:
    """A backfill with a run a batch that notes what it scores, and kills itself at a batch."""
    os.environ["RAG_EVAL_BATCH_ITEMS"] = str(ITEMS)
    score: Any = scoring.SCORERS["evidence"]

    def scored(facts: pl.DataFrame, section: Any) -> Any:
        with told.open("a") as notes:
            notes.write(f"{facts['run_id'][0]} {facts.height}\n")
        if len(told.read_text().splitlines()) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return score(facts, section)

    scoring.SCORERS["evidence"] = scored
    rest = ["backfill", "--rubric", "strict", "--yes"]
    cli.main(["--data", str(data), "--home", str(home), "--json", *rest])


def test_the_next_one_does_only_what_was_not_done(
    museum: Any, durability: Any, tmp_path: Path
) -> None:
    situation = museum["later"]
    data, home = tmp_path / "data", tmp_path / "home"
    shutil.copytree(situation.data, data)
    shutil.copytree(situation.after, home)
    (data / "rubrics").mkdir()
    (data / "rubrics" / "strict.yaml").write_text(EDITED, encoding="utf-8")
    codes, notes = [], []
    for kill_at in (2, 0):
        told = tmp_path / f"told-{kill_at}"
        process = durability.FORKS.Process(target=backfill, args=(data, home, told, kill_at))
        process.start()
        process.join(timeout=300)
        codes.append(process.exitcode)
        notes.append(told.read_text().split())
    assert codes == [-signal.SIGKILL, 0]
    assert notes == [["night-1", "3", "night-2", "3"], ["night-2", "3"]]
    assert durability.open_runs(home) == []
    held = DuckDBFile(home / "warehouse.duckdb").held("evidence_scores")
    assert held.group_by("axis_hash").len()["len"].to_list() == [2, 2]
