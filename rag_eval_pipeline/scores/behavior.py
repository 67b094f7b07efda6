"""Behavior axis: did the system answer, abstain or ask back as it should?

strict (`status_match`, R12): the status is one the case accepts.

claims (`abstain_policy`, R3): 0 if the status is not accepted, else (1 + conditions met) /
(1 + conditions asked for); passes once that reaches `pass_at`, by default with all of them.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import (
    Degree,
    Excluded,
    judge,
    number,
    reaches,
    scores_zero,
)
from rag_eval_pipeline.scores.rubric import Section

CONDITIONS = (
    "no_invented_value",
    "names_missing_condition",
    "gives_next_action",
    "escalates_as_allowed",
)


def score(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    """Score the axis by the section's measure (see `axis.judge`).

    `status_match` needs status_match, expected_status, observed_status; `abstain_policy` also the
    columns of the four conditions, ungrounded_values, missing_conditions_unnamed, not_logged.
    """
    if section["measure"] == "abstain_policy":
        return _with_policy(facts, section)
    observed = pl.col("observed_status").fill_null("none")
    return judge(
        facts,
        pl.col("status_match"),
        passed_reason=pl.format("status {} is right", observed),
        failed_reason=_wrong_status(),
        malformed=scores_zero(section),
    )


def unmet(section: Section) -> pl.Expr:
    """Names of the conditions the section counts and the item does not meet."""
    return _with_state(section, "unmet")


def _with_policy(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    n_unmet, n_open = unmet(section).list.len(), _with_state(section, "open").list.len()
    n_met = _with_state(section, "met").list.len()
    asked = 1 + n_met + n_unmet + n_open
    right = pl.col("status_match")
    observed = pl.col("observed_status").fill_null("none")
    degree = Degree(
        low=pl.when(right).then((1 + n_met) / asked).otherwise(0.0),
        high=pl.when(right).then((1 + n_met + n_open) / asked).otherwise(0.0),
    )
    return judge(
        facts,
        right & reaches(degree, number(section, "pass_at")),
        passed_reason=pl.when(n_met == 0)
        .then(pl.format("status {} is right", observed))
        .otherwise(pl.format("status {} is right, {} conditions met", observed, n_met)),
        failed_reason=pl.when(~right)
        .then(_wrong_status())
        .otherwise(
            pl.concat_str(
                pl.lit(None, pl.String), *_faults(section), separator="; ", ignore_nulls=True
            )
        ),
        malformed=pl.lit(value=False),
        excluded=[
            Excluded(
                "not_logged",
                pl.col("not_logged").list.contains("status")
                & pl.col("not_logged").list.contains("answer"),
                "the run logs neither status nor answer",
            )
        ],
        excluded_first=True,
        degree=degree,
        open_code=pl.lit("text_missing"),
        open_reason=pl.format(
            "values not found, and a retrieved text is not known: {}",
            pl.col("open_values").list.join(", "),
        ),
    )


def _wrong_status() -> pl.Expr:
    return pl.format(
        "status {}, expected {}", pl.col("observed_status").fill_null("none"), "expected_status"
    )


def _with_state(section: Section, state: str) -> pl.Expr:
    return pl.concat_list(
        pl.when(pl.col(name) == state).then(pl.lit(name))
        if section[name] == "count"
        else pl.lit(None, pl.String)
        for name in CONDITIONS
    ).list.drop_nulls()


def _faults(section: Section) -> list[pl.Expr]:
    texts = {
        "no_invented_value": pl.format(
            "invented value {}", pl.col("ungrounded_values").list.join(", ")
        ),
        "names_missing_condition": pl.format(
            "does not name {}", pl.col("missing_conditions_unnamed").list.join(", ")
        ),
        "gives_next_action": pl.lit("gives no next action"),
        "escalates_as_allowed": pl.when(pl.col("escalated"))
        .then(pl.lit("escalated, though none is allowed"))
        .otherwise(pl.lit("not escalated, though required")),
    }
    return [
        pl.when(pl.col(name) == "unmet").then(text)
        for name, text in texts.items()
        if section[name] == "count"
    ]
