"""The one way computing starts: the home, its Dagster instance, and runs of its jobs.

Every command that computes materializes assets here, so that lineage and history show in the UI.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import dagster as dg
import polars as pl

from rag_eval_pipeline import definitions, tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion, Discovered, discover_datasets
from rag_eval_pipeline.defs import progress
from rag_eval_pipeline.defs.comparison import is_settled
from rag_eval_pipeline.defs.evaluation import PROCESS_TAG, Evaluation
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.text_file import write_atomic
from rag_eval_pipeline.run_log.discover import discover
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.warehouse.process import is_gone, this_process
from rag_eval_pipeline.warehouse.sole_use import sole_use
from rag_eval_pipeline.warehouse.warehouse import Change

PARTITIONS = str(DATASET_VERSIONS.name)
SETTINGS = "rag_eval.json"
INSTANCE = "dagster.yaml"
DRAFT = ".instance-"
_MADE_BY_DAGSTER = (
    "history", "schedules", "storage", "event_log.db", "event_log.db-shm", "event_log.db-wal",
)  # fmt: skip
NOT_IN_HOME = ("?", "%")
_INSTANCE_YAML = """# Written by rag-eval: the Dagster instance of this home.
telemetry:
  enabled: false
# Steps print nothing; capturing that would cost four processes a run.
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
event_log_storage:
  module: rag_eval_pipeline.defs.event_log
  class: EventLog
  config:
    base_dir:
      env: DAGSTER_HOME
"""
_UNFINISHED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def nightly_job() -> dg.JobDefinition:
    """The job `nightly`, by a name that Dagster can load again."""
    return definitions.defs.resolve_job_def("nightly")


def check_job() -> dg.JobDefinition:
    """The job `check`, as `nightly_job`."""
    return definitions.defs.resolve_job_def("check")


def ingest_job() -> dg.JobDefinition:
    """The job `ingest`, as `nightly_job`."""
    return definitions.defs.resolve_job_def("ingest")


def backfill_job() -> dg.JobDefinition:
    """The job `backfill`, as `nightly_job`."""
    return definitions.defs.resolve_job_def("backfill")


def try_rubric_job() -> dg.JobDefinition:
    """The job `try_rubric`, as `nightly_job`."""
    return definitions.defs.resolve_job_def("try_rubric")


_JOBS: Mapping[str, Callable[[], dg.JobDefinition]] = {
    "nightly": nightly_job,
    "check": check_job,
    "ingest": ingest_job,
    "backfill": backfill_job,
    "try_rubric": try_rubric_job,
}


@dataclass(slots=True)
class Outcome:
    """What became of one run: failures (messages for people) and failed warning checks."""

    partition_key: str
    run_id: str
    succeeded: bool
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Launcher:
    """Runs jobs on one data root and home; made by `opened`."""

    evaluation: Evaluation
    instance: dg.DagsterInstance

    def run(
        self,
        job: str,
        partition_key: str,
        *,
        config: Mapping[str, Mapping[str, object]] | None = None,
        on_step: Callable[[str], None] | None = None,
        on_batch: Callable[[progress.Batches], None] | None = None,
    ) -> Outcome:
        """Run a job for one dataset version in this process and wait for it.

        Parameters
        ----------
        job
            nightly, check, ingest, backfill or try_rubric.
        config
            Op config by op name.
        on_step
            Called with the name of each step as it starts.
        on_batch
            Called with how far a step is, where it works in batches.
        """
        stops = [
            *([progress.listen(on_step)] if on_step is not None else []),
            *([progress.listen_to_batches(on_batch)] if on_batch is not None else []),
        ]
        try:
            result = dg.execute_job(
                dg.reconstructable(_JOBS[job]),
                instance=self.instance,
                tags={"dagster/partition": partition_key, PROCESS_TAG: this_process()},
                run_config={
                    "ops": {op: {"config": dict(body)} for op, body in (config or {}).items()},
                    "loggers": {"progress": {}},
                    "resources": {
                        "evaluation": {
                            "config": {"data": self.evaluation.data, "home": self.evaluation.home}
                        }
                    },
                },
                raise_on_error=False,
            )
        finally:
            for stop in stops:
                stop()
        return _outcome(partition_key, result)

    def discover(self) -> Discovered:
        """Dataset versions of the data root; partitions are added for new ones, dropped for gone.

        A version whose folder is gone loses its partition and its rows; one whose folder is there
        but cannot be read keeps both.
        """
        found = discover_datasets(self.evaluation.data_root)
        wanted = {version.partition_key: key for key, version in found.versions.items()}
        known = set(self.instance.get_dynamic_partitions(PARTITIONS))
        if new := sorted(set(wanted) - known):
            self.instance.add_dynamic_partitions(PARTITIONS, new)
        self._keep_names(wanted)
        if not found.problems:
            for key in sorted(known - set(wanted)):
                self._forget(key)
        return found

    def look_at_run_files(self, found: Discovered) -> pl.DataFrame:
        """Bring the table `run_files` up to date and return it."""
        warehouse = self.evaluation.warehouse
        known = warehouse.read("run_files")
        seen = verified("run_files", discover(self.evaluation.data_root, known, found.versions))
        changed = seen.join(known, on=seen.columns, how="anti", nulls_equal=True)
        if changed.height:
            warehouse.replace("run_files", changed.select("path"), changed)
        return seen

    def unsettled(self, versions: Sequence[DatasetVersion]) -> list[DatasetVersion]:
        """Those whose comparisons other versions of their name, read after them, have changed."""
        found = discover_datasets(self.evaluation.data_root)
        names = [each.name for each in found.versions.values()]
        return [
            version
            for version in versions
            if names.count(version.name) > 1 and not is_settled(self.evaluation, version)
        ]

    def _keep_names(self, wanted: Mapping[str, str]) -> None:
        names = pl.DataFrame(
            sorted(wanted.items()), schema=tables.columns("partition_names"), orient="row"
        )
        known = self.evaluation.warehouse.read("partition_names")
        new = names.join(known, on="partition_key", how="anti")
        if new.height:
            self.evaluation.warehouse.replace("partition_names", new.select("partition_key"), new)

    def _forget(self, partition_key: str) -> None:
        warehouse = self.evaluation.warehouse
        names = warehouse.read("partition_names", pl.DataFrame({"partition_key": [partition_key]}))
        for version in names["dataset_version"]:
            key = pl.DataFrame({"dataset_version": [version]})
            warehouse.apply(
                [
                    *(
                        Change(table, key, tables.empty(table), drop=True)
                        for table in tables.TABLES
                        if "dataset_version" in tables.keys(table)
                    ),
                    Change(
                        "partition_names",
                        names.select("partition_key"),
                        tables.empty("partition_names"),
                        drop=True,
                    ),
                ]
            )
        self.instance.delete_dynamic_partition(PARTITIONS, partition_key)


@contextmanager
def opened(
    data_root: Path, home: Path, *, on_wait: Callable[[str], None] | None = None
) -> Iterator[Launcher]:
    """Open a home for computing; one process at a time, others wait.

    Runs left behind by a process that is gone are reported as failed.

    Raises
    ------
    InputError
        The data root is missing, or the home cannot be written.
    """
    check_data_root(data_root)
    _make_folder(home)

    def waiting() -> None:
        if on_wait is not None:
            on_wait(f"another rag-eval is computing in {home}; waiting for it to end")

    with sole_use(home, waiting):
        prepare_home(home, data_root)
        with dg.DagsterInstance.from_config(str(home)) as instance:
            _fail_dead_runs(instance)
            yield Launcher(Evaluation(data=str(data_root), home=str(home)), instance)


def check_data_root(data_root: Path) -> None:
    """Raise InputError where the data root is no folder."""
    if not data_root.is_dir():
        raise InputError(
            code="no_data_root",
            file=str(data_root),
            found="no folder" if not data_root.exists() else "a file",
            expected="a data root with datasets/ and runs/",
            todo="name it with --data DIR",
        )


def prepare_home(home: Path, data_root: Path) -> None:
    """Make the home with its Dagster instance; remember the data root it belongs to.

    Raises
    ------
    InputError
        No folder can be made there, or Dagster cannot keep its files in a folder of that name.
    """
    _make_folder(home)
    if not (home / INSTANCE).exists():
        with sole_use(home):
            if not (home / INSTANCE).exists():
                _make_instance(home)
    settings = json.dumps({"data": str(data_root)}, ensure_ascii=False) + "\n"
    path = home / SETTINGS
    if not path.exists() or path.read_text(encoding="utf-8") != settings:
        write_atomic(path, settings.encode())
    os.environ["DAGSTER_HOME"] = str(home)


def _make_folder(home: Path) -> None:
    if any(mark in str(home) for mark in NOT_IN_HOME):
        raise InputError(
            code="home_name",
            file=str(home),
            found="a path with ? or %, which mean something else in addresses of SQLite files",
            expected="a path without them",
            todo="name another with --home DIR",
        )
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            code="no_home",
            file=str(home),
            found=f"a place where no folder can be made ({error.strerror})",
            expected="a folder for warehouse, instance and reports",
            todo="name another with --home DIR",
        ) from error


def _make_instance(home: Path) -> None:
    """Make the instance aside and move it in, its settings last: a home that has them is whole.

    Dagster takes a database that a killed process left half made for an old one.
    """
    drafts = list(home.glob(f"{DRAFT}*"))
    if not drafts and (home / "history").exists():
        # Whole, but somebody removed the settings.
        write_atomic(home / INSTANCE, _INSTANCE_YAML.encode())
        return
    for left in [*drafts, *(home / name for name in _MADE_BY_DAGSTER if drafts)]:
        _remove(left)
    draft = home / f"{DRAFT}{uuid.uuid4().hex}"
    draft.mkdir()
    (draft / INSTANCE).write_text(_INSTANCE_YAML, encoding="utf-8")
    os.environ["DAGSTER_HOME"] = str(draft)
    with dg.DagsterInstance.from_config(str(draft)) as instance:
        # Storages are made when they are first asked.
        instance.get_run_records(limit=1)
        instance.get_dynamic_partitions(PARTITIONS)
        instance.all_instigator_state()
    for made in sorted(draft.iterdir()):
        if made.name != INSTANCE:
            made.rename(home / made.name)
    (draft / INSTANCE).rename(home / INSTANCE)
    draft.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def data_root_of(home: Path) -> Path | None:
    """The data root a home was last used with."""
    try:
        settings = json.loads((home / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Path(settings["data"]) if isinstance(settings, dict) and "data" in settings else None


def now() -> dt.datetime:
    """The present."""
    return dt.datetime.now(dt.UTC)


def _fail_dead_runs(instance: dg.DagsterInstance) -> None:
    for run in instance.get_runs(dg.RunsFilter(statuses=_UNFINISHED)):
        if is_gone(run.tags.get(PROCESS_TAG, "")):
            instance.report_run_failed(run, "the process that ran this is gone")


def _outcome(partition_key: str, result: dg.JobExecutionResult) -> Outcome:
    events: Sequence[dg.DagsterEvent] = result.all_events
    outcome = Outcome(
        partition_key=partition_key,
        run_id=result.run_id,
        succeeded=result.success,
    )
    for event in events:
        if event.event_type_value == "ASSET_CHECK_EVALUATION":
            check = event.asset_check_evaluation_data
            if check.passed:
                continue
            where = f"{check.asset_key.to_user_string()}: {check.check_name}"
            said = f"{where}: {check.description}" if check.description else where
            blocking = check.severity == dg.AssetCheckSeverity.ERROR
            (outcome.failures if blocking else outcome.warnings).append(said)
        elif event.event_type_value == "STEP_FAILURE":
            data = event.step_failure_data
            failure = data.user_failure_data
            if failure is not None and failure.description:
                outcome.failures.append(failure.description)
            elif data.error is not None and "AssetCheckFailed" not in (data.error.cls_name or ""):
                cause = data.error.cause or data.error
                outcome.failures.append(
                    f"internal error in {event.step_key}: {cause.cls_name}: "
                    f"{cause.message.strip().splitlines()[0]}"
                )
        elif event.event_type_value == "PIPELINE_FAILURE" and not outcome.failures:
            outcome.failures.append(event.message or "the run failed")
    return outcome
