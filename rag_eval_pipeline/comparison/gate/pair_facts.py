"""The facts of one comparison, gathered from the tables that hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from rag_eval_pipeline.comparison.gate.facts import (
    DIMENSIONS,
    DRIFTED,
    UNCLASSIFIED,
    GateFacts,
    RunFigures,
    SliceFacts,
    case_facts,
)
from rag_eval_pipeline.comparison.regressions import case_results
from rag_eval_pipeline.tables.model import AXES

LOGGED = 0.9
"""Least share of the items without error a figure must be logged for, to be the run's."""

_LEFT_OUT = ("gold_changed", DRIFTED, "new", "removed")


@dataclass(frozen=True, slots=True)
class PairTables:
    """Rows of one pair: contracts as of the tables, all of the candidate under one rubric.

    `cases` are all cases of the candidate's dataset version, `case_scores` and `run_summary` the
    current rows of the candidate, `run_items` its items; `summary`, `figures` and `changes` are
    those of the comparison.
    """

    comparison: Mapping[str, object]
    summary: pl.DataFrame
    figures: pl.DataFrame
    changes: pl.DataFrame
    cases: pl.DataFrame
    case_scores: pl.DataFrame
    run_summary: pl.DataFrame
    run_items: pl.DataFrame


def gate_facts(given: PairTables, *, trials: str = "majority") -> GateFacts:
    """Everything a decision needs of a pair; `trials` is the rubric's rule (`Rubric.trials`)."""
    comparison = given.comparison
    cases = gated_cases(given.cases)
    scores = given.case_scores.join(cases, on="case_id", how="semi")
    results = case_results(scores, trials=trials)
    baseline_run = comparison["baseline_run"]
    return GateFacts(
        candidate_run=str(comparison["candidate_run"]),
        baseline_run=None if baseline_run is None else str(baseline_run),
        state=str(comparison["state"]),
        reason=str(comparison["reason"]),
        reason_code=str(comparison["reason_code"]),
        dataset_version=str(comparison["dataset_version"]),
        rubric_version=str(comparison["rubric_version"]),
        n_core=_count(comparison["n_core"]),
        n_cases=_n_expected(cases, results, given.changes),
        differences=_texts(comparison["differences"]),
        reference_differences=_of_reference(comparison),
        notes=_texts(comparison["notes"]),
        left_out=_left_out(given, results, cases),
        slices=_slices(given.summary),
        cases=case_facts(results, given.changes, cases, _reasons(scores)),
        known_slices=_known(cases),
        candidate=_of_run(given, cases, scores),
        pair_baseline=_of_pair(given.figures, "baseline"),
        pair_candidate=_of_pair(given.figures, "candidate"),
    )


def gated_cases(cases: pl.DataFrame) -> pl.DataFrame:
    """Approved cases but those for development, with whether they count in the headline (R8).

    Parameters
    ----------
    cases
        Rows of `cases` of one dataset version.

    Returns
    -------
    case_id, category, split, risk, language, in_headline.
    """
    approved = cases.filter(pl.col("lifecycle") == "approved")
    validation = pl.col("split").eq("validation").fill_null(value=False)
    has_validation = bool(approved.select(validation.any()).item())
    return approved.filter(pl.col("split").ne("development").fill_null(value=True)).select(
        "case_id", *DIMENSIONS, in_headline=validation if has_validation else pl.lit(value=True)
    )


def _n_expected(cases: pl.DataFrame, results: pl.DataFrame, changes: pl.DataFrame) -> int:
    """Cases of the headline that should have a result: those neither in doubt nor outside."""
    outside = results.filter(
        (pl.col("axis") == "overall") & pl.col("state").is_in(["held_out", "not_applicable"])
    )
    drifted = changes.filter(pl.col("change") == DRIFTED)
    return (
        cases.filter(pl.col("in_headline"))
        .join(outside, on="case_id", how="anti")
        .join(drifted, on="case_id", how="anti")
        .height
    )


def _of_reference(comparison: Mapping[str, object]) -> tuple[str, ...]:
    """What differs between the references of both sides."""
    if comparison["baseline_run_hash"] is None:
        return ()
    return tuple(
        f"{name}: {before or 'none'} → {now or 'none'}"
        for name, before, now in (
            (name, comparison[f"baseline_{name}"], comparison[f"candidate_{name}"])
            for name in ("dataset_hash", "snapshot_id")
        )
        if before != now
    )


def _left_out(
    given: PairTables, results: pl.DataFrame, cases: pl.DataFrame
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    whole = given.changes.filter(pl.col("axis") == "overall")
    # A case that is removed is not among today's; all others have to be gated.
    mine = whole.join(cases, on="case_id", how="semi")
    lists = [
        (change, (whole if change == "removed" else mine).filter(pl.col("change") == change))
        for change in _LEFT_OUT
    ]
    held = results.filter((pl.col("axis") == "overall") & (pl.col("state") == "held_out"))
    lists.append(("held_out", held.join(mine.filter(pl.col("change").is_in(_LEFT_OUT)),
                                        on="case_id", how="anti")))  # fmt: skip
    failing = pl.Series(_texts(given.comparison["system_error_case_ids"]), dtype=pl.String)
    lists.append(("system_error", cases.filter(pl.col("case_id").is_in(failing.implode()))))
    return tuple(
        (why.replace("_", " "), tuple(sorted(set(rows["case_id"]))))
        for why, rows in lists
        if rows.height
    )


def _slices(summary: pl.DataFrame) -> tuple[SliceFacts, ...]:
    """Rows of `comparison_summary`, overall first; p is the adjusted one where there is one."""
    order = {axis: place for place, axis in enumerate(("overall", *AXES))}
    rows = summary.sort(
        pl.col("dimension") != "all", "dimension", "slice",
        pl.col("axis").replace_strict(order, return_dtype=pl.Int64),
    )  # fmt: skip
    return tuple(
        SliceFacts(
            dimension=row["dimension"],
            slice=row["slice"],
            axis=row["axis"],
            n_core=row["n_core"],
            n_pairs=row["n_pairs"],
            difference=row["difference"],
            low=row["interval_low"],
            high=row["interval_high"],
            p_value=row["p_value"] if row["p_adjusted"] is None else row["p_adjusted"],
            verdict=row["verdict"],
            told=row["told"],
            baseline=row["baseline"],
            candidate=row["candidate"],
            simpson=bool(row["simpson"]),
        )
        for row in rows.iter_rows(named=True)
    )


def _reasons(scores: pl.DataFrame) -> pl.DataFrame:
    """Why an axis of a case does not pass: cause and reason of its first such trial.

    Of a missing case there is no more to say.
    """
    said = (
        pl.when(pl.col("diagnosis").is_not_null())
        .then(pl.format("{}: {}", "diagnosis", "reason"))
        .otherwise(pl.col("reason"))
    )
    there = scores.filter(pl.col("state") != "missing")
    long = pl.concat(
        [
            there.filter(
                ~pl.col("passed" if axis == "overall" else f"{axis}_passed").fill_null(value=False)
            ).select("case_id", "trial", axis=pl.lit(axis), reason=said)
            for axis in (*AXES, "overall")
        ]
    )
    return long.sort("trial").group_by("case_id", "axis").agg(pl.col("reason").first())


def _known(cases: pl.DataFrame) -> frozenset[tuple[str, str]]:
    """Slices that hold a case; the split holds cases outside of the headline too."""
    return frozenset(
        (dimension, value)
        for dimension in DIMENSIONS
        for value in (cases if dimension == "split" else cases.filter(pl.col("in_headline")))[
            dimension
        ]
        .fill_null(UNCLASSIFIED)
        .unique()
    )


def _of_run(given: PairTables, cases: pl.DataFrame, scores: pl.DataFrame) -> RunFigures:
    """Figures of the whole run, as `run_summary` has them, where enough items logged them."""
    summary = given.run_summary.filter(
        (pl.col("scope") == "headline") & (pl.col("axis") == "overall")
    )
    if summary.height != 1:
        return RunFigures()
    row = summary.row(0, named=True)
    mine = cases.filter(pl.col("in_headline"))
    items = given.run_items.join(mine, on="case_id", how="semi")
    broken = scores.join(mine, on="case_id", how="semi").filter(
        pl.col("also").list.contains("system_error") & (pl.col("state") != "missing")
    )
    figures = RunFigures(
        n_missing=row["n_missing"],
        n_system_errors=broken.height,
        error_rate=row["error_rate"],
        citation_rate=row["citation_shown_rate"],
        latency_p50_ms=row["latency_p50_ms"],
        latency_p95_ms=row["latency_p95_ms"],
        cost_usd=row["cost_usd"],
        cost_per_item_usd=_mean(items["cost_usd"]),
    )
    return _only_known(figures, items)


def _only_known(figures: RunFigures, items: pl.DataFrame) -> RunFigures:
    """Without the figures that too few items logged; a sum is known to be at least what it is."""
    whole = items.filter(pl.col("error").is_null())
    notes: dict[str, str] = {}
    at_least: dict[str, str] = {}
    for column, names in (
        ("latency_ms", ("latency_p50_ms", "latency_p95_ms")),
        ("cost_usd", ("cost_per_item_usd",)),
    ):
        logged = whole[column].count()
        if 0 < logged < LOGGED * whole.height:
            notes |= dict.fromkeys(names, f"logged for {logged} of {whole.height} items only")
    n_cost, n_latency = (
        int(items[name].is_not_null().sum()) for name in ("cost_usd", "latency_ms")
    )
    if 0 < n_cost < items.height:
        at_least["cost_usd"] = f"logged for {n_cost} of {items.height} items only"
    if figures.latency_p95_ms is None and n_latency:
        notes.setdefault("latency_p95_ms", f"{n_latency} items are too few for it")
    unknown: dict[str, float | None] = dict.fromkeys(notes)
    return replace(figures, **unknown, notes=notes, at_least=at_least)  # type: ignore[arg-type]


def _of_pair(figures: pl.DataFrame, side: str) -> RunFigures:
    """Figures of one side over what both sides hold (`comparison_figures`)."""
    rows = {row["figure"]: row for row in figures.iter_rows(named=True)}
    known = {name: row[side] for name, row in rows.items()}
    notes: dict[str, str] = {}
    if "error_rate" in rows and known["error_rate"] is not None:
        n_items = rows["error_rate"][f"n_{side}"]
        n_whole = n_items * (1 - known["error_rate"])
        for name in ("latency_p50_ms", "latency_p95_ms", "cost_usd", "cost_per_item_usd"):
            n = rows[name][f"n_{side}"] if name in rows else 0
            if 0 < n < round(LOGGED * n_whole, 9):
                known[name] = None
                notes[name] = f"logged for {n} of {n_items} items of the {side} only"
            elif n and known[name] is None:
                notes[name] = f"{n} items of the {side} are too few for it"
    return RunFigures(
        error_rate=known.get("error_rate"),
        citation_rate=known.get("citation_shown_rate"),
        latency_p50_ms=known.get("latency_p50_ms"),
        latency_p95_ms=known.get("latency_p95_ms"),
        cost_usd=known.get("cost_usd"),
        cost_per_item_usd=known.get("cost_per_item_usd"),
        notes=notes,
    )


def _mean(values: pl.Series) -> float | None:
    mean = values.mean()
    return float(mean) if isinstance(mean, int | float) else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def not_compared(
    candidate_run: str,
    *,
    state: str,
    reason: str,
    dataset_version: str,
    rubric_version: str = "",
    baseline_run: str | None = None,
) -> GateFacts:
    """Facts where there is no comparison at all: nothing of them passes."""
    return GateFacts(
        candidate_run=candidate_run,
        baseline_run=baseline_run,
        state=state,
        reason=reason,
        dataset_version=dataset_version,
        rubric_version=rubric_version,
    )
