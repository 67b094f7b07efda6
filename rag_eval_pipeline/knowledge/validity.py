"""Whether gold evidence holds on the day it is judged on (R7)."""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]


def outdated_documents(judged_on: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """Documents that are outdated on some days.

    Outdated is what is past its last valid day, marked superseded or expired, or superseded by a
    document that is valid on that day.

    Parameters
    ----------
    judged_on
        One column, judged_on: the days.
    documents
        The table `documents` of the snapshot.

    Returns
    -------
    judged_on, doc_id: one row per day and document outdated then.
    """
    newer = documents.select(
        newer_from="effective_from", newer_until="effective_until", doc_id="supersedes"
    ).explode("doc_id", empty_as_null=False)
    day = pl.col("judged_on")
    replaced = (
        judged_on.join(newer, how="cross")
        .filter(
            (pl.col("newer_from").is_null() | (pl.col("newer_from") <= day))
            & (pl.col("newer_until").is_null() | (pl.col("newer_until") >= day))
        )
        .select("judged_on", "doc_id")
    )
    ended = (
        judged_on.join(documents, how="cross")
        .filter(
            (pl.col("effective_until") < day) | pl.col("lifecycle").is_in(["superseded", "expired"])
        )
        .select("judged_on", "doc_id")
    )
    return pl.concat([ended, replaced]).unique(maintain_order=True)


def older_versions(
    documents: pl.DataFrame,
    sections: pl.DataFrame,
    index_documents: pl.DataFrame,
    index_sections: pl.DataFrame,
) -> pl.DataFrame:
    """Texts of which an index holds an older version than the pinned snapshot.

    A document is older in the index where its text is valid from an earlier day. Sections that
    read the same in both are not.

    Parameters
    ----------
    documents, sections
        The tables of the pinned snapshot.
    index_documents, index_sections
        The same of the snapshot the index was built from.

    Returns
    -------
    doc_id, section_id (null for the document as a whole), newer_from: the day from which the
    pinned version holds.
    """
    older = (
        documents.select("doc_id", "sha256", newer_from="effective_from")
        .join(
            index_documents.select("doc_id", "effective_from", index_sha256="sha256"), on="doc_id"
        )
        .filter(
            (pl.col("effective_from") < pl.col("newer_from"))
            & (pl.col("sha256") != pl.col("index_sha256"))
        )
    )
    changed = (
        index_sections.filter(pl.col("section_id").is_not_null())
        .join(sections, on=["doc_id", "section_id"], suffix="_pinned")
        .filter(pl.col("sha256") != pl.col("sha256_pinned"))
        .join(older, on="doc_id")
        .select("doc_id", "section_id", "newer_from")
    )
    whole = older.select("doc_id", pl.lit(None, pl.String).alias("section_id"), "newer_from")
    return pl.concat([whole, changed])


def gold_problems(
    items: pl.DataFrame, evidence: pl.DataFrame, documents: pl.DataFrame
) -> pl.DataFrame:
    """Run items whose gold is in doubt, with the reason.

    Parameters
    ----------
    items
        run_id, case_id, trial, judged_on (the day validity is judged on).
    evidence
        The table `case_evidence`.
    documents
        The table `documents` of the pinned snapshot.

    Returns
    -------
    run_id, case_id, trial, gold_problem: one row per item in doubt. A group is in doubt when none
    of its alternatives is in the snapshot and valid on that day; the last valid day is inclusive.
    """
    windows = documents.select("doc_id", "effective_from", "effective_until")
    gold = evidence.join(windows, on="doc_id", how="left", maintain_order="left").with_columns(
        dangling=pl.col("resolved").eq(False).fill_null(value=False)
    )
    doubtful = gold.filter(
        pl.col("dangling")
        | pl.col("effective_from").is_not_null()
        | pl.col("effective_until").is_not_null()
    )["case_id"].unique()
    if doubtful.is_empty():
        return items.select(ITEM).clear().with_columns(gold_problem=pl.lit(None, pl.String))
    problem = (
        pl.when(pl.col("dangling"))
        .then(pl.format("dangling: {} is not in the snapshot", "evidence_id"))
        .when(pl.col("judged_on") < pl.col("effective_from"))
        .then(pl.format("not yet valid: {} holds from {}", "evidence_id", "effective_from"))
        .when(pl.col("judged_on") > pl.col("effective_until"))
        .then(pl.format("expired: {} held until {}", "evidence_id", "effective_until"))
    )
    return (
        items.filter(pl.col("case_id").is_in(doubtful.implode()))
        .join(gold, on="case_id", maintain_order="left")
        .with_columns(problem=problem)
        .group_by([*ITEM, "group_no"], maintain_order=True)
        .agg(
            holds=pl.col("problem").is_null().any(),
            problem=pl.col("problem").drop_nulls().first(),
        )
        .filter(~pl.col("holds"))
        .group_by(ITEM, maintain_order=True)
        .agg(gold_problem=pl.col("problem").first())
    )
