"""The abstain policy of a case: what a right abstention or question back must hold (R3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from rag_eval_pipeline.reading.fields import ABSENT, text_value
from rag_eval_pipeline.reading.fingerprint import canonical_json
from rag_eval_pipeline.reading.record import Record, as_items

FIELD = "abstain_policy"
ESCALATIONS = ("required", "allowed", "none")
_LISTS = ("missing_conditions", "next_action", "escalate_to")
_KEYS = ("must_not_invent", *_LISTS, "escalation")
_YES = ("true", "yes")
_NO = ("false", "no", "")


@dataclass(frozen=True, slots=True)
class AbstainPolicy:
    """The four conditions; empty lists and False ask for nothing."""

    must_not_invent: bool = False
    missing_conditions: tuple[str, ...] = ()
    next_action: tuple[str, ...] = ()
    escalate_to: tuple[str, ...] = ()
    escalation: str = "allowed"

    @classmethod
    def of_json(cls, stored: str | None) -> AbstainPolicy:
        """The policy as `cases.abstain_policy` stores it; null asks for nothing."""
        if stored is None:
            return cls()
        body = json.loads(stored)
        return cls(
            must_not_invent=body["must_not_invent"],
            escalation=body["escalation"],
            **{name: tuple(body[name]) for name in _LISTS},
        )


def abstain_policy(record: Record) -> tuple[str | None, list[str]]:
    """The policy as canonical JSON, or as sentences for reviewers where it is written as such."""
    written = record.raw[FIELD]
    if written in (None, ABSENT):
        return None, []
    if isinstance(written, dict):
        return canonical_json(asdict(_policy(record, written))), []
    sentences = written if isinstance(written, list) else [written]
    notes = [text for text, _ in map(text_value, sentences) if text is not None]
    if len(notes) < len(sentences):
        record.fault(
            "not_a_policy",
            FIELD,
            "found a member that is no text; expected an object or a list of sentences",
        )
    return None, notes


def _policy(record: Record, written: Mapping[str, object]) -> AbstainPolicy:
    unknown = sorted(set(map(str, written)) - set(_KEYS))
    if unknown:
        record.flag(FIELD, f"unknown_keys {', '.join(unknown)}")
    escalation = written.get("escalation") or "allowed"
    if escalation not in ESCALATIONS:
        record.fault(
            "unknown_value",
            f"{FIELD}.escalation",
            f"found {escalation!r}; expected {', '.join(ESCALATIONS)}",
        )
    texts = {name: _texts(record, name, written.get(name)) for name in _LISTS}
    return AbstainPolicy(
        must_not_invent=_flag(record, written.get("must_not_invent")),
        escalation=str(escalation),
        **texts,
    )


def _texts(record: Record, name: str, value: object) -> tuple[str, ...]:
    members = value if value is None or isinstance(value, list) else [value]
    field = f"{FIELD}.{name}"
    texts: list[str] = []
    for member in as_items(record, field, members, typed=False, id_list=False):
        text, note = text_value(member)
        record.flag(field, note)
        if text is None or not text.strip():
            record.fault("not_text", field, f"found {member!r}; expected a text; correct it")
            return ()
        texts.append(text)
    return tuple(texts)


def _flag(record: Record, value: object) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in (*_YES, *_NO):
        return value.strip().lower() in _YES
    record.fault(
        "unknown_value", f"{FIELD}.must_not_invent", f"found {value!r}; expected true or false"
    )
    return False
