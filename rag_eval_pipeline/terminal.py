"""Printing for people on a terminal: tables, problems, progress. Programs get JSON."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_FORMULA = re.compile(r"^\s*[=+\-@\t\r＝＋－＠]")
STAGES = {
    "knowledge_snapshot": "reading the knowledge base",
    "cases": "reading the cases",
    "dataset_checks": "checking the dataset",
    "run_logs": "reading run logs",
    "measures": "measuring",
    "axis_scores": "scoring",
    "case_scores": "joining the axes",
    "marts": "summing up",
    "comparison": "comparing",
    "report": "writing the report",
}


def out() -> Console:
    """The console for results; wide enough for tables when it is no terminal."""
    return Console(soft_wrap=False, highlight=False, width=None if sys.stdout.isatty() else 120)


def shown(value: object) -> str:
    """A value for a cell: null is an en dash, control and direction characters are made visible."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, list | tuple | pl.Series):
        value = ", ".join(str(each) for each in value)
    return _INVISIBLE.sub("\ufffd", str(value))


def print_table(
    frame: pl.DataFrame, title: str | None = None, columns: Mapping[str, str] | None = None
) -> None:
    """Print a frame; `columns` picks columns and names their headings."""
    names = columns or {name: name for name in frame.columns}
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for heading in names.values():
        table.add_column(Text(heading), overflow="fold")
    for row in frame.select(*names).iter_rows():
        table.add_row(*(Text(shown(value), style=_style(value)) for value in row))
    out().print(table)


def say(text: str = "") -> None:
    """Print a line of result, literally."""
    out().print(Text(_INVISIBLE.sub("\ufffd", text)))


def problem(text: str, kind: str = "error") -> None:
    """Print a problem on the error stream."""
    style = "red" if kind == "error" else "yellow"
    Console(stderr=True, highlight=False, soft_wrap=True).print(
        Text(f"{kind}: ", style=style), Text(_INVISIBLE.sub("\ufffd", text)), sep=""
    )


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A spinner on the error stream while something runs; gives a function that takes step names.

    Nothing is printed where the error stream is no terminal.
    """
    console = Console(stderr=True)
    with console.status(Text(what)) as status:
        yield lambda step: status.update(
            Text(f"{what}: {STAGES.get(step, 'looking at the files')}")
        )


def print_json(value: object) -> None:
    """Print strict JSON on one line a top-level value; no NaN, times in ISO form."""
    sys.stdout.write(as_json(value) + "\n")


def as_json(value: object) -> str:
    """Strict JSON, readable text, times in ISO form."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)


def rows(frame: pl.DataFrame) -> list[dict[str, object]]:
    """Rows of a frame for `as_json`."""
    return list(frame.iter_rows(named=True))


def as_csv(frame: pl.DataFrame) -> str:
    """CSV for spreadsheets: lists as JSON; text that would start a formula gets a leading `'`."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([_guarded(name) for name in frame.columns])
    for row in frame.iter_rows():
        writer.writerow([_cell(value) for value in row])
    return buffer.getvalue()


def listed(items: Sequence[str], most: int = 10) -> str:
    """The first items joined by commas, and how many more there are."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def _cell(value: object) -> object:
    if isinstance(value, str):
        return _guarded(value)
    if isinstance(value, list | dict):
        return _guarded(as_json(value))
    if isinstance(value, dt.date):
        return value.isoformat()
    return value


def _guarded(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text


def _plain(value: object) -> object:
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, pl.Series):
        return value.to_list()
    return str(value)


def _style(value: object) -> str:
    return {"pass": "green", "FAIL": "bold red", "missing": "yellow"}.get(str(value), "")
