import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.report.run_report import ReportTables, case_rows, gather, markdown_report
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.warehouse import Change

RowsOf = Callable[..., pl.DataFrame]
VERSION = {"dataset_version": "faq@v1"}
HOSTILE = "<script>x</script>|[a](javascript:b)\n# c"
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


def test_hostile_text_of_any_table_stays_text(given: ReportTables, rows_of: RowsOf) -> None:
    hostile = replace(
        given,
        runs=given.runs.with_columns(run_id=pl.lit(HOSTILE), kind=pl.lit(HOSTILE)),
        case_scores=given.case_scores.with_columns(
            run_id=pl.lit(HOSTILE), case_id=pl.lit(HOSTILE), reason=pl.lit(HOSTILE)
        ),
        comparisons=given.comparisons.with_columns(
            candidate_run=pl.lit(HOSTILE),
            baseline_run=pl.lit(HOSTILE),
            reason=pl.lit(HOSTILE),
            differences=pl.lit([HOSTILE]),
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


def test_only_current_rows_and_standing_comparisons_are_gathered(
    tmp_path: Path, rows_of: RowsOf
) -> None:
    warehouse = DuckDBFile(tmp_path / "w.duckdb", lock_timeout=20)
    rows: dict[str, list[dict[str, Any]]] = {
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
