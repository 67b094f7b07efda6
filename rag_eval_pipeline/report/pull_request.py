"""A gate's decision as a comment on a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from rag_eval_pipeline.comparison.gate.decide import NOT_APPLICABLE, PASSED, Decision
from rag_eval_pipeline.reading.sanitise import sanitise_text
from rag_eval_pipeline.report.markdown import cell, escape

MARKER = "<!-- rag-eval gate -->"
"""First line of the comment, by which a workflow finds and replaces it."""

# A comment holds 65,536 characters; escaping can make a cell many times longer.
_CASES_LENGTH, _LOUD_LENGTH, _QUIET_LENGTH = 30_000, 20_000, 10_000
_CASE_COLUMNS = ("case", "outcome", "risk", "axes", "what", "why", "rules")
_RULE_COLUMNS = ("rule", "outcome", "why", "cases")


def pull_request_comment(decision: Decision) -> str:
    """Markdown: the sentence, the cases that fail, the rules; those that hold are folded away.

    Rows that would make the comment too long are left out, and how many is said.
    """
    against = f" against {_safe(decision.baseline_run)}" if decision.baseline_run else ""
    parts = [
        MARKER,
        f"### RAG evaluation gate: {_safe(decision.sentence)}",
        f"{_safe(decision.candidate_run)}{against}, by {_safe(decision.policy)}.",
    ]
    cases = [
        (case.case_id, case.outcome, case.risk, case.axes, case.said, case.reason, case.rules)
        for case in decision.cases
    ]
    if cases:
        parts += _table(_CASE_COLUMNS, cases, _CASES_LENGTH)
    rules: dict[bool, list[tuple[object, ...]]] = {True: [], False: []}
    for each in decision.outcomes:
        row = (each.rule, each.outcome.replace("_", " "), each.reason, each.case_ids)
        rules[each.outcome in (PASSED, NOT_APPLICABLE)].append(row)
    if rules[False]:
        parts += _table(_RULE_COLUMNS, rules[False], _LOUD_LENGTH)
    if rules[True]:
        parts += [
            f"<details><summary>Rules without complaint: {len(rules[True])}</summary>",
            *_table(_RULE_COLUMNS, rules[True], _QUIET_LENGTH),
            "</details>",
        ]
    return "\n\n".join(parts) + "\n"


def _table(columns: Sequence[str], rows: Sequence[tuple[object, ...]], length: int) -> list[str]:
    """The table, and behind it how many rows did not fit."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    left = length
    for row in rows:
        line = "| " + " | ".join(_cell(value) for value in row) + " |"
        left -= len(line)
        if left < 0:
            break
        lines.append(line)
    more = len(rows) - len(lines) + 2
    return ["\n".join(lines), *([f"{more} more are in the log."] if more else [])]


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        value = ", ".join(value)
    return cell(_storable(value)) if isinstance(value, str) else cell(value)


def _safe(text: str) -> str:
    return escape(_storable(text))


def _storable(text: str) -> str:
    """A lone half of a surrogate pair cannot be written to any file."""
    return sanitise_text(text)
