"""What one statement of a text says of one statement of a claim, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag_eval_pipeline.measures.claims.statements import Statement

Label = Literal["supported", "contradicted", "undecided"]
Mention = Literal["full", "partial", "none"]
RANK: dict[Mention, int] = {"none": 0, "partial": 1, "full": 2}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one statement, or a text, makes of a claim.

    `leans`: undecided, but the claim may be what is asserted here, in other words. `borrows`: the
    statement has a topic of its own and takes the claim's from the question.
    """

    label: Label
    mention: Mention
    rule: str
    statement: Statement | None = None
    leans: bool = False
    borrows: bool = False


NOTHING = Finding("undecided", "none", "absent")
OTHER_TOPIC = Finding("undecided", "partial", "part")


def supports(rule: str) -> Finding:
    """The statement asserts the claim."""
    return Finding("supported", "full", rule)


def contradicts(rule: str) -> Finding:
    """The statement denies the claim."""
    return Finding("contradicted", "full", rule)


def undecided(rule: str, *, leans: bool) -> Finding:
    """The statement leaves the claim open."""
    return Finding("undecided", "full", rule, leans=leans)


REASONS = {
    "absent": "no clause speaks of it",
    "both": "clauses contradict each other",
    "complement": "what lies beyond the claim's bound is refused",
    "denied": "the text denies that it holds",
    "either": "the text asks for one of several, the claim for all",
    "enumeration": "clauses together name every member",
    "equal": "the text says it in the same words",
    "exception": "an exception is made",
    "exception_follows": "what follows takes it back",
    "hedged": "the text is guarded",
    "hint": "a wording or value the author gave is asserted",
    "hint_missing": "a value the author gave is not there",
    "hint_not": "a wording the author ruled out is asserted",
    "member": "a member of the claim's enumeration is excluded",
    "narrower": "the text speaks of a part or of another case",
    "not_known": "the text says that it does not know",
    "only": "only against others as well",
    "only_open": "the claim says only, the text does not",
    "part": "the text names a part of the topic",
    "polarity": "the same topic; the predicate decides",
    "question": "the text asks and asserts nothing",
    "quoted": "the text quotes it and does not assert it",
    "referral": "the text refers to a desk or document",
    "roles": "the same words in other roles",
    "sense_open": "no predicate to compare",
    "sometimes": "it holds in some cases",
    "universal": "always against in some cases, or not at all",
    "universal_open": "the claim says always, the text does not",
    "value_missing": "the topic without such a value",
    "values": "the values decide",
    "values_and_polarity": "values and predicate both differ",
    "values_open": "the values leave it open",
    "yes_no": "yes or no takes the question's proposition",
}
"""The rules by name, each with the reason that is stored beside a verdict."""
