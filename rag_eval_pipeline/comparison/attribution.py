"""Why the score moved: the move of a headline split into parts that add up to it (R10).

A headline is the mean over the cases of a run or slice that are measured or missing, missing ones
as 0 (R8). Between the baseline's headline and the candidate's lie four corners, in this order:

1. old answers, old reference, old rubric: the baseline as it was scored;
2. old answers, old reference, new rubric;
3. old answers, new reference, new rubric;
4. new answers, new reference, new rubric: the candidate as it is scored.

Let C be the cases of both sides, and M those of C that have the same state, measured or missing,
in all four corners. S1 … S4 are means over M, H the headlines, H(C) the headlines over C alone:

- rubric = S2 − S1, reference = S3 − S2, system = S4 − S3;
- measurability = (H_new(C) − S4) − (H_old(C) − S1): cases of C whose state changed;
- mix = (H_new − H_new(C)) − (H_old − H_old(C)): cases that only one side has.

Their sum is H_new − H_old, whatever the states. Each part is itself a sum over cases, so that the
cases that make it up can be named: a case of M adds its own difference divided by the size of M;
another one adds its distance from the mean it joins or leaves, divided by the size of what it
joins or leaves. Where no case is missing and no gold changed, system is the paired difference of
the comparison. Where M or a headline over C is empty, another mean of the same headline stands in
for it; it cancels in the sum.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.comparison.slices import MIN_SLICE, WHOLE
from rag_eval_pipeline.tables.model import AXES

PARTS = ("rubric", "reference", "system", "mix", "measurability")
FIGURES = ("score", "passed")
KEY = ("dimension", "slice", "axis", "figure")
_CORNERS = ("old", "new_rubric", "new_reference", "new")
_STEPS = tuple(zip(PARTS[:3], _CORNERS[:-1], _CORNERS[1:], strict=True))


@dataclass(frozen=True, slots=True)
class Corners:
    """Results per case and axis in the four corners, as `regressions.case_results` returns them.

    Columns case_id, axis (`overall` among them), score, passed, state. A case without row is
    missing. `old` holds the baseline's cases, `new` the candidate's; the two in between are asked
    for cases of both only.
    """

    old: pl.DataFrame
    new_rubric: pl.DataFrame
    new_reference: pl.DataFrame
    new: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Attribution:
    """The split, and the cases behind it.

    Attributes
    ----------
    parts
        dimension, slice, axis, figure (score: mean score; passed: pass rate), part, label, amount
        (share, not points; null where a headline has nothing measured or the slice is too small),
        case_ids, contributions and changes (largest first, then by id: what each adds and what
        happened to it, in words), baseline_headline, candidate_headline, n_baseline, n_candidate
        (cases in the headlines' denominators), n_core (size of M). One row per part, sorted by key
        in the order of `PARTS`. The amounts of a key sum to candidate_headline −
        baseline_headline.
    contributions
        dimension, slice, axis, figure, part, case_id, contribution (share of the headline),
        before, after (values the part leads from and to; null where not in the denominator),
        before_state, after_state, cause (of measurability: the part of the change in which the
        state first changed; of mix: added or removed; else null). Cases of M that a part leaves
        alone have no row, nor has anything where a headline has nothing measured. Sorted.
    """

    parts: pl.DataFrame
    contributions: pl.DataFrame


def system_label(baseline_index: str | None, candidate_index: str | None) -> str:
    """Name of the system part: `index A→B` where the indexed snapshots differ.

    An index that only one side logs is told as unknown on the other.
    """
    if baseline_index == candidate_index:
        return "system"
    return f"index {baseline_index or 'unknown'}→{candidate_index or 'unknown'}"


def recorded_rubric(
    scored: pl.DataFrame, decisive: str, candidate_came: dt.datetime | None
) -> str | None:
    """The rubric version a baseline's headline was recorded with before the candidate came.

    Parameters
    ----------
    scored
        rubric_version, scored_at of the baseline's stored scores.
    decisive
        Name of the rubric that decides in the baseline's dataset version today.
    candidate_came
        When the candidate was there to be scored; None if that is not known.

    Returns
    -------
    The version of that name that scored last by then. Where the dataset was decided by another
    rubric then, and only one had scored, its version; None where nothing had.
    """
    known = scored.with_columns(name=pl.col("rubric_version").str.replace(r"@[0-9a-f]*$", ""))
    known = known.filter(pl.col("scored_at") <= pl.lit(candidate_came, pl.Datetime("us", "UTC")))
    of_name = known.filter(pl.col("name") == decisive)
    if of_name.is_empty() and known["name"].n_unique() == 1:
        of_name = known
    if of_name.is_empty():
        return None
    return str(of_name.sort("scored_at", "rubric_version")["rubric_version"][-1])


def shown_points(amounts: Sequence[float], before: float, after: float) -> list[float]:
    """Parts in points with one decimal that add up to the difference of the headlines as shown.

    Each is rounded down or up, so that it is off by less than 0.1; what is 0 stays 0.

    Parameters
    ----------
    amounts
        The parts as shares; they sum to after − before.
    before, after
        The headlines as shares.
    """
    exact = [round(amount * 1000, 6) for amount in amounts]
    tenths = [math.floor(each) for each in exact]
    left = round(after * 1000) - round(before * 1000) - sum(tenths)
    by_rest = sorted(range(len(exact)), key=lambda place: tenths[place] - exact[place])
    for place in by_rest[:left]:
        tenths[place] += 1
    return [each / 10 for each in tenths]


def attribute(
    corners: Corners,
    baseline_groups: pl.DataFrame,
    candidate_groups: pl.DataFrame,
    *,
    system: str = "system",
    min_slice: int = MIN_SLICE,
) -> Attribution:
    """Split the move of every slice, axis and figure.

    Parameters
    ----------
    corners
        Results in the four corners.
    baseline_groups, candidate_groups
        case_id, dimension, slice of each side: the cases of its headline (dimension and slice
        `all`) and of its slices. A case whose slice changed leaves one and joins the other.
    system
        Label of the system part (`system_label`).
    min_slice
        A slice with fewer cases on a side shows its lists and no numbers (R8).
    """
    grid = _grid(corners, baseline_groups, candidate_groups)
    means = _means(grid)
    contributed = _contributions(grid.join(means, on=KEY, maintain_order="left"))
    return Attribution(_parts(contributed, means, system, min_slice), contributed)


def _grid(corners: Corners, old_groups: pl.DataFrame, new_groups: pl.DataFrame) -> pl.DataFrame:
    """One row per case, slice, axis and figure, with value and state in each corner."""
    member = ["case_id", "dimension", "slice"]
    members = (
        old_groups.select(*member, in_old=pl.lit(value=True))
        .join(
            new_groups.select(*member, in_new=pl.lit(value=True)),
            on=member,
            how="full",
            coalesce=True,
        )
        .with_columns(pl.col("in_old", "in_new").fill_null(value=False))
    )
    results = (
        members.select(pl.col("case_id").unique().sort())
        .with_row_index("case_place")
        .join(pl.DataFrame({"axis": [*AXES, "overall"]}), how="cross")
        .join(pl.DataFrame({"figure": FIGURES}), how="cross")
    )
    for corner in _CORNERS:
        state = pl.col(f"{corner}_state")
        results = results.join(
            _figures(getattr(corners, corner), corner),
            on=["case_id", "axis", "figure"],
            how="left",
            maintain_order="left",
        ).with_columns(
            pl.when(state.is_null()).then(0.0).otherwise(f"{corner}_value").name.keep(),
            state.fill_null("missing"),
        )
    values = [pl.col(f"{corner}_value").is_not_null() for corner in _CORNERS]
    same = [pl.col(f"{corner}_state") == pl.col("old_state") for corner in _CORNERS[1:]]
    common = pl.col("in_old") & pl.col("in_new")
    # In the order of ids within each key, so that a sum of floats is the same every time.
    return (
        results.with_columns(steady=pl.all_horizontal(*values, *same))
        .join(members.sort(member), on="case_id", maintain_order="left_right")
        .with_columns(
            common=common,
            settled=common & pl.col("steady"),
            old_counts=pl.col("in_old") & values[0],
            new_counts=pl.col("in_new") & values[-1],
        )
    )


def _figures(results: pl.DataFrame, corner: str) -> pl.DataFrame:
    """Value and state per figure; a value is null where the case is in no denominator (R8)."""
    state = pl.col("state")
    measured = {
        "score": pl.col("score"),
        # As the pass rate counts it: trials that leave the pass open are no pass.
        "passed": pl.col("passed").cast(pl.Float64).fill_null(0.0),
    }
    return pl.concat(
        [
            results.select(
                "case_id",
                "axis",
                pl.lit(figure).alias("figure"),
                pl.when(state == "missing")
                .then(0.0)
                .when(state == "measured")
                .then(value)
                .alias(f"{corner}_value"),
                # A failed axis with open conditions is measured and may have no score.
                pl.when((state == "measured") & value.is_null())
                .then(pl.lit("unmeasured"))
                .otherwise(state)
                .alias(f"{corner}_state"),
            )
            for figure, value in measured.items()
        ]
    )


def _means(grid: pl.DataFrame) -> pl.DataFrame:
    """Means and sizes per key, sorted; an empty mean takes another of its key (module docs)."""
    means: dict[str, pl.Expr] = {}
    sizes: dict[str, pl.Expr] = {"n_core": pl.col("settled").sum()}
    for side in ("old", "new"):
        value, counts = pl.col(f"{side}_value"), pl.col(f"{side}_counts")
        shared = counts & pl.col("common")
        means[side] = value.filter(counts).mean()
        means[f"{side}_common"] = value.filter(shared).mean()
        means[f"{side}_core"] = value.filter("settled").mean()
        sizes[f"n_{side}"] = counts.sum()
        sizes[f"n_{side}_common"] = shared.sum()
        sizes[f"n_{side}_cases"] = pl.col(f"in_{side}").sum()
    anchor = pl.coalesce("old_common", "new_common", "old", "new")
    return (
        grid.group_by(KEY, maintain_order=True)
        .agg(**means, **{name: size.cast(pl.Int64) for name, size in sizes.items()})
        .with_columns(
            pl.coalesce(f"{side}_{of}", anchor).alias(f"{side}_{of}")
            for side in ("old", "new")
            for of in ("common", "core")
        )
        .sort(KEY)
        .with_row_index("key_place")
    )


def _contributions(cells: pl.DataFrame) -> pl.DataFrame:
    """What each case adds to each part (`Attribution.contributions`)."""
    cells = cells.filter(
        pl.col("old").is_not_null()
        & pl.col("new").is_not_null()
        & (pl.col("old_counts") | pl.col("new_counts"))
    )
    settled = cells.filter("settled")
    core = [
        _rows(
            settled.filter(pl.col(f"{after}_value") != pl.col(f"{before}_value")),
            part,
            (pl.col(f"{after}_value") - pl.col(f"{before}_value")) / pl.col("n_core"),
            before=before,
            after=after,
        )
        for part, before, after in _STEPS
    ]
    cause = pl.coalesce(
        pl.when(pl.col(f"{after}_state") != pl.col(f"{before}_state")).then(pl.lit(part))
        for part, before, after in _STEPS
    )
    rest = [
        _rows(
            cells.filter(pl.col("common") & ~pl.col("settled")),
            "measurability",
            _distance("new", "core") - _distance("old", "core"),
            cause=cause,
        ),
        _rows(
            cells.filter(~pl.col("common")),
            "mix",
            _distance("new", "common") - _distance("old", "common"),
            cause=pl.when("in_new").then(pl.lit("added")).otherwise(pl.lit("removed")),
        ),
    ]
    # By places, which are numbers: sorting by six texts would take most of the time.
    places = ["key_place", "part_place", "case_place"]
    return pl.concat([*core, *rest]).sort(places).drop(places)


def _parts(
    contributed: pl.DataFrame, means: pl.DataFrame, system: str, min_slice: int
) -> pl.DataFrame:
    """The contributions summed (`Attribution.parts`)."""
    parts = pl.DataFrame({"part": PARTS, "label": ["rubric", "reference", system, *PARTS[3:]]})
    largest_first = pl.struct(-pl.col("contribution").abs(), "case_id")
    made_up = contributed.group_by([*KEY, "part"]).agg(
        pl.col("case_id", "contribution").sort_by(largest_first),
        change=_told().sort_by(largest_first),
    )
    enough = pl.min_horizontal("n_old_cases", "n_new_cases") >= min_slice
    shown = enough | (pl.col("dimension") == WHOLE)
    moved = pl.col("old").is_not_null() & pl.col("new").is_not_null()
    amount = pl.col("contribution").list.sum()  # of nothing it is −0.0
    return (
        means.drop("key_place")
        .join(parts, how="cross", maintain_order="left_right")
        .join(made_up, on=[*KEY, "part"], how="left", maintain_order="left")
        .with_columns(pl.col("case_id", "contribution", "change").fill_null([]))
        .select(
            *KEY,
            "part",
            "label",
            amount=pl.when(shown & moved).then(pl.when(amount == 0).then(0.0).otherwise(amount)),
            case_ids="case_id",
            contributions="contribution",
            changes="change",
            baseline_headline=pl.when(shown).then("old"),
            candidate_headline=pl.when(shown).then("new"),
            n_baseline="n_old",
            n_candidate="n_new",
            n_core="n_core",
        )
    )


def _told() -> pl.Expr:
    """What happened to a case, in words: `0.5 → 1`, `pass → fail`, `pass → held out by …`."""
    sides = [
        pl.when(pl.col(f"{side}_state") == "measured")
        .then(
            pl.when(pl.col("figure") == "score")
            .then(_plain(pl.col(side)))
            .when(pl.col(side) > 0)
            .then(pl.lit("pass"))
            .otherwise(pl.lit("fail"))
        )
        .otherwise(pl.col(f"{side}_state").str.replace("_", " ", literal=True))
        for side in ("before", "after")
    ]
    before, after = sides
    return (
        pl.when(pl.col("part") != "mix")
        .then(
            pl.concat_str(
                before,
                pl.lit(" → "),
                after,
                pl.when(pl.col("part") == "measurability")
                .then(pl.format(" by {}", "cause"))
                .otherwise(pl.lit("")),
            )
        )
        .when(pl.col("cause") == "added")
        .then(pl.concat_str(pl.lit("added: "), after))
        .otherwise(pl.concat_str(pl.lit("removed: "), before))
    )


def _plain(value: pl.Expr) -> pl.Expr:
    """A score with at most two decimals: 1, 0.5, 0.33."""
    return value.round(2).cast(pl.String).str.replace(r"\.0$", "")


def _distance(side: str, mean: str) -> pl.Expr:
    """What a case adds to one side's headline beyond the mean it is measured against."""
    size = pl.col(f"n_{side}_common" if mean == "core" else f"n_{side}")
    away = (pl.col(f"{side}_value") - pl.col(f"{side}_{mean}")) / size
    return pl.when(f"{side}_counts").then(away).otherwise(0.0)


def _rows(
    cells: pl.DataFrame,
    part: str,
    contribution: pl.Expr,
    *,
    before: str = "old",
    after: str = "new",
    cause: pl.Expr | None = None,
) -> pl.DataFrame:
    """Rows of one part, with what it leads from and to."""
    values: dict[str, pl.Expr] = {}
    for name, corner in (("before", before), ("after", after)):
        # The corners in between are on both sides, as the cases asked for there are.
        present = pl.col(f"in_{corner}") if corner in ("old", "new") else pl.col("common")
        values[name] = pl.when(present).then(f"{corner}_value")
        values[f"{name}_state"] = pl.when(present).then(f"{corner}_state")
    return cells.select(
        *KEY,
        "case_id",
        "key_place",
        "case_place",
        part_place=pl.lit(PARTS.index(part)),
        part=pl.lit(part),
        contribution=contribution,
        **values,
        cause=pl.lit(None, pl.String) if cause is None else cause,
    )
