from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.gate.decide import Decision, decide, worst
from rag_eval_pipeline.comparison.gate.facts import CaseFacts, GateFacts, RunFigures
from rag_eval_pipeline.comparison.gate.policy import parse_policy
from tests.comparison.gate.compared import KNOWN, UNMEASURED, case, facts, row


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
    nothing: dict[str, Any] = {"n_core": 0, "n_pairs": 0, "difference": None}
    given = facts(row("search", "insufficient_data", **nothing))
    assert outcome(decided("", given), "max_drop of search") == "not_applicable"
    assert decided("", given).exit_code == 0
    assert decided("axes: {search: {max_drop: 1}}", given).exit_code == 3
    # As a whole every case has a result: a core without any is no core of this gate.
    assert decided("", facts(row("overall", "insufficient_data", **nothing))).exit_code == 3


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
    given = facts(reference_differences=("snapshot_id: aa → bb",))
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
    now_figures, before_figures = RunFigures(**{figure: now}), RunFigures(**{figure: before})
    given = facts(candidate=now_figures, pair_candidate=now_figures, pair_baseline=before_figures)
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


FIRST = {
    "state": "no_baseline",
    "reason_code": "no_earlier_run",
    "reason": "there is no earlier run",
    "baseline_run": None,
    "n_core": 0,
}


def test_a_first_run_passes_only_where_the_policy_lets_it_and_is_told_what_to_do_else() -> None:
    decision = decided("", facts(**FIRST))
    assert decision.exit_code == 3
    comparable = next(each for each in decision.outcomes if each.rule == "comparable")
    assert "allow_no_baseline" in comparable.reason
    allowed = decided("allow_no_baseline: yes", facts(**FIRST))
    assert allowed.exit_code == 0
    assert outcome(allowed, "comparable") == "warned"
    assert outcome(allowed, "max_drop of search") == "not_applicable"


@pytest.mark.parametrize(
    ("given", "policy", "exit_code"),
    [
        # A baseline that somebody named and that is not there is no first run.
        ({"reason_code": "pinned_absent"}, "", 3),
        ({"reason_code": "baseline_gone"}, "", 3),
        ({"state": "refused", "reason_code": "same_run"}, "", 3),
        # Nor does a first run pass that has nothing to show.
        ({"known_slices": frozenset()}, "", 3),
        ({}, "require_identical: yes", 3),
        ({}, "run: {max_cost_usd: 1}", 3),
        ({}, "run: {max_cost_per_item_rise: 1}", 0),
        ({"cases": (case(change=None, sides=(None, None, "measured", False), risk="high"),)},
         "risk: {high: {must_pass: yes}}", 1),
    ],
)  # fmt: skip
def test_a_first_run_that_may_pass_is_held_to_all_that_needs_no_baseline(
    given: dict[str, Any], policy: str, exit_code: int
) -> None:
    text = f"allow_no_baseline: yes\n{policy}"
    assert decided(text, facts(**(FIRST | given))).exit_code == exit_code


@pytest.mark.parametrize(("n_open", "exit_code"), [(5, 0), (6, 3), (50, 3)])
def test_a_first_run_must_be_measured_too(n_open: int, exit_code: int) -> None:
    sides = (None, None, "unmeasured", None)
    cases = tuple(case(f"q{number}", change=None, sides=sides) for number in range(n_open))
    given = facts(cases=cases, **FIRST)
    assert decided("allow_no_baseline: yes", given).exit_code == exit_code


def test_what_is_missing_or_open_is_never_passed_over_in_silence() -> None:
    cases = (
        case("a", change="missing", sides=("measured", True, "missing", None)),
        case("b", change="unmeasured", sides=UNMEASURED),
        case("c", change="unmeasured", sides=("measured", True, "held_out", None)),
    )
    decision = decided("", facts(cases=cases))
    assert decision.exit_code == 0
    told = next(each for each in decision.outcomes if each.rule == "complete")
    assert (told.outcome, told.case_ids) == ("warned", ("a", "b"))
    assert told.reason == "1 missing and 1 open of 50 cases"
    assert [(each.case_id, each.said) for each in decision.cases] == [
        ("a", "missing"),
        ("b", "not measured on both sides"),
    ]


def test_a_comparison_without_any_gated_case_does_not_pass() -> None:
    decision = decided("axes: {overall: {must_pass: yes}}", facts(known_slices=frozenset()))
    assert decision.exit_code == 3
    assert outcome(decision, "must_pass of overall") == "undecided"


def test_a_mix_that_turns_the_sign_is_warned_of() -> None:
    decision = decided("", facts(row("overall", "better", difference=0.1, simpson=True)))
    assert outcome(decision, "mix") == "warned"
    assert not any(each.rule == "mix" for each in decided("", facts()).outcomes)


def test_a_slice_too_small_for_a_verdict_leaves_a_drop_rule_undecided() -> None:
    small = row(dimension="category", slice="direct", verdict=None, n_core=3, n_pairs=3)
    decision = decided("slices: {category: {direct: {max_drop: 0}}}", facts(small))
    assert decision.exit_code == 3
    assert decision.outcomes[0].reason.startswith("n = 3, 0.0 points: too few for a verdict")


def test_without_the_row_of_the_whole_nothing_passes() -> None:
    given = GateFacts("tonight", "yesterday", "compared", n_core=9, slices=(row("search"),),
                      known_slices=frozenset({("risk", "low")}))  # fmt: skip
    decision = decided("", given)
    assert decision.exit_code == 3
    assert outcome(decision, "min_measured of overall") == "undecided"
    assert outcome(decision, "max_drop of evidence") == "not_applicable"


def test_a_sum_of_what_some_items_logged_can_break_a_ceiling_and_not_hold_one() -> None:
    figures = RunFigures(cost_usd=2.0, at_least={"cost_usd": "logged for 3 of 10 items only"})
    given = facts(candidate=figures)
    assert decided("run: {max_cost_usd: 1}", given).exit_code == 1
    decision = decided("run: {max_cost_usd: 3}", given)
    assert decision.exit_code == 3
    assert decision.outcomes[0].reason.endswith("logged for 3 of 10 items only")


def test_why_a_figure_is_not_known_is_told() -> None:
    figures = RunFigures(notes={"latency_p95_ms": "12 items are too few for it"})
    decision = decided("run: {max_latency_p95_ms: 3}", facts(candidate=figures))
    assert decision.outcomes[0].reason.endswith(": 12 items are too few for it")


def test_a_case_outside_of_the_headline_is_seen_by_rules_on_its_split_alone() -> None:
    test = CaseFacts("t", "overall", {"risk": "high", "split": "test"}, "regressed",
                     "measured", True, "measured", False, in_headline=False)  # fmt: skip
    given = facts(cases=(test,), known_slices=KNOWN | {("split", "test")})
    assert decided("axes: {overall: {must_pass: yes}}", given).exit_code == 0
    assert decided("", given).cases == ()
    decision = decided("slices: {split: {test: {max_new_failures: 0}}}", given)
    assert decision.exit_code == 1
    assert [each.case_id for each in decision.cases] == ["t"]


@pytest.mark.parametrize(("codes", "expected"), [([], 0), ([0, 0], 0), ([0, 3], 3), ([3, 1, 0], 1)])
def test_of_several_decisions_the_worst_counts(codes: list[int], expected: int) -> None:
    assert worst(codes) == expected
