"""Run logs: new and changed files of the partition are read, gone ones forgotten."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg
import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion, discover_datasets
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.sources import RUN_FILES
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    counted,
    partition_check,
    table_spec,
)
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.run_log.case_index import CaseIndex
from rag_eval_pipeline.run_log.discover import discover, find_sources
from rag_eval_pipeline.run_log.findings import run_log_findings
from rag_eval_pipeline.run_log.items import RunRead, read_against, read_run
from rag_eval_pipeline.run_log.resent import refuse_changed_rows
from rag_eval_pipeline.tables.contract import ContractError, Violation, verified
from rag_eval_pipeline.warehouse.warehouse import Change

NAME = "run_logs"
OF_RUN = ("runs", "run_items", "retrieved")

# Runs are written together: a transaction costs more than a run of some hundred rows.
STORED_ROWS = 20_000


class RunLogConfig(dg.Config):
    """`replace_changed` takes in a run whose earlier rows changed."""

    replace_changed: bool = False


@dg.multi_asset(
    name=NAME,
    specs=[
        table_spec(
            "runs",
            "run_log",
            ["cases", RUN_FILES],
            key=NAME,
            description="The runs of a dataset version: tables run_files, runs, run_items, "
            "retrieved and quarantine.",
        )
    ],
    check_specs=[
        contract_check(NAME),
        partition_check(
            "rows_accounted",
            NAME,
            "Per file: rows in = run items + rows in quarantine",
            blocking=True,
        ),
        partition_check("files_read", NAME, "No run file of the partition is rejected"),
    ],
)
def run_logs(
    context: dg.AssetExecutionContext, evaluation: Evaluation, config: RunLogConfig
) -> Iterator[Reported]:
    """Read the run files that are new or changed, forget runs whose file is gone."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        files = _files(evaluation, dataset)
        n_read, broken = _take_in(context, evaluation, dataset, files, config.replace_changed)
        yield contract_result(NAME, broken)
        runs = evaluation.rows("runs", dataset.key)
        findings = verified("dataset_findings", run_log_findings(runs))
        key = pl.DataFrame({"dataset_version": [dataset.key], "stage": ["run_log"]})
        evaluation.warehouse.replace("dataset_findings", key, findings)
        held = evaluation.warehouse.read("run_files").filter(
            pl.col("dataset_version") == dataset.key
        )
    yield from _checks(held)
    yield dg.MaterializeResult(
        asset_key=NAME,
        data_version=dg.DataVersion(
            hash_json(sorted(map(list, runs.select("run_id", "run_hash", "read_against").rows())))
        ),
        metadata=counted(
            runs.height,
            runs.select("run_id", "system", "kind", "started_at", "n_items"),
            n_read,
            run_items=int(runs["n_items"].sum()),
            quarantined=int(held["n_quarantined"].sum() or 0),
        ),
    )


def _files(evaluation: Evaluation, dataset: DatasetVersion) -> pl.DataFrame:
    """Look at the run files once more; the partition's rows are kept and returned."""
    datasets = discover_datasets(evaluation.data_root).versions
    known = evaluation.warehouse.read("run_files")
    seen = verified("run_files", discover(evaluation.data_root, known, datasets))
    # What became of another version's files is for its own step to say.
    mine = seen.filter(pl.col("dataset_version") == dataset.key)
    changed = mine.join(known, on=seen.columns, how="anti", nulls_equal=True)
    if changed.height:
        evaluation.warehouse.replace("run_files", changed.select("path"), changed)
    return mine


def _take_in(
    context: dg.AssetExecutionContext,
    evaluation: Evaluation,
    dataset: DatasetVersion,
    files: pl.DataFrame,
    replace_changed: bool,
) -> tuple[int, list[Violation]]:
    """Read what is due, forget what is gone; the number of runs read and broken contracts."""
    with evaluation.warehouse.reading():
        cases = evaluation.rows("cases", dataset.key)
        documents = evaluation.rows("documents", dataset.key)
        known = KnownIds.of(evaluation.rows("sections", dataset.key), documents)
        runs = evaluation.rows("runs", dataset.key)
    snapshot = documents["snapshot_id"].first() if documents.height else None
    against = read_against(dataset, cases, str(snapshot))
    index = CaseIndex.of(cases)
    before = {row["run_id"]: row for row in runs.iter_rows(named=True)}
    there = files.filter(pl.col("state").is_in(["stable", "ingested"]))
    _forget(evaluation, dataset, before, there)
    due = [
        file
        for file in there.iter_rows(named=True)
        if not _is_taken(file, before.get(file["run_id"]), against)
    ]
    sources = {each.shown: each for each in find_sources(evaluation.data_root)[0]} if due else {}
    broken: list[Violation] = []
    waiting: list[_Taken] = []
    for file in due:
        earlier = before.get(file["run_id"])
        try:
            read = read_run(
                sources[file["path"]],
                evaluation.data_root,
                dataset,
                index,
                known,
                against=against,
                now=evaluation.now(),
                first_read_on=earlier["first_read_on"] if earlier else None,
            )
            if earlier is not None and not replace_changed:
                items = evaluation.rows("run_items", dataset.key, runs=pl.Series([file["run_id"]]))
                refuse_changed_rows(items, read.row_hashes, file["run_id"], file["path"])
        except InputError as problem:
            context.log.warning(str(problem))
            rejected = pl.DataFrame(
                [file | {"state": "rejected", "reason": str(problem)}], schema=files.schema
            )
            evaluation.warehouse.replace("run_files", rejected.select("path"), rejected)
            continue
        waiting.append(_Taken(file, read))
        if sum(each.read.n_rows for each in waiting) >= STORED_ROWS:
            broken += _store(evaluation, dataset, waiting)
            waiting = []
    broken += _store(evaluation, dataset, waiting)
    return len(due), broken


def _is_taken(file: dict[str, Any], earlier: dict[str, Any] | None, against: str) -> bool:
    """Whether a run was read from this very file against the cases as they are."""
    return (
        earlier is not None
        and file["state"] == "ingested"
        and earlier["source_sha256"] == file["sha256"]
        and earlier["source_path"] == file["path"]
        and earlier["read_against"] == against
    )


@dataclass(frozen=True, slots=True)
class _Taken:
    """A run that was read and not yet stored, and its row of `run_files`."""

    file: dict[str, Any]
    read: RunRead


def _store(
    evaluation: Evaluation, dataset: DatasetVersion, taken: Sequence[_Taken]
) -> list[Violation]:
    """Write runs in one transaction; those that break a contract are left out and told."""
    try:
        evaluation.warehouse.apply(_changes(dataset, taken) if taken else [])
    except ContractError as problem:
        if len(taken) == 1:
            return problem.violations
        # One run's fault must not keep the others out.
        return [found for each in taken for found in _store(evaluation, dataset, [each])]
    return []


def _changes(dataset: DatasetVersion, taken: Sequence[_Taken]) -> list[Change]:
    reads = [each.read for each in taken]
    rows = {
        "runs": pl.concat(each.run for each in reads),
        "run_items": pl.concat(each.items for each in reads),
        "retrieved": pl.concat(each.retrieved for each in reads),
        "quarantine": pl.concat(each.quarantine for each in reads),
        "run_files": pl.DataFrame(
            [
                each.file
                | {
                    "state": "ingested",
                    "reason": None,
                    "encoding": each.read.encoding,
                    "n_rows": each.read.n_rows,
                    "n_used": each.read.items.height,
                    "n_quarantined": each.read.quarantine.height,
                    "flags": each.read.flags,
                }
                for each in taken
            ],
            schema=tables.columns("run_files"),
        ),
    }
    runs = rows["runs"].select("dataset_version", "run_id")
    sources = rows["run_files"].select(
        dataset_version=pl.lit(dataset.key), source_file=pl.col("path")
    )
    keys = dict.fromkeys(OF_RUN, runs) | {
        "quarantine": sources,
        "run_files": rows["run_files"].select("path"),
    }
    return [Change(table, keys[table], verified(table, frame)) for table, frame in rows.items()]


def _forget(
    evaluation: Evaluation,
    dataset: DatasetVersion,
    before: dict[str, dict[str, object]],
    there: pl.DataFrame,
) -> None:
    """Drop runs whose file is gone, cannot be read or belongs elsewhere now."""
    kept = set(there["run_id"])
    gone = sorted(set(before) - kept)
    if not gone:
        return
    runs = pl.DataFrame({"run_id": gone}).select(
        dataset_version=pl.lit(dataset.key), run_id="run_id"
    )
    paths = sorted({str(before[run_id]["source_path"]) for run_id in gone})
    quarantine = pl.DataFrame({"source_file": paths}).select(
        dataset_version=pl.lit(dataset.key), source_file="source_file"
    )
    evaluation.warehouse.apply(
        [
            *(Change(table, runs, tables.empty(table), drop=True) for table in OF_RUN),
            Change("quarantine", quarantine, tables.empty("quarantine"), drop=True),
        ]
    )


def _checks(held: pl.DataFrame) -> Iterator[dg.AssetCheckResult]:
    ingested = held.filter(pl.col("state") == "ingested")
    off = ingested.filter(pl.col("n_rows") != pl.col("n_used") + pl.col("n_quarantined"))
    yield dg.AssetCheckResult(
        check_name="rows_accounted",
        asset_key=NAME,
        passed=off.is_empty(),
        description=f"{ingested['n_rows'].sum()} rows in, {ingested['n_used'].sum()} used, "
        f"{ingested['n_quarantined'].sum()} in quarantine",
    )
    rejected = held.filter(pl.col("state") == "rejected")
    yield dg.AssetCheckResult(
        check_name="files_read",
        asset_key=NAME,
        passed=rejected.is_empty(),
        severity=dg.AssetCheckSeverity.WARN,
        description="; ".join(rejected["reason"].head(5)),
        metadata={"rejected": rejected.height},
    )
