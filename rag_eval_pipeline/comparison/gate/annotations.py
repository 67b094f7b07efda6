"""A decision as workflow commands, which GitHub shows as annotations of a run."""

from __future__ import annotations

from collections.abc import Sequence

from rag_eval_pipeline.comparison.gate.decide import FAILED, UNDECIDED, WARNED, Decision
from rag_eval_pipeline.comparison.gate.lines import case_line, one_line, some_ids

MOST = 10
"""GitHub shows so many annotations of one level for a step."""

TITLE = "RAG evaluation gate"
_LENGTH = 1000
_LEVELS = {FAILED: "error", UNDECIDED: "error", WARNED: "warning"}


def annotation_lines(*decisions: Decision) -> list[str]:
    """Lines `::error …::` and `::warning …::`: the cases first, then the rules, then the sums.

    Rules that hold give none. At most `MOST` of a level over all decisions; of what is left out
    the number is told. Where there are several, each line names its pair.
    """
    several = len(decisions) > 1
    rows = [
        (_LEVELS[case.outcome], "case", _of(decision, case_line(case), several))
        for decision in decisions
        for case in decision.cases
    ]
    for decision in decisions:
        for each in decision.outcomes:
            if each.outcome in _LEVELS:
                ids = f" ({some_ids(each.case_ids)})" if each.case_ids else ""
                text = _of(decision, f"{each.rule}: {each.reason}{ids}", several)
                rows.append((_LEVELS[each.outcome], "rule", text))
    lines = []
    for level in ("error", "warning"):
        lines += _capped(level, [(kind, text) for own, kind, text in rows if own == level])
    sums = [_of(decision, decision.sentence, several) for decision in decisions]
    lines += [_command("notice", TITLE, text) for text in sums[:MOST]]
    return lines


def _of(decision: Decision, text: str, several: bool) -> str:
    return f"{decision.pair}: {text}" if several else text


def _capped(level: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    kept = rows if len(rows) <= MOST else rows[: MOST - 1]
    lines = [_command(level, f"{TITLE}: {kind}", text) for kind, text in kept]
    if len(rows) > len(kept):
        text = f"{len(rows) - len(kept)} more are in the log"
        lines.append(_command(level, TITLE, text))
    return lines


def _command(level: str, title: str, message: str) -> str:
    return f"::{level} title={_property(title)}::{_message(one_line(message, _LENGTH))}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
