"""Runs of a comparison, written down by the trials of their cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from rag_eval_pipeline.comparison.regressions import (
    PAIRS,
    Core,
    core_cases,
    run_results,
    side_by_side,
)
from rag_eval_pipeline.tables.model import AXES

ITEM: dict[str, Any] = {
    "run_id": pl.String,
    "case_id": pl.String,
    **{
        f"{axis}_{part}": kind
        for axis in AXES
        for part, kind in (("score", pl.Float64), ("passed", pl.Boolean), ("state", pl.String))
    },
    "score": pl.Float64,
    "passed": pl.Boolean,
    "state": pl.String,
    "also": pl.List(pl.String),
}

Trial = float | str
"""A score, which passes when it is 1; `error` of the system; or the state of what has none."""
Run = Mapping[str, Sequence[Trial]]
"""Trials by case; all axes and the whole say the same."""


def run_of(cases: Run, run_id: str = "run") -> pl.DataFrame:
    """`run_results` of a run."""
    rows = []
    for case_id, trials in cases.items():
        for trial in trials:
            failed = trial == "error"
            score = 0.0 if failed else trial if isinstance(trial, float) else None
            result = {
                "score": score,
                "passed": None if score is None else score == 1.0,
                "state": "measured" if score is not None else trial,
            }
            rows.append(
                {"run_id": run_id, "case_id": case_id, "also": ["system_error"] if failed else []}
                | {
                    f"{prefix}{part}": value
                    for prefix in ("", *(f"{axis}_" for axis in AXES))
                    for part, value in result.items()
                }
            )
    return run_results(pl.DataFrame(rows, schema=ITEM, orient="row"))


def both_of(
    candidate: Run, baseline: Run, *, refused: str | None = None, comparison_id: str = "pair"
) -> pl.DataFrame:
    """`side_by_side` of two runs, every case of either on the core."""
    ids = tuple(sorted({*candidate, *baseline}))
    pair = pl.DataFrame([(comparison_id, 0, "new", "old", refused)], schema=PAIRS, orient="row")
    return side_by_side(
        pair,
        core_cases([Core(ids, (), (), ())]),
        run_of(candidate, "new"),
        run_of(baseline, "old"),
    )


def cases_of(ids: Sequence[str], **slices: Sequence[str | None] | str) -> pl.DataFrame:
    """Approved cases; a slice is one value for all of them or one each."""
    names = ("split", "category", "risk", "language", "scenario_id")
    columns = {
        name: [given] * len(ids) if isinstance(given, str) or given is None else list(given)
        for name in names
        for given in (slices.get(name),)
    }
    schema = dict.fromkeys(("case_id", "lifecycle", *names), pl.String)
    return pl.DataFrame(
        {"case_id": list(ids), "lifecycle": ["approved"] * len(ids), **columns}, schema=schema
    )
