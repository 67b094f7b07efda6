"""The author's hints on a claim: wordings that are enough, values that must be there, and neither.

A hint counts only where it is asserted: not in a question, a quotation, a denial, a guess or a
statement that nothing is known, and a bare name not in a refusal either.
"""

from __future__ import annotations

from rag_eval_pipeline.measures.claims.finding import Finding, Label
from rag_eval_pipeline.measures.claims.statements import Parsed, Statement, folded_key, parse
from rag_eval_pipeline.measures.claims.weigh import weigh
from rag_eval_pipeline.text.compare_values import compare
from rag_eval_pipeline.text.values import Value, values


def asserts_wording(wording: str, text: Parsed) -> Statement | None:
    """The statement of a text that asserts a wording, a name or a sentence; null if none does."""
    key = folded_key(wording)
    if not key:
        return None
    read = parse(wording).statements
    for statement in text.statements:
        if not _asserted(statement):
            continue
        if key in folded_key(statement.clause.text) and _same_side(read, statement):
            return statement
        if len(read) == 1 and weigh(read[0], statement).label == "supported":
            return statement
    return None


def asserts_value(value: str, text: Parsed) -> Statement | None:
    """The statement of a text that asserts a value; null if none does."""
    wanted = values(value)
    if not wanted:
        return asserts_wording(value, text)
    for statement in text.statements:
        if _asserted(statement) and all(
            any(_is_there(one, held) for held in statement.values) for one in wanted
        ):
            return statement
    return None


def _is_there(wanted: Value, held: Value) -> bool:
    """A hint names a number; the text may say of it that it is a bound or where it counts from."""
    alike = (wanted.kind, wanted.unit, wanted.n) == (held.kind, held.unit, held.n)
    return compare(wanted, held) == "same" or (alike and wanted.cmp == "eq")


def _asserted(statement: Statement) -> bool:
    marks = statement.force
    return not (statement.quoted or marks.question or marks.absent or marks.hedged or marks.denied)


def _same_side(read: tuple[Statement, ...], statement: Statement) -> bool:
    """A wording with a predicate of its own brings its side along; a bare name must be affirmed."""
    said = {
        (predicate.axis, predicate.sign)
        for part in read
        for predicate in part.predicates
        if not predicate.weak or predicate.sign < 0
    }
    held = {
        (predicate.axis, predicate.sign)
        for predicate in statement.predicates
        if not predicate.weak or predicate.sign < 0
    }
    if said:
        return said <= held
    return not any(axis == "do" and sign < 0 for axis, sign in held)


def hinted(rule: str, statement: Statement) -> Finding:
    """What an asserted hint decides."""
    label: Label = "contradicted" if rule == "hint_not" else "supported"
    return Finding(label, "full", rule, statement)
