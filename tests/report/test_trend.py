from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.report.trend import breaks, history, sparkline

RowsOf = Callable[..., pl.DataFrame]
Row = dict[str, Any]


def point(run_id: str, day: int | None, **values: Any) -> Row:
    return {
        "dataset_version": "faq@v1",
        "dataset": "faq",
        "dataset_hash": "aaaaaaaabbbb",
        "snapshot_id": "s1",
        "run_id": run_id,
        "run_hash": "h",
        "measure_version": "m1",
        "rubric_version": "claims@1",
        "model_hash": "x",
        "series": "one",
        "system": "bot",
        "axis": "overall",
        "started_at": None if day is None else dt.datetime(2026, 4, day, tzinfo=dt.UTC),
        "pass_rate": 0.5,
        "n_measured": 3,
        "n_missing": 1,
    } | values


@pytest.fixture
def made(rows_of: RowsOf) -> Callable[..., pl.DataFrame]:
    def make(*rows: Row, **options: Any) -> pl.DataFrame:
        return history(rows_of("run_trend", *rows), **options)

    return make


V2 = {"dataset_version": "faq@v2", "dataset_hash": "cccccccc", "snapshot_id": "s2", "series": "two"}


def test_runs_come_in_order_of_time_those_without_a_start_first_by_id(made: Any) -> None:
    points = made(point("b", 2), point("z", None), point("y", None), point("a", 3), point("c", 2))

    assert points["run_id"].to_list() == ["y", "z", "b", "c", "a"]
    assert points["place"].to_list() == [1, 2, 3, 4, 5]
    assert points["n"].to_list() == [4] * 5


def test_break_says_what_is_not_as_it_was(made: Any) -> None:
    points = made(point("a", 1), point("b", 2), point("c", 3, **V2), point("d", 4, **V2))

    assert points["changed"].to_list() == [
        None,
        None,
        "dataset faq@v1 → faq@v2, its cases aaaaaaaa → cccccccc, snapshot s1 → s2",
        None,
    ]
    assert breaks(points) == [f"c (bot): {points['changed'][2]}"]


def test_rubric_and_rules_break_a_series_too(made: Any) -> None:
    new = {"rubric_version": "claims@2", "measure_version": "m2", "series": "two"}
    points = made(point("a", 1), point("b", 2, **new))

    assert points["changed"][1] == "rubric claims@1 → claims@2, measuring rules m1 → m2"


def test_a_system_that_goes_to_and_fro_between_two_series_breaks_once(made: Any) -> None:
    points = made(point("a", 1), point("b", 2, **V2), point("c", 3), point("d", 4, **V2))

    assert points["changed"].is_not_null().to_list() == [False, True, False, False]


def test_another_system_is_another_line(made: Any) -> None:
    points = made(point("a", 1), point("b", 2, system="other", **V2), point("c", 3))

    assert points["changed"].null_count() == 3


def test_same_run_id_on_two_versions_is_two_runs(made: Any) -> None:
    points = made(point("a", 1), point("a", 1, **V2))

    assert points["place"].to_list() == [1, 2]


def test_scores_of_the_rubric_as_it_was_stand_beside_those_of_today(made: Any) -> None:
    old = {"rubric_version": "claims@0", "current": False, "pass_rate": 0.9, "verdict": "worse"}
    points = made(point("a", 1), point("a", 1, series="old", **old))

    told = points.select("rubric_version", "superseded", "changed", "verdict").rows()
    assert told == [("claims@1", False, None, None), ("claims@0", True, None, None)]


@pytest.mark.parametrize(
    "changed",
    [{"run_hash": "before"}, {"dataset_hash": "before"}, {"measure_version": "before"}],
    ids=str,
)
def test_rows_of_a_run_sent_again_or_of_edited_gold_are_no_points(made: Any, changed: Row) -> None:
    points = made(point("a", 1), point("a", 1, current=False, rubric_version="claims@0", **changed))

    assert points["rubric_version"].to_list() == ["claims@1"]


def test_an_older_verdict_of_the_same_score_is_no_second_point(made: Any) -> None:
    points = made(point("a", 1, verdict="better"), point("a", 1, model_hash="w", current=False))

    assert points["verdict"].to_list() == ["better"]


def test_only_the_latest_runs_are_kept_and_how_many_there_are_is_said(made: Any) -> None:
    points = made(*(point(f"r{day}", day) for day in range(1, 8)), shown=3)

    assert points["run_id"].to_list() == ["r5", "r6", "r7"]
    assert points["place"].to_list() == [1, 2, 3]
    assert set(points["n_runs"]) == {7}


def test_bars_rise_with_the_rate_and_a_series_ends_with_a_stroke(made: Any) -> None:
    points = made(
        point("a", 1, pass_rate=0.0),
        point("b", 2, pass_rate=None),
        point("c", 3, pass_rate=1.0, **V2),
    )

    assert sparkline(points) == "▁·│█"


def test_nothing_is_drawn_of_nothing(made: Any) -> None:
    assert made().is_empty()
