"""Are the claim's values in a statement? (R15)"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from rag_eval_pipeline.measures.claims.statements import Statement
from rag_eval_pipeline.text.compare_values import compare
from rag_eval_pipeline.text.values import Value

Agreement = Literal["same", "different", "apart", "undecided", "missing"]
_Labelled = Callable[[Value, Value], str]

_COMPLEMENT = {"gt": "le", "ge": "lt", "lt": "ge", "le": "gt"}
_SPANS = frozenset({"duration", "deadline", "date", "time"})
_MOMENTS = frozenset({"date", "deadline", "time"})


@dataclass(frozen=True, slots=True)
class Values:
    """How the values of a claim and a statement agree; null where the claim holds none.

    Attributes
    ----------
    agreement
        same: each value of the claim is there. different: one is another. apart: other numbers,
        but perhaps of another rule. undecided: comparing leaves one open. missing: no such value.
    turned
        They agree since the statement refuses what lies beyond the claim's bound
        (30日を過ぎると返品できません).
    kinds_held, kind_met
        The statement holds values of all kinds, of one kind of the claim.
    """

    agreement: Agreement | None
    turned: bool = False
    kinds_held: bool = False
    kind_met: bool = False


def hold_values(claim: Statement, statement: Statement, asked: frozenset[str]) -> Values:
    """Hold the values of a claim against those of a statement.

    `asked` is the bearing of the question (`implied.bearing`): whether it speaks of a deadline.
    """
    if not claim.values:
        return Values(None)
    if not statement.values:
        return Values("missing")
    kinds = {value.kind for value in statement.values}
    spans = not kinds.isdisjoint(_SPANS)
    met = [value.kind in kinds or (spans and value.kind in _SPANS) for value in claim.values]
    if not any(met):
        return Values("missing")
    agreement, turned = _agreement(claim, statement, _labelling(claim, statement, asked))
    return Values(agreement, turned, kinds_held=all(met), kind_met=True)


def meets_kind(claim: Statement, statement: Statement) -> bool:
    """Tell whether a statement holds a value of a kind of the claim's."""
    kinds = {value.kind for value in statement.values}
    spans = not kinds.isdisjoint(_SPANS)
    return any(value.kind in kinds or (spans and value.kind in _SPANS) for value in claim.values)


def _agreement(claim: Statement, statement: Statement, label: _Labelled) -> tuple[Agreement, bool]:
    free = list(statement.values)
    unmatched: list[int] = []
    turned = False
    # A limit (25MB以下) is refused beyond itself; of what is free beyond it nothing is told.
    limits = all(predicate.axis == "do" for predicate in claim.predicates)
    shown: Value | None = None
    told: dict[int, dict[int, str]] = {}
    for number, wanted in enumerate(claim.values):
        labels = {id(held): label(wanted, held) for held in free}
        told[number] = labels
        hit = next((held for held in free if labels[id(held)] == "same"), None)
        if hit is None and _refuses(statement):
            hit = next((held for held in free if _complements(wanted, held, limits=limits)), None)
            turned = turned or hit is not None
        if hit is None:
            unmatched.append(number)
        else:
            free.remove(hit)
            shown = hit
    if not unmatched:
        elsewhere = shown is not None and _belongs_elsewhere(claim, statement, shown)
        return ("undecided", False) if elsewhere else ("same", turned)
    if len(unmatched) == len(claim.values) > 1:
        # Not one of several: the rule is another, or told in other units.
        return ("undecided" if free else "missing"), False
    for number in unmatched:
        found = {told[number][id(held)] for held in free}
        if "undecided" in found:
            return "undecided", False
        if "different" not in found:
            return ("apart" if "apart" in found else "missing"), False
    return "different", False


def _labelling(claim: Statement, statement: Statement, asked: frozenset[str]) -> _Labelled:
    bearing = claim.bearing | statement.bearing
    deadline = "deadline" in bearing or "deadline" in asked
    begins = "begins" in bearing
    discount = "discount" in claim.bearing

    def label(wanted: Value, held: Value) -> str:
        wanted, held = _anchored(claim, wanted), _anchored(statement, held)
        if discount and "ratio" in (wanted.kind, held.kind) and "off" in (wanted.qual, held.qual):
            wanted, held = replace(wanted, qual="off"), replace(held, qual="off")
        if begins and wanted.kind in _MOMENTS and held.kind in _MOMENTS:
            # 4月1日から施行: the day it begins, not every day after.
            wanted, held = _itself(wanted), _itself(held)
        told = compare(wanted, held, deadline=deadline)
        if told != "different" or (wanted.kind in _SPANS and held.kind in _SPANS):
            return told
        # A bound and a plain number may belong to two rules, unless both say when.
        return "apart" if (wanted.cmp in _COMPLEMENT) != (held.cmp in _COMPLEMENT) else told

    return label


# "A 2-year warranty from the date of purchase": the noun parts the span from its anchor.
_FROM = re.compile(
    r"[ -]?(?:[a-z]+ ){1,3}(?:from|after|of|following|since)"
    r" (?:the |your )?(?:(?:date|day|time) of )?(?:the |your )?(?:"
    r"(?P<purchase>purchase|order)|(?P<delivery>delivery|receipt|arrival)"
    r"|(?P<application>application|submission|request)|(?P<joining>joining|hire)"
    r"|(?P<leaving>resignation|leaving|termination))\b"
)


def _anchored(statement: Statement, value: Value) -> Value:
    if value.kind != "duration" or value.anchor is not None or value not in statement.values:
        return value
    at = statement.marks[statement.values.index(value)] + 1
    found = _FROM.match(statement.text, at, at + 80)
    return replace(value, anchor=found.lastgroup) if found is not None else value


def _itself(value: Value) -> Value:
    return replace(value, cmp="eq") if value.cmp == "ge" else value


def _refuses(statement: Statement) -> bool:
    return any(predicate.axis == "do" and predicate.sign < 0 for predicate in statement.predicates)


def _complements(wanted: Value, held: Value, *, limits: bool) -> bool:
    if held.cmp not in _COMPLEMENT:
        return False
    if held.kind not in _SPANS and (not limits or wanted.cmp not in _COMPLEMENT):
        return False
    return compare(wanted, replace(held, cmp=_COMPLEMENT[held.cmp]), deadline=True) == "same"


def _belongs_elsewhere(claim: Statement, statement: Statement, shown: Value) -> bool:
    """Tell whether the matching value stands with another subject (国内500円 海外2000円)."""
    if len(claim.values) > 1:
        return False
    if not any(
        value.kind == shown.kind and value.unit == shown.unit and value is not shown
        for value in statement.values
    ):
        return False
    at = statement.marks[statement.values.index(shown)]
    begin = max((mark + 1 for mark in statement.marks if mark < at), default=0)
    named = [
        term
        for term in statement.terms
        if not term.generic and any(term.keys & wanted.keys for wanted in claim.terms)
    ]
    return bool(named) and not any(begin <= term.start < at for term in named)
