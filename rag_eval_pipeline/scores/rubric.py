"""Rubrics: YAML files that turn measures into scores, one section an axis, and their identity."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.reading import ids, text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fields import number_value
from rag_eval_pipeline.reading.fingerprint import canonical_json, hash_json
from rag_eval_pipeline.reading.yaml_text import read_yaml_mapping
from rag_eval_pipeline.tables.model import AXES

SECTIONS = (*AXES, "pass")
SHIPPED = ("strict", "claims")
MINIMAL_DEFAULT = "strict"
RICH_DEFAULT = "claims"

# Section → measure → key → (default, allowed texts), or (default, lowest, highest) for a number.
# The first measure is the default. Each has its own keys, so that a key which means nothing there
# is an error and not a wish nobody hears.
_Choice = tuple[str, tuple[str, ...]]
_Range = tuple[float, float, float]
_Keys = Mapping[str, _Choice | _Range]
_MALFORMED: _Choice = ("zero", ("zero", "ignore"))
_COUNTED: _Choice = ("count", ("count", "ignore"))
_MEASURES: Mapping[str, Mapping[str, _Keys]] = {
    "search": {
        "gold_retrieved": {
            "no_evidence": ("full_credit", ("full_credit", "separate")),
            "malformed": _MALFORMED,
        },
        "recall": {
            "k": (10, 1, 1000),
            "level": ("auto", ("auto", "section", "document")),
            "forbidden_access": ("fail", ("fail", "ignore")),
        },
    },
    "evidence": {
        "exact_match": {"malformed": _MALFORMED},
        "claims": {
            "open_claims": ("review", ("review", "fail")),
            "ungrounded": ("zero", ("zero", "report")),
            "echoed": ("ignore", ("ignore", "review", "fail")),
            "source": ("required", ("required", "ignore")),
        },
    },
    "behavior": {
        "status_match": {"malformed": _MALFORMED},
        "abstain_policy": {
            "no_invented_value": _COUNTED,
            "names_missing_condition": _COUNTED,
            "gives_next_action": _COUNTED,
            "escalates_as_allowed": _COUNTED,
        },
    },
    "format": {"required_fields": {}, "logged_fields": {}},
    "pass": {"all_axes": {"min_core": (0.5, 0.0, 1.0)}},
}
_CHOSEN_BY = {section: "rule" if section == "pass" else "measure" for section in SECTIONS}
_TOP = ("name", "description", "version", *SECTIONS)


@dataclass(frozen=True, slots=True)
class Rubric:
    """A rubric with every key filled in; sections by axis name and `pass`."""

    name: str
    sections: Mapping[str, Mapping[str, str | float]]
    source: str

    def axis_hash(self, section: str) -> str:
        """Hash of a section's canonical form: comments, spacing and order do not count."""
        return hash_json({section: dict(self.sections[section])})

    @property
    def version(self) -> str:
        """`name@` and the first 8 hex of the hash of the canonical form."""
        whole = hash_json({name: dict(body) for name, body in self.sections.items()})
        return f"{self.name}@{whole[:8]}"

    @property
    def min_core(self) -> float:
        """Least share of the candidate's cases that a comparison must keep (R9)."""
        return float(self.sections["pass"]["min_core"])

    def frame(self) -> pl.DataFrame:
        """Its rows of the table `rubrics`."""
        rows = [
            (
                self.version,
                self.name,
                section,
                self.axis_hash(section),
                canonical_json(dict(self.sections[section])),
            )
            for section in SECTIONS
        ]
        return pl.DataFrame(rows, schema=tables.columns("rubrics"), orient="row")


def load_rubric(name: str, data_root: Path, *, named_in: str = "dataset.yaml") -> Rubric:
    """A rubric of the data root (`rubrics/<name>.yaml`), else the shipped one of that name.

    `named_in` is the file that names it, for messages.

    Raises
    ------
    InputError
        There is none of that name, or its file has an unknown key or value.
    """
    path = data_root / "rubrics" / f"{ids.encode_id(name)}.yaml"
    if path.exists():
        shown = text_file.relative(path, data_root)
        return parse_rubric(text_file.read_bytes(path, file=shown), shown, name)
    if name in SHIPPED:
        file = resources.files("rag_eval_pipeline.scores") / "rubrics" / f"{name}.yaml"
        return parse_rubric(file.read_bytes(), f"the shipped {name}.yaml", name)
    available = sorted({*SHIPPED, *_own_names(data_root)})
    raise InputError(
        code="unknown_rubric",
        file=named_in,
        field="rubrics",
        found=repr(name),
        expected=f"one of {', '.join(available)}",
        todo=f"correct the name or write rubrics/{path.name}{_nearest(name, available)}",
    )


def parse_rubric(data: bytes, file: str, name: str) -> Rubric:
    """Parse a rubric file; sections and keys left out take their defaults.

    Raises
    ------
    InputError
        An unknown section, key or value, named with its line and the nearest valid one.
    """
    mapping, lines = read_yaml_mapping(data, file)
    for key in mapping:
        if key not in _TOP:
            raise _unknown(file, lines.get(key), key, _TOP)
    written = mapping.get("name")
    if written is not None and written != name:
        raise InputError(
            code="rubric_name",
            file=file,
            line=lines.get("name"),
            field="name",
            found=repr(written),
            expected=repr(name),
            todo="name the file and the rubric alike",
        )
    sections: dict[str, Mapping[str, str | float]] = {}
    for section in SECTIONS:
        body = mapping.get(section) or {}
        if not isinstance(body, dict):
            raise InputError(
                code="not_a_section",
                file=file,
                line=lines.get(section),
                field=section,
                found="no mapping",
                expected=f"keys, {_CHOSEN_BY[section]} first",
                todo="write `key: value` lines below it",
            )
        sections[section] = MappingProxyType(_section(section, body, file, lines.get(section)))
    return Rubric(name, MappingProxyType(sections), file)


def default_rubrics(*, rich: bool) -> tuple[str, ...]:
    """The rubrics of a dataset that names none.

    `rich` says whether a case uses claims, groups, quotes, an abstain policy or accepted statuses.
    """
    return (RICH_DEFAULT if rich else MINIMAL_DEFAULT,)


def _section(
    section: str, body: Mapping[object, object], file: str, line: int | None
) -> dict[str, str | float]:
    chooser, measures = _CHOSEN_BY[section], _MEASURES[section]
    choice: _Choice = (next(iter(measures)), tuple(measures))
    written = body.get(chooser)
    chosen = (
        choice[0] if written is None else _text(written, choice, file, line, f"{section}.{chooser}")
    )
    known = measures[chosen]
    for key in body:
        if key != chooser and key not in known:
            raise _unknown(file, line, f"{section}.{key}", _valid(section, chosen, key))
    filled: dict[str, str | float] = {chooser: chosen}
    for key, rule in known.items():
        value = body.get(key)
        if value is None:
            filled[key] = rule[0]
        elif len(rule) == 3:
            filled[key] = _number(value, rule, file, line, f"{section}.{key}")
        else:
            filled[key] = _text(value, rule, file, line, f"{section}.{key}")
    return filled


def _valid(section: str, chosen: str, key: object) -> list[str]:
    """Keys of the chosen measure; where another measure has the key, that is said."""
    chooser, measures = _CHOSEN_BY[section], _MEASURES[section]
    own = [f"{section}.{each}" for each in (chooser, *measures[chosen])]
    others = [name for name, keys in measures.items() if name != chosen and key in keys]
    return own + [f"{section}.{key} with {chooser}: {name}" for name in others]


def _text(value: object, rule: _Choice, file: str, line: int | None, field: str) -> str:
    if isinstance(value, str) and value in rule[1]:
        return value
    raise InputError(
        code="unknown_value",
        file=file,
        line=line,
        field=field,
        found=repr(value),
        expected=f"one of {', '.join(rule[1])}",
        todo=f"correct the value{_nearest(str(value), rule[1])}",
    )


def _number(value: object, rule: _Range, file: str, line: int | None, field: str) -> float:
    number, _ = number_value(value, typed=False)
    whole = isinstance(rule[0], int)
    if number is not None and rule[1] <= number <= rule[2] and not (whole and number % 1):
        return int(number) if whole else number
    raise InputError(
        code="not_in_range",
        file=file,
        line=line,
        field=field,
        found=repr(value),
        expected=f"a {'whole ' if whole else ''}number from {rule[1]:g} to {rule[2]:g}",
        todo="correct the number",
    )


def _unknown(file: str, line: int | None, key: object, valid: Sequence[str]) -> InputError:
    return InputError(
        code="unknown_key",
        file=file,
        line=line,
        field=str(key),
        found="a key no rubric has",
        expected=f"one of {', '.join(valid)}",
        todo=f"correct or remove it{_nearest(str(key), valid)}",
    )


def _nearest(word: str, valid: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, valid, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _own_names(data_root: Path) -> list[str]:
    folder = data_root / "rubrics"
    return [each.stem for each in folder.glob("*.yaml")] if folder.is_dir() else []
