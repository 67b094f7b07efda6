"""Slots written as objects: their ids, ranks, scores and texts as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import polars as pl
from msgspec import Raw

from rag_eval_pipeline.reading.fingerprint import sha256_text
from rag_eval_pipeline.reading.lists import listed
from rag_eval_pipeline.run_log.plain_rows import PlainSlot


@dataclass(slots=True)
class ObjectSlots:
    """Columns of slots, one after the other, and which rows are not plain.

    `ids` are evidence ids; `parts` are the texts each was put together from, None where every id is
    written as one; `values` are logged_rank, score, text and text_sha256 where some slot has one.
    """

    ids: pl.Series
    parts: list[list[str]] | None
    values: list[pl.Series] = field(default_factory=list)
    odd: list[int] = field(default_factory=list)


def object_slots(entries: Sequence[str | PlainSlot], lengths: pl.Series) -> ObjectSlots:
    """Columns of the entries of rankings with `lengths`; some are objects, others may be ids.

    A row is not plain where an entry has no id, a rank or score is no finite number, or its ranks
    are neither 1, 2, 3 and so on nor absent.
    """
    slots: Sequence[Any] = entries
    if str in set(map(type, entries)):
        slots = [PlainSlot(id=each) if isinstance(each, str) else each for each in entries]
    found = _ids(slots)
    bad = found.ids.is_null()
    for name, wanted in (("logged_rank", "rank"), ("score", "score")):
        numbers, refused = _numbers(name, list(map(attrgetter(wanted), slots)))
        bad |= refused
        if numbers.null_count() < len(numbers):
            found.values.append(numbers)
    found.values += _texts(slots)
    odd = listed(bad, lengths).list.any()
    for ranks in found.values:
        if ranks.name == "logged_rank":
            odd |= _out_of_step(ranks, lengths)
    found.odd = odd.arg_true().to_list()
    found.ids = found.ids.fill_null("")
    return found


def _ids(slots: Sequence[PlainSlot]) -> ObjectSlots:
    whole = list(map(attrgetter("id"), slots))
    if set(map(type, whole)) == {str}:
        return ObjectSlots(pl.Series("evidence_id", whole, dtype=pl.String), None)
    parts = list(map(_slot_id, slots))
    ids = ["#".join(each) if each else None for each in parts]
    return ObjectSlots(pl.Series("evidence_id", ids, dtype=pl.String), parts)


def _slot_id(slot: PlainSlot) -> list[str]:
    """The id of an object as written: one text, document and section, or nothing."""
    whole = next((each for each in (slot.id, slot.evidence_id) if isinstance(each, str)), None)
    if whole is not None:
        return [whole]
    return (
        [each for each in (slot.doc_id, slot.section_id) if isinstance(each, str)]
        if isinstance(slot.doc_id, str)
        else []
    )


def _numbers(name: str, written: Sequence[object]) -> tuple[pl.Series, pl.Series]:
    """Numbers of JSON literals, null for null and for absent ones; and which are no numbers."""
    nothing = pl.Series(name, [None], dtype=pl.Float64).new_from_index(0, len(written))
    kinds = set(map(type, written))
    if Raw not in kinds:
        return nothing, nothing.is_not_null()
    literals: Sequence[Any] = written
    if kinds != {Raw}:
        literals = [each if isinstance(each, Raw) else b"null" for each in written]
    texts = pl.Series(name, [b"\n".join(literals).decode()]).str.split("\n").explode()
    numbers = texts.cast(pl.Float64, strict=False)
    refused = ~numbers.is_finite()
    if numbers.null_count():
        refused = refused.fill_null(value=False) | (numbers.is_null() & (texts != "null"))
    return numbers, refused


def _out_of_step(ranks: pl.Series, lengths: pl.Series) -> pl.Series:
    """Whether the ranks of a row are neither 1, 2, 3 and so on nor all absent."""
    positions = pl.select(pl.int_ranges(1, lengths.cast(pl.Int64) + 1)).to_series()
    in_step = ranks == positions.explode(empty_as_null=False, keep_nulls=False)
    n_in_step = listed(in_step.fill_null(value=False), lengths).list.sum()
    n_ranked = listed(ranks.is_not_null(), lengths).list.sum()
    return (n_in_step != lengths) & (n_ranked > 0)


def _texts(slots: Sequence[PlainSlot]) -> list[pl.Series]:
    written = list(map(attrgetter("text"), slots))
    if str not in set(map(type, written)):
        return []
    texts = [each if isinstance(each, str) else None for each in written]
    hashes = {each: sha256_text(each) for each in set(texts) if each is not None}
    return [
        pl.Series("text", texts, dtype=pl.String),
        pl.Series(
            "text_sha256",
            [None if each is None else hashes[each] for each in texts],
            dtype=pl.String,
        ),
    ]
