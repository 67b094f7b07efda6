"""Gold groups with their numbers: what ranks are looked up for."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.reading.lists import listed


@dataclass(frozen=True, slots=True)
class Gold:
    """Gold evidence as numbered tables: `gold_members`, `gold_groups` and a row per case.

    `cases` has case_id, first_group, n_groups and gold_sections (whether all members name one).
    """

    members: pl.DataFrame
    groups: pl.DataFrame
    cases: pl.DataFrame

    @classmethod
    def of(cls, evidence: pl.DataFrame) -> Gold:
        """From the table `case_evidence`."""
        members = gold_members(evidence)
        groups = gold_groups(members)
        n_groups = groups.select(pl.col("case_no").rle().struct.field("len")).to_series()
        first = n_groups.cum_sum() - n_groups
        cases = pl.DataFrame(
            {
                "case_id": groups["case_id"].gather(first),
                "first_group": groups["group"].gather(first),
                "n_groups": n_groups,
                "gold_sections": listed(groups["sections"], n_groups).list.all(),
            }
        )
        return cls(members, groups, cases)


def gold_members(evidence: pl.DataFrame) -> pl.DataFrame:
    """Members of all gold groups; those of a case lie together, its groups in order.

    Returns case_id, evidence_id, doc_id, section_id, grade; case_no and group: numbers from 0 of
    the cases and of the groups of all of them.
    """
    gold = evidence.select("case_id", "group_no", "evidence_id", "doc_id", "section_id", "grade")
    case, group, new_case = pl.col("case_id"), pl.col("group_no"), pl.col("new_case")
    starts = case.ne_missing(case.shift()).alias("new_case")
    found = gold.with_columns(starts)
    apart = found.filter("new_case")["case_id"]
    ordered = found.select((new_case | (group >= group.shift())).all()).item()
    if apart.n_unique() < len(apart) or not ordered:
        found = gold.sort("case_id", "group_no").with_columns(starts)
    new_group = new_case | group.ne_missing(group.shift())
    # Told that the numbers ascend, grouping by them is a mere scan.
    return (
        found.with_columns(
            case_no=(new_case.cum_sum().cast(pl.Int64) - 1).set_sorted(),
            group=(new_group.cum_sum().cast(pl.Int64) - 1).set_sorted(),
        )
        .drop("new_case", "group_no")
        .rechunk()
    )


def gold_groups(gold: pl.DataFrame) -> pl.DataFrame:
    """The groups of `gold_members`, in order of their numbers.

    Returns group, case_no, case_id, grade (its highest), sections (whether all members name one),
    member (the row of its first), n_members, first (the first group of the case with the same
    documents) and document_grade (the highest of those).
    """
    groups = gold.select(
        "group",
        "case_no",
        "case_id",
        "grade",
        member=pl.int_range(pl.len(), dtype=pl.UInt32),
        n_members=pl.lit(1, pl.UInt32),
        sections=pl.col("section_id").is_not_null(),
    )
    if (groups["group"] == groups["group"].shift()).any():  # some group has alternatives
        groups = groups.group_by("group", maintain_order=True).agg(
            pl.col("case_no", "case_id", "member").first(),
            pl.col("grade").max(),
            pl.col("n_members").sum(),
            pl.col("sections").all(),
        )
    same = _same_documents(gold)
    if same.is_empty():
        return groups.with_columns(first="group", document_grade="grade")
    return (
        groups.join(same, on="group", how="left", maintain_order="left")
        .with_columns(pl.col("first").fill_null(pl.col("group")))
        .with_columns(document_grade=pl.col("grade").max().over("first"))
    )


def _same_documents(gold: pl.DataFrame) -> pl.DataFrame:
    """Groups that share documents with another of their case, and the first with the same ones."""
    # Few cases name a document twice, and only there two groups can have the same documents.
    n_members = gold.select(pl.col("case_no").rle().struct.field("len")).to_series()
    documents = listed(gold["doc_id"].hash(), n_members)
    shared = (documents.list.n_unique() < n_members).arg_true().cast(pl.Int64)
    return (
        gold.filter(pl.col("case_no").is_in(shared.implode()))
        .group_by("group")
        .agg(pl.col("case_no").first(), pl.col("doc_id").unique().sort())
        .select("group", first=pl.col("group").min().over("case_no", "doc_id"))
    )
