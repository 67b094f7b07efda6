"""Simpson's paradox: the whole rises while every slice falls, or the reverse.

It cannot happen to the paired difference, which is a weighted mean of those of its slices. It
happens to headlines whose mix of cases differs, so it is the headlines' differences that belong
here.

Source: Simpson, The interpretation of interaction in contingency tables, JRSS B 13 (1951) 238-241
"""

from __future__ import annotations

from collections.abc import Iterable


def simpson(whole: float | None, slices: Iterable[float | None]) -> bool:
    """Whether every slice moved against the whole.

    Parameters
    ----------
    whole
        Difference of the headline; None = unknown.
    slices
        Differences of the slices of one dimension; None = without a rate, left out.

    Returns
    -------
    False also where fewer than two slices have a rate.
    """
    known = [move for move in slices if move is not None]
    return whole is not None and len(known) > 1 and all(move * whole < 0 for move in known)
