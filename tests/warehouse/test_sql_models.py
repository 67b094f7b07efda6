from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.errors import ModelError, QueryError
from rag_eval_pipeline.warehouse.sql_models import compile_model, load_models, run_model

Project = Callable[..., Path]
RowsOf = Callable[..., pl.DataFrame]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder of models, by name."""

    def make(**models: str) -> Path:
        folder = tmp_path / "project" / "models" / "marts"
        folder.mkdir(parents=True, exist_ok=True)
        for name, sql in models.items():
            (folder / f"{name}.sql").write_text(sql, encoding="utf-8")
        return tmp_path / "project"

    return make


def test_models_know_what_they_read_and_come_after_it(project: Project) -> None:
    folder = project(
        a="{{ config(materialized='table') }}\n"
        "SELECT * FROM {{ ref(\"b\") }} JOIN {{ref('c')}} USING (x)",
        b="SELECT run_id AS x FROM {{ source('rag_eval', 'runs') }}",
        c="SELECT case_id AS x FROM {{ source( 'rag_eval' , \"cases\" ) }};\n",
    )
    models = load_models(folder)
    assert list(models)[-1] == "a"
    assert models["a"].refs == ("b", "c")
    assert models["a"].sources == ()
    assert models["a"].depends_on == ("cases", "runs")
    assert models["b"].sources == ("runs",)
    assert models["b"].path == folder / "models" / "marts" / "b.sql"


def test_hash_is_that_of_the_meaning_and_of_all_it_reads(project: Project) -> None:
    def hashes(**models: str) -> Mapping[str, str]:
        return {name: model.hash for name, model in load_models(project(**models)).items()}

    a = "SELECT x FROM {{ ref('b') }}"
    b = "SELECT run_id AS x FROM {{ source('rag_eval', 'runs') }}"
    first = hashes(a=a, b=b)
    spaced = hashes(a=a.replace(" ", "\n  ") + " -- why", b="/* note */ " + b.lower() + ";")
    assert spaced == first
    changed = hashes(a=a, b=b.replace("run_id", "run_hash"))
    assert changed["b"] != first["b"]
    assert changed["a"] != first["a"]
    only_a = hashes(a=a + " WHERE x <> ''", b=b)
    assert only_a["b"] == first["b"]
    assert only_a["a"] != first["a"]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "SELECT 1\nFROM {{ ref('absent') }}",
            r"a\.sql:2: there is no model 'absent'; there are a$",
        ),
        ("SELECT 1\n\nFROM {{ source('rag_eval', 'absent') }}", r"a\.sql:3: there is no source"),
        ("SELECT 1 FROM {{ source('other', 'runs') }}", r"a\.sql:1: there is no source 'other'"),
        ("SELECT {{ var('x') }}", r"a\.sql:1: \{\{ var\('x'\) \}\} is not understood"),
        ("SELECT 1\n{% if x %}", r"a\.sql:2: found '\{%'"),
        ("SELECT 1 {# note #}", r"a\.sql:1: found '\{#'"),
        ("SELECT 1 AS a,\n{{ ref('a'", r"a\.sql:2: found '\{\{'"),
        ("SELECT * FROM {{ ref('a') }}", r"in a circle: a ← a"),
        ("SELECT 1; SELECT 2", r"a\.sql: expected one SELECT"),
        ("DROP TABLE cases", r"a\.sql: expected one SELECT"),
        ("", r"a\.sql: expected one SELECT"),
        ("SELECT (1", r"a\.sql:1: is no SQL"),
        ("\n{{ config(\n  x=1) }}\nSELECT 1\nFROM (", r"a\.sql:5: is no SQL"),
    ],
)
def test_faulty_model_is_named_with_its_line(project: Project, sql: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load_models(project(a=sql))


def test_models_that_read_each_other_are_named(project: Project) -> None:
    folder = project(a="SELECT * FROM {{ ref('b') }}", b="SELECT * FROM {{ ref('a') }}")
    with pytest.raises(ModelError, match=r"circle: (a ← b ← a|b ← a ← b)"):
        load_models(folder)


def test_name_used_twice_and_names_of_tables_are_refused(project: Project) -> None:
    folder = project(a="SELECT 1 AS x")
    (folder / "models" / "a.sql").write_text("SELECT 2 AS x")
    with pytest.raises(ModelError, match="has the same name"):
        load_models(folder)
    (folder / "models" / "a.sql").rename(folder / "models" / "rag_eval__runs.sql")
    with pytest.raises(ModelError, match="rename the model"):
        load_models(folder)


def test_folder_without_models_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"found no \.sql file"):
        load_models(tmp_path)


def test_model_sees_the_rows_of_the_runs_asked_for_only(
    project: Project, warehouse: DuckDBFile, rows_of: RowsOf
) -> None:
    models = load_models(
        project(
            a="SELECT run_id, category FROM {{ ref('b') }} -- the end",
            b="SELECT * FROM {{ source('rag_eval', 'runs') }} "
            "JOIN {{ source('rag_eval', 'cases') }} USING (dataset_version)",
        )
    )
    for version in ("d@1", "d@2"):
        names = [f"{version} {n}" for n in range(3)]
        runs = rows_of("runs", *({"dataset_version": version, "run_id": n} for n in names))
        warehouse.replace("runs", runs.select(tables.keys("runs")), runs)
        cases = rows_of("cases", {"dataset_version": version, "category": f"of {version}"})
        warehouse.replace("cases", cases.select("dataset_version"), cases)
    bound = {table: tables.columns(table) for table in models["a"].depends_on}
    asked = {"dataset_version": "d@1", "run_ids": ["d@1 2", "d@1 0", "d@2 1"]}
    found = warehouse.sql(compile_model(models["a"], models, bound), asked)
    assert sorted(found.rows()) == [("d@1 0", "of d@1"), ("d@1 2", "of d@1")]
    assert warehouse.sql(compile_model(models["a"], models)).height == 6


def test_values_are_never_text_of_the_query(project: Project) -> None:
    models = load_models(project(a="SELECT * FROM {{ source('rag_eval', 'runs') }}"))
    query = compile_model(models["a"], models, {"runs": tables.columns("runs")})
    assert "dataset_version = $dataset_version" in query
    assert "$run_ids" in query


NAMES = "SELECT partition_key, dataset_version FROM {{ source('rag_eval', 'partition_names') }}"


def test_run_model_gives_the_columns_of_its_contract_in_order(
    project: Project, warehouse: DuckDBFile, rows_of: RowsOf
) -> None:
    rows = rows_of(
        "partition_names",
        {"partition_key": "b", "dataset_version": "d"},
        {"partition_key": "a", "dataset_version": "d"},
        {"partition_key": "c", "dataset_version": "e"},
    )
    warehouse.replace("partition_names", rows.select("partition_key"), rows)
    models = load_models(project(partition_names=NAMES.replace("SELECT ", "SELECT DISTINCT ")))
    made = run_model(warehouse, models["partition_names"], models, "d", [])
    assert made.rows() == [("a", "d"), ("b", "d")]
    assert dict(made.schema) == tables.columns("partition_names")


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (NAMES.replace(", dataset_version", ""), "missing: dataset_version, too many: none"),
        (NAMES.replace(" FROM", ", 1 AS more FROM"), "missing: none, too many: more"),
        (NAMES.replace("partition_key", "1 AS partition_key"), "partition_key is Int32, expected"),
    ],
)
def test_model_unlike_its_contract_is_an_error(
    project: Project, warehouse: DuckDBFile, sql: str, message: str
) -> None:
    models = load_models(project(partition_names=sql))
    with pytest.raises(ModelError, match=message):
        run_model(warehouse, models["partition_names"], models, "d", [])


def test_model_that_is_no_table_cannot_be_run(project: Project, warehouse: DuckDBFile) -> None:
    models = load_models(project(nonsense=NAMES, runs="SELECT absent FROM {{ ref('nonsense') }}"))
    with pytest.raises(ModelError, match="nonsense is no table"):
        run_model(warehouse, models["nonsense"], models, "d", [])
    with pytest.raises(QueryError, match="absent"):
        run_model(warehouse, models["runs"], models, "d", [])
