"""Simpson's paradox between two dataset versions, and what is said of it."""

import polars as pl

from rag_eval_pipeline.comparison.headlines import headlines, paradoxes
from rag_eval_pipeline.comparison.slices import groups
from tests.comparison.conftest import Run, Trial, cases_of, run_of

PAIR = pl.DataFrame({"comparison_id": ["p"], "candidate_run": ["new"], "baseline_run": ["old"]})


def rates(run_id: str, **passed: tuple[int, int]) -> pl.DataFrame:
    """Headlines of a run by category: how many of how many cases pass."""
    run: dict[str, list[Trial]] = {}
    categories: list[str] = []
    for category, (good, n) in passed.items():
        run |= {f"{category}-{number}": [1.0 if number < good else 0.0] for number in range(n)}
        categories += [category] * n
    return headlines(run_of(run, run_id), groups(cases_of(list(run), category=categories)))


def found(candidate: pl.DataFrame, baseline: pl.DataFrame) -> list[tuple[object, ...]]:
    turned = paradoxes(PAIR, candidate, baseline)
    return [row[1:] for row in turned.filter(pl.col("axis") == "overall").iter_rows()]


def test_a_whole_that_rises_while_every_category_falls_is_found_and_the_reverse() -> None:
    before = rates("old", easy=(8, 10), hard=(16, 40))
    now = rates("new", easy=(30, 40), hard=(2, 10))
    assert found(now, before) == [("overall", "category", True)]
    old, new = (
        each.with_columns(run_id=pl.lit(name)) for each, name in ((now, "old"), (before, "new"))
    )
    assert found(new, old) == [("overall", "category", False)]


def test_a_slice_that_goes_with_the_whole_is_no_paradox() -> None:
    assert not found(rates("new", a=(9, 10), b=(1, 10)), rates("old", a=(5, 10), b=(2, 10)))


def test_slices_under_five_cases_do_not_count() -> None:
    before = rates("old", easy=(8, 10), hard=(16, 40), few=(0, 4))
    now = rates("new", easy=(30, 40), hard=(2, 10), few=(4, 4))
    assert found(now, before) == [("overall", "category", True)]
    assert "few" not in now["slice"]


def test_missing_cases_and_system_errors_count_as_nothing() -> None:
    run: Run = {"a": [1.0], "b": ["error"], "c": ["missing"], "d": [1.0], "e": ["held_out"]}
    whole = headlines(run_of(run), groups(cases_of(list(run))))
    rate = whole.filter((pl.col("axis") == "overall") & (pl.col("dimension") == "all"))["rate"]
    assert rate.to_list() == [0.5]
