"""The trend in a report: pictures by rubric and axis, where lines break, the points in a table."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.report.blocks import Block, Bullets, Folded, Heading, Plot, Rows, Sentence
from rag_eval_pipeline.report.plots import trend_picture
from rag_eval_pipeline.report.trend import breaks
from rag_eval_pipeline.report.words import instant
from rag_eval_pipeline.tables.model import AXES

SHOWN_POINTS = 20
"""Latest points of a trend that are in a table too."""

MARKS = (
    "Marks: ▼ worse than its baseline, ▲ better, ○ inconclusive, ● no change told or not compared; "
    "a thin bar spans the bounds where answers are open. Faint: scored by the rubric as it was "
    "before. A dashed line stands where cases, snapshot, rubric or measuring rules changed: "
    "figures on its two sides are of different things."
)


def trend_blocks(points: pl.DataFrame) -> list[Block]:
    """Trends of a dataset name by rubric; nothing where there is only one run to show.

    `points` are what `trend.history` returns.
    """
    if points.is_empty() or points["place"].n_unique() < 2:
        return []
    n_runs, n_shown = points["n_runs"][0], points["place"].n_unique()
    which = f"the latest {n_shown} of {n_runs} runs" if n_runs > n_shown else f"{n_runs} runs"
    blocks: list[Block] = [Heading(2, f"Trend: {which}")]
    for (rubric,), of_rubric in points.group_by("rubric", maintain_order=True):
        overall = of_rubric.filter(pl.col("axis") == "overall")
        blocks.append(Sentence(f"Cases that pass all axes, by {rubric}:"))
        blocks.append(Plot(trend_picture(overall, f"Cases that pass all axes, by {rubric}")))
        if broken := breaks(overall):
            blocks.append(Bullets(tuple(broken)))
        blocks.append(
            Folded(
                f"Each axis by {rubric}",
                tuple(
                    block
                    for axis in AXES
                    if (of_axis := of_rubric.filter(pl.col("axis") == axis)).height
                    for block in (
                        Sentence(f"{axis}:"),
                        Plot(trend_picture(of_axis, f"{axis}, cases that pass, by {rubric}")),
                    )
                ),
            )
        )
        latest = point_rows(overall)
        blocks.append(Folded(f"The latest {latest.height} points by {rubric}", (Rows(latest),)))
    blocks.append(Sentence(MARKS))
    return blocks


def point_rows(points: pl.DataFrame, limit: int = SHOWN_POINTS) -> pl.DataFrame:
    """Latest points of one rubric and axis, latest first, for people."""
    return (
        points.sort("place", "superseded", "rubric_version", descending=[True, False, False])
        .head(limit)
        .select(
            pl.col("run_id").alias("run"),
            "system",
            instant("started_at").alias("started"),
            pl.col("dataset_version").alias("dataset"),
            pl.col("rubric_version").alias("rubric"),
            pl.col("indexed_snapshot").alias("index"),
            "series",
            "n",
            pl.col("pass_rate").alias("rate"),
            pl.col("pass_rate_low").alias("low"),
            pl.col("pass_rate_high").alias("high"),
            pl.col("mean_score").alias("mean score"),
            pl.col("verdict").str.replace_all("_", " "),
            pl.col("baseline_run").alias("against"),
            "changed",
        )
    )


def latest_rows(points: pl.DataFrame) -> pl.DataFrame:
    """The latest run of each system by each rubric: per axis rate, n and bounds, and the verdict.

    `points` are what `trend.history` returns, of one dataset version.
    """
    line = ["rubric", "system"]
    latest = points.filter(
        ~pl.col("superseded") & (pl.col("place") == pl.col("place").max().over(*line))
    )
    cell = pl.when(pl.col("pass_rate").is_not_null()).then(
        pl.format("{} % (n = {}{})", _percent("pass_rate"), "n", _open())
    )
    wide = latest.with_columns(cell=cell).pivot(
        on="axis",
        index=[*line, "run_id", "kind", "started_at", "place"],
        values="cell",
        on_columns=["overall", *AXES],
    )
    verdicts = latest.filter(pl.col("axis") == "overall").select(
        *line, pl.col("verdict").str.replace_all("_", " ")
    )
    return (
        wide.join(verdicts, on=line, how="left", nulls_equal=True)
        .sort("place", "rubric", descending=[True, False])
        .select(
            pl.col("run_id").alias("run"),
            "system",
            "kind",
            instant("started_at").alias("started"),
            "rubric",
            pl.col("overall").alias("all axes"),
            *AXES,
            "verdict",
        )
    )


def _percent(column: str) -> pl.Expr:
    return (pl.col(column) * 100).round(1)


def _open() -> pl.Expr:
    """The bounds over all eligible cases, where answers are open (R1)."""
    low, high = pl.col("pass_rate_low"), pl.col("pass_rate_high")
    n_open = ((high - low) * (pl.col("n") + pl.col("n_unmeasured"))).round().cast(pl.Int64)
    told = pl.format(
        ", between {} and {} with {} open",
        _percent("pass_rate_low"),
        _percent("pass_rate_high"),
        n_open,
    )
    return pl.when(n_open > 0).then(told).otherwise(pl.lit(""))
