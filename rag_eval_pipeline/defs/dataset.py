"""Cases of a dataset version with their gold, and the findings about it."""

from collections.abc import Iterator, Sequence

import dagster as dg
import polars as pl

from rag_eval_pipeline.dataset.cases import CasesRead
from rag_eval_pipeline.dataset.findings import dataset_findings
from rag_eval_pipeline.dataset.freeze import changed_since_frozen
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.dataset.reference import cases_against, read_snapshot
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.sources import DATASET_FILES
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    counted,
    partition_check,
    table_spec,
)
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.reading.quarantine import Rejected
from rag_eval_pipeline.run_log.items import quarantine_frame
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.warehouse.warehouse import Change

BLOCKING = {
    "rejected_cases": "No case of a frozen version is rejected; a draft goes on without them",
    "frozen_hash": "The files of a frozen version still give the hash that was frozen",
    "evidence_in_snapshot": "All gold evidence of a frozen version is in its pinned snapshot",
    "rows_accounted": "Rows in the cases file = cases used + rows in quarantine",
}


@dg.multi_asset(
    name="cases",
    specs=[
        table_spec(
            "cases",
            "dataset",
            ["knowledge_snapshot", DATASET_FILES],
            kinds=("polars", "duckdb", "pandera"),
        )
    ],
    check_specs=[
        contract_check("cases"),
        *(partition_check(name, "cases", says, blocking=True) for name, says in BLOCKING.items()),
    ],
)
def cases(context: dg.AssetExecutionContext, evaluation: Evaluation) -> Iterator[Reported]:
    """Read the cases and their gold, and check them against the snapshot."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        with evaluation.warehouse.reading():
            documents = evaluation.rows("documents", dataset.key)
            sections = evaluation.rows("sections", dataset.key)
        read = cases_against(dataset, evaluation.data_root, documents, sections)
        checks = list(_checks(dataset, evaluation, read))
        yield contract_result("cases", read.violations, blocking=dataset.frozen)
        yield from checks
        if not all(check.passed for check in checks if check.severity.value == "ERROR"):
            return
        version = pl.DataFrame({"dataset_version": [dataset.key]})
        tables_ = {
            "cases": verified("cases", read.cases),
            "case_evidence": verified("case_evidence", read.evidence),
            "case_claims": verified("case_claims", read.claims),
        }
        quarantine = quarantine_frame(
            [(read.source_file, each) for each in read.rejected], dataset.key, None
        )
        evaluation.warehouse.apply(
            [
                *(Change(table, version, rows) for table, rows in tables_.items()),
                Change(
                    "quarantine",
                    version.with_columns(source_file=pl.lit(read.source_file)),
                    quarantine,
                ),
            ]
        )
    yield dg.MaterializeResult(
        asset_key="cases",
        data_version=dg.DataVersion(
            hash_json([read.dataset_hash, read.cases.drop("flags").write_json()])
        ),
        metadata=counted(
            read.cases.height,
            read.cases.select(
                "case_id", "question", "expected_status", "category", "split", "risk"
            ),
            1,
            dataset_hash=read.dataset_hash,
            frozen=dataset.frozen,
            evidence=read.evidence.height,
            claims=read.claims.height,
            quarantined=len(read.rejected),
        ),
    )


@dg.multi_asset(
    name="dataset_checks",
    specs=[table_spec("dataset_findings", "dataset", ["cases"], key="dataset_checks")],
    check_specs=[partition_check("findings", "dataset_checks", "No finding is worse than a note")],
)
def dataset_checks(context: dg.AssetExecutionContext, evaluation: Evaluation) -> Iterator[Reported]:
    """Look for what is doubtful in a dataset version."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        snapshot = read_snapshot(dataset, evaluation.data_root)
        read = cases_against(dataset, evaluation.data_root, snapshot.documents, snapshot.sections)
        findings = verified("dataset_findings", dataset_findings(dataset, snapshot, read))
        key = pl.DataFrame({"dataset_version": [dataset.key], "stage": ["dataset"]})
        evaluation.warehouse.replace("dataset_findings", key, findings)
    worse = findings.filter(pl.col("severity") != "note")
    yield dg.AssetCheckResult(
        check_name="findings",
        asset_key="dataset_checks",
        passed=worse.is_empty(),
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{worse.height} of {findings.height} findings are worse than a note",
    )
    yield dg.MaterializeResult(
        asset_key="dataset_checks",
        data_version=dg.DataVersion(hash_json(findings.write_json())),
        metadata=counted(findings.height, findings, 1),
    )


def _checks(
    dataset: DatasetVersion, evaluation: Evaluation, read: CasesRead
) -> Iterator[dg.AssetCheckResult]:
    hard = [each for each in read.rejected if each.code != "exact_duplicate"]
    yield _result("rejected_cases", dataset, not hard, _first(hard, read.source_file))
    same = not dataset.frozen or dataset.dataset_hash == read.dataset_hash
    yield _result(
        "frozen_hash",
        dataset,
        same,
        "" if same else str(changed_since_frozen(dataset, evaluation.data_root, read)),
    )
    dangling = read.evidence.filter(~pl.col("resolved"))
    named = ", ".join(
        f"{case_id!r} cites {evidence_id!r}"
        for case_id, evidence_id in dangling.select("case_id", "evidence_id").head(5).iter_rows()
    )
    yield _result(
        "evidence_in_snapshot",
        dataset,
        dangling.is_empty(),
        f"{read.source_file}: {dangling.height} evidence ids are not in the snapshot: {named}",
    )
    used, out = read.cases.height, len(read.rejected)
    yield dg.AssetCheckResult(
        check_name="rows_accounted",
        asset_key="cases",
        passed=read.n_rows == used + out,
        description=f"{read.n_rows} rows in, {used} used, {out} in quarantine",
        metadata={"rows_in": read.n_rows, "used": used, "quarantined": out},
    )


def _result(name: str, dataset: DatasetVersion, passed: bool, message: str) -> dg.AssetCheckResult:
    """An error in a frozen version, which stops the partition; a warning in a draft."""
    return dg.AssetCheckResult(
        check_name=name,
        asset_key="cases",
        passed=passed,
        severity=dg.AssetCheckSeverity.ERROR if dataset.frozen else dg.AssetCheckSeverity.WARN,
        description="" if passed else message,
    )


def _first(rejected: Sequence[Rejected], source_file: str) -> str:
    if not rejected:
        return ""
    first = rejected[0]
    return f"{source_file}, line {first.line}: {first.reason} ({len(rejected)} rejected)"
