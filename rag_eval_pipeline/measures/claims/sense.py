"""Do claim and statement stand on the same side of a predicate that has an opposite?"""

from __future__ import annotations

import re
from typing import Literal

from rag_eval_pipeline.measures.claims.statements import Statement
from rag_eval_pipeline.text.polarity import AXES, Axis, Predicate

Sense = Literal["same", "opposite", "unknown"]

_COVERS = re.compile(r"対象|適用|補償|保証|\b(?:cover|appl(?:y|ies)|eligible|qualif)")
_LIMIT = re.compile(r"期限|期間|有効|\b(?:valid|expir|period|last)")
_ENDING = re.compile("失効|無効|切れ|終了|満了|消滅")
_FEE = re.compile(r"料|費|代|金|\b(?:fee|charge|cost|price|postage)s?\b")


def main_predicate(statement: Statement) -> Predicate | None:
    """What the statement is about: of its predicates outside conditions the most telling axis."""
    inside = [
        predicate for predicate in statement.predicates if not _conditional(predicate, statement)
    ]
    for axis in AXES:
        found = [predicate for predicate in inside if predicate.axis == axis and not predicate.weak]
        if found:
            signs = {predicate.sign for predicate in found}
            if len(signs) > 1 and axis != "do":
                return None
            return found[-1]
    for predicate in inside:
        if predicate.axis == "do" and predicate.sign < 0:
            return predicate
    for predicate in inside:
        if predicate.weak:
            return predicate
    return None


def sign_on(statement: Statement, axis: Axis) -> int | None:
    """The statement's sign on an axis; null where it has none or both."""
    signs = {
        predicate.sign
        for predicate in statement.predicates
        if predicate.axis == axis and not predicate.weak and not _conditional(predicate, statement)
    }
    return signs.pop() if len(signs) == 1 else None


def sense(claim: Statement, statement: Statement) -> Sense:
    """Compare the sides of a claim and a statement."""
    main = main_predicate(claim)
    if main is None:
        return "unknown"
    if main.axis != "do":
        return _on_axis(main, claim, statement)
    ending = _ending(main, claim, statement)
    if ending != "unknown":
        return ending
    return _doing(main, claim, statement)


def _on_axis(main: Predicate, claim: Statement, statement: Statement) -> Sense:
    sign = sign_on(statement, main.axis)
    if sign is not None:
        if _refused_later(main.axis, statement) and not _refused_later(main.axis, claim):
            return "unknown"
        return "same" if sign == main.sign else "opposite"
    if main.axis == "need" and any(
        predicate.asks and not _conditional(predicate, statement)
        for predicate in statement.predicates
    ):
        asked = [predicate for predicate in statement.predicates if predicate.asks]
        negative = sign_on(statement, "do") == -1 or any(
            predicate.axis == "do" and predicate.sign < 0 for predicate in statement.predicates
        )
        if negative:
            return "unknown"
        if main.sign > 0 and asked:
            return "same"
        return "opposite"
    if main.axis == "charge":
        paid = [
            value
            for value in statement.values
            if value.kind == "money" and value.cmp in ("eq", "approx", "range")
        ]
        if paid and _FEE.search(statement.text + claim.text):
            negative = any(
                predicate.axis == "do" and predicate.sign < 0 for predicate in statement.predicates
            )
            if negative:
                return "unknown"
            return "same" if main.sign > 0 else "opposite"
        need = sign_on(statement, "need")
        if need is not None and _FEE.search(statement.text):
            return "same" if need == main.sign else "opposite"
    return "unknown"


def _refused_later(axis: Axis, statement: Statement) -> bool:
    """Tell whether the sentence ends in a refusal (無料では利用できません is no 無料)."""
    named = [predicate.end for predicate in statement.predicates if predicate.axis == axis]
    return any(
        predicate.axis == "do" and predicate.sign < 0 and predicate.start >= max(named, default=0)
        for predicate in statement.predicates
    )


def _ending(main: Predicate, claim: Statement, statement: Statement) -> Sense:
    """Hold a limit against what ends or does not end there (期限は1年, 1年で失効)."""
    if not (claim.values and statement.values):
        return "unknown"
    if main.sign < 0:
        limit = _LIMIT.search(statement.text) is not None and not _refuses(statement)
        return "same" if _ends(claim) == -1 and limit else "unknown"
    if not (main.weak or claim.text.startswith("有効", main.start)) or not _LIMIT.search(
        claim.text
    ):
        return "unknown"
    ends = _ends(statement)
    return "unknown" if ends is None else "same" if ends < 0 else "opposite"


def _ends(statement: Statement) -> int | None:
    """The sign of the ending that a statement speaks of and nothing else; -1 if it ends."""
    stated = [p for p in statement.predicates if p.axis == "do" and not p.weak]
    if not stated or any(_ENDING.match(statement.text, p.start) is None for p in stated):
        return None
    return stated[-1].sign


def _refuses(statement: Statement) -> bool:
    return any(predicate.axis == "do" and predicate.sign < 0 for predicate in statement.predicates)


def _doing(main: Predicate, claim: Statement, statement: Statement) -> Sense:
    found = [
        predicate
        for predicate in statement.predicates
        if predicate.axis == "do" and not _conditional(predicate, statement)
    ]
    signs = {predicate.sign for predicate in found if not predicate.weak}
    negative = any(predicate.sign < 0 for predicate in found)
    need = sign_on(statement, "need")
    asked = any(
        predicate.asks and not _conditional(predicate, statement)
        for predicate in statement.predicates
    )
    if len(signs) > 1:
        return "unknown"
    include = sign_on(statement, "include")
    if include is not None and not signs and not negative and _COVERS.search(claim.text):
        # Excluded from the warranty is what the warranty does not cover.
        return "same" if include == main.sign else "opposite"
    if main.sign > 0:
        if negative:
            return "opposite"
        if need == -1 and main.weak:
            return "unknown" if claim.values else "opposite"
        if sign_on(statement, "charge") == -1 and any(v.kind == "money" for v in claim.values):
            return "opposite"
        if main.weak:
            return "same"
        if signs or (asked and claim.values):
            return "same"
        told = statement.values and not claim.values
        if not (need or asked or told) and not _names_other_axis(statement):
            return "same"
        return "unknown"
    if negative:
        return "same"
    if signs:
        return "opposite"
    if main.weak and need is None and not asked and not _names_other_axis(statement):
        return "opposite"
    return "unknown"


def _names_other_axis(statement: Statement) -> bool:
    return any(
        predicate.axis != "do" and not predicate.weak and not _conditional(predicate, statement)
        for predicate in statement.predicates
    )


def _conditional(predicate: Predicate, statement: Statement) -> bool:
    return any(
        condition.start <= predicate.start and predicate.end <= condition.end
        for condition in statement.conditions
    )
