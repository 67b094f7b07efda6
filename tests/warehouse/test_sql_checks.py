from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.errors import ModelError, QueryError
from rag_eval_pipeline.warehouse.sql_checks import (
    SqlCheck,
    failing_rows,
    load_checks,
    load_descriptions,
)
from rag_eval_pipeline.warehouse.sql_models import load_models

SHIPPED = Path(__file__).parents[2] / "dbt_like_sql"


def checks_of(tmp_path: Path, tests: str, *, key: str = "data_tests") -> list[SqlCheck]:
    models = tmp_path / "models"
    models.mkdir(exist_ok=True)
    (models / "a.sql").write_text("SELECT run_id AS x FROM {{ source('rag_eval', 'runs') }}")
    (models / "schema.yml").write_text(
        f"models: [{{name: a, description: of a, columns: "
        f"[{{name: x, description: an x, {key}: {tests}}}]}}]"
    )
    return load_checks(tmp_path, load_models(tmp_path))


def failing(check: SqlCheck, *values: object, related: pl.DataFrame | None = None) -> list[object]:
    frames = {"a": pl.DataFrame({"x": list(values), "row": list(range(len(values)))})}
    if related is not None and check.related is not None:
        frames[check.related] = related
    return sorted(failing_rows(check, frames)["row"].to_list())


@pytest.mark.parametrize("key", ["tests", "data_tests"])
def test_both_names_of_dbt_are_read(tmp_path: Path, key: str) -> None:
    [first, second] = checks_of(tmp_path, "[not_null, unique]", key=key)
    assert (first.model, first.column, first.test) == ("a", "x", "not_null")
    assert second.test == "unique"


def test_not_null_finds_nulls(tmp_path: Path) -> None:
    [check] = checks_of(tmp_path, "[not_null]")
    assert failing(check, "a", None, "") == [1]


def test_unique_finds_all_rows_of_a_repeated_value_but_no_nulls(tmp_path: Path) -> None:
    [check] = checks_of(tmp_path, "[unique]")
    assert failing(check, "a", "b", "a", None, None) == [0, 2]


@pytest.mark.parametrize("form", ['{values: [a, "it\'s"]}', '{arguments: {values: [a, "it\'s"]}}'])
def test_accepted_values_find_others_but_no_nulls(tmp_path: Path, form: str) -> None:
    [check] = checks_of(tmp_path, f"[accepted_values: {form}]")
    assert failing(check, "a", "it's", "A", None) == [2]


def test_accepted_numbers_are_written_without_quotes(tmp_path: Path) -> None:
    [check] = checks_of(tmp_path, "[accepted_values: {values: [1, 2], quote: false}]")
    assert failing(check, 1, 2, 3, None) == [2]


@pytest.mark.parametrize("to", ["source('rag_eval', 'runs')", "ref('a')"])
def test_relationships_find_what_is_not_there_but_no_nulls(tmp_path: Path, to: str) -> None:
    [check] = checks_of(tmp_path, f'[relationships: {{to: "{to}", field: x}}]')
    assert check.related == ("runs" if "runs" in to else "a")
    if check.related == "runs":
        assert failing(check, "a", "b", None, related=pl.DataFrame({"x": ["a", None]})) == [1]
    else:
        assert failing(check, "a", "b", None) == []


def test_check_that_passes_gives_no_rows_in_the_columns_of_the_model(tmp_path: Path) -> None:
    [check] = checks_of(tmp_path, "[not_null]")
    frame = pl.DataFrame({"x": ["a"], "list": [["b"]]})
    assert failing_rows(check, {"a": frame}).equals(frame.clear())


def test_rows_without_the_column_are_an_error(tmp_path: Path) -> None:
    [check] = checks_of(tmp_path, "[not_null]")
    with pytest.raises(QueryError, match=r"check not_null of a\.x"):
        failing_rows(check, {"a": pl.DataFrame({"y": [1]})})


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ("[not_nil]", "column x: test 'not_nil' is not known"),
        ("[accepted_values]", "accepted_values needs `values`"),
        ("[accepted_values: {values: a}]", "accepted_values needs `values`"),
        ("[relationships: {to: ref('absent'), field: x}]", "found to: ref"),
        ("[relationships: {to: \"source('x', 'runs')\", field: x}]", "relationships needs"),
        ("[relationships: {to: ref('a')}]", "field: nothing"),
        ("not_null", "data_tests is no list"),
        ("[[not_null]]", "expected a name"),
    ],
)
def test_fault_in_schema_yml_is_named(tmp_path: Path, tests: str, message: str) -> None:
    with pytest.raises(ModelError, match=rf"schema\.yml: .*{message}"):
        checks_of(tmp_path, tests)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models: [{name: absent}]", "there is no model 'absent'; there are a"),
        ("models: {name: a}", "expected a list"),
        ("models: [", "is no YAML"),
        ("- a", "expected `models:`"),
    ],
)
def test_fault_of_the_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    checks_of(tmp_path, "[]")
    (tmp_path / "models" / "more.yml").write_text(text)
    with pytest.raises(ModelError, match=rf"more\.yml: .*{message}"):
        load_checks(tmp_path, load_models(tmp_path))


def test_descriptions_are_by_model_and_column(tmp_path: Path) -> None:
    checks_of(tmp_path, "[]")
    described = load_descriptions(tmp_path, load_models(tmp_path))
    assert described["a"].text == "of a"
    assert described["a"].columns == {"x": "an x"}


def test_shipped_files_describe_columns_there_are() -> None:
    models = load_models(SHIPPED)
    assert load_checks(SHIPPED, models)
    described = load_descriptions(SHIPPED, models)
    assert set(described) == set(models)
    for mart in ("run_summary", "slice_summary", "failure_summary"):
        assert set(described[mart].columns) <= set(tables.columns(mart))
