"""The axes of an item as a whole: three-valued logic against plain Python."""

from collections.abc import Callable
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.scores.case import join_axes, score_axes
from rag_eval_pipeline.scores.rubric import parse_rubric
from rag_eval_pipeline.tables.model import AXES

FactsOf = Callable[..., pl.DataFrame]
STRICT = parse_rubric(b"", "strict.yaml", "strict")
AXIS_ROW: dict[str, Any] = {
    "run_id": pl.String,
    "case_id": pl.String,
    "trial": pl.Int64,
    "score": pl.Float64,
    "score_low": pl.Float64,
    "score_high": pl.Float64,
    "passed": pl.Boolean,
    "state": pl.String,
    "reason": pl.String,
}

Axis = tuple[str, bool | None, float | None, float | None, float | None]
"""state, passed, score, score_low, score_high."""

measured = st.builds(
    lambda passed, score: ("measured", passed, score, score, score),
    st.booleans(),
    st.sampled_from([0.0, 0.25, 1.0]),
)
unmeasured = st.builds(
    lambda low, span: ("unmeasured", None, None, low, low + span),
    st.sampled_from([0.0, 0.25, 0.5]),
    st.sampled_from([0.0, 0.25, 0.5]),
)
inapplicable = st.just(("not_applicable", None, None, None, None))
held_out = st.just(("held_out", None, None, None, None))


def joined(facts: pl.DataFrame, axes: dict[str, Axis]) -> dict[str, Any]:
    frames = {
        axis: pl.DataFrame(
            [("r", "q1", 1, score, low, high, passed, state, "")], schema=AXIS_ROW, orient="row"
        )
        for axis, (state, passed, score, low, high) in axes.items()
    }
    return join_axes(facts, frames, STRICT).row(0, named=True)


def kleene_and(values: list[bool | None]) -> bool | None:
    if False in values:
        return False
    return None if None in values else True


@given(st.tuples(*(measured | unmeasured | inapplicable for _ in AXES)))
@settings(max_examples=80)
def test_the_whole_follows_from_the_applicable_axes(
    facts_of: FactsOf, axes: tuple[Axis, ...]
) -> None:
    found = joined(facts_of({}), dict(zip(AXES, axes, strict=True)))
    applicable = [axis for axis in axes if axis[0] != "not_applicable"]
    passed = kleene_and([axis[1] for axis in applicable]) if applicable else None
    assert found["passed"] is passed
    if not applicable:
        assert found["state"] == "not_applicable"
        assert found["score"] is found["score_low"] is found["score_high"] is None
        return
    assert found["state"] == ("unmeasured" if passed is None else "measured")
    assert (found["passed"] is None) == (found["state"] == "unmeasured")
    low, high = found["score_low"], found["score_high"]
    assert 0.0 <= low <= high <= 1.0
    if all(axis[0] == "measured" for axis in applicable):
        assert low == found["score"] == high
    else:
        assert found["score"] is None
    assert found["failed_axes"] == [
        name for name, axis in zip(AXES, axes, strict=True) if axis[1] is False
    ]


@given(
    st.permutations([held_out, measured, unmeasured, inapplicable]).flatmap(lambda s: st.tuples(*s))
)
@settings(max_examples=20)
def test_doubtful_gold_holds_the_whole_item_out(facts_of: FactsOf, axes: list[Axis]) -> None:
    found = joined(facts_of({"gold_problem": "expired: d"}), dict(zip(AXES, axes, strict=True)))
    assert (found["state"], found["passed"], found["score"]) == ("held_out", None, None)
    assert found["reason"] == "expired: d"
    assert found["diagnosis"] == "gold_problem"


def strict(facts: pl.DataFrame) -> list[dict[str, Any]]:
    return join_axes(facts, score_axes(facts, STRICT), STRICT).to_dicts()


def test_the_reason_lists_the_failed_axes_in_axis_order(facts_of: FactsOf) -> None:
    found = strict(
        facts_of(
            {},
            {"exact_match": False, "expected_status": "unknown", "status_match": False},
            {"group_ranks": [None], "exact_match": False, "source_match": False},
        )
    )
    assert [row["reason"] for row in found] == [
        "all checks passed",
        "evidence,behavior",
        "search,evidence",
    ]
    assert [row["score"] for row in found] == [1.0, 0.5, 0.5]
    assert [row["passed"] for row in found] == [True, False, False]


def test_a_malformed_item_scores_0_on_all_four_axes(facts_of: FactsOf) -> None:
    (found,) = strict(facts_of({"malformed_fields": ["retrieved"]}))
    assert [found[f"{axis}_score"] for axis in AXES] == [0.0, 0.0, 0.0, 0.0]
    assert found["reason"] == "search,evidence,behavior,format"


def test_a_system_error_is_measured_0_whatever_the_item_holds(facts_of: FactsOf) -> None:
    (found,) = strict(facts_of({"system_error": True}))
    assert (found["state"], found["passed"], found["score"]) == ("measured", False, 0.0)


def test_an_axis_that_does_not_apply_is_left_out_of_the_mean(facts_of: FactsOf) -> None:
    (found,) = strict(facts_of({"exact_match": None, "group_ranks": [None]}))
    assert found["evidence_state"] == "not_applicable"
    assert found["score"] == 2 / 3
    assert found["failed_axes"] == ["search"]


def test_items_keep_their_order(facts_of: FactsOf) -> None:
    found = strict(facts_of({"case_id": "b"}, {"case_id": "a"}, {"case_id": "b", "trial": 2}))
    assert [(row["case_id"], row["trial"]) for row in found] == [("b", 1), ("a", 1), ("b", 2)]
