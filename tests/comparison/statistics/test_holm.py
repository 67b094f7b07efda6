import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.holm import holm

P_VALUES = st.lists(st.none() | st.floats(0, 1), max_size=20)


def adjusted(p_values: list[float | None]) -> list[float | None]:
    frame = pl.DataFrame({"p": p_values}, schema={"p": pl.Float64})
    return frame.select(holm(pl.col("p"))).to_series().to_list()


def test_the_smallest_p_counts_for_the_whole_family() -> None:
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_equal_p_values_stay_equal() -> None:
    assert adjusted([0.02, 0.3, 0.02]) == pytest.approx([0.06, 0.3, 0.06])


def test_what_was_not_tested_does_not_count() -> None:
    assert adjusted([None, 0.04, None]) == [None, 0.04, None]
    assert adjusted([None]) == [None]
    assert adjusted([]) == []


def test_each_group_is_a_family() -> None:
    frame = pl.DataFrame({"family": ["a", "b", "a", "b", "c"], "p": [0.02, 0.5, 0.01, None, None]})
    found = frame.select(holm(pl.col("p")).over("family")).to_series()
    assert found.to_list() == pytest.approx([0.02, 0.5, 0.02, None, None])


@given(P_VALUES)
def test_it_only_raises_and_keeps_the_order(p_values: list[float | None]) -> None:
    found = adjusted(p_values)
    known = [(p, q) for p, q in zip(p_values, found, strict=True) if p is not None]
    assert [q is None for q in found] == [p is None for p in p_values]
    assert all(q is not None and p <= q <= 1 for p, q in known)
    raised = [q for _, q in sorted(known, key=lambda pair: pair[0])]
    assert raised == sorted(raised, key=lambda q: q or 0.0)


@pytest.mark.parametrize("size", [1, 4, 31])
def test_it_agrees_with_statsmodels(size: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p_values = [(0.37 * number) ** 2 % 1 / 5 for number in range(1, size + 1)]
    theirs = multitest.multipletests(p_values, method="holm")[1]
    assert adjusted([*p_values]) == pytest.approx(theirs.tolist(), abs=1e-12)
