from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from rag_eval_pipeline import launch
from rag_eval_pipeline.defs import measures
from rag_eval_pipeline.defs.evaluation import PROCESS_TAG
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.warehouse.process import this_process

ENDED = "from rag_eval_pipeline.warehouse.process import this_process; print(this_process())"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One draft of one case without knowledge, and one run."""
    root = tmp_path / "da ta 資料"
    case = {"id": "c1", "question": "q", "expected": "a", "evidence": None, "status": "answer"}
    item = {"case_id": "c1", "retrieved": [], "answer": "a", "source": None, "status": "answer"}
    write(root / "datasets" / "tiny" / "v1" / "cases.jsonl", case)
    write(root / "runs" / "r1.jsonl", item)
    return root


def write(path: Path, row: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """`prepare_home` sets it; other tests shall not see it."""
    monkeypatch.setenv("DAGSTER_HOME", "")


def test_home_and_data_root_may_have_spaces_and_other_scripts(data: Path, tmp_path: Path) -> None:
    with launch.opened(data, tmp_path / "ho me 家 #1") as launcher:
        (version,) = launcher.discover().versions.values()
        outcome = launcher.run("ingest", version.partition_key)

        assert outcome.succeeded, outcome.failures
        assert launcher.evaluation.warehouse.read("run_items")["case_id"].to_list() == ["c1"]


@pytest.mark.parametrize("name", ["what?", "50%25"])
def test_home_dagster_cannot_address_is_refused_before_anything_is_made(
    data: Path, tmp_path: Path, name: str
) -> None:
    with (
        pytest.raises(InputError, match="a path without them"),
        launch.opened(data, tmp_path / name),
    ):
        pass

    assert [each.name for each in tmp_path.iterdir()] == [data.name]


def test_data_root_is_only_read(data: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*")}

    with launch.opened(data, tmp_path / "home") as launcher:
        (version,) = launcher.discover().versions.values()
        assert launcher.run("nightly", version.partition_key).succeeded

    assert {path: path.stat().st_mtime_ns for path in data.rglob("*")} == before


def test_missing_data_root_makes_no_home(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="nowhere"),
        launch.opened(tmp_path / "nowhere", tmp_path / "home"),
    ):
        pass

    assert not (tmp_path / "home").exists()


def started_run(instance: dg.DagsterInstance, process: str | None) -> str:
    run = instance.create_run_for_job(
        launch.check_job(),
        status=dg.DagsterRunStatus.STARTED,
        tags={} if process is None else {PROCESS_TAG: process},
    )
    return run.run_id


def test_run_left_behind_by_a_dead_process_is_failed_and_others_are_left_alone(
    data: Path, tmp_path: Path
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ENDED], capture_output=True, text=True, check=True
    ).stdout.strip()
    with launch.opened(data, tmp_path / "home") as launcher:
        dead = started_run(launcher.instance, ended)
        alive = started_run(launcher.instance, this_process())
        unknown = started_run(launcher.instance, None)

    with launch.opened(data, tmp_path / "home") as launcher:
        status = {
            run_id: launcher.instance.get_run_by_id(run_id).status  # type: ignore[union-attr]
            for run_id in (dead, alive, unknown)
        }

    assert status == {
        dead: dg.DagsterRunStatus.FAILURE,
        alive: dg.DagsterRunStatus.STARTED,
        unknown: dg.DagsterRunStatus.STARTED,
    }


def test_run_the_ui_starts_needs_no_more_than_a_partition_and_is_tagged_with_its_process(
    data: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with launch.opened(data, home) as launcher:
        (version,) = launcher.discover().versions.values()
        instance = launcher.instance
        resource = {"config": {"data": str(data), "home": str(home)}}
        with dg.execute_job(
            dg.reconstructable(launch.check_job),
            instance=instance,
            tags={"dagster/partition": version.partition_key},
            run_config={"resources": {"evaluation": resource}},
        ) as result:
            assert result.success
        run = instance.get_run_by_id(result.run_id)

    assert run is not None
    assert run.tags[PROCESS_TAG] == this_process()


def test_steps_are_named_as_they_start(data: Path, tmp_path: Path) -> None:
    steps: list[str] = []
    with launch.opened(data, tmp_path / "home") as launcher:
        (version,) = launcher.discover().versions.values()
        launcher.run("check", version.partition_key, on_step=steps.append)
        once = len(steps)
        launcher.run("check", version.partition_key)

    assert {"knowledge_snapshot", "cases", "dataset_checks"} <= set(steps)
    assert len(steps) == once


def test_settings_remember_the_data_root(data: Path, tmp_path: Path) -> None:
    assert launch.data_root_of(tmp_path / "home") is None

    launch.prepare_home(tmp_path / "home", data)

    assert launch.data_root_of(tmp_path / "home") == data


def test_home_half_made_by_a_killed_process_is_made_anew(data: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".instance-0").mkdir(parents=True)
    (home / "history").mkdir()
    (home / "history" / "runs.db").write_bytes(b"")
    (home / "event_log.db").write_bytes(b"")

    with launch.opened(data, home) as launcher:
        assert launcher.discover().versions
        (key,) = launcher.instance.get_dynamic_partitions("dataset_version")
        assert launcher.run("check", key).succeeded

    assert not list(home.glob(".instance-*"))


def test_history_outlives_the_settings_file(data: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with launch.opened(data, home) as launcher:
        launcher.discover()
    (home / "dagster.yaml").unlink()

    with launch.opened(data, home) as launcher:
        assert launcher.instance.get_dynamic_partitions("dataset_version") == ["tiny@v1"]


def test_home_is_made_whole_once(data: Path, tmp_path: Path) -> None:
    launch.prepare_home(tmp_path / "home", data)
    before = (tmp_path / "home" / "event_log.db").stat().st_ino

    launch.prepare_home(tmp_path / "home", data)

    assert (tmp_path / "home" / "event_log.db").stat().st_ino == before


def test_rows_that_break_a_contract_are_told_by_the_check_and_never_written(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = measures.text_measures

    def broken(*given: pl.DataFrame) -> dict[str, pl.DataFrame]:
        made = whole(*given)
        return made | {"behavior_measures": made["behavior_measures"].with_columns(trial=pl.lit(0))}

    monkeypatch.setattr(measures, "text_measures", broken)
    with launch.opened(data, tmp_path / "home") as launcher:
        (version,) = launcher.discover().versions.values()
        outcome = launcher.run("nightly", version.partition_key)

        assert not outcome.succeeded
        check, fault = outcome.failures
        assert check.startswith("behavior_measures: contract: ")
        assert '["r1", "c1", 0]: trial is \'0\'; expected at least 1' in check
        assert fault.startswith("internal error")
        assert launcher.evaluation.warehouse.read("behavior_measures").is_empty()
