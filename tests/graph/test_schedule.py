"""The nightly schedule."""

from __future__ import annotations

import datetime as dt
import runpy
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg
import pytest

from rag_eval_pipeline.defs import timetable
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.jobs import nightly_schedule


def requests(place: Any, instance: dg.DagsterInstance, at: dt.datetime) -> list[dg.RunRequest]:
    evaluation = Evaluation(data=str(place.data), home=str(place.home))
    with dg.build_schedule_context(
        instance=instance, scheduled_execution_time=at, resources={"evaluation": evaluation}
    ) as context:
        return list(nightly_schedule(context))


def test_every_dataset_version_is_asked_for_once_and_new_ones_get_a_partition(
    place: Any, instance: dg.DagsterInstance
) -> None:
    place.version("v2")
    at = dt.datetime(2026, 4, 5, 2, 0, tzinfo=ZoneInfo("Asia/Tokyo"))

    asked = requests(place, instance, at)

    assert [each.partition_key for each in asked] == ["library@v1", "library@v2"]
    assert [each.run_key for each in asked] == ["2026-04-05:library@v1", "2026-04-05:library@v2"]
    assert set(instance.get_dynamic_partitions("dataset_version")) == {"library@v1", "library@v2"}


def test_the_next_night_asks_anew(place: Any, instance: dg.DagsterInstance) -> None:
    zone = ZoneInfo("Asia/Tokyo")
    nights = [dt.datetime(2026, 4, day, 2, 0, tzinfo=zone) for day in (5, 6)]

    keys = [each.run_key for night in nights for each in requests(place, instance, night)]

    assert len(keys) == len(set(keys)) == 2


def test_zone_is_tokyo_unless_set() -> None:
    assert nightly_schedule.execution_timezone == "Asia/Tokyo"
    assert nightly_schedule.cron_schedule == "0 2 * * *"


@pytest.mark.parametrize(("given", "zone"), [("Europe/Paris", "Europe/Paris"), ("", "Asia/Tokyo")])
def test_zone_can_be_set_for_a_deployment(
    monkeypatch: pytest.MonkeyPatch, given: str, zone: str
) -> None:
    monkeypatch.setenv("RAG_EVAL_TIMEZONE", given)

    assert runpy.run_path(timetable.__file__)["ZONE"] == zone
