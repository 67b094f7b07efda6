from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl

from rag_eval_pipeline.commands.trends import trend_lines

RowsOf = Callable[..., pl.DataFrame]


def point(run_id: str, day: int, rate: float | None, **values: Any) -> dict[str, Any]:
    return {
        "dataset_version": "faq@v1",
        "dataset": "faq",
        "run_id": run_id,
        "rubric_version": "claims@1",
        "system": "bot",
        "axis": "overall",
        "started_at": dt.datetime(2026, 4, day, tzinfo=dt.UTC),
        "pass_rate": rate,
        "n_measured": 40,
        "n_missing": 0,
        **values,
    }


def test_a_system_is_one_line_with_its_latest_rate_and_n(rows_of: RowsOf) -> None:
    v2 = {"dataset_version": "faq@v2", "series": "two"}
    rows = rows_of(
        "run_trend", point("a", 1, 0.1), point("b", 2, 0.5), point("c", 3, 0.75, **v2),
        point("c", 3, 0.0, axis="search", **v2),
    )  # fmt: skip

    assert trend_lines(rows, "faq@v2") == [
        "trend of bot, all axes, by claims: ▁▅│▇ now 75.0 % (n = 40)"
    ]


def test_a_version_without_the_latest_run_says_nothing_again(rows_of: RowsOf) -> None:
    rows = rows_of(
        "run_trend", *(point(f"r{day}", day, 0.5) for day in (1, 2)),
        point("r3", 3, 0.5, dataset_version="faq@v2"),
    )  # fmt: skip

    assert trend_lines(rows, "faq@v1") == []


def test_two_runs_are_no_trend(rows_of: RowsOf) -> None:
    rows = rows_of("run_trend", point("a", 1, 0.5), point("b", 2, 0.5), point("c", 3, None))

    assert trend_lines(rows, "faq@v1") == []
