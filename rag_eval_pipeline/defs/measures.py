"""Measures of the partition's run items: each run is measured once per gold and rules."""

from collections.abc import Iterator

import dagster as dg
import polars as pl

from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.keyed import batches, due_keys
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    contracts_told,
    counted,
    table_spec,
)
from rag_eval_pipeline.measures.retrieval.ranks import ITEM
from rag_eval_pipeline.measures.scenarios import scenario_measures
from rag_eval_pipeline.measures.tables import (
    Reference,
    measurable,
    retrieval_measures,
    text_measures,
)
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.warehouse.due import data_version
from rag_eval_pipeline.warehouse.warehouse import Change

OF_ITEMS = ("retrieval_measures", "claim_verdicts", "answer_measures", "behavior_measures")
TABLES = (*OF_ITEMS, "scenario_measures")
RETRIEVED = (
    "run_id", "case_id", "trial", "position", "evidence_id", "doc_id", "section_id", "text",
)  # fmt: skip


def reference_of(evaluation: Evaluation, dataset_version: str) -> Reference:
    """The gold of a dataset version as the warehouse holds it."""
    return Reference(
        cases=evaluation.rows("cases", dataset_version),
        evidence=evaluation.rows("case_evidence", dataset_version),
        claims=evaluation.rows("case_claims", dataset_version),
        documents=evaluation.rows("documents", dataset_version),
        sections=evaluation.rows("sections", dataset_version),
        index_of=lambda snapshot: evaluation.index_of(dataset_version, snapshot),
    )


def items_of(evaluation: Evaluation, dataset_version: str, runs: pl.Series) -> pl.DataFrame:
    """`run_items` of some runs with `fallback_day` (the freeze day, else the day first read) and
    `indexed_snapshot` of the run.
    """
    frozen_on = evaluation.dataset_of(dataset_version).frozen_on
    described = evaluation.rows(
        "runs", dataset_version, "run_id", "first_read_on", "indexed_snapshot", runs=runs
    )
    return evaluation.rows("run_items", dataset_version, runs=runs).join(
        described.select(
            "run_id",
            "indexed_snapshot",
            fallback_day=pl.coalesce(pl.lit(frozen_on, pl.Date), "first_read_on"),
        ),
        on="run_id",
        maintain_order="left",
    )


@dg.multi_asset(
    name="measures",
    specs=[table_spec(table, "measures", ["cases", "run_logs"]) for table in TABLES],
    check_specs=[contract_check(table) for table in TABLES],
    can_subset=True,
)
@contracts_told
def measures(context: dg.AssetExecutionContext, evaluation: Evaluation) -> Iterator[Reported]:
    """Measure the runs that are due."""
    selected = [table for table in TABLES if dg.AssetKey(table) in context.selected_asset_keys]
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        with evaluation.warehouse.reading():
            wanted = evaluation.measure_keys(dataset.key)
            due = {table: due_keys(evaluation, table, wanted) for table in selected}
            reference = reference_of(evaluation, dataset.key)
            n_items = evaluation.rows("runs", dataset.key, "run_id", "n_items")
        for keys in batches(pl.concat(due.values()).unique(), n_items):
            _measure(evaluation, dataset.key, keys, due, reference)
        with evaluation.warehouse.reading():
            held = {table: evaluation.sample(table, dataset.key) for table in selected}
    for table in selected:
        yield contract_result(table, [])
        yield dg.MaterializeResult(
            asset_key=table,
            data_version=dg.DataVersion(data_version(wanted)),
            metadata=counted(*held[table], due[table].height),
        )


def _measure(
    evaluation: Evaluation,
    dataset_version: str,
    batch: pl.DataFrame,
    due: dict[str, pl.DataFrame],
    reference: Reference,
) -> None:
    """Measure a batch of runs once and write what is due of it in one transaction."""
    with evaluation.warehouse.reading():
        items = items_of(evaluation, dataset_version, batch["run_id"])
        retrieved = evaluation.rows("retrieved", dataset_version, *RETRIEVED, runs=batch["run_id"])
    measured = measurable(items, reference)
    made: dict[str, pl.DataFrame] = {}
    if "retrieval_measures" in due:
        made["retrieval_measures"] = retrieval_measures(measured, retrieved, reference)
    if due.keys() - made.keys():
        made |= text_measures(measured, retrieved, reference)
        observed = made["behavior_measures"].select(*ITEM, "observed_status")
        made["scenario_measures"] = scenario_measures(
            measured.join(observed, on=ITEM, maintain_order="left"), reference.cases
        )
    changes = []
    for table, keys_due in due.items():
        keys = keys_due.join(batch, on=batch.columns, how="semi")
        if keys.height:
            rows = made[table].join(keys, on=keys.columns, how="semi", maintain_order="left")
            changes.append(Change(table, keys, verified(table, rows)))
    evaluation.warehouse.apply(changes)
