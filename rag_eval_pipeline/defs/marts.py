"""Marts: one asset a SQL model of `dbt_like_sql/`, made per run and rubric, lineage by sqlglot."""

from collections.abc import Iterator, Mapping

import dagster as dg
import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.keyed import batches, due_keys, refresh_flags
from rag_eval_pipeline.defs.scores import case_keys
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    contracts_told,
    counted,
    partition_check,
    table_spec,
)
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.shipped import sql_folder
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.warehouse.due import data_version
from rag_eval_pipeline.warehouse.sql_checks import SqlCheck, failing_rows, load_checks
from rag_eval_pipeline.warehouse.sql_lineage import kept_lineage
from rag_eval_pipeline.warehouse.sql_models import SqlModel, load_models, run_model
from rag_eval_pipeline.warehouse.warehouse import Change

MODELS = load_models(sql_folder())
TREND = "run_trend"
"""The one mart that waits for the comparisons; its asset is in `defs/trend.py`."""
MARTS = sorted(name for name in MODELS if name in tables.TABLES and name != TREND)
CHECKS = [check for check in load_checks(sql_folder(), MODELS) if check.model in (*MARTS, TREND)]

WEIGHT = 5
"""Memory of the models per run item, as a multiple of what scoring takes."""

# The asset that holds a table, where it is named otherwise.
_ASSETS = {
    "documents": "knowledge_snapshot",
    "sections": "knowledge_snapshot",
    "case_evidence": "cases",
    "case_claims": "cases",
    "runs": "run_logs",
    "run_items": "run_logs",
    "retrieved": "run_logs",
    "rubrics": "case_scores",
}


def mart_keys(evaluation: Evaluation, dataset: DatasetVersion, model: SqlModel) -> pl.DataFrame:
    """The keys a mart should hold: every current run and rubric, by SQL and slices of the cases."""
    slices = evaluation.rows(
        "cases", dataset.key, "case_id", "category", "split", "risk", "language", "lifecycle"
    )
    made_from = hash_json([model.hash, sorted(map(list, slices.iter_rows()))])
    keys = case_keys(evaluation, dataset).drop("slices_hash")
    return keys.with_columns(model_hash=pl.lit(made_from))


def check_name(check: SqlCheck) -> str:
    """Name of the asset check of a test in schema.yml."""
    return f"{check.test}_{check.column}"


def _column_lineage(name: str) -> dg.TableColumnLineage:
    return dg.TableColumnLineage(
        {
            column: [
                dg.TableColumnDep(
                    asset_key=dg.AssetKey(_ASSETS.get(table, table)), column_name=source
                )
                for table, source in origins
            ]
            for column, origins in kept_lineage(MODELS[name], MODELS, sql_folder()).items()
        }
    )


# Shown with the definition and, where the UI looks for it, with each materialization.
LINEAGE = {name: {"dagster/column_lineage": _column_lineage(name)} for name in (*MARTS, TREND)}


def mart_spec(name: str) -> dg.AssetSpec:
    """Spec of the asset of a mart, its SQL and column lineage shown with it."""
    model = MODELS[name]
    return table_spec(
        name,
        "marts",
        sorted({_ASSETS.get(table, table) for table in model.depends_on}),
        kinds=("sql", "duckdb"),
        metadata=LINEAGE[name] | {"sql": dg.MetadataValue.md(f"```sql\n{model.sql}\n```")},
    )


def mart_checks(name: str) -> list[dg.AssetCheckSpec]:
    """The checks of a mart: its contract and the tests of schema.yml."""
    return [
        contract_check(name),
        *(
            partition_check(check_name(check), name, f"schema.yml: {check.test} of {check.column}")
            for check in CHECKS
            if check.model == name
        ),
    ]


@dg.multi_asset(
    name="marts",
    specs=[mart_spec(name) for name in MARTS],
    check_specs=[check for name in MARTS for check in mart_checks(name)],
    can_subset=True,
)
@contracts_told
def marts(context: dg.AssetExecutionContext, evaluation: Evaluation) -> Iterator[Reported]:
    """Run the SQL models for the runs and rubrics that are due."""
    selected = [name for name in MARTS if dg.AssetKey(name) in context.selected_asset_keys]
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        with evaluation.warehouse.reading():
            wanted = {name: mart_keys(evaluation, dataset, MODELS[name]) for name in selected}
            due = {name: due_keys(evaluation, name, wanted[name]) for name in selected}
        make_rows(evaluation, dataset, due)
        draft = pl.lit(not dataset.frozen)
        flags = {name: keys.with_columns(draft=draft) for name, keys in wanted.items()}
        refresh_flags(evaluation, dataset.key, flags)
        with evaluation.warehouse.reading():
            runs = evaluation.rows("runs", dataset.key)
            held = {name: evaluation.rows(name, dataset.key) for name in selected}
    for name, rows in held.items():
        yield contract_result(name, [])
        yield from checked(name, rows, runs)
        yield dg.MaterializeResult(
            asset_key=name,
            data_version=dg.DataVersion(data_version(wanted[name])),
            metadata=counted(rows.height, rows.filter(pl.col("current")), due[name].height)
            | LINEAGE[name],
        )


def make_rows(
    evaluation: Evaluation, dataset: DatasetVersion, due: Mapping[str, pl.DataFrame]
) -> None:
    """Make the rows of marts that are due, by mart, in batches of runs."""
    scored = pl.concat(keys.drop("model_hash") for keys in due.values()).unique()
    if scored.is_empty():
        return
    n_items = evaluation.rows("runs", dataset.key, "run_id", "n_items")
    for batch in batches(scored, n_items, weight=WEIGHT):
        with evaluation.warehouse.reading():
            made = [
                _made_rows(
                    evaluation, dataset, name, keys.join(batch, on=batch.columns, how="semi")
                )
                for name, keys in due.items()
            ]
        evaluation.warehouse.apply([change for change in made if change is not None])


def _made_rows(
    evaluation: Evaluation, dataset: DatasetVersion, name: str, due: pl.DataFrame
) -> Change | None:
    """The rows of a mart that are due, as a change of its table."""
    if due.is_empty():
        return None
    run_ids = due["run_id"].unique().sort().to_list()
    rows = run_model(evaluation.warehouse, MODELS[name], MODELS, dataset.key, run_ids)
    keys = [key for key in due.columns if key != "model_hash"]
    of_due = rows.drop("model_hash").join(due, on=keys, maintain_order="left").select(rows.columns)
    return Change(name, due, verified(name, of_due))


def checked(name: str, rows: pl.DataFrame, runs: pl.DataFrame) -> Iterator[dg.AssetCheckResult]:
    """Results of the tests of schema.yml on the rows of a mart that are current."""
    current = rows.filter(pl.col("current"))
    for check in CHECKS:
        if check.model == name:
            related = {check.related: runs} if check.related else {}
            failing = failing_rows(check, {name: current, **related})
            yield dg.AssetCheckResult(
                check_name=check_name(check),
                asset_key=name,
                passed=failing.is_empty(),
                severity=dg.AssetCheckSeverity.WARN,
                metadata={"failing_rows": failing.height},
            )
