"""What an asset says of itself in the UI: description and columns from the contract, row counts."""

from collections.abc import Iterable, Sequence

import dagster as dg
import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.report.markdown import table as markdown_table
from rag_eval_pipeline.tables.contract import Violation

OWNER = "team:rag-evaluation"
SHOWN_ROWS = 20


def table_spec(
    table: str,
    group: str,
    deps: Iterable[dg.AssetKey | str],
    *,
    kinds: Sequence[str] = ("polars", "duckdb"),
    key: str | None = None,
    description: str | None = None,
    metadata: dict[str, object] | None = None,
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


def contract_check(asset: str) -> dg.AssetCheckSpec:
    """The check that every row of the asset's tables keeps its contract."""
    return dg.AssetCheckSpec(
        "contract",
        asset=asset,
        blocking=True,
        description="Every row keeps the table's contract: types, values, keys",
    )


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
    shown = "; ".join(f"{v.table} {v.row_id}: {v.sentence}" for v in found[:5])
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


def counted(frame: pl.DataFrame, due: int, **more: object) -> dict[str, object]:
    """Metadata of a materialization: rows held, keys that were due, a Markdown table of the first."""
    return {
        "dagster/partition_row_count": frame.height,
        "due": due,
        "first_rows": dg.MetadataValue.md(markdown_table(frame.head(SHOWN_ROWS))),
        **more,
    }
