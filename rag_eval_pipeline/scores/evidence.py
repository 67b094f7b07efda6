"""Evidence axis: is the answer right, and taken from the gold evidence?

strict (`exact_match`, R12): the answer equals an accepted one and the source is one of the gold
documents. A case that gives no answer to compare with is not applicable.

claims (`claims`, R3, R4): vital claims count 1, okay claims ½; the score is 0 if a forbidden claim
is asserted or a value has no ground. It passes when all vital claims are met, none forbidden is
asserted, no value is without ground and the source is acceptable.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import Degree, Excluded, Section, judge, scores_zero

VITAL, OKAY = 1.0, 0.5


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
    if section["open_claims"] == "fail":
        return pl.col("forbidden_open")
    return pl.col("vital_open").list.concat("forbidden_open")


def _claims(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    fails = section["open_claims"] == "fail"
    zero = section["ungrounded"] == "zero"
    no_ground = ungrounded(section).list.len() > 0
    open_values = _open_values(section)
    asserted = _n("forbidden_asserted") > 0
    unmet = (_n("vital_contradicted") + _n("vital_absent") > 0) | refused()
    if fails:
        unmet = unmet | (_n("vital_open") > 0)
    # An okay claim never decides whether the axis passes, so it is never what is open.
    undecided = open_claims(section).list.len() > 0
    wrong = asserted | unmet | wrong_source(section) | (no_ground if zero else pl.lit(value=False))
    some_open = undecided | (open_values.list.len() > 0)
    n_vital = _n("vital_met") + _n("vital_contradicted") + _n("vital_absent") + _n("vital_open")
    n_okay = _n("okay_met") + _n("okay_unmet") + _n("okay_open")
    total = VITAL * n_vital + OKAY * n_okay
    met = VITAL * _n("vital_met") + OKAY * _n("okay_met")
    possible = VITAL * _n("vital_open") + OKAY * _n("okay_open")
    nothing = asserted | refused() | (no_ground if zero else pl.lit(value=False))
    in_doubt = (_n("forbidden_open") > 0) | ((open_values.list.len() > 0) & zero)
    share_low = pl.when(total > 0).then(met / total).otherwise(1.0)
    share_high = pl.when(total > 0).then((met + possible) / total).otherwise(1.0)
    no_claim = (
        (total == 0)
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
    unmet = pl.col("vital_absent")
    if section["open_claims"] == "fail":
        unmet = unmet.list.concat("vital_open")
    gold = pl.col("gold_ids").list.join(", ")
    return pl.concat_str(
        pl.when(_n("asserted_notes") > 0).then(
            pl.format("asserts {}", pl.col("asserted_notes").list.join("; "))
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
