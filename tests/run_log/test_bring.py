import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.run_log.bring import bring_run
from rag_eval_pipeline.run_log.discover import find_sources, peek, run_id_of


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"case_id": "q1"} | row) + "\n" for row in rows))
    return path


def held(runs: Any) -> dict[str, dict[str, object]]:
    """Manifest values of the runs below `runs/`, by id."""
    sources, strays = find_sources(runs.path)
    assert strays == {}
    manifests = [(peek(source, runs.path), source) for source in sources]
    return {run_id_of(manifest, source): manifest.values for manifest, source in manifests}


def test_a_file_becomes_a_folder_of_its_own(runs: Any, outside: Path) -> None:
    path = write(outside / "night.jsonl", {})
    folder = bring_run(path, runs.path, None, replace=False)
    assert folder == runs.path / "runs" / "night"
    assert (folder / "items.jsonl").read_bytes() == path.read_bytes()
    assert list(held(runs)) == ["night"]


def test_a_packed_file_stays_packed(runs: Any, outside: Path) -> None:
    path = outside / "night.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"case_id": "q1"}\n'))
    folder = bring_run(path, runs.path, None, replace=False)
    assert (folder / "items.jsonl.gz").read_bytes() == path.read_bytes()


def test_a_folder_brings_its_manifest_with_comments(runs: Any, outside: Path) -> None:
    write(outside / "x" / "items.jsonl", {})
    (outside / "x" / "run.yaml").write_text("# ours\nrun_id: night\nmodel: m\n")
    folder = bring_run(outside / "x", runs.path, "faq@v1", replace=False)
    assert (folder / "run.yaml").read_text() == (
        '# ours\nrun_id: night\nmodel: m\ndataset: "faq@v1"\n'
    )
    assert held(runs)["night"]["dataset"] == "faq@v1"


def test_a_run_keeps_the_dataset_it_names(runs: Any, outside: Path) -> None:
    path = write(outside / "night.jsonl", {"dataset": "faq@v2"})
    bring_run(path, runs.path, "faq@v1", replace=False)
    assert held(runs)["night"]["dataset"] == "faq@v2"


def test_a_hostile_id_stays_below_runs(runs: Any, outside: Path) -> None:
    path = write(outside / "x.jsonl", {"run_id": "../../etc: [1]"})
    folder = bring_run(path, runs.path, None, replace=False)
    assert folder.parent == runs.path / "runs"
    assert list(held(runs)) == ["../../etc: [1]"]


def test_bringing_the_same_again_changes_nothing(runs: Any, outside: Path) -> None:
    path = write(outside / "night.jsonl", {})
    first = bring_run(path, runs.path, None, replace=False)
    assert bring_run(path, runs.path, None, replace=False) == first
    assert len(find_sources(runs.path)[0]) == 1


def test_a_resumed_run_takes_the_place_of_its_start(runs: Any, outside: Path) -> None:
    bring_run(write(outside / "night.jsonl", {}), runs.path, None, replace=False)
    longer = write(outside / "night.jsonl", {}, {"trial": 2})
    folder = bring_run(longer, runs.path, None, replace=False)
    assert (folder / "items.jsonl").read_bytes() == longer.read_bytes()


@pytest.mark.parametrize("existing", ["night.jsonl", "night/items.jsonl"])
def test_other_rows_under_a_known_id_are_refused_unless_replaced(
    runs: Any, outside: Path, existing: str
) -> None:
    write(runs.path / "runs" / existing, {"answer": "a"})
    path = write(outside / "night.jsonl", {"answer": "b"})
    with pytest.raises(InputError) as raised:
        bring_run(path, runs.path, None, replace=False)
    assert raised.value.code == "run_exists"
    assert "--replace" in raised.value.todo
    folder = bring_run(path, runs.path, None, replace=True)
    assert (folder / "items.jsonl").read_bytes() == path.read_bytes()
    assert list(held(runs)) == ["night"]
    assert len(find_sources(runs.path)[0]) == 1


@pytest.mark.parametrize("name", ["night.jsonl", "night/items.jsonl"])
def test_a_run_that_is_there_already_stays_where_it_is(runs: Any, name: str) -> None:
    path = write(runs.path / "runs" / name, {})
    before = path.read_bytes()
    bring_run(path, runs.path, None, replace=False)
    assert path.read_bytes() == before
    assert len(find_sources(runs.path)[0]) == 1


def test_a_manifest_to_which_nothing_can_be_added_is_refused(runs: Any, outside: Path) -> None:
    write(outside / "x" / "items.jsonl", {})
    (outside / "x" / "run.yaml").write_text("{model: m}\n")
    with pytest.raises(InputError) as raised:
        bring_run(outside / "x", runs.path, "faq@v1", replace=False)
    assert raised.value.code == "cannot_add"
    assert find_sources(runs.path) == ([], {})


@pytest.mark.parametrize("name", ["table.csv", "empty"])
def test_what_is_no_run_log_is_refused(runs: Any, outside: Path, name: str) -> None:
    path = outside / name
    path.mkdir() if name == "empty" else path.write_text("a,b\n")
    with pytest.raises(InputError) as raised:
        bring_run(path, runs.path, None, replace=False)
    assert raised.value.code == "not_a_run_log"
