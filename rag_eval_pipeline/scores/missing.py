"""Rows for the cases a run has no item for (R7, R8).

A missing case counts as 0 on every axis that applies to it. On an axis that would be not
applicable whatever the run had answered it is not applicable here too, so that a run does not
change its denominators by lacking cases.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import shortened
from rag_eval_pipeline.scores.diagnosis import MEND
from rag_eval_pipeline.scores.format import FIELDS
from rag_eval_pipeline.scores.overrides import by_rubric
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.model import AXES

MISSING = "missing: the run has no item for this case"


def missing_cases(cases: pl.DataFrame, run_id: str, rubric: Rubric) -> pl.DataFrame:
    """The rows, as `case.join_axes` gives them for items.

    Parameters
    ----------
    cases
        case_id, gold_problem (a case whose gold is in doubt is held out), n_groups of gold
        evidence, n_claims (derived ones included), has_answer (a reference or accepted answer),
        expected_status, not_logged (fields no item of the run carries); category and risk where
        the rubric has overrides.
    """
    return by_rubric(cases, rubric, lambda rows, chosen: _rows(rows, run_id, chosen))


def _rows(cases: pl.DataFrame, run_id: str, rubric: Rubric) -> pl.DataFrame:
    doubtful = pl.col("gold_problem").is_not_null()
    applying = _applying(rubric)
    states = {
        f"{axis}_state": pl.when(doubtful)
        .then(pl.lit("held_out"))
        .when(applying[axis])
        .then(pl.lit("missing"))
        .otherwise(pl.lit("not_applicable"))
        for axis in AXES
    }
    # A case that no deciding axis applies to would not be in the denominator with an item either.
    counts = pl.any_horizontal(applying[axis] for axis in rubric.deciding_axes)
    named = pl.when(doubtful).then(pl.lit("gold_problem"))
    nothing = {
        f"{axis}_{part}": pl.lit(None, pl.Float64 if part == "score" else pl.Boolean)
        for axis in AXES
        for part in ("score", "passed")
    }
    return cases.select(
        "case_id",
        **nothing,
        **states,
        run_id=pl.lit(run_id),
        trial=pl.lit(1, pl.Int64),
        score=pl.lit(None, pl.Float64),
        score_low=pl.lit(None, pl.Float64),
        score_high=pl.lit(None, pl.Float64),
        state=pl.when(doubtful)
        .then(pl.lit("held_out"))
        .when(counts)
        .then(pl.lit("missing"))
        .otherwise(pl.lit("not_applicable")),
        passed=pl.lit(None, pl.Boolean),
        failed_axes=pl.lit([], pl.List(pl.String)),
        diagnosis=named,
        also=pl.concat_list(named).list.drop_nulls(),
        where_to_mend=pl.when(doubtful).then(pl.lit(MEND["gold_problem"])),
        reason=shortened(pl.coalesce("gold_problem", pl.lit(MISSING))),
    )


def _applying(rubric: Rubric) -> dict[str, pl.Expr]:
    """Whether each axis makes sense for a case, as far as case and run tell without an item."""
    search, evidence, behavior, form = (rubric.sections[axis] for axis in AXES)
    has_gold, everything = pl.col("n_groups") > 0, pl.lit(value=True)
    gold = has_gold if search["no_evidence"] == "separate" else everything
    any_status = ~(_unlogged("status") & _unlogged("answer"))
    judgeable = (pl.col("n_claims") > 0) | ((pl.col("expected_status") == "answer") & has_gold)
    return {
        "search": gold & ~_unlogged("retrieved") if search["measure"] == "recall" else gold,
        "evidence": judgeable & ~_unlogged("answer")
        if evidence["measure"] == "claims"
        else pl.col("has_answer"),
        "behavior": any_status if behavior["measure"] == "abstain_policy" else everything,
        "format": ~pl.all_horizontal(_unlogged(name) for name in FIELDS)
        if form["measure"] == "logged_fields"
        else everything,
    }


def _unlogged(name: str) -> pl.Expr:
    return pl.col("not_logged").list.contains(name)
