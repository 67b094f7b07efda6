"""Headlines of a dataset name in order of time: which runs lie on one line, and where it breaks."""

from __future__ import annotations

import polars as pl

SHOWN_RUNS = 60
"""Most runs of a dataset name that a trend shows: the latest."""

BARS = "▁▂▃▄▅▆▇█"

_RUN = ["dataset_version", "run_id"]
_SCORED = ["dataset_version", "dataset_hash", "run_id", "run_hash", "measure_version"]
# What a series is made of: column, what it is called.
_PARTS = {
    "dataset_version": "dataset",
    "dataset_hash": "its cases",
    "snapshot_id": "snapshot",
    "rubric_version": "rubric",
    "rules": "measuring rules",
}


def history(rows: pl.DataFrame, *, shown: int = SHOWN_RUNS) -> pl.DataFrame:
    """Points of the trends of one dataset name, in order of time.

    Parameters
    ----------
    rows
        Rows of `run_trend` of all versions of the name, also those that are no longer current.
    shown
        How many runs are kept: the latest.

    Returns
    -------
    pl.DataFrame
        The columns of `run_trend` and: `rubric` (its name), `rules` (version of
        the measuring rules), `place` (1 for the earliest run kept),
        `n_runs` (runs there are), `n` (cases the rates speak of), `superseded` (scored by an
        earlier content of the rubric; shown beside, on a line of its own) and `changed` (at the
        first run of another series of the same system: what is not as it was; else null).
        By rubric, axis and place. A row that is not current for another reason (a re-sent run,
        edited gold) is left out.
    """
    known = rows.with_columns(
        rubric=pl.col("rubric_version").str.split("@").list.first(),
        n=pl.col("n_measured") + pl.col("n_missing"),
        # Behind a plus stand snapshots: another index breaks no line.
        rules=pl.col("measure_version").str.split("+").list.first(),
    )
    current = known.filter(pl.col("current"))
    before = (
        known.filter(~pl.col("current"))
        .join(current, on=[*_SCORED, "rubric", "axis"], how="semi")
        .join(current, on=[*_SCORED, "rubric_version", "axis"], how="anti")
        .sort("model_hash")
        .unique([*_SCORED, "rubric_version", "axis"], keep="last", maintain_order=True)
        # What they were held against then says nothing of today's baseline.
        .with_columns(verdict=pl.lit(None, pl.String), baseline_run=pl.lit(None, pl.String))
    )
    runs = (
        current.select(*_RUN, "started_at")
        .unique()
        .sort("started_at", "run_id", "dataset_version", nulls_last=False)
        .with_columns(n_runs=pl.len())
        .tail(shown)
        .with_row_index("place", 1)
        .select(*_RUN, "n_runs", pl.col("place").cast(pl.Int64))
    )
    points = pl.concat(
        [
            _with_breaks(current).with_columns(superseded=pl.lit(value=False)),
            before.with_columns(changed=pl.lit(None, pl.String), superseded=pl.lit(value=True)),
        ]
    )
    return points.join(runs, on=_RUN).sort(
        "rubric", "axis", "place", "superseded", "rubric_version", "model_hash"
    )


def breaks(points: pl.DataFrame) -> list[str]:
    """Where a line of one axis and rubric ends and another begins, as sentences for people."""
    return [
        f"{run}{f' ({system})' if system is not None else ''}: {changed}"
        for run, system, changed in points.filter(pl.col("changed").is_not_null())
        .select("run_id", "system", "changed")
        .iter_rows()
    ]


def sparkline(points: pl.DataFrame) -> str:
    """Pass rates of one axis and rubric and one system as bars from 0 to 1, `│` at each break.

    `·` stands for a run with nothing measured.
    """
    return "".join(
        ("│" if changed is not None else "")
        + ("·" if rate is None else BARS[min(int(rate * len(BARS)), len(BARS) - 1)])
        for rate, changed in points.filter(~pl.col("superseded"))
        .sort("place")
        .select("pass_rate", "changed")
        .iter_rows()
    )


def _with_breaks(current: pl.DataFrame) -> pl.DataFrame:
    """The rows with `changed`; a system that goes to and fro between two series breaks once."""
    line = ["rubric", "axis", "system"]
    ordered = current.sort(
        *line, "started_at", "run_id", "dataset_version", nulls_last=False
    ).with_columns(n_before=pl.int_range(pl.len()).over(*line))
    first_of_series = pl.col("n_before") == pl.col("n_before").min().over(*line, "series")
    said = pl.concat_str(
        *(_moved(column, name, line) for column, name in _PARTS.items()),
        separator=", ",
        ignore_nulls=True,
    )
    return ordered.with_columns(
        changed=pl.when(first_of_series & (pl.col("n_before") > 0)).then(said)
    ).drop("n_before")


def _moved(column: str, name: str, line: list[str]) -> pl.Expr:
    """`name old → new` where a column differs from the run before; hashes by their beginning."""
    length = 8 if column in ("dataset_hash", "rules") else 40
    old, new = (
        value.fill_null("none").str.slice(0, length)
        for value in (pl.col(column).shift().over(line), pl.col(column))
    )
    differs = pl.col(column).ne_missing(pl.col(column).shift().over(line))
    return pl.when(differs).then(pl.format(f"{name} {{}} → {{}}", old, new))
