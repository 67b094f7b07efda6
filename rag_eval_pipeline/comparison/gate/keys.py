"""The keys of a gate policy: one table that parser, JSON Schema and documentation are made from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rag_eval_pipeline.tables.model import AXES, RISKS

OFF = "off"
"""Written in place of a number, it switches a rule off."""

AXES_AND_OVERALL = ("overall", *AXES)
DIMENSIONS = ("category", "split", "language")
"""Dimensions under `slices`; risk has a section of its own."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What numbers of a key are: the words for people, and the range."""

    told: str
    lowest: float
    highest: float
    whole: bool = False


POINTS = Unit("points, hundredths of a mean or rate", 0, 100)
SHARE = Unit("share from 0 to 1", 0, 1)
COUNT = Unit("count", 0, 1_000_000_000, whole=True)
PERCENT = Unit("percent of the baseline's figure", 0, 1_000_000)
MILLISECONDS = Unit("milliseconds", 0, 86_400_000)
USD = Unit("US dollars", 0, 1_000_000_000)


@dataclass(frozen=True, slots=True)
class Key:
    """One key: its meaning, and its unit; a key without unit is yes or no."""

    name: str
    meaning: str
    unit: Unit | None = None


TOP = (
    Key(
        "require_identical",
        "the comparison must stand on the same dataset hash and snapshot on both sides",
    ),
    Key(
        "require_conclusive",
        "a drop rule that the data cannot decide blocks (exit 3) in place of a warning",
    ),
    Key(
        "allow_no_baseline",
        "a run that has nothing to be held against yet, the first one or the pinned baseline "
        "itself, passes by the rules that need no baseline, with a warning",
    ),
)
LIMITS = (
    Key(
        "max_drop",
        "largest drop of the paired mean that a verdict `worse` may show",
        POINTS,
    ),
    Key(
        "max_new_failures",
        "most cases that passed in the baseline and fail now; an open case counts as possible",
        COUNT,
    ),
    Key(
        "min_measured",
        "least share of the compared cases that must be measured on both sides",
        SHARE,
    ),
    Key("must_pass", "every case must pass, whatever the baseline did; a missing case fails"),
    Key("require_conclusive", "as the key of that name at the top, for this section alone"),
)
RUN = (
    Key("max_missing", "most cases the candidate may have no item for", COUNT),
    Key("max_system_errors", "most items of the candidate that may hold a system error", COUNT),
    Key("max_error_rate", "largest share of items with a system error", SHARE),
    Key("max_error_rate_rise", "largest rise of that share against the baseline", POINTS),
    Key("min_citation_rate", "least share of items that show a source or citation", SHARE),
    Key("max_citation_rate_drop", "largest drop of that share against the baseline", POINTS),
    Key("max_latency_p50_ms", "largest median latency", MILLISECONDS),
    Key("max_latency_p50_rise", "largest rise of it against the baseline", PERCENT),
    Key("max_latency_p95_ms", "largest 95th percentile of latency", MILLISECONDS),
    Key("max_latency_p95_rise", "largest rise of it against the baseline", PERCENT),
    Key("max_cost_usd", "largest cost of the whole run", USD),
    Key("max_cost_per_item_usd", "largest mean cost of an item", USD),
    Key("max_cost_per_item_rise", "largest rise of it against the baseline", PERCENT),
)
SECTIONS = ("axes", "risk", "slices", "run")
TEXTS = ("description",)

# What holds where a policy says nothing; everything else is off. A drop that the verdict calls
# worse blocks on each axis, and a case of high risk may not begin to fail.
DEFAULTS: Mapping[tuple[str, ...], float] = MappingProxyType(
    {
        **{("axes", axis, "max_drop"): 0.0 for axis in AXES_AND_OVERALL},
        ("axes", "overall", "min_measured"): 0.9,
        ("risk", "high", "max_new_failures"): 0.0,
    }
)


def policy_schema() -> str:
    """JSON Schema of a policy, for editors, as text."""
    limits = {key.name: _schema(key) for key in LIMITS}
    definitions = {
        "limits": _object(limits),
        "slice": _object(limits | {axis: {"$ref": "#/$defs/limits"} for axis in AXES}),
    }
    of_slices = {
        "type": ["object", "null"],
        "additionalProperties": {"$ref": "#/$defs/slice"},
    }
    sections: dict[str, Any] = {
        "axes": _object({axis: _defined("limits", "axes", axis) for axis in AXES_AND_OVERALL}),
        "risk": _object({risk: _defined("slice", "risk", risk) for risk in RISKS}),
        "slices": _object(dict.fromkeys(DIMENSIONS, of_slices)),
        "run": _object({key.name: _schema(key) for key in RUN}),
    }
    whole = _object(
        {name: {"type": ["string", "null"]} for name in TEXTS}
        | {key.name: _schema(key) for key in TOP}
        | sections
    )
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Gate policy of rag-eval",
        "$defs": definitions,
        **whole,
    }
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def policy_reference() -> str:
    """Every key of a policy with its place, unit, default and meaning, as a Markdown table."""
    rows = [("", key) for key in TOP]
    rows += [(f"axes.{'|'.join(AXES_AND_OVERALL)}", key) for key in LIMITS]
    rows += [(f"risk.{'|'.join(RISKS)}[.axis]", key) for key in LIMITS]
    rows += [(f"slices.{'|'.join(DIMENSIONS)}.VALUE[.axis]", key) for key in LIMITS]
    rows += [("run", key) for key in RUN]
    lines = ["| under | key | value | default | meaning |", "| --- | --- | --- | --- | --- |"]
    for under, key in rows:
        value = "yes or no" if key.unit is None else f"{key.unit.told}, or `{OFF}`"
        lines.append(
            f"| {under.replace('|', ', ') or 'top'} | `{key.name}` | {value} "
            f"| {_default_told(under.split('.')[0], key)} | {key.meaning} |"
        )
    return "\n".join(lines) + "\n"


def _default_told(section: str, key: Key) -> str:
    if key.unit is None:
        return "as at the top" if section and key.name == "require_conclusive" else "no"
    places = {
        path[1]: value
        for path, value in DEFAULTS.items()
        if path[0] == section and path[2] == key.name
    }
    if not places:
        return OFF
    if len(places) == len(AXES_AND_OVERALL):
        return f"{next(iter(places.values())):g}"
    return ", ".join(f"{value:g} for {place}" for place, value in places.items()) + f", else {OFF}"


def _defined(definition: str, *place: str) -> dict[str, Any]:
    defaults = {path[-1]: value for path, value in DEFAULTS.items() if path[:-1] == place}
    reference: dict[str, Any] = {"$ref": f"#/$defs/{definition}"}
    return reference | {"default": defaults} if defaults else reference


def _schema(key: Key) -> dict[str, Any]:
    if key.unit is None:
        return {"description": key.meaning, "enum": [True, False, "yes", "no", None]}
    return {
        "description": f"{key.meaning}; {key.unit.told}",
        "anyOf": [
            {
                "type": "integer" if key.unit.whole else "number",
                "minimum": key.unit.lowest,
                "maximum": key.unit.highest,
            },
            # YAML reads a bare `off` as false; both are taken.
            {"enum": [OFF, False, None]},
        ],
    }


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": dict(properties),
    }
