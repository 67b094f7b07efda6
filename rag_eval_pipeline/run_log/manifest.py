"""What a run says of itself: the keys of `run.yaml`, or of each row where there is none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from rag_eval_pipeline.reading.fingerprint import canonical_json
from rag_eval_pipeline.reading.json_lines import Row
from rag_eval_pipeline.reading.record import UTC, Field, Record, shape
from rag_eval_pipeline.reading.yaml_text import read_yaml_mapping

FIELDS = (
    Field("run_id", "id"),
    Field("dataset", "id", ("dataset_version",)),
    Field("system"),
    Field("kind"),
    Field("model"),
    Field("settings", "raw"),
    Field("prompt_version"),
    Field("embedding_model"),
    Field("reranker"),
    Field("index_version"),
    Field("indexed_snapshot", "id"),
)
FILE_ONLY = (Field("started_at", "instant"), Field("complete", "boolean"))
NAMES = frozenset(name for field in FIELDS for name in (field.name, *field.aliases))
IDENTITY = frozenset(("run_id", "dataset", "dataset_version"))
KINDS = ("live", "recorded", "fixture")


@dataclass(slots=True)
class Manifest:
    """Values by name, notes of reading, unknown keys, the source for run_hash, lines of keys."""

    values: dict[str, object]
    flags: list[str]
    extra: dict[str, object]
    canonical: str
    lines: dict[str, int]


def read_manifest_file(data: bytes, file: str, zone: ZoneInfo = UTC) -> Manifest:
    """Read `run.yaml`.

    Raises
    ------
    InputError
        It is no mapping, or an id in it cannot be used, or kind is unknown.
    """
    mapping, lines = read_yaml_mapping(data, file)
    record = shape(mapping, (*FIELDS, *FILE_ONLY), typed=False, zone=zone)
    _check(record, file, lines)
    return Manifest(record.values, record.flags, record.extra, canonical_json(mapping), lines)


def manifest_of_rows(rows: Sequence[Row], file: str) -> Manifest:
    """The manifest keys of the rows: the first value of each, flagged where later rows differ.

    The first row alone says which run and dataset the file belongs to.

    Raises
    ------
    InputError
        An id in them cannot be used, or kind is unknown.
    """
    first: dict[str, object] = {}
    lines: dict[str, int] = {}
    varies: set[str] = set()
    for number, row in enumerate(rows):
        for name in (NAMES if number == 0 else NAMES - IDENTITY) & row.fields.keys():
            value = row.fields[name]
            if value is None:
                continue
            if name not in first:
                first[name] = value
                lines[name] = row.line
            elif value != first[name]:
                varies.add(name)
    record = shape(first, FIELDS)
    _check(record, file, lines)
    record.flags.extend(f"{name}:varies" for name in sorted(varies))
    values = record.values | {field.name: None for field in FILE_ONLY}
    return Manifest(values, record.flags, {}, canonical_json(first), lines)


def merged(file: Manifest, rows: Manifest) -> Manifest:
    """The manifest file's values, and the rows' where the file is silent."""
    values = {
        name: value if value is not None else rows.values[name]
        for name, value in file.values.items()
    }
    return Manifest(values, [*file.flags, *rows.flags], file.extra, file.canonical, file.lines)


def row_agrees(row: Mapping[str, object], name: str, accepted: Collection[object]) -> bool:
    """Whether a row that names a run or dataset names one of those accepted."""
    declared = next(field for field in FIELDS if field.name == name)
    written = next((row[each] for each in (name, *declared.aliases) if each in row), None)
    if written is None:
        return True
    record = shape({name: written}, [declared])
    return not record.faults and record.values[name] in accepted


def _check(record: Record, file: str, lines: Mapping[str, int]) -> None:
    kind = record.values["kind"]
    if kind is not None and kind not in KINDS:
        reason = f"found {kind!r}; expected {', '.join(KINDS)}; correct it"
        record.fault("unknown_value", "kind", reason)
    if record.faults:
        fault = record.faults[0]
        raise fault.error(file, lines.get(fault.field))
