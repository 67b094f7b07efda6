"""Checking and freezing dataset versions, and taking in run logs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import click
import polars as pl

from rag_eval_pipeline import launch, terminal
from rag_eval_pipeline.commands.context import FAILED, Context
from rag_eval_pipeline.commands.night import chosen, run_all, warn_of_unused_rows
from rag_eval_pipeline.dataset.freeze import freeze as freeze_dataset
from rag_eval_pipeline.dataset.manifest import DatasetVersion, discover_datasets
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.run_log.bring import bring_run
from rag_eval_pipeline.scores.rubric import load_rubric

SEVERITIES = {"error": 0, "warning": 1, "note": 2}


def check(context: Context, dataset: str | None) -> int:
    """Check dataset versions and show the findings; 1 if one of them is an error."""
    night = run_all(context, "check", dataset)
    # The table says it all, case by case.
    night.warnings.clear()
    night.problems += _rubric_problems(context, [version for version, _ in night.outcomes])
    findings = context.warehouse().read("dataset_findings", night.keys)
    findings = findings.filter(pl.col("stage") == "dataset").drop("stage")
    errors = findings.filter(pl.col("severity") == "error").height
    code = night.exit_code or (FAILED if errors else 0)
    if context.json:
        terminal.print_json(night.as_json(code) | {"findings": terminal.rows(findings)})
        return code
    worst_first = pl.col("severity").replace_strict(SEVERITIES, return_dtype=pl.Int64)
    for version, outcome in night.outcomes:
        rows = findings.filter(pl.col("dataset_version") == version.key).sort(
            worst_first, "check", maintain_order=True
        )
        if rows.height:
            counts = dict(rows.group_by("severity").len().iter_rows())
            told = ", ".join(
                f"{counts[severity]} {severity}{'s' if counts[severity] > 1 else ''}"
                for severity in SEVERITIES
                if severity in counts
            )
            terminal.print_table(
                rows.select("severity", "check", "subject", "message"), f"{version.key}: {told}"
            )
        elif outcome.succeeded:
            terminal.say(f"{version.key}: no findings")
    night.tell()
    return code


def freeze(context: Context, dataset: str, *, amend: bool, reason: str | None) -> int:
    """Pin one dataset version, check it, and say what was pinned."""
    launch.check_data_root(context.data)
    versions = chosen(discover_datasets(context.data), dataset)
    if len(versions) != 1:
        raise click.UsageError(
            f"{dataset} has several versions: {terminal.listed([each.key for each in versions])}"
        )
    result = freeze_dataset(
        versions[0], context.data, today=_today(versions[0]), amend=amend, reason=reason
    )
    night = run_all(context, "check", versions[0].key)
    code = night.exit_code
    if context.json:
        terminal.print_json(
            night.as_json(code)
            | {
                "dataset_version": result.dataset_version,
                "snapshot": result.snapshot,
                "dataset_hash": result.dataset_hash,
                "n_cases": result.n_cases,
                "already_frozen": result.already,
            }
        )
        return code
    done = "is frozen already and unchanged" if result.already else "frozen"
    terminal.say(
        f"{result.dataset_version} {done}: {result.n_cases} cases, snapshot "
        f"{result.snapshot or 'none'}, dataset_hash {result.dataset_hash[:12]}…"
    )
    night.tell()
    return code


def ingest(context: Context, paths: Sequence[Path], *, dataset: str | None, replace: bool) -> int:
    """Copy run logs below runs/, read all that is new, and show what became of each file."""
    launch.check_data_root(context.data)
    copied: list[str] = []
    for path in paths:
        found = discover_datasets(context.data)
        named = chosen(found, dataset)[0].key if dataset is not None else None
        target = bring_run(path.absolute(), context.data, named, replace=replace)
        copied.append(str(target))
        if not context.json:
            terminal.say(f"{path} is in {target}")
    night = run_all(context, "ingest", dataset, replace=replace)
    code = night.exit_code
    keys = night.keys["dataset_version"].to_list()
    with (warehouse := context.warehouse()).reading():
        files = warehouse.read("run_files").filter(pl.col("dataset_version").is_in(keys))
        unused = warehouse.read("quarantine", night.keys).filter(pl.col("run_id").is_not_null())
    warn_of_unused_rows(night, unused)
    if context.json:
        terminal.print_json(
            night.as_json(code) | {"copied": copied, "run_files": terminal.rows(files)}
        )
        return code
    shown = {
        "path": "file",
        "run_id": "run",
        "dataset_version": "dataset",
        "state": "state",
        "n_rows": "rows",
        "n_used": "used",
        "n_quarantined": "not used",
    }
    terminal.print_table(files, "Run files", shown)
    night.tell()
    return code


def _rubric_problems(context: Context, versions: Sequence[DatasetVersion]) -> list[str]:
    """What is wrong with the rubrics that the manifests name; scoring would stop there."""
    problems: list[str] = []
    for version in versions:
        for name in version.rubrics:
            try:
                load_rubric(name, context.data, named_in=version.manifest_path)
            except InputError as problem:
                problems.append(str(problem))
    return list(dict.fromkeys(problems))


def _today(version: DatasetVersion) -> dt.date:
    return launch.now().astimezone(version.zone).date()
