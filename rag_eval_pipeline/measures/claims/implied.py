"""What a segment speaks of beyond its words, and which of its words decide what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_eval_pipeline.text.polarity import Predicate
from rag_eval_pipeline.text.topic import Term
from rag_eval_pipeline.text.values import Value

_ANCHORS = {
    "delivery": frozenset({"ARRIVE", "RECEIVE", "SHIP"}),
    "purchase": frozenset({"PURCHASE"}),
    "application": frozenset({"APPLY"}),
    "joining": frozenset({"JOIN"}),
    "leaving": frozenset({"RESIGN", "TERMINATE"}),
}
_MEANS_OF_PAYMENT = frozenset({"CARD", "TRANSFER", "COD", "CASH", "CONVENI"})
_OPENING = re.compile("営業|受付|開館|開店|対応|\\bopen\\b")
_WE = re.compile(r"\b(?:we|our|us)\b|当店|当社|弊社")
_DUE = re.compile(r"\bdue\b|提出期限|申請期限|締め?切")


def implied(
    text: str, terms: Sequence[Term], values: Sequence[Value], predicates: Sequence[Predicate]
) -> frozenset[str]:
    """Names of things that a segment speaks of without naming them (円 and 配送 make a 送料)."""
    keys: set[str] = set()
    named = {name for term in terms for name in term.keys}
    money = any(value.kind == "money" for value in values) or any(
        predicate.axis == "charge" for predicate in predicates
    )
    if money and "SHIP" in named:
        keys.add("SHIPFEE")
    if "RETURN" in named and "SHIPFEE" in named:
        keys.add("RETURNFEE")
    if "RETURNFEE" in named:
        keys |= {"RETURN", "SHIPFEE"}
    if "DISCOUNT" in named or any(value.qual == "off" for value in values):
        keys |= {"DISCOUNT", "DISCOUNTRATE"}
    if "PAY" in named or named & _MEANS_OF_PAYMENT:
        keys |= {"PAY", "PAYMETHOD"}
    if _OPENING.search(text) or "HOURS" in named:
        keys.add("HOURS")
    if any(value.unit == "歳" for value in values):
        keys.add("AGE")
    if "保証" in text and values:
        keys.add("WARRANTY")
    if _WE.search(text):
        keys |= {"INSTORE", "COMPANY"}
    if "DEADLINE" in named or _DUE.search(text):
        keys |= {"APPLY", "SUBMIT"}
    for value in values:
        keys |= _ANCHORS.get(value.anchor or "", frozenset())
    return frozenset(keys)


_BEARINGS = {
    "deadline": re.compile(r"(?<!無)期限|締め?切り?|〆切|期日|\bdeadlines?\b|\bdue\b"),
    "begins": re.compile(
        r"施行|開始|適用|発効|改定|改正|発売|開店|入社|公開|運用|発足|開業|開所"
        r"|\b(?:effective|starts?|begins?|opens?|launch\w*|take effect|in force)\b"
    ),
    "discount": re.compile(r"割引|値引|オフ|割り引|\boff\b|discount"),
}


def bearing(text: str) -> frozenset[str]:
    """What values in a text bear on: deadline, begins (the day something starts), discount."""
    return frozenset(name for name, words in _BEARINGS.items() if words.search(text))


def needed(
    terms: Sequence[Term], inner: Sequence[Term], values: Sequence[Value]
) -> tuple[Term, ...]:
    """Terms that decide what a claim is about, each once.

    `inner` are the terms that stand inside its values; they count where there are no others. What
    a value is counted from is compared with the value, so it is none of them.
    """
    named = [term for term in terms if not term.generic]
    if not named:
        named = list(inner)
    if not named:
        named = [term for term in terms if len(term.surface) > 1]
    anchors = {name for value in values for name in _ANCHORS.get(value.anchor or "", frozenset())}
    kept = {term.keys: term for term in reversed(named) if not term.keys & anchors}
    kept = kept or {term.keys: term for term in reversed(named)}
    return tuple(sorted(kept.values(), key=lambda term: term.start))
