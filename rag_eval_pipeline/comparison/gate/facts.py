"""What a gate decides on: the facts of one comparison, of its cases and of both runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import polars as pl

from rag_eval_pipeline.comparison.gate.keys import AXES_AND_OVERALL
from rag_eval_pipeline.comparison.gate.policy import WHOLE

UNCLASSIFIED = "unclassified"
DRIFTED = "evidence_drifted"
DIMENSIONS = ("category", "split", "risk", "language")
# In no denominator: the gold is in doubt, or the axis makes no sense for the case.
_OUTSIDE = ("held_out", "not_applicable")
_NO_PASS = ("missing", "not_applicable")


@dataclass(frozen=True, slots=True)
class SliceFacts:
    """One row of the comparison: a slice (or `all`) and an axis.

    `n_core` counts the cases that could be paired: those of the core without the ones held out or
    not applicable on both sides. `baseline` and `candidate` are means over the pairs; `difference`,
    `low` and `high` are shares, candidate minus baseline; null where nothing is measured.
    `verdict` is one of R9, None for a slice with too few cases for one; `told` is the sentence that
    goes with it. `simpson` tells that the whole moved against every slice of some dimension.
    """

    dimension: str
    slice: str
    axis: str
    n_core: int
    n_pairs: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    verdict: str | None = None
    told: str = ""
    baseline: float | None = None
    candidate: float | None = None
    simpson: bool = False


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """A case and an axis where the candidate does not pass, or where the sides differ.

    `change` is that of `regressions`, None where nothing changed or the case is not on the core.
    `slices` holds the case's value per dimension. A case that does not count in the headline is
    seen by rules on its split alone.
    """

    case_id: str
    axis: str
    slices: Mapping[str, str]
    change: str | None
    baseline_state: str | None
    baseline_passed: bool | None
    candidate_state: str
    candidate_passed: bool | None
    reason: str = ""
    in_headline: bool = True

    @property
    def risk(self) -> str:
        """The case's risk."""
        return self.slices.get("risk", UNCLASSIFIED)

    @property
    def is_new_failure(self) -> bool:
        """Whether it passed before and fails now."""
        return self.change == "regressed"

    @property
    def may_be_new_failure(self) -> bool:
        """Whether what is not known of it could be a new failure.

        What the baseline failed or lacked, or what did not apply there, was no pass; a case held
        out is in no gate.
        """
        if self.change not in ("unmeasured", "missing"):
            return False
        was_no_pass = self.baseline_passed is False or self.baseline_state in _NO_PASS
        held = "held_out" in (self.baseline_state, self.candidate_state)
        return not (was_no_pass or held or self.candidate_passed is True)

    @property
    def fails(self) -> bool:
        """Whether the candidate fails it; a missing case fails (R8)."""
        return self.candidate_state == "missing" or self.candidate_passed is False

    @property
    def is_open(self) -> bool:
        """Whether the candidate's result is open."""
        applies = self.candidate_state not in (*_OUTSIDE, "missing")
        return applies and self.candidate_passed is None


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Figures of one run over the cases that are gated; None where they are not known.

    `notes` says of a figure by name why it is not known. `at_least` names sums to which some items
    logged nothing, and says so: they may break a ceiling but cannot hold one.
    """

    n_missing: int | None = None
    n_system_errors: int | None = None
    error_rate: float | None = None
    citation_rate: float | None = None
    latency_p50_ms: float | None = None
    latency_p95_ms: float | None = None
    cost_usd: float | None = None
    cost_per_item_usd: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    at_least: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GateFacts:
    """Everything a decision needs.

    `state`, `reason_code` and `reason` are those of `comparisons`. `n_core` counts the cases
    compared, `n_cases` the gated ones that the candidate should have a result for. `differences`
    names all that differs between both sides beside the answers; `reference_differences` what of it
    is the reference (dataset hash, snapshot), for `require_identical`. `notes` are what to know of
    the comparison before its numbers. `left_out` are the cases
    that no rule on pairs sees, by why. `known_slices` are all (dimension, slice) of the candidate's
    cases. `candidate` are figures of the whole run; `pair_baseline` and `pair_candidate` are those
    that may be held against each other. Rows and cases speak of gated cases only: never of those
    for development.
    """

    candidate_run: str
    baseline_run: str | None
    state: str
    reason: str = ""
    reason_code: str = ""
    dataset_version: str = ""
    rubric_version: str = ""
    n_core: int = 0
    n_cases: int = 0
    differences: tuple[str, ...] = ()
    reference_differences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: tuple[tuple[str, tuple[str, ...]], ...] = ()
    slices: tuple[SliceFacts, ...] = ()
    cases: tuple[CaseFacts, ...] = ()
    known_slices: frozenset[tuple[str, str]] = frozenset()
    candidate: RunFigures = field(default_factory=RunFigures)
    pair_baseline: RunFigures = field(default_factory=RunFigures)
    pair_candidate: RunFigures = field(default_factory=RunFigures)


def case_facts(
    candidate: pl.DataFrame,
    changes: pl.DataFrame,
    cases: pl.DataFrame,
    reasons: pl.DataFrame | None = None,
) -> tuple[CaseFacts, ...]:
    """The cases a gate must know of, from frames.

    Parameters
    ----------
    candidate
        `regressions.case_results` of the candidate; a case without row is missing.
    changes
        Rows of `regressions` of the pair.
    cases
        The candidate's gated cases: case_id, category, split, risk, language and, where some are
        outside of the headline, in_headline.
    reasons
        case_id, axis, reason: why the candidate does not pass; else the change's reason is told.

    Returns
    -------
    Sorted by case_id and axis, without cases whose gold text drifted: they are in no gate (R7).
    """
    sides = ("baseline_state", "baseline_passed", "change")
    if "in_headline" not in cases.columns:
        cases = cases.with_columns(in_headline=pl.lit(value=True))
    drifted = changes.filter(pl.col("change") == DRIFTED)
    known = (
        cases.select(
            "case_id",
            "in_headline",
            *(pl.col(name).fill_null(UNCLASSIFIED) for name in DIMENSIONS),
        )
        .join(drifted, on="case_id", how="anti")
        .join(pl.DataFrame({"axis": AXES_AND_OVERALL}), how="cross")
    )
    on = ["case_id", "axis"]
    if reasons is None:
        reasons = pl.DataFrame(schema={**dict.fromkeys(on, pl.String), "reason": pl.String})
    rows = (
        known.join(candidate.select(*on, "state", "passed"), on=on, how="left")
        .join(changes.select(*on, *sides, change_reason="reason"), on=on, how="left")
        .join(reasons.select(*on, "reason"), on=on, how="left")
        .with_columns(pl.col("state").fill_null("missing"))
        .filter(
            pl.col("change").is_not_null()
            | (pl.col("state") == "missing")
            | (~pl.col("passed").fill_null(value=False) & ~pl.col("state").is_in(_OUTSIDE))
        )
        .sort(on)
    )
    return tuple(
        CaseFacts(
            case_id=row["case_id"],
            axis=row["axis"],
            slices=MappingProxyType({name: row[name] for name in DIMENSIONS}),
            change=row["change"],
            baseline_state=row["baseline_state"],
            baseline_passed=row["baseline_passed"],
            candidate_state=row["state"],
            candidate_passed=row["passed"],
            reason=row["reason"] or row["change_reason"] or "",
            in_headline=row["in_headline"],
        )
        for row in rows.iter_rows(named=True)
    )


def in_slice(case: CaseFacts, dimension: str, value: str) -> bool:
    """Whether a case is in a slice: one outside of the headline is in that of its split alone."""
    if not case.in_headline and dimension != "split":
        return False
    return dimension == WHOLE or case.slices.get(dimension) == value
