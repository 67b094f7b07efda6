"""The table `retrieved` from rankings held as one list an item.

A run's slots are many times its items. Held as lists they cost their ids and little else; the
table, in which each slot repeats its item's keys, is made for as many items as are wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds, resolve
from rag_eval_pipeline.reading.lists import listed

RANKING = {
    "evidence_id": pl.List(pl.String),
    "logged_rank": pl.List(pl.Float64),
    "score": pl.List(pl.Float64),
    "text": pl.List(pl.String),
    "text_sha256": pl.List(pl.String),
    "slot_flags": pl.List(pl.List(pl.String)),
    "slot_extra": pl.List(pl.String),
}
"""Columns of a ranking: a list with one entry a slot; null where no slot has a value."""

_LISTS_AT_ONCE = 1 << 14


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of a run's items.

    `rankings` holds case_id, trial and the columns RANKING, one row an item, in the items' order;
    `base` the values that are the same for all (dataset_version, run_id, run_hash).
    """

    rankings: pl.DataFrame
    base: Mapping[str, str]
    known: KnownIds

    def table(self, first: int = 0, n_items: int | None = None) -> pl.LazyFrame:
        """The table `retrieved` of some items, from the one at `first` (from 0) on.

        Select the columns that are wanted before collecting: the others are then not made.
        """
        items = self.rankings.slice(first, n_items).with_row_index("item")
        items = items.filter(pl.col("evidence_id").list.len() > 0)
        held = [name for name in RANKING if items[name].null_count() < items.height]
        n_slots = pl.col("evidence_id").list.len()
        slots = (
            items.lazy()
            .select(
                "case_id",
                "trial",
                pl.int_ranges(1, n_slots + 1, dtype=pl.Int64).alias("position"),
                *(
                    pl.when(pl.col(name).is_null())
                    .then(pl.lit(None, RANKING[name].inner).repeat_by(n_slots))
                    .otherwise(name)
                    .alias(name)
                    if items[name].null_count()
                    else pl.col(name)
                    for name in held
                ),
            )
            .explode("position", *held)
            .with_columns(
                pl.lit(None, RANKING[name].inner).alias(name)
                for name in RANKING
                if name not in held
            )
        )
        return (
            self._with_parts(slots, items)
            .with_columns(
                *(pl.lit(value).alias(name) for name, value in self.base.items()),
                flags=pl.concat_list(
                    pl.col("slot_flags").fill_null([]),
                    pl.when(pl.col("resolved").not_())
                    .then(pl.lit(["unresolved_id"]))
                    .otherwise(pl.lit([], pl.List(pl.String))),
                ),
                extra="slot_extra",
            )
            .select(*tables.columns("retrieved"))
        )

    def lists(self) -> pl.DataFrame:
        """Each item's slots as lists, in the items' order: what `list_ranks` takes.

        Columns run_id, case_id, trial, evidence_id, doc_id, section_id; the lists are null where
        nothing was retrieved. The latter two are left out where no id of the run has a section.
        """
        items = self.rankings.select(
            pl.lit(self.base["run_id"]).alias("run_id"), "case_id", "trial", "evidence_id"
        )
        parts = self._parts(items["evidence_id"])
        if parts is None:
            return items
        slots = items.select(
            pl.col("evidence_id").explode(empty_as_null=False, keep_nulls=False)
        ).join(parts, on="evidence_id", how="left", maintain_order="left")
        lengths = items["evidence_id"].list.len().fill_null(0)
        return items.with_columns(
            listed(slots["doc_id"].fill_null(slots["evidence_id"]), lengths),
            listed(slots["section_id"], lengths),
        )

    def _parts(self, evidence_ids: pl.Series) -> pl.DataFrame | None:
        """`resolve` of the ids with a section mark in lists of ids; None if there are none."""
        marked = set[str]()
        for first in range(0, len(evidence_ids), _LISTS_AT_ONCE):
            part = evidence_ids.slice(first, _LISTS_AT_ONCE).explode()
            # Most runs have no such id, and a look at all of them in one text is four times faster.
            if "#" in part.str.join().item():
                marked.update(part.filter(part.str.contains("#", literal=True)).unique())
        return resolve(marked, self.known) if marked else None

    def _with_parts(self, slots: pl.LazyFrame, items: pl.DataFrame) -> pl.LazyFrame:
        """Add doc_id, section_id and resolved; only ids with a section mark are looked into."""
        evidence = pl.col("evidence_id")
        resolved = (
            evidence.is_in(pl.Series(list(self.known.documents), dtype=pl.String).implode())
            if self.known.held
            else pl.lit(None, pl.Boolean)
        )
        parts = self._parts(items["evidence_id"])
        if parts is None:
            return slots.with_columns(
                doc_id=evidence, section_id=pl.lit(None, pl.String), resolved=resolved
            )
        split = pl.col("doc_id").is_not_null()
        return slots.join(
            parts.lazy(), on="evidence_id", how="left", maintain_order="left"
        ).with_columns(
            doc_id=pl.col("doc_id").fill_null(evidence),
            resolved=pl.when(split).then("resolved").otherwise(resolved),
        )


def with_duplicates(items: pl.DataFrame) -> pl.DataFrame:
    """Items with repeated ids noted in `flags` and `slot_flags`, neither of which had a value."""
    evidence = pl.col("evidence_id")
    repeating = items.filter(evidence.list.n_unique() < evidence.list.len())
    if repeating.is_empty():
        return items
    notes = pl.DataFrame(
        {
            "source_line": repeating["source_line"],
            "flags": [["retrieved:duplicates"]] * repeating.height,
            "slot_flags": [_repeats(each) for each in repeating["evidence_id"].to_list()],
        },
        schema_overrides={"slot_flags": RANKING["slot_flags"]},
    )
    return (
        items.drop("flags", "slot_flags")
        .join(notes, on="source_line", how="left", maintain_order="left")
        .select(items.columns)
    )


def _repeats(evidence_ids: list[str]) -> list[list[str]]:
    seen: set[str] = set()
    notes: list[list[str]] = []
    for each in evidence_ids:
        notes.append(["duplicate"] if each in seen else [])
        seen.add(each)
    return notes
