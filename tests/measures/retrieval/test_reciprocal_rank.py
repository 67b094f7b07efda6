import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.measures.retrieval.reciprocal_rank import reciprocal_rank

Ranks = list[int | None]


def measured(*lists: Ranks) -> list[float | None]:
    frame = pl.DataFrame({"ranks": lists}, schema={"ranks": pl.List(pl.Int64)})
    return frame.select(reciprocal_rank(pl.col("ranks"))).to_series().to_list()


def test_the_first_covered_group_decides() -> None:
    assert measured([3, 2, None], [1, 5]) == [0.5, 1.0]


def test_gold_that_was_not_retrieved_is_0_and_no_gold_is_null() -> None:
    assert measured([None, None], []) == [0.0, None]


@given(st.lists(st.lists(st.none() | st.integers(1, 10_000), max_size=5), min_size=1, max_size=5))
def test_it_equals_one_over_the_smallest_rank(lists: list[Ranks]) -> None:
    for found, ranks in zip(measured(*lists), lists, strict=True):
        there = [rank for rank in ranks if rank is not None]
        if not ranks:
            assert found is None
        else:
            assert found == pytest.approx(1 / min(there) if there else 0.0, abs=1e-12)
