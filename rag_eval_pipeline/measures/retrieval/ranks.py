"""Ranks: the place in the ranking at which each group of gold evidence was found.

Every other rank measure follows from these stored facts. Ids match

- by section when the whole evidence ids are equal;
- by document when their document parts are;
- in pairs (R12) when the document parts are equal and, where both name a section, the sections.

An item is ranked by section where all its gold and some id of its run name one, else by document.
Places are those of the logged ranking: a repeated id keeps its place and earns nothing.

Formula: rank of a group = the first position whose id matches one of its alternatives
Source: R2 (groups, levels), R12 (pairs)
Gives:
- retrieval_measures (level, unmeasured_reason, n_groups, ranks, grades, found_grades, n_retrieved)
- retrieval_measures (group_ranks, section_ranks, document_ranks)
Needs: `case.evidence`, `log.retrieved`
Absent:
- `case.evidence`: ranks are empty and level is null; no rank measure applies
- `log.retrieved`: n_retrieved is 0 and every rank is null, which means not found
- `log.retrieved` in every item: the same here, and the search axis does not apply to the run
- a section in the retrieved id, where the item is ranked by section and nothing else met the group:
  ranks are null, unmeasured_reason is no_section_ids
"""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]
NO_SECTION_IDS = "no_section_ids"
_LISTS = (
    "group_ranks",
    "section_ranks",
    "section_found",
    "section_grades",
    "document_ranks",
    "document_found",
    "document_grades",
)
# A match is one number, position first: the smallest of several is the earliest position and,
# there, the highest grade.
_GRADES = 4


def group_ranks(
    items: pl.DataFrame, retrieved: pl.DataFrame, evidence: pl.DataFrame
) -> pl.DataFrame:
    """Where each gold group of each run item was ranked.

    Parameters
    ----------
    items
        run_id, case_id, trial: the items to measure.
    retrieved
        run_id, case_id, trial, position, evidence_id, doc_id, section_id of the table.
    evidence
        case_id, group_no, evidence_id, doc_id, section_id, grade of the table `case_evidence`.

    Returns
    -------
    run_id, case_id, trial, n_retrieved, n_duplicates, level, unmeasured_reason (no_section_ids or
    null), n_groups, and lists with one entry per group in order of group_no. Ranks are positions,
    null where the group was not retrieved: group_ranks (paired), section_ranks, document_ranks,
    and ranks, which are those of the item's level. Of groups that have the same documents
    document_ranks and, at document level, n_groups and ranks hold one. `grades` is the highest
    grade of each group of `ranks`, `found_grades` that of the member at its rank.

    Without gold the lists are empty and level is null. Where level is section and a group was met
    only by the bare id of its document, its rank is not known: ranks and found_grades are null.
    """
    gold = _numbered_gold(evidence)
    groups = _groups(gold)
    cases = groups.group_by("case_id", maintain_order=True).agg(
        first_group=pl.col("group").first(),
        groups=pl.len(),
        gold_sections=pl.col("sections").all(),
    )
    with_sections = retrieved.filter(pl.col("section_id").is_not_null())["run_id"].unique()
    numbered = (
        items.select(ITEM)
        .with_row_index("item_no")
        .join(cases, on="case_id", how="left", maintain_order="left")
        .with_columns(run_sections=pl.col("run_id").is_in(with_sections.implode()))
    )
    slots = retrieved.select(
        "evidence_id",
        "doc_id",
        "section_id",
        "position",
        item_no=_item_numbers(numbered, retrieved),
    )
    found = (
        numbered.join(_counts(slots), on="item_no", how="left", maintain_order="left")
        .join(
            _ranked(numbered, slots, gold, groups), on="item_no", how="left", maintain_order="left"
        )
        .with_columns(
            pl.col("n_retrieved", "n_duplicates").fill_null(0).cast(pl.Int64),
            pl.col(_LISTS).fill_null([]).cast(pl.List(pl.Int64)),
            level=pl.when(pl.col("gold_sections") & pl.col("run_sections"))
            .then(pl.lit("section"))
            # Where the run retrieved nothing, documents are all there is to speak of.
            .when(pl.col("groups").is_not_null())
            .then(pl.lit("document")),
        )
    )
    section = pl.col("level") == "section"
    unknown = (section & pl.col("bare")).fill_null(value=False)
    at_level = {
        kind: pl.when(section).then(f"section_{kind}").otherwise(f"document_{kind}")
        for kind in ("ranks", "found", "grades")
    }
    return found.select(
        *ITEM,
        "n_retrieved",
        "n_duplicates",
        "level",
        "group_ranks",
        "section_ranks",
        "document_ranks",
        unmeasured_reason=pl.when(unknown).then(pl.lit(NO_SECTION_IDS)),
        n_groups=at_level["grades"].list.len().cast(pl.Int64),
        ranks=pl.when(~unknown).then(at_level["ranks"]),
        grades=at_level["grades"],
        found_grades=pl.when(~unknown).then(at_level["found"]),
    )


def _item_numbers(numbered: pl.DataFrame, retrieved: pl.DataFrame) -> pl.Series:
    """The item each slot belongs to; null for items that are not measured.

    Slots of an item lie together, so only the first of each stretch is looked up.
    """
    starts = retrieved.select(
        pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in ITEM)
    ).to_series()
    firsts = retrieved.select(ITEM).filter(starts)
    items = firsts.join(
        numbered.select("item_no", *ITEM), on=ITEM, how="left", maintain_order="left"
    )["item_no"]
    numbers = items.gather(starts.cum_sum().cast(pl.Int64) - 1)
    # Stored as read, slots are in the order of the items: told so, grouping them is a mere scan.
    return numbers.set_sorted() if numbers.is_sorted() else numbers


def _counts(slots: pl.DataFrame) -> pl.DataFrame:
    return slots.group_by("item_no").agg(
        n_retrieved=pl.len(), n_duplicates=pl.len() - pl.col("evidence_id").n_unique()
    )


def _numbered_gold(evidence: pl.DataFrame) -> pl.DataFrame:
    """Members of all gold groups; `group` numbers the groups in order of case and group."""
    gold = evidence.select("case_id", "group_no", "evidence_id", "doc_id", "section_id", "grade")
    return gold.sort("case_id", "group_no").with_columns(
        group=pl.struct("case_id", "group_no").rle_id()
    )


def _groups(gold: pl.DataFrame) -> pl.DataFrame:
    """The gold groups of all cases, in order.

    Returns group, case_id, grade (its highest), sections (whether all members name one), first (the
    first group of the case with the same documents) and document_grade (the highest of those).
    """
    # Few cases name a document twice, and only there two groups can have the same documents.
    shared = gold.filter(pl.struct("case_id", "doc_id").is_duplicated())["group"].unique()
    same = (
        gold.filter(pl.col("group").is_in(shared.implode()))
        .group_by("group")
        .agg(pl.col("case_id").first(), pl.col("doc_id").unique().sort())
        .select("group", first=pl.col("group").min().over("case_id", "doc_id"))
    )
    return (
        gold.group_by("group", maintain_order=True)
        .agg(
            pl.col("case_id").first(),
            pl.col("grade").max(),
            sections=pl.col("section_id").is_not_null().all(),
        )
        .join(same, on="group", how="left", maintain_order="left")
        .with_columns(pl.col("first").fill_null(pl.col("group")))
        .with_columns(document_grade=pl.col("grade").max().over("first"))
    )


def _ranked(
    numbered: pl.DataFrame, slots: pl.DataFrame, gold: pl.DataFrame, groups: pl.DataFrame
) -> pl.DataFrame:
    """Lists of ranks and of grades, by item_no, and `bare` (see `group_ranks`)."""
    first, count = pl.col("first_group"), pl.col("groups")
    pairs = (
        numbered.filter(count.is_not_null())
        .select("item_no", group=pl.int_ranges(first, first + count, dtype=pl.UInt32))
        .explode("group")
        .with_row_index("pair")
        .join(groups.drop("case_id", "sections"), on="group", how="left", maintain_order="left")
    )
    found = pairs.join(_met(pairs, slots, gold), on="pair", how="left", maintain_order="left")
    same_documents = ["item_no", "first"]
    if groups["first"].equals(groups["group"]):
        rolled_up = found
    else:
        rolled_up = found.with_columns(pl.col("document").min().over(same_documents)).filter(
            pl.col("first") == pl.col("group")
        )
    return (
        found.group_by("item_no", maintain_order=True)
        .agg(
            group_ranks="paired",
            section_ranks=_position("section"),
            section_found=_grade("section"),
            section_grades="grade",
            bare=(pl.col("bare") & pl.col("section").is_null()).any(),
        )
        .join(
            rolled_up.group_by("item_no", maintain_order=True).agg(
                document_ranks=_position("document"),
                document_found=_grade("document"),
                document_grades="document_grade",
            ),
            on="item_no",
            maintain_order="left",
        )
    )


def _met(pairs: pl.DataFrame, slots: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    """Matches of each pair of item and group: pair, section, document, paired, bare."""
    # Only hashes of item and document are joined; texts are compared where those are equal.
    key = pl.col("doc_id").hash() ^ pl.col("item_no").hash()
    wanted = pairs.select("pair", "item_no", "group").join(
        gold.select("group", "doc_id").with_row_index("member"), on="group"
    )
    met = (
        slots.select(key=key)
        .with_row_index("slot")
        .join(wanted.select("pair", "item_no", "member", key=key), on="key")
    )
    slot, member = slots[met["slot"]], gold[met["member"]]
    matches = met.select(
        "pair",
        same_item=slot["item_no"] == met["item_no"],
        same_document=slot["doc_id"] == member["doc_id"],
        same=slot["evidence_id"] == member["evidence_id"],
        section_id=member["section_id"],
        section_met=slot["section_id"],
        match=slot["position"] * _GRADES + (_GRADES - 1 - member["grade"]),
        position=slot["position"],
    ).filter("same_item", "same_document")
    wanted_section, section = pl.col("section_id"), pl.col("section_met")
    either_unnamed = wanted_section.is_null() | section.is_null()
    return (
        matches.select(
            "pair",
            section=pl.when("same").then("match"),
            document="match",
            paired=pl.when(either_unnamed | (wanted_section == section)).then("position"),
            bare=wanted_section.is_not_null() & section.is_null(),
        )
        .group_by("pair")
        .agg(pl.col("section", "document", "paired").min(), pl.col("bare").any())
    )


def _position(match: str) -> pl.Expr:
    return pl.col(match) // _GRADES


def _grade(match: str) -> pl.Expr:
    return _GRADES - 1 - pl.col(match) % _GRADES
