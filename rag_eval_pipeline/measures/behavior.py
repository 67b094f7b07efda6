"""Status and conditions: whether the system answered, abstained or asked back as it should, and
whether a right abstention has what the case asks of it.

The system's own status decides. What the wording of the answer tells stands beside it as a check,
and takes its place only where the run logs no status at all. A condition is met, unmet or open.
Invented values are judged here where unknown or clarify is expected; where an answer is, the
evidence axis judges them.

Formula:
- status_match = the observed status is one of the accepted statuses
- no_invented_value = no value of the answer is without ground
- names_missing_condition = the answer names every one of the policy's `missing_conditions`
- gives_next_action = the answer names one of its `next_action`
- escalates_as_allowed = escalated where it says required, not escalated where it says none
Source: R3
Gives:
- behavior_measures (expected_status, observed_status, status_from, status_match, pattern_status)
- behavior_measures (mixed, no_invented_value, names_missing_condition, gives_next_action)
- behavior_measures (escalates_as_allowed, missing_conditions_named, missing_conditions_unnamed)
- behavior_measures (escalated)
Needs: `case.expected_status`, `case.accepted_statuses`, `case.abstain_policy`, `log.status`,
  `log.answer`, `log.escalated`, `log.retrieved`
Absent:
- `case.expected_status`: answer is expected; in the category unanswerable the case is rejected
- `case.accepted_statuses`: the expected status alone is right
- `case.abstain_policy`, or a condition in it: that condition is null
- `log.status` in an item: observed_status is null, status_match false
- `log.status` in every item: the wording of the answer, status_from is pattern
- `log.answer`: pattern_status and mixed are null, what it should name is unmet, no_invented_value
  is open
- `log.escalated`: escalated if the answer names one of the policy's `escalate_to`
- `log.retrieved` in every item: no_invented_value is open if the answer has values
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rag_eval_pipeline.dataset.policy import AbstainPolicy
from rag_eval_pipeline.measures.distinct import with_facts
from rag_eval_pipeline.tables.model import STATUSES
from rag_eval_pipeline.text.mention import mentions
from rag_eval_pipeline.text.status import read_status

ITEM = ["run_id", "case_id", "trial"]
_STATUS_OF = {"answer": "answer", "abstain": "unknown", "clarify": "clarify"}
_POLICY: Mapping[str, pl.DataType | type[pl.DataType]] = {
    "must_not_invent": pl.Boolean,
    "missing_conditions": pl.List(pl.String),
    "next_action": pl.List(pl.String),
    "escalate_to": pl.List(pl.String),
    "escalation": pl.String,
}


def observed_status() -> pl.Expr:
    """The item's own status where it is one of answer, unknown, clarify; else null."""
    return pl.when(pl.col("status").is_in(STATUSES)).then(pl.col("status"))


def behavior_facts(items: pl.DataFrame, grounded: pl.DataFrame) -> pl.DataFrame:
    """What each run item did, against what its case expects.

    Parameters
    ----------
    items
        run_id, case_id, trial, answer, status, escalated, not_logged (fields the run never
        carries), expected_status, accepted_statuses, abstain_policy (canonical JSON).
    grounded
        run_id, case_id, trial, n_values, ungrounded_values, open_values
        (`groundedness.value_groundedness`).

    Returns
    -------
    run_id, case_id, trial and the columns of `behavior_measures`. A condition is met, unmet or
    open; null where the case does not ask for it. Invented values are judged here only where the
    case expects unknown or clarify; where it expects an answer the evidence axis judges them (R3).
    """
    read = with_facts(
        items,
        ["answer"],
        _wording,
        {"pattern_status": pl.String, "mixed": pl.Boolean},
    ).with_columns(own=observed_status(), unlogged=pl.col("not_logged").list.contains("status"))
    told = (
        read.with_columns(
            status_from=pl.when(pl.col("own").is_not_null())
            .then(pl.lit("logged"))
            .when(pl.col("unlogged") & pl.col("pattern_status").is_not_null())
            .then(pl.lit("pattern")),
        )
        .with_columns(
            observed_status=pl.when(pl.col("status_from") == "logged")
            .then("own")
            .when(pl.col("status_from") == "pattern")
            .then("pattern_status")
        )
        .with_columns(
            status_match=pl.col("accepted_statuses")
            .list.contains(pl.col("observed_status"))
            .fill_null(value=False)
            & pl.col("observed_status").is_not_null()
        )
    )
    asked = with_facts(told, ["abstain_policy"], _policy, _POLICY)
    named = (
        asked.join(_named(asked, "missing_conditions"), on=ITEM, how="left", maintain_order="left")
        .join(_named(asked, "next_action"), on=ITEM, how="left", maintain_order="left")
        .join(_named(asked, "escalate_to"), on=ITEM, how="left", maintain_order="left")
        .join(
            grounded.select(*ITEM, "n_values", "ungrounded_values", "open_values"),
            on=ITEM,
            how="left",
            maintain_order="left",
        )
        .with_columns(
            pl.col("missing_conditions_named", "next_action_named", "escalate_to_named").fill_null(
                []
            )
        )
    )
    field = pl.col("escalated")
    by_field = pl.when(field.is_not_null()).then(field != "false")
    return named.with_columns(
        escalated=pl.coalesce(by_field, pl.col("escalate_to_named").list.len() > 0),
        missing_conditions_unnamed=pl.col("missing_conditions").list.set_difference(
            "missing_conditions_named"
        ),
    ).with_columns(
        no_invented_value=pl.when(pl.col("must_not_invent") & _abstention_expected()).then(
            _invented()
        ),
        names_missing_condition=pl.when(pl.col("missing_conditions").list.len() > 0).then(
            _state(pl.col("missing_conditions_unnamed").list.len() == 0)
        ),
        gives_next_action=pl.when(pl.col("next_action").list.len() > 0).then(
            _state(pl.col("next_action_named").list.len() > 0)
        ),
        escalates_as_allowed=pl.when(pl.col("escalation") == "required")
        .then(_state(pl.col("escalated")))
        .when(pl.col("escalation") == "none")
        .then(_state(~pl.col("escalated"))),
    )


def _abstention_expected() -> pl.Expr:
    return pl.col("expected_status") != "answer"


def _invented() -> pl.Expr:
    return (
        pl.when(pl.col("ungrounded_values").list.len() > 0)
        .then(pl.lit("unmet"))
        .when((pl.col("open_values").list.len() > 0) | pl.col("n_values").is_null())
        .then(pl.lit("open"))
        .otherwise(pl.lit("met"))
    )


def _state(met: pl.Expr) -> pl.Expr:
    return pl.when(met).then(pl.lit("met")).otherwise(pl.lit("unmet"))


def _named(items: pl.DataFrame, phrases: str) -> pl.DataFrame:
    """Per item the phrases of a list column that its answer names: `{phrases}_named`."""
    pairs = (
        items.filter(pl.col(phrases).list.len() > 0)
        .select(*ITEM, "answer", phrases)
        .explode(phrases, empty_as_null=False)
    )
    return (
        with_facts(pairs, [phrases, "answer"], _names, {"named": pl.Boolean})
        .group_by(ITEM, maintain_order=True)
        .agg(pl.col(phrases).filter("named").alias(f"{phrases}_named"))
    )


def _names(phrase: str, answer: str | None) -> tuple[bool]:
    return (answer is not None and mentions(phrase, answer),)


def _wording(answer: str | None) -> tuple[str | None, bool | None]:
    if answer is None:
        return None, None
    read = read_status(answer)
    # An empty answer says nothing, and least of all that the system rightly abstained.
    return None if read.rule == "empty" else _STATUS_OF[read.label], read.mixed


def _policy(stored: str | None) -> tuple[bool, list[str], list[str], list[str], str]:
    policy = AbstainPolicy.of_json(stored)
    return (
        policy.must_not_invent,
        list(policy.missing_conditions),
        list(policy.next_action),
        list(policy.escalate_to),
        # Without a policy nothing is asked, not even that nobody is called.
        policy.escalation if stored is not None else "allowed",
    )
