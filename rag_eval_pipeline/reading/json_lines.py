"""JSON lines: strict JSON, one object a line, numbers kept as written, bad lines set aside."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn

from rag_eval_pipeline.reading.errors import shown, shown_char
from rag_eval_pipeline.reading.quarantine import Rejected, mask_excerpt
from rag_eval_pipeline.reading.sanitise import SANITISED, KeysCollideError, sanitise, unstorable
from rag_eval_pipeline.reading.text_file import decode, lines

LAST_LINE_INCOMPLETE = "last_line_incomplete"
"""Flag of a file whose last line is cut: no newline at its end, and no JSON."""

MAX_DEPTH = 100
"""Most levels of lists and objects in one row."""


class NumberLiteral(str):
    """A JSON number as its digits were written: 1.0, 1e5 and -0 stay so."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row that could be read: `line` (from 1) where it starts, its fields, notes, its text.

    Values are text, NumberLiteral, True, False, None, lists and dicts of these.
    """

    line: int
    fields: dict[str, object]
    flags: tuple[str, ...]
    raw: str


@dataclass(slots=True)
class RowFile:
    """A file's rows and what was set aside; `n_rows` = used + rejected, blank lines not counted."""

    encoding: str
    rows: list[Row] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    n_rows: int = 0
    flags: tuple[str, ...] = ()

    def add(self, result: Row | Rejected) -> None:
        """Count a row and file it where it belongs."""
        self.n_rows += 1
        if isinstance(result, Row):
            self.rows.append(result)
        else:
            self.rejected.append(result)


class JsonFaultError(ValueError):
    """JSON that is not accepted: `code` for programs, the message for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def read_json_lines(data: bytes, file: str) -> RowFile:
    """Rows of a JSON lines file.

    Parameters
    ----------
    data
        The file's bytes, unpacked.
    file
        Its name, for messages.

    Returns
    -------
    RowFile
        Every line that is not blank is a row or is rejected. The flag `last_line_incomplete`
        says that the last line lacks its newline and could not be parsed.

    Raises
    ------
    InputError
        `unknown_encoding`.
    """
    text, encoding = decode(data, file)
    result = RowFile(encoding)
    last: Row | Rejected | None = None
    for number, line in lines(text):
        last = read_json_line(number, line)
        result.add(last)
    if isinstance(last, Rejected) and last.code == "invalid_json":
        last_line = text.rpartition("\n")[2]
        if last_line and not last_line.isspace():
            result.flags = (LAST_LINE_INCOMPLETE,)
    return result


def read_json_line(line_no: int, text: str) -> Row | Rejected:
    """The row that a line holds, or why it holds none; never raises.

    Codes: `invalid_json`, `not_json_number` (NaN, Infinity), `duplicate_key` (at any depth),
    `not_an_object`, `too_deep`. NUL and lone surrogates in texts and keys become U+FFFD, with
    the flag `text_sanitised`.
    """
    try:
        value, lossy = parse_json(text)
    except JsonFaultError as fault:
        return Rejected(line_no, fault.code, None, fault.reason, mask_excerpt(text))
    if not isinstance(value, dict):
        reason = f"found {_kind(value)}; expected an object {{…}} on each line"
        return Rejected(line_no, "not_an_object", None, reason, mask_excerpt(text))
    return Row(line_no, value, (SANITISED,) if lossy else (), text)


def parse_json(text: str) -> tuple[object, bool]:
    """A strict JSON value, numbers as NumberLiteral, and whether a text in it was sanitised.

    Raises
    ------
    JsonFaultError
        With the codes of `read_json_line`, except `not_an_object`.
    """
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise JsonFaultError("invalid_json", _syntax_fault(error)) from None
    except RecursionError:
        raise _too_deep() from None
    # Few brackets cannot nest deeply, so most lines are never measured.
    if text.count("[") + text.count("{") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise _too_deep()
    # Raw NUL is refused by the decoder: only an escape can bring one in.
    if "\\u" not in text and not unstorable(text):
        return value, False
    try:
        return sanitise(value)
    except KeysCollideError as error:
        raise _duplicate_key(error.key) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _duplicate_key(key)
            seen.add(key)
    return fields


def _constant(name: str) -> NoReturn:
    raise JsonFaultError(
        "not_json_number",
        f"found {name}, which is no JSON number; write null for a value that is not known",
    )


def _duplicate_key(key: str) -> JsonFaultError:
    return JsonFaultError(
        "duplicate_key",
        f"found the key {shown(key)} twice in one object; keep one of them",
    )


def _too_deep() -> JsonFaultError:
    return JsonFaultError(
        "too_deep",
        f"found lists or objects nested over {MAX_DEPTH} levels deep; write the row flatter",
    )


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=NumberLiteral,
    parse_float=NumberLiteral,
    parse_constant=_constant,
)


def _deeper_than(value: object, depth: int) -> bool:
    level: list[object] = [value]
    for _ in range(depth + 1):
        level = [
            item
            for parent in level
            if isinstance(parent, dict | list)
            for item in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not level:
            return False
    return True


def _syntax_fault(error: json.JSONDecodeError) -> str:
    text, at = error.doc, error.pos
    column = f"column {at + 1}"
    if error.msg.startswith("Unterminated string") or at >= len(text.rstrip()):
        return f"the line ends before its JSON does (from {column}); write the whole line again"
    found = shown_char(text[at])
    if error.msg.startswith("Extra data"):
        return f"found {found} after the end of the JSON value at {column}; write one value a line"
    if error.msg.startswith("Invalid control character"):
        return f"found {found} inside a text at {column}; write it as an escape, e.g. \\n"
    if error.msg.startswith("Invalid \\"):
        return f"found a wrong escape at {column}; write \\\\ for a backslash"
    if error.msg.startswith("Expecting property name"):
        return f"found {found} at {column} where a key in double quotes is expected"
    if error.msg.startswith("Expecting value"):
        return (
            f"found {found} at {column} where a JSON value is expected; put texts in double quotes"
        )
    if error.msg.startswith("Illegal trailing comma"):  # as Python says it from 3.13 on
        return f"found a trailing comma at {column}; take it out"
    return f"found {found} at {column} where a comma, a colon or a closing bracket is expected"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, NumberLiteral):
        return "a number"
    return "an array" if isinstance(value, list) else "a text"
