"""Trials of a case: equal rows are one, one trial twice is none, the others are numbered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Attempt:
    """A row that answers a case: its line and hash, its trial if it names one, notes added."""

    line: int
    row_hash: str
    case_id: str
    trial: int | None
    flags: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the row on a line does not count: code, field and reason as in quarantine."""

    line: int
    code: str
    field: str | None
    reason: str


def number_trials(attempts: Iterable[Attempt]) -> tuple[list[Attempt], list[Refusal]]:
    """Give every attempt its trial; equal rows count once, one trial twice is refused twice.

    Rows without a trial take the free numbers in the order of their hashes.
    """
    by_case: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        by_case.setdefault(attempt.case_id, []).append(attempt)
    kept: list[Attempt] = []
    refused: list[Refusal] = []
    for case_id, of_case in by_case.items():
        if len(of_case) > 1:
            of_case = _without_duplicates(of_case, refused)
            of_case = _without_clashes(case_id, of_case, refused)
        taken = {each.trial for each in of_case}
        unnumbered = sorted(
            (each for each in of_case if each.trial is None), key=lambda each: each.row_hash
        )
        number = 0
        for attempt in unnumbered:
            number += 1
            while number in taken:
                number += 1
            attempt.trial = number
            if len(of_case) > 1:
                attempt.flags.append("trial:by_row_hash")
        kept.extend(of_case)
    return kept, refused


def _without_duplicates(of_case: list[Attempt], refused: list[Refusal]) -> list[Attempt]:
    first: dict[str, Attempt] = {}
    for attempt in of_case:
        kept = first.setdefault(attempt.row_hash, attempt)
        if kept is attempt:
            continue
        if "exact_duplicate" not in kept.flags:
            kept.flags.append("exact_duplicate")
        reason = f"found the row of line {kept.line} again; it counts once"
        refused.append(Refusal(attempt.line, "exact_duplicate", None, reason))
    return list(first.values())


def _without_clashes(case_id: str, of_case: list[Attempt], refused: list[Refusal]) -> list[Attempt]:
    by_trial: dict[int, list[Attempt]] = {}
    for attempt in of_case:
        if attempt.trial is not None:
            by_trial.setdefault(attempt.trial, []).append(attempt)
    clashing = {trial for trial, same in by_trial.items() if len(same) > 1}
    for trial in sorted(clashing):
        lines = ", ".join(str(each.line) for each in by_trial[trial])
        reason = (
            f"found trial {trial} of case {case_id!r} on lines {lines} with different "
            "contents; expected one row a trial; number them apart"
        )
        refused.extend(
            Refusal(each.line, "duplicate_trial", "trial", reason) for each in by_trial[trial]
        )
    return [each for each in of_case if each.trial is None or each.trial not in clashing]
