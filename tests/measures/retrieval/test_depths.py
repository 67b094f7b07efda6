"""The pages of the rank measures: what each says of small rankings, and laws that hold for all."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.measures.retrieval.average_precision import average_precision
from rag_eval_pipeline.measures.retrieval.coverage import all_covered, coverage
from rag_eval_pipeline.measures.retrieval.depths import at_depths
from rag_eval_pipeline.measures.retrieval.duplicates import duplicate_share
from rag_eval_pipeline.measures.retrieval.hit import hit
from rag_eval_pipeline.measures.retrieval.ndcg import ndcg
from rag_eval_pipeline.measures.retrieval.precision import precision, precision_ceiling
from rag_eval_pipeline.measures.retrieval.recall import recall

RANKS, GRADES, FOUND = pl.col("ranks"), pl.col("grades"), pl.col("found_grades")
LISTS = pl.List(pl.Int64)

Ranks = list[int | None]


def frame(
    *lists: Ranks | None, grades: list[list[int]] | None = None, found: list[Ranks] | None = None
) -> pl.DataFrame:
    """Rows of ranks; without grades, gold is not graded."""
    ones = [[1] * len(each or []) for each in lists]
    met = [
        None if each is None else [None if rank is None else 1 for rank in each] for each in lists
    ]
    return pl.DataFrame(
        {"ranks": lists, "grades": grades or ones, "found_grades": found or met},
        schema={"ranks": LISTS, "grades": LISTS, "found_grades": LISTS},
    )


def values(measure: pl.Expr, rows: pl.DataFrame) -> list[float | None]:
    return rows.select(measure).to_series().to_list()


def test_hit_asks_for_one_group_within_the_cut() -> None:
    rows = frame([3, None], [5], [None])
    assert values(hit(RANKS, 3), rows) == [1.0, 0.0, 0.0]
    assert values(hit(RANKS), rows) == [1.0, 1.0, 0.0]


def test_recall_counts_groups() -> None:
    rows = frame([3, None], [1, 2], [4, 9])
    assert values(recall(RANKS, 3), rows) == [0.5, 1.0, 0.0]
    assert values(coverage(RANKS), rows) == [0.5, 1.0, 1.0]
    assert values(all_covered(RANKS, 5), rows) == [False, True, False]
    assert values(all_covered(RANKS), rows) == [False, True, True]


def test_precision_divides_by_k_and_stands_beside_its_ceiling() -> None:
    rows = frame([1], [1, 2, 3])
    assert values(precision(RANKS, 2), rows) == [0.5, 1.0]
    assert values(precision_ceiling(RANKS, 2), rows) == [0.5, 1.0]
    assert values(precision(RANKS, 5), rows) == pytest.approx([0.2, 0.6])
    assert values(precision_ceiling(RANKS, 5), rows) == pytest.approx([0.2, 0.6])


def test_average_precision_divides_by_all_groups() -> None:
    rows = frame([1, 3], [2, None], [None])
    assert values(average_precision(RANKS), rows) == pytest.approx([(1 + 2 / 3) / 2, 0.25, 0.0])
    assert values(average_precision(RANKS, 2), rows) == pytest.approx([0.5, 0.25, 0.0])


def test_ndcg_compares_with_the_best_order_of_the_grades() -> None:
    rows = frame([2, 1], grades=[[3, 1]], found=[[3, 1]])
    best = 3 + 1 / math.log2(3)
    assert values(ndcg(RANKS, GRADES, FOUND), rows) == pytest.approx(
        [(1 + 3 / math.log2(3)) / best]
    )
    assert values(ndcg(RANKS, GRADES, FOUND, 1), rows) == pytest.approx([1 / 3])


def test_a_slot_that_covers_two_groups_is_found_for_both_and_earns_once() -> None:
    rows = frame([1, 1])
    assert values(recall(RANKS, 1), rows) == [1.0]
    assert values(precision(RANKS, 1), rows) == [1.0]
    assert values(average_precision(RANKS), rows) == [0.5]
    assert values(ndcg(RANKS, GRADES, FOUND), rows) == pytest.approx([1 / (1 + 1 / math.log2(3))])
    better = frame([1, 1], grades=[[1, 3]], found=[[1, 3]])
    assert values(ndcg(RANKS, GRADES, FOUND, 1), better) == [1.0]


def test_without_gold_or_ranks_every_measure_is_null() -> None:
    measured = frame([], None).select(at_depths([1, 5]))
    assert measured.width == 14
    assert all(column.to_list() == [None, None] for column in measured)
    for measure in (coverage(RANKS), all_covered(RANKS), average_precision(RANKS)):
        assert values(measure, frame([], None)) == [None, None]


def test_shares_of_nothing_retrieved_are_null() -> None:
    rows = pl.DataFrame({"n_duplicates": [2, 0], "n_retrieved": [4, 0]})
    share = duplicate_share(pl.col("n_duplicates"), pl.col("n_retrieved"))
    assert values(share, rows) == [0.5, None]


def test_a_depth_under_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1; found 0"):
        at_depths([5, 0])


@st.composite
def measured_rows(draw: st.DrawFn) -> pl.DataFrame:
    lists, grades, found = [], [], []
    for _ in range(draw(st.integers(1, 4))):
        ranks = draw(st.lists(st.none() | st.integers(1, 12), max_size=5))
        best = [draw(st.integers(1, 3)) for _ in ranks]
        lists.append(ranks)
        grades.append(best)
        found.append(
            [
                None if rank is None else draw(st.integers(1, grade))
                for rank, grade in zip(ranks, best, strict=True)
            ]
        )
    return frame(*lists, grades=grades, found=found)


@given(measured_rows(), st.integers(1, 15))
def test_every_measure_is_a_share_or_null(rows: pl.DataFrame, k: int) -> None:
    for column in rows.select(at_depths([k])):
        for value, ranks in zip(column, rows["ranks"], strict=True):
            if len(ranks) == 0:
                assert value is None
            else:
                assert 0.0 <= value <= 1.0


@given(measured_rows(), st.integers(1, 12))
def test_a_deeper_cut_never_finds_less(rows: pl.DataFrame, k: int) -> None:
    found = rows.select(at_depths([k, k + 1]))
    for name in ("hit", "recall", "reciprocal_rank", "average_precision"):
        shallow, deep = found[f"{name}_at_{k}"], found[f"{name}_at_{k + 1}"]
        assert (deep >= shallow - 1e-12).all()
    assert (found[f"precision_at_{k}"] <= found[f"precision_ceiling_at_{k}"] + 1e-12).all()


@given(measured_rows(), st.lists(st.integers(1, 15), min_size=1, max_size=4, unique=True))
def test_several_depths_at_once_are_each_depth_alone(rows: pl.DataFrame, depths: list[int]) -> None:
    together = rows.select(at_depths(depths))
    for k in depths:
        alone = rows.select(at_depths([k]))
        assert together.select(alone.columns).equals(alone)
