"""What a nightly does when runs, gold or whole dataset versions come, change or go."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import cli, launch, tables
from tests.graph.conftest import CASES, Place

OF_RUN = ("runs", "run_items", "retrieved")


def current(place: Any) -> dict[str, tuple[str | None, str]]:
    """Candidate → (baseline, state) of the comparisons that hold."""
    rows = place.rows("comparisons").filter(pl.col("superseded_at").is_null())
    return {row["candidate_run"]: (row["baseline_run"], row["state"]) for row in rows.to_dicts()}


def test_run_file_that_is_gone_takes_its_rows_and_comparisons_with_it(place: Any) -> None:
    assert current(place) == {"night-1": (None, "no_baseline"), "night-2": ("night-1", "compared")}
    (place.data / "runs" / "night-2.jsonl").unlink()

    (outcome,) = place.night()

    assert outcome.succeeded, outcome.failures
    files = place.rows("run_files").select("path", "state").rows()
    assert dict(files)["runs/night-2.jsonl"] == "gone"
    for table in OF_RUN:
        assert set(place.rows(table)["run_id"]) == {"night-1"}, table
    assert current(place) == {"night-1": (None, "no_baseline")}
    kept = place.rows("comparisons").filter(pl.col("candidate_run") == "night-2")
    assert kept["superseded_at"].is_not_null().all()
    scores = place.rows("case_scores").filter(pl.col("run_id") == "night-2")
    assert not scores["current"].any()
    assert set(place.rows("run_summary").filter(pl.col("current"))["run_id"]) == {"night-1"}


def test_late_run_becomes_the_baseline_and_supersedes_what_was_compared_before(place: Any) -> None:
    place.run("late", "2026-04-02T12:00:00+09:00", wrong=["c3"])

    (outcome,) = place.night()

    assert outcome.succeeded, outcome.failures
    assert current(place) == {
        "night-1": (None, "no_baseline"),
        "late": ("night-1", "compared"),
        "night-2": ("late", "compared"),
    }
    old = place.rows("comparisons").filter(
        (pl.col("candidate_run") == "night-2") & (pl.col("baseline_run") == "night-1")
    )
    assert old["superseded_at"].is_not_null().to_list() == [True]
    changes = place.rows("regressions").filter(
        (pl.col("candidate_run") == "night-2")
        & (pl.col("baseline_run") == "late")
        & (pl.col("axis") == "overall")
    )
    assert dict(changes.select("case_id", "change").rows()) == {
        "c2": "regressed",
        "c3": "recovered",
    }
    # The check is about the night that started last, not about the log that came last.
    assert any("1 cases regressed: c2" in said for said in outcome.warnings)


def test_gold_edited_in_a_draft_is_measured_anew_beside_what_was(place: Any) -> None:
    before = place.rows("answer_measures")

    cases = [CASES[0] | {"expected": "10時"}, *CASES[1:]]
    place.version("v1", cases, frozen=False)
    (outcome,) = place.night()

    assert outcome.succeeded, outcome.failures
    after = place.rows("answer_measures")
    assert after.join(before, on=before.columns, how="semi", nulls_equal=True).height == len(before)
    assert after.height == before.height + 6
    (new_hash,) = set(place.rows("cases")["dataset_hash"])
    scores = place.rows("case_scores").filter(pl.col("run_id") == "night-1")
    now = scores.filter(pl.col("current"))
    assert set(now["dataset_hash"]) == {new_hash}
    assert dict(now.select("case_id", "passed").rows()) == {"c1": False, "c2": True, "c3": True}


@pytest.fixture(scope="module")
def two_versions(evaluated: Place, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A night with a run between the others on a second version. To be left as it is."""
    place = evaluated.copied(tmp_path_factory.mktemp("two_versions"))
    place.version("v2")
    place.run("between", "2026-04-02T12:00:00+09:00", wrong=["c3"], dataset="library@v2")
    with pytest.raises(SystemExit) as ended:
        cli.main(["--data", str(place.data), "--home", str(place.home), "--json", "nightly"])
    assert ended.value.code == 0
    return place


def test_baseline_in_a_version_read_later_counts_in_the_same_nightly(two_versions: Place) -> None:
    assert current(two_versions) == {
        "night-1": (None, "no_baseline"),
        "between": ("night-1", "compared"),
        "night-2": ("between", "compared"),
    }
    with launch.opened(two_versions.data, two_versions.home) as launcher:
        assert launcher.unsettled(list(launcher.discover().versions.values())) == []


def test_dataset_version_whose_folder_is_gone_loses_partition_and_rows(
    two_versions: Place, tmp_path: Path
) -> None:
    place = two_versions.copied(tmp_path)
    assert "library@v2" in place.rows("case_scores")["dataset_version"]

    shutil.rmtree(place.data / "datasets" / "library" / "v2")
    (outcome,) = place.night()

    assert outcome.succeeded, outcome.failures
    with place.instance() as instance:
        assert instance.get_dynamic_partitions("dataset_version") == ["library@v1"]
    assert "library@v2" not in place.rows("partition_names")["dataset_version"]
    for table in tables.TABLES:
        if "dataset_version" in tables.keys(table):
            assert "library@v2" not in place.rows(table)["dataset_version"], table
    (file,) = place.rows("run_files").filter(pl.col("run_id") == "between").to_dicts()
    assert file["state"] == "rejected"
    assert "library@v2" in file["reason"]


def test_version_that_cannot_be_read_keeps_its_partition_and_rows(place: Any) -> None:
    before = place.rows("case_scores")
    manifest = place.data / "datasets" / "library" / "v1" / "dataset.yaml"
    manifest.write_text("name: [", encoding="utf-8")

    assert place.night() == []

    assert place.rows("case_scores").equals(before)
    with place.instance() as instance:
        assert instance.get_dynamic_partitions("dataset_version") == ["library@v1"]
