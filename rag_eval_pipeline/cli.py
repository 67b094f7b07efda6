"""The command line: arguments, help and errors. What each command does is in `commands`.

Exit codes: 0 done, 1 a check failed, 2 usage or bad input, 3 insufficient data, 4 internal error.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from rag_eval_pipeline import __version__
from rag_eval_pipeline.commands.context import (
    BAD_INPUT,
    DEFAULT_DATA,
    DEFAULT_HOME,
    DONE,
    INTERNAL,
    Context,
)
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.warehouse.errors import WarehouseError

# Each command imports what it needs when it runs, so that help and usage errors come at once.


def _take_data(context: click.Context, _option: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.ensure_object(Context).data_given = value.absolute()


def _take_home(context: click.Context, _option: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.ensure_object(Context).home_given = value.absolute()


def _take_json(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Context).json = True


def _global_options(*, environment: bool) -> list[click.Parameter]:
    """--data, --home and --json; the environment is asked once, before any command's options."""
    return [
        click.Option(
            ["--data"],
            type=click.Path(path_type=Path),
            envvar="RAG_EVAL_DATA" if environment else None,
            expose_value=False,
            callback=_take_data,
            metavar="DIR",
            help=f"Data root: datasets, runs, knowledge, rubrics.  [default: {DEFAULT_DATA}, or "
            "RAG_EVAL_DATA]",
        ),
        click.Option(
            ["--home"],
            type=click.Path(path_type=Path),
            envvar="RAG_EVAL_HOME" if environment else None,
            expose_value=False,
            callback=_take_home,
            metavar="DIR",
            help="Warehouse, Dagster instance and reports; derived, may be deleted.  [default: "
            f"{DEFAULT_HOME}, or RAG_EVAL_HOME]",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            expose_value=False,
            callback=_take_json,
            help="Print JSON for programs.",
        ),
    ]


class Command(click.Command):
    """A command that takes the global options too, so that they may stand before or after it."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.params.extend(_global_options(environment=False))


class Group(click.Group):
    """A group of such commands."""

    command_class = Command


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 a check failed, 2 usage or bad input, 3 insufficient data, "
    "4 internal error.",
)
@click.version_option(__version__, prog_name="rag-eval")
def cli() -> None:
    """Tell whether a RAG system got better or worse, on which axis, and why.

    \b
    A first look:        rag-eval demo
    On your own data:    rag-eval --data DIR check
                         rag-eval --data DIR nightly
    Why did it fail:     rag-eval explain item RUN CASE
    Ask anything:        rag-eval sql "SELECT run_id, case_id, reason FROM case_scores"
    See the lineage:     rag-eval ui
    """  # noqa: D301


cli.params.extend(_global_options(environment=True))


@cli.command(short_help="Run the nightly on the shipped sample.")
@click.pass_obj
def demo(context: Context) -> None:
    """Run the nightly on the shipped sample into a fresh home.

    The sample is a small shop: ten Japanese questions, an expected run, a faulty one, a malformed
    one, and a second dataset version whose fee changed.
    """
    from rag_eval_pipeline.commands import serving

    sys.exit(serving.demo(context))


@cli.command(short_help="Check the contracts and findings of datasets.")
@click.argument("dataset", required=False)
@click.pass_obj
def check(context: Context, dataset: str | None) -> None:
    """Check the contracts and findings of a dataset version (default: all).

    DATASET is name@version, or a name for all its versions. Exit code 1 if a finding is an error,
    2 if the files cannot be used at all.
    """
    from rag_eval_pipeline.commands import datasets

    sys.exit(datasets.check(context, dataset))


@cli.command(short_help="Pin a dataset version and its knowledge.")
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
    from rag_eval_pipeline.commands import datasets

    sys.exit(datasets.freeze(context, dataset, amend=amend, reason=reason))


@cli.command(short_help="Read run logs, copying files from elsewhere.")
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
    """Read run logs. Files from elsewhere (PATHS) are copied below runs/ first.

    A path is a .jsonl file (also .gz or .zst) or a folder with run.yaml and items.jsonl. Without
    a path, what lies below runs/ is read.
    """
    from rag_eval_pipeline.commands import datasets

    sys.exit(datasets.ingest(context, paths, dataset=dataset, replace=replace))


@cli.command(short_help="Take new run logs, measure, score, compare, report.")
@click.option("--dataset", help="Only this dataset version, or all versions of this name.")
@click.option("--replace", is_flag=True, help="Take in runs whose earlier rows changed.")
@click.pass_obj
def nightly(context: Context, dataset: str | None, replace: bool) -> None:
    """Take new run logs, measure, score, compare, report.

    Only what is new or changed is computed. One bad file or dataset does not stop the others; the
    exit code is then 2.
    """
    from rag_eval_pipeline.commands import overview

    sys.exit(overview.nightly(context, dataset=dataset, replace=replace))


@cli.command(short_help="Score stored runs by today's rubrics.")
@click.option("--dataset", help="Only this dataset version, or all versions of this name.")
@click.option("--run", "run_id", help="Show only this run.")
@click.option("--rubric", help="Show only scores by this rubric (a name the dataset lists).")
@click.pass_obj
def score(context: Context, dataset: str | None, run_id: str | None, rubric: str | None) -> None:
    """Score stored runs by today's rubrics and show each case.

    The whole dataset version is always brought up to date; --run and --rubric only narrow what
    is shown.
    """
    from rag_eval_pipeline.commands import overview

    code = overview.nightly(context, dataset=dataset, cases=True, run_id=run_id, rubric=rubric)
    sys.exit(code)


@cli.command(short_help="Score all stored runs by a rubric that changed or is new.")
@click.option("--rubric", required=True, help="Name of the rubric, e.g. claims.")
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    help="Only this dataset version, or all versions of this name; may be given again.  [default: "
    "those that list the rubric; if none does, all]",
)
@click.option("--yes", is_flag=True, help="Do it; without, only what is due is shown.")
@click.pass_obj
def backfill(context: Context, rubric: str, datasets: Sequence[str], yes: bool) -> None:
    """Show what scoring all stored runs by a rubric would compute, and why; with --yes, compute it.

    \b
    rag-eval backfill --rubric claims            what is due; nothing is computed or written
    rag-eval backfill --rubric claims --yes      do it, in batches of runs
    rag-eval rubric diff claims@1234abcd claims  which verdicts flip

    Only axes whose section of the rubric changed are scored, from stored measures; nothing is
    measured again and no model is asked. A rubric that a dataset does not list is tried: its
    scores are stored beside the others and are not current. RAG_EVAL_BATCH_ITEMS sets how many
    run items a batch has at most (250,000); a killed backfill loses the batch it was at.
    """  # noqa: D301
    from rag_eval_pipeline.commands import backfilling

    sys.exit(backfilling.backfill(context, rubric, datasets, yes=yes))


@cli.command(short_help="Compare one run with another, case by case.")
@click.argument("base")
@click.argument("candidate")
@click.option("--require-identical", is_flag=True, help="Refuse if the references differ at all.")
@click.pass_obj
def compare(context: Context, base: str, candidate: str, require_identical: bool) -> None:
    """Compare run CANDIDATE with run BASE, case by case, on the cases whose gold is unchanged.

    Exit code 3 if the comparison is refused; the reason is recorded with it.
    """
    from rag_eval_pipeline.commands import comparing

    sys.exit(comparing.compare(context, base, candidate, require_identical=require_identical))


@cli.command(short_help="Decide whether a run may pass, for continuous integration.")
@click.argument("base", required=False)
@click.argument("candidate", required=False)
@click.option("--dataset", help="Only this dataset version, or all versions of this name.")
@click.option("--run", "run_id", help="Judge this run against the baseline its rule gives it.")
@click.option(
    "--policy",
    type=click.Path(path_type=Path),
    help="Policy in YAML.  [default: gate.yaml in the folder of the dataset, else of the data "
    "root, else a policy built in]",
)
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML to this file.")
@click.option(
    "--markdown",
    type=click.Path(path_type=Path),
    help="Write a comment for a pull request to this file.",
)
@click.option(
    "--annotations/--no-annotations",
    default=None,
    help="Print GitHub annotations.  [default: if GITHUB_ACTIONS is true]",
)
@click.option("--stored", is_flag=True, help="Judge what is stored; take in and compute nothing.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of policies and stop.")
@click.pass_obj
def gate(
    context: Context,
    base: str | None,
    candidate: str | None,
    dataset: str | None,
    run_id: str | None,
    policy: Path | None,
    junit: Path | None,
    markdown: Path | None,
    annotations: bool | None,
    stored: bool,
    schema: bool,
) -> None:
    """Decide by a policy whether a run may pass: exit code 0 yes, 1 no, 3 not decided.

    \b
    rag-eval gate                     the latest run of each system on each dataset, against
                                      the baseline its rule gives it
    rag-eval gate --run nightly-12    one run, the same way
    rag-eval gate main pr-17          run pr-17 against run main

    Cases that fail are printed first. What is missing, unmeasured or could not be compared never
    passes: it leaves the rule that needs it undecided.
    """  # noqa: D301
    from rag_eval_pipeline.commands import gating

    if schema:
        from rag_eval_pipeline.comparison.gate.keys import policy_schema

        click.echo(policy_schema(), nl=False)
        return
    if base is not None and candidate is None:
        raise click.UsageError("name both runs, BASE and CANDIDATE, or --run RUN alone")
    if base is not None and (run_id is not None or dataset is not None):
        raise click.UsageError("BASE and CANDIDATE go without --run and --dataset")
    asked = gating.Asked(base, candidate, dataset, run_id, stored)
    outputs = gating.Outputs(junit, markdown, annotations)
    sys.exit(gating.gate(context, asked, policy, outputs))


@cli.command(short_help="Tell why the score moved between two runs.")
@click.argument("base")
@click.argument("candidate")
@click.option("--axis", help="Only this axis, or `overall`.")
@click.option("--slice", "slice_", metavar="DIM=VALUE", help="A slice, such as category=direct.")
@click.option("--cases", is_flag=True, help="List every case with what happened to it and why.")
@click.option(
    "--base-rubric",
    metavar="VERSION",
    help="Score the baseline's headline with this stored rubric, such as claims@1234abcd.",
)
@click.pass_obj
def why(
    context: Context,
    base: str,
    candidate: str,
    axis: str | None,
    slice_: str | None,
    cases: bool,
    base_rubric: str | None,
) -> None:
    """Tell why the headline of run CANDIDATE is another than that of run BASE.

    \b
    rubric         the old answers, scored by the new rubric
    reference      the old answers, held against the new gold and documents
    system         the new answers; `index A→B` where the indexes differ
    mix            cases that came or went
    measurability  cases that became measurable, or no longer are

    The parts add up to the difference. The baseline's headline is scored with the rubric it was
    recorded with. A pair that no nightly compared is compared now; else what is stored is shown.
    Exit code 3 if the comparison is refused: then there are no parts.
    """  # noqa: D301
    from rag_eval_pipeline.commands import why as attributing

    asked = attributing.Asked(base, candidate, axis, slice_, cases, base_rubric)
    sys.exit(attributing.why(context, asked))


@cli.group(cls=Group, short_help="Rubrics: what turns measures into scores.")
def rubric() -> None:
    """Rubrics: what turns measures into scores."""


@rubric.command("check", short_help="All that is wrong or doubtful in rubric files.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.pass_obj
def rubric_check(context: Context, names: Sequence[str]) -> None:
    """All that is wrong or doubtful in rubric files, each fault with its line and key.

    \b
    rag-eval rubric check            those of the data root and those that datasets name
    rag-eval rubric check strict     one of them, by name

    Exit code 2 if a rubric cannot be used. Warnings tell sections that a file leaves out, with the
    defaults they take, and a version text that stood for other content before.
    """  # noqa: D301
    from rag_eval_pipeline.commands import rubrics

    sys.exit(rubrics.check(context, names))


@rubric.command("show", short_help="A rubric with every key, its version and its hashes.")
@click.argument("name")
@click.pass_obj
def rubric_show(context: Context, name: str) -> None:
    """A rubric with every key filled in, its version and the hash of each section.

    What is printed can be saved as a rubric file and is the same rubric again.
    """
    from rag_eval_pipeline.commands import rubrics

    sys.exit(rubrics.show(context, name))


@rubric.command("schema", short_help="JSON Schema of rubric files, for editors.")
@click.pass_obj
def rubric_schema(context: Context) -> None:  # noqa: ARG001 - it is JSON with and without --json
    """JSON Schema of rubric files, for completion and checks in editors.

    \b
    rag-eval rubric schema > data/rubrics/rubric.schema.json
    then as the first line of a rubric:
    # yaml-language-server: $schema=rubric.schema.json
    """  # noqa: D301
    from rag_eval_pipeline.commands import rubrics

    sys.exit(rubrics.schema())


@rubric.command("diff", short_help="Which verdicts flip between two rubrics.")
@click.argument("a")
@click.argument("b")
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    help="Only this dataset version, or all versions of this name; may be given again.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    help="Most changes to list.  [default: 20; all with --json]",
)
@click.pass_obj
def rubric_diff(
    context: Context, a: str, b: str, datasets: Sequence[str], limit: int | None
) -> None:
    """Which verdicts flip between rubrics A and B, over all stored runs, with both reasons.

    A rubric is a name (its file as it stands) or a stored version such as claims@1234abcd, as
    `rag-eval sql "SELECT DISTINCT rubric_version FROM rubrics"` lists them. Both score the stored
    measures; nothing is written.
    """
    from rag_eval_pipeline.commands import rubric_diff as differing

    sys.exit(differing.rubric_diff(context, a, b, datasets, limit=limit))


@cli.group(cls=Group, short_help="Set and show what runs are compared with.")
def baseline() -> None:
    """Set and show what the runs of a dataset version are compared with.

    Without a pinned baseline a run is held against the latest earlier whole run of the same
    system on the same dataset. A pinned one holds until it is cleared or another is set; who set
    it, when and why is kept beside the dataset, in baselines.jsonl.
    """


_reason = click.option("--reason", required=True, help="Why; recorded and shown with comparisons.")
_by = click.option("--by", help="Who decides it.  [default: git's user.name, else the login]")


@baseline.command("set", short_help="Pin a run as the baseline.")
@click.argument("dataset")
@click.argument("run_id", metavar="RUN")
@_reason
@_by
@click.pass_obj
def baseline_set(context: Context, dataset: str, run_id: str, reason: str, by: str | None) -> None:
    """Pin RUN as the baseline of DATASET (name@version): written into its dataset.yaml.

    A frozen version stays frozen: the baseline is no part of its cases.
    """
    from rag_eval_pipeline.commands import baselines

    _said(reason, "--reason")
    sys.exit(baselines.set_baseline(context, dataset, run_id, reason=reason, by=by))


@baseline.command("show", short_help="Show what each run is compared with.")
@click.argument("dataset", required=False)
@click.pass_obj
def baseline_show(context: Context, dataset: str | None) -> None:
    """Show who set which baseline, and what each run is compared with by which rule."""
    from rag_eval_pipeline.commands import baselines

    sys.exit(baselines.show(context, dataset))


@baseline.command("clear", short_help="Go back to the previous run.")
@click.argument("dataset")
@_reason
@_by
@click.pass_obj
def baseline_clear(context: Context, dataset: str, reason: str, by: str | None) -> None:
    """Go back to the latest earlier run of the same system as the baseline of DATASET."""
    from rag_eval_pipeline.commands import baselines

    _said(reason, "--reason")
    sys.exit(baselines.clear(context, dataset, reason=reason, by=by))


def _said(text: str, option: str) -> None:
    if not text.strip():
        raise click.UsageError(f"{option} is empty: say why, for those who compare")


@cli.group(cls=Group, short_help="Show how a result came about.")
def explain() -> None:
    """Show how a result came about."""


@explain.command("item", short_help="The whole trace of one score.")
@click.argument("run_id", metavar="RUN")
@click.argument("case_id", metavar="CASE")
@click.pass_obj
def explain_item(context: Context, run_id: str, case_id: str) -> None:
    """The whole trace of one score: question, gold, what was retrieved and answered, each axis."""
    from rag_eval_pipeline.commands import explaining

    sys.exit(explaining.explain_item(context, run_id, case_id))


_jsonl = click.option(
    "--jsonl",
    type=click.Path(path_type=Path),
    help="Read one JSON object a line from FILE and print one a line, in the same order.",
)


@explain.command("values", short_help="The values a text holds.")
@click.argument("text", required=False)
@_jsonl
@click.pass_obj
def explain_values(context: Context, text: str | None, jsonl: Path | None) -> None:
    """The values a text holds: amounts, shares, spans, dates, counts, with unit and comparator.

    \b
        rag-eval explain values "5,000円以上の注文は送料無料"
        rag-eval explain values --jsonl FILE      {"text"} a line
    """  # noqa: D301
    from rag_eval_pipeline.commands import reading_text as read

    sys.exit(read.explain_text(context, read.read_values, {"text": text}, jsonl, ()))


@explain.command("pair", short_help="Whether two texts hold the same value.")
@click.argument("a", required=False)
@click.argument("b", required=False)
@_jsonl
@click.pass_obj
def explain_pair(context: Context, a: str | None, b: str | None, jsonl: Path | None) -> None:
    """Whether two texts hold the same value: same, different or undecided.

    \b
        rag-eval explain pair "2週間以内" "14日以内"
        rag-eval explain pair --jsonl FILE        {"a", "b"} a line
    """  # noqa: D301
    from rag_eval_pipeline.commands import reading_text as read

    sys.exit(read.explain_text(context, read.read_pair, {"a": a, "b": b}, jsonl, ()))


@explain.command("claim", short_help="Whether an answer asserts a claim.")
@click.argument("claim", required=False)
@click.argument("answer", required=False)
@click.option("--question", help="The question that was asked.")
@click.option(
    "--kind",
    "claim_kind",
    type=click.Choice(["required", "forbidden"]),
    help="Default: required. Of a forbidden claim, supported means violated.",
)
@_jsonl
@click.pass_obj
def explain_claim(
    context: Context,
    claim: str | None,
    answer: str | None,
    question: str | None,
    claim_kind: str | None,
    jsonl: Path | None,
) -> None:
    """Whether an answer asserts a claim: supported, contradicted or undecided, and by which rule.

    \b
        rag-eval explain claim "送料は500円" "送料は五百円です"
        rag-eval explain claim --kind forbidden "必ず返金される" "返金されない場合があります"
        rag-eval explain claim --jsonl FILE       {"claim", "answer", "claim_kind", "question"}
    """  # noqa: D301
    from rag_eval_pipeline.commands import reading_text as read

    given = {"claim": claim, "answer": answer, "claim_kind": claim_kind, "question": question}
    optional = ("claim_kind", "question")
    sys.exit(read.explain_text(context, read.read_claim, given, jsonl, optional))


@explain.command("status", short_help="Whether a text answers, abstains or asks back.")
@click.argument("text", required=False)
@_jsonl
@click.pass_obj
def explain_status(context: Context, text: str | None, jsonl: Path | None) -> None:
    """Whether a text answers, abstains or asks back, by its wording.

    \b
        rag-eval explain status "申し訳ありませんが、その情報は見つかりませんでした。"
        rag-eval explain status --jsonl FILE      {"text"} a line
    """  # noqa: D301
    from rag_eval_pipeline.commands import reading_text as read

    sys.exit(read.explain_text(context, read.read_text_status, {"text": text}, jsonl, ()))


@cli.command(short_help="Print or write the report of what is stored.")
@click.option("--dataset", help="Only this dataset version, or all versions of this name.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Write to this file: one HTML page if it is named .html, else Markdown.",
)
@click.pass_obj
def report(context: Context, dataset: str | None, output: Path | None) -> None:
    """Print the Markdown report of what is stored, or write it; nothing is computed.

    The nightly leaves the same report as HTML and Markdown in the home, under reports/.
    """
    from rag_eval_pipeline.commands import querying

    sys.exit(querying.report(context, dataset, output))


@cli.command(short_help="Ask the warehouse one SELECT; read-only.")
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
    rag-eval sql "DESCRIBE case_scores"
    rag-eval sql "SELECT run_id, axis, pass_rate, n_cases FROM run_summary" --format json

    Rows of earlier gold, rubrics and re-sent runs are kept: where a table has a column `current`,
    WHERE current gives today's.
    """  # noqa: D301
    from rag_eval_pipeline.commands import querying

    sys.exit(querying.sql(context, query, result_format))


@cli.command(short_help="Open the Dagster UI on this home.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option("--port", default=3000, show_default=True, help="Port to serve on.")
@click.pass_obj
def ui(context: Context, host: str, port: int) -> None:
    """Open the Dagster UI on this home: runs, assets, lineage, checks, schedule."""
    from rag_eval_pipeline.commands import serving

    sys.exit(serving.ui(context, host, port))


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: what a person can mend is said in a sentence, never as a stack."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    context = Context()
    _show_log()
    try:
        sys.exit(cli.main(args=given, prog_name="rag-eval", obj=context, standalone_mode=False))
    except click.ClickException as fault:
        fault.show()
        code, said = fault.exit_code, fault.format_message()
    except click.Abort:
        code, said = BAD_INPUT, "stopped"
        _say(said)
    except (InputError, WarehouseError) as fault:
        code, said = BAD_INPUT, str(fault)
        _say(said)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(DONE)
    except Exception as fault:
        if os.environ.get("RAG_EVAL_DEBUG"):
            traceback.print_exc()
        first = str(fault).strip().splitlines()[0] if str(fault).strip() else ""
        said = f"internal error: {type(fault).__name__}: {first}"
        code = INTERNAL
        _say(f"{said} (set RAG_EVAL_DEBUG=1 for the stack, and please report it)")
    if context.json or "--json" in given:
        print(json.dumps({"exit_code": code, "problems": [said]}, ensure_ascii=False))
    sys.exit(code)


def _say(problem: str, kind: str = "error") -> None:
    from rag_eval_pipeline import terminal

    terminal.problem(problem, kind)


class _Notes(logging.Handler):
    """Shows what the package logs as warnings of the command."""

    def emit(self, record: logging.LogRecord) -> None:
        _say(record.getMessage(), "warning")


def _show_log() -> None:
    logger = logging.getLogger("rag_eval_pipeline")
    if not any(isinstance(handler, _Notes) for handler in logger.handlers):
        logger.addHandler(_Notes(logging.WARNING))


if __name__ == "__main__":
    main()
