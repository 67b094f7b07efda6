"""Holm's correction: p-values of a family of tests, so that one false alarm in the family is rare.

Formula: over the m tests in ascending order, adjusted_i = max over j ≤ i of min(1, (m − j + 1) p_j)
Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
  Statistics 6 (1979) 65-70; R9
"""

from __future__ import annotations

import polars as pl


def holm(p_values: pl.Expr) -> pl.Expr:
    """Adjusted p-values.

    Parameters
    ----------
    p_values
        p of each test of the family; null = not tested, which does not count. `holm(…).over(…)`
        makes a family of each group.

    Returns
    -------
    A number in [0, 1], null where p is.
    """
    tests = p_values.count().cast(pl.Int64)
    ascending = p_values.sort(nulls_last=True)
    place = pl.int_range(p_values.len())
    adjusted = (ascending * (tests - place)).cum_max().clip(upper_bound=1.0)
    return adjusted.gather(p_values.rank("ordinal") - 1)
