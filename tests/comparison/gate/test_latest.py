"""Which runs are judged where nobody names one."""

import datetime as dt
from typing import Any

import polars as pl

from rag_eval_pipeline.comparison.gate.latest import latest_runs


def latest(*rows: tuple[Any, ...], drafts: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    schema = {"dataset_version": pl.String, "run_id": pl.String, "system": pl.String,
              "day": pl.Int64, "complete": pl.Boolean}  # fmt: skip
    runs = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        started_at=pl.col("day").map_elements(
            lambda day: dt.datetime(2026, 5, day, tzinfo=dt.UTC),
            return_dtype=pl.Datetime("us", "UTC"),
        ),
    )
    versions = runs["dataset_version"].unique().to_list()
    known = pl.DataFrame(
        {"dataset_version": versions, "draft": [version in drafts for version in versions]},
        schema={"dataset_version": pl.String, "draft": pl.Boolean},
    )
    return list(latest_runs(runs, known).iter_rows())


def test_each_system_is_judged_by_its_last_run_on_any_version_of_a_dataset() -> None:
    assert latest(
        ("faq@v1", "a1", "a", 1, True),
        ("faq@v1", "a2", "a", 2, True),
        ("faq@v2", "a3", "a", 3, True),
        ("faq@v1", "b1", "b", 1, True),
        ("other@v1", "o1", "a", 1, True),
    ) == [("faq@v1", "b1", True), ("faq@v2", "a3", True), ("other@v1", "o1", True)]


def test_drafts_are_a_line_of_their_own() -> None:
    rows = (("faq@v1", "a1", "a", 1, True), ("faq@v2", "a2", "a", 2, True))
    assert [run for _, run, _ in latest(*rows, drafts=("faq@v2",))] == ["a1", "a2"]


def test_a_run_that_broke_off_does_not_hide_behind_the_one_before_it() -> None:
    rows = (("faq@v1", "a1", "a", 1, True), ("faq@v1", "a2", "a", 2, False))
    assert latest(*rows) == [("faq@v1", "a2", False)]


def test_runs_without_a_start_come_before_those_that_have_one_then_ids_decide() -> None:
    rows = (("faq@v1", "z", None, None, True), ("faq@v1", "b", None, 1, True),
            ("faq@v1", "a", None, 1, True))  # fmt: skip
    assert [run for _, run, _ in latest(*rows)] == ["b"]


def test_without_a_run_there_is_none() -> None:
    assert latest() == []
