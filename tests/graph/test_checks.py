"""Checks stop a frozen partition and only warn in a draft."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.defs import dataset as dataset_assets

DOWNSTREAM = ("run_items", "case_scores", "run_summary")
UNREADABLE = {"id": "c9", "expected": "9時", "evidence": "hours", "status": "answer"}


def edit(cases: Path, **fields: str) -> None:
    """Change fields of the first case."""
    first, *others = cases.read_text(encoding="utf-8").splitlines()
    row = json.dumps(json.loads(first) | fields, ensure_ascii=False)
    cases.write_text("\n".join([row, *others]) + "\n", encoding="utf-8")


def add_unreadable(cases: Path) -> None:
    """Add a case without question."""
    with cases.open("a", encoding="utf-8") as file:
        file.write(json.dumps(UNREADABLE, ensure_ascii=False) + "\n")


def cases_of(place: Any) -> Path:
    return place.data / "datasets" / "library" / "v1" / "cases.jsonl"


def test_rejected_case_stops_a_frozen_version(place: Any) -> None:
    add_unreadable(cases_of(place))
    place.run("night-3", "2026-04-04T02:00:00+09:00")

    (outcome,) = place.night(job="ingest")

    assert not outcome.succeeded
    (said,) = outcome.failures
    assert "rejected_cases" in said
    assert "datasets/library/v1/cases.jsonl, line 4" in said
    assert "night-3" not in place.rows("runs")["run_id"]


def test_edited_gold_stops_a_frozen_version_and_names_the_case(place: Any) -> None:
    edit(cases_of(place), expected="10時")
    place.run("night-3", "2026-04-04T02:00:00+09:00")

    (outcome,) = place.night(job="ingest")

    assert not outcome.succeeded
    (said,) = outcome.failures
    assert "frozen_hash" in said
    assert "'c1'" in said
    assert "--amend" in said
    assert "night-3" not in place.rows("runs")["run_id"]
    assert place.rows("cases").filter(pl.col("case_id") == "c1")["reference_answer"][0] == "9時"


def test_dangling_evidence_stops_a_frozen_version(place: Any) -> None:
    edit(cases_of(place), evidence="nowhere")

    (outcome,) = place.night(job="ingest")

    assert not outcome.succeeded
    assert any("evidence_in_snapshot" in said and "'nowhere'" in said for said in outcome.failures)


def test_draft_goes_on_and_says_the_same_as_warnings(place: Any) -> None:
    cases = place.version("v1", frozen=False)
    edit(cases, evidence="nowhere")
    add_unreadable(cases)

    (outcome,) = place.night()

    assert outcome.succeeded, outcome.failures
    warned = " ".join(outcome.warnings)
    assert "rejected_cases" in warned
    assert "evidence_in_snapshot" in warned
    current = place.rows("case_scores").filter(pl.col("current"))
    states = dict(current.filter(pl.col("run_id") == "night-1").select("case_id", "state").rows())
    assert states == {"c1": "held_out", "c2": "measured", "c3": "measured"}
    assert current["draft"].all()


@pytest.mark.parametrize("frozen", [True, False])
def test_rows_that_are_neither_used_nor_in_quarantine_stop_any_version(
    place: Any, monkeypatch: pytest.MonkeyPatch, frozen: bool
) -> None:
    if not frozen:
        place.version("v1", frozen=False)
    honest = dataset_assets.cases_against

    def forgetful(*given: Any) -> Any:
        read = honest(*given)
        return dataclasses.replace(read, n_rows=read.n_rows + 1)

    monkeypatch.setattr(dataset_assets, "cases_against", forgetful)

    (outcome,) = place.night(job="check")

    assert not outcome.succeeded
    assert any(
        "rows_accounted: 4 rows in, 3 used, 0 in quarantine" in said for said in outcome.failures
    )


def test_bad_run_file_warns_and_stops_nothing(place: Any) -> None:
    (place.data / "runs" / "night-3.jsonl").write_bytes(b'{"run_id": "night-3", \xff\xfe\x00')

    (outcome,) = place.night(job="ingest")

    assert outcome.succeeded, outcome.failures
    files = place.rows("run_files").filter(pl.col("path") == "runs/night-3.jsonl")
    assert files["state"].to_list() == ["rejected"]
    assert set(place.rows("runs")["run_id"]) == {"night-1", "night-2"}
