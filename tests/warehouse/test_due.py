from __future__ import annotations

import polars as pl
import pytest

from rag_eval_pipeline.warehouse.due import data_version, due

RUNS = pl.DataFrame({"version": ["d", "d", "d"], "run": ["b", "a", None]})


def test_what_is_wanted_and_not_held_is_due_in_order() -> None:
    assert due(RUNS, RUNS.head(0)).rows() == [("d", None), ("d", "a"), ("d", "b")]
    assert due(RUNS, RUNS.filter(pl.col("run") == "a")).rows() == [("d", None), ("d", "b")]


def test_null_that_is_held_is_not_due() -> None:
    assert due(RUNS, RUNS).is_empty()


def test_a_key_wanted_twice_is_due_once() -> None:
    assert due(pl.concat([RUNS, RUNS]), RUNS.head(1)).height == 2


def test_held_keys_may_have_more_columns() -> None:
    held = RUNS.with_columns(pl.lit("x").alias("other")).head(1)
    assert due(RUNS, held).rows() == [("d", None), ("d", "a")]


def test_held_keys_without_a_wanted_column_are_an_error() -> None:
    with pytest.raises(ValueError, match="no column run"):
        due(RUNS, RUNS.select("version"))


def test_data_version_is_that_of_the_set_of_keys() -> None:
    version = data_version(RUNS)
    assert data_version(RUNS.reverse().select("run", "version")) == version
    assert data_version(pl.concat([RUNS, RUNS])) == version
    assert data_version(RUNS.head(2)) != version
    assert data_version(RUNS.with_columns(pl.col("run").fill_null("null"))) != version


def test_data_version_stays_what_it_was() -> None:
    # Written down: a change would make every stored data version stale.
    assert (
        data_version(pl.DataFrame({"run": ["é", None]}))
        == "832aed3020e887117989dac815f74ecf26dc26be1d123eb0bb11259c45f39570"
    )


def test_keys_that_could_be_run_together_differ() -> None:
    one = pl.DataFrame({"a": ["x,y"], "b": ["z"]})
    other = pl.DataFrame({"a": ["x"], "b": ["y,z"]})
    assert data_version(one) != data_version(other)
