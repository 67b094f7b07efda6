import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.estimate import (
    BOOTSTRAP,
    MIN_TESTED_PAIRS,
    NEWCOMBE,
    estimate,
)
from rag_eval_pipeline.comparison.statistics.mcnemar import mcnemar
from rag_eval_pipeline.comparison.statistics.newcombe import newcombe
from tests.comparison.statistics.conftest import from_counts, from_differences


def test_pass_and_fail_of_one_trial_take_newcombe_and_mcnemar() -> None:
    found = estimate(from_counts(20, 6, 1, 3), seed="s", single_trial=True)
    assert (found.method, found.difference) == (NEWCOMBE, -5 / 30)
    assert (found.interval, found.p_value) == (newcombe(20, 6, 1, 3), mcnemar(6, 1))


def test_trials_and_shares_take_bootstrap_and_sign_flips() -> None:
    counted = from_counts(20, 6, 1, 3)
    assert estimate(counted, seed="s", single_trial=False).method == BOOTSTRAP
    assert estimate(from_differences([0.5, -1]), seed="s", single_trial=True).method == BOOTSTRAP


def test_variants_of_a_scenario_are_not_taken_for_independent_cases() -> None:
    differences = [-1.0] * 5 + [0.0] * 20
    scenarios = [f"s{number // 5}" for number in range(25)]
    alone = estimate(from_differences(differences), seed="s", single_trial=True)
    together = estimate(from_differences(differences, scenarios), seed="s", single_trial=True)
    assert alone.interval is not None
    assert alone.interval[1] < 0
    # One scenario of five failed: that may be chance.
    assert together.method == BOOTSTRAP
    assert together.interval is not None
    assert together.interval[1] == 0
    assert together.p_value == 1.0


def test_a_small_slice_is_not_tested_but_has_its_interval() -> None:
    for single_trial in (True, False):
        few = estimate(
            from_counts(2, 3, 0, 0),
            seed="s",
            single_trial=single_trial,
            min_tested=MIN_TESTED_PAIRS,
        )
        assert few.p_value is None
        assert few.interval is not None


def test_without_a_pair_there_is_nothing_to_estimate() -> None:
    for single_trial in (True, False):
        found = estimate(from_differences([]), seed="s", single_trial=single_trial)
        assert (found.difference, found.interval, found.p_value) == (None, None, None)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=25),
       st.booleans())  # fmt: skip
def test_swapping_the_sides_turns_everything_round(
    differences: list[float], single_trial: bool
) -> None:
    one = estimate(from_differences(differences), seed="s", single_trial=single_trial)
    other = estimate(
        from_differences([-d for d in differences]), seed="s", single_trial=single_trial
    )
    assert one.difference is not None
    assert other.difference == -one.difference
    assert other.p_value == one.p_value
    if one.interval is None:
        assert other.interval is None
    else:
        assert other.interval == pytest.approx((-one.interval[1], -one.interval[0]), abs=1e-12)
        assert one.interval[0] <= one.difference <= one.interval[1]
