"""What the UI draws: pictures as Markdown, and numbers it plots from one materialization on."""

from typing import Any

import dagster as dg
import polars as pl

from rag_eval_pipeline.report.markdown import escape
from rag_eval_pipeline.report.plots import trend_picture
from rag_eval_pipeline.report.trend import breaks
from rag_eval_pipeline.tables.model import AXES

PLOTTED_SYSTEMS = 3


def pictures(points: pl.DataFrame) -> dict[str, Any]:
    """A trend a rubric as Markdown images; where lines break stands below.

    `points` are what `report.trend.history` returns.
    """
    drawn = {}
    for (rubric,), of_rubric in points.group_by("rubric", maintain_order=True):
        parts = []
        for axis in ("overall", *AXES):
            of_axis = of_rubric.filter(pl.col("axis") == axis)
            if of_axis.height:
                name = "all axes" if axis == "overall" else axis
                picture = trend_picture(of_axis, f"Cases that pass, {name}", ground=True)
                parts.append(f"**{name}**\n\n![{escape(picture.text)}]({picture.data_uri})")
        broken = breaks(of_rubric.filter(pl.col("axis") == "overall"))
        parts += ["\n".join(f"- {escape(each)}" for each in broken)] if broken else []
        drawn[f"trend_{rubric}"] = dg.MetadataValue.md("\n\n".join(parts))
    return drawn


def plotted(rows: pl.DataFrame) -> dict[str, Any]:
    """Numbers of the latest run of each system, for the UI's own plots over time.

    Parameters
    ----------
    rows
        Current headline rows with system, run_id, started_at, series, axis, pass_rate, mean_score,
        n_measured, n_missing: one a run, rubric and axis.

    Returns
    -------
    `pass_rate`, `mean_score` and `n` by axis. The name ends in the series, so that the UI begins
    another plot where cases, snapshot, rubric or rules change, and names the system where there
    is more than one.
    """
    line = ["system", "rubric_version"]
    latest = (
        rows.sort("started_at", "run_id", nulls_last=False)
        .unique([*line, "axis"], keep="last", maintain_order=True)
        .with_columns(n=pl.col("n_measured") + pl.col("n_missing"))
    )
    systems = latest["system"].unique(maintain_order=True).to_list()
    numbers: dict[str, Any] = {}
    for row in latest.iter_rows(named=True):
        if row["system"] not in systems[-PLOTTED_SYSTEMS:]:
            continue
        of = f", {row['system'] or 'system not named'}" if len(systems) > 1 else ""
        for figure in ("pass_rate", "mean_score", "n"):
            if row[figure] is not None:
                name = f"{row['axis']} {figure}{of} (series {row['series']})"
                numbers[name] = row[figure]
    return numbers
