import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.paired import paired, paired_by
from tests.comparison.statistics.conftest import from_differences, pairs_frame


def test_pairs_are_counted_by_what_became_of_them() -> None:
    found = paired(pairs_frame([(1, 1), (0, 1), (0, 1), (1, 0), (0, 0)]))
    assert (found.both_passed, found.worse, found.better, found.both_failed) == (1, 2, 1, 1)
    assert (found.n, found.n_differing, found.difference) == (5, 3, -0.2)
    assert found.pass_fail


def test_a_case_measured_on_one_side_is_no_pair() -> None:
    found = paired(pairs_frame([(1, 0), (None, 1), (1, None), (None, None)]))
    assert (found.n, found.difference) == (1, 1.0)


def test_without_a_pair_there_is_no_difference() -> None:
    found = paired(pairs_frame([]))
    assert (found.n, found.n_clusters, found.difference) == (0, 0, None)


def test_shares_add_up_exactly() -> None:
    found = paired(pairs_frame([(1 / 3, 0), (2 / 3, 0), (0.1, 0.3), (0.0, 0.8)]))
    assert found.difference == 0.0
    assert from_differences([0.1, 0.2, -0.3]).difference == 0.0
    assert len(from_differences([0.1 + 0.2, 0.3]).kinds) == 1


def test_the_cases_of_a_scenario_are_one_cluster() -> None:
    found = from_differences([0.5, 0.5, -1, 0.25], ["s", "s", None, None])
    assert (found.n, found.n_clusters, found.clustered) == (4, 3, True)
    assert found.difference == 0.0625


def test_a_scenario_named_like_a_case_is_another_cluster() -> None:
    assert from_differences([0.5, 0.5, 1], ["case-2", "case-2", None]).n_clusters == 2


def test_a_value_that_is_not_its_verdict_is_no_pass_or_fail() -> None:
    assert not from_differences([0.5, 1.0]).pass_fail
    lenient = pairs_frame([(1, 1), (0, 1)]).with_columns(candidate_passed=pl.lit(value=True))
    assert not paired(lenient).pass_fail
    unknown = pairs_frame([(1, 1)]).with_columns(baseline_passed=pl.lit(None, pl.Boolean))
    assert not paired(unknown).pass_fail


def test_two_rows_for_one_case_are_refused() -> None:
    twice = pl.concat([pairs_frame([(1, 1)])] * 2)
    with pytest.raises(ValueError, match="more than one row for case-0"):
        paired(twice)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_value_outside_the_scale_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="outside 0 to 1 for case-1"):
        paired(pairs_frame([(1, 1), (1, value)]))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_swapping_the_sides_turns_the_difference(values: list[tuple[float, float]]) -> None:
    found = paired(pairs_frame(values)).difference
    swapped = paired(pairs_frame([(b, a) for a, b in values])).difference
    assert found is not None
    assert swapped == -found
    assert found == pytest.approx(sum(a - b for a, b in values) / len(values), abs=1e-9)


def test_many_groups_at_once_are_as_each_alone() -> None:
    scores = [(1.0, 0.0), (0.5, 1.0), (None, 1.0), (1.0, 1.0)]
    frames = [
        pairs_frame(scores[start:], clusters)
        for start, clusters in ((0, ["s", "s", None, None]), (1, None), (2, None))
    ]
    frame = pl.concat(
        each.with_columns(run=pl.lit(f"r{number}"), axis=pl.lit("search"))
        for number, each in enumerate(frames)
    )
    found = paired_by(frame.reverse(), ["run", "axis"])
    assert found == {(f"r{number}", "search"): paired(each) for number, each in enumerate(frames)}
    assert paired_by(frame.filter(pl.col("baseline").is_null()), ["run"]) == {}
