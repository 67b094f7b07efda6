"""YAML as text: every scalar stays as written, and what makes YAML surprising is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from rag_eval_pipeline.reading.errors import InputError, code_point, shown
from rag_eval_pipeline.reading.json_lines import MAX_DEPTH, Row, RowFile
from rag_eval_pipeline.reading.quarantine import Rejected, mask_excerpt
from rag_eval_pipeline.reading.sanitise import (
    SANITISED,
    KeysCollideError,
    sanitise,
    sanitise_text,
    unstorable,
)
from rag_eval_pipeline.reading.text_file import decode

LIST_KEYS = ("cases", "items", "documents")
"""Keys under which a mapping may hold the list of rows."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ufffd\U00010000-\U0010ffff]")
# libyaml, the fast parser, refuses these escapes; the one in Python reads them.
_SURROGATE_ESCAPE = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F]")
_FAST_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# YAML takes these for ends of lines; here they are characters, as in every other format.
_NOT_LINE_ENDS = "\x85\u2028\u2029"


@dataclass(frozen=True, slots=True)
class _Fault:
    code: str
    line: int
    field: str | None
    found: str
    expected: str
    todo: str

    def error(self, file: str) -> InputError:
        return InputError(
            self.code,
            file=file,
            line=self.line,
            field=self.field,
            found=self.found,
            expected=self.expected,
            todo=self.todo,
        )

    def reason(self) -> str:
        return f"line {self.line}: found {self.found}; expected {self.expected}; {self.todo}"


@dataclass(frozen=True, slots=True)
class _Element:
    """One element of a sequence: its value, the lines it stands on, what is wrong with it."""

    value: object
    first_line: int
    end_line: int
    faults: list[_Fault]


def read_yaml_mapping(data: bytes, file: str) -> tuple[dict[str, object], dict[str, int]]:
    """Mapping that a YAML file holds, and the line of each of its keys.

    Every scalar is text as written (`010`, `no`, `12:30`, `1.10`), except plain `~`, `null` and
    nothing, which are None. An empty file is an empty mapping.

    Raises
    ------
    InputError
        `unknown_encoding`; `invalid_yaml` with line and column; `not_a_mapping`;
        `duplicate_key`, `key_not_text`, `yaml_tag`, `yaml_alias` (anchors, aliases and merge
        keys), `too_deep` at any depth; `several_documents`.
    """
    text, _ = decode(data, file)
    return _mapping(text, file, 0)


def read_yaml_rows(data: bytes, file: str) -> RowFile:
    """Rows of a YAML file: a list of mappings, or a mapping that holds it as its only key.

    Parameters
    ----------
    data
        The file's bytes, unpacked.
    file
        Its name, for messages.

    Returns
    -------
    RowFile
        Values as in `read_yaml_mapping`. An element that is no mapping (`not_an_object`) or has
        one of the faults named there is rejected alone; `line` is where the element starts.

    Raises
    ------
    InputError
        `unknown_encoding`, `invalid_yaml`, `several_documents`, `not_a_list`, or a fault outside
        the elements: then no row of the file can be trusted.
    """
    text, encoding = decode(data, file)
    document = _Document(text, file, 0)
    elements = document.elements()
    result = RowFile(encoding)
    written = text.split("\n")
    for index, element in enumerate(elements):
        end = element.end_line
        if index + 1 < len(elements):
            end = min(end, max(element.first_line, elements[index + 1].first_line - 1))
        raw = "\n".join(written[element.first_line - 1 : end])
        result.add(_row(element, raw))
    return result


def front_matter(text: str, file: str) -> tuple[dict[str, object], str, int]:
    """Front matter of a Markdown text: the mapping, the body, and the line the body starts on.

    Front matter stands between a first line `---` and the next such line. A text without it is
    all body.

    Raises
    ------
    InputError
        `front_matter_open` if the second `---` is missing; else as `read_yaml_mapping`, with
        lines of the Markdown file.
    """
    rows = text.removeprefix("\ufeff").split("\n")
    if rows[0].rstrip() != "---":
        return {}, text, 1
    for index in range(1, len(rows)):
        if rows[index].rstrip() == "---":
            mapping, _ = _mapping("\n".join(rows[1:index]), file, 1)
            return mapping, "\n".join(rows[index + 1 :]), index + 2
    raise InputError(
        "front_matter_open",
        file=file,
        line=1,
        found="a first line --- that opens front matter, and no second one",
        expected="front matter between two lines ---",
        todo="add the closing line ---, or delete the first if the file has no front matter",
    )


def _mapping(text: str, file: str, offset: int) -> tuple[dict[str, object], dict[str, int]]:
    document = _Document(text, file, offset)
    value, lines, line = document.whole()
    if document.faults:
        raise document.faults[0].error(file)
    if value is None:
        return {}, {}
    if not isinstance(value, dict):
        raise InputError(
            "not_a_mapping",
            file=file,
            line=line,
            found="a list" if isinstance(value, list) else f"the text {shown(str(value))}",
            expected="a mapping of keys to values",
            todo="write lines like `key: value`",
        )
    try:
        clean, _ = sanitise(value)
    except KeysCollideError as error:
        raise _collision(error.key, line).error(file) from None
    assert isinstance(clean, dict)  # noqa: S101  sanitising keeps the kind of a value
    return clean, {sanitise_text(key): number for key, number in lines.items()}


def _row(element: _Element, raw: str) -> Row | Rejected:
    faults = element.faults
    if not faults and isinstance(element.value, dict):
        # A raw NUL is replaced before parsing, so it shows in the row's text only.
        lossy_text = unstorable(raw)
        try:
            clean, lossy = sanitise(element.value)
        except KeysCollideError as error:
            faults = [_collision(error.key, element.first_line)]
        else:
            assert isinstance(clean, dict)  # noqa: S101  sanitising keeps the kind of a value
            flags = (SANITISED,) if lossy or lossy_text else ()
            return Row(element.first_line, clean, flags, raw)
    if faults:
        fault = faults[0]
        code, field, reason = fault.code, fault.field, fault.reason()
    else:
        found = "nothing" if element.value is None else "a text"
        found = "a list" if isinstance(element.value, list) else found
        code, field = "not_an_object", None
        reason = f"found {found}; expected a mapping of keys to values for each row"
    return Rejected(element.first_line, code, field, reason, mask_excerpt(raw))


def _collision(key: str, line: int) -> _Fault:
    return _Fault(
        "duplicate_key",
        line,
        key,
        f"two keys that both become {shown(key)} once characters that cannot be stored are gone",
        "each key once",
        "rename one of them",
    )


class _Document:
    """The events of the one document of a text, and the values built from them."""

    def __init__(self, text: str, file: str, offset: int) -> None:
        self.file = file
        self.offset = offset
        self.faults: list[_Fault] = []
        clean = sanitise_text(text)
        self._refuse_controls(clean)
        clean, self._restore = _hide_line_ends(clean)
        slow = _SURROGATE_ESCAPE.search(clean) is not None
        self._events = self._parse(clean, yaml.SafeLoader if slow else _FAST_LOADER)
        self._line = 1

    def whole(self) -> tuple[object, dict[str, int], int]:
        """The document's value, the lines of its keys if it is a mapping, and its first line."""
        event = self._open()
        if event is None:
            return None, {}, 1
        line = self._line_of(event)
        lines: dict[str, int] = {}
        value = self._value(event, 0, lines)
        self._close()
        return value, lines, line

    def elements(self) -> list[_Element]:
        """The elements of the document's list of rows."""
        event = self._open()
        if event is None:
            return []
        if isinstance(event, yaml.MappingStartEvent):
            elements = self._elements_under_key(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            elements = self._sequence(event)
        else:
            value = self._value(event, 0)
            if value is not None:
                raise self._not_a_list(self._line_of(event), f"the text {shown(str(value))}")
            elements = []
        self._close()
        if self.faults:
            raise self.faults[0].error(self.file)
        return elements

    def _elements_under_key(self, start: yaml.MappingStartEvent) -> list[_Element]:
        line = self._line_of(start)
        self._refuse_properties(start)
        key_event = next(self._events)
        if isinstance(key_event, yaml.MappingEndEvent):
            raise self._not_a_list(line, "an empty mapping")
        key = self._value(key_event, 1)
        event = next(self._events)
        if isinstance(event, yaml.SequenceStartEvent) and key in LIST_KEYS:
            elements = self._sequence(event)
        elif self._value(event, 1) is None and key in LIST_KEYS:
            elements = []
        else:
            raise self._not_a_list(line, f"a mapping with the key {shown(str(key))}")
        after = next(self._events)
        if not isinstance(after, yaml.MappingEndEvent):
            other = self._value(after, 1)
            raise self._not_a_list(self._line_of(after), f"a further key {shown(str(other))}")
        return elements

    def _sequence(self, start: yaml.SequenceStartEvent) -> list[_Element]:
        self._refuse_properties(start)
        outside = self.faults
        elements = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            self.faults = []
            line = self._line_of(event)
            value = self._value(event, 1)
            elements.append(_Element(value, line, self._line, self.faults))
        self.faults = outside
        return elements

    def _value(self, event: yaml.Event, depth: int, lines: dict[str, int] | None = None) -> object:
        """Value that begins with `event`; faults are noted and reading goes on behind them."""
        self._end(event)
        if isinstance(event, yaml.AliasEvent):
            self._fault(
                "yaml_alias",
                event,
                f"the alias *{event.anchor}",
                "values written out",
                "write the value again in place of the alias",
            )
            return None
        self._refuse_properties(event)
        if isinstance(event, yaml.ScalarEvent):
            if not event.style and event.value in _NULLS:
                return None
            return event.value.translate(self._restore) if self._restore else str(event.value)
        if depth >= MAX_DEPTH:
            self._skip(event)
            return None
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                items.append(self._value(item, depth + 1))
            self._end(item)
            return items
        return self._mapping(depth, {} if lines is None else lines)

    def _mapping(self, depth: int, lines: dict[str, int]) -> dict[str, object]:
        fields: dict[str, object] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            line = self._line_of(event)
            plain = isinstance(event, yaml.ScalarEvent) and not event.style
            key = self._value(event, depth + 1)
            if plain and key == "<<":
                self._fault(
                    "yaml_alias",
                    event,
                    "a merge key <<",
                    "values written out",
                    "write the merged keys here",
                )
            value = self._value(next(self._events), depth + 1)
            if not isinstance(key, str):
                self._fault(
                    "key_not_text",
                    event,
                    "a key that is empty, null, a list or a mapping",
                    "keys that are text",
                    "name the key, or put quotes around the text",
                )
            elif key in fields:
                self._fault(
                    "duplicate_key",
                    event,
                    f"the key {shown(key)} on line {lines[key]} and again on line {line}",
                    "each key once",
                    "delete or rename one of them",
                    field=key,
                )
            else:
                fields[key] = value
                lines[key] = line
        self._end(event)
        return fields

    def _skip(self, event: yaml.Event) -> None:
        self._fault(
            "too_deep",
            event,
            f"lists or mappings nested over {MAX_DEPTH} levels deep",
            "at most that many",
            "write the row flatter",
        )
        open_ones = 1
        while open_ones:
            event = next(self._events)
            if isinstance(event, yaml.CollectionStartEvent):
                open_ones += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                open_ones -= 1

    def _refuse_properties(self, event: yaml.Event) -> None:
        if not isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            return
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._fault(
                "yaml_tag",
                event,
                f"the tag {shown(tag)}",
                "values without tags; every scalar is read as text",
                "delete the tag",
            )
        if event.anchor is not None:
            self._fault(
                "yaml_alias",
                event,
                f"the anchor &{event.anchor}",
                "values written out",
                "delete the anchor; text that begins with & needs quotes",
            )

    def _fault(
        self,
        code: str,
        event: yaml.Event,
        found: str,
        expected: str,
        todo: str,
        *,
        field: str | None = None,
    ) -> None:
        line = self._line_of(event)
        self.faults.append(_Fault(code, line, field, found, expected, todo))

    def _end(self, event: yaml.Event) -> None:
        mark = event.end_mark
        if mark is not None:
            self._line = self.offset + mark.line + (1 if mark.column else 0)

    def _line_of(self, event: yaml.Event) -> int:
        mark = event.start_mark
        return self._line if mark is None else self.offset + mark.line + 1

    def _open(self) -> yaml.Event | None:
        next(self._events)  # start of the stream
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        return next(self._events)

    def _close(self) -> None:
        next(self._events)  # end of the document
        event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise InputError(
                "several_documents",
                file=self.file,
                line=self._line_of(event),
                found="a second document after ---",
                expected="one document a file",
                todo="put it into a file of its own",
            )

    def _not_a_list(self, line: int, found: str) -> InputError:
        return InputError(
            "not_a_list",
            file=self.file,
            line=line,
            found=found,
            expected=f"a list of rows, alone or under one key {', '.join(LIST_KEYS)}",
            todo="begin each row with `- ` at the same depth",
        )

    def _refuse_controls(self, text: str) -> None:
        found = _NOT_YAML.search(text)
        if found is not None:
            start = text.rfind("\n", 0, found.start()) + 1
            raise InputError(
                "invalid_yaml",
                file=self.file,
                line=self.offset + text.count("\n", 0, found.start()) + 1,
                found=f"{code_point(found[0])} at column {found.start() - start + 1}",
                expected="visible characters",
                todo="delete it, or write it as an escape in double quotes",
            )

    def _parse(self, text: str, loader: type[yaml.SafeLoader]) -> Iterator[yaml.Event]:
        try:
            yield from yaml.parse(text, Loader=loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = f" at column {mark.column + 1}" if mark else ""
            context = f", {error.context}" if error.context else ""
            raise self._invalid(
                f"{error.problem}{context}{place}", None if mark is None else mark.line
            ) from None
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
            raise self._invalid(f"text that no YAML parser reads ({error})", None) from None

    def _invalid(self, problem: str, line: int | None) -> InputError:
        return InputError(
            "invalid_yaml",
            file=self.file,
            line=None if line is None else self.offset + line + 1,
            found=f"a fault of syntax: {problem}",
            expected="valid YAML",
            todo="check indentation and brackets; put quotes around texts that hold `: ` or "
            "` #` or begin with a special character",
        )


def _hide_line_ends(text: str) -> tuple[str, dict[int, str]]:
    """The text with stand-ins for characters YAML would split at, and the way back."""
    present = [char for char in _NOT_LINE_ENDS if char in text]
    if not present:
        return text, {}
    free = (char for char in map(chr, range(0xF0000, 0xF0000 + len(text) + 4)) if char not in text)
    stand_ins = dict(zip(present, free, strict=False))
    hidden = text.translate({ord(char): stand_in for char, stand_in in stand_ins.items()})
    return hidden, {ord(stand_in): char for char, stand_in in stand_ins.items()}
