"""A rubric written out with every key: its canonical form for people, and as a file again."""

from __future__ import annotations

import json

from rag_eval_pipeline.scores.rubric.keys import CHOOSERS, OVERRIDES, SECTIONS, WHEN, Value
from rag_eval_pipeline.scores.rubric.model import Override, Rubric

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz_")
_OTHERWISE = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n", "_"))


def as_yaml(rubric: Rubric) -> str:
    """The rubric as a file that says all of it: reading it gives the same rubric again.

    Comments tell its version, and per section the hash and whether its file leaves the section out.
    """
    lines = [f"# {rubric.version}, from {rubric.source}", f"name: {_text(rubric.name)}"]
    if rubric.version_text is not None:
        lines.append(f"version: {_text(rubric.version_text)}")
    for section in SECTIONS:
        missing = "; its file leaves it out: defaults" if section in rubric.left_out else ""
        lines += ["", f"{section}:  # {rubric.axis_hash(section)[:12]}{missing}"]
        lines += [f"  {key}: {_value(value)}" for key, value in rubric.sections[section].items()]
    if rubric.overrides:
        lines += ["", f"{OVERRIDES}:"]
        for override in rubric.overrides:
            lines += _override(override)
    return "\n".join(lines) + "\n"


def as_object(rubric: Rubric) -> dict[str, object]:
    """The same for programs: versions, and per section hash, keys, measure and overrides."""
    return {
        "name": rubric.name,
        "rubric_version": rubric.version,
        "version": rubric.version_text,
        "source": rubric.source,
        "sections": {
            section: {
                "hash": rubric.axis_hash(section),
                "left_out": section in rubric.left_out,
                CHOOSERS[section]: rubric.sections[section][CHOOSERS[section]],
                "keys": {
                    key: list(value) if isinstance(value, tuple) else value
                    for key, value in rubric.sections[section].items()
                    if key != CHOOSERS[section]
                },
                OVERRIDES: [each.canonical(section) for each in rubric.overrides_of(section)],
            }
            for section in SECTIONS
        },
    }


def _override(override: Override) -> list[str]:
    when = ", ".join(f"{name}: {_value(values)}" for name, values in override.when.items())
    lines = [f"  - {WHEN}: {{{when}}}"]
    for axis, keys in override.sections.items():
        said = ", ".join(f"{key}: {_value(value)}" for key, value in keys.items())
        lines.append(f"    {axis}: {{{said}}}")
    return lines


def _value(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, str):
        return _text(value)
    return str(int(value)) if value == int(value) else repr(float(value))


def _text(text: str) -> str:
    """Quoted unless it is a plain word that no reader of YAML takes for anything else."""
    plain = text and set(text) <= _PLAIN and text not in _OTHERWISE
    return text if plain else json.dumps(text, ensure_ascii=False)
