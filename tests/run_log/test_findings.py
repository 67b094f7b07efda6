import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl

from rag_eval_pipeline.run_log.findings import run_log_findings
from rag_eval_pipeline.tables.contract import violations

RowsOf = Callable[..., pl.DataFrame]
FORM = ["case_id", "retrieved", "answer", "source", "status"]


def found(rows_of: RowsOf, *runs: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """check, severity, run and message; runs start one day after the other."""
    rows = [
        {
            "dataset_version": "faq@v1",
            "run_id": f"n{day}",
            "system": "bot",
            "started_at": dt.datetime(2026, 4, day, tzinfo=dt.UTC),
            "logged_fields": FORM,
            "source_path": f"runs/n{day}.jsonl",
            "encoding": "utf-8",
        }
        | run
        for day, run in enumerate(runs, start=1)
    ]
    frame = run_log_findings(rows_of("runs", *reversed(rows)))
    assert violations("dataset_findings", frame) == []
    assert set(frame["stage"]) <= {"run_log"}
    return frame.select("check", "severity", "subject", "message").rows()


def test_runs_that_log_the_same_have_no_findings(rows_of: RowsOf) -> None:
    assert found(rows_of, {}, {}, {}) == []


def test_new_and_lost_fields_are_noted_against_the_run_before(rows_of: RowsOf) -> None:
    changed = [*FORM, "reranker"]
    assert found(rows_of, {"logged_fields": [*FORM, "model"]}, {"logged_fields": changed}) == [
        (
            "fields_changed",
            "note",
            "n2",
            "fields differ from the run before: +reranker, -model",
        )
    ]


def test_a_lost_field_of_the_minimal_form_is_a_warning(rows_of: RowsOf) -> None:
    ((check, severity, run, message),) = found(rows_of, {}, {"logged_fields": FORM[:-1]})
    assert (check, severity, run) == ("fields_changed", "warning", "n2")
    assert message.endswith("missing required field: status")


def test_systems_are_compared_with_themselves_only(rows_of: RowsOf) -> None:
    other = {"system": "other", "logged_fields": ["case_id"]}
    assert found(rows_of, {}, other, {}) == []


def test_an_empty_run_is_a_warning_and_no_measure_for_the_next_one(rows_of: RowsOf) -> None:
    empty = {"flags": ["empty_run"], "logged_fields": []}
    assert [each[:3] for each in found(rows_of, {}, empty, {})] == [("empty_run", "warning", "n2")]


def test_undated_runs_come_first(rows_of: RowsOf) -> None:
    undated = {"started_at": None, "logged_fields": [*FORM, "model"]}
    findings = found(rows_of, {}, undated)
    assert [(each[0], each[2]) for each in findings] == [("fields_changed", "n1")]


def test_how_a_log_was_read_is_said(rows_of: RowsOf) -> None:
    odd = {"encoding": "cp932", "unknown_fields": ["team", "trace"], "flags": ["model:varies"]}
    assert found(rows_of, odd) == [
        ("run_value", "note", "n1", "runs/n1.jsonl: model:varies"),
        ("encoding", "note", "n1", "runs/n1.jsonl was read as cp932"),
        ("unknown_fields", "note", "n1", "runs/n1.jsonl: kept in `extra`: team, trace"),
    ]
