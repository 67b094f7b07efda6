"""Difference, interval and test of a comparison, by methods that fit its data (R9)."""

from __future__ import annotations

from dataclasses import dataclass

from rag_eval_pipeline.comparison.statistics.bootstrap import bootstrap
from rag_eval_pipeline.comparison.statistics.mcnemar import mcnemar
from rag_eval_pipeline.comparison.statistics.newcombe import newcombe
from rag_eval_pipeline.comparison.statistics.paired import Paired
from rag_eval_pipeline.comparison.statistics.sign_flip import sign_flip

# Under six pairs no test can reach .05.
MIN_TESTED_PAIRS = 6
NEWCOMBE = "newcombe_mcnemar"
BOOTSTRAP = "bootstrap_sign_flip"


@dataclass(frozen=True, slots=True)
class Estimate:
    """Mean paired difference with its 95 % interval and two-sided p.

    `interval` is None where there is nothing to tell it from, `p_value` also where the slice was
    not to be tested.
    """

    method: str
    difference: float | None
    interval: tuple[float, float] | None
    p_value: float | None


def estimate(pairs: Paired, *, seed: str, single_trial: bool, min_tested: int = 1) -> Estimate:
    """Estimate the difference.

    Single-trial pass and fail, each case a cluster of its own: Newcombe's interval and exact
    McNemar. Everything else: bootstrap and sign flips over clusters. Both former methods take cases
    to be independent, which the variants of one scenario are not.

    Parameters
    ----------
    pairs
        Differences by cluster.
    seed
        Text that decides random draws: the id of the comparison.
    single_trial
        Whether both sides have one trial a case.
    min_tested
        Pairs under which no p is given; `MIN_TESTED_PAIRS` for slices.
    """
    tested = pairs.n >= min_tested
    if single_trial and pairs.pass_fail and not pairs.clustered:
        interval = newcombe(pairs.both_passed, pairs.worse, pairs.better, pairs.both_failed)
        p_value = mcnemar(pairs.worse, pairs.better) if tested and pairs.n else None
        return Estimate(NEWCOMBE, pairs.difference, interval, p_value)
    interval = bootstrap(pairs, seed=seed)
    p_value = sign_flip(pairs, seed=seed) if tested else None
    return Estimate(BOOTSTRAP, pairs.difference, interval, p_value)
