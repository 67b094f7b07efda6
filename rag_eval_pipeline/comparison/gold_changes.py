"""What of a case's gold two dataset versions say differently, for people."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

# What decides the scores of a case and stands in the table `cases` (R11).
FIELDS = (
    "question",
    "reference_answer",
    "accepted_answers",
    "evidence_quotes",
    "expected_status",
    "accepted_statuses",
    "abstain_policy",
    "user_roles",
    "as_of",
)
CLAIM = ("claim_id", "kind", "text", "importance", "any_of", "values", "not_any_of")


def gold_changes(old: Mapping[str, pl.DataFrame], new: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Which parts of the gold differ, of the cases of both versions.

    Parameters
    ----------
    old, new
        The tables `cases`, `case_evidence` and `case_claims` of each version.

    Returns
    -------
    case_id, changed: fields, `claims`, `evidence` where other ids are gold, `text of …` where the
    pinned text of the same id is another. Cases whose gold is the same have no row; sorted.
    """
    both = (
        old["cases"]
        .join(new["cases"], on="case_id", suffix="_new")
        .join(_claims(old), on="case_id", how="left")
        .join(_claims(new), on="case_id", how="left", suffix="_new")
        .join(_ids(old), on="case_id", how="left")
        .join(_ids(new), on="case_id", how="left", suffix="_new")
        .join(_retexted(old, new), on="case_id", how="left")
    )
    fields = [
        pl.when(pl.col(name).ne_missing(pl.col(f"{name}_new"))).then(pl.lit(name))
        for name in (*FIELDS, "claims", "evidence")
    ]
    return (
        both.select(
            "case_id",
            changed=pl.concat_list(*fields, pl.col("texts").fill_null([])).list.drop_nulls(),
        )
        .filter(pl.col("changed").list.len() > 0)
        .sort("case_id")
    )


def _claims(version: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return (
        version["case_claims"]
        .sort("case_id", "claim_id")
        .group_by("case_id")
        .agg(claims=pl.struct(CLAIM))
    )


def _ids(version: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return (
        version["case_evidence"]
        .sort("case_id", "group_no", "evidence_id")
        .group_by("case_id")
        .agg(evidence=pl.struct("group_no", "evidence_id", "grade"))
    )


def _retexted(old: Mapping[str, pl.DataFrame], new: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Gold ids of both versions whose pinned text differs: case_id, texts."""
    names = ["case_id", "evidence_id", "sha256"]
    before, after = (version["case_evidence"].select(names).unique() for version in (old, new))
    return (
        before.join(after, on=names[:2], suffix="_new")
        .filter(pl.col("sha256").ne_missing(pl.col("sha256_new")))
        .sort(names[:2])
        .group_by("case_id")
        .agg(texts=pl.format("text of {}", "evidence_id"))
    )
