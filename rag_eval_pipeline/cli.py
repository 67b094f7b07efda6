"""The command line: arguments and printing, one function a command.

Exit codes: 0 done, 1 a check failed, 2 usage or bad input, 3 insufficient data, 4 internal error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click
import polars as pl

from rag_eval_pipeline import __version__, shipped, terminal
from rag_eval_pipeline.dataset.freeze import freeze as freeze_dataset
from rag_eval_pipeline.dataset.manifest import DatasetVersion, Discovered, discover_datasets
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.text_file import write_atomic
from rag_eval_pipeline.report.run_report import case_rows, gather, markdown_report
from rag_eval_pipeline.run_log.bring import bring_run
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.errors import WarehouseError

if TYPE_CHECKING:
    from rag_eval_pipeline.launch import Launcher, Outcome

DONE, FAILED, BAD_INPUT, INSUFFICIENT, INTERNAL = 0, 1, 2, 3, 4
WAREHOUSE = "warehouse.duckdb"
DEMO_MARK = "demo"
CHANGES = ("regressed", "recovered", "missing", "unmeasured", "gold_changed", "new", "removed")


@dataclass(slots=True)
class Context:
    """The global options."""

    data: Path
    home: Path
    json: bool
    data_given: bool

    def warehouse(self) -> DuckDBFile:
        """The warehouse of the home, which must be there."""
        path = self.home / WAREHOUSE
        if not path.exists():
            raise InputError(
                code="no_warehouse",
                file=str(path),
                found="nothing evaluated yet",
                expected="a home that holds results",
                todo="run `rag-eval nightly` first, or name the home with --home DIR",
            )
        return DuckDBFile(path)


@dataclass(slots=True)
class Night:
    """What came of running a job for some dataset versions."""

    outcomes: list[tuple[DatasetVersion, Outcome]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        if any("internal error" in each for each in self.problems):
            return INTERNAL
        return BAD_INPUT if self.problems else DONE


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 a check failed, 2 usage or bad input, 3 insufficient data, "
    "4 internal error.",
)
@click.version_option(__version__, prog_name="rag-eval")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    envvar="RAG_EVAL_DATA",
    help="Data root: knowledge, datasets, runs, rubrics. Default: data, or RAG_EVAL_DATA.",
)
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    default=".rag_eval",
    envvar="RAG_EVAL_HOME",
    show_default=True,
    help="Where warehouse, Dagster instance and reports are kept; derived, may be deleted.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_context
def cli(context: click.Context, data: Path | None, home: Path, as_json: bool) -> None:
    """Tell whether a RAG system got better or worse, on which axis, and why.

    \b
    A first look:        rag-eval demo
    On your own data:    rag-eval --data DIR check
                         rag-eval --data DIR nightly
    Why did it fail:     rag-eval explain item RUN CASE
    Ask anything:        rag-eval sql "SELECT * FROM case_scores"
    See the lineage:     rag-eval ui
    """
    context.obj = Context(
        data=(data or Path("data")).absolute(),
        home=home.absolute(),
        json=as_json,
        data_given=data is not None,
    )


@cli.command()
@click.pass_obj
def demo(context: Context) -> None:
    """Run the nightly on the shipped sample into a fresh home.

    The sample is a small shop: ten Japanese questions, an expected run, a faulty one, a malformed
    one, and a second dataset version whose fee changed.
    """
    mark = context.home / DEMO_MARK
    if context.home.exists() and any(context.home.iterdir()):
        if not mark.exists():
            raise InputError(
                code="home_in_use",
                file=str(context.home),
                found="a home with results of your own",
                expected="a fresh home, or one an earlier demo made",
                todo="name another: rag-eval --home .rag_eval_demo demo",
            )
        shutil.rmtree(context.home)
    write_atomic(mark, b"made by rag-eval demo; replaced by the next one\n")
    sample = Context(shipped.data_root(), context.home, context.json, data_given=True)
    if not context.json:
        terminal.say(f"Sample data: {sample.data}")
    code = _nightly(sample, dataset=None, replace=False, cases=True)
    if not context.json:
        home = "" if context.home == Path(".rag_eval").absolute() else f"--home {context.home} "
        terminal.say()
        terminal.say(f"Reports:  {context.home / 'reports'}")
        terminal.say(f"Why:      rag-eval {home}explain item faulty q10")
        terminal.say(f"UI:       rag-eval {home}ui   (make ui)")
    sys.exit(code)


@cli.command()
@click.argument("dataset", required=False)
@click.pass_obj
def check(context: Context, dataset: str | None) -> None:
    """Check the contracts and findings of a dataset version (default: all).

    DATASET is name@version, or a name for all its versions. Exit code 1 if a finding is an error,
    2 if the files cannot be used at all.
    """
    night = _run_all(context, "check", dataset)
    warehouse = context.warehouse()
    keys = pl.DataFrame({"dataset_version": [version.key for version, _ in night.outcomes]})
    findings = warehouse.read("dataset_findings", keys).filter(pl.col("stage") == "dataset")
    errors = findings.filter(pl.col("severity") == "error").height
    code = night.exit_code or (FAILED if errors else DONE)
    if context.json:
        terminal.print_json(_night_json(night, code) | {"findings": terminal.rows(findings)})
    else:
        if findings.height:
            terminal.print_table(
                findings.drop("stage"), f"{findings.height} findings, {errors} of them errors"
            )
        else:
            terminal.say(f"no findings: {terminal.listed(keys['dataset_version'].to_list())}")
        _print_problems(night)
    sys.exit(code)


@cli.command()
@click.argument("dataset")
@click.option("--amend", is_flag=True, help="Freeze a changed frozen version again.")
@click.option("--reason", help="Why it is amended; recorded beside the dataset.")
@click.pass_obj
def freeze(context: Context, dataset: str, amend: bool, reason: str | None) -> None:
    """Pin a dataset version: snapshot its knowledge base, write its hash.

    From then on an edit of its cases or gold is refused: make a new version, or amend with a
    reason.
    """
    if amend and not (reason or "").strip():
        raise click.UsageError("--amend needs --reason TEXT: it is recorded for those who compare")
    from rag_eval_pipeline import launch

    launch.check_data_root(context.data)
    found = discover_datasets(context.data)
    chosen = _chosen(found, dataset)
    if len(chosen) != 1:
        raise click.UsageError(
            f"{dataset} has several versions: {terminal.listed([each.key for each in chosen])}"
        )
    result = freeze_dataset(
        chosen[0], context.data, today=_today(chosen[0]), amend=amend, reason=reason
    )
    night = _run_all(context, "check", chosen[0].key)
    if context.json:
        terminal.print_json(
            _night_json(night, night.exit_code)
            | {
                "dataset_version": result.dataset_version,
                "snapshot": result.snapshot,
                "dataset_hash": result.dataset_hash,
                "n_cases": result.n_cases,
                "already_frozen": result.already,
            }
        )
    else:
        done = "is frozen already and unchanged" if result.already else "frozen"
        terminal.say(
            f"{result.dataset_version} {done}: {result.n_cases} cases, snapshot "
            f"{result.snapshot or 'none'}, dataset_hash {result.dataset_hash[:12]}…"
        )
        _print_problems(night)
    sys.exit(night.exit_code)


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--dataset", help="Dataset version the runs belong to, where they do not say.")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["jsonl"]),
    default="jsonl",
    show_default=True,
    help="Format of the files.",
)
@click.option("--replace", is_flag=True, help="Take in runs whose earlier rows changed.")
@click.pass_obj
def ingest(
    context: Context,
    paths: Sequence[Path],
    dataset: str | None,
    file_format: str,  # noqa: ARG001 - one format so far; the choice checks it
    replace: bool,
) -> None:
    """Read run logs. Files from elsewhere (PATH…) are copied below runs/ first.

    A PATH is a .jsonl file (also .gz or .zst) or a folder with run.yaml and items.jsonl.
    """
    from rag_eval_pipeline import launch

    launch.check_data_root(context.data)
    for path in paths:
        found = discover_datasets(context.data)
        named = _chosen(found, dataset)[0].key if dataset is not None else None
        target = bring_run(path.absolute(), context.data, named, replace=replace)
        if not context.json:
            terminal.say(f"copied {path} to {target}")
    night = _run_all(context, "ingest", dataset, replace=replace)
    _print_files(context, night)
    sys.exit(night.exit_code)


@cli.command()
@click.option("--dataset", help="Only this dataset version, or all versions of this name.")
@click.option("--replace", is_flag=True, help="Take in runs whose earlier rows changed.")
@click.pass_obj
def nightly(context: Context, dataset: str | None, replace: bool) -> None:
    """Take new run logs, measure, score, compare, report.

    Only what is new or changed is computed. One bad file or dataset does not stop the others; the
    exit code is then 2.
    """
    sys.exit(_nightly(context, dataset=dataset, replace=replace))


@cli.command()
@click.option("--dataset", help="Only this dataset version, or all versions of this name.")
@click.option("--run", "run_id", help="Show only this run.")
@click.option("--rubric", help="Show only scores by this rubric (a name the dataset lists).")
@click.pass_obj
def score(context: Context, dataset: str | None, run_id: str | None, rubric: str | None) -> None:
    """Score stored runs by today's rubrics and show each case.

    A materialization always brings its whole dataset version up to date; --run and --rubric only
    narrow what is shown.
    """
    code = _nightly(
        context, dataset=dataset, replace=False, cases=True, run_id=run_id, rubric=rubric
    )
    sys.exit(code)


@cli.command()
@click.argument("base")
@click.argument("candidate")
@click.option("--require-identical", is_flag=True, help="Refuse if the references differ at all.")
@click.pass_obj
def compare(context: Context, base: str, candidate: str, require_identical: bool) -> None:
    """Compare run CANDIDATE with run BASE, case by case, on the cases whose gold is unchanged.

    Exit code 3 if the comparison is refused; the reason is recorded with it.
    """
    runs = context.warehouse().read("runs", columns=["run_id", "dataset_version"])
    for run_id in (base, candidate):
        if run_id not in runs["run_id"]:
            raise InputError(
                code="unknown_run",
                field="run_id",
                found=f"{run_id!r}, which no dataset version holds",
                expected=f"one of {terminal.listed(sorted(runs['run_id']))}",
                todo="correct the id, or run `rag-eval nightly` to take it in",
            )
    version = runs.filter(pl.col("run_id") == candidate)["dataset_version"][0]
    config = {
        "comparison": {
            "candidate": candidate,
            "baseline": base,
            "require_identical": require_identical,
        }
    }
    night = _run_all(context, "nightly", version, config=config)
    rule = "asked_identical" if require_identical else "asked"
    pair = {"candidate_run": [candidate], "baseline_run": [base], "baseline_rule": [rule]}
    with (warehouse := context.warehouse()).reading():
        rows = warehouse.read("comparisons").filter(pl.col("superseded_at").is_null())
        rows = rows.join(pl.DataFrame(pair), on=list(pair), how="semi")
        changes = warehouse.read("regressions", rows.select("dataset_version", "comparison_id"))
    code = night.exit_code or (DONE if (rows["state"] == "compared").any() else INSUFFICIENT)
    if context.json:
        terminal.print_json(
            _night_json(night, code)
            | {"comparisons": terminal.rows(rows), "regressions": terminal.rows(changes)}
        )
    else:
        _print_comparisons(rows, changes)
        _print_problems(night)
    sys.exit(code)


@cli.group()
def explain() -> None:
    """Show how a result came about."""


@explain.command("item")
@click.argument("run_id", metavar="RUN")
@click.argument("case_id", metavar="CASE")
@click.pass_obj
def explain_item(context: Context, run_id: str, case_id: str) -> None:
    """The whole trace of one score: question, gold, what was retrieved and answered, each axis."""
    trace = _trace(context.warehouse(), run_id, case_id)
    if context.json:
        terminal.print_json({name: terminal.rows(frame) for name, frame in trace.items()})
        return
    case = trace["case"].row(0, named=True)
    terminal.say(f"{case['dataset_version']}  run {run_id}  case {case_id}")
    terminal.say(f"question  {case['question']}")
    expected = [case["reference_answer"], *case["accepted_answers"]]
    terminal.say(f"expected  {' | '.join(str(each) for each in expected if each is not None)}")
    terminal.say(f"statuses  {', '.join(case['accepted_statuses'])}")
    terminal.print_table(trace["gold"].drop("dataset_version", "case_id"), "Gold evidence")
    if trace["items"].is_empty():
        terminal.say("The run has no item for this case.")
    for item in trace["items"].iter_rows(named=True):
        terminal.say(f"trial {item['trial']}: status {terminal.shown(item['status'])}, "
                     f"source {terminal.shown(item['source'])}")  # fmt: skip
        terminal.say(f"answer    {terminal.shown(item['answer'])}")
        if item["flags"]:
            terminal.say(f"notes     {', '.join(item['flags'])}")
    terminal.print_table(
        trace["retrieved"].select("trial", "position", "logged_rank", "evidence_id", "score"),
        "Retrieved",
    )
    terminal.print_table(trace["axes"], "Axes")
    terminal.print_table(
        trace["scores"].select(
            "trial", "rubric_version", "passed", "diagnosis", "also", "where_to_mend", "reason"
        ),
        "Verdict",
    )


@cli.command()
@click.option("--dataset", help="Only this dataset version (name@version).")
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file.")
@click.pass_obj
def report(context: Context, dataset: str | None, output: Path | None) -> None:
    """Print the Markdown report of what is stored; nothing is computed."""
    warehouse = context.warehouse()
    versions = sorted(set(warehouse.read("cases", columns=["dataset_version"])["dataset_version"]))
    if dataset is not None and dataset not in versions:
        raise InputError(
            code="unknown_dataset",
            field="--dataset",
            found=repr(dataset),
            expected=f"one of {terminal.listed(versions)}",
            todo="correct the name, or run `rag-eval nightly` first",
        )
    chosen = versions if dataset is None else [dataset]
    texts = {version: markdown_report(version, gather(warehouse, version)) for version in chosen}
    if output is not None:
        write_atomic(output.absolute(), "\n".join(texts.values()).encode())
    elif context.json:
        terminal.print_json(texts)
    else:
        sys.stdout.write("\n".join(texts.values()))


@cli.command()
@click.argument("query")
@click.option(
    "--format",
    "result_format",
    type=click.Choice(["table", "json", "csv"]),
    help="Default: table, or json with --json.",
)
@click.pass_obj
def sql(context: Context, query: str, result_format: str | None) -> None:
    """Ask the warehouse one SELECT (DuckDB SQL); read-only.

    \b
    rag-eval sql "SHOW TABLES"
    rag-eval sql "SELECT run_id, axis, pass_rate, n_cases FROM run_summary" --format json
    """
    frame = context.warehouse().sql(query)
    chosen = result_format or ("json" if context.json else "table")
    if chosen == "json":
        terminal.print_json(terminal.rows(frame))
    elif chosen == "csv":
        sys.stdout.write(terminal.as_csv(frame))
    else:
        terminal.print_table(frame)
        terminal.say(f"{frame.height} rows")


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option("--port", default=3000, show_default=True, help="Port to serve on.")
@click.pass_obj
def ui(context: Context, host: str, port: int) -> None:
    """Open the Dagster UI on this home: runs, assets, lineage, checks, schedule."""
    from rag_eval_pipeline import launch

    remembered = None if context.data_given else launch.data_root_of(context.home)
    data = remembered or context.data
    launch.check_data_root(data)
    launch.prepare_home(context.home, data)
    environment = os.environ | {
        "DAGSTER_HOME": str(context.home),
        "RAG_EVAL_HOME": str(context.home),
        "RAG_EVAL_DATA": str(data),
    }
    terminal.say(f"Dagster UI: http://{host}:{port}   (stop with Ctrl-C)")
    command = [sys.executable, "-m", "dagster", "dev", "-m", "rag_eval_pipeline.definitions"]
    command += ["--host", host, "--port", str(port)]
    try:
        sys.exit(subprocess.call(command, env=environment))  # noqa: S603
    except KeyboardInterrupt:
        sys.exit(DONE)


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: what a person can mend is said in a sentence, never as a stack."""
    try:
        cli.main(args=list(arguments) if arguments is not None else None, prog_name="rag-eval")
    except (InputError, WarehouseError) as fault:
        terminal.problem(str(fault))
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(DONE)
    except Exception as fault:
        if os.environ.get("RAG_EVAL_DEBUG"):
            traceback.print_exc()
        first = str(fault).strip().splitlines()[0] if str(fault).strip() else ""
        terminal.problem(
            f"internal error: {type(fault).__name__}: {first} "
            "(set RAG_EVAL_DEBUG=1 for the stack, and please report it)"
        )
        sys.exit(INTERNAL)


def _nightly(
    context: Context,
    *,
    dataset: str | None,
    replace: bool,
    cases: bool = False,
    run_id: str | None = None,
    rubric: str | None = None,
) -> int:
    night = _run_all(context, "nightly", dataset, replace=replace)
    keys = [version.key for version, _ in night.outcomes]
    frame = pl.DataFrame({"dataset_version": keys}, schema={"dataset_version": pl.String})
    with (warehouse := context.warehouse()).reading():
        summary = warehouse.read("run_summary", frame).filter(pl.col("current"))
        scores = warehouse.read("case_scores", frame).filter(pl.col("current"))
        comparisons = warehouse.read("comparisons", frame).filter(pl.col("superseded_at").is_null())
        changes = warehouse.read("regressions", frame)
        quarantine = warehouse.read("quarantine", frame)
    _known(run_id, summary["run_id"], "run")
    _known(rubric, summary["rubric_version"].str.split("@").list.first(), "rubric")
    for column, wanted in (("run_id", run_id), ("rubric_version", rubric)):
        if wanted is not None:
            matches = (
                pl.col(column) == wanted
                if column == "run_id"
                else pl.col(column).str.starts_with(f"{wanted}@")
            )
            summary, scores = summary.filter(matches), scores.filter(matches)
    if run_id is not None:
        comparisons = comparisons.filter(pl.col("candidate_run") == run_id)
    _warn_of_quarantine(night, quarantine)
    if context.json:
        terminal.print_json(
            _night_json(night, night.exit_code)
            | {
                "run_summary": terminal.rows(summary),
                "comparisons": terminal.rows(comparisons),
                "regressions": terminal.rows(changes),
                "quarantine": terminal.rows(quarantine),
            }
            | ({"case_scores": terminal.rows(scores)} if cases else {})
        )
        return night.exit_code
    if cases:
        _print_cases(scores)
    _print_comparisons(comparisons, changes)
    _print_summary(summary)
    _print_problems(night)
    return night.exit_code


def _run_all(
    context: Context,
    job: str,
    dataset: str | None,
    *,
    replace: bool = False,
    config: Mapping[str, Mapping[str, object]] | None = None,
) -> Night:
    """Run a job for the chosen dataset versions, one after the other; none stops the others."""
    from rag_eval_pipeline import launch

    night = Night()
    ops = dict(config or {})
    if replace:
        ops["run_logs"] = {"replace_changed": True}
    with launch.opened(
        context.data, context.home, on_wait=lambda text: terminal.problem(text, "note")
    ) as launcher:
        found = launcher.discover()
        night.problems += [str(each) for each in found.problems]
        if not found.versions:
            raise _no_dataset(context, found)
        chosen = _chosen(found, dataset)
        if job != "check":
            _look_at_run_files(launcher, found, chosen, night)
        for number, version in enumerate(chosen, start=1):
            what = f"{version.key} ({number} of {len(chosen)})"
            with terminal.progress(what) as on_step:
                outcome = launcher.run(job, version.partition_key, config=ops, on_step=on_step)
            night.outcomes.append((version, outcome))
            night.problems += [f"{version.key}: {each}" for each in outcome.failures]
            night.warnings += [f"{version.key}: {each}" for each in outcome.warnings]
        if job != "check":
            _rejected_files(launcher, chosen, night)
    return night


def _look_at_run_files(
    launcher: Launcher, found: Discovered, chosen: Sequence[DatasetVersion], night: Night
) -> None:
    """Say which files belong to no dataset version; the others are told of when they were read."""
    files = launcher.look_at_run_files(found)
    nowhere = files.filter((pl.col("state") == "rejected") & pl.col("dataset_version").is_null())
    if len(chosen) == len(found.versions):
        night.problems += nowhere["reason"].to_list()
    if (files["state"] == "gone").all() and files.height == 0:
        night.warnings.append(
            "there are no run files yet: put logs below runs/, or `rag-eval ingest PATH`"
        )


def _rejected_files(launcher: Launcher, chosen: Sequence[DatasetVersion], night: Night) -> None:
    files = launcher.evaluation.warehouse.read("run_files")
    mine = files.filter(
        (pl.col("state") == "rejected")
        & pl.col("dataset_version").is_in([version.key for version in chosen])
    )
    night.problems += mine["reason"].to_list()
    empty = files.filter(
        pl.col("flags").list.contains("empty_run")
        & pl.col("dataset_version").is_in([version.key for version in chosen])
    )
    night.warnings += [f"{path} holds no row: every case is missing" for path in empty["path"]]
    night.warnings[:] = [each for each in night.warnings if "run_logs: files_read" not in each]


def _chosen(found: Discovered, dataset: str | None) -> list[DatasetVersion]:
    if dataset is None:
        return list(found.versions.values())
    chosen = [version for key, version in found.versions.items() if dataset in (key, version.name)]
    if not chosen:
        raise InputError(
            code="unknown_dataset",
            field="dataset",
            found=repr(dataset),
            expected=f"one of {terminal.listed(list(found.versions))}",
            todo="correct the name",
        )
    return chosen


def _no_dataset(context: Context, found: Discovered) -> InputError:
    return found.problems[0] if found.problems else InputError(
        code="no_dataset",
        file=str(context.data / "datasets"),
        found="no dataset",
        expected="datasets/<name>/<version>/ with cases.jsonl (or .yaml, .csv)",
        todo="write one, or name another data root with --data DIR",
    )  # fmt: skip


def _today(version: DatasetVersion):  # type: ignore[no-untyped-def]
    from rag_eval_pipeline import launch

    return launch.now().astimezone(version.zone).date()


def _known(wanted: str | None, there: pl.Series, what: str) -> None:
    if wanted is not None and wanted not in there:
        raise InputError(
            code=f"unknown_{what}",
            field=f"--{what}",
            found=repr(wanted),
            expected=f"one of {terminal.listed(sorted(set(there)))}",
            todo="correct it",
        )


def _warn_of_quarantine(night: Night, quarantine: pl.DataFrame) -> None:
    counted = quarantine.group_by("source_file").agg(n=pl.len()).sort("source_file")
    for source_file, n in counted.iter_rows():
        first = quarantine.filter(pl.col("source_file") == source_file).row(0, named=True)
        night.warnings.append(
            f"{source_file}: {n} rows not used, first: line {first['line']}: {first['reason']}"
        )


def _night_json(night: Night, code: int) -> dict[str, object]:
    return {
        "exit_code": code,
        "datasets": [
            {"dataset_version": version.key, "dagster_run": outcome.run_id,
             "succeeded": outcome.succeeded}
            for version, outcome in night.outcomes
        ],
        "problems": night.problems,
        "warnings": night.warnings,
    }  # fmt: skip


def _print_problems(night: Night) -> None:
    for text in night.warnings:
        terminal.problem(text, "warning")
    for text in night.problems:
        terminal.problem(text)


def _print_cases(scores: pl.DataFrame) -> None:
    keys = ["dataset_version", "run_id", "rubric_version"]
    for (version, run_id, rubric), rows in scores.group_by(keys, maintain_order=True):
        passed = int(rows["passed"].sum() or 0)
        terminal.print_table(
            case_rows(rows), f"{version}  {run_id}  ({passed} of {rows.height} pass, {rubric})"
        )


def _print_comparisons(comparisons: pl.DataFrame, changes: pl.DataFrame) -> None:
    for pair in comparisons.iter_rows(named=True):
        against = pair["baseline_run"] or "no baseline"
        terminal.say(
            f"{pair['candidate_run']} against {against}: {pair['state']}: {pair['reason']}"
        )
        of_pair = changes.filter(
            (pl.col("comparison_id") == pair["comparison_id"]) & (pl.col("axis") == "overall")
        )
        for change in CHANGES:
            cases = of_pair.filter(pl.col("change") == change)["case_id"].to_list()
            if cases:
                terminal.say(f"  {change}: {terminal.listed(cases, 20)}")


def _print_summary(summary: pl.DataFrame) -> None:
    order = {axis: number for number, axis in enumerate(
        ("search", "evidence", "behavior", "format", "overall"))}  # fmt: skip
    for (version,), rows in summary.group_by("dataset_version", maintain_order=True):
        wide = (
            rows.filter(pl.col("scope") == "headline")
            .sort(pl.col("axis").replace_strict(order, return_dtype=pl.Int64))
            .with_columns(
                shown=pl.format("{}/{}", "n_passed", pl.col("n_cases") - pl.col("n_not_applicable"))
            )
            .pivot(
                on="axis",
                index=["run_id", "kind", "rubric_version", "n_cases", "n_missing"],
                values="shown",
                on_columns=list(order),
            )
        )
        draft = " (draft)" if rows["draft"].any() else ""
        terminal.print_table(wide, f"{version}{draft}: cases passed of cases, per axis")


def _print_files(context: Context, night: Night) -> None:
    keys = [version.key for version, _ in night.outcomes]
    files = context.warehouse().read("run_files").filter(pl.col("dataset_version").is_in(keys))
    if context.json:
        terminal.print_json(
            _night_json(night, night.exit_code) | {"run_files": terminal.rows(files)}
        )
        return
    columns = ("path", "run_id", "dataset_version", "state", "n_rows", "n_used", "n_quarantined")
    terminal.print_table(files.select(columns), "Run files")
    _print_problems(night)


def _trace(warehouse: DuckDBFile, run_id: str, case_id: str) -> dict[str, pl.DataFrame]:
    """Frames that tell how one case of one run was scored."""
    with warehouse.reading():
        run = warehouse.read("runs").filter(pl.col("run_id") == run_id)
        versions = run.select("dataset_version")
        item = {"dataset_version": pl.col("dataset_version"), "run_id": pl.lit(run_id)}

        def of_item(table: str) -> pl.DataFrame:
            rows = warehouse.read(table, versions.select(**item))
            kept = rows.filter(pl.col("case_id") == case_id)
            return kept.filter(pl.col("current")) if "current" in kept.columns else kept

        def of_case(table: str) -> pl.DataFrame:
            return warehouse.read(table, versions).filter(pl.col("case_id") == case_id)

        case = of_case("cases") if run.height else run
        if run.is_empty() or case.is_empty():
            known = warehouse.read("runs", columns=["run_id"])["run_id"].sort().to_list()
            wrong = repr(run_id) if run.is_empty() else repr(case_id)
            raise InputError(
                code="unknown_run" if run.is_empty() else "unknown_case",
                field="RUN" if run.is_empty() else "CASE",
                found=wrong,
                expected=f"one of {terminal.listed(known)}" if run.is_empty()
                else f"a case of {versions['dataset_version'][0]}",
                todo="correct it; `rag-eval sql \"SELECT run_id, case_id FROM case_scores\"` lists all",
            )  # fmt: skip
        scores = of_item("case_scores")
        rubrics = warehouse.read("rubrics").filter(
            pl.col("rubric_version").is_in(scores["rubric_version"].implode())
        )
        axes = pl.concat(
            of_item(f"{axis}_scores")
            .join(rubrics.filter(pl.col("axis") == axis), on="axis_hash")
            .join(scores.select("dataset_hash", "run_hash", "measure_version", "rubric_version",
                                "trial"),
                  on=["dataset_hash", "run_hash", "measure_version", "rubric_version", "trial"],
                  how="semi")
            .select("rubric_version", "trial", "axis", "state", "score", "passed", "reason")
            for axis in ("search", "evidence", "behavior", "format")
        )  # fmt: skip
        return {
            "case": case,
            "gold": of_case("case_evidence"),
            "items": of_item("run_items"),
            "retrieved": of_item("retrieved"),
            "axes": axes,
            "scores": scores,
        }


if __name__ == "__main__":
    main()
