from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import dagster as dg
import polars as pl

from rag_eval_pipeline.comparison.pairs import Side
from rag_eval_pipeline.defs.comparison_checks import (
    comparable,
    covered,
    latest_runs,
    no_regression,
)

RowsOf = Callable[..., pl.DataFrame]
PAIR = {"comparison_id": "p", "candidate_run": "new", "baseline_run": "old"}


def night(
    rows_of: RowsOf, *, state: str = "compared", change: str = "recovered", verdict: str | None
) -> dg.AssetCheckResult:
    return no_regression(
        rows_of("comparisons", {**PAIR, "state": state}),
        rows_of("regressions", {**PAIR, "case_id": "q1", "axis": "overall", "change": change}),
        rows_of(
            "comparison_summary",
            {**PAIR, "dimension": "all", "axis": "overall", "verdict": verdict, "n_pairs": 30,
             "told": "the whole interval is below 0"},
            {**PAIR, "dimension": "risk", "axis": "overall", "verdict": "worse", "n_pairs": 9},
        ),
    )  # fmt: skip


def test_no_lost_case_and_no_worse_axis_passes_and_says_what_it_rests_on(rows_of: RowsOf) -> None:
    result = night(rows_of, verdict="inconclusive")

    assert result.passed
    assert result.description == "1 runs compared: 1 × inconclusive"
    assert result.metadata["n_pairs"].value == 30


def test_one_lost_case_fails_whatever_the_verdict(rows_of: RowsOf) -> None:
    result = night(rows_of, change="regressed", verdict="within_noise")

    assert not result.passed
    assert result.severity == dg.AssetCheckSeverity.WARN
    assert "1 cases regressed: q1" in str(result.description)


def test_a_worse_axis_fails_though_no_case_is_lost(rows_of: RowsOf) -> None:
    result = night(rows_of, verdict="worse")

    assert not result.passed
    assert "new is worse: overall, the whole interval is below 0" in str(result.description)


def test_what_was_not_compared_is_no_pass(rows_of: RowsOf) -> None:
    for state in ("refused", "insufficient_data"):
        assert not night(rows_of, state=state, verdict=None).passed
    nothing = no_regression(
        rows_of("comparisons"), rows_of("regressions"), rows_of("comparison_summary")
    )
    assert not nothing.passed


def side(run_id: str, system: str | None, version: str = "d@1") -> Side:
    return Side(run_id, "h", version, "dh", None, False, system)


def test_latest_run_of_each_system_is_that_of_the_version_asked_for() -> None:
    ordered = [side("a", "x"), side("b", None), side("c", "x"), side("d", "x", "d@2")]

    assert latest_runs(ordered, "d@1") == ["b", "c"]


def test_every_latest_run_must_be_compared_and_the_reason_is_told(rows_of: RowsOf) -> None:
    pairs = rows_of(
        "comparisons",
        {**PAIR, "candidate_run": "a", "state": "compared"},
        {**PAIR, "candidate_run": "b", "state": "refused", "reason": "the core is empty"},
    )

    assert comparable(["a"], pairs).passed
    refused = comparable(["a", "b", "c"], pairs)
    assert not refused.passed
    assert refused.description == (
        "b: refused, the core is empty; c: not compared, no comparison was made of it"
    )
    assert refused.metadata["compared"].value == 1
    assert not comparable([], pairs).passed


def measured(run_id: str, day: int, n_measured: int, **values: Any) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "rubric_version": "claims@1",
        "axis": "overall",
        "system": "bot",
        "started_at": dt.datetime(2026, 4, day, tzinfo=dt.UTC),
        "n_measured": n_measured,
        "n_unmeasured": 0,
        "n_missing": 10 - n_measured,
        **values,
    }


def test_coverage_speaks_of_the_latest_run_and_names_axis_and_n(rows_of: RowsOf) -> None:
    rows = rows_of("run_trend", measured("thin", 1, 2), measured("good", 2, 9))

    assert covered(rows, {"claims@1": 0.9}).passed
    strict = covered(rows, {"claims@1": 0.95})
    assert not strict.passed
    assert strict.description == (
        "good by claims@1: cases measured: overall 9 of 10; asked for 95% or more"
    )
    assert strict.metadata["lowest_share"].value == 0.9


def test_coverage_counts_no_case_that_is_in_no_denominator(rows_of: RowsOf) -> None:
    rows = rows_of(
        "run_trend",
        measured("r", 1, 4, n_missing=0, n_held_out=6),
        measured("r", 1, 0, n_missing=0, axis="search", n_not_applicable=10),
    )

    assert covered(rows, {"claims@1": 1.0}).passed


def test_coverage_of_nothing_is_no_pass(rows_of: RowsOf) -> None:
    assert not covered(rows_of("run_trend"), {"claims@1": 0.9}).passed
    tried = rows_of("run_trend", measured("r", 1, 10, rubric_version="other@1"))
    assert not covered(tried, {"claims@1": 0.9}).passed
