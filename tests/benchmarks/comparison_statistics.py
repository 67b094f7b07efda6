"""Bootstrap against scipy.stats.bootstrap, exact McNemar against a loop over scipy's binomtest.

python tests/benchmarks/comparison_statistics.py --tests 100000

Both sides make 10,000 resamples of the same differences and a percentile interval. Printed are the
medians of CPU seconds (all threads) over paired rounds, and their ratio. `passes` are differences
of pass and fail, `tenths` those of scores in tenths, `continuous` are all distinct. Adding the
differences up by cluster is not timed: it is done once for interval, test and power, and takes a
few milliseconds. Of the loop a part is timed and its rate taken.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
import polars as pl
from scipy import stats

from rag_eval_pipeline.comparison.statistics.bootstrap import RESAMPLES, bootstrap
from rag_eval_pipeline.comparison.statistics.mcnemar import mcnemar, mcnemar_column
from rag_eval_pipeline.comparison.statistics.paired import Paired, paired

BOOTSTRAP_BAR, MCNEMAR_BAR = 25, 500
KINDS = ("passes", "tenths", "continuous")
LOOPED = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, nargs="*", default=[200, 1000, 10_000])
    parser.add_argument("--tests", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    for kind in KINDS:
        for n in arguments.cases:
            resampled(kind, n, rounds=arguments.rounds)
    whole_comparison(rounds=arguments.rounds)
    # Pairs that changed, of 1,000 cases: up to a fifth, and up to all.
    for most in (200, 1000):
        tested(arguments.tests, most, rounds=arguments.rounds)


def resampled(kind: str, n: int, *, rounds: int) -> None:
    differences = drawn(kind, n)
    pairs = as_pairs(differences)

    def ours() -> tuple[float, float]:
        found = bootstrap(pairs, seed="benchmark")
        assert found is not None
        return found

    def theirs() -> tuple[float, float]:
        low, high = stats.bootstrap(
            (differences,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=7,
            batch=max(10_000_000 // n, 1),
        ).confidence_interval  # fmt: skip
        return low, high

    assert np.allclose(ours(), theirs(), atol=0.15 * differences.std() / n**0.5 + 1.5 / n)
    mine, other = timed(ours, rounds), timed(theirs, rounds)
    report(f"bootstrap {kind}", n, mine, other, BOOTSTRAP_BAR)


def whole_comparison(*, rounds: int) -> None:
    """Eight metrics of pass and fail over 10,000 cases, of all and of 30 slices."""
    whole = drawn("passes", 10_000)
    slices = [as_pairs(part) for part in (whole, *np.array_split(whole, 30))]

    def ours() -> None:
        for pairs in slices * 8:
            bootstrap(pairs, seed="benchmark")

    def theirs() -> None:
        # One metric; the others are alike.
        for part in (whole, *np.array_split(whole, 30)):
            stats.bootstrap((part,), np.mean, n_resamples=RESAMPLES, method="percentile",
                            batch=max(10_000_000 // len(part), 1))  # fmt: skip

    mine, other = timed(ours, rounds), 8 * timed(theirs, rounds)
    report("bootstrap 8 x 31", len(whole), mine, other, BOOTSTRAP_BAR)


def drawn(kind: str, n: int) -> np.ndarray:
    chance = np.random.default_rng(20_260_401)
    if kind == "passes":
        return chance.choice([-1.0, 0.0, 1.0], p=[0.12, 0.8, 0.08], size=n)
    if kind == "tenths":
        return chance.integers(-10, 11, size=n) / 10
    return chance.uniform(-1, 1, size=n)


def as_pairs(differences: np.ndarray) -> Paired:
    frame = pl.DataFrame({"candidate": differences.clip(0), "baseline": -differences.clip(None, 0)})
    return paired(
        frame.with_columns(
            case_id=pl.int_range(pl.len()).cast(pl.String),
            cluster=pl.lit(None, pl.String),
            candidate_passed=pl.col("candidate") == 1,
            baseline_passed=pl.col("baseline") == 1,
        )
    )


def tested(n_tests: int, most: int, *, rounds: int) -> None:
    chance = np.random.default_rng(20_260_402)
    changed = chance.integers(0, most + 1, size=n_tests)
    worse = pl.Series("worse", chance.integers(0, changed + 1))
    better = pl.Series("better", changed) - worse
    some = [(w, b) for w, b in first_rows(worse, better) if w + b]

    def loop() -> list[float]:
        return [float(stats.binomtest(min(w, b), w + b, 0.5).pvalue) for w, b in some]

    assert np.allclose(loop(), [mcnemar(w, b) for w, b in some], rtol=1e-9)
    mine = timed(lambda: mcnemar_column(worse, better), rounds)
    other = timed(loop, rounds) / len(some) * n_tests
    report(f"McNemar, m up to {most}", n_tests, mine, other, MCNEMAR_BAR)


def first_rows(worse: pl.Series, better: pl.Series) -> Iterator[tuple[int, int]]:
    return zip(worse.head(LOOPED).to_list(), better.head(LOOPED).to_list(), strict=True)


def timed(run: Callable[[], object], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return median(seconds)


def report(name: str, n: int, mine: float, other: float, bar: int) -> None:
    print(f"{name:<21} n = {n:>7,} {mine * 1000:9.1f} ms against {other * 1000:11.1f} ms "
          f"{other / mine:8,.1f} x (bar {bar})")  # fmt: skip


if __name__ == "__main__":
    main()
