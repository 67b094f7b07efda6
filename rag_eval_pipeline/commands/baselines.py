"""Setting the baseline of a dataset version, with who, when and why, and showing what holds."""

from __future__ import annotations

import getpass
import shutil
import subprocess

import click
import polars as pl

from rag_eval_pipeline import launch, terminal
from rag_eval_pipeline.commands.context import DONE, Context, nearest
from rag_eval_pipeline.commands.night import chosen
from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL
from rag_eval_pipeline.dataset.baseline_history import Entry, decide, history, pin_told
from rag_eval_pipeline.dataset.manifest import PREVIOUS, DatasetVersion, discover_datasets
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.ids import normal_id


def set_baseline(
    context: Context, dataset: str, run_id: str, *, reason: str, by: str | None
) -> int:
    """Pin a run as the baseline of a dataset version and record the decision."""
    version, run_id = _one(context, dataset), normal_id(run_id)
    if run_id == PREVIOUS:
        raise InputError(
            code="not_a_run",
            field="RUN",
            found=repr(run_id),
            expected="the id of a run",
            todo="run `rag-eval baseline clear` to go back to the previous run",
        )
    _known(context, version, run_id)
    return _decide(context, version, run_id, reason=reason, by=by)


def clear(context: Context, dataset: str, *, reason: str, by: str | None) -> int:
    """Go back to the latest earlier run as the baseline and record the decision."""
    return _decide(context, _one(context, dataset), PREVIOUS, reason=reason, by=by)


def show(context: Context, dataset: str | None) -> int:
    """Show who set which baseline, and what each run is compared with by which rule."""
    launch.check_data_root(context.data)
    versions = chosen(discover_datasets(context.data), dataset)
    held = _held(context)
    told: list[dict[str, object]] = []
    for version in versions:
        entries = history(version)
        compared = held.filter(pl.col("dataset_version") == version.key)
        told.append(
            {
                "dataset_version": version.key,
                "baseline": version.baseline or PREVIOUS,
                "told": pin_told(version, entries) or None,
                "history": [
                    {name: getattr(entry, name) for name in Entry.__dataclass_fields__}
                    for entry in entries
                ],
                "compared": terminal.rows(compared.drop("dataset_version")),
            }
        )
        if not context.json:
            _print(version, entries, compared)
    if context.json:
        terminal.print_json({"exit_code": DONE, "datasets": told})
    return DONE


def _decide(
    context: Context, version: DatasetVersion, baseline: str, *, reason: str, by: str | None
) -> int:
    entry = Entry(
        at=launch.now().astimezone(version.zone).isoformat(timespec="seconds"),
        by=by or _user(),
        baseline=baseline,
        previous=version.baseline or PREVIOUS,
        reason=reason.strip(),
    )
    decide(version, entry)
    if context.json:
        said = {name: getattr(entry, name) for name in Entry.__dataclass_fields__}
        terminal.print_json({"exit_code": DONE, "dataset_version": version.key} | said)
        return DONE
    now = "the latest earlier run of the same system" if baseline == PREVIOUS else baseline
    terminal.say(f"baseline of {version.key}: {now} (before: {entry.previous})")
    terminal.say(f"recorded: {entry.by}, {entry.at}: {entry.reason}")
    terminal.say("`rag-eval nightly` compares with it from now on")
    return DONE


def _one(context: Context, dataset: str) -> DatasetVersion:
    launch.check_data_root(context.data)
    versions = chosen(discover_datasets(context.data), dataset)
    if len(versions) != 1:
        raise click.UsageError(
            f"{dataset} has several versions: {terminal.listed([each.key for each in versions])}"
        )
    return versions[0]


def _known(context: Context, version: DatasetVersion, run_id: str) -> None:
    """Refuse a run that could not be the baseline: unknown, of another dataset, cut, or a draft's.

    Raises
    ------
    InputError
        With the nearest run of this dataset.
    """
    names = {
        each.key: each
        for each in discover_datasets(context.data).versions.values()
        if each.name == version.name
    }
    runs = context.warehouse().read("runs", columns=["run_id", "dataset_version", "complete"])
    own = runs.filter(pl.col("dataset_version").is_in(list(names)))
    usable = own.filter(
        pl.col("complete")
        & (
            pl.lit(not version.frozen)
            | pl.col("dataset_version").is_in([key for key, each in names.items() if each.frozen])
        )
    )
    if run_id in usable["run_id"]:
        return
    known = sorted(set(usable["run_id"]))
    if run_id not in runs["run_id"]:
        found = f"the run {run_id!r}, which no dataset version holds"
    elif run_id not in own["run_id"]:
        other = runs.filter(pl.col("run_id") == run_id)["dataset_version"][0]
        found = f"the run {run_id!r}, which is on {other}"
    elif not own.filter(pl.col("run_id") == run_id)["complete"].any():
        found = f"the run {run_id!r}, which is marked incomplete"
    else:
        found = f"the run {run_id!r}, which is on a draft while {version.key} is frozen"
    raise InputError(
        code="unknown_run",
        field="RUN",
        found=found,
        expected=f"a whole run on {version.name}: {terminal.listed(known) or 'there is none'}",
        todo="correct the id, or run `rag-eval nightly` to take it in" + nearest(run_id, known),
    )


def _held(context: Context) -> pl.DataFrame:
    """What each run is compared with today, by rule or because a person asked."""
    columns = [
        "dataset_version", "candidate_run", "baseline_run", "baseline_rule", "rubric_version",
        "state", "reason", "superseded_at",
    ]  # fmt: skip
    rows = context.warehouse().read("comparisons", columns=columns)
    return rows.filter(pl.col("superseded_at").is_null()).drop("superseded_at")


def _print(version: DatasetVersion, entries: list[Entry], compared: pl.DataFrame) -> None:
    told = pin_told(version, entries)
    now = version.baseline or PREVIOUS
    rule = "the latest earlier run of the same system" if now == PREVIOUS else told
    terminal.say(f"{version.key}: baseline {now} ({rule})")
    if entries:
        terminal.print_table(
            pl.DataFrame(
                [(each.at, each.by, each.previous, each.baseline, each.reason) for each in entries],
                schema=["when", "who", "before", "baseline", "why"],
                orient="row",
            )
        )
    if compared.is_empty():
        terminal.say("no run is compared yet")
    else:
        several = compared["rubric_version"].n_unique() > 1
        words = pl.col("baseline_rule").replace(
            {ASKED: "asked for", ASKED_IDENTICAL: "asked for, identical"}
        )
        terminal.print_table(
            compared.select(
                run="candidate_run",
                baseline="baseline_run",
                rule=words,
                **({"rubric": "rubric_version"} if several else {}),
                state=pl.col("state").str.replace_all("_", " "),
                reason="reason",
            )
        )
    terminal.say()


def _user() -> str:
    """The name git knows the person by, else the login."""
    git = shutil.which("git")
    if git is not None:
        asked = subprocess.run(  # noqa: S603 - a fixed command
            [git, "config", "user.name"], capture_output=True, text=True, check=False
        )
        if asked.returncode == 0 and asked.stdout.strip():
            return asked.stdout.strip()
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
