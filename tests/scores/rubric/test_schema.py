"""The schema for editors takes what the parser takes, and refuses what it refuses."""

import json
from importlib import resources
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from rag_eval_pipeline.scores.diagnosis import MEND
from rag_eval_pipeline.scores.rubric import (
    SHIPPED,
    parse_rubric,
    read_rubric,
    rubric_schema,
)
from rag_eval_pipeline.scores.rubric.keys import CAUSES, MEASURES, SECTIONS
from tests.scores.rubric.drawn import rubric_bodies

SCHEMA = json.loads(rubric_schema())
VALID = Draft202012Validator(SCHEMA)


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", SHIPPED)
def test_it_takes_the_shipped_rubrics(name: str) -> None:
    file = resources.files("rag_eval_pipeline.scores") / "rubrics" / f"{name}.yaml"
    assert VALID.is_valid(yaml.safe_load(file.read_text("utf-8")))


@settings(max_examples=60)
@given(rubric_bodies())
def test_it_takes_every_rubric_that_the_parser_takes(body: dict[str, Any]) -> None:
    parse_rubric(json.dumps(body).encode(), "x.yaml", "own")
    assert list(VALID.iter_errors(body)) == []


def test_it_offers_every_key_of_every_measure() -> None:
    for section in SECTIONS:
        branches = SCHEMA["properties"][section]["allOf"]
        for measure, branch in zip(MEASURES[section], branches, strict=True):
            offered = set(branch["then"]["properties"]) - {"measure", "rule"}
            assert offered == {key.name for key in measure.keys}


WRONG: list[dict[str, Any]] = [
    {"serach": {}},
    {"search": "recall"},
    {"search": {"measure": "reccall"}},
    {"search": {"k": 3}},
    {"search": {"measure": "recall", "k": 0}},
    {"search": {"measure": "recall", "k": 2.5}},
    {"search": {"measure": "recall", "malformed": "zero"}},
    {"search": {"measure": "recall", "pass_at": 0}},
    {"evidence": {"measure": "claims", "pass_at": "vitl"}},
    {"evidence": {"measure": "claims", "okay_weight": -1}},
    {"pass": {"trials": "most"}},
    {"pass": {"axes": ["search"]}},
    {"pass": {"rule": "chosen_axes"}},
    {"pass": {"rule": "chosen_axes", "axes": []}},
    {"pass": {"rule": "chosen_axes", "axes": ["search", "search"]}},
    {"pass": {"diagnosis_order": ["gold_problem"]}},
    {"pass": {"tolerance": 101}},
    {"version": ["1"]},
    {"overrides": {"when": {"risk": "high"}}},
    {"overrides": [{"when": {"risk": "high"}}]},
    {"overrides": [{"search": {"malformed": "zero"}}]},
    {"overrides": [{"when": {}, "search": {"malformed": "zero"}}]},
    {"overrides": [{"when": {"risk": "hihg"}, "search": {"malformed": "zero"}}]},
    {"overrides": [{"when": {"risk": "high"}, "search": {}}]},
    {"overrides": [{"when": {"risk": "high"}, "search": {"measure": "recall"}}]},
    {"overrides": [{"when": {"risk": "high"}, "search": {"level": "auto"}}]},
    {"overrides": [{"when": {"risk": "high"}, "pass": {"tolerance": 1}}]},
]


@pytest.mark.parametrize("body", WRONG, ids=json.dumps)
def test_it_refuses_what_the_parser_refuses(body: dict[str, Any]) -> None:
    assert read_rubric(json.dumps(body).encode(), "x.yaml", "own").problems
    assert not VALID.is_valid(body)


@settings(max_examples=60)
@given(rubric_bodies(), st.data())
def test_a_key_of_another_measure_is_refused_by_both(
    body: dict[str, Any], data: st.DataObject
) -> None:
    section = data.draw(st.sampled_from(["search", "evidence", "behavior"]))
    of_section = body.setdefault(section, {})
    own, other = MEASURES[section]
    if of_section.get("measure") == other.name:
        own, other = other, own
    foreign = next(key for key in other.keys if own.key(key.name) is None)
    assert foreign.default is not None
    of_section[foreign.name] = foreign.default
    assert read_rubric(json.dumps(body).encode(), "x.yaml", "own").problems
    assert not VALID.is_valid(body)


def test_every_cause_can_be_ordered_but_the_one_that_stands_before_all() -> None:
    assert ("gold_problem", *CAUSES) == tuple(MEND)
