"""Pass and fail of two runs → p, interval, detectable drop, as scipy and statsmodels give them.

The constants were made by `oracle` below with scipy 1.17 and statsmodels 0.15; where both are
installed it is run again.
"""

from math import sqrt
from typing import Any

import pytest

from rag_eval_pipeline.comparison.statistics.estimate import NEWCOMBE, estimate
from rag_eval_pipeline.comparison.statistics.power import detectable_drop
from tests.comparison.statistics.conftest import from_counts

Counts = tuple[int, int, int, int]

# (both passed, worse, better, both failed): p, lower and upper end, detectable drop.
GOLDEN: dict[Counts, tuple[float, float, float, float]] = {
    (10, 0, 0, 0): (1.0, -0.277532799863, 0.277532799863, 0.439740),
    (5, 0, 0, 5): (1.0, -0.166593157081, 0.166593157081, 0.439740),
    (5, 5, 0, 0): (0.0625, -0.763406909487, -0.11736746745, 0.626453),
    (14, 6, 0, 0): (0.03125, -0.518972818354, -0.076754398898, 0.343122),
    (10, 0, 6, 4): (0.03125, 0.066700891853, 0.491205908366, 0.343122),
    (0, 10, 0, 0): (0.001953125, -1.0, -0.607509350431, 0.885938),
    (30, 5, 5, 10): (1.0, -0.128494936062, 0.128494936062, 0.177188),
    (70, 12, 3, 15): (0.03515625, -0.168412484457, -0.013094166158, 0.108505),
    (160, 9, 2, 29): (0.0654296875, -0.071544536601, -0.000601410251, 0.046459),
    (800, 40, 60, 100): (0.05688793364098089, 0.000295150777, 0.039899707985, 0.028016),
}


@pytest.mark.parametrize("counts", GOLDEN)
def test_counts_give_the_recorded_numbers(counts: Counts) -> None:
    pairs = from_counts(*counts)
    found = estimate(pairs, seed="any", single_trial=True)
    p, low, high, drop = GOLDEN[counts]
    assert found.method == NEWCOMBE
    assert found.p_value == pytest.approx(p, abs=1e-12)
    assert found.interval == pytest.approx((low, high), abs=1e-11)
    # The oracle counts the chance of a gain being taken for a drop as power: 1 in a million.
    assert detectable_drop(pairs) == pytest.approx(drop, rel=2e-5)


@pytest.mark.parametrize("counts", GOLDEN)
def test_the_recorded_numbers_are_those_of_scipy_and_statsmodels(counts: Counts) -> None:
    assert oracle(counts) == pytest.approx(GOLDEN[counts], abs=1e-6)


def oracle(counts: Counts) -> tuple[Any, ...]:
    pytest.importorskip("statsmodels")
    from scipy.optimize import brentq
    from scipy.stats import binomtest
    from statsmodels.stats.power import NormalIndPower
    from statsmodels.stats.proportion import proportion_confint

    both, worse, better, neither = counts
    n = sum(counts)
    p = binomtest(min(worse, better), worse + better).pvalue if worse + better else 1.0
    now, before = (both + better) / n, (both + worse) / n
    low_now, high_now = proportion_confint(both + better, n, method="wilson")
    low_before, high_before = proportion_confint(both + worse, n, method="wilson")
    excess = both * neither - worse * better
    excess = max(excess - n / 2, 0) if excess > 0 else excess
    margins = (both + better) * (worse + neither) * (both + worse) * (better + neither)
    phi = excess / sqrt(margins) if margins else 0
    ends = [
        (now - before) + sign * sqrt(max(one**2 - 2 * phi * one * other + other**2, 0))
        for sign, one, other in (
            (-1, now - low_now, high_before - before),
            (1, high_now - now, before - low_before),
        )
    ]

    def lacking(drop: float) -> float:
        deviation = sqrt(max((worse + better) / n, drop * (1 - drop)))
        power = NormalIndPower(ddof=0).power(drop / deviation, n, 0.05, ratio=0)
        return float(power) - 0.8

    return p, max(ends[0], -1.0), min(ends[1], 1.0), brentq(lacking, 1e-6, 1 - 1e-9)
