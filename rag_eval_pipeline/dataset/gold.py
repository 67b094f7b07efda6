"""Reading the gold of one case: evidence groups and claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rag_eval_pipeline.reading.fields import ABSENT, integer_value, text_value
from rag_eval_pipeline.reading.record import Record, as_id, as_items

Group = list[tuple[str, int]]
"""Alternatives of one evidence group: (evidence id, grade of relevance)."""

IMPORTANCES = ("vital", "okay")
CLAIM_KEYS = frozenset(("id", "text", "importance", "any_of", "values", "not"))


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim an answer must make or must not make, with the author's hints."""

    claim_id: str
    kind: str
    text: str
    importance: str
    any_of: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    not_any_of: tuple[str, ...] = ()


def evidence_groups(record: Record, *, typed: bool) -> list[Group]:
    """Groups of a case; a plain id list is one group per id (R2). Equal groups count once."""
    ids = record.raw["reference_evidence_ids"]
    # One document as it is, without a list, is the minimal form and no oddity to note.
    if typed and ids not in (None, ABSENT) and not isinstance(ids, list):
        ids = [ids]
    listed = as_items(record, "reference_evidence_ids", ids, typed=typed, id_list=True)
    written = record.raw["evidence_groups"]
    groups = [[_entry(record, "reference_evidence_ids", each)] for each in listed]
    if written not in (None, ABSENT):
        if listed:
            record.fault(
                "two_golds",
                "evidence_groups",
                "found both reference_evidence_ids and evidence_groups; expected one; keep one",
            )
        outer = as_items(record, "evidence_groups", written, typed=typed, id_list=True)
        groups = [
            [
                _entry(record, "evidence_groups", member)
                for member in (each if isinstance(each, list) else [each])
            ]
            for each in outer
        ]
        if any(not group for group in groups):
            record.fault("empty_group", "evidence_groups", "found an empty group; take it out")
    distinct: dict[frozenset[str], Group] = {}
    for group in groups:
        members: dict[str, int] = {}
        for evidence_id, grade in (each for each in group if each is not None):
            members.setdefault(evidence_id, grade)
        same = frozenset(members)
        if same in distinct or len(members) < len(group):
            record.flag("reference_evidence_ids", "duplicate_gold")
        if members:
            distinct.setdefault(same, list(members.items()))
    return list(distinct.values())


def claims(record: Record, kind: str, *, typed: bool) -> list[Claim]:
    """Claims of one kind: sentences, or objects {id, text, importance, any_of, values, not}."""
    name = f"{kind}_claims"
    found: list[Claim] = []
    for number, entry in enumerate(
        as_items(record, name, record.raw[name], typed=typed, id_list=False), start=1
    ):
        default_id = f"{kind[0]}{number}"
        if isinstance(entry, dict):
            claim = _claim_object(record, f"{name}[{number}]", entry, kind, default_id)
        else:
            claim = _claim_text(record, f"{name}[{number}]", entry, kind, default_id)
        if claim is not None:
            found.append(claim)
    return found


def _entry(record: Record, name: str, entry: object) -> tuple[str, int] | None:
    grade = 1
    if isinstance(entry, dict):
        number, _ = (
            integer_value(entry.get("grade", 1), typed=False) if "grade" in entry else (1, None)
        )
        if number is None or not 1 <= number <= 3:
            record.fault("bad_grade", name, f"found grade {entry['grade']!r}; expected 1, 2 or 3")
            return None
        grade = number
        entry = entry.get("id", entry.get("evidence_id"))
    evidence_id = as_id(record, name, entry)
    if evidence_id is None:
        if not record.faults:
            record.fault("missing_id", name, "found an entry without id; expected an evidence id")
        return None
    return evidence_id, grade


def _claim_text(record: Record, name: str, entry: object, kind: str, claim_id: str) -> Claim | None:
    text, note = text_value(entry)
    record.flag(name, note)
    if text is None or not text.strip():
        record.fault("missing_claim_text", name, "found no text; expected a sentence; quote it")
        return None
    return Claim(claim_id, kind, text, "vital")


def _claim_object(
    record: Record, name: str, entry: Mapping[str, object], kind: str, default_id: str
) -> Claim | None:
    text, _ = text_value(entry.get("text"))
    if text is None or not text.strip():
        keys = ", ".join(map(repr, entry)) or "nothing"
        record.fault(
            "missing_claim_text",
            name,
            f"found an object with {keys} and no text; expected a sentence or {{text: …}}; "
            "a sentence that holds a colon must be quoted",
        )
        return None
    unknown = sorted(set(map(str, entry)) - CLAIM_KEYS)
    if unknown:
        record.flag(name, f"unknown_keys {', '.join(unknown)}")
    importance = entry.get("importance", "vital")
    if importance not in IMPORTANCES:
        record.fault("unknown_value", f"{name}.importance", "expected vital or okay")
        return None
    claim_id = as_id(record, f"{name}.id", entry["id"]) if "id" in entry else default_id
    return Claim(
        claim_id or default_id,
        kind,
        text,
        str(importance),
        any_of=_hints(record, f"{name}.any_of", entry.get("any_of")),
        values=_hints(record, f"{name}.values", entry.get("values")),
        not_any_of=_hints(record, f"{name}.not", entry.get("not")),
    )


def _hints(record: Record, name: str, value: object) -> tuple[str, ...]:
    members = as_items(record, name, value, typed=False, id_list=False)
    return tuple(text for text, _ in map(text_value, members) if text is not None)
