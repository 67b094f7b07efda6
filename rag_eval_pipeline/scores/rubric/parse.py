"""Rubric files read: every fault of a file with its line, key and the nearest valid one."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from rag_eval_pipeline.reading.errors import InputError, shown
from rag_eval_pipeline.reading.fields import number_value
from rag_eval_pipeline.reading.ids import normal_id
from rag_eval_pipeline.reading.yaml_lines import KeyLines
from rag_eval_pipeline.reading.yaml_text import read_yaml_mapping
from rag_eval_pipeline.scores.rubric.keys import (
    CHOOSERS,
    DIMENSIONS,
    MEASURES,
    OVERRIDES,
    RISK_VALUES,
    SECTIONS,
    TEXTS,
    WHEN,
    Key,
    Measure,
    Names,
    Number,
    Section,
    Value,
    Words,
    defaults,
    measure_of,
)
from rag_eval_pipeline.scores.rubric.model import Override, Rubric
from rag_eval_pipeline.tables.model import AXES, CATEGORIES
from rag_eval_pipeline.text.fold import fold

TOP = (*TEXTS, *SECTIONS, OVERRIDES)
LONGEST_TEXT = 2000
MOST_PROBLEMS = 100
"""Most problems of one file that are told."""

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something in a rubric file that can be used and may not be meant: a warning."""

    code: str
    file: str
    line: int | None
    field: str
    message: str

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{line}, {self.field}: {self.message}"


@dataclass(frozen=True, slots=True)
class RubricRead:
    """What a rubric file holds: the rubric unless there are problems, each of them, and doubts."""

    rubric: Rubric | None
    problems: tuple[InputError, ...]
    doubts: tuple[Doubt, ...]


def parse_rubric(data: bytes, file: str, name: str) -> Rubric:
    """Parse a rubric file; sections and keys left out take their defaults.

    Raises
    ------
    InputError
        The first fault of the file: an unknown section, key or value, named with its line and the
        nearest valid one.
    """
    read = read_rubric(data, file, name)
    if read.rubric is None:
        raise read.problems[0]
    return read.rubric


def read_rubric(data: bytes, file: str, name: str) -> RubricRead:
    """Read a rubric file and find all that is wrong or doubtful in it.

    Parameters
    ----------
    data
        The YAML file's bytes.
    file
        Its name, for messages.
    name
        The rubric's name, which its file tells.

    Returns
    -------
    RubricRead
        Problems: `unknown_key`, `unknown_value`, `not_in_range`, `not_a_section`, `not_a_list`,
        `not_a_text`, `named_twice`, `missing_key`, `not_overridable`, `rubric_name`, or what the
        YAML reader refuses. Doubts: `left_out`, `own_category`.
    """
    try:
        body, _ = read_yaml_mapping(data, file)
    except InputError as problem:
        return RubricRead(None, (problem,), ())
    reader = _Reader(data, file, name, body)
    rubric = reader.rubric()
    problems = sorted(reader.problems, key=lambda each: each.line or 0)
    return RubricRead(None if problems else rubric, tuple(problems), tuple(reader.doubts))


class _Reader:
    """One file being read: what stands in it, where, and what is wrong with it."""

    def __init__(self, data: bytes, file: str, name: str, body: Mapping[str, object]) -> None:
        self.problems: list[InputError] = []
        self.doubts: list[Doubt] = []
        self._data = data
        self._file = file
        self._name = name
        self._body = body
        self._unjudged: set[str] = set()

    def rubric(self) -> Rubric:
        self._only(self._body, (), TOP, TOP)
        texts = {key: self._text(key) for key in TEXTS}
        written = texts["name"]
        if written is not None and normal_id(written) != normal_id(self._name):
            self._fault(
                "rubric_name",
                ("name",),
                found=repr(written),
                expected=repr(self._name),
                todo="name the file and the rubric alike",
            )
        left_out = tuple(section for section in SECTIONS if self._body.get(section) is None)
        sections = {section: self._section(section) for section in SECTIONS}
        for section in left_out:
            self._doubt("left_out", (section,), _takes(section))
        overrides = tuple(self._overrides(sections))
        return Rubric(
            self._name,
            MappingProxyType(sections),
            self._file,
            overrides,
            texts["version"],
            left_out,
        )

    def _text(self, key: str) -> str | None:
        value = self._body.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_TEXT:
            self._fault(
                "not_a_text",
                (key,),
                found="an empty text" if value == "" else _found(value),
                expected=f"a text of at most {LONGEST_TEXT} characters",
                todo="write a short text, or remove the key",
            )
            return None
        return value.strip()

    def _section(self, section: str) -> Section:
        body = self._mapping(
            self._body.get(section), (section,), f"keys, {CHOOSERS[section]} first"
        )
        measure = self._measure(section, body)
        if measure is None:
            self._unjudged.add(section)
            return MappingProxyType(defaults(section, MEASURES[section][0]))
        known = [CHOOSERS[section], *(key.name for key in measure.keys)]
        self._only(body, (section,), known, _valid(section, measure))
        filled = defaults(section, measure)
        for key in measure.keys:
            path = (section, key.name)
            value = self._value(body.get(key.name), key, path)
            if value is not None:
                filled[key.name] = value
            elif key.default is None and body.get(key.name) is None:
                self._fault(
                    "missing_key",
                    path,
                    found="nothing",
                    expected=_told(key.values),
                    todo=f"write it: {key.meaning}",
                )
        return MappingProxyType(filled)

    def _measure(self, section: str, body: Mapping[str, object]) -> Measure | None:
        """The measure that a section chooses; None if there is none of that name."""
        chooser, known = CHOOSERS[section], MEASURES[section]
        written = body.get(chooser)
        if written is None:
            return known[0]
        names = Words(tuple(each.name for each in known))
        value = self._value(written, Key(chooser, names, None, ""), (section, chooser))
        return None if value is None else measure_of(section, str(value))

    def _overrides(self, sections: Mapping[str, Section]) -> Iterator[Override]:
        written = self._body.get(OVERRIDES)
        if written is None:
            return
        if not isinstance(written, list):
            self._fault(
                "not_a_list",
                (OVERRIDES,),
                found=_found(written),
                expected=f"a list, each entry with `{WHEN}` and an axis",
                todo="begin each entry with `- when:`",
            )
            return
        for place, entry in enumerate(written):
            override = self._override(entry, (OVERRIDES, place), sections)
            if override is not None:
                yield override

    def _override(
        self, entry: object, path: _Path, sections: Mapping[str, Section]
    ) -> Override | None:
        known = (WHEN, *AXES)
        if entry is None:
            entry = {}
        body = self._mapping(entry, path, f"`{WHEN}` and an axis")
        self._only(body, path, known, known)
        when = self._when(body.get(WHEN), (*path, WHEN))
        keys = {
            axis: self._overriding(body.get(axis), (*path, axis), axis, sections[axis])
            for axis in AXES
            if body.get(axis) is not None
        }
        if isinstance(entry, dict) and not any(axis in body for axis in AXES):
            self._fault(
                "missing_key",
                path,
                found="no axis",
                expected=f"one of {', '.join(AXES)}",
                todo="write the axis whose keys are others for these cases",
            )
        chosen = {axis: each for axis, each in keys.items() if each}
        if not when or not chosen:
            return None
        return Override(MappingProxyType(when), MappingProxyType(chosen))

    def _when(self, written: object, path: _Path) -> dict[str, tuple[str, ...]]:
        body = self._mapping(written, path, f"{' or '.join(DIMENSIONS)}")
        self._only(body, path, DIMENSIONS, DIMENSIONS)
        found: dict[str, tuple[str, ...]] = {}
        for dimension in DIMENSIONS:
            if body.get(dimension) is None:
                continue
            words = RISK_VALUES if dimension == "risk" else None
            values = self._names(body[dimension], words, (*path, dimension))
            if values is not None:
                found[dimension] = values
        if not body and (written is None or isinstance(written, dict)):
            self._fault(
                "missing_key",
                path,
                found="nothing",
                expected=f"the cases it is for: {' or '.join(DIMENSIONS)}, or both",
                todo="write e.g. `when: {category: [multi_evidence]}`",
            )
        for category in found.get("category", ()):
            near = _nearest(category, CATEGORIES)
            if category not in CATEGORIES and near:
                message = f"{shown(category)} is none of the usual categories{near}"
                self._doubt("own_category", (*path, "category"), message)
        return found

    def _overriding(
        self, written: object, path: _Path, axis: str, section: Section
    ) -> dict[str, Value]:
        body = self._mapping(written, path, "keys of the axis")
        measure = measure_of(axis, str(section[CHOOSERS[axis]]))
        if measure is None or axis in self._unjudged:
            # Which keys the axis has is not known; what chooses them is told already.
            return {}
        fixed = {CHOOSERS[axis], *(key.name for key in measure.keys if not key.overridable)}
        known = [key.name for key in measure.keys if key.overridable]
        for name in body:
            if name in fixed:
                self._fault(
                    "not_overridable",
                    (*path, name),
                    found="a key that is one for all cases",
                    expected=f"one of {', '.join(known)}" if known else "no override of this axis",
                    todo=f"write it under `{axis}:` itself",
                )
        self._only(body, path, [*known, *fixed], [f"{axis}.{each}" for each in known])
        found: dict[str, Value] = {}
        for key in measure.keys:
            if key.overridable:
                value = self._value(body.get(key.name), key, (*path, key.name))
                if value is not None:
                    found[key.name] = value
        if not body and isinstance(written, dict):
            self._fault(
                "missing_key",
                path,
                found="nothing",
                expected="a key that is another for these cases",
                todo="write one or remove the axis",
            )
        return found

    def _value(self, value: object, key: Key, path: _Path) -> Value | None:
        """What a key says; None where it says nothing or something wrong, which is then told."""
        if value is None:
            return None
        if isinstance(key.values, Number):
            return self._number(value, key.values, path)
        if isinstance(key.values, Names):
            if value == [] and key.default == ():
                return ()
            names = self._names(value, key.values.words, path)
            if names is None or key.values.ordered:
                return names
            return tuple(word for word in key.values.words if word in names)
        return self._word(value, key.values.words, path)

    def _word(self, value: object, words: Sequence[str], path: _Path) -> str | None:
        if isinstance(value, str) and value in words:
            return value
        self._fault(
            "unknown_value",
            path,
            found=repr(value) if isinstance(value, str) and len(value) < 60 else _found(value),
            expected=f"one of {', '.join(words)}",
            todo=f"correct the value{_nearest(value, words)}",
        )
        return None

    def _number(self, value: object, rule: Number, path: _Path) -> Value | None:
        if isinstance(value, str) and value in rule.words:
            return value
        number, _ = number_value(value, typed=False)
        if number is not None and rule.lowest <= number <= rule.highest:
            if not rule.whole:
                return number
            if not number % 1:
                return int(number)
        self._fault(
            "not_in_range",
            path,
            found=_found(value),
            expected=_told(rule),
            todo=f"correct the number{_nearest(value, rule.words)}",
        )
        return None

    def _names(
        self, value: object, words: Sequence[str] | None, path: _Path
    ) -> tuple[str, ...] | None:
        """A list of words, of any folded texts where `words` is None; None if it is wrong."""
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not listed:
            self._fault(
                "not_a_list",
                path,
                found="an empty list" if listed == [] else _found(value),
                expected="a list" if words is None else f"a list of {', '.join(words)}",
                todo="write e.g. `[a, b]`",
            )
            return None
        found: list[str] = []
        wrong = False
        for place, each in enumerate(listed):
            below = path if isinstance(value, str) else (*path, place)
            if words is not None:
                word = self._word(each, words, below)
            else:
                word = fold(each) if isinstance(each, str) else None
                if not word:
                    word = None
                    self._fault(
                        "not_a_text",
                        below,
                        found=_found(each),
                        expected="a text",
                        todo="write the value as it stands in the cases",
                    )
            if word is not None and word in found:
                self._fault(
                    "named_twice",
                    below,
                    found=f"{shown(word)} a second time",
                    expected="each once",
                    todo="remove one of them",
                )
            wrong = wrong or word is None or word in found
            found += [] if word is None else [word]
        return None if wrong else tuple(found)

    def _mapping(self, value: object, path: _Path, expected: str) -> Mapping[str, object]:
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self._fault(
            "not_a_section",
            path,
            found=_found(value),
            expected=expected,
            todo="write `key: value` lines below it",
        )
        return {}

    def _only(
        self, body: Mapping[str, object], path: _Path, known: Sequence[str], valid: Sequence[str]
    ) -> None:
        """Tell of each key that is not known there; `valid` is how the known ones are listed."""
        for name in body:
            if name not in known and len(self.problems) < MOST_PROBLEMS:
                place = f"{path[0]}." if len(path) == 1 else ""
                near = _nearest(name, known, place) or _elsewhere(name)
                self._fault(
                    "unknown_key",
                    (*path, name),
                    found="a key no rubric has" if path == () else "a key it does not have there",
                    expected=f"one of {', '.join(valid)}",
                    todo=f"correct or remove it{near}",
                )

    def _fault(self, code: str, path: _Path, *, found: str, expected: str, todo: str) -> None:
        if len(self.problems) >= MOST_PROBLEMS:
            return
        self.problems.append(
            InputError(
                code,
                file=self._file,
                line=self._lines(path),
                field=_field(path),
                found=found,
                expected=expected,
                todo=todo,
            )
        )

    def _doubt(self, code: str, path: _Path, message: str) -> None:
        self.doubts.append(Doubt(code, self._file, self._lines(path), _field(path), message))

    @cached_property
    def _lines(self) -> KeyLines:
        """Read only where there is something to tell: the file is parsed once more for it."""
        return KeyLines(self._data, self._file)


def _takes(section: str) -> str:
    measure = MEASURES[section][0]
    keys = ", ".join(f"{key}: {said(value)}" for key, value in defaults(section, measure).items())
    return f"the section is left out and takes the defaults {keys}"


def said(value: Value) -> str:
    """A value as the file would say it."""
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return value if isinstance(value, str) else f"{value:g}"


def _valid(section: str, measure: Measure) -> list[str]:
    """Keys of a measure with their section, and the same key of another measure."""
    own = [f"{section}.{each}" for each in (CHOOSERS[section], *(key.name for key in measure.keys))]
    others = [
        f"{section}.{key.name} with {CHOOSERS[section]}: {each.name}"
        for each in MEASURES[section]
        if each.name != measure.name
        for key in each.keys
        if measure.key(key.name) is None
    ]
    return own + others


def _elsewhere(name: str) -> str:
    """Where else a key of that name, or one close to it, stands."""
    places = {
        key.name: f"{section}.{key.name}"
        for section in reversed(SECTIONS)
        for measure in reversed(MEASURES[section])
        for key in measure.keys
    }
    places |= {each: each for each in TOP}
    close = difflib.get_close_matches(name[:100], list(places), n=1)
    return f"; did you mean {places[close[0]]!r}?" if close else ""


def _nearest(word: object, valid: Sequence[str], place: str = "") -> str:
    close = difflib.get_close_matches(str(word)[:100], valid, n=1) if isinstance(word, str) else []
    return f"; did you mean {place + close[0]!r}?" if close else ""


def _told(values: Words | Number | Names) -> str:
    if isinstance(values, Words):
        return f"one of {', '.join(values.words)}"
    if isinstance(values, Names):
        return f"a list of {', '.join(values.words)}"
    kind = "a whole number" if values.whole else "a number"
    words = "".join(f", or {word}" for word in values.words)
    return f"{kind} from {values.lowest:g} to {values.highest:g}{words}"


def _found(value: object) -> str:
    if isinstance(value, str):
        return shown(value)
    return "a list" if isinstance(value, list) else "keys below it"


def _field(path: _Path) -> str:
    """`overrides[1].search.k`; places in lists from 1, as people count."""
    field = ""
    for each in path:
        field += f"[{each + 1}]" if isinstance(each, int) else f".{each}" if field else str(each)
    return field
