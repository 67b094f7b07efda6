from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.scores.axis import Excluded, judge, scores_zero, shortened

FactsOf = Callable[..., pl.DataFrame]


def scored(facts: pl.DataFrame, condition: bool | None, **options: Any) -> dict[str, Any]:
    found = judge(
        facts,
        pl.lit(condition, pl.Boolean),
        passed_reason=pl.lit("right"),
        failed_reason=pl.lit("wrong"),
        malformed=options.pop("malformed", scores_zero({"malformed": "zero"})),
        **options,
    )
    return found.row(0, named=True)


@pytest.mark.parametrize(
    ("condition", "score", "bounds", "passed", "state", "code"),
    [
        (True, 1.0, (1.0, 1.0), True, "measured", "passed"),
        (False, 0.0, (0.0, 0.0), False, "measured", "failed"),
        (None, None, (0.0, 1.0), None, "unmeasured", "undecided"),
    ],
)
def test_a_condition_becomes_score_state_and_bounds(
    facts_of: FactsOf,
    condition: bool | None,
    score: float | None,
    bounds: tuple[float, float],
    passed: bool | None,
    state: str,
    code: str,
) -> None:
    found = scored(facts_of({}), condition)
    assert found["score"] == score
    assert (found["score_low"], found["score_high"]) == bounds
    assert found["passed"] is passed
    assert (found["state"], found["reason_code"]) == (state, code)


@pytest.mark.parametrize(
    ("facts", "state", "code", "score"),
    [
        (
            {"gold_problem": "expired", "system_error": True, "malformed_fields": ["answer"]},
            "held_out",
            "gold_problem",
            None,
        ),
        (
            {"system_error": True, "malformed_fields": ["answer"]},
            "measured",
            "system_error",
            0.0,
        ),
        ({"malformed_fields": ["answer"]}, "measured", "malformed", 0.0),
        ({}, "not_applicable", "not_applicable", None),
    ],
)
def test_what_outranks_the_condition_comes_in_this_order(
    facts_of: FactsOf, facts: dict[str, Any], state: str, code: str, score: float | None
) -> None:
    found = scored(
        facts_of(facts), True, excluded=[Excluded("not_applicable", pl.lit(value=True), "no gold")]
    )
    assert (found["state"], found["reason_code"], found["score"]) == (state, code, score)
    assert found["passed"] is (None if score is None else False)


def test_the_reason_says_what_was_wrong(facts_of: FactsOf) -> None:
    assert scored(facts_of({}), True)["reason"] == "right"
    assert scored(facts_of({}), False)["reason"] == "wrong"
    malformed = facts_of({"malformed_fields": ["retrieved", "status"]})
    assert scored(malformed, True)["reason"] == "malformed: retrieved, status"
    assert scored(facts_of({"gold_problem": "expired: d"}), True)["reason"] == "expired: d"


def test_a_rubric_may_ignore_malformed_items(facts_of: FactsOf) -> None:
    facts = facts_of({"malformed_fields": ["answer"]})
    lenient = scores_zero({"malformed": "ignore"})
    assert scored(facts, True, malformed=lenient)["passed"] is True


def test_rows_keep_their_order_and_number(facts_of: FactsOf) -> None:
    facts = facts_of({}, {"system_error": True}, {"gold_problem": "x"})
    found = judge(
        facts,
        pl.lit(value=True),
        passed_reason=pl.lit("right"),
        failed_reason=pl.lit("wrong"),
        malformed=pl.lit(value=False),
    )
    assert found["case_id"].to_list() == ["q1", "q2", "q3"]
    assert found["state"].to_list() == ["measured", "measured", "held_out"]


@given(st.text(max_size=40), st.integers(2, 30))
def test_a_shortened_text_is_no_longer_than_asked_and_says_so(text: str, length: int) -> None:
    (found,) = pl.DataFrame({"t": [text]}).select(shortened(pl.col("t"), length))["t"]
    assert len(found) <= length
    assert found == text if len(text) <= length else found == text[: length - 1] + "…"
