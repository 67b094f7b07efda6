"""The lineage kept beside the SQL models is the one their SQL has."""

import json
import shutil
from pathlib import Path

import pytest

from rag_eval_pipeline import shipped, tables
from rag_eval_pipeline.warehouse.sql_lineage import KEPT, keep_lineage, kept_lineage, lineage
from rag_eval_pipeline.warehouse.sql_models import load_models


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(shipped.sql_folder(), tmp_path / "sql"))


def test_shipped_lineage_is_what_make_lineage_writes(folder: Path) -> None:
    keep_lineage(folder)
    assert (folder / KEPT).read_text() == (shipped.sql_folder() / KEPT).read_text(), (
        "run `make lineage`"
    )


def test_kept_lineage_is_the_traced_one() -> None:
    models = load_models(shipped.sql_folder())
    marts = [name for name in models if name in tables.TABLES]
    assert marts
    for name in marts:
        kept = kept_lineage(models[name], models, shipped.sql_folder())
        assert kept == lineage(models[name], models)


@pytest.mark.parametrize("text", ["", "[]", '{"run_summary": {"hash": "other", "columns": {}}}'])
def test_stale_or_damaged_file_is_not_believed(folder: Path, text: str) -> None:
    (folder / KEPT).write_text(text)
    models = load_models(folder)
    model = models["run_summary"]
    assert kept_lineage(model, models, folder) == lineage(model, models)


def test_every_origin_is_a_column_of_a_table() -> None:
    kept = json.loads((shipped.sql_folder() / KEPT).read_text())
    for mart in kept.values():
        for origins in mart["columns"].values():
            assert all(column in tables.columns(table) for table, column in origins)
