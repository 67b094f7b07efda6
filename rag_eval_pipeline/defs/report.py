"""The report of a dataset version, written below the home as HTML and as Markdown."""

import datetime as dt

import dagster as dg

from rag_eval_pipeline.defs.attribution import TABLE as ATTRIBUTION
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.marts import MARTS, TREND
from rag_eval_pipeline.defs.pairs import TABLES as COMPARED
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.defs.table_metadata import OWNER
from rag_eval_pipeline.defs.timetable import DEADLINE, ZONE
from rag_eval_pipeline.reading.fingerprint import sha256_text
from rag_eval_pipeline.reading.text_file import write_atomic
from rag_eval_pipeline.report.run_report import gather, html_report, markdown_report


@dg.asset(
    partitions_def=DATASET_VERSIONS,
    deps=[*MARTS, TREND, *COMPARED, ATTRIBUTION],
    group_name="report",
    kinds={"html", "markdown"},
    owners=[OWNER],
    description="The report of a dataset version, HTML and Markdown: what failed, trend, figures.",
    freshness_policy=dg.FreshnessPolicy.cron(
        deadline_cron=DEADLINE, lower_bound_delta=dt.timedelta(hours=8), timezone=ZONE
    ),
)
def report(context: dg.AssetExecutionContext, evaluation: Evaluation) -> dg.MaterializeResult[None]:
    """Write the report below the home."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        given = gather(evaluation.warehouse, dataset.key)
        text, page = markdown_report(dataset.key, given), html_report(dataset.key, given)
        paths = {
            form: evaluation.reports / f"{context.partition_key}.{form}" for form in ("html", "md")
        }
        for form, written in (("html", page), ("md", text)):
            write_atomic(paths[form], written.encode())
    return dg.MaterializeResult(
        data_version=dg.DataVersion(sha256_text(page)),
        metadata={
            "path": dg.MetadataValue.path(str(paths["html"])),
            "markdown": dg.MetadataValue.path(str(paths["md"])),
            "report": dg.MetadataValue.md(text),
        },
    )
