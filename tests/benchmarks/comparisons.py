"""Comparing many due pairs at once: CPU seconds and peak memory, from scores to tables.

python tests/benchmarks/comparisons.py --pairs 250 --cases 1000

Each run is held against the one before it, over nine categories, three risks and two splits.
`passes` are scores of pass and fail, `graded` ones in thirteenths, of which the intervals are
bootstrapped. Printed per stage; nothing is read from a warehouse.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
import polars as pl

from rag_eval_pipeline.comparison.regressions import (
    PAIRS,
    Core,
    changes,
    core_cases,
    outside,
    run_results,
    side_by_side,
)
from rag_eval_pipeline.comparison.slices import groups
from rag_eval_pipeline.comparison.summary import summarise
from rag_eval_pipeline.tables.model import AXES

GRADED = ("search", "evidence", "behavior")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=1)
    arguments = parser.parse_args()
    for kind in ("passes", "graded"):
        compared(kind, arguments.pairs, arguments.cases, arguments.trials)


def compared(kind: str, n_pairs: int, n_cases: int, trials: int) -> None:
    cases = drawn_cases(n_cases)
    chance = np.random.default_rng(20_260_403)
    scores = pl.concat(
        [drawn_scores(chance, f"r{each}", cases, trials, kind) for each in range(n_pairs + 1)]
    )
    pairs = pl.DataFrame(
        [(f"p{each:05}", 0, f"r{each + 1}", f"r{each}", None) for each in range(n_pairs)],
        schema=PAIRS,
        orient="row",
    )
    core = Core(tuple(cases["case_id"]), (), (), ())
    results = timed("results", lambda: run_results(scores))
    both = timed("side by side", lambda: side_by_side(pairs, core_cases([core]), results, results))
    timed("changes", lambda: changes(both, outside([], [])))
    found = timed(
        "summary", lambda: summarise(both, groups(cases), tolerance=0.02, min_measured=0.9)
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{kind}: {n_pairs} pairs x {n_cases} cases, {found.height} rows, peak {peak:.2f} GiB")


def drawn_cases(n: int) -> pl.DataFrame:
    place = pl.int_range(n, eager=True)
    return pl.DataFrame({"case_id": place.cast(pl.String).str.zfill(6)}).with_columns(
        lifecycle=pl.lit("approved"),
        split=pl.when(place % 3 > 0).then(pl.lit("validation")).otherwise(pl.lit("development")),
        category=pl.format("kind {}", place % 9),
        risk=pl.format("risk {}", place % 4),
        language=pl.lit("ja"),
        scenario_id=pl.lit(None, pl.String),
    )


def drawn_scores(
    chance: np.random.Generator, run_id: str, cases: pl.DataFrame, trials: int, kind: str
) -> pl.DataFrame:
    n = cases.height * trials
    columns: dict[str, object] = {}
    passed = np.ones(n, dtype=bool)
    for axis in AXES:
        partial = chance.integers(0, 13, n) / 13 if kind == "graded" and axis in GRADED else 0.0
        score = np.where(chance.random(n) < 0.9, 1.0, partial)
        columns |= {f"{axis}_score": score, f"{axis}_passed": score == 1}
        passed &= score == 1
    return pl.DataFrame(columns).with_columns(
        *(pl.lit("measured").alias(f"{axis}_state") for axis in AXES),
        run_id=pl.lit(run_id),
        case_id=pl.concat([cases["case_id"]] * trials),
        score=pl.lit(1.0),
        passed=pl.Series(passed),
        state=pl.lit("measured"),
        also=pl.lit([], dtype=pl.List(pl.String)),
    )


def timed(stage: str, make: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    begin = time.process_time()
    made = make()
    print(f"  {stage:<13} {time.process_time() - begin:8.2f} s")
    return made


if __name__ == "__main__":
    main()
