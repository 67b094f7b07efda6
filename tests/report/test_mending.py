from collections.abc import Callable

import polars as pl

from rag_eval_pipeline.report.mending import behavior_lines, depth_sentence, matrix, scenarios

RowsOf = Callable[..., pl.DataFrame]


def test_a_deeper_cut_is_told_by_the_smallest_k_that_catches_most(rows_of: RowsOf) -> None:
    same = {"rubric_k": 5, "n_ranked": 30, "n_missed": 9}
    depth = rows_of(
        "retrieval_at_k",
        *({**same, "k": k, "n_caught": caught} for k, caught in ((5, 0), (6, 1), (8, 4), (9, 4))),
    )
    assert depth_sentence(depth) == "k 5→8 would have caught 4 of 9 misses (n = 30)."


def test_nothing_is_said_where_no_cut_would_help_or_there_is_none(rows_of: RowsOf) -> None:
    none = rows_of("retrieval_at_k", {"k": 6, "rubric_k": 5, "n_caught": 0})
    assert depth_sentence(none) is None
    uncut = rows_of("retrieval_at_k", {"k": 6, "rubric_k": None, "n_caught": 3})
    assert depth_sentence(uncut) is None


def test_rates_stand_with_their_n_and_those_without_are_left_out(rows_of: RowsOf) -> None:
    summary = rows_of(
        "abstention_summary",
        {"n_answerable": 4, "answered_rate": 0.75, "over_refusal_rate": 0.25,
         "n_unanswerable": 0},
    )  # fmt: skip
    assert behavior_lines(summary) == (
        "answered of answerable: 0.75 (n = 4)",
        "wrongly refused: 0.25 (n = 4)",
    )


def test_the_matrix_is_that_of_the_headline(rows_of: RowsOf) -> None:
    crossed = rows_of(
        "retrieval_generation_matrix",
        {"dimension": "all", "slice": "headline", "mendable_by": "generation", "case_ids": ["<b>"]},
        {"dimension": "risk", "slice": "high", "mendable_by": "retrieval"},
    )
    assert matrix(crossed)["mendable_by"].to_list() == ["generation"]


def test_only_scenarios_that_do_not_agree_are_shown(rows_of: RowsOf) -> None:
    summary = rows_of(
        "scenario_summary",
        {"scenario_id": "even", "is_split": False},
        {"scenario_id": "split", "is_split": True},
        {"scenario_id": "differ", "is_split": False, "contradicting_values": ["a: 1円 / b: 2円"]},
    )
    assert scenarios(summary)["scenario_id"].to_list() == ["split", "differ"]
