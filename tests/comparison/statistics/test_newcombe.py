import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.newcombe import newcombe

SOME = st.integers(0, 200)


@pytest.mark.parametrize(
    ("counts", "interval"),
    [
        # Airway hyper-responsiveness before and after transplantation (Bentur et al. 2009).
        ((1, 7, 1, 12), (-0.507, -0.026)),
        # Complete response before and after consolidation therapy (Cavo et al. 2012).
        ((59, 16, 6, 80), (-0.119, -0.005)),
    ],
)
def test_published_examples_are_met(
    counts: tuple[int, int, int, int], interval: tuple[float, float]
) -> None:
    """Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014) 2850-2875."""
    assert newcombe(*counts) == pytest.approx(interval, abs=5e-4)


def test_without_a_pair_there_is_no_interval() -> None:
    assert newcombe(0, 0, 0, 0) is None


@given(SOME, SOME, SOME, SOME)
def test_it_contains_the_difference_and_stays_on_the_scale(
    both: int, worse: int, better: int, neither: int
) -> None:
    found = newcombe(both, worse, better, neither)
    if found is not None:
        difference = (better - worse) / (both + worse + better + neither)
        assert -1 <= found[0] <= difference <= found[1] <= 1


@given(SOME, SOME, SOME, SOME)
def test_swapping_the_sides_mirrors_it(both: int, worse: int, better: int, neither: int) -> None:
    found, swapped = newcombe(both, worse, better, neither), newcombe(both, better, worse, neither)
    if found is not None:
        assert swapped == pytest.approx((-found[1], -found[0]), abs=1e-12)


@given(SOME, SOME, SOME, SOME)
def test_pass_and_fail_may_change_names(both: int, worse: int, better: int, neither: int) -> None:
    found, renamed = newcombe(both, worse, better, neither), newcombe(neither, better, worse, both)
    if found is not None:
        assert renamed == pytest.approx((-found[1], -found[0]), abs=1e-12)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 30), st.integers(0, 30))
def test_ten_times_the_cases_narrow_it(both: int, worse: int, better: int, neither: int) -> None:
    few = newcombe(both, worse, better, neither)
    many = newcombe(10 * both, 10 * worse, 10 * better, 10 * neither)
    assert few is not None
    assert many is not None
    assert many[1] - many[0] < few[1] - few[0]
