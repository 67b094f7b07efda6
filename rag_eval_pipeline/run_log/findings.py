"""Findings about run logs: what a run logs differently from its system's run before it."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline import tables

REQUIRED = ("retrieved", "answer", "source", "status")


def run_log_findings(runs: pl.DataFrame) -> pl.DataFrame:
    """Rows of `dataset_findings` about the runs of one dataset version.

    `fields_changed` compares the fields that carry a value with those of the run before, within
    one system, in order of start (runs without start come first, by id).
    """
    ordered = runs.sort(["started_at", "run_id"], nulls_last=False)
    rows: list[tuple[str, ...]] = []
    before: dict[str | None, set[str]] = {}
    for run in ordered.iter_rows(named=True):
        fields = set(run["logged_fields"])
        earlier = before.get(run["system"])
        if "empty_run" in run["flags"]:
            rows.append((run["dataset_version"], "run_log", "empty_run", "warning", run["run_id"],
                         f"{run['source_path']} holds no row: every case is missing"))  # fmt: skip
            continue
        before[run["system"]] = fields
        if earlier is None or earlier == fields:
            continue
        changes = [f"+{name}" for name in sorted(fields - earlier)]
        changes += [f"-{name}" for name in sorted(earlier - fields)]
        lost = [name for name in REQUIRED if name in earlier - fields]
        message = f"fields differ from the run before: {', '.join(changes)}"
        if lost:
            message += f"; missing required field: {', '.join(lost)}"
        rows.append((run["dataset_version"], "run_log", "fields_changed",
                     "warning" if lost else "note", run["run_id"], message))  # fmt: skip
    return pl.DataFrame(rows, schema=tables.columns("dataset_findings"), orient="row")
