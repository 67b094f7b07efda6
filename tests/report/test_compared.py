from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from rag_eval_pipeline.report.blocks import Block, Bullets, Rows, Sentence
from rag_eval_pipeline.report.compared import (
    PARADOX,
    changed_axes,
    comparison_blocks,
    figure_rows,
    moved_rows,
    slice_rows,
    verdict_rows,
)

RowsOf = Callable[..., pl.DataFrame]
PAIR = {"comparison_id": "p", "candidate_run": "new", "baseline_run": "old",
        "rubric_version": "claims@1"}  # fmt: skip
WHOLE = {**PAIR, "dimension": "all", "slice": "all"}
JUDGED = {**WHOLE, "axis": "overall", "n_pairs": 40, "baseline": 0.9, "candidate": 0.65,
          "difference": -0.25, "interval_low": -0.4, "interval_high": -0.1, "p_value": 0.01,
          "p_adjusted": 0.04, "verdict": "worse", "told": "why"}  # fmt: skip


def blocks(rows_of: RowsOf, **given: pl.DataFrame) -> list[Block]:
    comparison = rows_of(
        "comparisons",
        {**PAIR, "state": "compared", "notes": ["the mix changed"], "flaky_case_ids": ["f"]},
    ).row(0, named=True)
    names = ("regressions", "comparison_summary", "comparison_figures", "score_change_attribution",
             "case_scores", "cases")  # fmt: skip
    return comparison_blocks(comparison, *(given.get(name, rows_of(name)) for name in names))


def test_ids_stand_above_every_figure(rows_of: RowsOf) -> None:
    found = blocks(
        rows_of,
        regressions=rows_of(
            "regressions",
            *({**PAIR, "case_id": "q1", "axis": axis, "change": "regressed"}
              for axis in ("overall", "search")),
        ),
        comparison_summary=rows_of("comparison_summary", JUDGED),
    )  # fmt: skip
    lists = [each.items if isinstance(each, Bullets) else () for each in found]
    tables = [each.frame.columns if isinstance(each, Rows) else [] for each in found]
    (ids,) = [place for place, items in enumerate(lists) if "regressed: q1" in items]
    assert lists[ids] == ("regressed: q1", "flaky: f")
    assert ids < min(place for place, columns in enumerate(tables) if columns)


def test_a_refused_pair_shows_lists_and_no_rates(rows_of: RowsOf) -> None:
    assert not [each for each in blocks(rows_of) if isinstance(each, Rows)]


def test_a_paradox_cannot_be_overlooked(rows_of: RowsOf) -> None:
    calm = rows_of("comparison_summary", {**JUDGED, "simpson": False})
    assert Sentence(PARADOX, loud=True) not in blocks(rows_of, comparison_summary=calm)
    odd = rows_of("comparison_summary", {**JUDGED, "simpson": True})
    assert Sentence(PARADOX, loud=True) in blocks(rows_of, comparison_summary=odd)


def test_rows_of_other_pairs_are_left_out(rows_of: RowsOf) -> None:
    other = rows_of("comparison_summary", {**JUDGED, "comparison_id": "q"})
    assert not [
        each for each in blocks(rows_of, comparison_summary=other) if isinstance(each, Rows)
    ]


def test_a_verdict_stands_with_n_both_sides_interval_and_adjusted_p(rows_of: RowsOf) -> None:
    (row,) = verdict_rows(rows_of("comparison_summary", JUDGED)).to_dicts()
    assert row == {
        "axis": "overall", "n": 40, "before": "90.0 %", "after": "65.0 %", "difference": "−25.0",
        "95 % interval": "−40.0 to −10.0", "p": 0.04, "verdict": "worse", "told": "why",
    }  # fmt: skip


def test_what_is_not_known_is_null_and_never_nought(rows_of: RowsOf) -> None:
    (row,) = verdict_rows(rows_of("comparison_summary", {**WHOLE, "axis": "search"})).to_dicts()
    assert [row[name] for name in ("before", "difference", "95 % interval", "p", "verdict")] == [
        None
    ] * 5


def test_only_slices_that_moved_are_seen_worse_ones_first(rows_of: RowsOf) -> None:
    summary = rows_of(
        "comparison_summary",
        JUDGED,
        *({**JUDGED, "dimension": "risk", "slice": name, "verdict": verdict}
          for name, verdict in (("a", "better"), ("b", "inconclusive"), ("c", "worse"),
                                ("d", None))),
    )  # fmt: skip
    assert slice_rows(summary)["slice"].to_list() == ["risk c", "risk a"]


def test_a_figure_that_no_side_logs_is_left_out(rows_of: RowsOf) -> None:
    figures = rows_of(
        "comparison_figures",
        {**PAIR, "figure": "latency_p50_ms", "baseline": 1.0, "standing": "within_tolerance"},
        {**PAIR, "figure": "cost_usd", "standing": "not_logged"},
    )
    assert figure_rows(figures).select("figure", "standing").rows() == [
        ("latency_p50_ms", "within tolerance")
    ]


def test_high_risk_comes_first_and_a_failed_trial_says_why(rows_of: RowsOf) -> None:
    changes = rows_of(
        "regressions",
        *({**PAIR, "case_id": case, "axis": "search", "change": change}
          for case, change in (("a", "regressed"), ("b", "regressed"), ("c", "recovered"))),
    )  # fmt: skip
    scores = rows_of(
        "case_scores",
        {"case_id": "b", "trial": 1, "passed": True, "reason": "all checks passed"},
        {"case_id": "b", "trial": 2, "passed": False, "reason": "nothing found"},
    )
    cases = rows_of("cases", {"case_id": "a", "risk": "low"}, {"case_id": "b", "risk": "high"})
    found = changed_axes(changes, scores, cases)
    assert found.select("case", "risk").rows() == [("b", "high"), ("a", "low"), ("c", None)]
    assert found["why"][0] == "nothing found"


def test_parts_of_the_move_add_up_and_name_their_cases(rows_of: RowsOf) -> None:
    of_headline: dict[str, Any] = {
        **WHOLE, "axis": "overall", "figure": "passed", "baseline_headline": 0.5,
        "candidate_headline": 0.6111, "n_baseline": 10, "n_candidate": 9,
    }  # fmt: skip
    parts = rows_of(
        "score_change_attribution",
        {**of_headline, "part": "mix", "label": "mix", "amount": 0.0111},
        {**of_headline, "part": "system", "label": "index A→B", "amount": 0.1,
         "case_ids": list("abcdefg"), "contributions": [0.1] * 7},
        {**of_headline, "figure": "score", "part": "system", "label": "system", "amount": 0.3},
    )  # fmt: skip
    rows = moved_rows(parts).rows()
    assert rows[0] == ("overall", "headline", "+11.1", "50.0 % (n = 10) → 61.1 % (n = 9)")
    assert [row[1:3] for row in rows[1:]] == [("index A→B", "+10.0"), ("mix", "+1.1")]
    assert rows[1][3].endswith("e +10.0; and 2 more")


def test_a_headline_with_nothing_measured_is_not_split(rows_of: RowsOf) -> None:
    parts = rows_of(
        "score_change_attribution",
        {**WHOLE, "axis": "overall", "figure": "passed", "part": "system", "amount": None},
    )
    assert moved_rows(parts).is_empty()
