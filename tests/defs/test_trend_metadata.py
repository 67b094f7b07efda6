from __future__ import annotations

import datetime as dt
import math
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import polars as pl

from rag_eval_pipeline.defs.trend_metadata import pictures, plotted
from rag_eval_pipeline.report.trend import history

RowsOf = Callable[..., pl.DataFrame]


def point(run_id: str, day: int, **values: Any) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "rubric_version": "claims@1",
        "axis": "overall",
        "system": "bot",
        "series": "aaaa",
        "started_at": dt.datetime(2026, 4, day, tzinfo=dt.UTC),
        "pass_rate": 0.5,
        "pass_rate_low": 0.5,
        "pass_rate_high": 0.5,
        "mean_score": 0.75,
        "n_measured": 3,
        "n_missing": 1,
        **values,
    }


def test_each_rubric_is_drawn_as_images_that_hold_the_picture(rows_of: RowsOf) -> None:
    rows = rows_of(
        "run_trend",
        point("a", 1),
        point("b", 2, series="bbbb", dataset_version="y"),
        point("b", 2, axis="search"),
        point("b", 2, rubric_version="strict@1"),
    )
    shown = pictures(history(rows))

    assert list(shown) == ["trend_claims", "trend_strict"]
    text = str(shown["trend_claims"].value)
    assert text.count("](data:image/svg+xml;base64,") == 2
    svg = b64decode(text.partition("base64,")[2].partition(")")[0]).decode()
    assert svg.startswith("<svg")
    assert svg.endswith("</svg>")
    assert "dataset x → y" in text


def test_numbers_of_the_latest_run_carry_their_series_in_the_name(rows_of: RowsOf) -> None:
    numbers = plotted(rows_of("run_trend", point("a", 1), point("b", 2, pass_rate=0.25)))

    assert numbers == {
        "overall pass_rate (series aaaa)": 0.25,
        "overall mean_score (series aaaa)": 0.75,
        "overall n (series aaaa)": 4,
    }


def test_several_systems_are_several_plots_and_null_is_no_number(rows_of: RowsOf) -> None:
    numbers = plotted(
        rows_of("run_trend", point("a", 1), point("b", 2, system=None, pass_rate=None))
    )

    assert "overall pass_rate, bot (series aaaa)" in numbers
    assert "overall pass_rate, system not named (series aaaa)" not in numbers
    assert all(math.isfinite(each) for each in numbers.values())


def test_of_many_systems_the_last_to_run_are_plotted(rows_of: RowsOf) -> None:
    many = [point(f"r{day}", day, system=f"s{day}") for day in range(1, 6)]
    names = " ".join(plotted(rows_of("run_trend", *many)))

    assert "s5" in names
    assert "s3" in names
    assert "s2" not in names
