"""How large a difference is still noise, given how much the trials of a case differ.

Formula: max(δ, 1.96 √(v_baseline + v_candidate)), v = Σ_c s²_c / m_c / C², over C cases with m_c
  trials each and their sample variance s²_c
Source: R9
"""

from __future__ import annotations

from math import sqrt

import polars as pl

Z = 1.96


def trial_variance(trials: pl.DataFrame) -> float:
    """Variance that the trials leave in the mean of a run.

    Parameters
    ----------
    trials
        Measured trials of the cases compared: case_id, value in [0, 1]. A case of a single trial
        is taken to vary as the others do on average.

    Returns
    -------
    v; 0 where no case has two trials, since nothing is known then.
    """
    cases = (
        trials.drop_nulls("value")
        .group_by("case_id")
        .agg(spread=pl.col("value").var(), m=pl.len())
        .sort("case_id")
    )
    spread = pl.col("spread").fill_null(pl.col("spread").mean())
    total: float = cases.select((spread / pl.col("m")).sum()).item()
    return total / max(cases.height, 1) ** 2


def tolerance(delta: float, *, baseline: float = 0.0, candidate: float = 0.0) -> float:
    """Tolerance of a comparison, from the rubric's δ and the `trial_variance` of both sides."""
    return max(delta, Z * sqrt(baseline + candidate))
