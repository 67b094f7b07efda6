"""Exact McNemar test: could chance alone have split the changed pairs so unevenly?

Of m pairs that changed, as many should have become better as worse if nothing is different. It is
the exact conditional test, not mid-p and not the χ² approximation.

Formula: p = min(1, 2 · P(X ≤ min(worse, better))), X ~ Binomial(m, ½), m = worse + better
Source: McNemar, Psychometrika 12 (1947) 153-157; exact form as `scipy.stats.binomtest`; R9
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl


def mcnemar(worse: int, better: int) -> float:
    """Two-sided p of one split; 1 where nothing changed."""
    tail = _tails(worse + better)[min(worse, better)]
    return min(1.0, 2.0 * float(tail))


def mcnemar_column(worse: pl.Series, better: pl.Series) -> pl.Series:
    """Two-sided p of each split; null where a count is null."""
    counts = pl.DataFrame({"worse": worse, "better": better}).cast(pl.Int64)
    known = counts.select(pl.all_horizontal(pl.all().is_not_null())).to_series()
    counted = counts.filter(known)
    changed = (counted["worse"] + counted["better"]).to_numpy()
    fewer = counted.min_horizontal().to_numpy()
    # One table of tails for each number of changed pairs, all behind one another.
    distinct, place = np.unique(changed, return_inverse=True)
    tables = [_tails(int(m)) for m in distinct]
    starts = np.cumsum([0, *map(len, tables)])
    tails = np.concatenate((*tables, np.empty(0)))[starts[place] + fewer]
    p_values = pl.Series("p_value", [None] * len(known), dtype=pl.Float64)
    return p_values.scatter(known.arg_true(), np.minimum(1.0, 2.0 * tails))


def _tails(m: int) -> npt.NDArray[np.float64]:
    """P(X ≤ k) of a fair binomial for k = 0 … m // 2."""
    middle = m // 2
    # Probabilities relative to the middle one, downwards: no factorial, nothing overflows.
    k = np.arange(middle, 0, -1, dtype=np.float64)
    relative = np.cumprod(np.concatenate(([1.0], k / (m - k + 1))))[::-1]
    upto = np.cumsum(relative)
    # The upper half mirrors the lower; an even m has its middle once.
    whole = 2 * upto[-1] - (1.0 if m % 2 == 0 else 0.0)
    tails: npt.NDArray[np.float64] = upto / whole
    return tails
