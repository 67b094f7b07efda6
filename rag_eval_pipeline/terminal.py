"""Printing for people on a terminal: tables, problems, progress. Programs get JSON."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal

import polars as pl
from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

WIDTH = 120
"""Columns where the output is no terminal."""

SHORT = 14
"""Most columns a value may need that a table is not to break."""

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
    "attribution": "splitting what moved",
    "trend": "drawing the trend",
    "report": "writing the report",
}
_STYLES = {"pass": "green", "FAIL": "bold red", "missing": "yellow", "error": "red"}


def out() -> Console:
    """The console for results; wide enough for tables when it is no terminal."""
    return Console(soft_wrap=False, highlight=False, width=None if sys.stdout.isatty() else WIDTH)


def shown(value: object) -> str:
    """A value for a cell: null is an en dash, control and direction characters are made visible."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else "–"
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, list | tuple | pl.Series):
        value = ", ".join(shown(each) for each in value)
    elif isinstance(value, dict):
        value = as_json(value)
    elif isinstance(value, bytes):
        value = value.hex()
    return _INVISIBLE.sub("\ufffd", str(value))


def print_table(
    frame: pl.DataFrame, title: str | None = None, columns: Mapping[str, str] | None = None
) -> None:
    """Print a frame; `columns` picks columns and gives their headings.

    A table that would have to break headings or short values to fit is printed row by row, one
    value a line.
    """
    names = columns or {name: name for name in frame.columns}
    console = out()
    needed = [
        max(cell_len(heading), *(min(cell_len(shown(each)), SHORT) for each in frame[name]), 0)
        for name, heading in names.items()
    ]
    if sum(needed) + 3 * len(needed) + 1 > console.width:
        _print_rows(frame, title, names)
        return
    if title is not None:
        console.print(Text(shown(title), style="bold"), soft_wrap=True)
    table = Table(header_style="bold")
    for heading in names.values():
        table.add_column(Text(heading), overflow="fold")
    for row in frame.select(*names).iter_rows():
        table.add_row(*(Text(shown(value), style=_style(value)) for value in row))
    console.print(table)


def print_markdown(text: str) -> None:
    """Render Markdown for reading."""
    out().print(Markdown(text))


def say(text: str = "") -> None:
    """Print a line of result, literally."""
    Console(highlight=False, soft_wrap=True).print(Text(_INVISIBLE.sub("\ufffd", text)))


def problem(text: str, kind: str = "error") -> None:
    """Print a problem on the error stream."""
    style = "red" if kind == "error" else "yellow"
    Console(stderr=True, highlight=False, soft_wrap=True).print(
        Text(f"{kind}: ", style=style), Text(_INVISIBLE.sub("\ufffd", text)), sep=""
    )


class ProgressLine:
    """The text of a spinner: what runs, its stage, and how far the stage is."""

    def __init__(self, what: str, show: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._what, self._show, self._clock = what, show, clock
        self._stage = ""
        self._begun = clock()

    def step(self, name: str) -> None:
        """A step has begun."""
        self._stage = STAGES.get(name, "looking at the files")
        self._show(self._text())

    def batch(self, done: int, of: int, items_done: int, items: int) -> None:
        """So many batches and run items of a stage are done; the time left is told by the items."""
        if done == 0:
            self._begun = self._clock()
        if of == 0 or items == 0:
            return
        said = f"batch {min(done + 1, of)} of {of}, {items_done:,} of {items:,} run items done"
        if items_done:
            left = (self._clock() - self._begun) * (items - items_done) / items_done
            said += f", about {duration(left)} left"
        self._show(f"{self._text()}: {said}")

    def _text(self) -> str:
        return f"{self._what}: {self._stage}" if self._stage else self._what


@contextmanager
def progress(what: str) -> Iterator[ProgressLine]:
    """A spinner on the error stream while something runs.

    Nothing is printed where the error stream is no terminal.
    """
    console = Console(stderr=True)
    with console.status(Text(what)) as status:
        yield ProgressLine(what, lambda text: status.update(Text(text)), console.get_time)


def duration(seconds: float) -> str:
    """A stretch of time for people, e.g. `45 s` or `3 min 20 s`."""
    whole = max(round(seconds), 0)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def print_json(value: object) -> None:
    """Print strict JSON on one line; no NaN, times in ISO form."""
    sys.stdout.write(as_json(value) + "\n")


def as_json(value: object) -> str:
    """Strict JSON, readable text, times in ISO form, null for what is no finite number."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


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


def _print_rows(frame: pl.DataFrame, title: str | None, names: Mapping[str, str]) -> None:
    if title is not None:
        say(title)
    if frame.is_empty():
        say(f"columns: {', '.join(names.values())}")
        return
    width = max(cell_len(heading) for heading in names.values())
    for number, row in enumerate(frame.select(*names).iter_rows(), start=1):
        say(f"─── row {number} ───")
        for heading, value in zip(names.values(), row, strict=True):
            say(f"{heading}{' ' * (width - cell_len(heading))}  {shown(value)}")


def _cell(value: object) -> object:
    plain = _plain(value)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, str):
        return _guarded(plain)
    if isinstance(plain, list | dict):
        return _guarded(json.dumps(plain, ensure_ascii=False))
    return plain


def _guarded(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text


def _plain(value: object) -> object:
    """The value as JSON can hold it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Decimal):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | pl.Series):
        return [_plain(each) for each in value]
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


def _style(value: object) -> str:
    return _STYLES.get(value, "") if isinstance(value, str) else ""
