"""From a row of named values to typed ones, by a declared list of fields.

A field takes its value from its own name or, where that is absent, from its first alias present.
Names nobody declared are kept in `extra`. Values of a wrong type become null with a flag; ids that
cannot be used and cells with two meanings are faults, which reject the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from rag_eval_pipeline.reading import fields, ids
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fields import ABSENT
from rag_eval_pipeline.reading.fingerprint import canonical_json
from rag_eval_pipeline.reading.json_lines import NumberLiteral
from rag_eval_pipeline.reading.sheet import cell_list

UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a row: its name, the kind of its value and other names it goes by."""

    name: str
    kind: str = "text"
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a row cannot be used: `found …; expected …; what to do`."""

    code: str
    field: str
    reason: str

    def error(self, file: str, line: int | None) -> InputError:
        """The fault as the error of a whole file, where no row can be set aside."""
        found, _, rest = self.reason.removeprefix("found ").partition("; expected ")
        if rest:
            expected, _, todo = rest.partition("; ")
        else:
            found, _, todo = found.rpartition("; ")
            expected = "a usable value"
        return InputError(
            self.code,
            file=file,
            line=line,
            field=self.field,
            found=found or todo,
            expected=expected,
            todo=todo if found and todo else "correct the field",
        )


@dataclass(slots=True)
class Record:
    """A row after typing: values by field name, raw values, notes, unknown fields, faults."""

    values: dict[str, object] = field(default_factory=dict)
    raw: dict[str, object] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    extra: dict[str, object] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, code: str, name: str, reason: str) -> None:
        """Note why the row cannot be used."""
        self.faults.append(Fault(code, name, reason))

    def flag(self, name: str, note: str | None) -> None:
        """Note once what was odd about a field; no note, no flag."""
        if note is not None and f"{name}:{note}" not in self.flags:
            self.flags.append(f"{name}:{note}")

    @property
    def extra_json(self) -> str | None:
        """The unknown fields as canonical JSON, None without any."""
        return canonical_json(self.extra) if self.extra else None


def shape(
    row: Mapping[str, object],
    declared: Sequence[Field],
    *,
    typed: bool = True,
    zone: ZoneInfo = UTC,
) -> Record:
    """Type a row.

    Parameters
    ----------
    row
        Values by name, as read.
    declared
        The fields to take; every other name goes to `extra`.
    typed
        False where the format has only text (CSV, YAML): numbers as text are then no oddity.
    zone
        Zone of times written without one.
    """
    record = Record()
    taken: set[str] = set()
    for spec in declared:
        name = next((each for each in (spec.name, *spec.aliases) if each in row), None)
        value = row[name] if name is not None else ABSENT
        if name is not None:
            taken.add(name)
        record.raw[spec.name] = value
        record.values[spec.name] = _KINDS[spec.kind](record, spec.name, value, typed, zone)
    record.extra = {name: value for name, value in row.items() if name not in taken}
    return record


def as_id(record: Record, name: str, value: object) -> str | None:
    """One id as text in NFC; a number becomes its digits (flag), an unusable id is a fault."""
    if value is None or value is ABSENT:
        return None
    if isinstance(value, NumberLiteral):
        record.flag(name, "number_as_text")
    elif not isinstance(value, str):
        record.fault(
            "not_an_id",
            name,
            f"found {fields.json_type(value)}; expected an id as text; put it in quotes",
        )
        return None
    text = ids.normal_id(str(value))
    refused = ids.why_refused(text)
    if refused is not None:
        record.fault(
            "refused_id", name, f"found the id {text!r}: {refused}; give it a visible name"
        )
        return None
    if text != str(value):
        record.flag(name, "put_in_nfc")
    return text


def as_items(
    record: Record, name: str, value: object, *, typed: bool, id_list: bool
) -> list[object]:
    """The members of a list field: a list, one value as a list of one, or a sheet's cell."""
    if value is None or value is ABSENT:
        return []
    if isinstance(value, list):
        return value
    if isinstance(value, str) and not isinstance(value, NumberLiteral) and not typed:
        try:
            return cell_list(value, ids=id_list)
        except ValueError as problem:
            record.fault("ambiguous_list", name, str(problem))
            return []
    if typed:
        record.flag(name, "one_value_as_list")
    return [value]


def _text(record: Record, name: str, value: object, _typed: bool, _zone: ZoneInfo) -> str | None:
    text, note = fields.text_value(value)
    record.flag(name, note)
    return text


def _id(record: Record, name: str, value: object, _typed: bool, _zone: ZoneInfo) -> str | None:
    return as_id(record, name, value)


def _id_list(record: Record, name: str, value: object, typed: bool, _zone: ZoneInfo) -> list[str]:
    members = as_items(record, name, value, typed=typed, id_list=True)
    found = [as_id(record, name, member) for member in members]
    if any(member is None for member in members):
        record.fault("null_in_list", name, "found null in the list; expected ids; take it out")
    return [each for each in found if each is not None]


def _text_list(record: Record, name: str, value: object, typed: bool, _zone: ZoneInfo) -> list[str]:
    found: list[str] = []
    for member in as_items(record, name, value, typed=typed, id_list=False):
        text, note = fields.text_value(member)
        if text is None:
            record.fault(
                "not_text_in_list",
                name,
                f"found {fields.json_type(member)} in the list; expected text; put it in quotes",
            )
            continue
        record.flag(name, note)
        found.append(text)
    return found


def _number(record: Record, name: str, value: object, typed: bool, _zone: ZoneInfo) -> float | None:
    number, note = fields.number_value(value, typed=typed)
    record.flag(name, note)
    return number


def _integer(record: Record, name: str, value: object, typed: bool, _zone: ZoneInfo) -> int | None:
    number, note = fields.integer_value(value, typed=typed)
    record.flag(name, note)
    return number


def _boolean(record: Record, name: str, value: object, typed: bool, _zone: ZoneInfo) -> bool | None:
    truth, note = fields.boolean_value(value, typed=typed)
    record.flag(name, note)
    return truth


def _day(record: Record, name: str, value: object, _typed: bool, _zone: ZoneInfo) -> object:
    day, note = fields.day_value(value)
    record.flag(name, note)
    return day


def _instant(record: Record, name: str, value: object, _typed: bool, zone: ZoneInfo) -> object:
    instant, note = fields.instant_value(value, zone)
    record.flag(name, note)
    return instant


def _json(_record: Record, _name: str, value: object, _typed: bool, _zone: ZoneInfo) -> str | None:
    return None if value is None or value is ABSENT else canonical_json(value)


def _raw(_record: Record, _name: str, value: object, _typed: bool, _zone: ZoneInfo) -> object:
    return None if value is ABSENT else value


_KINDS: dict[str, Callable[[Record, str, object, bool, ZoneInfo], object]] = {
    "text": _text,
    "id": _id,
    "id_list": _id_list,
    "text_list": _text_list,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "day": _day,
    "instant": _instant,
    "json": _json,
    "raw": _raw,
}
