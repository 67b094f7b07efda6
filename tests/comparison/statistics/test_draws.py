from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.draws import Draws


def test_a_text_decides_the_draws() -> None:
    one, same, other = (Draws(seed).places(2, 50, 1000) for seed in ("a", "a", "b"))
    assert (one == same).all()
    assert (one != other).any()


def test_a_text_no_encoding_knows_is_a_seed_too() -> None:
    assert Draws("\ud800").places(1, 3, 10).shape == (1, 3)


def test_the_stream_never_changes() -> None:
    assert Draws("seed").places(1, 4, 1000).tolist() == [[765, 618, 199, 653]]
    assert Draws("seed").octets(3).tolist() == [76, 90, 222]
    thousand = np.full(4, 1000, dtype=np.int64)
    assert Draws("seed").binomial(thousand, 3, 10).tolist() == [310, 304, 288, 306]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 500))
def test_draws_lie_between_none_and_all(part: int, rest: int, least: int, range_: int) -> None:
    trials = np.arange(least, least + range_ + 1, dtype=np.int64)
    drawn = Draws("s").binomial(trials, part, part + rest)
    assert ((drawn >= 0) & (drawn <= trials)).all()


@pytest.mark.parametrize(("n", "part", "whole"), [(1, 1, 3), (7, 1, 2), (40, 3, 40), (60, 19, 20)])
def test_each_count_comes_as_often_as_it_should(n: int, part: int, whole: int) -> None:
    size = 100_000
    drawn = np.bincount(
        Draws("s").binomial(np.full(size, n, dtype=np.int64), part, whole), minlength=n + 1
    )
    p = part / whole
    expected = np.array([comb(n, k) * p**k * (1 - p) ** (n - k) * size for k in range(n + 1)])
    # Five standard deviations, and a few where almost none are expected.
    assert (np.abs(drawn - expected) <= 5 * np.sqrt(expected) + 5).all()


def test_each_bit_is_fair() -> None:
    octets = Draws("s").octets(10_001)
    assert len(octets) == 10_001
    bits = np.unpackbits(octets[:, None], axis=1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.025


def test_a_table_too_large_for_one_block_changes_nothing_of_the_law() -> None:
    trials = np.repeat(np.arange(100_000, 104_000, dtype=np.int64), 5)
    drawn = Draws("s").binomial(trials, 1, 2)
    standard = (drawn - trials / 2) / np.sqrt(trials / 4)
    assert abs(standard.mean()) < 0.04
    assert abs(standard.std() - 1) < 0.03


def test_places_are_even() -> None:
    counts = np.bincount(Draws("s").places(100, 700, 7).ravel(), minlength=7)
    assert len(counts) == 7
    assert np.abs(counts - 10_000).max() < 500
