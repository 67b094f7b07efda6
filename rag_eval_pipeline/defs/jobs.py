"""Jobs: parts of the graph that are run together, and the nightly schedule."""

from collections.abc import Iterator

import dagster as dg

from rag_eval_pipeline.dataset.manifest import discover_datasets
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.measures import TABLES as MEASURE_TABLES
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.defs.scores import AXIS_TABLES
from rag_eval_pipeline.defs.sources import SOURCES, rubric_key
from rag_eval_pipeline.defs.timetable import NIGHTLY, ZONE
from rag_eval_pipeline.scores.rubric import SECTIONS

_OBSERVED = dg.AssetSelection.assets(
    *(source.key for source in SOURCES if source.partitions_def is not None)
)
_REFERENCE = dg.AssetSelection.assets("knowledge_snapshot", "cases", "dataset_checks")
_MADE = dg.AssetSelection.all()
_RUBRICS = dg.AssetSelection.assets(*(rubric_key(section) for section in SECTIONS))
_SCORED = dg.AssetSelection.assets(*MEASURE_TABLES, *AXIS_TABLES.values(), "case_scores")
_READ = _REFERENCE | dg.AssetSelection.assets("run_logs")


# Job name → what it brings up to date, and what it is for.
_PARTS = {
    "nightly": (_OBSERVED | _MADE, "Take new logs, measure, score, compare, report"),
    "check": (_OBSERVED | _REFERENCE, "Snapshot, cases and the findings about them"),
    "ingest": (
        _OBSERVED | _REFERENCE | dg.AssetSelection.assets("run_logs"),
        "Read run logs",
    ),
    "backfill": (
        _RUBRICS | (_MADE - _READ),
        "Bring everything made of stored runs up to date; nothing is read",
    ),
    "try_rubric": (
        _RUBRICS | _SCORED,
        "Score stored runs by rubrics beside those their dataset lists",
    ),
}
JOBS = {
    name: dg.define_asset_job(
        name, selection=selection, executor_def=dg.in_process_executor, description=description
    )
    for name, (selection, description) in _PARTS.items()
}


@dg.schedule(
    name="nightly",
    job=JOBS["nightly"],
    cron_schedule=NIGHTLY,
    execution_timezone=ZONE,
    description="The nightly of every dataset version; versions new since last night are added.",
)
def nightly_schedule(
    context: dg.ScheduleEvaluationContext, evaluation: Evaluation
) -> Iterator[dg.RunRequest]:
    """One run request a dataset version; partitions are added for new ones."""
    keys = [
        each.partition_key for each in discover_datasets(evaluation.data_root).versions.values()
    ]
    context.instance.add_dynamic_partitions(str(DATASET_VERSIONS.name), keys)
    night = context.scheduled_execution_time.date().isoformat()
    for key in keys:
        yield dg.RunRequest(run_key=f"{night}:{key}", partition_key=key)
