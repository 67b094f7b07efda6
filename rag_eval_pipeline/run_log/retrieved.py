"""The retrieved list of one run item: its slots in ranking order, with notes of what was odd."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from rag_eval_pipeline.reading import ids
from rag_eval_pipeline.reading.fields import ABSENT, json_type, number_value, text_value
from rag_eval_pipeline.reading.fingerprint import canonical_json
from rag_eval_pipeline.reading.json_lines import NumberLiteral

KNOWN_KEYS = frozenset(
    ("id", "evidence_id", "doc_id", "section_id", "rank", "score", "text")
)  # fmt: skip


@dataclass(slots=True)
class Slot:
    """One retrieved entry as logged."""

    evidence_id: str
    rank: float | None = None
    score: float | None = None
    text: str | None = None
    flags: list[str] = field(default_factory=list)
    extra: str | None = None


@dataclass(slots=True)
class Ranking:
    """The JSON type found, the slots in order, and notes about the list as a whole."""

    found: str
    slots: list[Slot] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)


def read_ranking(value: object) -> Ranking:
    """Read `retrieved`: a list of ids, or of objects {id or doc_id, rank, score, text}.

    The order is by `rank` as a number; equal ranks keep the list's order, entries without rank
    come after those with one. Entries that are no usable id are left out and noted, and the type
    found is then `mixed_list` (R12).
    """
    ranking = Ranking(json_type(value) if value is not ABSENT else "absent")
    if not isinstance(value, list):
        return ranking
    for number, entry in enumerate(value, start=1):
        slot, faulty = _slot(entry)
        if faulty is not None:
            ranking.found = "mixed_list"
            ranking.flags.append(f"retrieved[{number}]:{faulty}")
        if slot is not None:
            ranking.slots.append(slot)
    ranking.slots.sort(key=lambda slot: math.inf if slot.rank is None else slot.rank)
    _note_ranks(ranking)
    seen: set[str] = set()
    for slot in ranking.slots:
        if slot.evidence_id in seen:
            slot.flags.append("duplicate")
        seen.add(slot.evidence_id)
    if len(seen) < len(ranking.slots):
        ranking.flags.append("retrieved:duplicates")
    return ranking


def _slot(entry: object) -> tuple[Slot | None, str | None]:
    """The slot, if its id can be kept, and what makes the entry malformed, if anything."""
    if not isinstance(entry, dict):
        evidence_id, faulty = _evidence_id(entry)
        return (None if evidence_id is None else Slot(evidence_id)), faulty
    section = entry.get("section_id")
    name = next(
        (key for key in ("id", "evidence_id", "doc_id") if entry.get(key) is not None), None
    )
    evidence_id, faulty = _evidence_id(entry.get(name) if name is not None else None)
    if name == "doc_id" and section is not None and evidence_id is not None:
        part, part_faulty = _evidence_id(section)
        evidence_id = evidence_id if part is None else f"{evidence_id}#{part}"
        faulty = faulty or part_faulty
    if evidence_id is None:
        return None, faulty
    slot = Slot(evidence_id)
    slot.rank, note = number_value(entry.get("rank"), typed=True)
    _flag(slot, "rank", note)
    slot.score, note = number_value(entry.get("score"), typed=True)
    _flag(slot, "score", note)
    slot.text, note = text_value(entry.get("text"))
    _flag(slot, "text", note)
    unknown = {key: value for key, value in entry.items() if key not in KNOWN_KEYS}
    slot.extra = canonical_json(unknown) if unknown else None
    return slot, faulty


def _evidence_id(value: object) -> tuple[str | None, str | None]:
    if isinstance(value, NumberLiteral):
        return str(value), "number_as_id"
    if not isinstance(value, str):
        return None, f"no_id_but_{json_type(value)}"
    text = ids.normal_id(value)
    refused = ids.why_refused(text)
    return (None, f"refused_id {refused}") if refused is not None else (text, None)


def _flag(slot: Slot, name: str, note: str | None) -> None:
    if note is not None:
        slot.flags.append(f"{name}:{note}")


def _note_ranks(ranking: Ranking) -> None:
    ranks = [slot.rank for slot in ranking.slots if slot.rank is not None]
    if not ranks:
        return
    if len(ranks) < len(ranking.slots):
        ranking.flags.append("rank:missing_in_part")
    counts = Counter(ranks)
    for slot in ranking.slots:
        if slot.rank is not None and counts[slot.rank] > 1:
            slot.flags.append("rank:tie")
    if len(counts) < len(ranks):
        ranking.flags.append("rank:tie")
    if ranks[0] == 0:
        ranking.flags.append("rank:zero_based")
    start = 0 if ranks[0] == 0 else 1
    if sorted(counts) != [float(start + step) for step in range(len(counts))]:
        ranking.flags.append("rank:gap")
