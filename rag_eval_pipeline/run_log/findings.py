"""Findings about run logs: how they were read, and what a run logs differently from before."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from rag_eval_pipeline import tables

REQUIRED = ("retrieved", "answer", "source", "status")

_Finding = tuple[str, str, str]
"""check, severity, message"""


def run_log_findings(runs: pl.DataFrame) -> pl.DataFrame:
    """Rows of `dataset_findings` about the runs of one dataset version (the table `runs`).

    `fields_changed` compares the fields that carry a value with those of the run before, within
    one system, in order of start (runs without start come first, by id).
    """
    ordered = runs.sort(["started_at", "run_id"], nulls_last=False)
    rows: list[tuple[str, ...]] = []
    before: dict[str | None, set[str]] = {}
    for run in ordered.iter_rows(named=True):
        found = list(_reading(run))
        if "empty_run" not in run["flags"]:
            fields = set(run["logged_fields"])
            found += _changes(before.get(run["system"], fields), fields)
            before[run["system"]] = fields
        rows += [
            (run["dataset_version"], "run_log", check, severity, run["run_id"], message)
            for check, severity, message in found
        ]
    return pl.DataFrame(rows, schema=tables.columns("dataset_findings"), orient="row")


def _reading(run: dict[str, object]) -> Iterator[_Finding]:
    path, flags, unknown = run["source_path"], run["flags"], run["unknown_fields"]
    if isinstance(flags, list):
        if "empty_run" in flags:
            yield "empty_run", "warning", f"{path} holds no row: every case is missing"
        notes = [flag for flag in flags if flag != "empty_run"]
        if notes:
            yield "run_value", "note", f"{path}: {', '.join(notes)}"
    if run["encoding"] != "utf-8":
        yield "encoding", "note", f"{path} was read as {run['encoding']}"
    if isinstance(unknown, list) and unknown:
        yield "unknown_fields", "note", f"{path}: kept in `extra`: {', '.join(unknown)}"


def _changes(earlier: set[str], fields: set[str]) -> list[_Finding]:
    if earlier == fields:
        return []
    changes = [f"+{name}" for name in sorted(fields - earlier)]
    changes += [f"-{name}" for name in sorted(earlier - fields)]
    lost = [name for name in REQUIRED if name in earlier - fields]
    message = f"fields differ from the run before: {', '.join(changes)}"
    if lost:
        message += f"; missing required field: {', '.join(lost)}"
    return [("fields_changed", "warning" if lost else "note", message)]
