"""Latency, cost, tokens, citations and errors of both runs of a pair, each with its tolerance.

Both sides are taken over the same cases: those of the candidate's headline that both runs have an
item for, whatever became of their gold. Figures are made of items as in `run_summary`: percentiles
interpolate, the 95th needs 20 items on each side, an invalid latency is in none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.regressions import SIDES
from rag_eval_pipeline.comparison.slices import WHOLE

MIN_P95 = 20
OF_PAIR = ("dataset_version", "candidate_run", "baseline_run", "rubric_version")
"""Columns of the table that are not made here."""
ITEM = ("run_id", "case_id", "trial", "latency_ms", "input_tokens", "output_tokens", "cost_usd")
"""Columns of `run_items` that figures need, beside source, citations and error."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: its unit, the tolerance of the rubric it takes, and the figure it is judged by.

    A tolerance of a share is in points, every other one in percent of the baseline's figure. A
    total is judged by its mean per item, so that more trials are no rise.
    """

    unit: str
    tolerance: str
    higher_is_better: bool = False
    total: bool = False
    least: int = 1


FIGURES: Mapping[str, Figure] = MappingProxyType(
    {
        "latency_p50_ms": Figure("ms", "latency_p50"),
        "latency_p95_ms": Figure("ms", "latency_p95", least=MIN_P95),
        "cost_per_item_usd": Figure("usd", "cost_per_item"),
        "cost_usd": Figure("usd", "cost_per_item", total=True),
        "input_tokens": Figure("tokens", "cost_per_item", total=True),
        "output_tokens": Figure("tokens", "cost_per_item", total=True),
        "citation_shown_rate": Figure("share", "citation_rate", higher_is_better=True),
        "error_rate": Figure("share", "error_rate"),
    }
)
# Arithmetic on floats may not decide at a limit.
_HAIR = 1e-9


def shown_items(items: pl.DataFrame) -> pl.DataFrame:
    """The columns `ITEM` of `run_items` with is_cited and is_error."""
    return items.select(
        *ITEM,
        is_cited=pl.col("source").is_not_null() | (pl.col("citations").list.len() > 0),
        is_error=pl.col("error").is_not_null(),
    )


def compare_figures(
    pairs: pl.DataFrame,
    groups: pl.DataFrame,
    candidate: pl.DataFrame,
    baseline: pl.DataFrame,
    *,
    citing: set[str],
    tolerances: Mapping[str, float],
) -> pl.DataFrame:
    """The figures of some pairs.

    Parameters
    ----------
    pairs
        comparison_id, candidate_run, baseline_run.
    groups
        Headline and slices of the candidates' dataset version (`slices.groups`).
    candidate, baseline
        `shown_items` of the runs of each side.
    citing
        Runs of either side that log a source or citations at all.
    tolerances
        Percent or points by the name a figure takes its tolerance under
        (`Rubric.figure_tolerances`).

    Returns
    -------
    comparison_id, figure, unit, n_baseline, n_candidate (items it stands on), baseline, candidate,
    change, tolerance (in its unit), standing; one row a pair and figure, sorted.
    """
    headline = groups.filter(pl.col("dimension") == WHOLE).select("case_id")
    sides = {
        side: pairs.select("comparison_id", run_id=f"{side}_run")
        .join(items, on="run_id")
        .join(headline, on="case_id", how="semi")
        for side, items in zip(SIDES, (candidate, baseline), strict=True)
    }
    case = ["comparison_id", "case_id"]
    made = {
        side: _figures(frame.join(sides[other], on=case, how="semi"), citing)
        for (side, frame), other in zip(sides.items(), reversed(SIDES), strict=True)
    }
    names = ["comparison_id", "figure"]
    grid = pairs.select("comparison_id").join(pl.DataFrame({"figure": list(FIGURES)}), how="cross")
    both = grid.join(made["baseline"], on=names, how="left").join(
        made["candidate"], on=names, how="left", suffix="_candidate"
    )
    rows = [_row(row, tolerances) for row in both.sort(names).iter_rows(named=True)]
    wanted = tables.columns("comparison_figures")
    made_here = {name: kind for name, kind in wanted.items() if name not in OF_PAIR}
    return pl.DataFrame(rows, schema=made_here, orient="row")


def _figures(items: pl.DataFrame, citing: set[str]) -> pl.DataFrame:
    """comparison_id, figure, value, n of one side."""
    latency, cost = pl.col("latency_ms"), pl.col("cost_usd")
    cites = pl.col("run_id").is_in(sorted(citing))
    whole = items.sort("comparison_id", "case_id", "trial").group_by(
        "comparison_id", maintain_order=True
    )
    made: dict[str, tuple[pl.Expr, pl.Expr]] = {
        "latency_p50_ms": (latency.quantile(0.5, "linear"), latency.count()),
        "latency_p95_ms": (latency.quantile(0.95, "linear"), latency.count()),
        "cost_per_item_usd": (cost.mean(), cost.count()),
        "cost_usd": (cost.sum(), cost.count()),
        **{
            name: (pl.col(name).sum(), pl.col(name).count())
            for name in ("input_tokens", "output_tokens")
        },
        "citation_shown_rate": (pl.col("is_cited").mean(), pl.col("is_cited").filter(cites).len()),
        "error_rate": (pl.col("is_error").mean(), pl.len()),
    }
    wide = whole.agg(
        *(value.cast(pl.Float64).alias(name) for name, (value, _) in made.items()),
        *(n.cast(pl.Int64).alias(f"n {name}") for name, (_, n) in made.items()),
    )
    return pl.concat(
        [
            wide.select("comparison_id", figure=pl.lit(name), value=name, n=f"n {name}")
            for name in made
        ]
    )


def _row(row: dict[str, Any], tolerances: Mapping[str, float]) -> dict[str, Any]:
    figure = FIGURES[row["figure"]]
    n_before, n_now = row["n"] or 0, row["n_candidate"] or 0
    before = row["value"] if n_before >= figure.least else None
    now = row["value_candidate"] if n_now >= figure.least else None
    named = {
        "comparison_id": row["comparison_id"],
        "figure": row["figure"],
        "unit": figure.unit,
        "n_baseline": n_before,
        "n_candidate": n_now,
        "baseline": before,
        "candidate": now,
    }
    if before is None or now is None:
        lacking = n_before == 0 or n_now == 0
        return named | {"standing": "not_logged" if lacking else "too_few"}
    percent = tolerances[figure.tolerance] / 100
    allowed = percent if figure.unit == "share" else percent * before
    change = now - before
    judged, limit = change, allowed
    if figure.total:
        judged, limit = now / n_now - before / n_before, allowed / n_before
    better = judged > 0 if figure.higher_is_better else judged < 0
    within = abs(judged) <= limit * (1 + _HAIR)
    return named | {
        "change": change,
        "tolerance": allowed,
        "standing": "within_tolerance" if within else "better" if better else "worse",
    }
