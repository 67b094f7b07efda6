"""The one way computing starts: the home, its Dagster instance, and runs of its jobs.

Every command that computes materializes assets here, so that lineage and history show in the UI.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import dagster as dg
import polars as pl
from filelock import FileLock, Timeout

from rag_eval_pipeline import definitions, tables
from rag_eval_pipeline.dataset.manifest import Discovered, discover_datasets
from rag_eval_pipeline.defs import progress
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.text_file import write_atomic
from rag_eval_pipeline.run_log.discover import discover
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.warehouse.warehouse import Change

PARTITIONS = str(DATASET_VERSIONS.name)
PROCESS_TAG = "rag_eval/process"
SETTINGS = "rag_eval.json"
_INSTANCE_YAML = """# Written by rag-eval: the Dagster instance of this home.
telemetry:
  enabled: false
"""
_UNFINISHED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def nightly_job() -> dg.JobDefinition:
    return definitions.defs.resolve_job_def("nightly")


def check_job() -> dg.JobDefinition:
    return definitions.defs.resolve_job_def("check")


def ingest_job() -> dg.JobDefinition:
    return definitions.defs.resolve_job_def("ingest")


_JOBS: Mapping[str, Callable[[], dg.JobDefinition]] = {
    "nightly": nightly_job,
    "check": check_job,
    "ingest": ingest_job,
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
    ) -> Outcome:
        """Run a job for one dataset version in this process and wait for it.

        Parameters
        ----------
        job
            nightly, check or ingest.
        config
            Op config by op name.
        on_step
            Called with the name of each step as it starts.
        """
        stop = progress.listen(on_step) if on_step is not None else None
        try:
            result = dg.execute_job(
                dg.reconstructable(_JOBS[job]),
                instance=self.instance,
                tags={"dagster/partition": partition_key, PROCESS_TAG: _this_process()},
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
            if stop is not None:
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
    prepare_home(home, data_root)
    with _sole_use(home, on_wait), dg.DagsterInstance.from_config(str(home)) as instance:
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
    """Make the home with its instance's settings; remember the data root it belongs to."""
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
    if not (home / "dagster.yaml").exists():
        write_atomic(home / "dagster.yaml", _INSTANCE_YAML.encode())
    settings = json.dumps({"data": str(data_root)}, ensure_ascii=False) + "\n"
    path = home / SETTINGS
    if not path.exists() or path.read_text(encoding="utf-8") != settings:
        write_atomic(path, settings.encode())
    os.environ["DAGSTER_HOME"] = str(home)


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


@contextmanager
def _sole_use(home: Path, on_wait: Callable[[str], None] | None) -> Iterator[None]:
    """Hold the home's lock, which the system lets go of when a process dies."""
    lock = FileLock(home / "computing.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if on_wait is not None:
            on_wait(f"another rag-eval is computing in {home}; waiting for it to end")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _this_process() -> str:
    pid = os.getpid()
    return json.dumps([platform.node(), _boot_id(), pid, _started(pid)])


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _started(pid: int) -> str | None:
    """When a process started, in clock ticks since boot; None if there is none or none can say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]


def _gone(tag: str) -> bool:
    """Whether the process of a run is known to be gone; of another machine nothing is known."""
    try:
        node, boot, pid, started = json.loads(tag)
    except ValueError:
        return False
    if node != platform.node():
        return False
    if boot != _boot_id():
        return True
    if started is not None:
        return _started(pid) != started
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _fail_dead_runs(instance: dg.DagsterInstance) -> None:
    for run in instance.get_runs(dg.RunsFilter(statuses=_UNFINISHED)):
        tag = run.tags.get(PROCESS_TAG)
        if tag is not None and _gone(tag):
            instance.report_run_failed(run, "the process that ran this is gone")


def _outcome(partition_key: str, result: dg.ExecuteInProcessResult | object) -> Outcome:
    events: Sequence[dg.DagsterEvent] = result.all_events  # type: ignore[attr-defined]
    outcome = Outcome(
        partition_key=partition_key,
        run_id=result.run_id,  # type: ignore[attr-defined]
        succeeded=result.success,  # type: ignore[attr-defined]
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
