from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.gate.decide import Decision, decide
from rag_eval_pipeline.comparison.gate.facts import GateFacts, RunFigures
from rag_eval_pipeline.comparison.gate.policy import parse_policy
from tests.comparison.gate.compared import UNMEASURED, case, facts, row


def decided(text: str, given: GateFacts) -> Decision:
    return decide(parse_policy(text.encode(), "gate.yaml"), given)


def outcome(decision: Decision, rule: str) -> str:
    found = [each.outcome for each in decision.outcomes if each.rule == rule]
    assert len(found) == 1
    return found[0]


def test_a_run_that_lost_nothing_passes() -> None:
    decision = decided("", facts())
    assert decision.exit_code == 0
    assert decision.cases == ()
    assert {each.outcome for each in decision.outcomes} == {"passed"}


@pytest.mark.parametrize(
    ("verdict", "policy", "exit_code", "told"),
    [
        ("better", "", 0, "passed"),
        ("within_noise", "", 0, "passed"),
        ("worse", "", 1, "failed"),
        ("worse", "axes: {search: {max_drop: 4.9}}", 1, "failed"),
        ("worse", "axes: {search: {max_drop: 5}}", 0, "warned"),
        ("inconclusive", "", 0, "warned"),
        ("inconclusive", "require_conclusive: yes", 3, "undecided"),
        ("insufficient_data", "", 3, "undecided"),
        (None, "", 3, "undecided"),
    ],
)
def test_a_drop_rule_follows_the_verdict(
    verdict: str | None, policy: str, exit_code: int, told: str
) -> None:
    # 0.9 - 0.85 is a hair more than 0.05.
    decision = decided(policy, facts(row("search", verdict, difference=0.85 - 0.9)))
    assert decision.exit_code == exit_code
    assert outcome(decision, "max_drop of search") == told


def test_a_verdict_without_a_difference_is_not_taken_for_a_small_drop() -> None:
    given = facts(row("search", "worse", difference=None))
    assert decided("axes: {search: {max_drop: 100}}", given).exit_code == 1


def test_an_axis_that_applies_to_no_case_is_not_held_against_a_default_but_against_a_wish() -> None:
    given = facts(row("search", "insufficient_data", n_core=0, n_pairs=0, difference=None))
    assert outcome(decided("", given), "max_drop of search") == "not_applicable"
    assert decided("", given).exit_code == 0
    assert decided("axes: {search: {max_drop: 1}}", given).exit_code == 3


COUNT = "axes: {overall: {max_new_failures: 1}}"


@pytest.mark.parametrize(
    ("cases", "exit_code"),
    [
        ((case("a"),), 0),
        ((case("a"), case("b")), 1),
        # The same case on another axis is one case.
        ((case("a"), case("a", "search")), 0),
        # One more could have failed: nobody knows.
        ((case("a"), case("b", change="unmeasured", sides=UNMEASURED)), 3),
        ((case("a"), case("b", change="missing", sides=("measured", True, "missing", None))), 3),
        ((case("a"), case("b", change="unmeasured", sides=("unmeasured", None) * 2)), 3),
        # What is known rules these out.
        ((case("a"), case("b", change="unmeasured", sides=("measured", False, "unmeasured", None))),
         0),
        ((case("a"), case("b", change="unmeasured", sides=("unmeasured", None, "measured", True))),
         0),
        ((case("a"), case("b", change="missing", sides=("missing", None, "measured", False))), 0),
        ((case("a"), case("b", change="unmeasured", sides=("measured", True, "held_out", None))),
         0),
        ((case("a"), case("b", change="unmeasured",
                          sides=("not_applicable", None, "measured", False))), 0),
        ((case("a"), case("b", change="gold_changed", sides=(None, None, "measured", False))), 0),
        ((case("a"), case("b", change="new", sides=(None, None, "measured", False))), 0),
    ],
)  # fmt: skip
def test_new_failures_are_counted_and_what_is_open_could_be_one(
    cases: tuple[Any, ...], exit_code: int
) -> None:
    assert decided(COUNT, facts(cases=cases)).exit_code == exit_code


def test_a_count_rule_works_at_any_n_and_whatever_the_verdict() -> None:
    given = facts(
        row("overall", "inconclusive", n_core=3, n_pairs=3, difference=-1 / 3),
        cases=(case("a", risk="high", reason="said 3 days, gold says 5"),),
        n_core=3,
    )
    decision = decided("", given)
    assert decision.exit_code == 1
    assert outcome(decision, "max_new_failures of overall in risk high") == "failed"
    assert decision.outcomes[0].case_ids == ("a",)


def test_a_new_failure_of_low_risk_is_shown_though_the_policy_lets_it() -> None:
    decision = decided("", facts(cases=(case("a"),)))
    assert decision.exit_code == 0
    assert [(each.case_id, each.outcome) for each in decision.cases] == [("a", "warned")]


@pytest.mark.parametrize(
    ("sides", "exit_code"),
    [
        (("measured", False, "measured", False), 1),
        ((None, None, "measured", False), 1),
        (("measured", True, "missing", None), 1),
        ((None, None, "unmeasured", None), 3),
        ((None, None, "measured", None), 3),
        (("measured", False, "held_out", None), 0),
        (("measured", False, "not_applicable", None), 0),
    ],
)
def test_must_pass_looks_at_the_candidate_alone(sides: Any, exit_code: int) -> None:
    policy = "risk: {high: {must_pass: yes, max_new_failures: off}}"
    failing = facts(cases=(case("a", change=None, sides=sides, risk="high"),))
    assert decided(policy, failing).exit_code == exit_code
    other = facts(cases=(case("a", change=None, sides=sides, risk="low"),))
    assert decided(policy, other).exit_code == 0


@pytest.mark.parametrize(("n_pairs", "exit_code"), [(45, 0), (44, 3), (0, 3)])
def test_too_few_measured_cases_are_no_pass(n_pairs: int, exit_code: int) -> None:
    open_ = case("z", change="unmeasured", sides=UNMEASURED)
    decision = decided("", facts(row(n_pairs=n_pairs), cases=(open_,)))
    assert decision.exit_code == exit_code
    named = [each.case_ids for each in decision.outcomes if each.rule == "min_measured of overall"]
    assert named == [("z",) if exit_code else ()]


@pytest.mark.parametrize("state", ["refused", "no_baseline", "insufficient_data"])
@pytest.mark.parametrize("policy", ["", "axes: {overall: {max_drop: off, min_measured: off}}"])
def test_what_was_not_compared_never_passes(state: str, policy: str) -> None:
    given = facts(state=state, reason="no case is unchanged on both sides", n_core=0)
    decision = decided(policy, given)
    assert decision.exit_code == 3
    comparable = next(each for each in decision.outcomes if each.rule == "comparable")
    assert comparable.reason == f"{state.replace('_', ' ')}: no case is unchanged on both sides"


def test_a_refused_comparison_fails_on_what_its_lists_show() -> None:
    given = facts(state="refused", reason="core too small", cases=(case("a", risk="high"),))
    assert decided("", given).exit_code == 1


def test_a_verdict_that_stands_beside_a_refusal_is_not_used() -> None:
    given = facts(row("search", "worse", difference=-0.5), state="refused")
    assert decided("axes: {search: {max_drop: 1}}", given).exit_code == 3


def test_ceilings_hold_without_a_baseline() -> None:
    slow = facts(state="no_baseline", candidate=RunFigures(latency_p95_ms=5000.0))
    assert decided("run: {max_latency_p95_ms: 4000}", slow).exit_code == 1
    assert decided("run: {max_latency_p95_ms: 6000}", slow).exit_code == 3


def test_identical_references_can_be_required() -> None:
    given = facts(differences=("snapshot: aa → bb",))
    assert decided("", given).exit_code == 0
    assert decided("require_identical: yes", given).exit_code == 3
    assert decided("require_identical: yes", facts()).exit_code == 0


@pytest.mark.parametrize(
    ("key", "limit", "figure", "before", "now", "exit_code"),
    [
        ("max_missing", 1, "n_missing", None, 1, 0),
        ("max_missing", 1, "n_missing", None, 2, 1),
        ("max_system_errors", 0, "n_system_errors", None, 1, 1),
        ("max_error_rate", 0.1, "error_rate", None, 0.1, 0),
        ("max_error_rate_rise", 2, "error_rate", 0.1, 0.12, 0),
        ("max_error_rate_rise", 2, "error_rate", 0.1, 0.13, 1),
        ("max_error_rate_rise", 2, "error_rate", 0.5, 0.1, 0),
        ("min_citation_rate", 0.9, "citation_rate", None, 0.9, 0),
        ("min_citation_rate", 0.9, "citation_rate", None, 0.8, 1),
        ("max_citation_rate_drop", 5, "citation_rate", 0.9, 0.85, 0),
        ("max_citation_rate_drop", 5, "citation_rate", 0.9, 0.8, 1),
        ("max_citation_rate_drop", 5, "citation_rate", 0.8, 0.9, 0),
        ("max_latency_p50_rise", 20, "latency_p50_ms", 1000, 1200, 0),
        ("max_latency_p50_rise", 20, "latency_p50_ms", 1000, 1201, 1),
        ("max_latency_p95_rise", 20, "latency_p95_ms", 0, 1, 1),
        ("max_latency_p95_rise", 20, "latency_p95_ms", 0, 0, 0),
        ("max_latency_p95_rise", 20, "latency_p95_ms", 0.2, 0.1, 0),
        ("max_cost_usd", 3, "cost_usd", None, 3.5, 1),
        ("max_cost_per_item_usd", 0.01, "cost_per_item_usd", None, 0.01, 0),
        ("max_cost_per_item_rise", 10, "cost_per_item_usd", 0.01, 0.02, 1),
        # What is not logged is not known.
        ("max_cost_usd", 3, "cost_usd", 1.0, None, 3),
        ("max_cost_per_item_rise", 10, "cost_per_item_usd", None, 0.02, 3),
        ("max_latency_p95_ms", 10, "latency_p95_ms", None, float("nan"), 3),
        ("max_latency_p95_rise", 10, "latency_p95_ms", float("inf"), 3.0, 3),
    ],
)
def test_figures_of_the_run_have_ceilings_floors_and_largest_moves(
    key: str, limit: float, figure: str, before: Any, now: Any, exit_code: int
) -> None:
    given = facts(candidate=RunFigures(**{figure: now}), baseline=RunFigures(**{figure: before}))
    assert decided(f"run: {{{key}: {limit}}}", given).exit_code == exit_code


def test_a_slice_that_no_case_is_in_is_told_with_the_nearest() -> None:
    decision = decided("slices: {category: {drect: {max_new_failures: 0}}}", facts())
    assert decision.exit_code == 3
    assert "did you mean 'direct'?" in decision.outcomes[0].reason
    without_high = facts(known_slices=frozenset({("risk", "low")}))
    assert decided("", without_high).exit_code == 0


def test_a_rule_of_a_slice_looks_at_its_cases_and_its_row() -> None:
    sliced = row(dimension="category", slice="direct", verdict="worse", difference=-0.2)
    policy = "slices: {category: {direct: {max_drop: 10}}}"
    assert decided(policy, facts(sliced)).exit_code == 1
    policy = "slices: {category: {direct: {max_new_failures: 0}}, language: {ja: {must_pass: yes}}}"
    decision = decided(policy, facts(cases=(case("a"),)))
    assert outcome(decision, "max_new_failures of overall in category direct") == "failed"
    assert outcome(decision, "must_pass of overall in language ja") == "passed"


def test_a_known_failure_outranks_what_is_not_known() -> None:
    given = facts(
        row("search", "insufficient_data"),
        row("evidence", "inconclusive"),
        cases=(case("a", risk="high"),),
    )
    decision = decided("", given)
    assert decision.exit_code == 1
    order = [each.outcome for each in decision.outcomes]
    assert order[:3] == ["failed", "undecided", "warned"]
    assert decision.sentence == "blocked: 1 of 8 rules failed, 1 undecided, 1 warned"


def test_failing_cases_stand_first_and_among_them_those_of_high_risk() -> None:
    cases = (
        case("a", risk="low"),
        case("b", risk="medium", change="unmeasured", sides=UNMEASURED),
        case("c", "search", risk="low"),
        case("d", risk="high"),
        case("d", "evidence", risk="high", reason="two days said, five in the gold"),
    )
    policy = """
axes: {search: {max_new_failures: 0}}
risk: {medium: {max_new_failures: 0}, high: {max_new_failures: 0}}
"""
    decision = decided(policy, facts(cases=cases))
    assert [(each.case_id, each.outcome) for each in decision.cases] == [
        ("d", "failed"),
        ("c", "failed"),
        ("b", "undecided"),
        ("a", "warned"),
    ]
    first = decision.cases[0]
    assert (first.axes, first.reason) == (("evidence",), "two days said, five in the gold")
    assert first.rules == ("max_new_failures of overall in risk high",)


@given(
    st.lists(
        st.builds(
            lambda name, risk, known: case(
                name,
                risk=risk,
                change="regressed" if known else "unmeasured",
                sides=("measured", True, "measured", False) if known else UNMEASURED,
            ),
            st.sampled_from("abcdef"),
            st.sampled_from(["high", "low"]),
            st.booleans(),
        ),
        unique_by=lambda each: each.case_id,
    ),
    st.integers(0, 4),
)
def test_knowing_more_never_turns_a_failure_into_a_pass(cases: list[Any], limit: int) -> None:
    text = "risk: {high: {max_new_failures: off}}"
    policy = f"{text}\naxes: {{overall: {{max_new_failures: {limit}}}}}"
    now = decided(policy, facts(cases=tuple(cases))).exit_code
    known = [each for each in cases if each.is_new_failure]
    at_best = decided(policy, facts(cases=tuple(known))).exit_code
    at_worst = decided(policy, facts(cases=tuple(case(each.case_id) for each in cases))).exit_code
    assert {at_best, at_worst} <= {0, 1}
    assert now == (at_best if at_best == at_worst else 3)
