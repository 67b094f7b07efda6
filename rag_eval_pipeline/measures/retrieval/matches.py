"""Slots that match members of gold: for each pair of item and gold group, where it was met."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.measures.retrieval.ndcg import MAX_GRADE

_ID = ("evidence_id", "doc_id", "section_id")
_GRADES = MAX_GRADE + 1
_ROWS_AT_ONCE = 1 << 22
_BESIDE = 8


def met(wanted: pl.DataFrame, slots: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    """The best match of each pair, by each of the rules that `ranks` explains.

    Parameters
    ----------
    wanted
        One row per pair and member of its group: pair; member, the row of `gold`; `start`, the row
        of the item's first slot, and `n_retrieved`, how many it has.
    slots
        evidence_id, doc_id, section_id, position; those of an item one after the other.
    gold
        evidence_id, doc_id, section_id, grade.

    Returns
    -------
    pair, section, document (each a match, see `position_of` and `grade_of`), paired (a position),
    bare (whether a member with a section met a slot without); null where there is none. Pairs that
    met nothing are left out.
    """
    documents = gold["doc_id"].gather(wanted["member"])
    slot, row = _of_one_document(wanted, slots["doc_id"].hash(), documents.hash())
    found, member = slots[slot], gold.select(*_ID, "grade")[wanted["member"].gather(row)]
    # A match is one number, position first: the smallest of several is the earliest position and,
    # there, the highest grade.
    matches = member.select(
        wanted["pair"].gather(row),
        same_document=pl.col("doc_id") == found["doc_id"],
        same=pl.col("evidence_id") == found["evidence_id"],
        section_id="section_id",
        section_met=found["section_id"].cast(pl.String),
        match=found["position"] * _GRADES + (MAX_GRADE - pl.col("grade")),
        position=found["position"],
    ).filter("same_document")
    asked, section = pl.col("section_id"), pl.col("section_met")
    either_unnamed = asked.is_null() | section.is_null()
    best = matches.select(
        "pair",
        section=pl.when("same").then("match"),
        document="match",
        paired=pl.when(either_unnamed | (asked == section)).then("position"),
        bare=asked.is_not_null() & section.is_null(),
    )
    if not best["pair"].is_duplicated().any():
        return best
    return best.group_by("pair").agg(
        pl.col("section", "document", "paired").min(), pl.col("bare").any()
    )


def position_of(match: str) -> pl.Expr:
    """Position of a match."""
    return pl.col(match) // _GRADES


def grade_of(match: str) -> pl.Expr:
    """Grade of the member that a match met."""
    return MAX_GRADE - pl.col(match) % _GRADES


def _of_one_document(
    wanted: pl.DataFrame, there: pl.Series, sought: pl.Series
) -> tuple[pl.Series, pl.Series]:
    """Rows of slots and of `wanted` that have an item and the hash of their document in common.

    `there` are the documents' hashes of the slots, `sought` those of the members.
    """
    ranges = wanted.select(
        "start",
        row=pl.int_range(pl.len(), dtype=pl.UInt32),
        slot=pl.int_ranges("start", pl.col("start") + pl.col("n_retrieved"), dtype=pl.UInt32),
        part=pl.col("n_retrieved").cum_sum() // _ROWS_AT_ONCE,
    ).filter(pl.col("slot").list.len() > 0)
    if wanted["n_retrieved"].sum() > _BESIDE * (len(there) + wanted.height):
        return _joined(ranges, there, sought)
    # Members are few: each is laid beside all slots of its item, a part of them at a time.
    found = [pl.DataFrame(schema={"row": pl.UInt32, "slot": pl.UInt32})]
    first = 0
    for length in ranges["part"].rle().struct.field("len"):
        beside = ranges.slice(first, length).select("row", "slot").explode("slot")
        found.append(beside.filter(there[beside["slot"]] == sought[beside["row"]]))
        first += length
    matches = pl.concat(found)
    return matches["slot"], matches["row"]


def _joined(
    ranges: pl.DataFrame, there: pl.Series, sought: pl.Series
) -> tuple[pl.Series, pl.Series]:
    """The same by a join, for items with many members and many slots."""
    held = ranges.select("start", "slot").unique("start").explode("slot")
    matches = (
        ranges.select("start", "row", document=sought[ranges["row"]])
        .join(held.with_columns(document=there[held["slot"]]), on=["start", "document"])
        .sort("row", "slot")
    )
    return matches["slot"], matches["row"]
