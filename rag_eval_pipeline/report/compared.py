"""A comparison for people: lists by id, verdicts, slices, figures, and why the headline moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rag_eval_pipeline.comparison.attribution import PARTS, shown_points
from rag_eval_pipeline.comparison.slices import WHOLE
from rag_eval_pipeline.report.blocks import Block, Bullets, Heading, Rows, Sentence
from rag_eval_pipeline.report.words import percent, signed
from rag_eval_pipeline.tables.model import AXES

LISTS = ("regressed", "recovered", "missing", "unmeasured", "gold_changed", "evidence_drifted",
         "new", "removed")  # fmt: skip
"""Changes of whole cases, in the order they are listed."""
SHOWN_CASES = 50
"""Most cases whose axes are shown one by one, and most ids of a list."""
SHOWN_SLICES = 30
NAMED = 5
"""Cases of a part that are named."""

NO_SLICE = "No slice is worse or better; every slice is in the table comparison_summary."
PARADOX = (
    "The headline moved one way while every slice of a dimension moved the other: the mix of cases "
    "changed. Judge by the paired figures and the slices below."
)

_ORDER = pl.Enum(["overall", *AXES])


def comparison_blocks(
    comparison: Mapping[str, Any],
    regressions: pl.DataFrame,
    summary: pl.DataFrame,
    figures: pl.DataFrame,
    attribution: pl.DataFrame,
    case_scores: pl.DataFrame,
    cases: pl.DataFrame,
) -> list[Block]:
    """One comparison; what became of each case stands above every figure.

    Parameters
    ----------
    comparison
        A row of `comparisons`.
    regressions, summary, figures, attribution
        Rows of `regressions`, `comparison_summary`, `comparison_figures` and current ones of
        `score_change_attribution`; those of other comparisons are left out.
    case_scores, cases
        Current rows of `case_scores` and `cases`: what the candidate's answers failed by.
    """
    of_pair = pl.col("comparison_id") == comparison["comparison_id"]
    changes, judged, measured, parts = (
        frame.filter(of_pair) for frame in (regressions, summary, figures, attribution)
    )
    if comparison["baseline_run"] is None:
        title = "No baseline"
    else:
        title = f"Against {comparison['baseline_run']}: {comparison['state'].replace('_', ' ')}"
    blocks: list[Block] = [
        Heading(3, title),
        Sentence(
            f"{comparison['reason']}; rubric {comparison['rubric_version']}, "
            f"baseline by rule {comparison['baseline_rule']}."
        ),
        *([Bullets(tuple(comparison["notes"]))] if comparison["notes"] else []),
    ]
    if judged["simpson"].any():
        blocks.append(Sentence(PARADOX, loud=True))
    if lists := case_lists(comparison, changes):
        blocks.append(Bullets(lists))
    of_candidate = case_scores.filter(
        (pl.col("run_id") == comparison["candidate_run"])
        & (pl.col("rubric_version") == comparison["rubric_version"])
    )
    axes = changed_axes(changes, of_candidate, cases)
    if axes.height:
        blocks += [Sentence("What changed in them, axis by axis:"), Rows(axes)]
    if judged.height:
        blocks += [Sentence("Verdict by axis, on the cases both sides measured:")]
        blocks.append(Rows(verdict_rows(judged)))
        slices = slice_rows(judged)
        blocks.append(Sentence("Slices that are worse or better:" if slices.height else NO_SLICE))
        blocks += [Rows(slices)] if slices.height else []
    logged = figure_rows(measured)
    if logged.height:
        blocks += [Sentence("Figures beside the scores:"), Rows(logged)]
    if comparison["differences"]:
        blocks.append(Sentence("What differs beside the answers:"))
        blocks.append(Bullets(tuple(comparison["differences"])))
    moved = moved_rows(parts)
    if moved.height:
        blocks += [Heading(4, "Why the headline moved"), Rows(moved)]
    return blocks


def case_lists(comparison: Mapping[str, Any], changes: pl.DataFrame) -> tuple[str, ...]:
    """`change: ids` for each kind of change of whole cases, then flaky and failed ones."""
    overall = changes.filter(pl.col("axis") == "overall").sort("case_id")
    lists = [
        (change, overall.filter(pl.col("change") == change)["case_id"].to_list())
        for change in LISTS
    ]
    lists += [
        ("flaky", comparison["flaky_case_ids"]),
        ("system error, in no paired test", comparison["system_error_case_ids"]),
    ]
    return tuple(f"{name}: {_ids(ids)}" for name, ids in lists if ids)


def changed_axes(
    changes: pl.DataFrame, case_scores: pl.DataFrame, cases: pl.DataFrame
) -> pl.DataFrame:
    """Axes that regressed or recovered, regressed ones first, high risk first.

    `case_scores` are those of the candidate: of several trials the first that does not pass says
    why.
    """
    why = (
        case_scores.sort("case_id", pl.col("passed").fill_null(value=False), "trial")
        .unique("case_id", keep="first", maintain_order=True)
        .select("case_id", "diagnosis", why="reason")
    )
    moved = changes.filter(
        (pl.col("axis") != "overall") & pl.col("change").is_in(["regressed", "recovered"])
    )
    return (
        moved.join(why, on="case_id", how="left")
        .join(cases.select("case_id", "risk"), on="case_id", how="left")
        .sort(
            pl.col("change") != "regressed",
            pl.col("risk").ne_missing("high"),
            "case_id",
            pl.col("axis").cast(_ORDER),
        )
        .head(SHOWN_CASES)
        .select(
            pl.col("case_id").alias("case"),
            "risk",
            "axis",
            "change",
            pl.col("baseline_score").alias("before"),
            pl.col("candidate_score").alias("after"),
            "diagnosis",
            pl.coalesce("why", "reason").alias("why"),
        )
    )


def verdict_rows(summary: pl.DataFrame) -> pl.DataFrame:
    """The headline's verdict per axis with n, both means, difference, interval and p.

    `summary` are rows of `comparison_summary` of one comparison.
    """
    whole = summary.filter(pl.col("dimension") == WHOLE).sort(pl.col("axis").cast(_ORDER))
    return pl.DataFrame(
        [{"axis": row["axis"], **_judged(row)} for row in whole.iter_rows(named=True)],
        schema={"axis": pl.String, **_JUDGED},
    )


def slice_rows(summary: pl.DataFrame) -> pl.DataFrame:
    """The same of the slices that are worse or better, worse ones first."""
    seen = summary.filter(
        (pl.col("dimension") != WHOLE)
        & pl.col("verdict").is_in(["worse", "better"])
    ).sort(
        pl.col("verdict") != "worse", "dimension", "slice", pl.col("axis").cast(_ORDER)
    ).head(SHOWN_SLICES)  # fmt: skip
    return pl.DataFrame(
        [
            {"slice": f"{row['dimension']} {row['slice']}", "axis": row["axis"], **_judged(row)}
            for row in seen.iter_rows(named=True)
        ],
        schema={"slice": pl.String, "axis": pl.String, **_JUDGED},
    )


def figure_rows(figures: pl.DataFrame) -> pl.DataFrame:
    """Latency, cost, citations and errors of both sides, as far as a side logs them."""
    return figures.filter(
        pl.col("baseline").is_not_null() | pl.col("candidate").is_not_null()
    ).select(
        "figure",
        "unit",
        pl.col("n_baseline").alias("n before"),
        pl.col("n_candidate").alias("n after"),
        pl.col("baseline").alias("before"),
        pl.col("candidate").alias("after"),
        "change",
        "tolerance",
        pl.col("standing").str.replace_all("_", " "),
    )


def moved_rows(attribution: pl.DataFrame) -> pl.DataFrame:
    """The parts of the headline's move per axis, in points that add up, with their cases.

    The headline of an axis is its mean score, of the whole the share of cases that pass.
    `attribution` are rows of `score_change_attribution` of one comparison.
    """
    wanted = pl.when(pl.col("axis") == "overall").then(pl.lit("passed")).otherwise(pl.lit("score"))
    whole = attribution.filter(
        (pl.col("dimension") == WHOLE)
        & (pl.col("figure") == wanted)
        & pl.col("baseline_headline").is_not_null()
        & pl.col("candidate_headline").is_not_null()
        & pl.col("amount").is_not_null()
    ).sort(pl.col("axis").cast(_ORDER), pl.col("part").cast(pl.Enum(PARTS)))
    rows = []
    for (axis,), parts in whole.group_by("axis", maintain_order=True):
        first = parts.row(0, named=True)
        before, after = first["baseline_headline"], first["candidate_headline"]
        points = shown_points(parts["amount"].to_list(), before, after)
        rows.append(
            {
                "axis": axis,
                "part": "headline",
                "points": signed(round(after * 1000) / 10 - round(before * 1000) / 10),
                "cases": f"{percent(before)} (n = {first['n_baseline']}) → {percent(after)} "
                f"(n = {first['n_candidate']})",
            }
        )
        rows += [
            {
                "axis": axis,
                "part": row["label"],
                "points": signed(amount),
                "cases": _contributors(row),
            }
            for row, amount in zip(parts.iter_rows(named=True), points, strict=True)
            if amount or row["case_ids"]
        ]
    return pl.DataFrame(rows, schema=dict.fromkeys(("axis", "part", "points", "cases"), pl.String))


_JUDGED = {
    "n": pl.Int64,
    "before": pl.String,
    "after": pl.String,
    "difference": pl.String,
    "95 % interval": pl.String,
    "p": pl.Float64,
    "verdict": pl.String,
    "told": pl.String,
}


def _judged(row: Mapping[str, Any]) -> dict[str, object]:
    low, high = row["interval_low"], row["interval_high"]
    return {
        "n": row["n_pairs"],
        "before": None if row["baseline"] is None else percent(row["baseline"]),
        "after": None if row["candidate"] is None else percent(row["candidate"]),
        "difference": None if row["difference"] is None else signed(row["difference"] * 100),
        "95 % interval": None
        if low is None or high is None
        else f"{signed(low * 100)} to {signed(high * 100)}",
        "p": row["p_value"] if row["p_adjusted"] is None else row["p_adjusted"],
        "verdict": None if row["verdict"] is None else row["verdict"].replace("_", " "),
        "told": row["told"],
    }


def _contributors(row: Mapping[str, Any]) -> str:
    told = [
        f"{case} {signed(amount * 100)}"
        for case, amount in zip(row["case_ids"], row["contributions"], strict=True)
    ]
    more = f"; and {len(told) - NAMED} more" if len(told) > NAMED else ""
    return "; ".join(told[:NAMED]) + more


def _ids(ids: list[str]) -> str:
    more = f" and {len(ids) - SHOWN_CASES} more" if len(ids) > SHOWN_CASES else ""
    return ", ".join(ids[:SHOWN_CASES]) + more
