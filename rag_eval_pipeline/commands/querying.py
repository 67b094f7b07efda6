"""Reading what is stored: reports and SQL."""

from __future__ import annotations

import sys
from pathlib import Path

from rag_eval_pipeline import terminal
from rag_eval_pipeline.commands.context import DONE, Context, nearest
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.text_file import write_atomic
from rag_eval_pipeline.report.run_report import gather, html_report, markdown_report

RENDERED = 110
"""Least columns of a terminal in which the report's tables can be read."""


def report(context: Context, dataset: str | None, output: Path | None) -> int:
    """Print or write the report of stored results: HTML to a file named .html, else Markdown.

    Raises
    ------
    InputError
        There is no such dataset, or one HTML file is asked for several dataset versions.
    """
    warehouse = context.warehouse()
    cases = warehouse.read("cases", columns=["dataset_version"])
    versions = sorted(set(cases["dataset_version"]))
    names = {version.partition("@")[0] for version in versions}
    chosen = [
        version
        for version in versions
        if dataset is None or dataset in (version, version.partition("@")[0])
    ]
    if dataset is not None and not chosen:
        raise InputError(
            code="unknown_dataset",
            field="--dataset",
            found=repr(dataset),
            expected=f"one of {terminal.listed(versions) or '(nothing is evaluated yet)'}",
            todo="correct the name, or run `rag-eval nightly` first"
            f"{nearest(dataset, [*versions, *sorted(names)])}",
        )
    as_html = output is not None and output.suffix.lower() in (".html", ".htm")
    if as_html and len(chosen) > 1:
        raise InputError(
            code="several_datasets",
            field="--output",
            found=f"one HTML file for {len(chosen)} dataset versions",
            expected="one dataset version a page",
            todo=f"add --dataset with one of {terminal.listed(chosen)}",
        )
    written = html_report if as_html else markdown_report
    texts = {version: written(version, gather(warehouse, version)) for version in chosen}
    whole = "\n".join(texts.values())
    if output is not None:
        write_atomic(output.absolute(), whole.encode())
    if context.json:
        terminal.print_json(texts)
    elif output is not None:
        terminal.say(f"written to {output}")
    elif sys.stdout.isatty() and terminal.out().width >= RENDERED:
        terminal.print_markdown(whole)
    else:
        sys.stdout.write(whole)
    return DONE


def sql(context: Context, query: str, result_format: str | None) -> int:
    """Print the result of one SELECT as a table, as JSON or as CSV."""
    frame = context.warehouse().sql(query)
    chosen = result_format or ("json" if context.json else "table")
    if chosen == "json":
        terminal.print_json(terminal.rows(frame))
    elif chosen == "csv":
        sys.stdout.write(terminal.as_csv(frame))
    else:
        terminal.print_table(frame)
        terminal.say("1 row" if frame.height == 1 else f"{frame.height} rows")
    return DONE
