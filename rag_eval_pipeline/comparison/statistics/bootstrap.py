"""Interval for a mean difference: percentile bootstrap over clusters.

As many clusters as there are, drawn with replacement; mean over the cases drawn; 10,000 times. The
ends of the interval are the 250th smallest and the 250th largest of these means. Swapping the sides
mirrors the interval exactly.

Clusters of the same sum and size are alike, and how often each kind is drawn is multinomial: with
few kinds this is drawn outright instead of cluster by cluster, which is the same distribution.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; Field and Welsh,
  Bootstrapping clustered data, JRSS B 69 (2007) 369-390; R9
"""

from __future__ import annotations

import numpy as np

from rag_eval_pipeline.comparison.statistics.draws import Draws, Integers
from rag_eval_pipeline.comparison.statistics.paired import PARTS, Kind, Paired

RESAMPLES = 10_000
_OUTSIDE = RESAMPLES * 25 // 1000
# Below so many clusters a kind, drawing clusters one by one is faster.
_CLUSTERS_A_KIND = 4
_BLOCK = 1 << 20


def bootstrap(pairs: Paired, *, seed: str) -> tuple[float, float] | None:
    """95 % interval of the mean paired difference.

    Parameters
    ----------
    pairs
        Differences by cluster.
    seed
        Text that decides the draws, such as the id of the comparison.

    Returns
    -------
    Lower and upper end in [-1, 1]; None under two clusters, which show no spread.
    """
    if pairs.n_clusters < 2:
        return None
    if not any(kind.sum for kind in pairs.kinds):
        return 0.0, 0.0
    kinds, mirror = _oriented(pairs.kinds)
    draw = _by_kind if len(kinds) * _CLUSTERS_A_KIND <= pairs.n_clusters else _one_by_one
    total, n = draw(Draws(seed), kinds)
    means = np.sort(total / (n * PARTS))
    low, high = float(means[_OUTSIDE - 1]), float(means[-_OUTSIDE])
    if mirror is None:
        half = (high - low) / 2
        return -half, half
    return (-high, -low) if mirror else (low, high)


def _oriented(kinds: tuple[Kind, ...]) -> tuple[list[Kind], bool | None]:
    """Kinds in an order that does not depend on which side is the candidate.

    Returns the kinds, of one sign or the other, the most frequent first, and whether the sign was
    turned; None where they are their own mirror image.
    """
    given = sorted(kinds, key=_frequency)
    turned = sorted((kind._replace(sum=-kind.sum) for kind in kinds), key=_frequency)
    if given == turned:
        return given, None
    return max((given, False), (turned, True))


def _frequency(kind: Kind) -> tuple[int, int, int]:
    return -kind.clusters, kind.size, kind.sum


def _by_kind(draws: Draws, kinds: list[Kind]) -> tuple[Integers, Integers]:
    left = sum(kind.clusters for kind in kinds)
    remaining = np.full(RESAMPLES, left, dtype=np.int64)
    total, n = np.zeros_like(remaining), np.zeros_like(remaining)
    for kind in kinds:
        drawn = draws.binomial(remaining, kind.clusters, left)
        total += drawn * kind.sum
        n += drawn * kind.size
        remaining = remaining - drawn
        left -= kind.clusters
    return total, n


def _one_by_one(draws: Draws, kinds: list[Kind]) -> tuple[Integers, Integers]:
    sums, sizes, counts = np.array(kinds, dtype=np.int64).T
    sums, sizes = np.repeat(sums, counts), np.repeat(sizes, counts)
    clusters = len(sums)
    alike = bool((sizes == sizes[0]).all())
    rows = max(_BLOCK // clusters, 1)
    total, n = (np.full(RESAMPLES, clusters * sizes[0], dtype=np.int64) for _ in range(2))
    for start in range(0, RESAMPLES, rows):
        block = slice(start, min(start + rows, RESAMPLES))
        places = draws.places(block.stop - start, clusters, clusters)
        total[block] = sums[places].sum(axis=1)
        if not alike:
            n[block] = sizes[places].sum(axis=1)
    return total, n
