"""The whole graph as reviewed in graph.json; a change of it shows as a diff.

After a wanted change: python tests/graph/test_snapshot.py > tests/graph/graph.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dagster as dg

from rag_eval_pipeline.definitions import defs

GOLDEN = Path(__file__).with_name("graph.json")


def graph() -> dict[str, Any]:
    assets = defs.resolve_asset_graph()
    repository = defs.get_repository_def()
    return {
        "assets": {
            name(key): asset(assets, key) for key in sorted(assets.get_all_asset_keys(), key=name)
        },
        "jobs": {
            job.name: {
                "assets": sorted(name(key) for key in job.asset_layer.executable_asset_keys),
                "executor": job.executor_def.name,
                "partitions": partitions(job.partitions_def),
            }
            for job in sorted(repository.get_all_jobs(), key=lambda each: each.name)
            if not job.name.startswith("__")
        },
        "implicit_executor": repository.get_job("__ASSET_JOB").executor_def.name,
        "schedules": {
            schedule.name: {
                "cron": schedule.cron_schedule,
                "zone": schedule.execution_timezone,
                "state": schedule.default_status.value,
                "job": schedule.job_name,
            }
            for schedule in repository.schedule_defs
        },
        "sensors": [sensor.name for sensor in repository.sensor_defs],
        "loggers": sorted(defs.loggers or {}),
        "resources": sorted(defs.resources or {}),
    }


def asset(assets: Any, key: dg.AssetKey) -> dict[str, Any]:
    node = assets.get(key)
    described = {
        "kind": "computed" if node.is_materializable else "observed",
        "partitions": partitions(node.partitions_def),
        "deps": sorted(name(parent) for parent in node.parent_keys),
        "group": node.group_name,
        "owners": sorted(node.owners),
        "kinds": sorted(node.kinds),
    }
    checks = {
        check.name: "blocking" if assets.get(check).blocking else "warning"
        for check in sorted(node.check_keys, key=lambda each: each.name)
    }
    policy = node.freshness_policy
    return (
        described
        | ({"checks": checks} if checks else {})
        | ({"freshness": freshness(policy)} if policy is not None else {})
    )


def freshness(policy: Any) -> dict[str, Any]:
    return {
        "deadline": policy.deadline_cron,
        "zone": policy.timezone,
        "within_hours": policy.lower_bound_delta.total_seconds() / 3600,
    }


def partitions(definition: Any) -> str | None:
    return None if definition is None else f"{type(definition).__name__}:{definition.name}"


def name(key: dg.AssetKey) -> str:
    return key.to_user_string()


def test_graph_is_the_reviewed_one() -> None:
    found = json.loads(json.dumps(graph()))
    reviewed = json.loads(GOLDEN.read_text(encoding="utf-8"))

    for part, expected in reviewed.items():
        assert found[part] == expected, f"{part} changed; see the top of {Path(__file__).name}"
    assert found.keys() == reviewed.keys()


if __name__ == "__main__":
    print(json.dumps(graph(), ensure_ascii=False, indent=1))
