from math import comb

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.mcnemar import mcnemar, mcnemar_column

SOME = st.integers(0, 300)


def exact(worse: int, better: int) -> float:
    m = worse + better
    tail = sum(comb(m, k) for k in range(min(worse, better) + 1))
    return min(1.0, 2 * tail / 2**m)


@given(SOME, SOME)
def test_it_is_the_exact_tail(worse: int, better: int) -> None:
    assert mcnemar(worse, better) == pytest.approx(exact(worse, better), rel=1e-11)
    assert mcnemar(worse, better) == mcnemar(better, worse)


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (1, 1), (1, 2), (50, 50), (5000, 5001)])
def test_an_even_split_is_no_evidence(worse: int, better: int) -> None:
    assert mcnemar(worse, better) == 1.0


def test_many_changed_pairs_stay_on_the_scale() -> None:
    assert 0.0 <= mcnemar(0, 100_000) <= 1e-300
    # Normal approximation with continuity: z = 1.9953.
    assert mcnemar(49_684, 50_316) == pytest.approx(0.0460, abs=1e-4)


@given(st.lists(st.tuples(st.none() | SOME, st.none() | SOME), max_size=30))
def test_a_column_holds_what_each_row_gives(rows: list[tuple[int | None, int | None]]) -> None:
    worse = pl.Series("worse", [row[0] for row in rows], dtype=pl.Int64)
    better = pl.Series("better", [row[1] for row in rows], dtype=pl.Int64)
    found = mcnemar_column(worse, better)
    assert found.dtype == pl.Float64
    assert found.to_list() == [None if None in row else mcnemar(*row) for row in rows]
