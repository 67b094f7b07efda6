"""A claim that is a value and nothing else ("500円"): it answers the question, whatever that is.

Its topic is that of the question, and without one that of whatever the text asserts. Values the
question already holds are its conditions and no answer ("3000円の注文の送料は？").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag_eval_pipeline.measures.claims.asked import NOT_ASKED, Asked
from rag_eval_pipeline.measures.claims.claimed_values import hold_values
from rag_eval_pipeline.measures.claims.finding import (
    NOTHING,
    RANK,
    Finding,
    contradicts,
    supports,
    undecided,
)
from rag_eval_pipeline.measures.claims.sense import sense
from rag_eval_pipeline.measures.claims.statements import Parsed, Statement
from rag_eval_pipeline.text.compare_values import compare
from rag_eval_pipeline.text.values import Value


def is_bare_value(claim: Statement) -> bool:
    """Tell whether a statement of a claim holds a value and no topic."""
    return bool(claim.values) and not claim.terms and not claim.inner


def weigh_bare_value(
    claim: Statement, text: Parsed, question: Parsed | None, asked: Asked = NOT_ASKED
) -> Finding:
    """Hold a bare value against all of a text.

    A statement that asserts the value supports it. Another value contradicts it only in a statement
    on the question's topic, or where there is no question.
    """
    given = [value for part in question.statements for value in part.values] if question else []
    conditions = [held for held in given if not _among(held, claim.values)]
    found: list[Finding] = []
    for statement in text.statements:
        finding = _of_statement(claim, _without(statement, conditions), asked)
        if finding.label == "contradicted" and not _on_topic(statement, asked):
            finding = replace(finding, label="undecided", rule="part", mention="partial")
        found.append(replace(finding, statement=statement))
    return _best(found)


def _of_statement(claim: Statement, statement: Statement, asked: Asked) -> Finding:
    if statement.force.question or statement.force.absent:
        return NOTHING
    held = hold_values(claim, statement, asked.bearing).agreement
    free = not statement.values and _is_free(statement) and _is_money(claim)
    if free:
        held = "different"
    if held == "missing":
        return NOTHING
    if statement.quoted:
        return undecided("quoted", leans=held == "same")
    if statement.force.hedged or statement.force.sometimes:
        return undecided("hedged", leans=held == "same")
    side = sense(claim, statement)
    if held == "same":
        if statement.force.denied or side == "opposite":
            return contradicts("denied")
        return supports("values")
    if held == "different" and (free or side != "opposite") and not statement.force.denied:
        return contradicts("values")
    return undecided("values_open", leans=True)


def _is_free(statement: Statement) -> bool:
    return any(each.axis == "charge" and each.sign < 0 for each in statement.predicates)


def _is_money(claim: Statement) -> bool:
    return any(value.kind == "money" for value in claim.values)


def _without(statement: Statement, conditions: Sequence[Value]) -> Statement:
    """The statement without the values that only repeat the question."""
    kept = [
        (value, mark)
        for value, mark in zip(statement.values, statement.marks, strict=True)
        if not _among(value, conditions)
    ]
    if len(kept) == len(statement.values):
        return statement
    return statement._replace(
        values=tuple(value for value, _ in kept),
        marks=tuple(mark for _, mark in kept),
    )


def _among(value: Value, others: Sequence[Value]) -> bool:
    return any(compare(other, value) == "same" for other in others)


def _on_topic(statement: Statement, asked: Asked) -> bool:
    """On the question's topic, or without one of its own, or nothing was asked."""
    return not asked.about or not statement.topics or not asked.about.isdisjoint(statement.told)


def _best(found: Sequence[Finding]) -> Finding:
    """Supported anywhere; else contradicted where the topic is; else what speaks most of it."""
    for label in ("supported", "contradicted"):
        for finding in found:
            if finding.label == label:
                return finding
    return max(found, key=lambda finding: RANK[finding.mention], default=NOTHING)
