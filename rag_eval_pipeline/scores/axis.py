"""What the four axes share: from a condition to score, state and reason (R1, R3, R7).

A condition is a boolean expression over the facts of a run item: true passes, false fails, null
is open. What outranks it, in this order: gold in doubt (held_out), a system error (measured 0), a
malformed item where the rubric says so (measured 0), not applicable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.scores.rubric import Section

ITEM = ["run_id", "case_id", "trial"]
REASON_LENGTH = 120
# Sums of weights are no exact numbers: a score this much under a threshold reaches it.
SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Excluded:
    """Why an axis makes no sense for an item: machine-readable code, condition, text."""

    code: str
    when: pl.Expr
    reason: str


@dataclass(frozen=True, slots=True)
class Degree:
    """A score between 0 and 1, with open conditions counted as not met and as met."""

    low: pl.Expr
    high: pl.Expr


def judge(
    facts: pl.DataFrame,
    condition: pl.Expr,
    *,
    passed_reason: pl.Expr,
    failed_reason: pl.Expr,
    malformed: pl.Expr,
    excluded: Sequence[Excluded] = (),
    excluded_first: bool = False,
    degree: Degree | None = None,
    open_code: pl.Expr | None = None,
    open_reason: pl.Expr | None = None,
) -> pl.DataFrame:
    """Score one axis.

    Parameters
    ----------
    facts
        One row a run item: run_id, case_id, trial, gold_problem, system_error, malformed_fields
        and what the expressions need.
    condition
        Whether the axis passes; null is open.
    passed_reason, failed_reason, open_reason
        Texts for people.
    malformed
        Whether the item scores 0 for being malformed.
    excluded
        What makes the axis not applicable; the first that holds is told.
    excluded_first
        Whether that outranks a system error, which counts on axes that apply only (R8). Under
        `strict` it does not: there an error is 0 on all four.
    degree
        The score where it is more than passed or not. An axis that failed while a condition is
        open is measured: its score counts what is open as not met.
    open_code
        Why an open item is open; `undecided` if left out.

    Returns
    -------
    run_id, case_id, trial, score, score_low, score_high, passed, state, reason_code, reason.
    """
    open_code = pl.lit("undecided") if open_code is None else open_code
    open_reason = pl.lit("open") if open_reason is None else open_reason
    not_applicable = [(each.code, each.when, pl.lit(each.reason)) for each in excluded]
    outranking = [
        ("gold_problem", pl.col("gold_problem").is_not_null(), pl.col("gold_problem")),
        *(not_applicable if excluded_first else ()),
        ("system_error", pl.col("system_error"), pl.lit("the system logged an error")),
        (
            "malformed",
            malformed,
            pl.format("malformed: {}", pl.col("malformed_fields").list.join(", ")),
        ),
        *(() if excluded_first else not_applicable),
    ]
    code = pl.coalesce(
        *(pl.when(when).then(pl.lit(name)) for name, when, _ in outranking),
        pl.when(condition).then(pl.lit("passed")).when(~condition).then(pl.lit("failed")),
        open_code,
    )
    reason = pl.coalesce(
        *(pl.when(pl.col("reason_code") == name).then(text) for name, _, text in outranking),
        pl.when(pl.col("reason_code") == "passed").then(passed_reason),
        pl.when(pl.col("reason_code") == "failed").then(failed_reason),
        open_reason,
    )
    coded = pl.col("reason_code")
    judged = coded.is_in(["passed", "failed"])
    state = (
        pl.when(coded == "gold_problem")
        .then(pl.lit("held_out"))
        .when(coded.is_in([each.code for each in excluded]))
        .then(pl.lit("not_applicable"))
        .when(judged | coded.is_in(["system_error", "malformed"]))
        .then(pl.lit("measured"))
        .otherwise(pl.lit("unmeasured"))
    )
    low = pl.when(coded == "passed").then(1.0).otherwise(0.0) if degree is None else degree.low
    high = pl.when(coded == "failed").then(0.0).otherwise(1.0) if degree is None else degree.high
    bounded = judged | (pl.col("state") == "unmeasured")
    zero = pl.when(pl.col("state") == "measured").then(0.0)
    return (
        facts.with_columns(reason_code=code)
        .with_columns(state=state, reason=shortened(reason))
        .select(
            *ITEM,
            score=pl.when(judged).then(low).otherwise(zero),
            score_low=pl.when(bounded).then(low).otherwise(zero),
            score_high=pl.when(bounded).then(high).otherwise(zero),
            passed=pl.when(pl.col("state") == "measured").then(coded == "passed"),
            state="state",
            reason_code="reason_code",
            reason="reason",
        )
    )


def scores_zero(section: Section) -> pl.Expr:
    """Whether a malformed item scores 0 on an axis by the section's `malformed` key (R12)."""
    return (
        pl.col("malformed_fields").list.len() > 0
        if section["malformed"] == "zero"
        else pl.lit(value=False)
    )


def number(section: Section, key: str) -> float:
    """A key of a section that holds a number."""
    value = section[key]
    if isinstance(value, int | float):
        return value
    raise TypeError(f"{key} is no number: {value!r}")


def reaches(degree: Degree, threshold: float) -> pl.Expr:
    """Whether a score reaches a threshold; null while open conditions could tip it."""
    least = threshold - SLACK
    return pl.when(degree.low >= least).then(True).when(degree.high < least).then(False)


def shortened(text: pl.Expr, length: int = REASON_LENGTH) -> pl.Expr:
    """The text, cut to `length` characters with … where it is longer."""
    return (
        pl.when(text.str.len_chars() > length).then(text.str.head(length - 1) + "…").otherwise(text)
    )
