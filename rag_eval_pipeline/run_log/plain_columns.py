"""Columns of plain rows: typed values of whole blocks, by the rules that hold for single rows.

What is not plain by its value (an id that shows nothing, a number out of range, ranks with gaps)
is left to the row by row reading, which knows what to say of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
from msgspec import UNSET, Raw

from rag_eval_pipeline.reading import fields, ids
from rag_eval_pipeline.reading.json_lines import Row, parse_json
from rag_eval_pipeline.reading.lists import listed
from rag_eval_pipeline.run_log.manifest import NAMES as MANIFEST_NAMES
from rag_eval_pipeline.run_log.object_slots import ObjectSlots, object_slots
from rag_eval_pipeline.run_log.plain_rows import PlainRows

DAY_MS = 86_400_000.0
"""Longest latency that is believed."""

_LONGEST_INTEGER = 18
_JSON_TYPES = {str: "text", list: "list", type(None): "null", type(UNSET): "absent"}


@dataclass(slots=True)
class Manifests:
    """The manifest keys that rows carry: each distinct set of values once, with its first line."""

    numbers: dict[tuple[object, ...], int] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    def number(self, names: tuple[str, ...], values: tuple[object, ...], line: int) -> int:
        """Number of a set of values; new ones get the next."""
        key = (names, *(bytes(each) if isinstance(each, Raw) else each for each in values))
        if key not in self.numbers:
            self.numbers[key] = len(self.rows)
            found: dict[str, object] = {
                name: parse_json(value.decode())[0] if isinstance(value, bytes) else value
                for name, value in zip(names, key[1:], strict=True)
                if value is not UNSET
            }
            self.rows.append(Row(line, found, (), ""))
        return self.numbers[key]


@dataclass(slots=True)
class Columns:
    """Columns by name, and positions of the rows that turned out not to be plain."""

    plain: PlainRows
    series: list[pl.Series] = field(default_factory=list)
    odd: set[int] = field(default_factory=set)
    logged: set[str] = field(default_factory=set)

    def values(self, name: str) -> tuple[list[object], set[type]]:
        """Values of a field with UNSET where it is absent, and the types among them."""
        if name not in self.plain.fields:
            return [UNSET] * len(self.plain.rows), {type(UNSET)}
        found = list(map(attrgetter(name), self.plain.rows))
        kinds = set(map(type, found))
        if not kinds <= _EMPTY:
            self.logged.add(name)
        return found, kinds

    def put(self, name: str, values: Iterable[object], dtype: pl.DataType) -> None:
        """Add a column."""
        self.series.append(pl.Series(name, values, dtype=dtype))

    def doubt(self, values: Sequence[object], refused: Callable[[object], bool]) -> None:
        """Mark the rows whose value is refused as not plain."""
        self.odd.update(at for at, value in enumerate(values) if refused(value))


_EMPTY = {type(None), type(UNSET)}
_TEXT, _NUMBER, _INTEGER = pl.String(), pl.Float64(), pl.Int64()
_TEXTS = pl.List(pl.String())


def plain_frame(
    plain: PlainRows, manifests: Manifests, zone: ZoneInfo
) -> tuple[pl.DataFrame, list[int], set[str]]:
    """Columns of the plain rows of one block.

    Parameters
    ----------
    plain
        The rows; those that are not plain by their values are left out.
    manifests
        Takes up the manifest keys the rows carry.
    zone
        Zone of the dataset, for days.

    Returns
    -------
    Columns named as in run_items, only those with a value somewhere; `manifest`, the number of
    the row's manifest keys; and the ranking as lists: evidence_id, logged_rank, score, text,
    text_sha256. Then the lines left out, and the names of fields with a value.
    """
    columns = _columns(plain, zone)
    left_out = sorted(plain.lines[at] for at in columns.odd)
    if columns.odd:
        plain = plain.without(columns.odd)
        columns = _columns(plain, zone)
    columns.series.append(_manifest_numbers(columns, manifests))
    return pl.DataFrame(columns.series), left_out, columns.logged


def _columns(plain: PlainRows, zone: ZoneInfo) -> Columns:
    columns = Columns(plain)
    columns.put("source_line", plain.lines, _INTEGER)
    columns.put("row_sha256", plain.hashes, _TEXT)
    _case_ids(columns)
    for name in ("question", "answer", "status"):
        _text(columns, name, typed=name != "question")
    _source(columns)
    _whole_numbers(columns, "trial", lowest=1)
    _ranking(columns)
    _further(columns, zone)
    return columns


def _further(columns: Columns, zone: ZoneInfo) -> None:
    _latency(columns)
    for name in ("input_tokens", "output_tokens"):
        _whole_numbers(columns, name, lowest=0)
    _numbers(columns, "cost_usd", highest=math.inf)
    _text(columns, "error", shown=lambda text: text if text.strip() else None)
    _citations(columns)
    escalated, kinds = columns.values("escalated")
    if not kinds <= _EMPTY:
        words: dict[object, str] = {True: "true", False: "false"}
        columns.put(
            "escalated",
            [
                words[each] if isinstance(each, bool) else each if isinstance(each, str) else None
                for each in escalated
            ],
            _TEXT,
        )
    _moments(columns, zone)


def _case_ids(columns: Columns) -> None:
    case_ids, kinds = columns.values("case_id")
    others, other_kinds = columns.values("id")
    if other_kinds != {type(UNSET)}:
        # Beside a case_id, `id` is a field outside the design.
        columns.odd.update(
            at
            for at, (case_id, other) in enumerate(zip(case_ids, others, strict=True))
            if isinstance(case_id, str) and other is not UNSET
        )
        case_ids = [
            other if case_id in (None, UNSET) else case_id
            for case_id, other in zip(case_ids, others, strict=True)
        ]
        kinds = set(map(type, case_ids))
    named: list[Any] = case_ids
    if kinds != {str}:
        named = [each if isinstance(each, str) else None for each in case_ids]
        columns.doubt(named, lambda each: each is None)
    column = pl.Series("case_id", named, dtype=_TEXT)
    if not _plain_ascii(columns, column):
        _ids_must_be_usable(columns, [None if each is None else (each,) for each in named])
    columns.series.append(column)


def _text(
    columns: Columns,
    name: str,
    *,
    typed: bool = False,
    shown: Callable[[str], str | None] = lambda text: text,
) -> None:
    values, kinds = columns.values(name)
    if typed:
        _types(columns, name, values, kinds)
    if not kinds <= _EMPTY:
        if kinds != {str} or name == "error":
            values = [shown(each) if isinstance(each, str) else None for each in values]
        columns.put(name, values, _TEXT)


def _types(columns: Columns, name: str, values: list[object], kinds: set[type]) -> None:
    if len(kinds) == 1:
        kind = _JSON_TYPES[next(iter(kinds))]
        column = pl.Series(f"{name}_type", [kind], dtype=_TEXT).new_from_index(0, len(values))
        columns.series.append(column)
    else:
        columns.put(f"{name}_type", [_JSON_TYPES[type(each)] for each in values], _TEXT)


def _source(columns: Columns) -> None:
    values, kinds = columns.values("source")
    _types(columns, "source", values, kinds)
    if not kinds <= _EMPTY:
        sources = [each if isinstance(each, str) else None for each in values]
        _ids_must_be_usable(columns, [None if each is None else (each,) for each in sources])
        columns.put("source", sources, _TEXT)


def _citations(columns: Columns) -> None:
    values, kinds = columns.values("citations")
    if kinds <= _EMPTY:
        return
    lists: list[list[str]] = [each if isinstance(each, list) else [] for each in values]
    _ids_must_be_usable(columns, lists)
    columns.put("citations", lists, _TEXTS)


def _float(raw: object) -> float | None:
    """Number of a JSON literal, None for null; NaN for everything else."""
    if not isinstance(raw, Raw):
        return None
    written = bytes(raw)
    if written == b"null":
        return None
    return float(written) if written[:1] in b"-0123456789" else math.nan


def _numbers(columns: Columns, name: str, *, highest: float) -> None:
    values, kinds = columns.values(name)
    if kinds <= _EMPTY:
        return
    numbers = [_float(each) for each in values]
    _note_logged(columns, name, numbers)
    # Not between the bounds also holds for NaN; infinity is a number out of a float's range.
    columns.doubt(
        numbers,
        lambda each: isinstance(each, float) and not (0 <= each <= highest and math.isfinite(each)),
    )
    columns.put(name, numbers, _NUMBER)


def _latency(columns: Columns) -> None:
    seconds, kinds = columns.values("latency_s")
    if kinds <= _EMPTY:
        _numbers(columns, "latency_ms", highest=DAY_MS)
        return
    written, _ = columns.values("latency_ms")
    numbers = []
    for at, pair in enumerate(zip(written, seconds, strict=True)):
        milliseconds, second = map(_float, pair)
        if any(each is not None and not math.isfinite(each) for each in (milliseconds, second)):
            columns.odd.add(at)
        if milliseconds is None and second is not None:
            milliseconds = second * 1000.0
        if milliseconds is not None and not 0 <= milliseconds <= DAY_MS:
            columns.odd.add(at)
        numbers.append(milliseconds)
    _note_logged(columns, "latency_s", [_float(each) for each in seconds])
    _note_logged(columns, "latency_ms", [_float(each) for each in written])
    columns.put("latency_ms", numbers, _NUMBER)


def _whole_numbers(columns: Columns, name: str, *, lowest: int) -> None:
    values, kinds = columns.values(name)
    if kinds <= _EMPTY:
        return
    numbers: list[int | None] = []
    for at, raw in enumerate(values):
        written = bytes(raw) if isinstance(raw, Raw) else b"null"
        plain = written.isdigit() and len(written) <= _LONGEST_INTEGER
        number = int(written) if plain else None
        if written != b"null" and (number is None or number < lowest):
            columns.odd.add(at)
        numbers.append(number)
    _note_logged(columns, name, numbers)
    columns.put(name, numbers, _INTEGER)


def _note_logged(columns: Columns, name: str, numbers: Sequence[float | None]) -> None:
    """A field of nulls as written carries no value."""
    if all(each is None for each in numbers):
        columns.logged.discard(name)


def _moments(columns: Columns, zone: ZoneInfo) -> None:
    values, kinds = columns.values("started_at")
    if kinds <= _EMPTY:
        return
    read = [fields.instant_value(None if each is UNSET else each, zone) for each in values]
    columns.doubt(read, lambda each: isinstance(each, tuple) and each[1] is not None)
    moments = [moment for moment, _ in read]
    columns.put("started_at", moments, pl.Datetime("us", "UTC"))
    columns.put(
        "local_date",
        [None if each is None else each.astimezone(zone).date() for each in moments],
        pl.Date(),
    )


def _manifest_numbers(columns: Columns, manifests: Manifests) -> pl.Series:
    plain = columns.plain
    if not plain.rows:
        return pl.Series("manifest", [], dtype=pl.Int32())
    names = tuple(sorted(plain.fields & MANIFEST_NAMES))
    if not names:
        number = manifests.number((), (), plain.lines[0])
        return pl.Series("manifest", [number], dtype=pl.Int32()).new_from_index(0, len(plain.rows))
    values = zip(*(map(attrgetter(name), plain.rows) for name in names), strict=True)
    numbers = [
        manifests.number(names, each, line) for each, line in zip(values, plain.lines, strict=True)
    ]
    return pl.Series("manifest", numbers, dtype=pl.Int32())


# --- the ranking


def _ranking(columns: Columns) -> None:
    values, kinds = columns.values("retrieved")
    _types(columns, "retrieved", values, kinds)
    if kinds <= _EMPTY:
        return
    lists: list[Any] = values
    if kinds != {list}:
        lists = [each if isinstance(each, list) else [] for each in values]
    lengths = pl.Series(map(len, lists), dtype=pl.Int64)
    entries = list(chain.from_iterable(lists))
    if set(map(type, entries)) <= {str}:
        evidence = pl.Series("evidence_id", entries, dtype=_TEXT)
        if not _plain_ascii(columns, evidence):
            _ids_must_be_usable(columns, lists)
    else:
        evidence = _objects(columns, object_slots(entries, lengths), lengths)
    columns.series.append(listed(evidence, lengths))


def _objects(columns: Columns, slots: ObjectSlots, lengths: pl.Series) -> pl.Series:
    """Ids of slots written as objects, one after the other; adds what else is in those."""
    columns.odd.update(slots.odd)
    if slots.parts is not None or not _plain_ascii(columns, slots.ids):
        written = iter(slots.parts or zip(slots.ids, strict=True))
        _ids_must_be_usable(
            columns,
            [list(chain.from_iterable(islice(written, length))) for length in lengths],
        )
    columns.series += [listed(each, lengths) for each in slots.values]
    return slots.ids


# --- ids


def _plain_ascii(columns: Columns, written: pl.Series) -> bool:
    """Whether all ids are of printable ASCII, and none is blank: none begins with a space."""
    least = written.min()
    return columns.plain.ascii_only and (least is None or str(least) >= "!")


def _ids_must_be_usable(columns: Columns, of_rows: Sequence[Collection[str] | None]) -> None:
    """Mark the rows with an id that is refused or not in NFC as not plain."""
    refused = {
        each
        for each in set(chain.from_iterable(filter(None, of_rows)))
        if not (each.isascii() and each.isprintable() and each.strip())
        and (ids.normal_id(each) != each or ids.why_refused(each) is not None)
    }
    if refused:
        columns.odd.update(
            at for at, members in enumerate(of_rows) if members and not refused.isdisjoint(members)
        )
