"""Does a statement speak of the claim's topic, of a part of it, or of something in its place?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rag_eval_pipeline.measures.claims.statements import Statement
from rag_eval_pipeline.text.topic import Term, rivals

_RESTRICTS = frozenset({"は", "には", "では", "へは", "も", "への", "での", "からの"})
_RESTRICTS_EN = frozenset({"for", "in", "to", "on", "with", "at", "from"})
_SUBJECT = frozenset({"は", "が", "には", "では"})
_ROLES = {
    "が": "agent",
    "は": "agent",
    "を": "object",
    "に": "goal",
    "へ": "goal",
    "から": "source",
    "より": "source",
    "from": "source",
    "to": "goal",
    "by": "agent",
}
_PASSIVE = re.compile(r"され|られ|\bby\b")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How a statement covers a claim's terms.

    Attributes
    ----------
    extent
        full: all terms are there or may be taken from the question or the sentence before; part:
        some are; none.
    own
        How many of them the statement itself names.
    filled
        Some came from elsewhere.
    only_modifiers_missing
        Only modifying words are missing (上長の in 上長の承認).
    extras
        Terms of the statement that the claim does not have.
    restricts
        An extra term narrows what the statement is about (沖縄への送料).
    rival
        A term stands in the place of one of the claim's (海外 for 国内).
    subject
        The claim's own subject (は, が) is named.
    swapped
        Two terms have changed roles (A pays B, B pays A).
    """

    extent: Literal["full", "part", "none"]
    own: int
    share: float
    filled: bool
    only_modifiers_missing: bool
    extras: tuple[Term, ...]
    restricts: bool
    rival: bool
    subject: bool
    swapped: bool


def coverage(claim: Statement, statement: Statement, question: tuple[Term, ...] = ()) -> Coverage:
    """Hold the terms of a claim against a statement."""
    wanted = claim.needed
    implied = statement.implied
    meant = claim.implied
    missing: list[Term] = []
    hits: dict[frozenset[str], Term] = {}
    own = 0
    for term in wanted:
        hit = _find(term, statement.terms) or _find(term, statement.inner)
        if hit is not None:
            hits[term.keys] = hit
            own += 1
        elif term.keys & implied or _stands_in(term, statement.text):
            own += 1
        else:
            missing.append(term)
    extras = tuple(
        extra
        for extra in statement.terms
        if not extra.generic
        and not extra.keys & meant
        and not any(_matches(term, extra) for term in claim.terms)
    )
    unasked = tuple(extra for extra in extras if _find(extra, question) is None)
    rival = any(rivals(term.keys, extra.keys) for term in wanted for extra in extras)
    restricts = rival or any(_narrows(extra, hits) for extra in unasked if not extra.light)
    filled = False
    forgiven = bool(claim.values)
    still = [term for term in missing if not (forgiven and term.light)]
    if still and not rival:
        carried = statement.before if not unasked else ()
        rest = [
            term for term in still if _find(term, question) is None and _find(term, carried) is None
        ]
        loose = not unasked or (own > 0 and not restricts)
        if loose and len(rest) < len(still):
            filled = True
            still = rest
    if not wanted:
        extent: Literal["full", "part", "none"] = (
            "full" if _on_one_axis(claim, statement) else "none"
        )
    elif not still:
        extent = "full" if own or filled else "part"
    else:
        extent = "part" if own else "none"
    modifying = all(_modifies(term, claim) for term in still)
    return Coverage(
        extent=extent,
        own=own,
        share=own / len(wanted) if wanted else 0.0,
        filled=filled,
        only_modifiers_missing=bool(still) and modifying and own > 0,
        extras=unasked,
        restricts=restricts,
        rival=rival,
        subject=any(term.after in _SUBJECT and term.keys in hits for term in wanted if term.after),
        swapped=_swapped(claim, statement, hits),
    )


def _on_one_axis(claim: Statement, statement: Statement) -> bool:
    """Of a claim without a noun of its own (自己負担は3割) the predicate is the topic."""
    axes = {p.axis for p in claim.predicates if p.axis != "do" and not p.weak}
    return any(p.axis in axes and not p.weak for p in statement.predicates)


def _matches(wanted: Term, term: Term) -> bool:
    if not wanted.keys.isdisjoint(term.keys):
        return True
    short, long = wanted.surface, term.surface
    return (
        len(long) > len(short) > 1
        and not short.isascii()
        and long.endswith(short)
        and long[0] not in "未不非無"
    )


def _find(wanted: Term, among: tuple[Term, ...]) -> Term | None:
    for term in among:
        if _matches(wanted, term):
            return term
    return None


def _stands_in(term: Term, text: str) -> bool:
    surface = term.surface
    if len(surface) < 2 or surface.isascii():
        return False
    at = text.find(surface)
    return at >= 0 and (at == 0 or text[at - 1] not in "未不非無")


def _narrows(extra: Term, hits: dict[frozenset[str], Term]) -> bool:
    if not hits:
        return True
    if extra.surface.isascii():
        following = [hit for hit in hits.values() if 0 <= hit.start - extra.end <= 1]
        return bool(following) or extra.after in _RESTRICTS_EN
    first = min(hit.start for hit in hits.values())
    if extra.after in _RESTRICTS:
        return extra.start < first or extra.after != "は"
    return extra.end <= first and (
        extra.after == "の" or any(hit.start == extra.end for hit in hits.values())
    )


def _modifies(term: Term, claim: Statement) -> bool:
    if term.after == "の":
        return True
    return any(other.start == term.end and not other.generic for other in claim.terms)


def _swapped(claim: Statement, statement: Statement, hits: dict[frozenset[str], Term]) -> bool:
    if len(hits) < 2:
        return False
    pairs = [(term, hits[term.keys]) for term in claim.needed if term.keys in hits]
    passive = (_PASSIVE.search(claim.text) is None) != (_PASSIVE.search(statement.text) is None)
    for place, (one, one_hit) in enumerate(pairs):
        for other, other_hit in pairs[place + 1 :]:
            if _parted(one, other, one_hit, other_hit, hits):
                return True
            roles = (_ROLES.get(one.after), _ROLES.get(other.after))
            found = (_ROLES.get(one_hit.after), _ROLES.get(other_hit.after))
            if None in roles or None in found or roles[0] == roles[1]:
                continue
            turned = found == (roles[1], roles[0])
            # 上長に承認される turns the roles of 上長が承認する, and says the same.
            mirrored = passive and found[0] != found[1]
            if turned != mirrored and (turned or found == roles):
                return True
    return _swapped_english(pairs, passive=passive)


def _swapped_english(pairs: list[tuple[Term, Term]], *, passive: bool) -> bool:
    """Three shared words, the middle one the verb: who does it and to whom."""
    english = sorted(
        (pair for pair in pairs if pair[0].surface.isascii()), key=lambda pair: pair[0].start
    )
    claimed = [hit.start for _, hit in english]
    for first in range(len(claimed)):
        for last in range(first + 2, len(claimed)):
            low, high = sorted((claimed[first], claimed[last]))
            between = any(low < at < high for at in claimed[first + 1 : last])
            if between and (claimed[first] > claimed[last]) != passive:
                return True
    return False


def _parted(
    one: Term, other: Term, one_hit: Term, other_hit: Term, hits: dict[frozenset[str], Term]
) -> bool:
    """Tell whether 上長の承認 became a superior who does something else, and an approval."""
    if one.after != "の" or not one.end < other.start <= one.end + 2:
        return False
    if one_hit.after not in ("が", "は", "も") or one_hit.start > other_hit.start:
        return False
    return any(one_hit.end <= hit.start and hit.end <= other_hit.start for hit in hits.values())
