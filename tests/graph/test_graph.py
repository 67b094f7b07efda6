"""Properties every asset of the graph has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from rag_eval_pipeline import tables
from rag_eval_pipeline.definitions import defs
from rag_eval_pipeline.defs.marts import MARTS, TREND
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.shipped import sql_folder
from rag_eval_pipeline.tables import measures

CHECKOUT = Path(__file__).resolve().parents[2]
GRAPH = defs.resolve_asset_graph()
COMPUTED = sorted(GRAPH.materializable_asset_keys)
TABLES = [key for key in COMPUTED if key.to_user_string() != "report"]


def named(key: Any) -> str:
    return key.to_user_string()


def columns_of(key: dg.AssetKey) -> set[str]:
    schema = GRAPH.get(key).metadata["dagster/column_schema"]
    return {column.name for column in schema.columns}


def test_definitions_load_in_a_fresh_process_without_a_word() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import rag_eval_pipeline.definitions"],
        capture_output=True,
        text=True,
        check=False,
        cwd=CHECKOUT,
    )

    assert (loaded.returncode, loaded.stdout, loaded.stderr) == (0, "", "")


def test_workspace_names_the_definitions() -> None:
    workspace = yaml.safe_load((CHECKOUT / "workspace.yaml").read_text(encoding="utf-8"))

    assert workspace == {"load_from": [{"python_module": "rag_eval_pipeline.definitions"}]}


def test_definitions_can_be_loaded_as_a_whole() -> None:
    dg.Definitions.validate_loadable(defs)


def test_every_edge_is_one_to_one() -> None:
    edges = [
        (parent, key) for key in GRAPH.get_all_asset_keys() for parent in GRAPH.get(key).parent_keys
    ]

    assert edges
    for parent, key in edges:
        for end in (parent, key):
            assert GRAPH.get(end).partitions_def == DATASET_VERSIONS, f"{named(parent)} → {end}"
    assert not any(GRAPH.get(key).partition_mappings for key in GRAPH.get_all_asset_keys())


@pytest.mark.parametrize("key", COMPUTED, ids=named)
def test_asset_says_what_it_is(key: dg.AssetKey) -> None:
    node = GRAPH.get(key)

    assert node.description
    assert node.group_name != "default"
    assert node.owners
    assert node.kinds


@pytest.mark.parametrize("key", TABLES, ids=named)
def test_asset_of_a_table_shows_the_columns_of_its_contract(key: dg.AssetKey) -> None:
    schema = GRAPH.get(key).metadata["dagster/column_schema"]

    assert schema.columns
    assert all(column.description for column in schema.columns)
    if named(key) in tables.TABLES:
        assert columns_of(key) == set(tables.columns(named(key)))


@pytest.mark.parametrize(
    "key", [key for key in TABLES if named(key) != "dataset_checks"], ids=named
)
def test_rows_that_break_the_contract_of_a_table_stop_what_is_downstream(key: dg.AssetKey) -> None:
    check = dg.AssetCheckKey(key, "contract")
    assert check in GRAPH.get(key).check_keys
    assert GRAPH.get(check).blocking


def test_every_measure_has_an_asset() -> None:
    of_measures = {
        name for name, model in tables.TABLES.items() if model.__module__ == measures.__name__
    }

    assert of_measures
    assert of_measures <= {named(key) for key in TABLES}


@pytest.mark.parametrize("mart", [*MARTS, TREND])
def test_lineage_of_a_mart_starts_at_columns_that_exist(mart: str) -> None:
    key = dg.AssetKey(mart)
    origins = GRAPH.get(key).metadata["dagster/column_lineage"].deps_by_column
    from_columns = {column for column, from_ in origins.items() if from_}

    assert set(origins) <= columns_of(key)
    assert {"dataset_version", "run_id", "rubric_version"} <= from_columns
    for column, from_ in origins.items():
        for origin in from_:
            assert origin.asset_key in GRAPH.get(key).parent_keys, f"{mart}.{column}"
            table = origin.asset_key.to_user_string()
            held = set(tables.columns(HOLDS.get(table, table)))
            assert origin.column_name in held | OTHERS.get(table, set()), f"{mart}.{column}"


# The table an asset is named after, where it is another; and columns of its further tables.
HOLDS = {
    "run_logs": "runs",
    "knowledge_snapshot": "documents",
    "dataset_checks": "dataset_findings",
}
OTHERS = {
    "run_logs": set(tables.columns("run_items")) | set(tables.columns("retrieved")),
    "cases": set(tables.columns("case_evidence")) | set(tables.columns("case_claims")),
    "case_scores": set(tables.columns("rubrics")),
}


@pytest.mark.parametrize("mart", [*MARTS, TREND])
def test_tests_of_schema_yml_are_checks_of_the_mart(mart: str) -> None:
    path = sql_folder() / "models" / "marts" / "schema.yml"
    (model,) = [
        each
        for each in yaml.safe_load(path.read_text(encoding="utf-8"))["models"]
        if each["name"] == mart
    ]
    wanted = {
        f"{test if isinstance(test, str) else next(iter(test))}_{column['name']}"
        for column in model["columns"]
        for test in column.get("data_tests", column.get("tests", []))
    }
    found = {check.name for check in GRAPH.get(dg.AssetKey(mart)).check_keys}

    assert wanted
    assert wanted <= found
