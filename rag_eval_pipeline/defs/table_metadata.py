"""What an asset says of itself in the UI: description and columns from the contract, row counts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeAlias

import dagster as dg
import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.defs.evaluation import SHOWN_ROWS
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.report.markdown import table as markdown_table
from rag_eval_pipeline.tables.contract import ContractError, Violation

Reported: TypeAlias = dg.MaterializeResult[None] | dg.AssetCheckResult

OWNER = "team:rag-evaluation"
SHOWN_VIOLATIONS = 50


def table_spec(
    table: str,
    group: str,
    deps: Iterable[dg.AssetKey | str],
    *,
    kinds: Sequence[str] = ("polars", "duckdb"),
    key: str | None = None,
    description: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> dg.AssetSpec:
    """Spec of the asset that holds a table of the warehouse."""
    doc = tables.TABLES[table].__doc__ or ""
    described = tables.describe(table)
    columns = [
        dg.TableColumn(name, type=str(kind), description=described[name])
        for name, kind in tables.columns(table).items()
    ]
    return dg.AssetSpec(
        key or table,
        deps=list(deps),
        group_name=group,
        description=description or " ".join(doc.split()),
        owners=[OWNER],
        kinds=set(kinds),
        partitions_def=DATASET_VERSIONS,
        metadata={"dagster/column_schema": dg.TableSchema(columns), **(metadata or {})},
    )


def partition_check(
    name: str, asset: str, description: str, *, blocking: bool = False
) -> dg.AssetCheckSpec:
    """A check with a result of its own for each dataset version."""
    return dg.AssetCheckSpec(
        name,
        asset=asset,
        description=description,
        blocking=blocking,
        partitions_def=DATASET_VERSIONS,
    )


def contract_check(asset: str) -> dg.AssetCheckSpec:
    """The check that every row of the asset's tables keeps its contract."""
    says = "Every row keeps the table's contract: types, values, keys"
    return partition_check("contract", asset, says, blocking=True)


def contract_result(
    asset: str, found: Sequence[Violation], *, blocking: bool = True
) -> dg.AssetCheckResult:
    """The result of the contract check, every violation with row id, column, rule and value."""
    severity = dg.AssetCheckSeverity.ERROR if blocking else dg.AssetCheckSeverity.WARN
    rows = pl.DataFrame(
        [(v.table, v.row_id, v.column, v.rule, v.value) for v in found],
        schema=dict.fromkeys(("table", "row", "column", "expected", "found"), pl.String),
        orient="row",
    )
    shown = "; ".join(f"{v.table} {v.row_id}: {v.sentence}" for v in found[:SHOWN_VIOLATIONS])
    if len(found) > SHOWN_VIOLATIONS:
        shown += f"; and {len(found) - SHOWN_VIOLATIONS} more, see the check in the UI"
    return dg.AssetCheckResult(
        check_name="contract",
        asset_key=asset,
        passed=not found,
        severity=severity,
        description=shown if found else "every row keeps the contract",
        metadata={
            "violations": dg.MetadataValue.int(len(found)),
            "rows": dg.MetadataValue.md(markdown_table(rows)),
        },
    )


def contracts_told(body: Callable[..., Iterator[Reported]]) -> Callable[..., Iterator[Reported]]:
    """Let an asset body report rows of its own making that break a contract, and stop there.

    Such rows are never written. The check `contract` of each table concerned fails with all
    violations, and the step fails: the fault is the software's.
    """

    @wraps(body)
    def told(*args: Any, **kwargs: Any) -> Iterator[Reported]:
        try:
            yield from body(*args, **kwargs)
        except ContractError as problem:
            for table in sorted({violation.table for violation in problem.violations}):
                of_table = [each for each in problem.violations if each.table == table]
                yield contract_result(table, of_table)
            raise dg.Failure(
                f"internal error: rows that break their contract were not written: {problem}",
                allow_retries=False,
            ) from None

    return told


def counted(rows: int, first: pl.DataFrame, due: int, **more: object) -> dict[str, Any]:
    """Metadata of a materialization: rows held, keys that were due, the first rows as Markdown."""
    return {
        "dagster/partition_row_count": rows,
        "due": due,
        "first_rows": dg.MetadataValue.md(markdown_table(first.head(SHOWN_ROWS))),
        **more,
    }
