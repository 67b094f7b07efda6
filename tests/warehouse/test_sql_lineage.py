from __future__ import annotations

from pathlib import Path

import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.errors import ModelError
from rag_eval_pipeline.warehouse.sql_lineage import lineage
from rag_eval_pipeline.warehouse.sql_models import load_models

SHIPPED = Path(__file__).parents[2] / "dbt_like_sql"


def folder_of(tmp_path: Path, **models: str) -> Path:
    (tmp_path / "models").mkdir()
    for name, sql in models.items():
        (tmp_path / "models" / f"{name}.sql").write_text(sql)
    return tmp_path


def test_columns_are_traced_through_models_stars_and_expressions(tmp_path: Path) -> None:
    models = load_models(
        folder_of(
            tmp_path,
            scored="SELECT *, 1 AS one FROM {{ source('rag_eval', 'case_scores') }}",
            both="SELECT run_id, one, coalesce(score, score_low) AS value, runs.kind "
            "FROM {{ ref('scored') }} LEFT JOIN {{ source('rag_eval', 'runs') }} AS runs "
            "USING (dataset_version, run_id)",
            summary="WITH x AS (SELECT * FROM {{ ref('both') }}) "
            "SELECT run_id, kind AS sort, avg(value) AS mean, count(*) AS n, max(one) AS one "
            "FROM x GROUP BY ALL",
        )
    )
    found = lineage(models["summary"], models)
    assert list(found) == ["run_id", "sort", "mean", "n", "one"]
    assert found["sort"] == [("runs", "kind")]
    assert found["mean"] == [("case_scores", "score"), ("case_scores", "score_low")]
    assert found["n"] == found["one"] == []
    assert ("case_scores", "run_id") in found["run_id"]


def test_column_that_nothing_has_is_an_error(tmp_path: Path) -> None:
    models = load_models(
        folder_of(tmp_path, a="SELECT absent FROM {{ source('rag_eval', 'runs') }}")
    )
    with pytest.raises(ModelError, match=r"a\.sql: .*absent"):
        lineage(models["a"], models)


@pytest.mark.parametrize("mart", ["run_summary", "slice_summary", "failure_summary"])
def test_every_column_of_a_mart_is_traced(mart: str) -> None:
    models = load_models(SHIPPED)
    found = lineage(models[mart], models)
    assert list(found) == [name for name in tables.columns(mart) if name != "model_hash"]
    assert found["rubric_version"] == [("case_scores", "rubric_version")]
    assert {table for origins in found.values() for table, _ in origins} <= set(
        models[mart].depends_on
    )
