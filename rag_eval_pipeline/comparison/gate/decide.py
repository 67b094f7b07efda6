"""Whether a candidate passes the gate, rule by rule (R9).

A rule fails on what is known. What is not known never counts as a pass: a rule that an open case
or a figure that was not logged could still break is undecided. Count rules work at any n, also on
the lists of a comparison that was refused; drop rules need the verdict.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rag_eval_pipeline.comparison.gate.facts import (
    CaseFacts,
    GateFacts,
    RunFigures,
    SliceFacts,
    in_slice,
)
from rag_eval_pipeline.comparison.gate.policy import WHOLE, Policy, Rule, Scope

PASS, FAIL, INSUFFICIENT = 0, 1, 3
"""Exit codes of a gate."""

FAILED, UNDECIDED, WARNED, PASSED, NOT_APPLICABLE = OUTCOMES = (
    "failed",
    "undecided",
    "warned",
    "passed",
    "not_applicable",
)
_RISKS = {"high": 0, "medium": 1, "low": 2}
_FIRST = ("no_earlier_run", "is_baseline")
"""Why a run has no baseline though nothing is wrong."""
_TODO = {
    "no_earlier_run": "run the gate again when there is a second run, name two runs, or set "
    "`allow_no_baseline: yes` in the policy",
    "is_baseline": "gate another run, name two runs, or set `allow_no_baseline: yes` in the policy",
    "pinned_absent": "take that run in, or correct `baseline` in dataset.yaml",
    "baseline_gone": "take that run in again, or name another",
}
# Arithmetic on floats may not decide at a limit: 0.02 is two points and not a hair more.
_DIGITS = 9
_NO_CASE = "no case is gated: all are for development, retired, or in doubt"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one rule; `case_ids` are those that broke it or leave it open."""

    rule: str
    outcome: str
    reason: str
    case_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GatedCase:
    """A case the decision speaks of.

    `outcome` is failed (it breaks a rule), undecided (it leaves one open) or warned (it began to
    fail, and the policy lets it); `rules` are the names of those rules.
    """

    case_id: str
    outcome: str
    risk: str
    axes: tuple[str, ...]
    said: str
    reason: str
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """Exit code, one sentence, the cases (failing first) and every rule (failed first).

    `verdicts` are the rows of the whole, per axis; `differences`, `notes` and `left_out` are as in
    the facts.
    """

    exit_code: int
    sentence: str
    candidate_run: str
    baseline_run: str | None
    policy: str
    cases: tuple[GatedCase, ...]
    outcomes: tuple[Outcome, ...]
    dataset_version: str = ""
    rubric_version: str = ""
    verdicts: tuple[SliceFacts, ...] = ()
    differences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def pair(self) -> str:
        """Dataset version, candidate and baseline, as one name."""
        of = f"{self.dataset_version}: " if self.dataset_version else ""
        return f"{of}{self.candidate_run or 'no run'} against {self.baseline_run or 'no baseline'}"


def worst(exit_codes: Iterable[int]) -> int:
    """The exit code of several decisions: one that failed outranks one that is not decided."""
    found = set(exit_codes)
    return next(code for code in (FAIL, INSUFFICIENT, PASS) if code in found or code == PASS)


def decide(policy: Policy, facts: GateFacts) -> Decision:
    """Hold the facts against the policy.

    Returns
    -------
    Exit code 1 if a rule failed, else 3 if one is undecided, else 0. A comparison that was
    refused, that had no baseline or too little data leaves the rule `comparable` undecided, so
    that it never exits 0, unless the policy lets a first run pass. What is missing or open is
    told by the rule `complete`, and a change of mix by the rule `mix`, where there is any.
    """
    first = (
        policy.allow_no_baseline and facts.state == "no_baseline" and facts.reason_code in _FIRST
    )
    outcomes = [_comparable(facts, first=first), *_identical(policy, facts)]
    outcomes += [*_complete(policy, facts, first=first), *_mix(facts)]
    outcomes += [
        Outcome(rule.name, NOT_APPLICABLE, "there is no baseline yet")
        if first and _needs_baseline(rule)
        else _judge(rule, facts)
        for rule in policy.rules
    ]
    outcomes.sort(key=lambda each: OUTCOMES.index(each.outcome))
    found = {each.outcome for each in outcomes}
    exit_code = FAIL if FAILED in found else INSUFFICIENT if UNDECIDED in found else PASS
    return Decision(
        exit_code=exit_code,
        sentence=_sentence(exit_code, outcomes),
        candidate_run=facts.candidate_run,
        baseline_run=facts.baseline_run,
        policy=policy.source,
        cases=_cases(facts, outcomes),
        outcomes=tuple(outcomes),
        dataset_version=facts.dataset_version,
        rubric_version=facts.rubric_version,
        verdicts=tuple(row for row in facts.slices if row.dimension == WHOLE),
        differences=facts.differences,
        notes=facts.notes,
        left_out=facts.left_out,
    )


def _comparable(facts: GateFacts, *, first: bool) -> Outcome:
    if facts.state == "compared":
        if not facts.known_slices:
            return Outcome("comparable", UNDECIDED, _NO_CASE)
        return Outcome("comparable", PASSED, facts.reason or f"compared on {facts.n_core} cases")
    state = facts.state.replace("_", " ")
    said = f"{state}: {facts.reason or 'nothing was compared'}"
    if first and facts.known_slices:
        return Outcome("comparable", WARNED, f"{said}; the policy lets it pass")
    todo = _TODO.get(facts.reason_code)
    return Outcome("comparable", UNDECIDED, f"{said}; to do: {todo}" if todo else said)


def _complete(policy: Policy, facts: GateFacts, *, first: bool) -> list[Outcome]:
    """What the candidate has no result for. Without pairs, `min_measured` is held against it."""
    mine = [
        case
        for case in facts.cases
        if case.axis == "overall"
        and case.in_headline
        and (case.candidate_state == "missing" or case.is_open)
    ]
    if not mine:
        return []
    ids = _ids(mine)
    missing = sum(case.candidate_state == "missing" for case in mine)
    said = f"{missing} missing and {len(mine) - missing} open of {facts.n_cases} cases"
    limit = next(
        (rule.limit for rule in policy.rules if rule.name == "min_measured of overall"), 0.0
    )
    measured = round((facts.n_cases - len(mine)) / max(facts.n_cases, 1), _DIGITS)
    if first and (measured <= 0 or measured < limit):
        return [Outcome("complete", UNDECIDED, f"{said}; {limit:.0%} measured wanted", ids)]
    return [Outcome("complete", WARNED, said, ids)]


def _mix(facts: GateFacts) -> list[Outcome]:
    """The paradox of a mix: the whole moved one way, every slice of a dimension the other (R9)."""
    axes = sorted({row.axis for row in facts.slices if row.simpson})
    if not axes:
        return []
    said = (
        f"{', '.join(axes)}: the whole moved one way and every slice of a dimension the other; "
        "the mix of cases changed, so the whole is no news"
    )
    return [Outcome("mix", WARNED, said)]


def _identical(policy: Policy, facts: GateFacts) -> list[Outcome]:
    if not policy.require_identical:
        return []
    if facts.reference_differences:
        return [Outcome("require_identical", UNDECIDED, "; ".join(facts.reference_differences))]
    if facts.baseline_run is None or facts.state == "no_baseline":
        return [Outcome("require_identical", UNDECIDED, "there is no baseline")]
    return [Outcome("require_identical", PASSED, "both sides have the same reference")]


def _needs_baseline(rule: Rule) -> bool:
    if rule.scope is None:
        return _FIGURES[rule.key].change is not None
    return rule.key != "must_pass"


def _judge(rule: Rule, facts: GateFacts) -> Outcome:
    if rule.scope is None:
        return _figure(rule, facts)
    unknown = _unknown_slice(rule, rule.scope, facts)
    if unknown is not None:
        return unknown
    return _OF_SLICE[rule.key](rule, rule.scope, facts)


def _unknown_slice(rule: Rule, scope: Scope, facts: GateFacts) -> Outcome | None:
    """A slice no case is in: a slip of the pen in the file, nothing to say of a default."""
    if scope.dimension == WHOLE or (scope.dimension, scope.slice) in facts.known_slices:
        return None
    if not rule.written:
        return Outcome(rule.name, NOT_APPLICABLE, "no case is in this slice")
    values = sorted(
        value for dimension, value in facts.known_slices if dimension == scope.dimension
    )
    close = difflib.get_close_matches(scope.slice, values, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f"; there are: {_listed(values)}"
    return Outcome(rule.name, UNDECIDED, f"no case is in this slice{hint}")


def _max_drop(rule: Rule, scope: Scope, facts: GateFacts) -> Outcome:
    row = _row(scope, facts)
    missing = _without_pairs(rule, scope, row, facts)
    if missing is not None:
        return missing
    if row is None:
        return Outcome(rule.name, UNDECIDED, "no verdict")
    told = _told(row)
    if row.verdict is None:
        few = "too few for a verdict; count rules work at any n"
        return Outcome(rule.name, UNDECIDED, f"{told}: {few}")
    if row.verdict == "insufficient_data":
        return Outcome(rule.name, UNDECIDED, told)
    if row.verdict == "inconclusive":
        return Outcome(rule.name, UNDECIDED if rule.conclusive else WARNED, told)
    if row.verdict != "worse":
        return Outcome(rule.name, PASSED, told)
    drop = None if row.difference is None else round(-100 * row.difference, _DIGITS)
    regressed = _regressed(scope, facts)
    if drop is not None and drop <= rule.limit:
        said = f"{told}; within the {rule.limit:g} points allowed"
        return Outcome(rule.name, WARNED, said, regressed)
    return Outcome(rule.name, FAILED, f"{told}; {rule.limit:g} points allowed", regressed)


def _without_pairs(
    rule: Rule, scope: Scope, row: SliceFacts | None, facts: GateFacts
) -> Outcome | None:
    """What to say of a rule on pairs where there are none; a default then says nothing.

    Why nothing was compared is told by the rule `comparable`.
    """
    # The overall result applies to every case: without pairs of it nothing was compared.
    needed = rule.written or scope.axis == "overall"
    outcome = UNDECIDED if needed else NOT_APPLICABLE
    if facts.state != "compared":
        return Outcome(rule.name, outcome, "nothing was compared")
    if (row.n_core == 0) if row is not None else bool(facts.slices):
        return Outcome(rule.name, outcome, "applies to no case compared")
    return None


def _max_new_failures(rule: Rule, scope: Scope, facts: GateFacts) -> Outcome:
    if facts.n_core == 0:
        return Outcome(rule.name, UNDECIDED, "no case could be held against a baseline")
    failing = _regressed(scope, facts)
    possible = _ids(case for case in _in(scope, facts) if case.may_be_new_failure)
    said = f"passed before and fails now: {_n(failing, 'case')}; {rule.limit:g} allowed"
    if len(failing) > rule.limit:
        return Outcome(rule.name, FAILED, said, failing)
    if len(failing) + len(possible) > rule.limit:
        return Outcome(
            rule.name,
            UNDECIDED,
            f"{said}; not measured on both sides, so perhaps more: {_n(possible, 'case')}",
            possible,
        )
    return Outcome(rule.name, PASSED, said)


def _min_measured(rule: Rule, scope: Scope, facts: GateFacts) -> Outcome:
    row = _row(scope, facts)
    missing = _without_pairs(rule, scope, row, facts)
    if missing is not None:
        return missing
    if row is None:
        return Outcome(rule.name, UNDECIDED, "nothing is measured on both sides")
    share = round(row.n_pairs / row.n_core, _DIGITS)
    said = f"{row.n_pairs} of {row.n_core} cases measured on both sides; {rule.limit:.0%} wanted"
    if share < rule.limit:
        changes = ("unmeasured", "missing")
        open_ = _ids(case for case in _in(scope, facts) if case.change in changes)
        return Outcome(rule.name, UNDECIDED, said, open_)
    return Outcome(rule.name, PASSED, said)


def _must_pass(rule: Rule, scope: Scope, facts: GateFacts) -> Outcome:
    failing = _ids(case for case in _in(scope, facts) if case.fails)
    open_ = _ids(case for case in _in(scope, facts) if case.is_open)
    if failing:
        return Outcome(rule.name, FAILED, f"does not pass: {_n(failing, 'case')}", failing)
    if open_:
        return Outcome(rule.name, UNDECIDED, f"open: {_n(open_, 'case')}", open_)
    if not facts.known_slices:
        return Outcome(rule.name, UNDECIDED, _NO_CASE)
    return Outcome(rule.name, PASSED, "every case passes")


_OF_SLICE: dict[str, Callable[[Rule, Scope, GateFacts], Outcome]] = {
    "max_drop": _max_drop,
    "max_new_failures": _max_new_failures,
    "min_measured": _min_measured,
    "must_pass": _must_pass,
}


@dataclass(frozen=True, slots=True)
class _Figure:
    """How a key of `run` reads a figure: as it is, or its change in points or percent."""

    figure: str
    told: str
    change: str | None = None
    lowest: bool = False


_FIGURES = {
    "max_missing": _Figure("n_missing", "cases missing"),
    "max_system_errors": _Figure("n_system_errors", "items with a system error"),
    "max_error_rate": _Figure("error_rate", "share of items with a system error"),
    "max_error_rate_rise": _Figure("error_rate", "error rate", "points"),
    "min_citation_rate": _Figure("citation_rate", "share of items with a citation", lowest=True),
    "max_citation_rate_drop": _Figure("citation_rate", "citation rate", "points", lowest=True),
    "max_latency_p50_ms": _Figure("latency_p50_ms", "median latency in ms"),
    "max_latency_p50_rise": _Figure("latency_p50_ms", "median latency", "percent"),
    "max_latency_p95_ms": _Figure("latency_p95_ms", "95th percentile of latency in ms"),
    "max_latency_p95_rise": _Figure("latency_p95_ms", "95th percentile of latency", "percent"),
    "max_cost_usd": _Figure("cost_usd", "cost in USD"),
    "max_cost_per_item_usd": _Figure("cost_per_item_usd", "cost of an item in USD"),
    "max_cost_per_item_rise": _Figure("cost_per_item_usd", "cost of an item", "percent"),
}


def _figure(rule: Rule, facts: GateFacts) -> Outcome:
    how = _FIGURES[rule.key]
    if how.change is None:
        return _absolute(rule, how, facts.candidate)
    now, before = _value(facts.pair_candidate, how), _value(facts.pair_baseline, how)
    if now is None:
        return _unknown(rule, how, facts.pair_candidate, "candidate")
    if before is None:
        return _unknown(rule, how, facts.pair_baseline, "baseline")
    rise = before - now if how.lowest else now - before
    said = f"{how.told}: {before:.6g} → {now:.6g}"
    if how.change == "points":
        moved = round(100 * rise, _DIGITS)
        return _moved(rule, moved, f"{said}, {abs(moved):.4g} points")
    if before == 0:
        # No percentage leads away from zero: any rise is beyond every limit.
        return Outcome(rule.name, FAILED if rise > 0 else PASSED, said)
    moved = round(100 * rise / before, _DIGITS)
    return _moved(rule, moved, f"{said}, {moved:+.4g} %")


def _absolute(rule: Rule, how: _Figure, figures: RunFigures) -> Outcome:
    now = _value(figures, how)
    if now is None:
        return _unknown(rule, how, figures, "candidate")
    broken = now < rule.limit if how.lowest else now > rule.limit
    bound = "at least" if how.lowest else "at most"
    said = f"{how.told}: {now:.6g}; {bound} {rule.limit:g} allowed"
    if how.figure in figures.at_least and not broken:
        return Outcome(rule.name, UNDECIDED, f"{said}; {figures.at_least[how.figure]}")
    return Outcome(rule.name, FAILED if broken else PASSED, said)


def _unknown(rule: Rule, how: _Figure, figures: RunFigures, side: str) -> Outcome:
    why = figures.notes.get(how.figure, f"not logged by the {side}")
    return Outcome(rule.name, UNDECIDED, f"{how.told}: {why}")


def _moved(rule: Rule, moved: float, said: str) -> Outcome:
    outcome = FAILED if moved > rule.limit else PASSED
    return Outcome(rule.name, outcome, f"{said}; at most {rule.limit:g} allowed")


def _value(figures: RunFigures, how: _Figure) -> float | None:
    """The figure; one that is no finite number would pass every comparison, so it is none."""
    value = getattr(figures, how.figure)
    return None if value is None or not math.isfinite(value) else float(value)


def _row(scope: Scope, facts: GateFacts) -> SliceFacts | None:
    return next(
        (
            row
            for row in facts.slices
            if (row.dimension, row.slice, row.axis) == (scope.dimension, scope.slice, scope.axis)
        ),
        None,
    )


def _told(row: SliceFacts) -> str:
    """Verdict with n, difference and p; then the comparison's own sentence, else the interval."""
    parts = [] if row.verdict is None else [row.verdict.replace("_", " ")]
    parts.append(f"n = {row.n_pairs}")
    if row.difference is not None:
        parts.append(f"{_points(row.difference)} points")
    if row.p_value is not None:
        parts.append(f"p = {row.p_value:.3g}")
    if row.low is not None and row.high is not None and not row.told:
        parts.append(f"95 % interval {_points(row.low)} to {_points(row.high)}")
    return ", ".join(parts) + (f"; {row.told}" if row.told else "")


def _points(share: float) -> str:
    """Points with their sign, none where they round to zero."""
    points = round(100 * share, 1)
    return f"{points:+.1f}" if points else "0.0"


def _in(scope: Scope, facts: GateFacts) -> list[CaseFacts]:
    return [
        case
        for case in facts.cases
        if case.axis == scope.axis and in_slice(case, scope.dimension, scope.slice)
    ]


def _regressed(scope: Scope, facts: GateFacts) -> tuple[str, ...]:
    return _ids(case for case in _in(scope, facts) if case.is_new_failure)


def _ids(cases: Iterable[CaseFacts]) -> tuple[str, ...]:
    return tuple(sorted({case.case_id for case in cases}))


def _cases(facts: GateFacts, outcomes: Sequence[Outcome]) -> tuple[GatedCase, ...]:
    """Cases that rules name and cases that began to fail: failing first, high risk first."""
    named: dict[str, dict[str, list[str]]] = {}
    for outcome in outcomes:
        for case_id in outcome.case_ids:
            named.setdefault(case_id, {}).setdefault(outcome.outcome, []).append(outcome.rule)
    by_id: dict[str, list[CaseFacts]] = {}
    for case in facts.cases:
        if case.case_id in named or (case.is_new_failure and case.in_headline):
            by_id.setdefault(case.case_id, []).append(case)
    gated = [_gated(rows, named.get(case_id, {})) for case_id, rows in by_id.items()]
    return tuple(
        sorted(
            gated,
            key=lambda each: (
                OUTCOMES.index(each.outcome),
                _RISKS.get(each.risk, len(_RISKS)),
                each.case_id,
            ),
        )
    )


def _gated(rows: Sequence[CaseFacts], named: dict[str, list[str]]) -> GatedCase:
    outcome = next((each for each in OUTCOMES if each in named), WARNED)
    if any(row.is_new_failure for row in rows):
        said, mine = "passed before, fails now", [row for row in rows if row.is_new_failure]
    elif any(row.candidate_state == "missing" for row in rows):
        # It is missing on every axis: the result as a whole says all there is to say.
        missing = [row for row in rows if row.candidate_state == "missing"]
        said, mine = "missing", [row for row in missing if row.axis == "overall"] or missing
    elif any(row.fails for row in rows):
        said, mine = "fails", [row for row in rows if row.fails]
    else:
        said, mine = "not measured on both sides", list(rows)
    mine.sort(key=lambda row: (row.axis != "overall", row.axis))
    return GatedCase(
        case_id=rows[0].case_id,
        outcome=outcome,
        risk=rows[0].risk,
        axes=tuple(row.axis for row in mine if row.axis != "overall") or ("overall",),
        said=said,
        reason=next((row.reason for row in mine if row.reason), ""),
        rules=tuple(named.get(outcome, ())),
    )


def _sentence(exit_code: int, outcomes: Sequence[Outcome]) -> str:
    counts = {name: sum(each.outcome == name for each in outcomes) for name in OUTCOMES}
    if exit_code == FAIL:
        start = f"blocked: {counts[FAILED]} of {len(outcomes)} rules failed"
    elif exit_code == INSUFFICIENT:
        start = f"not decided: {counts[UNDECIDED]} of {len(outcomes)} rules lack data"
    else:
        start = f"passed: {counts[PASSED]} of {len(outcomes)} rules hold"
    rest = [
        f"{counts[name]} {name}"
        for name in (UNDECIDED, WARNED)
        if counts[name] and not (name == UNDECIDED and exit_code == INSUFFICIENT)
    ]
    return ", ".join([start, *rest])


def _n(ids: Sequence[str], noun: str) -> str:
    return f"{len(ids)} {noun}{'' if len(ids) == 1 else 's'}"


def _listed(values: Sequence[str], most: int = 10) -> str:
    cut = [*values[:most], "…"] if len(values) > most else list(values)
    return ", ".join(cut) or "none"
