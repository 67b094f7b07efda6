"""Whether a pair may be compared, and the row of `comparisons` that says so (R9)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from rag_eval_pipeline.comparison.pairs import Pair
from rag_eval_pipeline.comparison.regressions import Core
from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.reading.fingerprint import hash_json


@dataclass(frozen=True, slots=True)
class Standing:
    """compared, refused or no_baseline, with the reason for programs and people."""

    state: str
    reason_code: str
    reason: str


def refusal(pair: Pair, split: Core, *, min_core: float) -> Standing | None:
    """Why the pair may not be compared; None where it may.

    No baseline, or refused: a run against itself, a draft against a frozen version, a core that is
    empty or under `min_core` of the candidate's approved cases, any difference of the references
    where the pair was asked for as identical, and a baseline whose items are gone.
    """
    candidate, baseline = pair.candidate, pair.baseline
    if baseline is None:
        state = "refused" if pair.reason_code == "baseline_gone" else "no_baseline"
        return Standing(state, pair.reason_code, pair.reason)
    if baseline.run_id == candidate.run_id:
        return Standing("refused", "same_run", "a run is not compared with itself")
    if baseline.draft and not candidate.draft:
        return Standing(
            "refused",
            "draft_baseline",
            f"the baseline's dataset version {baseline.dataset_version} is a draft, the "
            "candidate's is frozen",
        )
    n_cases, kept = split.n_candidate_cases, len(split.unchanged)
    differing = [
        f"{name} {there} → {here}"
        for name, there, here in (
            ("dataset version", baseline.dataset_version, candidate.dataset_version),
            ("dataset hash", baseline.dataset_hash[:12], candidate.dataset_hash[:12]),
            ("snapshot", baseline.snapshot_id, candidate.snapshot_id),
        )
        if there != here
    ]
    if pair.require_identical and differing:
        return Standing(
            "refused",
            "not_identical",
            f"the references differ ({', '.join(differing)}): {kept} of {n_cases} cases are "
            "unchanged",
        )
    drifted = f"; {len(split.evidence_drifted)} drifted" if split.evidence_drifted else ""
    if kept == 0:
        return Standing("refused", "empty_core", f"no case is unchanged on both sides{drifted}")
    if kept / n_cases < min_core:
        return Standing(
            "refused",
            "core_too_small",
            f"{kept} of {n_cases} cases are unchanged, under the {min_core:.0%} asked for{drifted}",
        )
    return None


def standing(split: Core, *, n_measured: int, n_eligible: int, min_measured: float) -> Standing:
    """What a pair that is not refused rests on.

    Parameters
    ----------
    n_measured
        Cases of the headline that are measured as a whole on both sides.
    n_eligible
        Cases of the headline that could be: on the core, applicable and not held out.
    min_measured
        Share of the latter that must be measured; under it there is insufficient data.
    """
    cases = f"{len(split.unchanged)} of {split.n_candidate_cases} cases"
    if n_eligible == 0:
        return Standing(
            "insufficient_data",
            "no_headline_case",
            f"no case of the headline can be paired: {cases} are unchanged",
        )
    measured = f"{n_measured} of the headline's {n_eligible} are measured on both sides"
    if n_measured == 0:
        return Standing(
            "insufficient_data",
            "no_measured_pair",
            f"none of the headline's {n_eligible} unchanged cases is measured on both sides",
        )
    if n_measured / n_eligible < min_measured:
        return Standing(
            "insufficient_data",
            "too_few_measured",
            f"{measured}, under the {min_measured:.0%} asked for",
        )
    also = "" if n_measured == len(split.unchanged) else f"; {measured}"
    return Standing("compared", "compared", f"compared on {cases}{also}")


def comparison_row(
    pair: Pair,
    split: Core,
    result: Standing,
    differing: Sequence[str],
    *,
    compared_at: dt.datetime,
    notes: Sequence[str] = (),
    system_errors: Sequence[str] = (),
    flaky: Sequence[str] = (),
) -> dict[str, object]:
    """The pair's row of the table `comparisons`; `system_errors` and `flaky` are case ids."""
    candidate, baseline = pair.candidate, pair.baseline
    return {
        "dataset_version": candidate.dataset_version,
        "comparison_id": pair.comparison_id,
        "candidate_run": candidate.run_id,
        "baseline_run": pair.baseline_run,
        "rubric_version": pair.rubric_version,
        "baseline_rule": pair.rule,
        "state": result.state,
        "reason_code": result.reason_code,
        "reason": result.reason,
        "core_case_ids": list(split.unchanged),
        "core_hash": hash_json(list(split.unchanged)),
        "n_core": len(split.unchanged),
        "n_candidate_cases": split.n_candidate_cases,
        "candidate_dataset_hash": candidate.dataset_hash,
        "candidate_run_hash": candidate.run_hash,
        "candidate_snapshot_id": candidate.snapshot_id,
        "baseline_dataset_version": baseline.dataset_version if baseline else None,
        "baseline_dataset_hash": baseline.dataset_hash if baseline else None,
        "baseline_run_hash": baseline.run_hash if baseline else None,
        "baseline_snapshot_id": baseline.snapshot_id if baseline else None,
        "measure_version": MEASURE_VERSION,
        "differences": list(differing),
        "notes": list(notes),
        "system_error_case_ids": list(system_errors),
        "flaky_case_ids": list(flaky),
        "compared_at": compared_at,
        "superseded_at": None,
    }
