"""Batches of runs: whole runs, at most so many items, each key once."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.defs import progress
from rag_eval_pipeline.defs.keyed import BATCH_ITEMS, batch_items, batches, items_due
from rag_eval_pipeline.reading.errors import InputError

SIZES = st.lists(st.integers(0, 12), max_size=12)


def runs_of(sizes: list[int]) -> pl.DataFrame:
    return pl.DataFrame(
        {"run_id": [f"r{number:02}" for number in range(len(sizes))], "n_items": sizes},
        schema={"run_id": pl.String, "n_items": pl.Int64},
    )


def keys_of(runs: pl.DataFrame, rubrics: int = 1) -> pl.DataFrame:
    versions = pl.DataFrame({"rubric_version": [f"x@{number}" for number in range(rubrics)]})
    return runs.select("run_id").join(versions, how="cross")


@pytest.fixture(autouse=True)
def ten_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_EVAL_BATCH_ITEMS", "10")


@given(sizes=SIZES, rubrics=st.integers(1, 3))
def test_each_key_is_in_one_batch_and_no_batch_is_too_large_unless_it_is_one_run(
    sizes: list[int], rubrics: int
) -> None:
    runs = runs_of(sizes)
    keys = keys_of(runs, rubrics)
    found = list(batches(keys, runs))
    assert pl.concat([keys.clear(), *found]).equals(keys.sort("run_id", "rubric_version"))
    in_batches = [set(batch["run_id"]) for batch in found]
    assert sum(map(len, in_batches)) == len(set().union(*in_batches))
    for batch, run_ids in zip(found, in_batches, strict=True):
        assert items_due(batch, runs) <= 10 or len(run_ids) == 1


def test_a_batch_is_as_large_as_it_may_be() -> None:
    runs = runs_of([4, 6, 1, 9, 11, 3])
    assert [batch["run_id"].to_list() for batch in batches(keys_of(runs), runs)] == [
        ["r00", "r01"],
        ["r02", "r03"],
        ["r04"],
        ["r05"],
    ]


def test_whoever_listens_is_told_how_far_the_batches_are() -> None:
    told: list[progress.Batches] = []
    stop = progress.listen_to_batches(told.append)
    runs = runs_of([8, 8])
    for _ in batches(keys_of(runs), runs):
        pass
    stop()
    list(batches(keys_of(runs), runs))
    assert [(each.done, each.of, each.items_done, each.items) for each in told] == [
        (0, 2, 0, 16),
        (1, 2, 8, 16),
        (2, 2, 16, 16),
    ]


def test_without_a_number_a_batch_has_at_most_a_quarter_of_a_million_items(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAG_EVAL_BATCH_ITEMS", " ")
    assert batch_items() == BATCH_ITEMS == 250_000


@pytest.mark.parametrize("written", ["0", "-1", "1e5", "²"])
def test_another_text_is_an_error_that_shows_it(
    written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_EVAL_BATCH_ITEMS", written)
    with pytest.raises(InputError, match="RAG_EVAL_BATCH_ITEMS"):
        batch_items()


def test_heavier_work_has_smaller_batches() -> None:
    runs = runs_of([2, 2, 1, 5, 6])
    found = [batch["run_id"].to_list() for batch in batches(keys_of(runs), runs, weight=2)]
    assert found == [["r00", "r01", "r02"], ["r03"], ["r04"]]
