"""Sign-flip permutation test of a mean difference over clusters.

If the sides do not differ, each cluster's difference could as well have had the other sign. p is
the share of sign patterns whose mean is at least as far from 0 as the one seen. Clusters without a
difference change nothing; up to 20 others all patterns are gone through, else 20,000 are drawn.

Formula: p = #{|Σ ±s| ≥ |Σ s|} / 2^m, or (1 + #) / (1 + draws)
Source: Fisher, The Design of Experiments (1935), § 21; the 1 for the pattern seen: Phipson and
  Smyth, Permutation p-values should never be zero (2010); R9
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from rag_eval_pipeline.comparison.statistics.draws import Draws, Integers
from rag_eval_pipeline.comparison.statistics.paired import Paired

EXACT_UP_TO = 20
PATTERNS = 20_000


def sign_flip(pairs: Paired, *, seed: str) -> float | None:
    """Two-sided p of the mean paired difference.

    Parameters
    ----------
    pairs
        Differences by cluster.
    seed
        Text that decides the draws where not all patterns are gone through.

    Returns
    -------
    p in (0, 1]; None without a pair, 1 where nothing differs.
    """
    if pairs.n == 0:
        return None
    # Rounding to parts is off by half a part a case: two equal sums by up to n.
    seen = abs(sum(kind.sum * kind.clusters for kind in pairs.kinds)) - pairs.n
    counts = Counter[int]()
    for kind in pairs.kinds:
        counts[abs(kind.sum)] += kind.clusters
    del counts[0]
    sizes = np.array(sorted(counts.elements()), dtype=np.int64)
    if len(sizes) <= EXACT_UP_TO:
        patterns = _all(sizes)
        return float(np.mean(np.abs(patterns) >= seen))
    patterns = _drawn(Draws(seed), sizes)
    return (1 + int(np.sum(np.abs(patterns) >= seen))) / (1 + PATTERNS)


def _all(sizes: Integers) -> Integers:
    patterns = np.zeros(1, dtype=np.int64)
    for size in sizes:
        patterns = np.concatenate((patterns + size, patterns - size))
    return patterns


def _drawn(draws: Draws, sizes: Integers) -> Integers:
    """Sums under random signs: twice what is positive, less the whole."""
    eights = np.pad(sizes, (0, -len(sizes) % 8)).reshape(-1, 8)
    # What each of the 256 ways to sign eight clusters makes positive.
    ways = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    positive = np.zeros(PATTERNS, dtype=np.int64)
    for eight in eights:
        positive += (ways @ eight)[draws.octets(PATTERNS)]
    patterns: Integers = 2 * positive - sizes.sum()
    return patterns
