from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.mcnemar import mcnemar
from rag_eval_pipeline.comparison.statistics.sign_flip import sign_flip
from tests.comparison.statistics.conftest import from_counts, from_differences

SIXTHS = st.integers(-6, 6).map(lambda sixths: sixths / 6)
MANY = [((37 * number) % 101 - 45) / 101 for number in range(101)]


@settings(deadline=None)
@given(st.lists(SIXTHS, min_size=1, max_size=8))
def test_up_to_twenty_differences_every_pattern_counts(differences: list[float]) -> None:
    sixths = [round(6 * d) for d in differences]
    sums = [
        sum(sign * value for sign, value in zip(signs, sixths, strict=True))
        for signs in product((1, -1), repeat=len(sixths))
    ]
    expected = sum(abs(total) >= abs(sum(sixths)) for total in sums) / len(sums)
    assert sign_flip(from_differences(differences), seed="s") == expected


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (5, 0), (6, 0), (4, 16)])
def test_of_pass_and_fail_it_is_mcnemar(worse: int, better: int) -> None:
    found = sign_flip(from_counts(50, worse, better, 7), seed="s")
    assert found == pytest.approx(mcnemar(worse, better), abs=1e-12)


@pytest.mark.parametrize(("worse", "better"), [(20, 8), (30, 25), (40, 10)])
def test_drawn_patterns_come_near_the_exact_p(worse: int, better: int) -> None:
    found = sign_flip(from_counts(50, worse, better, 7), seed="s")
    assert found == pytest.approx(mcnemar(worse, better), abs=0.012)


def test_drawn_p_is_never_zero() -> None:
    assert sign_flip(from_counts(0, 500, 0, 0), seed="s") == 1 / 20_001


@pytest.mark.parametrize(
    ("differences", "p"),
    [(MANY, 0.08934553272336383), ([-1.0] * 30 + [0.5] * 20, 0.0008499575021248938)],
)
def test_the_same_seed_gives_the_same_bits_everywhere(differences: list[float], p: float) -> None:
    assert sign_flip(from_differences(differences), seed="比較 7") == p
    assert sign_flip(from_differences(differences[::-1]), seed="比較 7") == p
    assert sign_flip(from_differences([-d for d in differences]), seed="比較 7") == p


def test_the_cases_of_a_cluster_flip_together() -> None:
    clusters = [f"s{number // 4}" for number in range(12)]
    assert sign_flip(from_differences([-0.5] * 12), seed="s") == 2 / 2**12
    assert sign_flip(from_differences([-0.5] * 12, clusters), seed="s") == 2 / 2**3


def test_thirds_that_cancel_are_a_tie() -> None:
    # 1/23 is no whole number of parts.
    assert sign_flip(from_differences([1 / 23, 1 / 23, -2 / 23]), seed="s") == 1.0


def test_without_a_pair_there_is_no_p() -> None:
    assert sign_flip(from_differences([]), seed="s") is None


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_p_is_a_share(differences: list[float]) -> None:
    found = sign_flip(from_differences(differences), seed="s")
    assert found is not None
    assert 0 < found <= 1
