"""The trend of a dataset version on one line a system, for the end of a nightly."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.report.trend import history, sparkline
from rag_eval_pipeline.report.words import percent

LEAST = 3
"""Fewer runs are no trend; they stand in the table above."""
WIDEST = 40


def trend_lines(rows: pl.DataFrame, dataset_version: str) -> list[str]:
    """Bars of the pass rate of all axes, the latest run last, `│` where a series ends.

    `rows` are rows of `run_trend`; those of other names are left out, those of other versions of
    the name are shown before.
    """
    name = dataset_version.partition("@")[0]
    points = history(rows.filter(pl.col("dataset") == name), shown=WIDEST).filter(
        (pl.col("axis") == "overall") & ~pl.col("superseded")
    )
    lines = []
    for (rubric, system), line in points.group_by("rubric", "system", maintain_order=True):
        measured = line.filter(pl.col("pass_rate").is_not_null()).sort("place")
        if measured.height < LEAST or measured["dataset_version"][-1] != dataset_version:
            continue
        last = measured.row(-1, named=True)
        lines.append(
            f"trend of {system or 'the system (not named)'}, all axes, by {rubric}: "
            f"{sparkline(line)} now {percent(last['pass_rate'])} (n = {last['n']})"
        )
    return lines
