"""Does a statement speak of the claim's topic, of a part of it, or of something in its place?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rag_eval_pipeline.measures.claims.asked import NOT_ASKED, Asked
from rag_eval_pipeline.measures.claims.statements import Statement
from rag_eval_pipeline.text.topic import Term, rivals

_RESTRICTS = frozenset({"は", "には", "では", "へは", "も", "への", "での", "からの"})
_RESTRICTS_EN = frozenset({"for", "in", "to", "on", "with", "at", "from"})
_MODIFYING = frozenset({"の", "of", "from", "by"})
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
_STANDARD = frozenset(["通常", "標準", "一般", "基本", "普通", "standard", "regular", "normal"])
_SIDED = re.compile("前|後|before|prior to|after|following|once")
_SIDE_JA = re.compile("(?:の|する|した|される|された|済み)?(?:以?前|以?後)(?![方回期半者])")
_SIDE_EN = re.compile(
    r"\b(before|prior to|after|following|once) (?:the |it |is |has |been |being |a )*$"
)
_PLACES = {
    "に": "goal",
    "には": "goal",
    "へ": "goal",
    "への": "goal",
    "で": "means",
    "では": "means",
    "での": "means",
    "から": "source",
    "からの": "source",
    "を": "object",
}
_ADVERBS = frozenset(
    [
        "事前",
        "事後",
        "最初",
        "最後",
        "直接",
        "同時",
        "自動",
        "自動的",
        "順次",
        "随時",
        "個別",
        "任意",
    ]
)
_PASSIVE = re.compile(r"(?P<stem>[ァ-ヴー一-龥]{1,8}|(?<=[一-龥])[ぁ-ん])(?:され|られ)")
_PASSIVE_EN = re.compile(
    r"\b(?:is|are|was|were|be|been|being) (?:[a-z]+ly )?(?:[a-z]+ed|paid|sent|made|given|taken|kept"
    r"|held|sold|chosen|written|shown|borne|done|lent|built|bought|met|set|put|found)\b"
)
_BY = re.compile(r"\bby\b")
_ACTS = frozenset({"APPLY", "PURCHASE", "USER", "RESERVE"})
_WHO = re.compile("[みたいし]{0,3}の?(?:お?客様|方|皆様|人)")
_NEEDED = re.compile(r"\b(?:need|needed|required|necessary|must have)\b")
_ACTIVE = "(?:[しすせ]|めま|める|め[たて]|えま|える|え[たて])"


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
    strange
        The statement has a term that the claim does not have, though the question may.
    restricts
        An extra term narrows what the statement is about (沖縄への送料).
    rival
        A term stands in the place of one of the claim's (海外 for 国内).
    other_side
        One says before and the other after the same thing (発送前, 発送後).
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
    strange: bool
    restricts: bool
    rival: bool
    other_side: bool
    subject: bool
    swapped: bool


def coverage(claim: Statement, statement: Statement, asked: Asked = NOT_ASKED) -> Coverage:
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
    question = asked.terms
    unasked = tuple(
        extra
        for extra in extras
        if _find(extra, question) is None and not _is_the_case(extra, statement, asked)
    )
    # Without a topic of its own it goes on about the statement before it (…; it is optional).
    goes_on = extras if statement.topics else statement.near
    other_part = tuple(
        extra
        for extra in goes_on
        if extra not in unasked and not any(_matches(term, extra) for term in claim.terms)
    )
    rival = any(rivals(term.keys, extra.keys) for term in wanted for extra in extras)
    rival = rival or any(_of_another_kind(term, hits, claim, extras) for term in claim.terms)
    other_side = False
    if _SIDED.search(claim.text) and _SIDED.search(statement.text):
        other_side = any(_other_side(term, claim, statement) for term in claim.terms)
    restricts = (
        rival
        or other_side
        or any(
            _narrows(extra, hits)
            for extra in unasked
            if not (extra.light or _is_whoever(extra, statement.text))
        )
    )
    filled = False
    forgiven = bool(claim.values)
    still = [term for term in missing if not (forgiven and term.light)]
    if missing and not still and not own and not extras:
        # Of a plain 500円です the question says what it is the price of.
        filled = all(_find(term, question) is not None for term in missing)
    if still and not (rival or other_side):
        carried = statement.before if not unasked else ()
        rest = [
            term
            for term in still
            if (_find(term, question) is None and _find(term, carried) is None)
            or (other_part and asked.apart(other_part, term))
            or any(_in_place_of(term, extra) for extra in unasked)
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
        strange=bool(extras),
        restricts=restricts,
        rival=rival,
        other_side=other_side,
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


def _is_the_case(extra: Term, statement: Statement, asked: Asked) -> bool:
    """Tell whether a term names the case asked about by its value (3,000円未満の経費)."""
    return any(
        0 <= extra.start - at - 1 <= 2
        and statement.text[at + 1 : extra.start] in ("", "の", "のご", "のお", " ")
        and asked.meets(value)
        for value, at in zip(statement.values, statement.marks, strict=True)
    )


def _of_another_kind(
    plain: Term, hits: dict[frozenset[str], Term], claim: Statement, extras: tuple[Term, ...]
) -> bool:
    """Tell whether the standard kind of a thing has become another kind (express shipping)."""
    if plain.surface not in _STANDARD:
        return False
    heads = (t for t in claim.needed if 0 <= t.start - plain.end <= 1 and t.keys in hits)
    return any(0 <= hits[head.keys].start - extra.end <= 1 for head in heads for extra in extras)


def _other_side(term: Term, claim: Statement, statement: Statement) -> bool:
    """Tell whether one says before and the other after the same thing (発送前, 発送後)."""
    side = _side(claim.text, term)
    if side is None:
        return False
    sides = {_side(statement.text, hit) for hit in statement.terms if hit.keys & term.keys}
    return bool(sides - {None}) and side not in sides


def _side(text: str, term: Term) -> str | None:
    behind = _SIDE_JA.match(text, term.end)
    if behind is not None:
        return "before" if behind.group().endswith("前") else "after"
    ahead = _SIDE_EN.search(text, max(0, term.start - 24), term.start)
    if ahead is None:
        return None
    return "before" if ahead.group(1) in ("before", "prior to") else "after"


def _in_place_of(wanted: Term, extra: Term) -> bool:
    """Tell whether a term has the place of another: 代金に使えます, of a claim on 送料に."""
    place = _PLACES.get(extra.after)
    return (
        place is not None
        and place == _PLACES.get(wanted.after)
        and not extra.light
        and extra.surface not in _ADVERBS
    )


def _stands_in(term: Term, text: str) -> bool:
    surface = term.surface
    if len(surface) < 2 or surface.isascii():
        return False
    at = text.find(surface)
    return at >= 0 and (at == 0 or text[at - 1] not in "未不非無")


def _is_whoever(extra: Term, text: str) -> bool:
    """Tell whether a term only names whom any rule is for (お申し込みの方は)."""
    return not extra.keys.isdisjoint(_ACTS) and _WHO.match(text, extra.end) is not None


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
    if term.after in _MODIFYING:
        return True
    return any(other.start == term.end and not other.generic for other in claim.terms)


def _swapped(claim: Statement, statement: Statement, hits: dict[frozenset[str], Term]) -> bool:
    if len(hits) < 2:
        return False
    pairs = [(term, hits[term.keys]) for term in claim.needed if term.keys in hits]
    claim_turned = _turned_passive(statement.text, claim.text)
    passive = claim_turned or _turned_passive(claim.text, statement.text)
    for place, (one, one_hit) in enumerate(pairs):
        for other, other_hit in pairs[place + 1 :]:
            if _parted(one, other, one_hit, other_hit, hits):
                return True
            roles = (_ROLES.get(one.after), _ROLES.get(other.after))
            found = (_ROLES.get(one_hit.after), _ROLES.get(other_hit.after))
            if None in roles or None in found or roles[0] == roles[1]:
                continue
            # 上長に承認される turns the roles of 上長が承認する, and says the same.
            if passive:
                acting, suffering = (found, roles) if claim_turned else (roles, found)
                if _same_agent(acting, suffering):
                    return True
            elif found == (roles[1], roles[0]):
                return True
    if (_NEEDED.search(claim.text) is None) != (_NEEDED.search(statement.text) is None):
        # X requires Y: you need Y for X. The order is turned, the roles are not.
        return False
    return _swapped_english(pairs, passive=passive)


def _same_agent(
    acting: tuple[str | None, str | None], suffering: tuple[str | None, str | None]
) -> bool:
    """Tell whether who acts is also who is acted on: 部長が承認する, 部長が課長に承認される."""
    return any(
        acting[place] == suffering[place] == "agent" and suffering[1 - place] in ("goal", "source")
        for place in (0, 1)
    )


def _turned_passive(active: str, passive: str) -> bool:
    """Tell whether a verb of one text stands in the passive in the other (承認する, 承認される)."""
    done = _PASSIVE_EN.search(passive)
    if done is not None and _BY.search(passive, done.end()) and not _PASSIVE_EN.search(active):
        return True
    return _PASSIVE.search(active) is None and any(
        re.search(re.escape(match["stem"]) + _ACTIVE, active) is not None
        for match in _PASSIVE.finditer(passive)
    )


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
