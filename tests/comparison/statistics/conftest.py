"""Pairs of a comparison, written down by their counts, values or differences."""

from collections.abc import Sequence

import polars as pl

from rag_eval_pipeline.comparison.statistics.paired import Paired, paired

SCHEMA = {
    "case_id": pl.String,
    "cluster": pl.String,
    "candidate": pl.Float64,
    "baseline": pl.Float64,
    "candidate_passed": pl.Boolean,
    "baseline_passed": pl.Boolean,
}

Values = Sequence[tuple[float | None, float | None]]


def pairs_frame(values: Values, clusters: Sequence[str | None] | None = None) -> pl.DataFrame:
    """(candidate, baseline) of each case; a value passes when it is 1."""
    rows = [
        (
            f"case-{number}",
            clusters[number] if clusters else None,
            candidate,
            baseline,
            None if candidate is None else candidate == 1,
            None if baseline is None else baseline == 1,
        )
        for number, (candidate, baseline) in enumerate(values)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def from_counts(both_passed: int, worse: int, better: int, both_failed: int) -> Paired:
    return paired(
        pairs_frame(
            [(1.0, 1.0)] * both_passed
            + [(0.0, 1.0)] * worse
            + [(1.0, 0.0)] * better
            + [(0.0, 0.0)] * both_failed
        )
    )


def from_differences(
    differences: Sequence[float], clusters: Sequence[str | None] | None = None
) -> Paired:
    return paired(pairs_frame([(max(d, 0.0), max(-d, 0.0)) for d in differences], clusters))
