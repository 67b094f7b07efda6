"""What a comparison of this size could have shown, and the size it would take: 80 %, two-sided .05.

The variance is the one that the differences have if the sides do not differ: Σ s² / n² over the
clusters' sums s, which is (worse + better) / n² for pass and fail. Where few pairs differ it says
too little: a drop of δ in passes brings a variance of δ (1 − δ) with itself. So a drop counts as
detectable only if it is so under both, and no discordance at all needs no special value.

Formula, with z = z_.975 + z_.80 and G clusters:
- detectable drop = max(z √(Σ s²) / n, z² / (G + z²))
- n for δ = n · max(z² Σ s² / (n δ)², z² (1 − δ) / (δ G))
Source: the normal approximation of the paired test, as in Connor, Sample size for testing
  differences in proportions for the paired-sample design, Biometrics 43 (1987) 207-211; R9
"""

from __future__ import annotations

from math import ceil, fsum, sqrt

from rag_eval_pipeline.comparison.statistics.normal import Z_80, Z_95
from rag_eval_pipeline.comparison.statistics.paired import PARTS, Paired

_Z = Z_95 + Z_80


def detectable_drop(pairs: Paired) -> float | None:
    """Smallest drop of the mean in (0, 1] that would be shown; None where none would be."""
    if pairs.n == 0:
        return None
    drop = max(_Z * _deviation(pairs), _Z**2 / (pairs.n_clusters + _Z**2))
    return drop if drop <= 1 else None


def needed_n(pairs: Paired, drop: float) -> int | None:
    """Cases it would take to show a drop in (0, 1), the pairs differing as much as these do.

    None without a pair, and for a drop of 0, which no number shows.
    """
    if pairs.n == 0 or drop <= 0:
        return None
    by_spread = (_Z * _deviation(pairs) / drop) ** 2
    by_drop = _Z**2 * (1 - drop) / (drop * pairs.n_clusters)
    return max(ceil(pairs.n * max(by_spread, by_drop)), 1)


def _deviation(pairs: Paired) -> float:
    """Standard deviation of the mean difference if the sides do not differ."""
    return sqrt(fsum(kind.clusters * (kind.sum / PARTS) ** 2 for kind in pairs.kinds)) / pairs.n
