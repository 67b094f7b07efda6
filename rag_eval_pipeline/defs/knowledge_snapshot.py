"""The snapshot a dataset version is judged against."""

from collections.abc import Iterator

import dagster as dg
import polars as pl

from rag_eval_pipeline.dataset.reference import read_snapshot
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.sources import KNOWLEDGE_FILES
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    counted,
    table_spec,
)
from rag_eval_pipeline.run_log.items import quarantine_frame
from rag_eval_pipeline.tables.contract import violations
from rag_eval_pipeline.warehouse.warehouse import Change

NAME = "knowledge_snapshot"


@dg.multi_asset(
    name=NAME,
    specs=[
        table_spec(
            "documents",
            "dataset",
            [KNOWLEDGE_FILES],
            key=NAME,
            description="What the partition is judged against: for a draft the live knowledge "
            "base as it stands, for a frozen version the pinned file, its hash verified. Tables "
            "documents and sections.",
        )
    ],
    check_specs=[contract_check(NAME)],
)
def knowledge_snapshot(
    context: dg.AssetExecutionContext, evaluation: Evaluation
) -> Iterator[Reported]:
    """Read the pinned snapshot, for a draft the live knowledge base."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        read = read_snapshot(dataset, evaluation.data_root)
        broken = violations("documents", read.documents) + violations("sections", read.sections)
        yield contract_result(NAME, broken)
        if broken:
            return
        version = pl.DataFrame({"dataset_version": [dataset.key]})
        files = sorted({shown for shown, _ in read.quarantined})
        name = version.with_columns(partition_key=pl.lit(dataset.partition_key))
        evaluation.warehouse.apply(
            [
                # A partition the UI added has its name kept with its first rows.
                Change("partition_names", name.select("partition_key"), name),
                Change("documents", version, read.documents),
                Change("sections", version, read.sections),
                *(
                    Change(
                        "quarantine",
                        version.with_columns(source_file=pl.lit(file)),
                        quarantine_frame(
                            [each for each in read.quarantined if each[0] == file],
                            dataset.key,
                            None,
                        ),
                    )
                    for file in files
                ),
            ]
        )
    yield dg.MaterializeResult(
        asset_key=NAME,
        data_version=dg.DataVersion(str(read.snapshot)),
        metadata=counted(
            read.documents.height,
            read.documents.select(
                "doc_id", "title", "version", "effective_from", "effective_until"
            ),
            1,
            snapshot_id=str(read.snapshot),
            pinned=dataset.snapshot is not None,
            sections=read.sections.height,
            quarantined=len(read.quarantined),
        ),
    )
