import shutil
from pathlib import Path

import dagster as dg
import pytest
from sqlalchemy import event

from rag_eval_pipeline import launch
from rag_eval_pipeline.defs.event_log import EventLog


@dg.asset
def number() -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(metadata={"n": 1})


def opened(home: Path) -> dg.DagsterInstance:
    launch.prepare_home(home, home / "data")
    return dg.DagsterInstance.from_config(str(home))


def materialized(instance: dg.DagsterInstance) -> int:
    records = instance.fetch_materializations(dg.AssetKey("number"), limit=10).records
    return len(records)


def test_instance_of_a_home_keeps_its_events_there_and_finds_them_again(tmp_path: Path) -> None:
    home = tmp_path / "家 1"
    with opened(home) as instance:
        assert isinstance(instance.event_log_storage, EventLog)
        assert dg.materialize([number], instance=instance).success

    assert (home / "event_log.db").exists()
    with opened(home) as again:
        assert materialized(again) == 1


def test_moved_home_keeps_its_history(tmp_path: Path) -> None:
    with opened(tmp_path / "before") as instance:
        dg.materialize([number], instance=instance)
    shutil.move(tmp_path / "before", tmp_path / "after")

    with opened(tmp_path / "after") as moved:
        assert materialized(moved) == 1
    assert not (tmp_path / "before").exists()


def test_connections_stay_open_over_many_events(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as instance:
        made: list[object] = []
        storage = instance.event_log_storage
        assert isinstance(storage, EventLog)
        event.listen(storage.engine, "connect", lambda connection, _: made.append(connection))

        for _ in range(3):
            dg.materialize([number], instance=instance)

        assert materialized(instance) == 3
        assert len(made) <= 2


def test_two_instances_write_to_one_home(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as one, opened(tmp_path / "home") as other:
        for instance in (one, other, one, other):
            dg.materialize([number], instance=instance)

        assert materialized(one) == materialized(other) == 4


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """`prepare_home` sets it; other tests shall not see it."""
    monkeypatch.setenv("DAGSTER_HOME", "")
