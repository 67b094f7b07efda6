"""List columns from values that lie one after the other."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.lists import listed


@given(st.lists(st.lists(st.text(max_size=20) | st.none(), max_size=4)))
def test_cutting_undoes_laying_one_after_the_other(lists: list[list[str | None]]) -> None:
    values = pl.Series("id", [each for part in lists for each in part], dtype=pl.String)
    found = listed(values, pl.Series(map(len, lists), dtype=pl.UInt32))
    assert found.to_list() == lists
    assert (found.name, found.dtype) == ("id", pl.List(pl.String))


def test_values_in_several_chunks_are_one_column() -> None:
    chunked = pl.concat([pl.Series([1]), pl.Series([2, 3])], rechunk=False)
    assert listed(chunked, pl.Series([2, 0, 1])).to_list() == [[1, 2], [], [3]]
