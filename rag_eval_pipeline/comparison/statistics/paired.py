"""Paired differences of two runs, added up by cluster.

Differences are kept as whole numbers of parts, so that sums do not depend on their order, equal
differences are equal and ties of a permutation test are ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

# Divisible by 1 to 22, by 100 and by 64: shares of few claims or trials are whole numbers of parts.
# Others are off by 1e-10 at most. Sums fit a float exactly up to a million cases.
PARTS = 4_655_851_200
VALUES = ("candidate", "baseline")


class Kind(NamedTuple):
    """Clusters that are alike: sum of their differences in parts, cases of each, how many."""

    sum: int
    size: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Paired:
    """Differences (candidate − baseline) of the cases measured on both sides.

    `both_passed`, `worse` (pass to fail), `better` (fail to pass) and `both_failed` count pairs
    with a verdict on both sides, `n_differing` those of unequal value, and `pass_fail` says whether
    values are nothing but verdicts. `n_clusters` counts the units that are independent of each
    other; `kinds` are sorted.
    """

    n: int
    both_passed: int
    worse: int
    better: int
    both_failed: int
    n_differing: int
    pass_fail: bool
    n_clusters: int
    kinds: tuple[Kind, ...]

    @property
    def clustered(self) -> bool:
        """Whether some cluster holds several cases."""
        return self.n > self.n_clusters

    @property
    def difference(self) -> float | None:
        """Mean paired difference; None without a pair."""
        total = sum(kind.sum * kind.clusters for kind in self.kinds)
        return total / (self.n * PARTS) if self.n else None


NOTHING = Paired(0, 0, 0, 0, 0, 0, pass_fail=True, n_clusters=0, kinds=())
"""No pair at all."""


def paired(pairs: pl.DataFrame) -> Paired:
    """Difference of each case, added up by cluster.

    Parameters
    ----------
    pairs
        One row per case: case_id, cluster (scenario_id; null = the case itself), candidate and
        baseline (value in [0, 1], mean over trials; null = not measured, the pair is left out),
        candidate_passed and baseline_passed (null = open).

    Raises
    ------
    ValueError
        A case has two rows, or a value lies outside [0, 1].
    """
    _check(pairs)
    found = paired_by(pairs.with_columns(group=pl.lit(0)), ["group"])
    return found.get((0,), NOTHING)


def paired_by(pairs: pl.DataFrame, by: Sequence[str]) -> dict[tuple[Any, ...], Paired]:
    """Differences of each of many groups at once, such as slices of many comparisons.

    Parameters
    ----------
    pairs
        As for `paired`, with the columns `by`; one row per group and case, which is not checked.
        Ids may be whole numbers.
    by
        Columns that name a group.

    Returns
    -------
    Group → its differences; a group in which no case is measured on both sides is not in it.
    """
    measured = pairs.filter(pl.all_horizontal(pl.col(VALUES).is_not_null())).with_columns(
        # A scenario may be named like a case that belongs to none.
        alone=pl.col("cluster").is_null(),
        cluster=pl.coalesce("cluster", "case_id"),
        parts=((pl.col("candidate") - pl.col("baseline")) * PARTS).round().cast(pl.Int64),
    )
    now, before = pl.col("candidate_passed"), pl.col("baseline_passed")
    counts = measured.group_by(by).agg(
        n=pl.len(),
        both_passed=(now & before).sum(),
        worse=(~now & before).sum(),
        better=(now & ~before).sum(),
        both_failed=(~now & ~before).sum(),
        n_differing=(pl.col("parts") != 0).sum(),
        # A value that is nothing but the verdict; a mean over trials may be so by chance.
        pass_fail=pl.all_horizontal(
            pl.col(side).eq(pl.col(f"{side}_passed").cast(pl.Float64)).fill_null(value=False)
            for side in VALUES
        ).all(),
    )
    clusters = measured.group_by(*by, "alone", "cluster").agg(
        sum=pl.col("parts").sum(), size=pl.len()
    )
    kinds = (
        clusters.group_by(*by, "sum", "size")
        .agg(clusters=pl.len())
        .sort("sum", "size")
        .group_by(by, maintain_order=True)
        .agg("sum", "size", "clusters", n_clusters=pl.col("clusters").sum())
    )
    names = [name for name in counts.columns if name not in by]
    found: dict[tuple[Any, ...], Paired] = {}
    for row in counts.join(kinds, on=by).sort(by).iter_rows(named=True):
        alike = zip(row["sum"], row["size"], row["clusters"], strict=True)
        found[tuple(row[name] for name in by)] = Paired(
            **{name: row[name] for name in names},
            n_clusters=row["n_clusters"],
            kinds=tuple(map(Kind._make, alike)),
        )
    return found


def _check(pairs: pl.DataFrame) -> None:
    twice = pairs.filter(pl.col("case_id").is_duplicated())["case_id"].unique().sort()
    if not twice.is_empty():
        raise ValueError(f"more than one row for {', '.join(twice.head(5))}")
    # NaN counts as greater than everything.
    outside = pairs.filter(
        pl.any_horizontal(~pl.col(VALUES).cast(pl.Float64).is_between(0.0, 1.0))
    )["case_id"].sort()
    if not outside.is_empty():
        raise ValueError(f"a value outside 0 to 1 for {', '.join(outside.head(5))}")
