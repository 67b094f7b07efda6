"""What the four axes share: from a condition to score, state and reason (R1, R3, R7).

A condition is a boolean expression over the facts of a run item: true passes, false fails, null
is open. What outranks it, in this order: gold in doubt (held_out), a system error (measured 0), a
malformed item where the rubric says so (measured 0), not applicable.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

ITEM = ["run_id", "case_id", "trial"]
REASON_LENGTH = 120

Section = Mapping[str, str | float]


def judge(
    facts: pl.DataFrame,
    condition: pl.Expr,
    *,
    passed_reason: pl.Expr,
    failed_reason: pl.Expr,
    malformed: pl.Expr,
    not_applicable: pl.Expr | None = None,
    not_applicable_reason: str = "",
) -> pl.DataFrame:
    """Score one axis.

    Parameters
    ----------
    facts
        One row a run item: run_id, case_id, trial, gold_problem, system_error, malformed_fields
        and what the expressions need.
    condition
        Whether the axis passes; null is open.
    passed_reason, failed_reason
        Texts for people.
    malformed
        Whether the item scores 0 for being malformed.
    not_applicable
        Whether the axis makes no sense for the item.

    Returns
    -------
    run_id, case_id, trial, score, score_low, score_high, passed, state, reason_code, reason.
    """
    excluded = pl.lit(value=False) if not_applicable is None else not_applicable
    code = (
        pl.when(pl.col("gold_problem").is_not_null())
        .then(pl.lit("gold_problem"))
        .when(pl.col("system_error"))
        .then(pl.lit("system_error"))
        .when(malformed)
        .then(pl.lit("malformed"))
        .when(excluded)
        .then(pl.lit("not_applicable"))
        .when(condition)
        .then(pl.lit("passed"))
        .when(~condition)
        .then(pl.lit("failed"))
        .otherwise(pl.lit("undecided"))
    )
    reason = (
        pl.when(pl.col("reason_code") == "gold_problem")
        .then(pl.col("gold_problem"))
        .when(pl.col("reason_code") == "system_error")
        .then(pl.lit("the system logged an error"))
        .when(pl.col("reason_code") == "malformed")
        .then(pl.format("malformed: {}", pl.col("malformed_fields").list.join(", ")))
        .when(pl.col("reason_code") == "not_applicable")
        .then(pl.lit(not_applicable_reason))
        .when(pl.col("reason_code") == "passed")
        .then(passed_reason)
        .when(pl.col("reason_code") == "failed")
        .then(failed_reason)
        .otherwise(pl.lit("open"))
    )
    by_code = {
        "gold_problem": ("held_out", None, None),
        "not_applicable": ("not_applicable", None, None),
        "undecided": ("unmeasured", None, None),
        "passed": ("measured", True, 1.0),
        "failed": ("measured", False, 0.0),
        "malformed": ("measured", False, 0.0),
        "system_error": ("measured", False, 0.0),
    }
    coded = pl.col("reason_code")
    codes = list(by_code)
    open_ = coded == "undecided"
    return (
        facts.with_columns(reason_code=code)
        .with_columns(
            state=coded.replace_strict(
                codes, [by_code[each][0] for each in codes], return_dtype=pl.String
            ),
            passed=coded.replace_strict(
                codes, [by_code[each][1] for each in codes], return_dtype=pl.Boolean
            ),
            score=coded.replace_strict(
                codes, [by_code[each][2] for each in codes], return_dtype=pl.Float64
            ),
            reason=shortened(reason),
        )
        .select(
            *ITEM,
            "score",
            score_low=pl.when(open_).then(0.0).otherwise("score"),
            score_high=pl.when(open_).then(1.0).otherwise("score"),
            passed="passed",
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


def shortened(text: pl.Expr, length: int = REASON_LENGTH) -> pl.Expr:
    """The text, cut to `length` characters with … where it is longer."""
    return (
        pl.when(text.str.len_chars() > length).then(text.str.head(length - 1) + "…").otherwise(text)
    )
