import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.tolerance import tolerance, trial_variance


def trials(*cases: list[float | None]) -> pl.DataFrame:
    rows = [(f"case-{n}", value) for n, values in enumerate(cases) for value in values]
    return pl.DataFrame(rows, schema={"case_id": pl.String, "value": pl.Float64}, orient="row")


def test_the_variance_of_a_mean_comes_from_within_the_cases() -> None:
    # Sample variances 0.5 and 1/3; 2 and 4 trials; 2 cases.
    assert trial_variance(trials([0, 1], [1, 0, 0, 0])) == pytest.approx((0.5 / 2 + 0.25 / 4) / 4)


def test_cases_may_differ_as_they_like() -> None:
    assert trial_variance(trials([1, 1, 1], [0, 0, 0])) == 0


def test_single_trials_tell_nothing() -> None:
    assert trial_variance(trials([0], [1])) == 0
    assert trial_variance(trials()) == 0


def test_a_case_of_one_trial_varies_as_the_others_do() -> None:
    assert trial_variance(trials([0, 1], [1])) == pytest.approx((0.5 / 2 + 0.5) / 4)


def test_an_unmeasured_trial_is_none() -> None:
    assert trial_variance(trials([0, 1, None])) == trial_variance(trials([0, 1]))


def test_trials_widen_the_tolerance() -> None:
    assert tolerance(0.02) == 0.02
    assert tolerance(0.02, baseline=1e-6, candidate=1e-6) == 0.02
    assert tolerance(0.02, baseline=0.0003, candidate=0.0001) == pytest.approx(1.96 * 0.02)


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=5), min_size=1))
def test_more_trials_of_the_same_kind_lower_it(cases: list[list[float]]) -> None:
    once, thrice = trial_variance(trials(*cases)), trial_variance(trials(*(3 * c for c in cases)))
    assert thrice <= once
