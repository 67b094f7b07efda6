"""Gate policies: YAML that says what a candidate may lose, read into a flat list of rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag_eval_pipeline.comparison.gate.keys import (
    AXES_AND_OVERALL,
    DEFAULTS,
    DIMENSIONS,
    LIMITS,
    OFF,
    RUN,
    SECTIONS,
    TEXTS,
    TOP,
    Key,
    Unit,
)
from rag_eval_pipeline.reading.errors import InputError, shown
from rag_eval_pipeline.reading.fields import boolean_value, number_value
from rag_eval_pipeline.reading.yaml_lines import line_of_key
from rag_eval_pipeline.reading.yaml_text import read_yaml_mapping
from rag_eval_pipeline.tables.model import AXES, RISKS

WHOLE = "all"
DEFAULT_SOURCE = "the default policy"
_CONCLUSIVE = "require_conclusive"
_NEVER_GATED = ("split", "development")
_NAMED_UP_TO = 1000


@dataclass(frozen=True, slots=True)
class Scope:
    """The cases and the axis a rule speaks of; `all` is every case that is gated."""

    dimension: str
    slice: str
    axis: str

    def __str__(self) -> str:
        if self.dimension == WHOLE:
            return self.axis
        return f"{self.axis} in {self.dimension} {self.slice}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing a policy asks for.

    `limit` is in the key's own unit, 1 for a key that is yes. `scope` is None for figures of the
    whole run. `conclusive` says whether a drop that cannot be decided blocks. `written` tells a
    rule of the file from a default: what a written rule speaks of must be there.
    """

    key: str
    limit: float
    scope: Scope | None = None
    conclusive: bool = False
    written: bool = False

    @property
    def name(self) -> str:
        """Key and scope, for people."""
        return self.key if self.scope is None else f"{self.key} of {self.scope}"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy with every default filled in."""

    rules: tuple[Rule, ...]
    require_identical: bool
    source: str
    allow_no_baseline: bool = False


def default_policy() -> Policy:
    """What holds without a policy file."""
    return parse_policy(b"", DEFAULT_SOURCE)


def parse_policy(data: bytes, file: str) -> Policy:
    """Parse a policy; keys left out take their defaults (`keys.DEFAULTS`).

    Parameters
    ----------
    data
        The YAML file's bytes.
    file
        Its name, for messages.

    Raises
    ------
    InputError
        `unknown_key`, `not_a_section`, `not_in_range`, `not_yes_or_no`, `never_gated` or what the
        YAML reader refuses, with line, key and the nearest valid one.
    """
    return _Parser(data, file).policy()


class _Parser:
    """One file being read: what stands in it, and where."""

    def __init__(self, data: bytes, file: str) -> None:
        self._data = data
        self._file = file
        self._body, _ = read_yaml_mapping(data, file)

    def policy(self) -> Policy:
        self._only(self._body, (), [*TEXTS, *(key.name for key in TOP), *SECTIONS])
        top = {key.name: self._flag(self._body.get(key.name), (key.name,)) for key in TOP}
        conclusive = bool(top[_CONCLUSIVE])
        rules = [
            *self._axes(conclusive),
            *self._risks(conclusive),
            *self._slices(conclusive),
            *self._run(),
        ]
        return Policy(
            tuple(rules),
            require_identical=bool(top["require_identical"]),
            source=self._file,
            allow_no_baseline=bool(top["allow_no_baseline"]),
        )

    def _axes(self, conclusive: bool) -> Iterator[Rule]:
        body = self._section(self._body, ("axes",), AXES_AND_OVERALL)
        for axis in AXES_AND_OVERALL:
            place = ("axes", axis)
            limits = self._section(body, place, _names(LIMITS))
            yield from self._limits(limits, place, Scope(WHOLE, WHOLE, axis), conclusive)

    def _risks(self, conclusive: bool) -> Iterator[Rule]:
        body = self._section(self._body, ("risk",), RISKS)
        for risk in RISKS:
            yield from self._of_slice(body, ("risk", risk), "risk", risk, conclusive)

    def _slices(self, conclusive: bool) -> Iterator[Rule]:
        body = self._section(self._body, ("slices",), DIMENSIONS)
        for dimension in DIMENSIONS:
            place = ("slices", dimension)
            # The values of a dimension are the dataset's: `decide` tells those it does not have.
            of_dimension = self._section(body, place, None)
            for value in of_dimension:
                if (dimension, value) == _NEVER_GATED:
                    raise self._error(
                        "never_gated",
                        (*place, value),
                        found="the split that systems are tuned on",
                        expected="another split: cases for development are in no gate",
                        todo="remove the section",
                    )
                yield from self._of_slice(
                    of_dimension, (*place, value), dimension, value, conclusive
                )

    def _of_slice(
        self,
        body: Mapping[str, object],
        place: tuple[str, ...],
        dimension: str,
        value: str,
        conclusive: bool,
    ) -> Iterator[Rule]:
        """Keys of a slice speak of `overall`; below them each axis may have its own."""
        limits = self._section(body, place, [*_names(LIMITS), *AXES])
        decided = self._conclusive(limits, place, conclusive)
        yield from self._limits(limits, place, Scope(dimension, value, "overall"), decided)
        for axis in AXES:
            deeper = (*place, axis)
            below = self._section(limits, deeper, _names(LIMITS))
            yield from self._limits(below, deeper, Scope(dimension, value, axis), decided)

    def _run(self) -> Iterator[Rule]:
        body = self._section(self._body, ("run",), _names(RUN))
        for key in RUN:
            path = ("run", key.name)
            limit = None if key.unit is None else self._number(body.get(key.name), key.unit, path)
            if limit is not None:
                yield Rule(key.name, limit, written=True)

    def _limits(
        self,
        body: Mapping[str, object],
        place: tuple[str, ...],
        scope: Scope,
        conclusive: bool,
    ) -> Iterator[Rule]:
        decided = self._conclusive(body, place, conclusive)
        for key in LIMITS:
            if key.name == _CONCLUSIVE:
                continue
            path = (*place, key.name)
            written = body.get(key.name)
            if key.unit is None:
                limit = 1.0 if self._flag(written, path) else None
            elif written is None:
                limit = DEFAULTS.get(path)
            else:
                limit = self._number(written, key.unit, path)
            if limit is not None:
                yield Rule(key.name, limit, scope, decided, written is not None)

    def _conclusive(self, body: Mapping[str, object], place: tuple[str, ...], above: bool) -> bool:
        own = self._flag(body.get(_CONCLUSIVE), (*place, _CONCLUSIVE))
        return above if own is None else own

    def _section(
        self, body: Mapping[str, object], place: tuple[str, ...], valid: Sequence[str] | None
    ) -> Mapping[str, object]:
        written = body.get(place[-1])
        if written is None:
            return {}
        if not isinstance(written, dict):
            raise self._error(
                "not_a_section",
                place,
                found=f"the text {shown(written)}" if isinstance(written, str) else "a list",
                expected="keys below it",
                todo="write `key: value` lines below it",
            )
        if valid is not None:
            self._only(written, place, valid)
        return written

    def _only(
        self, body: Mapping[str, object], place: tuple[str, ...], valid: Sequence[str]
    ) -> None:
        for name in body:
            if name not in valid:
                raise self._error(
                    "unknown_key",
                    (*place, name),
                    found="a key no policy has there",
                    expected=f"one of {', '.join(valid)}",
                    todo=f"correct or remove it{_nearest(name, valid, place)}",
                )

    def _flag(self, value: object, path: tuple[str, ...]) -> bool | None:
        if value is None:
            return None
        truth, _ = boolean_value(value, typed=False)
        if truth is None:
            raise self._error(
                "not_yes_or_no",
                path,
                found=_found(value),
                expected="yes or no",
                todo="correct the value",
            )
        return truth

    def _number(self, value: object, unit: Unit, path: tuple[str, ...]) -> float | None:
        """The limit; None where it is off or left out."""
        if value is None or (isinstance(value, str) and value.strip().lower() in (OFF, "false")):
            return None
        number, _ = number_value(value, typed=False)
        if number is None or not _fits(number, unit):
            raise self._error(
                "not_in_range",
                path,
                found=_found(value),
                expected=_range_told(unit),
                todo="correct the number",
            )
        return number

    def _error(
        self, code: str, path: tuple[str, ...], *, found: str, expected: str, todo: str
    ) -> InputError:
        return InputError(
            code,
            file=self._file,
            line=line_of_key(self._data, self._file, path),
            field=".".join(path),
            found=found,
            expected=expected,
            todo=todo,
        )


def _names(keys: Sequence[Key]) -> list[str]:
    return [key.name for key in keys]


def _fits(number: float, unit: Unit) -> bool:
    return unit.lowest <= number <= unit.highest and not (unit.whole and number % 1)


def _range_told(unit: Unit) -> str:
    kind = "a whole number" if unit.whole else "a number"
    top = "up" if unit.highest > _NAMED_UP_TO else f"to {unit.highest:g}"
    return f"{kind} from {unit.lowest:g} {top} ({unit.told}), or {OFF}"


def _found(value: object) -> str:
    if isinstance(value, str):
        return shown(value)
    return "a list" if isinstance(value, list) else "keys below it"


def _nearest(name: str, valid: Sequence[str], place: tuple[str, ...]) -> str:
    """The nearest key of the section; else the section that has the key, or one close to it."""
    close = difflib.get_close_matches(name, valid, n=1)
    if not close:
        elsewhere = {each: where for where, each in _elsewhere() if where != ".".join(place)}
        known = difflib.get_close_matches(name, list(elsewhere), n=1)
        close = [f"{elsewhere[each]}.{each}".lstrip(".") for each in known]
    return f"; did you mean {close[0]!r}?" if close else ""


def _elsewhere() -> Iterator[tuple[str, str]]:
    yield from (("run", key.name) for key in RUN)
    yield from (("slices", dimension) for dimension in DIMENSIONS)
    yield from (("axes", axis) for axis in AXES_AND_OVERALL)
    yield from (("axes.overall", key.name) for key in LIMITS)
    yield from (("", key.name) for key in TOP)
    yield from (("", section) for section in SECTIONS)
