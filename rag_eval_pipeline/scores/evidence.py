"""Evidence axis: is the answer right, and taken from the gold evidence?

strict (`exact_match`, R12): the answer equals an accepted one and the source is one of the gold
documents. A case that gives no answer to compare with is not applicable.

claims (`claims`, R3, R4): vital claims weigh 1, okay claims ½, or what the rubric says; the score
is 0 if a forbidden claim is asserted or a value has no ground. It passes when all vital claims are
met (`pass_at: vital`) or the score reaches `pass_at`, none forbidden is asserted, no value is
without ground and the source is acceptable. Under `open_claims: fail` a required claim that rules
leave open counts as not met, a forbidden one as asserted.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import (
    SLACK,
    Degree,
    Excluded,
    judge,
    number,
    scores_zero,
)
from rag_eval_pipeline.scores.rubric import Section

NO_CLAIMS = pl.lit([], pl.List(pl.String))


def score(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    """Score the axis by the section's measure (see `axis.judge`).

    `exact_match` needs exact_match, source_match, source, gold_ids; `claims` the claim lists of
    `facts.facts`, the values without ground, source_acceptable, both statuses and not_logged.
    """
    return _claims(facts, section) if section["measure"] == "claims" else _strict(facts, section)


def _strict(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    wrong_answer = pl.when(~pl.col("exact_match")).then(
        pl.lit("the answer differs from the expected one")
    )
    gold = pl.when(pl.col("gold_ids").list.len() > 0).then(pl.col("gold_ids").list.join(", "))
    wrong_source = pl.when(~pl.col("source_match")).then(
        pl.format(
            "source {}, gold {}",
            pl.col("source").fill_null("none"),
            gold.fill_null("none"),
        )
    )
    return judge(
        facts,
        pl.col("exact_match") & pl.col("source_match"),
        passed_reason=pl.lit("answer and source are the expected ones"),
        failed_reason=pl.concat_str(wrong_answer, wrong_source, separator="; ", ignore_nulls=True),
        malformed=scores_zero(section),
        excluded=[
            Excluded(
                "not_applicable",
                pl.col("exact_match").is_null(),
                "the case gives no answer to compare with",
            )
        ],
    )


def _n(name: str) -> pl.Expr:
    return pl.col(name).list.len()


def refused() -> pl.Expr:
    """An answer is expected and the system wrongly abstained or asked back: no claim is met."""
    return (
        (pl.col("expected_status") == "answer")
        & (pl.col("observed_status") != "answer").fill_null(value=False)
        & ~pl.col("status_match")
    )


def answers() -> pl.Expr:
    """An answer is expected and the item is not a rightful abstention or question back."""
    return (pl.col("expected_status") == "answer") & (
        (pl.col("observed_status") == "answer").fill_null(value=True)
    )


def ungrounded(section: Section) -> pl.Expr:
    """Values that count as without ground; judged here only where an answer is expected (R3)."""
    values = pl.col("ungrounded_values")
    if section["echoed"] == "fail":
        values = values.list.concat("echoed_values")
    return pl.when(answers()).then(values).otherwise(pl.lit([], pl.List(pl.String)))


def wrong_source(section: Section) -> pl.Expr:
    """Whether neither source nor citations are of a gold document, where one must be."""
    unlogged = pl.col("not_logged").list.contains("source") & pl.col("not_logged").list.contains(
        "citations"
    )
    if section["source"] == "ignore":
        return pl.lit(value=False)
    # Ids of another index than the gold's: what is cited cannot be told by id (R5).
    foreign = (pl.col("method") == "text") | (pl.col("unmeasured_reason") == "ids_not_in_snapshot")
    checked = answers() & ~unlogged & ~foreign.fill_null(value=False)
    return (checked & ~pl.col("source_acceptable")).fill_null(value=False)


def open_claims(section: Section) -> pl.Expr:
    """Claims the rules leave open, as far as the rubric does not count them as not met."""
    if open_fails(section):
        return NO_CLAIMS
    every = pl.col("vital_open").list.concat("forbidden_open")
    return every if threshold(section) is None else every.list.concat("okay_open")


def open_fails(section: Section) -> bool:
    """Whether what rules cannot decide counts against the answer."""
    return section["open_claims"] == "fail"


def threshold(section: Section) -> float | None:
    """The score that passes; None where the vital claims alone decide."""
    return None if isinstance(section["pass_at"], str) else number(section, "pass_at")


def not_met(section: Section) -> pl.Expr:
    """Claims not met that can make the axis fail, but for those contradicted."""
    listed = pl.col("vital_absent")
    if open_fails(section):
        listed = listed.list.concat("vital_open")
    if threshold(section) is not None:
        listed = listed.list.concat("okay_unmet")
        listed = listed.list.concat("okay_open") if open_fails(section) else listed
    return listed


def asserted(section: Section) -> pl.Expr:
    """Forbidden claims that count as asserted."""
    listed = pl.col("forbidden_asserted")
    return listed.list.concat("forbidden_open") if open_fails(section) else listed


def _claims(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    zero = section["ungrounded"] == "zero"
    no_ground = ungrounded(section).list.len() > 0
    open_values = _open_values(section)
    violated = asserted(section).list.len() > 0
    n_vital = _n("vital_met") + _n("vital_contradicted") + _n("vital_absent") + _n("vital_open")
    n_okay = _n("okay_met") + _n("okay_unmet") + _n("okay_open")
    vital, okay = number(section, "vital_weight"), number(section, "okay_weight")
    total = vital * n_vital + okay * n_okay
    met = vital * _n("vital_met") + okay * _n("okay_met")
    possible = vital * _n("vital_open") + okay * _n("okay_open")
    best = met if open_fails(section) else met + possible
    nothing = violated | refused() | (no_ground if zero else pl.lit(value=False))
    doubtful_claim = pl.lit(not open_fails(section)) & (_n("forbidden_open") > 0)
    in_doubt = doubtful_claim | ((open_values.list.len() > 0) & zero)
    share_low = pl.when(total > 0).then(met / total).otherwise(1.0)
    share_high = pl.when(total > 0).then(best / total).otherwise(1.0)
    least = threshold(section)
    if least is None:
        # An okay claim never decides whether the axis passes, so it is never what is open.
        too_few = (_n("vital_contradicted") + not_met(section).list.len()) > 0
        undecided = open_claims(section).list.len() > 0
    else:
        too_few = share_high < least - SLACK
        undecided = doubtful_claim | (share_low < least - SLACK)
    wrong = nothing | too_few | wrong_source(section)
    some_open = undecided | (open_values.list.len() > 0)
    no_claim = (
        (n_vital + n_okay == 0)
        & (_n("forbidden_asserted") + _n("forbidden_clear") == 0)
        & (_n("forbidden_open") == 0)
    )
    elsewhere = ~refused() & ~answers()
    nothing_to_judge = no_claim & (
        elsewhere | (pl.col("source_acceptable").is_null() & (pl.col("n_values").fill_null(0) == 0))
    )
    return judge(
        facts,
        ~wrong & pl.when(~some_open).then(pl.lit(value=True)),
        passed_reason=pl.format("{} of {} claims met", _n("vital_met") + _n("okay_met"),
                                n_vital + n_okay),
        failed_reason=_failed_reason(section),
        malformed=pl.lit(value=False),
        excluded=[
            Excluded(
                "not_logged",
                pl.col("not_logged").list.contains("answer"),
                "the run does not log answers",
            ),
            Excluded(
                "no_claims",
                nothing_to_judge,
                "the case gives no claim and no answer to judge by",
            ),
        ],
        excluded_first=True,
        degree=Degree(
            low=pl.when(nothing | in_doubt).then(0.0).otherwise(share_low),
            high=pl.when(nothing).then(0.0).otherwise(share_high),
        ),
        open_code=pl.when(undecided | (_n("open_values") == 0))
        .then(pl.lit("undecided"))
        .otherwise(pl.lit("text_missing")),
        open_reason=pl.when(undecided)
        .then(pl.format("for review: {}", open_claims(section).list.join(", ")))
        .when(_n("open_values") == 0)
        .then(
            pl.format(
                "for review, only in the question: {}", pl.col("echoed_values").list.join(", ")
            )
        )
        .otherwise(
            pl.format(
                "values not found, and a retrieved text is not known: {}",
                open_values.list.join(", "),
            )
        ),
    )  # fmt: skip


def _open_values(section: Section) -> pl.Expr:
    values = pl.col("open_values")
    if section["echoed"] == "review":
        values = values.list.concat("echoed_values")
    return pl.when(answers()).then(values).otherwise(pl.lit([], pl.List(pl.String)))


def _failed_reason(section: Section) -> pl.Expr:
    status = pl.format("status {}: no claim is met", pl.col("observed_status"))
    unmet = not_met(section)
    undenied = pl.col("forbidden_open").list.len() > 0 if open_fails(section) else False
    gold = pl.col("gold_ids").list.join(", ")
    return pl.concat_str(
        pl.when(_n("asserted_notes") > 0).then(
            pl.format("asserts {}", pl.col("asserted_notes").list.join("; "))
        ),
        pl.when(undenied).then(
            pl.format("not clear of {}", pl.col("forbidden_open").list.join(", "))
        ),
        pl.when(refused()).then(status),
        pl.when(~refused() & (_n("contradicted_notes") > 0)).then(
            pl.format("contradicts {}", pl.col("contradicted_notes").list.join("; "))
        ),
        pl.when(ungrounded(section).list.len() > 0).then(
            pl.format("without ground: {}", ungrounded(section).list.join(", "))
        ),
        pl.when(~refused() & (unmet.list.len() > 0)).then(
            pl.format("not met: {}", unmet.list.join(", "))
        ),
        pl.when(wrong_source(section)).then(
            pl.format("source {}, gold {}", pl.col("source").fill_null("none"), gold)
        ),
        separator="; ",
        ignore_nulls=True,
    )
