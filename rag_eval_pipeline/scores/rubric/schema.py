"""JSON Schema of rubric files, for editors, and the reference of their keys, for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rag_eval_pipeline.scores.rubric.keys import (
    CHOOSERS,
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
    Value,
    Words,
)
from rag_eval_pipeline.tables.model import AXES, CATEGORIES


def rubric_schema() -> str:
    """JSON Schema of a rubric file, as text."""
    # A text without quotes, such as 1.2 or 2026, is a number to an editor.
    texts = {
        name: {"description": meaning, "type": ["string", "number", "null"]}
        for name, meaning in TEXTS.items()
    }
    when = {
        "category": {
            "description": "kinds of question, as the cases name them",
            "anyOf": [
                {"$ref": "#/$defs/category"},
                {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/category"}},
            ],
        },
        "risk": _one_or_more(RISK_VALUES, "risks of cases"),
    }
    override = _object(
        {
            WHEN: _object(dict(when), "which cases: each that is named must hold", required=None)
            | {"type": "object", "minProperties": 1},
            **{axis: {"$ref": f"#/$defs/{axis}_override"} for axis in AXES},
        },
        "other keys of some axes for some cases",
        required=[WHEN],
    ) | {"minProperties": 2}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rubric of rag-eval",
        "$defs": {
            # Other categories than the usual ones are legal; these are offered.
            "category": {"anyOf": [{"enum": list(CATEGORIES)}, {"type": "string", "minLength": 1}]},
            **{f"{axis}_override": _overriding(axis) for axis in AXES},
        },
        **_object(
            {
                **texts,
                **{section: _section(section) for section in SECTIONS},
                OVERRIDES: {
                    "description": "other keys for cases of some categories and risks; of several "
                    "that concern a case the first to have a key decides it",
                    "type": ["array", "null"],
                    "items": override,
                },
            },
            "how measures become scores",
        ),
    }
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def rubric_reference() -> str:
    """Every key with its values, default and meaning, as Markdown: a table a section."""
    parts = []
    for section in SECTIONS:
        lines = [f"### {section}", ""]
        chooser = CHOOSERS[section]
        lines += [f"| {chooser} | meaning |", "| --- | --- |"]
        for number, measure in enumerate(MEASURES[section]):
            default = " (default)" if number == 0 else ""
            lines.append(f"| `{measure.name}`{default} | {measure.meaning} |")
        rows = _rows(section)
        if rows:
            lines += ["", f"| key | {chooser} | value | default | override | meaning |",
                      "| --- | --- | --- | --- | --- | --- |", *rows]  # fmt: skip
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _rows(section: str) -> list[str]:
    """A row for each key; keys that are the same in several measures share one."""
    holders: dict[Key, list[str]] = {}
    for measure in MEASURES[section]:
        for key in measure.keys:
            holders.setdefault(key, []).append(measure.name)
    return [
        f"| `{key.name}` | {', '.join(f'`{name}`' for name in names)} | {_values_told(key.values)} "
        f"| {_default_told(key.default)} "
        f"| {'yes' if key.overridable and section in AXES else 'no'} | {key.meaning} |"
        for key, names in holders.items()
    ]


def _values_told(values: Words | Number | Names) -> str:
    if isinstance(values, Words):
        return ", ".join(f"`{word}`" for word in values.words)
    if isinstance(values, Names):
        return "list of axes" if values.words == AXES else "list of causes"
    kind = "whole number" if values.whole else "number"
    words = "".join(f", or `{word}`" for word in values.words)
    return f"{kind} from {values.lowest:g} to {values.highest:,.10g}{words}"


def _default_told(default: Value | None) -> str:
    if default is None:
        return "none: must be written"
    if isinstance(default, tuple):
        return "empty"
    return f"`{default}`" if isinstance(default, str) else f"{default:g}"


def _section(section: str) -> dict[str, Any]:
    """The keys depend on the measure, and the first measure holds where none is written."""
    chooser, measures = CHOOSERS[section], MEASURES[section]
    names = [measure.name for measure in measures]
    branches = []
    for number, measure in enumerate(measures):
        chosen = {chooser: {"enum": [measure.name, *([None] if number == 0 else [])]}}
        condition: dict[str, Any] = {"properties": chosen}
        if number:
            condition["required"] = [chooser]
        branches.append({"if": condition, "then": _of_measure(chooser, measure)})
    return {
        "description": f"how {section} is judged"
        if section in AXES
        else "when an item passes, and what comparisons go by",
        "type": ["object", "null"],
        "properties": {
            chooser: {
                "description": "; ".join(f"{each.name}: {each.meaning}" for each in measures),
                "enum": [*names, None],
                "default": names[0],
            }
        },
        "allOf": branches,
    }


def _of_measure(chooser: str, measure: Measure) -> dict[str, Any]:
    required = [key.name for key in measure.keys if key.default is None]
    keys = {key.name: _schema(key) for key in measure.keys}
    # `type` of the section decides whether it is there at all: null has no required keys.
    body: dict[str, Any] = {"properties": {chooser: True, **keys}, "additionalProperties": False}
    return body | ({"required": required} if required else {})


def _overriding(axis: str) -> dict[str, Any]:
    """Keys of every measure of an axis: which one the rubric has is not known here."""
    keys: dict[str, list[dict[str, Any]]] = {}
    for measure in MEASURES[axis]:
        for key in measure.keys:
            if key.overridable:
                keys.setdefault(key.name, []).append(_schema(key, null=False))
    merged = {name: each[0] if len(each) == 1 else {"anyOf": each} for name, each in keys.items()}
    return _object(merged, f"keys of {axis}, but for its measure") | {
        "type": "object",
        "minProperties": 1,
    }


def _schema(key: Key, *, null: bool = True) -> dict[str, Any]:
    described: dict[str, Any] = {"description": key.meaning}
    if key.default is not None:
        described["default"] = list(key.default) if isinstance(key.default, tuple) else key.default
    nothing = [None] if null and key.default is not None else []
    values = key.values
    if isinstance(values, Words):
        return described | {"enum": [*values.words, *nothing]}
    if isinstance(values, Names):
        several = _one_or_more(values.words, key.meaning, least=0 if key.default == () else 1)
        return described | {"anyOf": [*several["anyOf"], *({"type": "null"} for _ in nothing)]}
    number = {
        "type": "integer" if values.whole else "number",
        "minimum": values.lowest,
        "maximum": values.highest,
    }
    others = [*values.words, *nothing]
    return described | {"anyOf": [number, *([{"enum": others}] if others else [])]}


def _one_or_more(words: tuple[str, ...], description: str, *, least: int = 1) -> dict[str, Any]:
    return {
        "description": description,
        "anyOf": [
            {"enum": list(words)},
            {
                "type": "array",
                "minItems": least,
                "uniqueItems": True,
                "items": {"enum": list(words)},
            },
        ],
    }


def _object(
    properties: Mapping[str, Any], description: str, *, required: list[str] | None = None
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "description": description,
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": dict(properties),
    }
    return body | ({"required": required} if required else {})
