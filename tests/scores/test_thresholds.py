"""What a rubric may set: thresholds, weights, the axes that decide, the order of causes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.scores.case import join_axes, score_axes
from rag_eval_pipeline.scores.rubric import Rubric, load_rubric, parse_rubric
from tests.scores.rubric.drawn import rubric_texts

FactsOf = Callable[..., pl.DataFrame]
CLAIMS = load_rubric("claims", Path("no data root"))
NO_GOLD = {"n_groups": 0, "ranks": [], "gold_ids": [], "source_acceptable": None}


def claims(**sections: dict[str, Any]) -> Rubric:
    changed = {name: {**CLAIMS.sections[name], **keys} for name, keys in sections.items()}
    return Rubric("own", {**CLAIMS.sections, **changed}, "")


def axis(facts: pl.DataFrame, name: str, rubric: Rubric) -> dict[str, Any]:
    return score_axes(facts, rubric)[name].row(0, named=True)


def item(facts: pl.DataFrame, rubric: Rubric) -> dict[str, Any]:
    return join_axes(facts, score_axes(facts, rubric), rubric).row(0, named=True)


# --- thresholds


@pytest.mark.parametrize(
    ("ranks", "pass_at", "passed"),
    [
        ([1, None, None], 0.33, True),
        ([1, None, None], 0.34, False),
        ([1, 2, None], 2 / 3, True),
        ([1, 2, 3], 1.0, True),
    ],
)
def test_search_passes_once_recall_reaches_the_threshold(
    facts_of: FactsOf, ranks: list[int | None], pass_at: float, passed: bool
) -> None:
    facts = facts_of({"ranks": ranks, "n_groups": 3})
    found = axis(facts, "search", claims(search={"pass_at": pass_at}))
    assert found["passed"] is passed
    assert found["score"] == pytest.approx(sum(rank is not None for rank in ranks) / 3)


def test_a_forbidden_document_fails_search_whatever_the_threshold(facts_of: FactsOf) -> None:
    facts = facts_of({"ranks": [1, None], "n_groups": 2, "forbidden_ids": ["pay"]})
    assert axis(facts, "search", claims(search={"pass_at": 0.5}))["passed"] is False


def test_a_case_without_gold_passes_search_where_the_rubric_says_so(facts_of: FactsOf) -> None:
    facts = facts_of(NO_GOLD)
    assert axis(facts, "search", CLAIMS)["state"] == "not_applicable"
    full = claims(search={"no_evidence": "full_credit"})
    found = axis(facts, "search", full)
    assert (found["state"], found["score"], found["passed"]) == ("measured", 1.0, True)
    forbidden = axis(facts_of({**NO_GOLD, "forbidden_ids": ["pay"]}), "search", full)
    assert (forbidden["score"], forbidden["passed"]) == (0.0, False)
    unlogged = axis(facts_of({**NO_GOLD, "not_logged": ["retrieved"]}), "search", full)
    assert unlogged["state"] == "not_applicable"


@pytest.mark.parametrize(
    ("facts", "pass_at", "passed"),
    [
        ({"vital_met": ["r1"], "vital_absent": ["r2"]}, 0.5, True),
        ({"vital_met": ["r1"], "vital_absent": ["r2"]}, 0.51, False),
        # Okay claims count where a number decides: 1 of 1.5.
        ({"vital_met": ["r1"], "okay_unmet": ["o1"]}, 0.7, False),
        ({"vital_met": ["r1"], "okay_unmet": ["o1"]}, 0.6, True),
        # Open ones leave it open only where they can tip it.
        ({"vital_met": ["r1"], "vital_open": ["r2"]}, 0.5, True),
        ({"vital_met": ["r1"], "vital_open": ["r2"]}, 0.6, None),
        ({"vital_met": ["r1"], "vital_open": ["r2"], "vital_absent": ["r3"]}, 0.9, False),
        ({"vital_met": ["r1"], "okay_open": ["o1"]}, 0.7, None),
        # What makes the score 0, or the source wrong, fails at any threshold.
        ({"vital_met": ["r1"], "forbidden_asserted": ["f1"]}, 0.01, False),
        ({"vital_met": ["r1"], "forbidden_open": ["f1"]}, 0.01, None),
        ({"vital_met": ["r1"], "ungrounded_values": ["3日"]}, 0.01, False),
        ({"vital_met": ["r1"], "source_acceptable": False}, 0.01, False),
    ],
)
def test_evidence_passes_once_the_weight_of_the_claims_met_reaches_the_threshold(
    facts_of: FactsOf, facts: dict[str, Any], pass_at: float, passed: bool | None
) -> None:
    found = axis(facts_of(facts), "evidence", claims(evidence={"pass_at": pass_at}))
    assert found["passed"] is passed
    assert (found["state"] == "measured") == (passed is not None)


def test_an_answer_that_fails_by_okay_claims_alone_is_incomplete(facts_of: FactsOf) -> None:
    rubric = claims(evidence={"pass_at": 1.0})
    found = item(facts_of({"vital_met": ["r1"], "okay_unmet": ["o1"]}), rubric)
    assert found["diagnosis"] == "incomplete_answer"
    assert "not met: o1" in found["reason"]


def test_claims_weigh_what_the_rubric_says(facts_of: FactsOf) -> None:
    facts = facts_of({"vital_met": ["r1"], "vital_absent": ["r2"], "okay_met": ["o1"]})
    assert axis(facts, "evidence", CLAIMS)["score"] == 1.5 / 2.5
    heavy = claims(evidence={"vital_weight": 2.0, "okay_weight": 4.0})
    assert axis(facts, "evidence", heavy)["score"] == 6.0 / 8.0
    alone = claims(evidence={"okay_weight": 0.0})
    assert axis(facts, "evidence", alone)["score"] == 0.5


def test_a_claim_that_weighs_nothing_is_still_a_claim(facts_of: FactsOf) -> None:
    facts = facts_of({"vital_met": [], "okay_unmet": ["o1"], **NO_GOLD})
    found = axis(facts, "evidence", claims(evidence={"okay_weight": 0.0}))
    assert (found["state"], found["score"], found["passed"]) == ("measured", 1.0, True)


@pytest.mark.parametrize("name", ["vital_open", "forbidden_open"])
def test_open_claims_may_count_against_the_answer(facts_of: FactsOf, name: str) -> None:
    facts = facts_of({name: ["c1"]})
    assert axis(facts, "evidence", CLAIMS)["state"] == "unmeasured"
    found = axis(facts, "evidence", claims(evidence={"open_claims": "fail"}))
    assert (found["state"], found["passed"]) == ("measured", False)
    assert found["score_low"] == found["score_high"] == (0.5 if name == "vital_open" else 0.0)
    assert "c1" in found["reason"]
    cause = item(facts, claims(evidence={"open_claims": "fail"}))["diagnosis"]
    assert cause == ("incomplete_answer" if name == "vital_open" else "forbidden_claim")


@pytest.mark.parametrize(
    ("unmet", "open_", "pass_at", "passed"),
    [(1, 0, 2 / 3, True), (1, 0, 0.7, False), (0, 1, 2 / 3, True), (0, 1, 0.7, None)],
)
def test_behavior_passes_once_its_score_reaches_the_threshold(
    facts_of: FactsOf, unmet: int, open_: int, pass_at: float, passed: bool | None
) -> None:
    facts = facts_of(
        {
            "names_missing_condition": "met",
            "gives_next_action": "unmet" if unmet else None,
            "no_invented_value": "open" if open_ else None,
        }
    )
    rubric = claims(behavior={"pass_at": pass_at})
    assert axis(facts, "behavior", rubric)["passed"] is passed
    wrong = facts.with_columns(status_match=pl.lit(value=False))
    assert axis(wrong, "behavior", claims(behavior={"pass_at": 0.01}))["passed"] is False


texts = st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True)
LISTS = ("vital_met", "vital_contradicted", "vital_absent", "vital_open", "okay_met", "okay_unmet",
         "okay_open", "forbidden_asserted", "forbidden_open", "ungrounded_values", "open_values",
         "echoed_values", "forbidden_ids")  # fmt: skip


@st.composite
def any_facts(draw: st.DrawFn) -> dict[str, Any]:
    drawn: dict[str, Any] = {name: draw(texts) for name in LISTS}
    ranks = draw(st.lists(st.none() | st.integers(1, 15), max_size=3))
    drawn |= {"ranks": ranks, "section_ranks": ranks, "document_ranks": ranks,
              "group_ranks": ranks, "n_groups": len(ranks)}  # fmt: skip
    drawn["unmeasured_reason"] = draw(st.sampled_from([None, None, "ids_not_in_snapshot"]))
    drawn["expected_status"] = draw(st.sampled_from(["answer", "unknown"]))
    drawn["observed_status"] = draw(st.sampled_from(["answer", "unknown"]))
    drawn["status_match"] = drawn["expected_status"] == drawn["observed_status"]
    drawn["source_acceptable"] = draw(st.sampled_from([True, False, None]))
    drawn["exact_match"] = draw(st.sampled_from([True, False, None]))
    drawn["system_error"] = draw(st.sampled_from([False, False, False, True]))
    for name in ("no_invented_value", "gives_next_action", "names_missing_condition"):
        drawn[name] = draw(st.sampled_from(["met", "unmet", "open", None]))
    return drawn


@settings(max_examples=80)
@given(facts=any_facts(), text=rubric_texts())
def test_under_any_rubric_scores_keep_their_bounds(
    facts_of: FactsOf, facts: dict[str, Any], text: str
) -> None:
    rubric = parse_rubric(text.encode(), "x.yaml", "own")
    sliced = facts_of(facts).with_columns(category=pl.lit("direct"), risk=pl.lit("high"))
    for scored in score_axes(sliced, rubric).values():
        found = scored.row(0, named=True)
        score, low, high = found["score"], found["score_low"], found["score_high"]
        if found["state"] in ("measured", "unmeasured"):
            assert 0 <= low <= high <= 1
        assert (score is not None) == (found["state"] == "measured")
        assert (found["passed"] is not None) == (found["state"] == "measured")
        if score is not None:
            assert low <= score <= high
    whole = item(sliced, rubric)
    assert (
        (whole["diagnosis"] is not None)
        or whole["passed"] is True
        or (whole["state"] == "not_applicable")
    )


@settings(max_examples=80)
@given(
    facts=any_facts(),
    levels=st.tuples(st.floats(0.01, 1.0), st.floats(0.01, 1.0)),
    name=st.sampled_from(["search", "evidence", "behavior"]),
)
def test_raising_a_threshold_never_makes_more_pass(
    facts_of: FactsOf, facts: dict[str, Any], levels: tuple[float, float], name: str
) -> None:
    order = {False: 0, None: 1, True: 2}
    low, high = sorted(levels)
    lenient, stern = (
        axis(facts_of(facts), name, claims(**{name: {"pass_at": level}})) for level in (low, high)
    )
    assert order[stern["passed"]] <= order[lenient["passed"]]
    assert stern["score_low"] == lenient["score_low"]


# --- which axes decide, and what is named first


def test_only_chosen_axes_decide_whether_an_item_passes(facts_of: FactsOf) -> None:
    facts = facts_of({"malformed_fields": ["source"], "ranks": [None]})
    assert item(facts, CLAIMS)["failed_axes"] == ["search", "format"]
    chosen = claims(**{"pass": {"rule": "chosen_axes", "axes": ("evidence", "behavior")}})
    found = item(facts, chosen)
    assert (found["passed"], found["state"], found["score"]) == (True, "measured", 1.0)
    assert (found["failed_axes"], found["diagnosis"]) == ([], None)
    assert (found["search_passed"], found["format_passed"]) == (False, False)
    one = item(facts, claims(**{"pass": {"rule": "chosen_axes", "axes": ("search",)}}))
    assert (one["passed"], one["failed_axes"], one["score"]) == (False, ["search"], 0.0)
    assert one["diagnosis"] is not None


def test_an_open_axis_that_does_not_decide_leaves_nothing_open(facts_of: FactsOf) -> None:
    facts = facts_of({"vital_open": ["r2"]})
    assert item(facts, CLAIMS)["state"] == "unmeasured"
    found = item(facts, claims(**{"pass": {"rule": "chosen_axes", "axes": ("search",)}}))
    assert (found["state"], found["passed"], found["diagnosis"]) == ("measured", True, None)


def test_an_item_that_no_chosen_axis_applies_to_is_not_applicable(facts_of: FactsOf) -> None:
    found = item(
        facts_of(NO_GOLD), claims(**{"pass": {"rule": "chosen_axes", "axes": ("search",)}})
    )
    assert (found["state"], found["passed"]) == ("not_applicable", None)


def test_the_rubric_may_name_other_causes_first(facts_of: FactsOf) -> None:
    facts = facts_of({"ranks": [None], "vital_met": [], "vital_contradicted": ["r1"]})
    usual = item(facts, CLAIMS)
    assert usual["also"] == ["retrieval_miss", "wrong_answer"]
    ordered = claims(**{"pass": {"diagnosis_order": ("wrong_answer",)}})
    found = item(facts, ordered)
    assert found["also"] == ["wrong_answer", "retrieval_miss"]
    assert (found["diagnosis"], found["where_to_mend"]) == ("wrong_answer", "generation")


def test_gold_in_doubt_stands_before_whatever_the_rubric_names_first(facts_of: FactsOf) -> None:
    facts = facts_of({"system_error": True, "gold_problem": "expired: d"})
    ordered = claims(**{"pass": {"diagnosis_order": ("system_error",)}})
    assert item(facts, ordered)["also"] == ["gold_problem", "system_error"]
