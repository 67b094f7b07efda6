"""Running a job for dataset versions, one after the other, and what went wrong on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from rag_eval_pipeline import launch, terminal
from rag_eval_pipeline.commands.context import BAD_INPUT, DONE, INTERNAL, Context, nearest
from rag_eval_pipeline.dataset.manifest import DatasetVersion, Discovered
from rag_eval_pipeline.reading.errors import InputError

FILES_SHOWN = 10
"""Most files with rows that were not used that are named one by one."""

COMPARING = ("nightly", "backfill")
"""Jobs that compare runs."""

# Failed checks whose subject is told from the tables, with more detail.
_TOLD_FROM_TABLES = (
    "cases: contract",
    "cases: rejected_cases",
    "dataset_checks: findings",
    "run_logs: files_read",
    "regressions: no_regression",
    "comparisons: comparable",
)


@dataclass(slots=True)
class Night:
    """What came of running a job: outcomes, problems (exit code 2) and warnings for people."""

    outcomes: list[tuple[DatasetVersion, launch.Outcome]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0, 2 for bad input, 4 if the software itself failed."""
        if any("internal error" in each for each in self.problems):
            return INTERNAL
        return BAD_INPUT if self.problems else DONE

    @property
    def keys(self) -> pl.DataFrame:
        """`dataset_version` of the versions the job ran for, for reading tables."""
        versions = [version.key for version, _ in self.outcomes]
        return pl.DataFrame({"dataset_version": versions}, schema={"dataset_version": pl.String})

    def as_json(self, code: int) -> dict[str, object]:
        """What programs are told of the run itself."""
        return {
            "exit_code": code,
            "datasets": [
                {
                    "dataset_version": version.key,
                    "dagster_run": outcome.run_id,
                    "succeeded": outcome.succeeded,
                }
                for version, outcome in self.outcomes
            ],
            "problems": self.problems,
            "warnings": self.warnings,
        }

    def tell(self) -> None:
        """Print warnings and problems on the error stream."""
        for text in self.warnings:
            terminal.problem(text, "warning")
        for text in self.problems:
            terminal.problem(text)
        failed = [version.key for version, outcome in self.outcomes if not outcome.succeeded]
        if failed and len(self.outcomes) > 1:
            terminal.say(
                f"{len(self.outcomes) - len(failed)} of {len(self.outcomes)} dataset versions "
                f"done; not done: {terminal.listed(failed)}"
            )


def run_all(
    context: Context,
    job: str,
    dataset: str | None,
    *,
    replace: bool = False,
    config: Mapping[str, Mapping[str, object]] | None = None,
) -> Night:
    """Run a job for the chosen dataset versions, one after the other; none stops the others.

    Parameters
    ----------
    job
        nightly, check or ingest.
    dataset
        `name@version`, a name for all its versions, or None for all there are.
    replace
        Whether runs whose earlier rows changed are taken in.
    config
        Op config by op name.

    Raises
    ------
    InputError
        The data root is missing, holds no dataset, or not the one asked for.
    """
    night = Night()
    ops = dict(config or {})
    if replace:
        ops["run_logs"] = {"replace_changed": True}
    with launch.opened(
        context.data, context.home, on_wait=lambda text: terminal.problem(text, "note")
    ) as launcher:
        found = launcher.discover()
        if not found.versions and not found.problems:
            raise _no_dataset(context)
        versions = chosen(found, dataset)
        night.problems += [
            str(each) for each in found.problems if dataset is None or _concerns(each, dataset)
        ]
        if job != "check":
            _look_at_run_files(launcher, found, versions, night)
        compute(launcher, job, versions, ops, night)
        if job != "check":
            _tell_of_run_files(launcher, versions, night)
    return night


def compute(
    launcher: launch.Launcher,
    job: str,
    versions: Sequence[DatasetVersion],
    ops: Mapping[str, Mapping[str, object]],
    night: Night,
) -> None:
    """Run a job for dataset versions and add what came of it to `night`; none stops the others."""
    outcomes: dict[str, launch.Outcome] = {}
    for number, version in enumerate(versions, start=1):
        outcomes[version.key] = _compute(launcher, job, version, ops, number, len(versions))
    if job in COMPARING:
        done = [version for version in versions if outcomes[version.key].succeeded]
        # A version read after another may hold the baseline of its runs.
        unsettled = launcher.unsettled(done)
        for number, version in enumerate(unsettled, start=1):
            outcomes[version.key] = _compute(launcher, job, version, ops, number, len(unsettled))
    for version in versions:
        outcome = outcomes[version.key]
        night.outcomes.append((version, outcome))
        night.problems += [_of(version, each) for each in outcome.failures]
        night.warnings += [
            _of(version, each)
            for each in outcome.warnings
            if not each.startswith(_TOLD_FROM_TABLES)
        ]


def chosen(found: Discovered, dataset: str | None) -> list[DatasetVersion]:
    """The dataset versions a person names: a key, a name for all its versions, None for all.

    Raises
    ------
    InputError
        There is none of that name, or its files cannot be used.
    """
    if dataset is None:
        return list(found.versions.values())
    versions = [each for key, each in found.versions.items() if dataset in (key, each.name)]
    if versions:
        return versions
    for problem in found.problems:
        if _concerns(problem, dataset):
            raise problem
    known = list(found.versions)
    raise InputError(
        code="unknown_dataset",
        field="dataset",
        found=repr(dataset),
        expected=f"one of {terminal.listed(known)}",
        todo=f"correct the name{nearest(dataset, known)}",
    )


def warn_of_unused_rows(night: Night, quarantine: pl.DataFrame) -> None:
    """Add a warning for each file with rows in quarantine, naming the first."""
    counted = quarantine.group_by("source_file").agg(n=pl.len()).sort("source_file")
    for source_file, n in counted.head(FILES_SHOWN).iter_rows():
        first = quarantine.filter(pl.col("source_file") == source_file).row(0, named=True)
        many = "1 row not used" if n == 1 else f"{n} rows not used, the first"
        night.warnings.append(f"{source_file}, line {first['line']}: {many}: {first['reason']}")
    if counted.height > FILES_SHOWN:
        more = counted.height - FILES_SHOWN
        night.warnings.append(
            f"{more} more files hold rows that were not used: the table quarantine lists all"
        )


def warn_of_findings(night: Night, findings: pl.DataFrame) -> None:
    """Add a warning for each dataset version with findings that nothing else tells of."""
    open_ones = findings.filter(
        (pl.col("stage") == "dataset")
        & (pl.col("severity") != "note")
        & ~pl.col("check").is_in(["rejected_case", "rejected_document", "dangling_evidence"])
    )
    for (version,), rows in open_ones.group_by("dataset_version", maintain_order=True):
        more = f" and {rows.height - 1} more" if rows.height > 1 else ""
        night.warnings.append(
            f"{version}: {rows['message'][0]}{more} (`rag-eval check {version}` lists all findings)"
        )


def _compute(
    launcher: launch.Launcher,
    job: str,
    version: DatasetVersion,
    ops: Mapping[str, Mapping[str, object]],
    number: int,
    of: int,
) -> launch.Outcome:
    with terminal.progress(f"{version.key} ({number} of {of})") as line:
        return launcher.run(
            job,
            version.partition_key,
            config=ops,
            on_step=line.step,
            on_batch=lambda told: line.batch(told.done, told.of, told.items_done, told.items),
        )


def _look_at_run_files(
    launcher: launch.Launcher, found: Discovered, versions: Sequence[DatasetVersion], night: Night
) -> None:
    """Tell of files that belong to no dataset version; the others are told of once read."""
    files = launcher.look_at_run_files(found)
    nowhere = files.filter((pl.col("state") == "rejected") & pl.col("dataset_version").is_null())
    if len(versions) == len(found.versions):
        night.problems += nowhere["reason"].to_list()
    if (files["state"] == "gone").all():
        night.warnings.append(
            "there are no run files yet: put logs below runs/, or `rag-eval ingest PATH`"
        )


def _tell_of_run_files(
    launcher: launch.Launcher, versions: Sequence[DatasetVersion], night: Night
) -> None:
    mine = pl.col("dataset_version").is_in([version.key for version in versions])
    files = launcher.evaluation.warehouse.read("run_files").filter(mine)
    night.problems += files.filter(pl.col("state") == "rejected")["reason"].to_list()
    empty = files.filter(
        (pl.col("state") == "ingested") & pl.col("flags").list.contains("empty_run")
    )
    night.warnings += [f"{path}: holds no row, so every case is missing" for path in empty["path"]]


def _of(version: DatasetVersion, text: str) -> str:
    """The text with the dataset version before it, unless its files are named anyway."""
    check, _, said = text.partition(": ")
    if check in ("cases", "run_logs", "dataset_checks", "case_scores") and ": " in said:
        text = said.partition(": ")[2]
    folder = version.manifest_path.rpartition("/")[0]
    return text if text.startswith(folder) else f"{version.key}: {text}"


def _concerns(problem: InputError, dataset: str) -> bool:
    """Whether a problem is about the folder of the dataset version a person named."""
    name, _, version = dataset.partition("@")
    place = f"datasets/{name}/{version}/" if version else f"datasets/{name}/"
    return (problem.file or "").startswith(place)


def _no_dataset(context: Context) -> InputError:
    return InputError(
        code="no_dataset",
        file=str(context.data / "datasets"),
        found="no dataset",
        expected="datasets/<name>/<version>/ with cases.jsonl (or .yaml, .csv)",
        todo="write one, or name another data root with --data DIR",
    )
