"""Interval for the difference of two paired proportions: Newcombe's square-and-add, method 10.

The Wilson intervals of both proportions are combined by squaring and adding, with their correlation
φ taken into account. It never leaves [-1, 1], exists where nothing differs, and covers near 95 % at
small n, where the textbook interval collapses to a point.

Formula, with p = share passed, (l, u) its Wilson interval, θ = p_candidate − p_baseline:
- low = θ − √((p_c − l_c)² − 2φ (p_c − l_c)(u_b − p_b) + (u_b − p_b)²)
- high = θ + √((u_c − p_c)² − 2φ (u_c − p_c)(p_b − l_b) + (p_b − l_b)²)
- φ = A / √(product of the four margins), 0 where a margin is 0;
  A = both passed · both failed − worse · better, less n/2 but not below 0 where it is positive
Source: Newcombe, Improved confidence intervals for the difference between binomial proportions
  based on paired data, Statistics in Medicine 17 (1998) 2635-2650; R9
"""

from __future__ import annotations

from math import sqrt

from rag_eval_pipeline.comparison.statistics.normal import Z_95


def newcombe(
    both_passed: int, worse: int, better: int, both_failed: int
) -> tuple[float, float] | None:
    """95 % interval of the candidate's pass rate minus the baseline's.

    Parameters
    ----------
    both_passed, worse, better, both_failed
        Pairs by verdict: `worse` passed before and fails now, `better` the reverse.

    Returns
    -------
    Lower and upper end in [-1, 1]; None without a pair.
    """
    n = both_passed + worse + better + both_failed
    if n == 0:
        return None
    candidate, baseline = both_passed + better, both_passed + worse
    difference = (better - worse) / n
    below, above = _wilson(candidate, n)
    below_baseline, above_baseline = _wilson(baseline, n)
    margins = candidate * (n - candidate) * baseline * (n - baseline)
    excess = both_passed * both_failed - worse * better
    numerator = max(excess - n / 2, 0.0) if excess > 0 else float(excess)
    phi = numerator / sqrt(margins) if margins else 0.0
    low = difference - _added(below, above_baseline, phi)
    high = difference + _added(above, below_baseline, phi)
    return max(low, -1.0), min(high, 1.0)


def _wilson(passed: int, n: int) -> tuple[float, float]:
    """How far the Wilson interval reaches below and above the share."""
    squared = Z_95**2
    share = passed / n
    shift = squared * (0.5 - share) / (n + squared)
    half = Z_95 * sqrt(passed * (n - passed) / n + squared / 4) / (n + squared)
    return max(half - shift, 0.0), max(half + shift, 0.0)


def _added(one: float, other: float, phi: float) -> float:
    # At φ = 1 rounding can take the sum below 0.
    return sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))
