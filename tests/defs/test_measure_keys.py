"""Which keys measures are wanted under: a run's index belongs to them once it is held."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.knowledge.snapshot import write_snapshot
from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.reading.errors import InputError

RowsOf = Callable[..., pl.DataFrame]
VERSION = {"dataset_version": "faq@v1"}
DOCUMENT: dict[str, object] = {
    "doc_id": "fee",
    "lifecycle": "active",
    "sections": [{"text": "500 yen"}],
}


@pytest.fixture
def evaluation(tmp_path: Path, rows_of: RowsOf) -> Evaluation:
    """A frozen version with a run on each kind of index; the home knows its knowledge base."""
    (tmp_path / "home").mkdir()
    evaluation = Evaluation(data=str(tmp_path / "data"), home=str(tmp_path / "home"))
    index = write_snapshot(tmp_path / "elsewhere", "shop", [DOCUMENT])
    runs = {"same": "pinned", "unknown": None, "older": index, "odd": "../../etc"}
    tables = {
        "runs": [
            VERSION | {"run_id": run_id, "indexed_snapshot": name} for run_id, name in runs.items()
        ],
        "cases": [VERSION | {"case_id": "q", "snapshot_id": "pinned", "draft": False}],
        "documents": [VERSION | {"doc_id": "fee", "knowledge": "shop"}],
    }
    for table, rows in tables.items():
        evaluation.warehouse.replace(table, pl.DataFrame([VERSION]), rows_of(table, *rows))
    return evaluation


def versions(evaluation: Evaluation) -> dict[str, str]:
    keys = evaluation.measure_keys("faq@v1")
    return dict(keys.select("run_id", "measure_version").iter_rows())


def test_runs_whose_index_appears_are_due_and_no_others(evaluation: Evaluation) -> None:
    before = versions(evaluation)
    assert set(before.values()) == {MEASURE_VERSION}

    index = write_snapshot(evaluation.data_root, "shop", [DOCUMENT])

    assert versions(evaluation) == before | {"older": f"{MEASURE_VERSION}+index:{index}"}
    held = evaluation.index_of("faq@v1", index)
    assert held is not None
    assert held.sections["text"].to_list() == ["500 yen"]


def test_an_index_that_is_not_held_is_none(evaluation: Evaluation) -> None:
    assert evaluation.index_of("faq@v1", "0123456789ab") is None
    assert evaluation.index_of("another@v1", "0123456789ab") is None


def test_an_index_file_that_was_edited_is_refused(evaluation: Evaluation) -> None:
    index = write_snapshot(evaluation.data_root, "shop", [DOCUMENT])
    path = evaluation.data_root / "snapshots" / "shop" / f"{index}.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("500", "600"), encoding="utf-8")
    with pytest.raises(InputError, match="snapshots are never edited"):
        evaluation.index_of("faq@v1", index)
