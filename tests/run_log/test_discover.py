import gzip
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.run_log import discover as discovering
from rag_eval_pipeline.run_log.discover import find_sources, peek, run_id_of


def states(frame: pl.DataFrame) -> dict[str, str]:
    return dict(frame.select("path", "state").iter_rows())


def ingested(frame: pl.DataFrame) -> pl.DataFrame:
    """The table as it is once all stable files were taken in."""
    return frame.with_columns(
        state=pl.col("state").replace("stable", "ingested"),
        encoding=pl.lit("utf-8"),
        n_rows=1,
        n_used=1,
        n_quarantined=0,
    )


def touch(path: Path, seconds: int = 5) -> None:
    moved = path.stat().st_mtime + seconds
    os.utime(path, (moved, moved))


def test_runs_are_found_flat_and_in_folders_plain_and_packed(runs: Any) -> None:
    for name in ("a.jsonl", "b.jsonl.gz", "c/items.jsonl", "d/items.jsonl.zst"):
        runs.file(name, b"")
    runs.file("c/run.yaml", "")
    sources, strays = find_sources(runs.path)
    assert [each.named for each in sources] == ["a", "b", "c", "d"]
    assert [each.manifest is not None for each in sources] == [False, False, True, False]
    assert sources[3].shown == "runs/d/items.jsonl.zst"
    assert strays == {}


def test_what_is_no_run_log_is_told_and_notes_and_hidden_files_are_not(runs: Any) -> None:
    for name in ("notes.md", ".gitkeep", ".hidden/items.jsonl", "table.csv", "x/run.yaml"):
        runs.file(name, b"")
    (runs.path / "runs" / "void").mkdir()
    runs.file("two/items.jsonl", b"")
    runs.file("two/items.jsonl.gz", b"")
    found = runs.discover()
    assert states(found) == {
        "runs/table.csv": "rejected",
        "runs/two": "rejected",
        "runs/x": "rejected",
    }
    assert all("found" in reason for reason in found["reason"])


def test_no_runs_folder_is_no_run(tmp_path: Path) -> None:
    assert find_sources(tmp_path) == ([], {})


def test_a_new_file_is_to_be_taken_in(runs: Any) -> None:
    runs.rows("night.jsonl", {"case_id": "q1"})
    row = runs.discover().row(0, named=True)
    assert (row["state"], row["run_id"], row["dataset_version"]) == ("stable", "night", "faq@v1")
    assert row["size"] == (runs.path / "runs" / "night.jsonl").stat().st_size
    assert len(row["sha256"]) == 64


def test_a_file_taken_in_and_untouched_since_is_not_opened(
    runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.rows("night.jsonl", {"case_id": "q1"})
    before = ingested(runs.discover())

    def never(*_: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(discovering, "peek", never)
    monkeypatch.setattr(discovering, "stored_sha256", never)
    assert runs.discover(before).equals(before)


def test_a_touched_file_with_the_same_contents_stays_taken_in(runs: Any) -> None:
    path = runs.rows("night.jsonl", {"case_id": "q1"})
    before = ingested(runs.discover())
    touch(path)
    found = runs.discover(before)
    assert states(found) == {"runs/night.jsonl": "ingested"}
    assert found["mtime"].item() > before["mtime"].item()
    assert found["n_rows"].item() == 1


def test_a_changed_file_or_manifest_is_to_be_taken_in_again(runs: Any) -> None:
    path = runs.rows("a/items.jsonl", {"case_id": "q1"})
    runs.file("a/run.yaml", "model: m1\n")
    before = ingested(runs.discover())
    runs.rows("a/items.jsonl", {"case_id": "q1"}, {"case_id": "q2"})
    assert states(runs.discover(before)) == {"runs/a/items.jsonl": "stable"}
    runs.rows("a/items.jsonl", {"case_id": "q1"})
    touch(path, -100)
    runs.file("a/run.yaml", "model: m2\n")
    assert states(runs.discover(before)) == {"runs/a/items.jsonl": "stable"}


def test_a_file_that_is_no_longer_there_is_gone_until_it_comes_back(runs: Any) -> None:
    path = runs.rows("night.jsonl", {"case_id": "q1"})
    data = path.read_bytes()
    path.unlink()
    before = ingested(runs.discover())
    path.write_bytes(data)
    before = ingested(runs.discover(before))
    path.unlink()
    gone = runs.discover(before)
    assert states(gone) == {"runs/night.jsonl": "gone"}
    assert states(runs.discover(gone)) == {"runs/night.jsonl": "gone"}
    path.write_bytes(data)
    assert states(runs.discover(gone)) == {"runs/night.jsonl": "stable"}


def test_two_files_of_one_run_are_both_rejected_and_name_each_other(runs: Any) -> None:
    runs.rows("night.jsonl", {"case_id": "q1"})
    runs.rows("copy.jsonl", {"case_id": "q1", "run_id": "night"})
    runs.rows("other.jsonl", {"case_id": "q1"})
    found = runs.discover()
    assert states(found) == {
        "runs/copy.jsonl": "rejected",
        "runs/night.jsonl": "rejected",
        "runs/other.jsonl": "stable",
    }
    for reason in found["reason"].drop_nulls():
        assert "runs/copy.jsonl and runs/night.jsonl" in reason
        assert "'night'" in reason


def test_a_file_gone_does_not_clash_with_the_one_it_was_renamed_to(runs: Any) -> None:
    path = runs.rows("old.jsonl", {"case_id": "q1", "run_id": "night"})
    before = ingested(runs.discover())
    path.rename(path.with_name("new.jsonl"))
    assert states(runs.discover(before)) == {
        "runs/new.jsonl": "stable",
        "runs/old.jsonl": "gone",
    }


@pytest.mark.parametrize(
    ("row", "keys", "version"),
    [
        ({}, ("faq@v1",), "faq@v1"),
        ({"dataset": "faq@v2"}, ("faq@v1", "faq@v2"), "faq@v2"),
        ({"dataset_version": "faq@v2"}, ("faq@v1", "faq@v2"), "faq@v2"),
        ({"dataset": "faq"}, ("faq@v1", "shop@v1"), "faq@v1"),
        ({"dataset": "faq"}, ("faq@v1", "faq@v2"), None),
        ({"dataset": "fax@v1"}, ("faq@v1",), None),
        ({}, ("faq@v1", "faq@v2"), None),
        ({}, (), None),
    ],
)
def test_a_run_belongs_to_the_dataset_it_names_or_the_only_one(
    runs: Any, row: dict[str, str], keys: tuple[str, ...], version: str | None
) -> None:
    runs.rows("night.jsonl", {"case_id": "q1", **row})
    found = runs.discover(keys=keys).row(0, named=True)
    assert found["dataset_version"] == version
    assert found["state"] == ("rejected" if version is None else "stable")
    if version is None:
        assert "field dataset" in found["reason"]
        assert "runs/night.jsonl" in found["reason"]


def test_a_dataset_that_is_gone_sends_its_runs_back(runs: Any) -> None:
    runs.rows("night.jsonl", {"case_id": "q1", "dataset": "faq@v1"})
    before = ingested(runs.discover())
    assert states(runs.discover(before, keys=("shop@v1",))) == {"runs/night.jsonl": "rejected"}


def test_the_first_readable_row_and_the_manifest_say_what_a_run_is(runs: Any) -> None:
    runs.file("x/items.jsonl", '\nnot json\n{"run_id": "from rows", "model": "m"}\n')
    (source,) = find_sources(runs.path)[0]
    assert run_id_of(peek(source, runs.path), source) == "from rows"
    runs.file("x/run.yaml", "run_id: from file\n")
    (source,) = find_sources(runs.path)[0]
    manifest = peek(source, runs.path)
    assert run_id_of(manifest, source) == "from file"
    assert manifest.values["model"] == "m"


def test_an_unreadable_file_is_rejected_and_the_others_go_on(runs: Any) -> None:
    runs.file("cut.jsonl.gz", gzip.compress(b'{"case_id": "q1"}\n' * 50)[:-8])
    runs.file("bytes.jsonl", b"\xff\xfe\x00\xd8\xff")
    runs.file("yaml/items.jsonl", b"{}")
    runs.file("yaml/run.yaml", b"kind: alive\n")
    (runs.path / "runs" / "folder.jsonl").mkdir()
    runs.file("folder.jsonl/x", b"")
    (runs.path / "runs" / "link.jsonl").symlink_to("nowhere")
    runs.rows("good.jsonl", {"case_id": "q1"})
    found = runs.discover()
    assert {path for path, state in states(found).items() if state != "rejected"} == {
        "runs/good.jsonl"
    }
    assert found.height == 6
    for path, reason in found.filter(pl.col("state") == "rejected").select("path", "reason").rows():
        assert path.partition("/")[2].partition("/")[0] in reason
        assert "Do:" in reason


def test_a_name_that_cannot_be_an_id_is_rejected(runs: Any) -> None:
    runs.rows("a\u200b.jsonl", {"case_id": "q1"})
    row = runs.discover().row(0, named=True)
    assert row["state"] == "rejected"
    assert "run_id" in row["reason"]
