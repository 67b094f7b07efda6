"""Latency, cost, tokens, citations and errors of a pair, over the cases both runs have."""

from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.comparison.figures import FIGURES, compare_figures, shown_items
from rag_eval_pipeline.comparison.slices import groups
from rag_eval_pipeline.tables.contract import violations
from tests.comparison.conftest import cases_of

TOLERANCES = {
    "latency_p50": 10.0,
    "latency_p95": 10.0,
    "cost_per_item": 10.0,
    "citation_rate": 2.0,
    "error_rate": 1.0,
}
IDS = [f"c{number:02}" for number in range(25)]
PAIR = pl.DataFrame({"comparison_id": ["p"], "candidate_run": ["new"], "baseline_run": ["old"]})
SCHEMA = {
    "run_id": pl.String, "case_id": pl.String, "trial": pl.Int64, "latency_ms": pl.Float64,
    "input_tokens": pl.Int64, "output_tokens": pl.Int64, "cost_usd": pl.Float64,
    "source": pl.String, "citations": pl.List(pl.String), "error": pl.String,
}  # fmt: skip


def items(run_id: str, ids: list[str] = IDS, trials: int = 1, **fields: Any) -> pl.DataFrame:
    rows = [
        {"run_id": run_id, "case_id": case, "trial": trial, "citations": []} | fields
        for case in ids
        for trial in range(1, trials + 1)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def figures(
    candidate: pl.DataFrame,
    baseline: pl.DataFrame,
    *,
    citing: set[str] = frozenset(),  # type: ignore[assignment]
    **slices: Any,
) -> dict[str, dict[str, Any]]:
    found = compare_figures(
        PAIR,
        groups(cases_of(IDS, **slices)),
        shown_items(candidate),
        shown_items(baseline),
        citing=set(citing),
        tolerances=TOLERANCES,
    )
    whole = found.with_columns(
        dataset_version=pl.lit("faq@v1"), candidate_run=pl.lit("new"), baseline_run=pl.lit("old"),
        rubric_version=pl.lit("strict@1"),
    )  # fmt: skip
    assert violations("comparison_figures", whole) == []
    assert found["figure"].to_list() == sorted(FIGURES)
    return {row["figure"]: row for row in found.iter_rows(named=True)}


@pytest.mark.parametrize(
    ("before", "now", "standing"),
    [
        (1000.0, 1100.0, "within_tolerance"),
        (1000.0, 1101.0, "worse"),
        (1000.0, 899.0, "better"),
        (0.0, 0.0, "within_tolerance"),
        (0.0, 1.0, "worse"),
    ],
)
def test_latency_is_held_against_a_share_of_the_baseline(
    before: float, now: float, standing: str
) -> None:
    found = figures(items("new", latency_ms=now), items("old", latency_ms=before))
    for name in ("latency_p50_ms", "latency_p95_ms"):
        assert found[name]["standing"] == standing
        assert (found[name]["n_candidate"], found[name]["change"]) == (25, now - before)


def test_the_95th_percentile_needs_20_items_on_each_side() -> None:
    found = figures(items("new", latency_ms=9.0), items("old", IDS[:19], latency_ms=1.0))
    assert found["latency_p50_ms"]["standing"] == "worse"
    assert found["latency_p95_ms"]["standing"] == "too_few"
    assert found["latency_p95_ms"]["candidate"] is None
    assert found["latency_p95_ms"]["n_baseline"] == 19


def test_both_sides_stand_on_the_headline_cases_that_both_have() -> None:
    splits = ["development"] * 5 + ["validation"] * 20
    late = pl.concat(
        [items("new", IDS[5:15], latency_ms=5.0), items("new", IDS[:5], latency_ms=99)]
    )
    found = figures(late, items("old", IDS[10:], latency_ms=5.0), split=splits)["latency_p50_ms"]
    assert (found["n_baseline"], found["n_candidate"]) == (5, 5)
    assert (found["candidate"], found["standing"]) == (5.0, "within_tolerance")


def test_a_total_is_judged_per_item_so_that_more_trials_are_no_rise() -> None:
    found = figures(
        items("new", trials=3, cost_usd=0.01, input_tokens=100),
        items("old", cost_usd=0.01, input_tokens=100),
    )
    assert found["cost_usd"]["candidate"] == pytest.approx(0.75)
    assert found["cost_usd"]["change"] == pytest.approx(0.5)
    assert found["cost_usd"]["standing"] == "within_tolerance"
    assert found["cost_per_item_usd"]["standing"] == "within_tolerance"
    assert found["input_tokens"]["standing"] == "within_tolerance"
    dearer = figures(items("new", cost_usd=0.02), items("old", cost_usd=0.01))
    assert (dearer["cost_usd"]["standing"], dearer["cost_per_item_usd"]["standing"]) == (
        "worse",
        "worse",
    )


def test_what_a_side_does_not_log_has_no_standing() -> None:
    found = figures(items("new", latency_ms=5.0), items("old"), citing={"new"})
    unlogged = [name for name, row in found.items() if row["standing"] == "not_logged"]
    assert sorted(unlogged) == sorted(set(FIGURES) - {"error_rate"})
    assert found["latency_p50_ms"]["change"] is None
    assert found["citation_shown_rate"]["n_candidate"] == 25


def test_citations_are_better_when_there_are_more_and_errors_when_there_are_fewer() -> None:
    some = pl.concat([items("new", IDS[:20], source="d"), items("new", IDS[20:], error="timeout")])
    found = figures(some, items("old", citations=["d"]), citing={"new", "old"})
    assert found["citation_shown_rate"]["standing"] == "worse"
    assert found["citation_shown_rate"]["change"] == pytest.approx(-0.2)
    assert (found["error_rate"]["candidate"], found["error_rate"]["standing"]) == (0.2, "worse")


def test_runs_without_a_common_case_have_no_figures() -> None:
    found = figures(items("new", IDS[:5], latency_ms=1.0), items("old", IDS[5:], latency_ms=1.0))
    assert {row["standing"] for row in found.values()} == {"not_logged"}
    assert {row["n_baseline"] for row in found.values()} == {0}
