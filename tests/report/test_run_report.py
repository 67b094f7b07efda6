import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.report.run_report import (
    LATEST,
    ReportTables,
    case_rows,
    gather,
    html_report,
    markdown_report,
)
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.warehouse import Change

RowsOf = Callable[..., pl.DataFrame]
VERSION = {"dataset_version": "faq@v1"}
HOSTILE = "<script>x</script>|[a](javascript:b)\n# c\"'&\u202e"
AXES_OF = {
    f"{axis}_{part}": value
    for axis in AXES
    for part, value in (("state", "measured"), ("passed", True))
}


@pytest.fixture
def given(rows_of: RowsOf) -> ReportTables:
    run = {**VERSION, "run_id": "night", "rubric_version": "strict@1"}
    pair = {**VERSION, "comparison_id": "c1", "candidate_run": "night", "baseline_run": "eve"}
    return ReportTables(
        cases=rows_of(
            "cases",
            {**VERSION, "case_id": "q1", "draft": False, "dataset_hash": "abcdef0123456789"},
            {**VERSION, "case_id": "q2", "draft": False, "dataset_hash": "abcdef0123456789"},
        ),
        runs=rows_of(
            "runs",
            {**VERSION, "run_id": "night", "kind": "fixture",
             "started_at": dt.datetime(2026, 4, 2, tzinfo=dt.UTC)},
            {**VERSION, "run_id": "eve", "started_at": dt.datetime(2026, 4, 1, tzinfo=dt.UTC)},
        ),
        case_scores=rows_of(
            "case_scores",
            {**run, **AXES_OF, "case_id": "q1", "passed": True, "reason": "all checks passed"},
            {**run, **AXES_OF, "case_id": "q2", "passed": False, "search_passed": False,
             "format_state": "not_applicable", "diagnosis": "retrieval_miss", "reason": "search"},
            {**run, **AXES_OF, "case_id": "q3", "passed": None, "state": "missing",
             "search_state": "missing", "reason": "missing"},
        ),
        run_summary=rows_of(
            "run_summary",
            *({**run, "scope": scope, "axis": axis, "pass_rate": 0.5, "pass_rate_low": 0.25}
              for scope in ("development", "headline") for axis in ("format", "overall", "search")),
        ),
        failure_summary=rows_of(
            "failure_summary",
            {**run, "diagnosis": "retrieval_miss", "where_to_mend": "retrieval",
             "case_ids": ["q2"]},
        ),
        abstention_summary=rows_of("abstention_summary"),
        retrieval_generation_matrix=rows_of("retrieval_generation_matrix"),
        retrieval_at_k=rows_of("retrieval_at_k"),
        scenario_summary=rows_of("scenario_summary"),
        n_runs=2,
        run_trend=rows_of(
            "run_trend",
            *({**run, "dataset": "faq", "run_id": name, "axis": axis, "pass_rate": rate,
               "pass_rate_low": rate, "pass_rate_high": rate, "n_measured": 4, "n_missing": 0,
               "started_at": dt.datetime(2026, 4, day, tzinfo=dt.UTC), "verdict": verdict}
              for name, day, rate, verdict in (("eve", 1, 0.75, None), ("night", 2, 0.5, "worse"))
              for axis in ("overall", "search")),
        ),
        comparison_summary=rows_of(
            "comparison_summary",
            {**pair, "rubric_version": "strict@1", "dimension": "all", "slice": "all",
             "axis": "overall", "n_pairs": 2, "baseline": 1.0, "candidate": 0.5,
             "difference": -0.5, "interval_low": -0.9, "interval_high": -0.1, "p_value": 0.5,
             "p_adjusted": 0.5, "verdict": "worse", "told": "the whole interval is below 0",
             "simpson": False},
        ),
        comparison_figures=rows_of("comparison_figures"),
        score_change_attribution=rows_of("score_change_attribution"),
        comparisons=rows_of(
            "comparisons",
            {**pair, "rubric_version": "strict@1", "state": "compared",
             "reason": "compared on 2 of 2 cases", "differences": ["model: a → b"]},
        ),
        regressions=rows_of(
            "regressions",
            {**pair, "case_id": "q2", "axis": "overall", "change": "regressed"},
            {**pair, "case_id": "q2", "axis": "search", "change": "regressed"},
            {**pair, "case_id": "q9", "axis": "overall", "change": "gold_changed"},
        ),
        findings=rows_of("dataset_findings"),
        run_files=rows_of("run_files"),
        quarantine=rows_of("quarantine"),
    )  # fmt: skip


def test_the_same_tables_give_the_same_bytes(given: ReportTables) -> None:
    assert markdown_report("faq@v1", given) == markdown_report("faq@v1", given)


def test_what_regressed_stands_above_the_figures(given: ReportTables) -> None:
    report = markdown_report("faq@v1", given)
    assert "\n- regressed: q2\n- gold_changed: q9\n" in report
    assert report.index("- regressed: q2") < report.index("### Scores by")


def test_the_latest_run_comes_first_and_its_kind_is_shown(given: ReportTables) -> None:
    report = markdown_report("faq@v1", given)
    assert report.index("## Run night — fixture") < report.index("## Run eve")


def test_figures_stand_with_their_n_and_bounds_in_order_of_the_axes(given: ReportTables) -> None:
    report = markdown_report("faq@v1", given)
    lines = [line for line in report.split("\n") if line.startswith(("| headline", "| dev"))]
    assert [line.split(" | ")[:2] for line in lines] == [
        ["| headline", "search"],
        ["| headline", "format"],
        ["| headline", "overall"],
        ["| development", "search"],
        ["| development", "format"],
        ["| development", "overall"],
    ]
    header = next(line for line in report.split("\n") if line.startswith("| scope"))
    for name in ("n_cases", "n_missing", "pass_rate", "pass_rate_low", "pass_rate_high"):
        assert name.replace("_", "_") in header


def test_items_that_did_not_pass_are_listed_with_each_axis(given: ReportTables) -> None:
    report = markdown_report("faq@v1", given)
    assert "| q2 | 1 | FAIL | pass | pass | not_applicable | retrieval_miss | search |" in report
    assert "| q3 | 1 | missing | pass | pass | pass | – | missing |" in report
    assert "| q1 | 1 |" not in report


def test_case_rows_show_every_item(given: ReportTables) -> None:
    assert case_rows(given.case_scores)["search"].to_list() == ["pass", "FAIL", "missing"]


def test_a_draft_is_labelled(given: ReportTables, rows_of: RowsOf) -> None:
    assert markdown_report("faq@v1", given).startswith("# faq@v1\n")
    draft = replace(given, cases=rows_of("cases", {**VERSION, "draft": True}))
    assert markdown_report("faq@v1", draft).startswith("# faq@v1 (draft)\n")


def test_trouble_is_told_only_where_there_is_some(given: ReportTables, rows_of: RowsOf) -> None:
    assert "Files not read" not in markdown_report("faq@v1", given)
    troubled = replace(
        given,
        findings=rows_of("dataset_findings", {**VERSION, "check": "target", "message": "few"}),
        run_files=rows_of("run_files", {"path": "runs/x", "state": "rejected", "reason": "cut"}),
        quarantine=rows_of("quarantine", {"source_file": "runs/y", "line": 3, "code": "bad"}),
    )
    report = markdown_report("faq@v1", troubled)
    for words in ("## Files not read", "| runs/x | cut |", "## Rows not used", "| 3 | bad |",
                  "## Findings", "| target |"):  # fmt: skip
        assert words in report


def test_what_regressed_stands_above_the_verdict_and_the_verdict_above_the_scores(
    given: ReportTables,
) -> None:
    for written in (markdown_report, html_report):
        report = written("faq@v1", given)
        places = [report.index(words) for words in ("regressed: q2", "the whole interval is below",
                                                    "Scores by")]  # fmt: skip
        assert places == sorted(places)


def test_both_forms_begin_with_the_latest_run_of_each_system_and_draw_the_trend(
    given: ReportTables,
) -> None:
    report = markdown_report("faq@v1", given)
    assert "| night | – | – |" in report
    assert "50.0 % (n = 4)" in report
    assert "## Trend&#58; 2 runs" in report or "## Trend: 2 runs" in report
    page = html_report("faq@v1", given)
    assert page.count("<svg") == 2
    assert 'aria-label="Cases that pass all axes, by strict: 2 runs in 1 line; night' in page


def test_page_fetches_nothing_and_runs_nothing(given: ReportTables) -> None:
    page = html_report("faq@v1", given)
    for word in ("<script", "<link", "<img", "src=", "href=", "url(", "@import", "onload"):
        assert word not in page
    assert "default-src 'none'" in page


def test_runs_of_a_system_before_its_latest_are_folded_away(given: ReportTables) -> None:
    scores = given.case_scores
    older = replace(
        given, case_scores=pl.concat([scores, scores.with_columns(run_id=pl.lit("eve"))])
    )
    page = html_report("faq@v1", older)
    assert "<details><summary>Scores of eve</summary>" in page
    assert "<summary>Scores of night</summary>" not in page


def test_only_the_latest_runs_are_told_one_by_one_and_how_many_there_are(
    tmp_path: Path, rows_of: RowsOf
) -> None:
    warehouse = DuckDBFile(tmp_path / "w.duckdb", lock_timeout=20)
    runs = rows_of(
        "runs",
        *({**VERSION, "run_id": f"r{day:02}",
           "started_at": dt.datetime(2026, 4, day, tzinfo=dt.UTC)}
          for day in range(1, LATEST + 3)),
    )  # fmt: skip
    warehouse.apply([Change("runs", runs.select(tables.keys("runs")), runs)])
    found = gather(warehouse, "faq@v1")
    assert found.n_runs == LATEST + 2
    assert found.runs["run_id"][0] == f"r{LATEST + 2}"
    assert "r02" not in found.runs["run_id"]
    assert f"the latest {LATEST} of {LATEST + 2} runs" in markdown_report("faq@v1", found)


def test_hostile_text_of_any_table_stays_text(given: ReportTables, rows_of: RowsOf) -> None:
    hostile = replace(
        given,
        run_trend=given.run_trend.with_columns(
            run_id=pl.lit(HOSTILE),
            system=pl.lit(HOSTILE),
            baseline_run=pl.lit(HOSTILE),
            rubric_version=pl.lit(HOSTILE),
        ),
        comparison_summary=given.comparison_summary.with_columns(told=pl.lit(HOSTILE)),
        runs=given.runs.with_columns(run_id=pl.lit(HOSTILE), kind=pl.lit(HOSTILE)),
        case_scores=given.case_scores.with_columns(
            run_id=pl.lit(HOSTILE), case_id=pl.lit(HOSTILE), reason=pl.lit(HOSTILE)
        ),
        comparisons=given.comparisons.with_columns(
            candidate_run=pl.lit(HOSTILE),
            baseline_run=pl.lit(HOSTILE),
            reason=pl.lit(HOSTILE),
            differences=pl.lit([HOSTILE]),
            notes=pl.lit([HOSTILE]),
        ),
        regressions=given.regressions.with_columns(case_id=pl.lit(HOSTILE)),
        findings=rows_of("dataset_findings", {**VERSION, "message": HOSTILE, "subject": HOSTILE}),
        quarantine=rows_of("quarantine", {"source_file": HOSTILE, "reason": HOSTILE}),
    )
    report = markdown_report(HOSTILE, hostile)
    assert "<" not in report
    assert "[a](" not in report
    assert "\n# c" not in report
    assert "javascript:" not in report
    for line in report.split("\n"):
        if line.startswith("|"):
            assert line.endswith("|")
    page = html_report(HOSTILE, hostile)
    assert "<script" not in page
    assert "\u202e" not in page
    assert page.encode()


def test_only_current_rows_and_standing_comparisons_are_gathered(
    tmp_path: Path, rows_of: RowsOf
) -> None:
    warehouse = DuckDBFile(tmp_path / "w.duckdb", lock_timeout=20)
    rows: dict[str, list[dict[str, Any]]] = {
        "runs": [{**VERSION, "run_id": "x"}],
        "case_scores": [
            {**VERSION, "case_id": "now", "current": True},
            {**VERSION, "case_id": "old", "current": False, "rubric_version": "strict@0"},
            {"dataset_version": "other@v1", "case_id": "other"},
        ],
        "comparisons": [
            {**VERSION, "comparison_id": "stands"},
            {**VERSION, "comparison_id": "gone",
             "superseded_at": dt.datetime(2026, 4, 1, tzinfo=dt.UTC)},
        ],
        "run_files": [
            {"path": "runs/a", "dataset_version": "faq@v1"},
            {"path": "runs/b", "dataset_version": "other@v1"},
        ],
    }  # fmt: skip
    warehouse.apply(
        [
            Change(table, frame.select(tables.keys(table)).unique(), frame)
            for table, frame in ((name, rows_of(name, *each)) for name, each in rows.items())
        ]
    )
    found = gather(warehouse, "faq@v1")
    assert found.case_scores["case_id"].to_list() == ["now"]
    assert found.comparisons["comparison_id"].to_list() == ["stands"]
    assert found.run_files["path"].to_list() == ["runs/a"]
