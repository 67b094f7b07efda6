"""What changed per case and axis between two runs, on the unchanged core (R8, R9)."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.tables.model import AXES

AXES_AND_OVERALL = (*AXES, "overall")
OPEN_STATES = ("unmeasured", "held_out")
RESULT = ("case_id", "axis", "score", "passed", "flaky", "state")


@dataclass(frozen=True, slots=True)
class Core:
    """Approved cases of both sides sorted by what may be compared."""

    unchanged: tuple[str, ...]
    gold_changed: tuple[str, ...]
    new: tuple[str, ...]
    removed: tuple[str, ...]


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


def case_results(case_scores: pl.DataFrame) -> pl.DataFrame:
    """Results per case and axis over the trials of one run (R8).

    Parameters
    ----------
    case_scores
        Rows of `case_scores` of one run and rubric.

    Returns
    -------
    case_id, axis (and `overall`), score (mean over measured trials), passed (more than half of
    the trials pass; null while open ones could tip it), flaky (trials disagree), state.
    """
    long = pl.concat(
        [
            case_scores.select(
                "case_id",
                axis=pl.lit(axis),
                score=pl.col("score" if axis == "overall" else f"{axis}_score"),
                passed=pl.col("passed" if axis == "overall" else f"{axis}_passed"),
                state=pl.col("state" if axis == "overall" else f"{axis}_state"),
            )
            for axis in AXES_AND_OVERALL
        ]
    )
    measured = pl.col("state") == "measured"
    n_passed, n_failed = pl.col("passed").sum(), (~pl.col("passed")).sum()
    n_open = (pl.col("state") == "unmeasured").sum()
    # Trials that are not applicable or held out are in no denominator.
    n_trials = measured.sum() + n_open
    states = [
        pl.when((pl.col("state") == state).any()).then(pl.lit(state))
        for state in ("measured", "unmeasured", "held_out", "missing")
    ]
    return (
        long.group_by(["case_id", "axis"])
        .agg(
            score=pl.col("score").mean(),
            passed=pl.when(measured.any()).then(
                pl.when(n_passed * 2 > n_trials)
                .then(pl.lit(value=True))
                .when((n_passed + n_open) * 2 <= n_trials)
                .then(pl.lit(value=False))
            ),
            flaky=(n_passed > 0) & (n_failed > 0),
            state=pl.coalesce(*states, pl.lit("not_applicable")),
        )
        .select(RESULT)
        .sort(["case_id", "axis"])
    )


def n_measured_pairs(candidate: pl.DataFrame, baseline: pl.DataFrame) -> int:
    """Cases that both `case_results` hold a measured overall result of."""
    whole = (pl.col("axis") == "overall") & (pl.col("state") == "measured")
    return candidate.filter(whole).join(baseline.filter(whole), on="case_id", how="semi").height


def regressions(candidate: pl.DataFrame, baseline: pl.DataFrame, split: Core) -> pl.DataFrame:
    """Every case and axis that is not unchanged.

    A pass that became a fail, or the reverse, counts as unchanged where the trials of both sides
    disagree among themselves (R9).

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
    pairs = (
        _grid(split.unchanged)
        .join(_side(candidate, "candidate"), on=["case_id", "axis"], how="left")
        .join(_side(baseline, "baseline"), on=["case_id", "axis"], how="left")
        .with_columns(
            pl.col("candidate_state", "baseline_state").fill_null("missing"),
        )
        .with_columns(change=_change(), side=_affected_side())
        .filter(pl.col("change").is_not_null())
    )
    outside = [
        _grid(ids).with_columns(change=pl.lit(change), side=pl.lit(None, pl.String))
        for change, ids in (
            ("gold_changed", split.gold_changed),
            ("new", split.new),
            ("removed", split.removed),
        )
    ]
    return (
        pl.concat([pairs, *outside], how="diagonal")
        .with_columns(reason=_reason())
        .drop("candidate_flaky", "baseline_flaky")
        .sort(["case_id", "axis"])
    )


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
    return (
        pl.when((candidate == "missing") | (baseline == "missing"))
        .then(pl.lit("missing"))
        .when(open_ | (inapplicable & ~same))
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
        .when(pl.col("change") == "missing")
        .then(pl.format("no item on the side of: {}", "side"))
        .when(pl.col("change") == "unmeasured")
        .then(
            pl.format(
                "{} → {}: nothing to compare on the side of: {}",
                "baseline_state",
                "candidate_state",
                "side",
            )
        )
        .when(pl.col("change") == "regressed")
        .then(pl.lit("passed before, fails now"))
        .otherwise(pl.lit("failed before, passes now"))
    )


def _grid(case_ids: tuple[str, ...]) -> pl.DataFrame:
    cases = pl.DataFrame({"case_id": list(case_ids)}, schema={"case_id": pl.String})
    axes = pl.DataFrame({"axis": list(AXES_AND_OVERALL)})
    return cases.join(axes, how="cross")


def _side(results: pl.DataFrame, side: str) -> pl.DataFrame:
    return results.select(
        "case_id",
        "axis",
        *(pl.col(name).alias(f"{side}_{name}") for name in ("score", "passed", "flaky", "state")),
    )


def _ids(frame: pl.DataFrame) -> tuple[str, ...]:
    return tuple(sorted(frame["case_id"]))
