"""What an edit changed in a rubric, key by key."""

from __future__ import annotations

from dataclasses import dataclass

from rag_eval_pipeline.reading.fingerprint import canonical_json
from rag_eval_pipeline.scores.rubric import SECTIONS, Rubric


@dataclass(frozen=True, slots=True)
class KeyChange:
    """A key of a section and its value in two rubrics as canonical JSON; None where it is absent.

    All overrides that touch the section are one key, `overrides`.
    """

    section: str
    key: str
    old: str | None
    new: str | None

    @property
    def sentence(self) -> str:
        """The change in words, text without its quotes."""
        return f"{self.section}.{self.key}: {_plain(self.old)} → {_plain(self.new)}"


def rubric_changes(old: Rubric, new: Rubric) -> list[KeyChange]:
    """Keys whose values differ, in order of sections, then of keys."""
    changes = []
    for section in SECTIONS:
        before, after = (_keys(rubric, section) for rubric in (old, new))
        changes += [
            KeyChange(section, key, before.get(key), after.get(key))
            for key in sorted(before | after)
            if before.get(key) != after.get(key)
        ]
    return changes


def _keys(rubric: Rubric, section: str) -> dict[str, str]:
    overrides = [each.canonical(section) for each in rubric.overrides_of(section)]
    body = dict(rubric.sections[section]) | ({"overrides": overrides} if overrides else {})
    return {key: canonical_json(_listed(value)) for key, value in body.items()}


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _plain(value: str | None) -> str:
    if value is None:
        return "(absent)"
    return value[1:-1] if value.startswith('"') else value
