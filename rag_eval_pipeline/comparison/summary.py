"""The difference of many pairs of runs, per slice and axis, with interval, test and verdict (R9).

A case counts by its mean over trials: of its score on an axis, of pass or fail as a whole
(`overall`). Cases that are missing on a side, not measured there or lost to a system error are in
no pair. Of a slice under five cases there are lists and no numbers, and a slice under six pairs is
not tested. Holm's correction goes over the four axes of the whole, and apart over the slices of
each dimension; `overall` is a family of its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.regressions import AXES_AND_OVERALL, SIDES
from rag_eval_pipeline.comparison.slices import MIN_SLICE, WHOLE
from rag_eval_pipeline.comparison.statistics.estimate import (
    MIN_TESTED_PAIRS,
    Estimate,
    estimate,
)
from rag_eval_pipeline.comparison.statistics.holm import holm
from rag_eval_pipeline.comparison.statistics.paired import NOTHING, PARTS, Paired, paired_by
from rag_eval_pipeline.comparison.statistics.tolerance import tolerance as widened
from rag_eval_pipeline.comparison.statistics.verdict import verdict

KEY = ["comparison_id", "dimension", "slice", "axis"]
OF_PAIR = ("dataset_version", "candidate_run", "baseline_run", "rubric_version", "simpson")
"""Columns of the table that are not made here."""
_KEY_NO = ["comparison_no", "group_no", "axis_no"]
_OUTSIDE = ("held_out", "not_applicable")


def summarise(
    both: pl.DataFrame, groups: pl.DataFrame, *, tolerance: float, min_measured: float
) -> pl.DataFrame:
    """Judge every slice and axis of some pairs.

    Parameters
    ----------
    both
        Results of both sides on the core (`regressions.side_by_side`); a pair without a case on
        its core has no row and gets none.
    groups
        Headline and slices of the candidates' dataset version (`slices.groups`).
    tolerance
        Difference that counts as none, a share; with several trials a case it is at least what
        these leave open.
    min_measured
        Share of the cases that must be measured on both sides.

    Returns
    -------
    The columns of `comparison_summary` but `OF_PAIR`. Each pair has the whole (`all`) on every
    axis, and each slice that a case of its core is in.
    """
    slices = _numbered_slices(groups)
    cases = _numbered_cases(groups, slices)
    names = _numbered(both, cases, slices)
    rows = _rows(both, cases)
    keyed = rows.filter("paired").select(
        *_KEY_NO,
        pl.col("case_no").alias("case_id"),
        pl.col("scenario_no").alias("cluster"),
        *(f"{side}{end}" for side in SIDES for end in ("", "_passed")),
    )
    found = paired_by(keyed, _KEY_NO)
    judged = [
        _judged(row, found.get(key, NOTHING), tolerance, min_measured)
        for row in names.join(_counts(rows), on=_KEY_NO, how="left").iter_rows(named=True)
        for key in [tuple(row[name] for name in _KEY_NO)]
    ]
    wanted = {
        name: kind
        for name, kind in tables.columns("comparison_summary").items()
        if name not in OF_PAIR
    }
    frame = pl.DataFrame(judged, schema=wanted, orient="row")
    family = (
        pl.when(pl.col("dimension") != WHOLE)
        .then("axis")
        .when(pl.col("axis") == "overall")
        .then("axis")
        .otherwise(pl.lit("axes"))
    )
    return frame.with_columns(
        p_adjusted=holm(pl.col("p_value")).over("comparison_id", "dimension", family)
    ).sort(KEY)


def _numbered_slices(groups: pl.DataFrame) -> pl.DataFrame:
    """The slices by number, the whole also where no case is in it."""
    whole = pl.DataFrame({"dimension": [WHOLE], "slice": [WHOLE]})
    named = pl.concat([groups.select("dimension", "slice"), whole]).unique()
    return named.sort("dimension", "slice").with_row_index("group_no")


def _numbered_cases(groups: pl.DataFrame, slices: pl.DataFrame) -> pl.DataFrame:
    """Members of each group by numbers: joining and grouping by text would cost a multiple."""
    ids = groups.select("case_id").unique().sort("case_id").with_row_index("case_no")
    scenarios = groups.select("scenario_id").unique().drop_nulls().sort("scenario_id")
    return (
        groups.join(slices, on=["dimension", "slice"])
        .join(ids, on="case_id")
        .join(scenarios.with_row_index("scenario_no"), on="scenario_id", how="left")
    )


def _numbered(both: pl.DataFrame, cases: pl.DataFrame, slices: pl.DataFrame) -> pl.DataFrame:
    """The rows of the result: every pair × its groups × the axes, by name and by number."""
    pairs = both.select(comparison_no=_comparison_no(), comparison_id="comparison_id").unique()
    axes = pl.DataFrame({"axis": AXES_AND_OVERALL}).with_row_index("axis_no")
    on_core = both.filter(pl.col("axis") == "overall").select(
        "case_id", comparison_no=_comparison_no()
    )
    there = on_core.join(cases.select("case_id", "group_no"), on="case_id").select(
        "comparison_no", "group_no"
    )
    whole = pairs.select("comparison_no").join(
        slices.filter(pl.col("dimension") == WHOLE).select("group_no"), how="cross"
    )
    return (
        pl.concat([there, whole])
        .unique()
        .join(pairs, on="comparison_no")
        .join(slices, on="group_no")
        .join(axes, how="cross")
        .sort(_KEY_NO)
    )


def _comparison_no() -> pl.Expr:
    return pl.col("comparison_id").rank("dense").cast(pl.UInt32)


def _rows(both: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """One row a pair, group, case and axis."""
    state, value, spread, n_valued = (
        {side: pl.col(f"{side}_{name}") for side in SIDES}
        for name in ("state", "value", "spread", "n_valued")
    )
    held_out = pl.any_horizontal(each == "held_out" for each in state.values())
    inapplicable = pl.all_horizontal(each == "not_applicable" for each in state.values())
    measured = pl.all_horizontal(
        (state[side] == "measured") & value[side].is_not_null() for side in SIDES
    )
    eligible = ~held_out & ~inapplicable
    places = {axis: place for place, axis in enumerate(AXES_AND_OVERALL)}
    slim = both.select(
        "case_id",
        "refused",
        *(f"{side}_passed" for side in SIDES),
        *(each.alias(side) for side, each in value.items()),
        *(each.alias(f"{side}_spread") for side, each in spread.items()),
        *(each.alias(f"{side}_n") for side, each in n_valued.items()),
        comparison_no=_comparison_no(),
        axis_no=pl.col("axis").replace_strict(places, return_dtype=pl.UInt32),
        eligible=eligible,
        paired=eligible & measured & pl.col("refused").is_null(),
        flaky=pl.any_horizontal(f"{side}_flaky" for side in SIDES),
    )
    members = cases.select("case_id", "case_no", "group_no", "scenario_no")
    return slim.join(members, on="case_id").drop("case_id").sort(*_KEY_NO, "case_no")


def _counts(rows: pl.DataFrame) -> pl.DataFrame:
    """Counts, means and the noise of trials per group; sums are of whole numbers or in order."""
    paired = pl.col("paired")
    several = pl.any_horizontal(pl.col(f"{side}_n") > 1 for side in SIDES)
    total = {side: (pl.col(side) * PARTS).round().cast(pl.Int64) for side in SIDES}
    counted = rows.group_by(_KEY_NO, maintain_order=True).agg(
        n_core=pl.col("eligible").sum(),
        n_pairs=paired.sum(),
        n_flaky=(paired & pl.col("flaky")).sum(),
        several=(paired & several).any(),
        refused=pl.col("refused").first(),
        **{side: each.filter(paired).sum() / PARTS for side, each in total.items()},
    )
    # Only a case with two trials or more says how much trials differ.
    noisy = counted.filter("several").select(_KEY_NO)
    noise = (
        rows.filter(paired)
        .join(noisy, on=_KEY_NO, how="semi", maintain_order="left")
        .group_by(_KEY_NO, maintain_order=True)
        .agg(_trial_variance(side).alias(f"{side}_variance") for side in SIDES)
    )
    return counted.join(noise, on=_KEY_NO, how="left")


def _trial_variance(side: str) -> pl.Expr:
    """`statistics.tolerance.trial_variance` of a side, from the spread of each case."""
    spread = pl.col(f"{side}_spread")
    of_case = spread.fill_null(spread.mean()) / pl.col(f"{side}_n")
    return of_case.sum() / pl.len() ** 2


def _judged(
    row: dict[str, Any], pairs: Paired, tolerance: float, min_measured: float
) -> dict[str, Any]:
    whole = row["dimension"] == WHOLE
    n_core, n = row["n_core"] or 0, pairs.n
    counts = {
        "n_core": n_core,
        "n_pairs": n,
        "n_clusters": pairs.n_clusters,
        "n_flaky": row["n_flaky"] or 0,
        "both_passed": pairs.both_passed,
        "worse": pairs.worse,
        "better": pairs.better,
        "both_failed": pairs.both_failed,
    }
    noise = widened(
        tolerance,
        baseline=row["baseline_variance"] or 0.0,
        candidate=row["candidate_variance"] or 0.0,
    )
    named = {name: row[name] for name in KEY} | counts | {"tolerance": noise}
    if not whole and n_core < MIN_SLICE:
        return named | {"told": f"{_cases(n_core)}, under {MIN_SLICE}: lists and no rates"}
    found = _estimate(
        pairs, row["comparison_id"], not row["several"], 1 if whole else MIN_TESTED_PAIRS
    )
    judged = verdict(pairs, found, n_core=n_core, tolerance=noise, min_measured=min_measured)
    # Adding 0 turns a negative zero, which would be shown with its sign.
    low, high = (end + 0.0 for end in found.interval) if found.interval else (None, None)
    told = judged.sentence
    if row["refused"] is not None:
        told = f"not compared: {row['refused']}"
    elif n_core == 0:
        told = _nothing_to_pair(whole, on_core=row["n_core"] is not None)
    return named | {
        "baseline": row["baseline"] / n if n else None,
        "candidate": row["candidate"] / n if n else None,
        "difference": found.difference,
        "interval_low": low,
        "interval_high": high,
        "method": found.method if n else None,
        "p_value": found.p_value,
        "verdict": judged.label,
        "told": told,
        "detectable_drop": judged.detectable_drop,
        "needed_n": judged.needed_n,
    }


@lru_cache(maxsize=64)
def _estimate(pairs: Paired, seed: str, single_trial: bool, min_tested: int) -> Estimate:
    """Slices of one pair often hold the same cases, and then the same numbers."""
    return estimate(pairs, seed=seed, single_trial=single_trial, min_tested=min_tested)


def _cases(n: int) -> str:
    return "1 case" if n == 1 else f"{n} cases"


def _nothing_to_pair(whole: bool, *, on_core: bool) -> str:
    if on_core:
        return "no case can be paired: the axis does not apply, or the gold is in doubt"
    return f"no case of {'the headline' if whole else 'it'} is on the core"
