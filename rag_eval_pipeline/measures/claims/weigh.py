"""The rules for one statement of a text against one statement of a claim."""

from __future__ import annotations

import re
from dataclasses import replace

from rag_eval_pipeline.measures.claims.asked import NOT_ASKED, Asked
from rag_eval_pipeline.measures.claims.claimed_values import Values, hold_values, meets_kind
from rag_eval_pipeline.measures.claims.coverage import Coverage, coverage
from rag_eval_pipeline.measures.claims.finding import (
    NOTHING,
    OTHER_TOPIC,
    Finding,
    Mention,
    contradicts,
    supports,
    undecided,
)
from rag_eval_pipeline.measures.claims.sense import Sense, main_predicate, sense
from rag_eval_pipeline.measures.claims.statements import Statement
from rag_eval_pipeline.text.force import PLAIN

ENUMERATES = re.compile(r"と|および|及び|または|又は|、|・|ならびに|\b(?:and|or)\b|,")
_BESIDES = re.compile(
    r"のほか|の他|に加え|だけでなく|のみならず|以外にも"
    r"|\b(?:as well as|in addition|besides|not only|also)\b"
)
_EITHER = re.compile(r"または|又は|もしくは|あるいは|いずれか|どちらか|\bor\b|\beither\b")
_BOUNDS = frozenset({"lt", "le", "gt", "ge"})
# Shares of the claim's terms: to be denied by, to be taken for the claim in other words.
_MOST = 0.6
_HALF = 0.5


def weigh(claim: Statement, statement: Statement, asked: Asked = NOT_ASKED) -> Finding:
    """Hold a statement of a text against a statement of a claim."""
    if _elsewhere(claim, statement, asked):
        return OTHER_TOPIC if meets_kind(claim, statement) else NOTHING
    covered = coverage(claim, statement, asked)
    held = hold_values(claim, statement, asked.bearing)
    mention = _mention(covered, held)
    if mention == "none":
        return NOTHING
    if statement.force.question:
        return Finding("undecided", "partial", "question", statement)
    if statement.force.absent:
        return Finding("undecided", "partial", "not_known", statement)
    side: Sense = "same" if held.turned else sense(claim, statement)
    if covered.extent != "full" or _leans_on_context(claim, statement, covered, held):
        finding = _part_of_topic(claim, statement, covered, held, side)
    else:
        finding = _whole_topic(claim, statement, covered, held, side, asked)
    if statement.force.referral:
        if finding.label == "supported" and not claim.values:
            return Finding("undecided", "partial", "referral", statement)
        finding = replace(finding, leans=False)
    # A case of its own (お急ぎの場合は別途300円) is as strange to the claim as a thing of its own.
    borrows = covered.filled and (covered.strange or bool(statement.conditions))
    return Finding(finding.label, mention, finding.rule, statement, finding.leans, borrows)


def alike(claim: Statement, statement: Statement) -> bool:
    """Tell whether half of the claim's wording is in a statement that may mean the same."""
    if statement.force is not PLAIN and statement.force not in (PLAIN, claim.force):
        return False
    if len(claim.wording & statement.wording) < _HALF * len(claim.wording):
        return False
    if hold_values(claim, statement, frozenset()).agreement not in (None, "same"):
        return False
    return sense(claim, statement) != "opposite"


def _elsewhere(claim: Statement, statement: Statement, asked: Asked) -> bool:
    """A cheap look first: a topic of its own, which neither claim nor question shares."""
    return (
        bool(statement.topics)
        and claim.about.isdisjoint(statement.told)
        and asked.about.isdisjoint(statement.told)
        and bool(claim.about)
    )


def _leans_on_context(
    claim: Statement, statement: Statement, covered: Coverage, held: Values
) -> bool:
    """Tell whether too little of the topic is the statement's own to be about it.

    What it takes from the question or the sentence before it must be repaid by a value of the
    claim's kind or by a predicate on the claim's axis (はい、必要です).
    """
    if not covered.filled or held.agreement in ("same", "different", "undecided", "apart"):
        return False
    main = main_predicate(claim)
    if main is not None and any(
        predicate.axis == main.axis and not predicate.weak for predicate in statement.predicates
    ):
        return False
    # A refusal of what the statement names a part of (手数料には使えません) is a predicate too.
    does = main is not None and main.axis == "do"
    if does and covered.own and any(p.axis == "do" and p.sign < 0 for p in statement.predicates):
        return False
    return covered.share < _HALF


def _mention(covered: Coverage, held: Values) -> Mention:
    if covered.extent == "full" and (held.agreement is None or held.kinds_held):
        return "full"
    if covered.own or covered.filled or held.kind_met:
        return "partial"
    return "none"


def _whole_topic(
    claim: Statement,
    statement: Statement,
    covered: Coverage,
    held: Values,
    side: Sense,
    asked: Asked,
) -> Finding:
    agree = held.agreement in (None, "same")
    if covered.swapped:
        return undecided("roles", leans=True)
    if statement.quoted:
        return undecided("quoted", leans=agree and side != "opposite")
    if agree and side == "same":
        if not claim.values and _does_otherwise(claim, statement):
            return undecided("part", leans=True)
        return _asserted(claim, statement, covered, held, asked)
    if agree and side == "opposite":
        return _opposed(claim, statement, covered, asked)
    if held.agreement == "different":
        return _other_value(claim, statement, covered, side)
    if held.agreement == "missing":
        if side == "opposite" and not covered.extras and _firm(statement):
            return contradicts("polarity")
        return undecided("value_missing", leans=False)
    if held.agreement in ("undecided", "apart"):
        return undecided("values_open", leans=held.agreement == "undecided" and side != "opposite")
    return undecided("sense_open", leans=True)


def _does_otherwise(claim: Statement, statement: Statement) -> bool:
    """Tell whether the claim's verb is not the statement's: データは残る, データは削除されます."""
    main = main_predicate(claim)
    if main is None or not main.weak or main.axis != "do":
        return False
    verbs = [term for term in claim.terms if term.verb]
    return any(not any(verb.keys & term.keys for term in statement.terms) for verb in verbs[-1:])


def _asserted(
    claim: Statement, statement: Statement, covered: Coverage, held: Values, asked: Asked
) -> Finding:
    """Topic, values and predicate agree: only how firmly and how widely it is said is left."""
    said, meant = statement.force, claim.force
    if said.denied:
        return contradicts("denied")
    if said.hedged and not meant.hedged:
        return undecided("hedged", leans=True)
    if said.sometimes and not meant.sometimes:
        return contradicts("universal") if meant.always else undecided("sometimes", leans=True)
    if meant.sometimes and said.always:
        return contradicts("universal")
    limited = bool(statement.conditions) or (said.only and not meant.only)
    if meant.always and not claim.conditions and limited:
        return contradicts("universal")
    if meant.always and not said.always:
        return undecided("universal_open", leans=True)
    if meant.only and not said.only:
        if _BESIDES.search(statement.text):
            return contradicts("only")
        return undecided("only_open", leans=True)
    if _excepted(claim, statement):
        return contradicts("exception")
    if _has_exception(statement) and not _has_exception(claim):
        return contradicts("universal") if meant.always else undecided("exception", leans=True)
    needs = any(p.axis == "need" and not p.weak for p in claim.predicates)
    if needs and _EITHER.search(statement.text) and not _EITHER.search(claim.text):
        return undecided("either", leans=True)
    if covered.other_side:
        return undecided("narrower", leans=False)
    if covered.rival or (not claim.values and _narrower(claim, statement, covered, asked)):
        return undecided("narrower", leans=not any(map(asked.rules_out, statement.values)))
    if held.turned:
        return supports("complement")
    return supports("values" if held.agreement else "polarity")


def _opposed(claim: Statement, statement: Statement, covered: Coverage, asked: Asked) -> Finding:
    """Topic and values agree, the predicate is the opposite."""
    said = statement.force
    if said.hedged or said.denied:
        return undecided("hedged", leans=said.denied and not said.hedged)
    if _excepted(claim, statement):
        return undecided("exception", leans=False)
    main = main_predicate(claim)
    refuses = main is not None and main.axis == "do" and main.sign < 0
    if said.sometimes and not claim.force.always and not refuses:
        return undecided("sometimes", leans=claim.force.sometimes)
    if claim.force.always:
        return contradicts("universal")
    compares = main is not None and main.axis == "same"
    if not compares and _narrower(claim, statement, covered, asked):
        return undecided("narrower", leans=False)
    return contradicts("polarity")


def _other_value(claim: Statement, statement: Statement, covered: Coverage, side: Sense) -> Finding:
    if side == "opposite":
        return undecided("values_and_polarity", leans=False)
    if statement.force.hedged or statement.force.denied:
        return undecided("hedged", leans=False)
    if covered.restricts or _excepted(claim, statement):
        return undecided("narrower", leans=False)
    return contradicts("values")


def _part_of_topic(
    claim: Statement, statement: Statement, covered: Coverage, held: Values, side: Sense
) -> Finding:
    """The statement names only a part of what the claim is about."""
    agree = held.agreement in (None, "same")
    firm = _firm(statement)
    if side == "opposite" and firm:
        # 承認なしで申請できます denies 上長の承認が必要: what is left out only qualifies.
        qualifies = covered.only_modifiers_missing and not covered.restricts
        if agree and qualifies and covered.share >= _MOST:
            return contradicts("polarity")
        if not covered.extras and not claim.values:
            if ENUMERATES.search(claim.text) and covered.own > 1:
                return contradicts("member")
            if covered.subject and covered.share >= _HALF and not statement.values:
                return contradicts("polarity")
    only = side == "same" and firm and statement.force.only and covered.share >= _HALF
    if only and ENUMERATES.search(claim.text):
        return contradicts("only")
    close = covered.share > _HALF or (
        covered.share == _HALF and (bool(claim.values) or not covered.extras)
    )
    other = statement.force.denied or (covered.rival and not covered.swapped)
    close = close or (covered.subject and side == "same" and _states(claim, statement))
    return undecided("part", leans=agree and side != "opposite" and close and not other)


def _states(claim: Statement, statement: Statement) -> bool:
    """Tell whether both have a predicate of their own on the claim's axis."""
    main = main_predicate(claim)
    return (
        main is not None
        and not main.weak
        and any(p.axis == main.axis and not p.weak for p in statement.predicates)
    )


def _firm(statement: Statement) -> bool:
    marks = statement.force
    return not (
        marks.hedged or marks.sometimes or marks.denied or statement.quoted or statement.conditions
    )


def _narrower(claim: Statement, statement: Statement, covered: Coverage, asked: Asked) -> bool:
    """Tell whether the statement rules only a part of what the claim speaks of.

    A bound that the case asked about keeps (3,000円未満 of 2,500円) narrows nothing.
    """
    if covered.restricts:
        return True
    open_values = (
        ()
        if claim.values
        else tuple(
            (value, at)
            for value, at in zip(statement.values, statement.marks, strict=True)
            if not asked.meets(value)
        )
    )
    if any(value.cmp in _BOUNDS for value, _ in open_values):
        return True
    extra = {term.start for term in covered.extras}
    return any(
        condition.kind == "if"
        and (
            any(condition.start <= at < condition.end for at in extra)
            or any(condition.start <= at < condition.end for _, at in open_values)
        )
        for condition in statement.conditions
    )


def _has_exception(statement: Statement) -> bool:
    return any(condition.kind == "except" for condition in statement.conditions)


def _excepted(claim: Statement, statement: Statement) -> bool:
    """Tell whether the claim's own topic is what the statement makes an exception of."""
    if _has_exception(claim):
        return False
    return any(
        condition.kind == "except"
        and condition.start <= term.start < condition.end
        and any(term.keys & wanted.keys for wanted in claim.needed)
        for condition in statement.conditions
        for term in statement.terms
    )
