"""The verdict of a comparison: the first of five that holds (R9)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal

from rag_eval_pipeline.comparison.statistics.estimate import Estimate
from rag_eval_pipeline.comparison.statistics.paired import Paired
from rag_eval_pipeline.comparison.statistics.power import detectable_drop, needed_n

Label = Literal["insufficient_data", "within_noise", "worse", "better", "inconclusive"]
MIN_MEASURED = 0.9


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict and one sentence that says what it rests on.

    `detectable_drop` and `needed_n` say what this n could show and what the tolerance would take;
    None where there is no such number.
    """

    label: Label
    sentence: str
    detectable_drop: float | None
    needed_n: int | None


def verdict(
    pairs: Paired,
    found: Estimate,
    *,
    n_core: int,
    tolerance: float,
    min_measured: float = MIN_MEASURED,
) -> Verdict:
    """Judge a difference.

    Parameters
    ----------
    pairs
        The pairs measured on both sides.
    found
        Their estimate.
    n_core
        Cases of the core that could have been measured.
    tolerance
        Difference that counts as none, in [0, 1].
    min_measured
        Share of the core that has to be measured on both sides.
    """
    label, sentence = _judge(pairs, found, n_core, tolerance, min_measured)
    drop, needed = detectable_drop(pairs), needed_n(pairs, tolerance)
    if label == "inconclusive":
        shown = "no drop at all" if drop is None else f"drops of {_upwards(drop)} points or more"
        sentence = f"no change detected; this n ({pairs.n}) could show {shown}"
        if needed is not None:
            sentence += f"; n = {needed} would be needed for {_points(tolerance)} points"
    return Verdict(label, sentence, drop, needed)


def _judge(
    pairs: Paired, found: Estimate, n_core: int, tolerance: float, min_measured: float
) -> tuple[Label, str]:
    if pairs.n == 0:
        return "insufficient_data", f"none of the {n_core} cases is measured on both sides"
    if pairs.n / max(n_core, pairs.n) < min_measured:
        return "insufficient_data", (
            f"{pairs.n} of {n_core} cases are measured on both sides, under the "
            f"{_points(min_measured)} % asked for"
        )
    if pairs.n_differing == 0:
        return "within_noise", f"none of the {pairs.n} pairs differs"
    if found.interval is None:
        return "inconclusive", ""
    low, high = found.interval
    span = f"95 % interval {_signed(low)} to {_signed(high)} points"
    if -tolerance <= low and high <= tolerance:
        return "within_noise", f"{span}, all within ±{_points(tolerance)}"
    if high < 0:
        return "worse", f"{span}, all below 0"
    if low > 0:
        return "better", f"{span}, all above 0"
    return "inconclusive", ""


def _points(share: float) -> str:
    return f"{share * 100:.4g}"


def _signed(share: float) -> str:
    return f"{share * 100:+.1f}"


def _upwards(share: float) -> str:
    # Rounded to nearest, the sentence could promise more than holds.
    return f"{ceil(share * 1000 - 1e-9) / 10:g}"
