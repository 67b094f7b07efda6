"""What Dagster loads: the assets, jobs and schedule, and where data root and home are.

RAG_EVAL_DATA (default `data`) and RAG_EVAL_HOME (default `.rag_eval`) name them.
"""

import warnings
from pathlib import Path

import dagster as dg

# Exactly the features used and pinned by dagster==1.13.*; anything else still warns.
for _feature in ("observable_source_asset", "include_sources", "DataVersionsByPartition"):
    warnings.filterwarnings("ignore", message=f".*{_feature}.*", category=dg.BetaWarning)
warnings.filterwarnings(
    "ignore", message=".*partitions_def on an AssetCheckSpec.*", category=dg.PreviewWarning
)

from rag_eval_pipeline.defs import progress  # noqa: E402
from rag_eval_pipeline.defs.attribution import attribution  # noqa: E402
from rag_eval_pipeline.defs.comparison import comparison  # noqa: E402
from rag_eval_pipeline.defs.dataset import cases, dataset_checks  # noqa: E402
from rag_eval_pipeline.defs.evaluation import Evaluation  # noqa: E402
from rag_eval_pipeline.defs.jobs import JOBS, nightly_schedule  # noqa: E402
from rag_eval_pipeline.defs.knowledge_snapshot import knowledge_snapshot  # noqa: E402
from rag_eval_pipeline.defs.marts import marts  # noqa: E402
from rag_eval_pipeline.defs.measures import measures  # noqa: E402
from rag_eval_pipeline.defs.report import report  # noqa: E402
from rag_eval_pipeline.defs.run_log import run_logs  # noqa: E402
from rag_eval_pipeline.defs.scores import axis_scores, case_scores  # noqa: E402
from rag_eval_pipeline.defs.sources import SOURCES  # noqa: E402
from rag_eval_pipeline.defs.trend import trend  # noqa: E402

defs = dg.Definitions(
    assets=[
        *SOURCES,
        knowledge_snapshot,
        cases,
        dataset_checks,
        run_logs,
        measures,
        axis_scores,
        case_scores,
        marts,
        comparison,
        attribution,
        trend,
        report,
    ],
    jobs=list(JOBS.values()),
    schedules=[nightly_schedule],
    # Also for what the UI materializes: a process a step would cost seconds each.
    executor=dg.in_process_executor,
    loggers={"console": dg.colored_console_logger, "progress": progress.progress_logger},
    resources={
        "evaluation": Evaluation(
            data=str(Path(dg.EnvVar("RAG_EVAL_DATA").get_value() or "data").absolute()),
            home=str(Path(dg.EnvVar("RAG_EVAL_HOME").get_value() or ".rag_eval").absolute()),
        )
    },
)
