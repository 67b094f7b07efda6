"""What changed per case and axis between two runs, on the unchanged core (R8, R9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from rag_eval_pipeline.tables.model import AXES

AXES_AND_OVERALL = (*AXES, "overall")
OPEN_STATES = ("unmeasured", "held_out")
RESULT = ("case_id", "axis", "score", "passed", "flaky", "state")
# What paired tests rest on beside that: trials the system failed on are left out.
VALUED = ("value", "n_valued", "spread", "rate", "system_error")
SIDES = ("candidate", "baseline")
OUTSIDE = ("gold_changed", "evidence_drifted", "new", "removed")
"""Changes of cases that are not on the core."""

_SIDED = ("score", "passed", "flaky", "state", *VALUED)


@dataclass(frozen=True, slots=True)
class Core:
    """Approved cases of both sides sorted by what may be compared."""

    unchanged: tuple[str, ...]
    gold_changed: tuple[str, ...]
    new: tuple[str, ...]
    removed: tuple[str, ...]
    evidence_drifted: tuple[str, ...] = ()

    @property
    def n_candidate_cases(self) -> int:
        """Approved cases of the candidate's side."""
        return (
            len(self.unchanged)
            + len(self.gold_changed)
            + len(self.new)
            + len(self.evidence_drifted)
        )

    def without(self, drifted: Iterable[str]) -> Core:
        """The core without cases whose gold text differs from what a side could read (R7)."""
        out = set(drifted)
        return replace(
            self,
            unchanged=tuple(case for case in self.unchanged if case not in out),
            evidence_drifted=tuple(case for case in self.unchanged if case in out),
        )


def core(candidate: pl.DataFrame, baseline: pl.DataFrame) -> Core:
    """Compare the approved cases of both sides (case_id, case_hash)."""
    both = candidate.join(baseline, on="case_id", suffix="_baseline")
    same = pl.col("case_hash") == pl.col("case_hash_baseline")
    return Core(
        unchanged=_ids(both.filter(same)),
        gold_changed=_ids(both.filter(~same)),
        new=_ids(candidate.join(baseline, on="case_id", how="anti")),
        removed=_ids(baseline.join(candidate, on="case_id", how="anti")),
    )


def case_results(case_scores: pl.DataFrame, *, trials: str = "majority") -> pl.DataFrame:
    """Results per case and axis over the trials of one run (R8).

    Parameters
    ----------
    case_scores
        Rows of `case_scores` of one run and rubric.
    trials
        When a case passes: `majority` (more than half of its trials pass), `all` or `any`.

    Returns
    -------
    case_id, axis (and `overall`), score (mean over measured trials), passed (null while open
    trials could tip it), flaky (trials disagree), state.
    """
    one_run = case_scores.with_columns(run_id=pl.lit(""), also=pl.lit([], dtype=pl.List(pl.String)))
    return run_results(one_run, trials=trials).select(RESULT)


def run_results(case_scores: pl.DataFrame, *, trials: str = "majority") -> pl.DataFrame:
    """Results per case and axis over the trials of each of several runs (R8).

    Parameters
    ----------
    case_scores
        Rows of `case_scores` of some runs and one rubric.
    trials
        As of `case_results`.

    Returns
    -------
    run_id, the columns of `case_results`, and what paired tests rest on. The value of a trial is
    its score, of `overall` whether it passes. `value` (mean), `n_valued` (how many) and `spread`
    (sample variance) speak of measured trials without those the system failed on, `rate` is the
    mean with them; `system_error` says whether there is one. Sorted by run_id, case_id, axis.
    """
    failed_system = pl.col("also").list.contains("system_error")
    wide = (
        case_scores.with_columns(system_error=failed_system.fill_null(value=False))
        .group_by("run_id", "case_id")
        .agg(pl.struct(_over_trials(axis, trials)).alias(axis) for axis in AXES_AND_OVERALL)
    )
    return (
        pl.concat(
            [
                wide.select("run_id", "case_id", axis=pl.lit(axis), result=pl.col(axis))
                for axis in AXES_AND_OVERALL
            ]
        )
        .unnest("result")
        .sort("run_id", "case_id", "axis")
    )


def n_measured_pairs(candidate: pl.DataFrame, baseline: pl.DataFrame) -> int:
    """Cases that both `case_results` hold a measured overall result of."""
    whole = (pl.col("axis") == "overall") & (pl.col("state") == "measured")
    return candidate.filter(whole).join(baseline.filter(whole), on="case_id", how="semi").height


def side_by_side(
    pairs: pl.DataFrame, cases: pl.DataFrame, candidate: pl.DataFrame, baseline: pl.DataFrame
) -> pl.DataFrame:
    """Results of both sides of many pairs, per case of the core and axis.

    Parameters
    ----------
    pairs
        comparison_id, core_no, candidate_run, baseline_run, search_refused (why the search axis
        of the two is not comparable; null where it is).
    cases
        core_no, case_id: the cases of each core.
    candidate, baseline
        `run_results` of the runs of each side under one reference and rubric; a case without row
        is missing.

    Returns
    -------
    comparison_id, case_id, axis, refused (why this axis is not compared),
    {candidate,baseline}_{score,passed,flaky,state,value,n_valued,spread,rate,system_error}.
    """
    axes = pl.DataFrame({"axis": AXES_AND_OVERALL})
    frame = pairs.join(cases, on="core_no").join(axes, how="cross")
    for side, results in zip(SIDES, (candidate, baseline), strict=True):
        named = results.select(
            pl.col("run_id").alias(f"{side}_run"),
            "case_id",
            "axis",
            *(pl.col(name).alias(f"{side}_{name}") for name in _SIDED),
        )
        frame = frame.join(named, on=[f"{side}_run", "case_id", "axis"], how="left")
    return frame.select(
        "comparison_id",
        "case_id",
        "axis",
        *(
            pl.col(f"{side}_state").fill_null("missing")
            if name == "state"
            else pl.col(f"{side}_{name}").fill_null(value=False)
            if name in ("flaky", "system_error")
            else pl.col(f"{side}_{name}")
            for side in SIDES
            for name in _SIDED
        ),
        refused=pl.when(pl.col("axis") == "search").then("search_refused"),
    )


def regressions(candidate: pl.DataFrame, baseline: pl.DataFrame, split: Core) -> pl.DataFrame:
    """Every case and axis of one pair that is not unchanged (see `changes`).

    Parameters
    ----------
    candidate, baseline
        `case_results` of both runs, scored under the candidate's reference and rubric; a case
        without row is missing.
    split
        The cases of both sides (`core`).

    Returns
    -------
    case_id, axis, change, side, {baseline,candidate}_{score,passed,state}, reason; sorted.
    """
    pair = pl.DataFrame(
        [("", 0, "candidate", "baseline", None)], schema=PAIRS, orient="row"
    )  # fmt: skip
    both = side_by_side(
        pair, core_cases([split]), *(
            results.select(
                *RESULT, pl.lit(side).alias("run_id"), system_error=pl.lit(value=False),
                **{name: pl.lit(None, pl.Float64) for name in VALUED if name != "system_error"},
            )
            for side, results in ((SIDES[0], candidate), (SIDES[1], baseline))
        ),
    )  # fmt: skip
    return changes(both, outside([""], [split])).drop("comparison_id")


PAIRS = {
    "comparison_id": pl.String,
    "core_no": pl.Int64,
    "candidate_run": pl.String,
    "baseline_run": pl.String,
    "search_refused": pl.String,
}
"""Columns of the frame of pairs."""


def core_cases(cores: Sequence[Core]) -> pl.DataFrame:
    """core_no (place in the list), case_id of the cases on each core."""
    rows = [(number, case) for number, each in enumerate(cores) for case in each.unchanged]
    return pl.DataFrame(rows, schema={"core_no": pl.Int64, "case_id": pl.String}, orient="row")


def outside(comparison_ids: Sequence[str], cores: Sequence[Core]) -> pl.DataFrame:
    """comparison_id, case_id, change of the cases of each pair that are not on its core."""
    rows = [
        (comparison_id, case, change)
        for comparison_id, each in zip(comparison_ids, cores, strict=True)
        for change in OUTSIDE
        for case in getattr(each, change)
    ]
    names = ("comparison_id", "case_id", "change")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def changes(
    both: pl.DataFrame, beside: pl.DataFrame, drifts: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Every case and axis that is not unchanged, of many pairs.

    A pass that became a fail, or the reverse, counts as unchanged where the trials of both sides
    disagree among themselves (R9), and as unmeasured where the axis is not comparable.

    Parameters
    ----------
    both
        Results of both sides (`side_by_side`).
    beside
        The cases that are not on the core (`outside`).
    drifts
        comparison_id, case_id, reason: why a case is evidence_drifted.

    Returns
    -------
    comparison_id, case_id, axis, change, side, {baseline,candidate}_{score,passed,state}, reason;
    sorted.
    """
    on_core = both.with_columns(change=_change(), side=_affected_side()).filter(
        pl.col("change").is_not_null()
    )
    told = pl.lit(None, pl.String)
    if drifts is not None:
        beside = beside.join(drifts, on=["comparison_id", "case_id"], how="left")
        told = pl.col("told")
    else:
        beside = beside.with_columns(reason=told)
    frame = pl.concat(
        [
            on_core,
            beside.rename({"reason": "told"}).join(
                pl.DataFrame({"axis": AXES_AND_OVERALL}), how="cross"
            ),
        ],
        how="diagonal",
    ).with_columns(side=pl.col("side").cast(pl.String))
    kept = ("score", "passed", "state")
    return frame.select(
        "comparison_id",
        "case_id",
        "axis",
        "change",
        "side",
        *(f"{side}_{name}" for side in ("baseline", "candidate") for name in kept),
        reason=pl.coalesce("told", _reason()),
    ).sort("comparison_id", "case_id", "axis")


def _over_trials(axis: str, trials: str) -> list[pl.Expr]:
    """What the trials of a case make of an axis, as expressions over its rows."""
    prefix = "" if axis == "overall" else f"{axis}_"
    state, passed, score = (pl.col(f"{prefix}{name}") for name in ("state", "passed", "score"))
    measured = state == "measured"
    valued = measured & ~pl.col("system_error")
    worth = passed.cast(pl.Float64) if axis == "overall" else score
    n_passed, n_failed = passed.sum(), (~passed).sum()
    n_open = ((state == "unmeasured") | (measured & passed.is_null())).sum()
    # Trials that are not applicable or held out are in no denominator.
    n_trials = n_passed + n_failed + n_open
    sure, lost = {
        "majority": (n_passed * 2 > n_trials, (n_passed + n_open) * 2 <= n_trials),
        "all": (n_passed == n_trials, n_failed > 0),
        "any": (n_passed > 0, n_passed + n_open == 0),
    }[trials]
    states = [
        pl.when((state == each).any()).then(pl.lit(each))
        for each in ("measured", "unmeasured", "held_out", "missing")
    ]
    made = {
        "score": score.mean(),
        "passed": pl.when(measured.any()).then(
            pl.when(sure).then(pl.lit(value=True)).when(lost).then(pl.lit(value=False))
        ),
        "flaky": (n_passed > 0) & (n_failed > 0),
        "state": pl.coalesce(*states, pl.lit("not_applicable")),
        "value": worth.filter(valued).mean(),
        "n_valued": worth.filter(valued).count().cast(pl.Int64),
        "spread": worth.filter(valued).var(),
        "rate": worth.filter(measured).mean(),
        "system_error": pl.col("system_error").any(),
    }
    return [each.alias(name) for name, each in made.items()]


def _change() -> pl.Expr:
    candidate, baseline = pl.col("candidate_state"), pl.col("baseline_state")
    inapplicable = (candidate == "not_applicable") | (baseline == "not_applicable")
    same = candidate == baseline
    steady = ~(pl.col("candidate_flaky") & pl.col("baseline_flaky"))
    open_ = pl.any_horizontal(
        pl.col(f"{side}_state").is_in(OPEN_STATES)
        | ((pl.col(f"{side}_state") == "measured") & pl.col(f"{side}_passed").is_null())
        for side in ("candidate", "baseline")
    )
    moved = pl.col("baseline_passed") != pl.col("candidate_passed")
    return (
        pl.when((candidate == "missing") | (baseline == "missing"))
        .then(pl.lit("missing"))
        .when(open_ | (inapplicable & ~same) | (pl.col("refused").is_not_null() & moved))
        .then(pl.lit("unmeasured"))
        .when(steady & pl.col("baseline_passed") & ~pl.col("candidate_passed"))
        .then(pl.lit("regressed"))
        .when(steady & ~pl.col("baseline_passed") & pl.col("candidate_passed"))
        .then(pl.lit("recovered"))
    )


def _affected_side() -> pl.Expr:
    """The side a missing or unmeasured result is on."""
    on = {
        side: pl.when(
            pl.col("candidate_state").eq("missing") | pl.col("baseline_state").eq("missing")
        )
        .then(pl.col(f"{side}_state") == "missing")
        .otherwise(
            pl.col(f"{side}_state").is_in([*OPEN_STATES, "not_applicable"])
            | ((pl.col(f"{side}_state") == "measured") & pl.col(f"{side}_passed").is_null())
        )
        for side in ("candidate", "baseline")
    }
    return (
        pl.when(on["candidate"] & on["baseline"])
        .then(pl.lit("both"))
        .when(on["candidate"])
        .then(pl.lit("candidate"))
        .when(on["baseline"])
        .then(pl.lit("baseline"))
    )


def _reason() -> pl.Expr:
    return (
        pl.when(pl.col("change") == "gold_changed")
        .then(pl.lit("the case's gold or its pinned text changed: not compared"))
        .when(pl.col("change") == "new")
        .then(pl.lit("the baseline's dataset version lacks the case"))
        .when(pl.col("change") == "removed")
        .then(pl.lit("the candidate's dataset version lacks the case"))
        .when(pl.col("change") == "evidence_drifted")
        .then(pl.lit("the gold text is another in an index: not compared"))
        .when(pl.col("change") == "missing")
        .then(pl.format("no item on the side of: {}", "side"))
        .when((pl.col("change") == "unmeasured") & pl.col("refused").is_not_null())
        .then("refused")
        .when(pl.col("change") == "unmeasured")
        .then(
            pl.format(
                "{} → {}: nothing to compare on the side of: {}",
                "baseline_state",
                "candidate_state",
                "side",
            )
        )
        .when((pl.col("change") == "regressed") & _no_answer("candidate"))
        .then(pl.lit("passed before, the system fails now: not in the paired test"))
        .when(pl.col("change") == "regressed")
        .then(pl.lit("passed before, fails now"))
        .when(_no_answer("baseline"))
        .then(pl.lit("the system failed before, passes now: not in the paired test"))
        .otherwise(pl.lit("failed before, passes now"))
    )


def _no_answer(side: str) -> pl.Expr:
    """Whether the system failed on every trial of the side."""
    return pl.col(f"{side}_system_error") & (pl.col(f"{side}_n_valued") == 0)


def _ids(frame: pl.DataFrame) -> tuple[str, ...]:
    return tuple(sorted(frame["case_id"]))
