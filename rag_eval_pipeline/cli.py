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


@cli.command(short_help="Print the Markdown report of what is stored.")
@click.option("--dataset", help="Only this dataset version, or all versions of this name.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file.")
@click.pass_obj
def report(context: Context, dataset: str | None, output: Path | None) -> None:
    """Print the Markdown report of what is stored; nothing is computed."""
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
