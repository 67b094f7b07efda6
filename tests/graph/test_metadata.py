"""What a nightly leaves in Dagster for each asset of the partition."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest

from rag_eval_pipeline.definitions import defs
from rag_eval_pipeline.defs.marts import MARTS, TREND

PARTITION = "library@v1"
COMPUTED = sorted(defs.resolve_asset_graph().materializable_asset_keys)


@pytest.fixture(scope="module")
def logged(evaluated: Any) -> Iterator[dg.DagsterInstance]:
    with evaluated.instance() as instance:
        yield instance


def materialization(instance: dg.DagsterInstance, key: dg.AssetKey) -> dg.AssetMaterialization:
    event = instance.get_latest_materialization_event(key)
    assert event is not None
    assert event.asset_materialization is not None
    return event.asset_materialization


def numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from numbers(each)
    elif isinstance(value, list):
        for each in value:
            yield from numbers(each)


@pytest.mark.parametrize("key", COMPUTED, ids=lambda key: key.to_user_string())
def test_materialization_names_partition_version_and_counts(
    logged: dg.DagsterInstance, key: dg.AssetKey
) -> None:
    made = materialization(logged, key)
    shown = {name: entry.value for name, entry in made.metadata.items()}

    assert made.partition == PARTITION
    assert made.tags is not None
    assert made.tags["dagster/data_version"]
    if key == dg.AssetKey("report"):
        assert "# library@v1" in shown["report"]
        return
    assert isinstance(shown["dagster/partition_row_count"], int)
    assert isinstance(shown["due"], int)
    assert shown["first_rows"]
    plain = [value for value in shown.values() if isinstance(value, int | float | str)]
    assert all(math.isfinite(number) for number in numbers(plain))
    assert not {"NaN", "nan", "inf"} & set(json.dumps(plain).replace("|", " ").split())


def test_row_counts_are_those_of_the_tables(logged: dg.DagsterInstance, evaluated: Any) -> None:
    held = {
        "knowledge_snapshot": "documents",
        "run_logs": "runs",
        "dataset_checks": "dataset_findings",
    }
    for key in COMPUTED:
        name = key.to_user_string()
        if name == "report":
            continue
        shown = materialization(logged, key).metadata["dagster/partition_row_count"].value
        assert shown == evaluated.rows(held.get(name, name)).height, name


def test_case_scores_count_items_and_cases(logged: dg.DagsterInstance) -> None:
    shown = materialization(logged, dg.AssetKey("case_scores")).metadata

    assert shown["dagster/partition_row_count"].value == 6
    assert "night-1" in shown["first_rows"].value


def test_claim_verdicts_count_claims_against_answers_documents_and_gold(
    logged: dg.DagsterInstance, evaluated: Any
) -> None:
    shown = materialization(logged, dg.AssetKey("claim_verdicts")).metadata
    verdicts = evaluated.rows("claim_verdicts", "run_id", "case_id", "kind", "target")

    assert shown["dagster/partition_row_count"].value == verdicts.height
    assert shown["due"].value == 2
    assert "貸出期間は15日間です。" in shown["first_rows"].value
    of_answers = verdicts.filter(target="answer").select("run_id", "case_id", "kind")
    assert sorted(of_answers.rows()) == sorted(
        (run, case, kind)
        for run in ("night-1", "night-2")
        for case, kind in (("c1", "derived"), ("c2", "derived"), ("c3", "required"))
    )


@pytest.mark.parametrize("mart", [*MARTS, TREND])
def test_lineage_is_in_the_materialization_where_the_ui_looks_for_it(
    logged: dg.DagsterInstance, mart: str
) -> None:
    shown = materialization(logged, dg.AssetKey(mart)).metadata["dagster/column_lineage"].value

    assert shown.deps_by_column["run_id"]


def test_trend_is_a_picture_and_numbers_the_ui_can_plot(logged: dg.DagsterInstance) -> None:
    shown = materialization(logged, dg.AssetKey(TREND)).metadata

    assert "](data:image/svg+xml;base64," in str(shown["trend_claims"].value)
    numbers = {
        name.partition(" (series ")[0]: entry.value
        for name, entry in shown.items()
        if " (series " in name
    }
    assert numbers["overall n"] == 3
    assert numbers["overall pass_rate"] == pytest.approx(2 / 3)
    assert {"search mean_score", "format pass_rate"} <= set(numbers)


def test_comparisons_of_the_night_are_tables_with_their_n(logged: dg.DagsterInstance) -> None:
    def shown(asset: str, name: str) -> Any:
        return materialization(logged, dg.AssetKey(asset)).metadata[name].value

    assert "night-1" in shown("comparisons", "latest")
    assert "| regressed | c2 | night-2 | night-1 |" in shown("regressions", "latest")
    assert shown("regressions", "regressed") == 1
    assert "| overall | 3 | 100.0 % | 66.7 % |" in shown("comparison_summary", "verdicts")


@pytest.mark.parametrize(
    ("asset", "name", "passed", "said"),
    [
        ("regressions", "no_regression", False, "1 cases regressed: c2"),
        ("comparisons", "comparable", True, "1 systems are compared"),
        (TREND, "coverage", True, "1 runs are measured enough"),
    ],
)
def test_night_is_checked_by_partition(
    logged: dg.DagsterInstance, asset: str, name: str, passed: bool, said: str
) -> None:
    key = dg.AssetCheckKey(dg.AssetKey(asset), name)
    (record,) = logged.event_log_storage.get_asset_check_execution_history(key, limit=1)
    assert record.event is not None
    evaluation = record.event.dagster_event.asset_check_evaluation_data

    assert evaluation.partition == PARTITION
    assert evaluation.passed is passed
    assert said in evaluation.description
