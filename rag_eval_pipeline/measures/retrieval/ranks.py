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

from rag_eval_pipeline.measures.retrieval.gold_groups import Gold
from rag_eval_pipeline.measures.retrieval.matches import grade_of, met, position_of
from rag_eval_pipeline.reading.lists import listed

ITEM = ["run_id", "case_id", "trial"]
NO_SECTION_IDS = "no_section_ids"
_SLOT = ("evidence_id", "doc_id", "section_id", "position")
_ITEMS_AT_ONCE = 1 << 17


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
    numbered = items.select(ITEM).with_row_index("item_no")
    slots = retrieved.select(*_SLOT, item_no=_item_numbers(numbered, retrieved))
    slots = slots.filter(pl.col("item_no").is_not_null())
    if not slots["item_no"].is_sorted():
        slots = slots.sort("item_no", maintain_order=True)
    held = slots.select(pl.col("item_no").rle().struct.unnest())
    lengths = numbered.join(
        held, left_on="item_no", right_on="value", how="left", maintain_order="left"
    )["len"].fill_null(0)
    counted = items.select(
        *ITEM,
        n_retrieved=lengths.cast(pl.Int64),
        n_distinct=listed(slots["evidence_id"], lengths).list.n_unique(),
    )
    sections = retrieved.filter(pl.col("section_id").is_not_null())["run_id"].unique()
    gold = Gold.of(evidence)
    return _ranked(_with_gold(counted, gold, sections), slots.drop("item_no"), gold)


def list_ranks(rankings: pl.DataFrame, evidence: pl.DataFrame) -> pl.DataFrame:
    """`group_ranks` of items that hold their slots as lists, at a fraction of its cost.

    Parameters
    ----------
    rankings
        `Slots.lists` of `run_log.slots`: run_id, case_id, trial of the items to measure, whole runs
        of them; evidence_id, doc_id, section_id: lists with an entry for each slot, in order of
        position from 1, null where nothing was retrieved. The latter two are left out where no id
        names a section: an id is then its document's.
    evidence
        As in `group_ranks`.

    Returns
    -------
    As `group_ranks`.
    """
    gold = Gold.of(evidence)
    sections = rankings["run_id"].clear()
    if "section_id" in rankings.columns:
        named = rankings["section_id"].list.drop_nulls().list.len() > 0
        sections = rankings.filter(named)["run_id"].unique()
    items = _with_gold(rankings.select(ITEM), gold, sections)
    # Taken by name: columns in other chunks beside them would have them copied.
    lists = pl.DataFrame([rankings[name] for name in rankings.columns if name not in ITEM])
    # Some items after the other: what is made on the way then stays small.
    return pl.concat(
        _of_lists(items.slice(first, _ITEMS_AT_ONCE), lists.slice(first, _ITEMS_AT_ONCE), gold)
        for first in range(0, max(items.height, 1), _ITEMS_AT_ONCE)
    )


def _of_lists(items: pl.DataFrame, lists: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    ids = lists["evidence_id"]
    counted = items.with_columns(
        n_retrieved=ids.list.len().fill_null(0).cast(pl.Int64),
        n_distinct=ids.list.n_unique().fill_null(0),
    )
    position = counted.select(position=pl.int_ranges(1, pl.col("n_retrieved") + 1)).to_series()
    slots = pl.DataFrame(
        each.explode(empty_as_null=False, keep_nulls=False).rechunk() for each in (*lists, position)
    )
    if "section_id" not in slots.columns:
        slots = slots.with_columns(doc_id="evidence_id", section_id=pl.lit(None))
    return _ranked(counted, slots, gold)


def _item_numbers(numbered: pl.DataFrame, retrieved: pl.DataFrame) -> pl.Series:
    """The item each slot belongs to; null for items that are not measured.

    Slots of an item lie together, so only the first of each stretch is looked up.
    """
    starts = retrieved.select(
        pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in ITEM)
    ).to_series()
    firsts = retrieved.select(ITEM).filter(starts)
    items = firsts.join(numbered, on=ITEM, how="left", maintain_order="left")["item_no"]
    return items.gather(starts.cum_sum().cast(pl.Int64) - 1)


def _with_gold(items: pl.DataFrame, gold: Gold, with_sections: pl.Series) -> pl.DataFrame:
    """Items with first_group, n_groups and level; `with_sections` are runs that name a section."""
    sections = pl.col("gold_sections") & pl.col("run_id").is_in(with_sections.implode())
    return (
        items.join(gold.cases, on="case_id", how="left", maintain_order="left")
        .with_columns(
            pl.col("n_groups").fill_null(0),
            level=pl.when(sections)
            .then(pl.lit("section"))
            # Where the run retrieved nothing, documents are all there is to speak of.
            .when(pl.col("n_groups").is_not_null())
            .then(pl.lit("document")),
        )
        .drop("gold_sections")
    )


def _ranked(items: pl.DataFrame, slots: pl.DataFrame, gold: Gold) -> pl.DataFrame:
    """`group_ranks` of items `_with_gold`, with n_retrieved and n_distinct, and their slots."""
    n_slots = pl.col("n_retrieved")
    items = items.with_columns(start=n_slots.cum_sum() - n_slots)
    found = items.hstack(_of_groups(items, slots, gold))
    kinds = ("ranks", "found", "grades")
    if (items["level"] == "section").any():
        section = pl.col("level") == "section"
        unknown = (section & pl.col("bare")).fill_null(value=False)
        ranks, found_grades, grades = (
            pl.when(section).then(f"section_{kind}").otherwise(f"document_{kind}") for kind in kinds
        )
        ranks, found_grades = (pl.when(~unknown).then(each) for each in (ranks, found_grades))
        reason: pl.Expr = pl.when(unknown).then(pl.lit(NO_SECTION_IDS))
    else:
        ranks, found_grades, grades = (pl.col(f"document_{kind}") for kind in kinds)
        reason = pl.lit(None, pl.String)
    return found.select(
        *ITEM,
        "n_retrieved",
        n_duplicates=n_slots - pl.col("n_distinct").cast(pl.Int64),
        level="level",
        group_ranks="group_ranks",
        section_ranks="section_ranks",
        document_ranks="document_ranks",
        unmeasured_reason=reason,
        n_groups=grades.list.len().cast(pl.Int64),
        ranks=ranks,
        grades=grades,
        found_grades=found_grades,
    )


def _of_groups(items: pl.DataFrame, slots: pl.DataFrame, gold: Gold) -> list[pl.Series]:
    """Lists of ranks and of grades of each item, and `bare` (see `group_ranks`)."""
    groups = gold.groups
    numbers = pl.int_ranges("first_group", pl.col("first_group") + pl.col("n_groups"))
    pairs = (
        items.with_row_index("item_no")
        .filter(pl.col("n_groups") > 0)
        .select("item_no", "start", "n_retrieved", group=numbers)
        .explode("group")
        .with_row_index("pair")
    )
    pairs = pairs.hstack(groups[pairs["group"]].drop("group", "case_no", "case_id", "sections"))
    wanted = pairs.select("pair", "start", "n_retrieved", "member")
    if groups.height < gold.members.height:  # some group has alternatives
        members = pl.int_ranges("member", pl.col("member") + pairs["n_members"], dtype=pl.UInt32)
        wanted = wanted.with_columns(member=members).explode("member")
    found = pairs.join(
        met(wanted, slots, gold.members), on="pair", how="left", maintain_order="left"
    )
    found = found.select(
        "item_no",
        "group",
        "first",
        group_ranks="paired",
        section_ranks=position_of("section"),
        section_found=grade_of("section"),
        section_grades="grade",
        bare=(pl.col("bare") & pl.col("section").is_null()).fill_null(value=False),
        document="document",
        document_grades="document_grade",
    )
    by_document = found
    n_documents = items["n_groups"]
    if not groups["first"].equals(groups["group"]):
        by_document = found.with_columns(pl.col("document").min().over("item_no", "first")).filter(
            pl.col("first") == pl.col("group")
        )
        n_documents = (
            items.select(item_no=pl.int_range(pl.len(), dtype=pl.UInt32))
            .join(
                by_document["item_no"].value_counts(),
                on="item_no",
                how="left",
                maintain_order="left",
            )["count"]
            .fill_null(0)
        )
    by_document = by_document.select(
        document_ranks=position_of("document"),
        document_found=grade_of("document"),
        document_grades="document_grades",
    )
    by_group = found.select(
        "group_ranks", "section_ranks", "section_found", "section_grades", "bare"
    )
    return [
        *(listed(values, items["n_groups"]) for values in by_group.drop("bare")),
        listed(by_group["bare"], items["n_groups"]).list.any(),
        *(listed(values, n_documents) for values in by_document),
    ]
