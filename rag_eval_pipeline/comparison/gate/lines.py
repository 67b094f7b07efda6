"""A decision as lines of text: the cases that fail first, then the rules."""

from __future__ import annotations

from rag_eval_pipeline.comparison.gate.decide import NOT_APPLICABLE, Decision, GatedCase
from rag_eval_pipeline.reading.errors import visible

CASE_IDS = 10
LENGTH = 200
_SPACES = frozenset("\t\n\r\x0b\x0c\x85\u2028\u2029")
_LABELS = {
    "failed": "FAIL",
    "undecided": "OPEN",
    "warned": "WARN",
    "passed": "pass",
    "not_applicable": "none",
}


def text_lines(decision: Decision, *, every_rule: bool = True) -> list[str]:
    """Lines for a terminal or a log, none of which holds more than one line.

    Cases first, failing before open before warned, then rules in the same order, then the cases
    no rule on pairs sees, then the sum. `every_rule=False` leaves out rules that have nothing to
    say.
    """
    lines = [f"{_LABELS[case.outcome]} case {case_line(case)}" for case in decision.cases]
    lines += [
        f"{_LABELS[each.outcome]} rule {one_line(each.rule)}: {one_line(each.reason, LENGTH)}"
        for each in decision.outcomes
        if every_rule or each.outcome != NOT_APPLICABLE
    ]
    lines += [f"note {one_line(text, 2 * LENGTH)}" for text in decision.notes]
    lines += [f"note not compared, {why}: {some_ids(ids)}" for why, ids in decision.left_out]
    lines.append(
        f"Gate by {one_line(decision.policy)}: {one_line(decision.pair)}: {decision.sentence}. "
        f"Exit code {decision.exit_code}."
    )
    return lines


def case_line(case: GatedCase) -> str:
    """One case: id, risk, axes, what happened, why, and the rules it breaks."""
    line = (
        f"{one_line(case.case_id)} (risk {one_line(case.risk)}; {', '.join(case.axes)}): "
        f"{case.said}"
    )
    if case.reason:
        line += f"; {one_line(case.reason, LENGTH)}"
    if case.rules:
        line += f" [{', '.join(one_line(rule) for rule in case.rules)}]"
    return line


def some_ids(case_ids: tuple[str, ...]) -> str:
    """The first ids on one line, and how many more there are."""
    shown = ", ".join(one_line(case_id) for case_id in case_ids[:CASE_IDS])
    more = len(case_ids) - CASE_IDS
    return f"{shown} and {more} more" if more > 0 else shown


def one_line(text: str, length: int = 0) -> str:
    """The text on one line without characters that move or hide text, cut to a length over 0.

    `##[` is broken up: runners of continuous integration take it for a command wherever it stands.
    """
    if length and len(text) > length:
        text = text[: length - 1] + "…"
    clean = "".join(" " if char in _SPACES else visible(char) for char in text)
    return clean.replace("##[", "## [")
