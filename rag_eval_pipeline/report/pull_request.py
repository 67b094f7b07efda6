"""Decisions of a gate as a comment on a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from rag_eval_pipeline.comparison.gate.decide import (
    FAIL,
    INSUFFICIENT,
    NOT_APPLICABLE,
    PASS,
    PASSED,
    Decision,
    worst,
)
from rag_eval_pipeline.comparison.gate.facts import SliceFacts
from rag_eval_pipeline.reading.sanitise import sanitise_text
from rag_eval_pipeline.report.markdown import cell, escape

MARKER = "<!-- rag-eval gate -->"
"""First line of the comment, by which a workflow finds and replaces it."""

_LENGTH = 62_000
"""A comment holds 65,536 characters; escaping can make a cell many times longer."""

_LEAST = 1_500
"""Under so many characters a decision is told by its sentence alone."""

_TITLES = {FAIL: "blocked", INSUFFICIENT: "not decided", PASS: "passed"}
_CASE_COLUMNS = ("case", "outcome", "risk", "axes", "what", "why", "rules")
_RULE_COLUMNS = ("rule", "outcome", "why", "cases")
_VERDICT_COLUMNS = ("axis", "n", "before", "after", "points", "95 % interval", "p", "verdict")


def pull_request_comment(*decisions: Decision) -> str:
    """Markdown: per decision the sentence, the cases that fail, the verdicts, then the rules.

    Rules that hold are folded away. Rows that would make the comment too long are left out, and
    how many is said; decisions share the room, so they should come worst first.
    """
    exit_code = worst(decision.exit_code for decision in decisions)
    if len(decisions) == 1:
        title = decisions[0].sentence
    else:
        n = sum(decision.exit_code == PASS for decision in decisions)
        title = f"{_TITLES[exit_code]}: {n} of {len(decisions)} comparisons passed"
    parts = [MARKER, f"### RAG evaluation gate: {_safe(title)}"]
    left = _LENGTH
    for number, decision in enumerate(decisions):
        room = left // (len(decisions) - number)
        section = _section(decision, room, several=len(decisions) > 1)
        left -= sum(map(len, section)) + 2 * len(section)
        if left < 0:
            parts.append(f"{len(decisions) - number} more comparisons are in the log.")
            break
        parts += section
    return "\n\n".join(parts) + "\n"


def _section(decision: Decision, room: int, *, several: bool) -> list[str]:
    against = f" against {_name(decision.baseline_run)}" if decision.baseline_run else ""
    of = f"{_name(decision.dataset_version)}: " if decision.dataset_version else ""
    who = f"{of}{_name(decision.candidate_run or 'no run')}{against}"
    parts = [f"#### {who}: {_safe(decision.sentence)}"] if several else [f"{who}."]
    if room < _LEAST:
        return parts
    scored = f", scored by {_name(decision.rubric_version)}" if decision.rubric_version else ""
    parts.append(f"Policy: {_name(decision.policy)}{scored}.")
    # Of the room that is left: cases most, rules that complain, what is only for the curious.
    cases_room, loud_room, quiet_room = (room * share // 100 for share in (45, 25, 10))
    cases = [
        (case.case_id, case.outcome, case.risk, case.axes, case.said, case.reason, case.rules)
        for case in decision.cases
    ]
    if cases:
        parts += _table(_CASE_COLUMNS, cases, cases_room)
    if decision.verdicts:
        parts += _table(_VERDICT_COLUMNS, [_verdict(row) for row in decision.verdicts], quiet_room)
    rules: dict[bool, list[tuple[object, ...]]] = {True: [], False: []}
    for each in decision.outcomes:
        row = (each.rule, each.outcome.replace("_", " "), each.reason, each.case_ids)
        rules[each.outcome in (PASSED, NOT_APPLICABLE)].append(row)
    if rules[False]:
        parts += _table(_RULE_COLUMNS, rules[False], loud_room)
    lists: list[tuple[str, tuple[str, ...]]] = [("Note", (note,)) for note in decision.notes]
    lists.append(("What differs beside the answers", decision.differences))
    lists += [(f"Not compared, {why}", ids) for why, ids in decision.left_out]
    parts += _lists([(title, texts) for title, texts in lists if texts], quiet_room)
    if rules[True]:
        parts += [
            f"<details><summary>Rules without complaint: {len(rules[True])}</summary>",
            *_table(_RULE_COLUMNS, rules[True], quiet_room),
            "</details>",
        ]
    return parts


def _lists(rows: Sequence[tuple[str, Sequence[str]]], length: int) -> list[str]:
    """A paragraph each, as many as fit."""
    lines: list[str] = []
    left = length
    for title, texts in rows:
        line = f"{title}: {cell(_storable(', '.join(texts)), 400)}"
        left -= len(line)
        if left < 0:
            return [*lines, f"{len(rows) - len(lines)} more notes are in the log."]
        lines.append(line)
    return lines


class _Figure(str):
    """A number as text, which nothing in it needs to be escaped."""

    __slots__ = ()


def _verdict(row: SliceFacts) -> tuple[object, ...]:
    """One axis: means in hundredths, the difference in points."""
    low, high = _points(row.low, "+"), _points(row.high, "+")
    return (
        row.axis,
        row.n_pairs,
        _points(row.baseline),
        _points(row.candidate),
        _points(row.difference, "+"),
        None if low is None or high is None else _Figure(f"{low} to {high}"),
        None if row.p_value is None else _Figure(f"{row.p_value:.3g}"),
        None if row.verdict is None else row.verdict.replace("_", " "),
    )


def _points(share: float | None, sign: str = "") -> _Figure | None:
    """Hundredths; a sign only where they do not round to zero."""
    if share is None:
        return None
    points = round(100 * share, 1)
    return _Figure(f"{points:{sign}.1f}" if points else "0.0")


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
    if isinstance(value, _Figure):
        return value
    if isinstance(value, tuple):
        value = ", ".join(value)
    return cell(_storable(value)) if isinstance(value, str) else cell(value)


def _safe(text: str) -> str:
    return escape(_storable(text))


def _name(text: str) -> str:
    """An id or path, cut so that no name fills the comment."""
    return cell(_storable(text))


def _storable(text: str) -> str:
    """A lone half of a surrogate pair cannot be written to any file."""
    return sanitise_text(text)
