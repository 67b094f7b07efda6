"""Claim verdict: whether a text asserts a claim, denies it or leaves it open.

Claim and text are taken apart into statements (`statements`): clauses, cut again where one clause
says two things. A statement has values, a topic (content words under the names of the things they
stand for), predicates with a side (必要 / 不要, 可能 / 不可, 無料 / 有料) and marks of how firmly
it is said. Each statement of the text is held against each of the claim, by these rules in a fixed
order; `rule`, `quote` and `reason` say which one decided, where and why. `mention` says whether a
statement speaks of all of the claim's topic and has a value of its kind (full), of a part of it
(partial), or none does.

A claim that is a value and nothing else ("500円") answers the question: it needs no topic
(`bare_value`).

All statements of the claim must be supported; one contradicted is enough. What is not decided is
undecided for a required claim. For a forbidden one the label is contradicted, since nobody
asserted it, unless the text may have said it in other words, guarded or of another subject.

Formula:
- `equal`: The text is the claim, but for width, case, space and marks: supported.
- `absent`: No topic and no value of the claim's kind: nothing said.
- `question`, `not_known`, `referral`: What asks, what tells that nothing is known, what sends
  elsewhere asserts nothing.
- `part`: Only a part of the topic is named, after the question and the sentence before were asked
  for the rest: undecided. An answer to one part of a question takes nothing from another part
  ("how long is A, and how much is B?"). But a refusal of the whole topic (`polarity`), of one
  member of an enumeration (`member`) and "only" one of them (`only`) contradict.
- `roles`: The same words with subject and object exchanged: undecided.
- `quoted`: Reported speech is not asserted; what is quoted and called wrong is `denied`.
- `values`, `complement`, `values_open`, `value_missing`, `values_and_polarity`: Topic given,
  values decide: all the same supports, another one contradicts. What is refused beyond a bound
  supports the bound (30日を過ぎると返品できません), and what ends at a limit has that limit
  (有効期限は1年, 1年で失効).
- `polarity`: Topic and values given, the same side supports, the other contradicts; `sense_open`
  where the two share no predicate.
- `denied`, `hedged`, `sometimes`, `universal`, `universal_open`: A denial (とは限りません, it is
  not true that) contradicts; a guess leaves open, and so does "in some cases", but it contradicts
  a claim that says always; a plain assertion does not prove always.
- `only`, `only_open`, `exception`, `exception_follows`, `either`, `narrower`: What the statement
  limits: an exception made of the claim's topic contradicts; another exception, a condition, a
  narrower subject, before against after, "one of several" leave open. A condition that the values
  of the question meet (3,000円未満 of 2,500円) limits nothing.
- `enumeration`: Members named in clauses of their own, all of them: supported.
- `yes_no`: はい, いいえ, yes, no take the question's proposition.
- `both`: One clause supports and another contradicts: undecided, unless only one of them names
  the topic itself and the other, on something else, would take it from the question.
- `hint`, `hint_missing`, `hint_not`: The author's wordings and values, where asserted, decide what
  the rules leave open.
Source: R4, R15
Gives: claim_verdicts (verdict, mention, rule, quote, start, end, reason)
Needs: `case.required_claims`, `case.forbidden_claims`, `log.answer`, `log.question`
Absent:
- `case.required_claims`, `case.forbidden_claims`: no verdict on it
- the author's hints on the claim (any_of, values, not): the rules alone decide
- `log.answer`: a required claim is undecided with mention none, a forbidden one contradicted
- `log.question`: the question of the case
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rag_eval_pipeline.measures.claims.asked import NOT_ASKED, asked_of
from rag_eval_pipeline.measures.claims.bare_value import is_bare_value, weigh_bare_value
from rag_eval_pipeline.measures.claims.claim import Claim, assertion
from rag_eval_pipeline.measures.claims.coverage import coverage
from rag_eval_pipeline.measures.claims.finding import (
    NOTHING,
    RANK,
    REASONS,
    Finding,
    Label,
    Mention,
)
from rag_eval_pipeline.measures.claims.hints import asserts_value, asserts_wording, hinted
from rag_eval_pipeline.measures.claims.sense import sense
from rag_eval_pipeline.measures.claims.statements import Parsed, Statement, parse
from rag_eval_pipeline.measures.claims.weigh import ENUMERATES, alike, weigh
from rag_eval_pipeline.text.force import PLAIN

__all__ = ["Claim", "Label", "Mention", "Verdict", "judge", "parse", "verdict"]


# Undecided by one of these, half of the claim's wording still makes it suspect.
_IN_OTHER_WORDS = frozenset({"absent", "part"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a text says of a claim.

    `rule` names the rule that decided, `quote` the clause it decided by, from `start` to `end`
    (code points of the text as given); null where nothing in the text decided. `mention` tells
    whether the text speaks of the claim's topic and holds values of its kind.
    """

    label: Label
    mention: Mention
    rule: str
    quote: str | None
    start: int | None
    end: int | None
    reason: str


def verdict(claim: Claim, text: str, question: str | None = None) -> Verdict:
    """Does the text assert the claim?

    Parameters
    ----------
    claim
        Of a forbidden claim that is written as an instruction ("do not claim that …") the
        assertion inside is judged: supported means violated.
    text
        The answer, or a document.
    question
        What was asked: a clause without a topic of its own takes the question's.

    Returns
    -------
    supported, contradicted or undecided, with the rule and the clause that decided.
    """
    return judge(claim, parse(text), parse(question) if question else None)


def judge(claim: Claim, text: Parsed, question: Parsed | None = None) -> Verdict:
    """As `verdict`, for a text and a question that were read before (`parse`)."""
    parsed = _parse_claim(claim.text, claim.kind)
    decided = _same_words(parsed, text)
    if decided is None:
        parts = [
            _of_text(part, text, question) for part in parsed.statements if not part.force.question
        ]
        decided = _together(parts)
    decided = _with_hints(claim, text, decided)
    if claim.kind == "forbidden" and decided.label == "undecided" and not decided.leans:
        decided = replace(decided, label="contradicted")
    return _told(decided)


@lru_cache(maxsize=4096)
def _parse_claim(text: str, kind: str) -> Parsed:
    return parse(assertion(text) if kind == "forbidden" else text)


def _told(finding: Finding) -> Verdict:
    reason = REASONS[finding.rule]
    if finding.statement is None or finding.mention == "none":
        return Verdict(finding.label, finding.mention, finding.rule, None, None, None, reason)
    clause = finding.statement.clause
    return Verdict(
        label=finding.label,
        mention=finding.mention,
        rule=finding.rule,
        quote=clause.text,
        start=clause.start,
        end=clause.end,
        reason=reason,
    )


def _same_words(claim: Parsed, text: Parsed) -> Finding | None:
    if not claim.folded or claim.folded != text.folded or not text.statements:
        return None
    if any(statement.force.question or statement.quoted for statement in text.statements):
        return None
    return Finding("supported", "full", "equal", text.statements[0])


def _with_hints(claim: Claim, text: Parsed, decided: Finding) -> Finding:
    for wording in claim.not_any_of:
        statement = asserts_wording(wording, text)
        if statement is not None:
            return hinted("hint_not", statement)
    if claim.values:
        held = [asserts_value(value, text) for value in claim.values]
        found = [statement for statement in held if statement is not None]
        if len(found) < len(held):
            if decided.label == "supported":
                return replace(decided, label="undecided", rule="hint_missing", leans=True)
        elif decided.label == "undecided":
            return hinted("hint", found[0])
    if decided.label != "supported":
        for wording in claim.any_of:
            statement = asserts_wording(wording, text)
            if statement is not None:
                if decided.label == "contradicted" and claim.kind == "required":
                    return replace(decided, label="undecided", rule="both", leans=True)
                return hinted("hint", statement)
    return decided


def _together(parts: Sequence[Finding]) -> Finding:
    """All statements of a claim: each supported, one contradicted, or undecided."""
    for part in parts:
        if part.label == "contradicted":
            return part
    for part in parts:
        if part.label == "undecided":
            lowest = min((other.mention for other in parts), key=RANK.__getitem__)
            some = any(other.mention != "none" for other in parts)
            mention: Mention = "full" if lowest == "full" else "partial" if some else "none"
            leans = any(other.leans or other.label == "supported" for other in parts)
            return replace(part, mention=mention, leans=leans)
    return parts[0] if parts else NOTHING


def _of_text(claim: Statement, text: Parsed, question: Parsed | None) -> Finding:
    """One statement of the claim against all of the text."""
    asked = asked_of(question.text) if question is not None else NOT_ASKED
    if is_bare_value(claim):
        return weigh_bare_value(claim, text, question, asked)
    found: list[Finding] = []
    for place, statement in enumerate(text.statements):
        finding = weigh(claim, statement, asked)
        if finding.label == "supported":
            after = text.statements[place + 1 : place + 2]
            if any(_takes_back(claim, statement, following) for following in after):
                finding = replace(finding, label="undecided", rule="exception_follows", leans=True)
        elif finding.rule in _IN_OTHER_WORDS and not finding.leans and alike(claim, statement):
            finding = replace(finding, leans=True)
        found.append(finding)
        if statement.answer and question is not None:
            found.append(_of_yes_no(claim, statement, question))
    spread = _spread(claim, text, found)
    if spread is not None:
        found.append(spread)
    return _settled(found)


def _settled(found: Sequence[Finding]) -> Finding:
    if not found:
        return NOTHING
    mention = max((finding.mention for finding in found), key=RANK.__getitem__)
    supported = next((finding for finding in found if finding.label == "supported"), None)
    contradicted = next((finding for finding in found if finding.label == "contradicted"), None)
    if supported is not None and contradicted is not None:
        # Who names the topic is heard before who only may speak of it.
        if supported.borrows != contradicted.borrows:
            named = contradicted if supported.borrows else supported
            return replace(named, mention=mention)
        return replace(contradicted, label="undecided", rule="both", mention=mention, leans=True)
    decided = supported or contradicted
    if decided is not None:
        return replace(decided, mention=mention)
    leaning = [finding for finding in found if finding.leans]
    shown = max(leaning or found, key=lambda finding: RANK[finding.mention])
    return replace(shown, mention=mention, leans=bool(leaning))


def _takes_back(claim: Statement, statement: Statement, following: Statement) -> bool:
    """Tell whether the next statement makes an exception of what was said, or casts it in doubt."""
    if following.clause is statement.clause and (following.force.absent or following.force.hedged):
        return True
    return not claim.values and following.excepts and bool(following.terms)


def _of_yes_no(claim: Statement, statement: Statement, question: Parsed) -> Finding:
    if not question.statements or statement.force.hedged or statement.force.absent:
        return NOTHING
    proposition = question.statements[-1]._replace(force=PLAIN, clause=statement.clause)
    finding = weigh(claim, proposition)
    says_more = statement.values or any(not p.weak for p in statement.predicates)
    if says_more or finding.label == "undecided":
        return Finding("undecided", finding.mention, "yes_no", statement)
    label: Label = finding.label
    if statement.answer < 0:
        # No, it is not 500 yen: that tells nothing of another amount.
        turned: dict[Label, Label] = {
            "supported": "contradicted",
            "contradicted": "undecided" if claim.values else "supported",
        }
        label = turned[label]
    return Finding(label, finding.mention, "yes_no", statement)


def _spread(claim: Statement, text: Parsed, found: Sequence[Finding]) -> Finding | None:
    """The members of an enumeration, each in a clause of its own."""
    if claim.values or len(claim.needed) < 3 or len(text.statements) < 2:
        return None
    if any(finding.label != "undecided" for finding in found):
        return None
    if ENUMERATES.search(claim.text) is None:
        return None
    plain = [
        statement
        for statement in text.statements
        if statement.force == PLAIN
        and not statement.quoted
        and not statement.conditions
        and sense(claim, statement) == "same"
    ]
    if len(plain) < 2 or any(coverage(claim, statement).restricts for statement in plain):
        return None
    named = {name for statement in plain for term in statement.terms for name in term.keys}
    if all(term.keys & named for term in claim.needed):
        return Finding("supported", "full", "enumeration", plain[0])
    return None
