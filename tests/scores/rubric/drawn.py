"""Rubric files drawn from the table of keys, every one of them valid."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from rag_eval_pipeline.scores.rubric.keys import (
    CHOOSERS,
    MEASURES,
    RISK_VALUES,
    SECTIONS,
    Key,
    Measure,
    Names,
    Number,
)
from rag_eval_pipeline.tables.model import AXES, CATEGORIES


def values_of(key: Key) -> st.SearchStrategy[Any]:
    """Values that a key may have, as a file says them."""
    if isinstance(key.values, Number):
        numbers: st.SearchStrategy[Any] = (
            st.integers(int(key.values.lowest), int(key.values.highest))
            if key.values.whole
            else st.floats(key.values.lowest, key.values.highest).map(lambda each: round(each, 6))
        )
        return numbers | st.sampled_from(key.values.words) if key.values.words else numbers
    if isinstance(key.values, Names):
        least = 0 if key.default == () else 1
        return st.lists(st.sampled_from(key.values.words), min_size=least, unique=True)
    return st.sampled_from(key.values.words)


def keys_of(keys: list[Key], *, least: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    """Some of some keys, and all that must be written."""
    must = {key.name: values_of(key) for key in keys if key.default is None}
    may = {key.name: values_of(key) for key in keys if key.default is not None}
    return st.fixed_dictionaries(must, optional=may).filter(lambda drawn: len(drawn) >= least)


@st.composite
def rubric_bodies(draw: st.DrawFn) -> dict[str, Any]:
    """What a rubric file says, sections and keys left out at will."""
    body: dict[str, Any] = {}
    chosen: dict[str, Measure] = {}
    for section in SECTIONS:
        chosen[section] = draw(st.sampled_from(MEASURES[section]))
        default = chosen[section] is MEASURES[section][0]
        if default and draw(st.booleans()):
            continue
        body[section] = {CHOOSERS[section]: chosen[section].name} | draw(
            keys_of(list(chosen[section].keys))
        )
    when = st.fixed_dictionaries(
        {},
        optional={
            "category": st.lists(st.sampled_from((*CATEGORIES, "独自")), min_size=1, unique=True),
            "risk": st.lists(st.sampled_from(RISK_VALUES), min_size=1, unique=True),
        },
    ).filter(bool)
    overrides = []
    for _ in range(draw(st.integers(0, 2))):
        axes = {}
        for axis in AXES:
            keys = [key for key in chosen[axis].keys if key.overridable]
            if keys and draw(st.booleans()):
                axes[axis] = draw(keys_of(keys, least=1))
        if axes:
            overrides.append({"when": draw(when), **axes})
    return body | ({"overrides": overrides} if overrides else {})


def rubric_texts() -> st.SearchStrategy[str]:
    """The same as YAML, which takes JSON as it is."""
    return rubric_bodies().map(lambda body: json.dumps(body, ensure_ascii=False))
