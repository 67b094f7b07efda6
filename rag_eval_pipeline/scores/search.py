"""Search axis: are the gold evidence groups among the retrieved ids?

strict (`gold_retrieved`, R12): all groups are retrieved. A case without gold passes
(`no_evidence: full_credit`) or is not applicable (`separate`).

claims (`recall`, R2): recall@k over the groups; passes once it reaches `pass_at`, by default with
all of them. A retrieved document the asker may not read fails the axis, also where the case has no
gold. A case without gold is not applicable (`no_evidence: separate`) or passes (`full_credit`).
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

NO_GOLD = "the case has no gold evidence"
_LEVELS = {"section": "section_ranks", "document": "document_ranks"}


def score(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    """Score the axis by the section's measure (see `axis.judge`).

    `gold_retrieved` needs n_groups, n_retrieved, group_ranks, gold_ids; `recall` also ranks, level,
    section_ranks, document_ranks, unmeasured_reason, forbidden_ids, not_logged, malformed_fields.
    """
    return _recall(facts, section) if section["measure"] == "recall" else _strict(facts, section)


def missed(section: Section) -> pl.Expr:
    """Whether a gold group is not among the first k by the section's measure; null if unknown."""
    if section["measure"] == "recall":
        return pl.when(_unranked(section).is_null()).then(_n_covered(section) < _n_groups(section))
    return pl.col("group_ranks").list.eval(pl.element().is_null()).list.any()


def _strict(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    no_gold = pl.col("n_groups") == 0
    ranks = pl.col("group_ranks").cast(pl.List(pl.String)).list.join(", ", ignore_nulls=True)
    gold = pl.col("gold_ids").list.join(", ")
    separate = section["no_evidence"] == "separate"
    return judge(
        facts,
        no_gold | ~missed(section),
        passed_reason=pl.when(no_gold)
        .then(pl.lit(NO_GOLD))
        .otherwise(pl.format("gold {} at rank {}", gold, ranks)),
        failed_reason=pl.format(
            "gold {}: {} of {} groups among {} retrieved",
            gold,
            pl.col("group_ranks").list.drop_nulls().list.len(),
            pl.col("group_ranks").list.len(),
            "n_retrieved",
        ),
        malformed=scores_zero(section),
        excluded=[Excluded("not_applicable", no_gold, NO_GOLD)] if separate else [],
    )


def _recall(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    k = int(number(section, "k"))
    no_gold = pl.col("n_groups") == 0
    forbidden = _forbidden(section)
    unretrieved = pl.col("malformed_fields").list.contains("retrieved") & (
        pl.col("retrieved_type") != "mixed_list"
    )
    covered, groups = _n_covered(section), _n_groups(section)
    unranked = _unranked(section)
    separate = section["no_evidence"] == "separate"
    known = pl.when(unranked.is_null()).then((covered / groups).fill_nan(0.0))
    share = (
        pl.when(no_gold & forbidden)
        .then(0.0)
        .when(no_gold & pl.lit(not separate))
        .then(1.0)
        .otherwise(known)
    )
    degree = Degree(
        low=pl.when(unretrieved).then(0.0).otherwise(share.fill_null(0.0)),
        high=pl.when(unretrieved).then(0.0).otherwise(share.fill_null(1.0)),
    )
    ranks = _ranks(section).cast(pl.List(pl.String)).list.join(", ", ignore_nulls=True)
    gold = pl.col("gold_ids").list.join(", ")
    found = (
        pl.when(ranks == "").then(pl.lit("not retrieved")).otherwise(pl.format("at rank {}", ranks))
    )
    return judge(
        facts,
        ~forbidden & reaches(degree, number(section, "pass_at")),
        passed_reason=pl.when(no_gold)
        .then(pl.lit(NO_GOLD))
        .when(covered < groups)
        .then(pl.format("{} of {} gold groups in the top {}", covered, groups, pl.lit(k)))
        .otherwise(pl.format("gold {} at rank {}", gold, ranks)),
        failed_reason=pl.when(forbidden)
        .then(pl.format("retrieved {}, which the asker may not read", _listed("forbidden_ids")))
        .when(unretrieved)
        .then(pl.lit("the item has no usable list `retrieved`"))
        .otherwise(
            pl.format(
                "{} of {} gold groups in the top {}: {} {}",
                covered,
                groups,
                pl.lit(k),
                gold,
                found,
            )
        ),
        malformed=pl.lit(value=False),
        excluded=[
            Excluded(
                "not_logged",
                pl.col("not_logged").list.contains("retrieved"),
                "the run does not log what it retrieved",
            ),
            *(_without_gold(no_gold, forbidden) if separate else ()),
            Excluded(
                "no_section_ids",
                ~forbidden & (unranked == "no_section_ids"),
                "gold names sections, the run only documents: not comparable by section",
            ),
        ],
        excluded_first=True,
        degree=degree,
        open_code=unranked,
        open_reason=pl.when(unranked == "ids_not_in_snapshot")
        .then(pl.lit("the retrieved ids are not the snapshot's, and there is no text to go by"))
        .otherwise(pl.format("not measurable: {}", unranked)),
    )


def _without_gold(no_gold: pl.Expr, forbidden: pl.Expr) -> tuple[Excluded, Excluded]:
    """Nothing to find: right where nothing was retrieved either, told apart (R2)."""
    nothing = ~forbidden & (pl.col("n_retrieved") == 0)
    return (
        Excluded("no_match_correct", no_gold & nothing, f"{NO_GOLD}, and nothing was retrieved"),
        Excluded("no_gold", no_gold & ~forbidden, NO_GOLD),
    )


def _forbidden(section: Section) -> pl.Expr:
    if section["forbidden_access"] == "ignore":
        return pl.lit(value=False)
    return pl.col("forbidden_ids").list.len() > 0


def _ranks(section: Section) -> pl.Expr:
    own = _LEVELS.get(str(section["level"]))
    if own is None:
        return pl.col("ranks")
    # Ranks by text know no level.
    return pl.when(pl.col("method") == "text").then("ranks").otherwise(own)


def _unranked(section: Section) -> pl.Expr:
    """Why the ranks cannot be judged; null if they can."""
    own = section["level"] != "auto"
    level_only = pl.lit(own) & (pl.col("unmeasured_reason") == "no_section_ids")
    return pl.when(~level_only).then(pl.col("unmeasured_reason"))


def _n_groups(section: Section) -> pl.Expr:
    return _ranks(section).list.len()


def _n_covered(section: Section) -> pl.Expr:
    k = int(number(section, "k"))
    return _ranks(section).list.eval(pl.element() <= k).list.sum().fill_null(0)


def _listed(name: str) -> pl.Expr:
    return pl.col(name).list.unique(maintain_order=True).list.join(", ")
