import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.mcnemar import mcnemar
from rag_eval_pipeline.comparison.statistics.power import detectable_drop, needed_n
from tests.comparison.statistics.conftest import from_counts, from_differences

SOME = st.integers(0, 40)
DROPS = st.floats(0.005, 0.5)


def test_without_discordance_a_drop_needs_failures_enough_to_be_seen() -> None:
    drop = detectable_drop(from_counts(100, 0, 0, 0))
    assert drop == pytest.approx(0.0728, abs=1e-4)
    # Seven or eight failures of 100 are significant, two are not.
    assert mcnemar(7, 0) < 0.05 < mcnemar(2, 0)


def test_more_discordance_hides_larger_drops() -> None:
    calm, restless = from_counts(90, 5, 5, 0), from_counts(60, 20, 20, 0)
    assert (detectable_drop(calm) or 1) < (detectable_drop(restless) or 0)
    assert (needed_n(calm, 0.02) or 0) < (needed_n(restless, 0.02) or 0)


def test_discordance_decides_n() -> None:
    # (1.96 + 0.8416)² · 0.1 / 0.02²
    assert needed_n(from_counts(90, 5, 5, 0), 0.02) == 1963


def test_too_few_cases_can_show_no_drop_at_all() -> None:
    assert detectable_drop(from_counts(0, 5, 0, 0)) is None


def test_no_number_of_cases_shows_a_drop_of_nothing() -> None:
    assert needed_n(from_counts(9, 1, 0, 0), 0.0) is None


def test_without_a_pair_nothing_can_be_said() -> None:
    assert detectable_drop(from_differences([])) is None
    assert needed_n(from_differences([]), 0.02) is None


def test_cases_that_move_together_count_for_less() -> None:
    differences = [1.0, -1.0] * 20
    clusters = [f"s{number % 8}" for number in range(40)]
    alone, together = from_differences(differences), from_differences(differences, clusters)
    assert (detectable_drop(alone) or 0) < (detectable_drop(together) or 2)
    assert (needed_n(alone, 0.05) or 0) < (needed_n(together, 0.05) or 0)


@given(SOME, SOME, SOME, st.integers(1, 40))
def test_more_cases_show_smaller_drops(both: int, worse: int, better: int, neither: int) -> None:
    few = detectable_drop(from_counts(both, worse, better, neither))
    many = detectable_drop(from_counts(2 * both, 2 * worse, 2 * better, 2 * neither))
    assert (many or 2) < (few or 3)


@given(SOME, SOME, SOME, st.integers(1, 40), DROPS, DROPS)
def test_smaller_drops_need_more_cases(
    both: int, worse: int, better: int, neither: int, one: float, other: float
) -> None:
    pairs = from_counts(both, worse, better, neither)
    small, large = needed_n(pairs, min(one, other)), needed_n(pairs, max(one, other))
    assert small is not None
    assert large is not None
    assert small >= large


@given(SOME, SOME, SOME, st.integers(1, 40))
def test_the_drop_that_n_could_show_needs_that_n(
    both: int, worse: int, better: int, neither: int
) -> None:
    pairs = from_counts(both, worse, better, neither)
    drop = detectable_drop(pairs)
    if drop is not None:
        assert needed_n(pairs, drop) in (pairs.n, pairs.n + 1)
        assert needed_n(pairs, drop / 1.1) > pairs.n  # type: ignore[operator]


@given(SOME, SOME, SOME, SOME)
def test_swapping_the_sides_changes_nothing(
    both: int, worse: int, better: int, neither: int
) -> None:
    one, other = (
        from_counts(both, worse, better, neither),
        from_counts(both, better, worse, neither),
    )
    assert detectable_drop(one) == detectable_drop(other)
    assert needed_n(one, 0.02) == needed_n(other, 0.02)
