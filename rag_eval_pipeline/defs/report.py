"""The Markdown report of a dataset version, written below the home."""

import datetime as dt

import dagster as dg

from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.marts import MARTS
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.defs.table_metadata import OWNER
from rag_eval_pipeline.defs.timetable import DEADLINE, ZONE
from rag_eval_pipeline.reading.fingerprint import sha256_text
from rag_eval_pipeline.reading.text_file import write_atomic
from rag_eval_pipeline.report.run_report import gather, markdown_report


@dg.asset(
    partitions_def=DATASET_VERSIONS,
    deps=[*MARTS, "comparisons", "regressions"],
    group_name="report",
    kinds={"markdown"},
    owners=[OWNER],
    description="The report of a dataset version as Markdown: regressions, failures, figures.",
    freshness_policy=dg.FreshnessPolicy.cron(
        deadline_cron=DEADLINE, lower_bound_delta=dt.timedelta(hours=8), timezone=ZONE
    ),
)
def report(context: dg.AssetExecutionContext, evaluation: Evaluation) -> dg.MaterializeResult[None]:
    """Write the report below the home."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        text = markdown_report(dataset.key, gather(evaluation.warehouse, dataset.key))
        path = evaluation.reports / f"{context.partition_key}.md"
        write_atomic(path, text.encode())
    return dg.MaterializeResult(
        data_version=dg.DataVersion(sha256_text(text)),
        metadata={"path": dg.MetadataValue.path(str(path)), "report": dg.MetadataValue.md(text)},
    )
