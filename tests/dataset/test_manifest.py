import datetime as dt
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from rag_eval_pipeline.dataset.manifest import discover_datasets, read_manifest
from rag_eval_pipeline.reading.errors import InputError

FULL = """\
name: faq
version: "1.10"
knowledge: shop
decision: whether the new index goes live
owners:
  dataset: team a
  incident: team b
baseline: previous
rubrics: [strict, own]
as_of: 2026-04-01
lang: ja
timezone: Europe/Berlin
targets:
  direct: 10
min_measured: 0.8
test_users: [u1, u2]
mascot: cat
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "datasets" / "faq" / "v1"
    found.mkdir(parents=True)
    (tmp_path / "knowledge" / "shop").mkdir(parents=True)
    return found


def read(folder: Path, text: str | None) -> Any:
    if text is not None:
        (folder / "dataset.yaml").write_text(text)
    return read_manifest(folder.parents[2], folder)


def refused(folder: Path, text: str) -> InputError:
    with pytest.raises(InputError) as raised:
        read(folder, text)
    assert raised.value.file == "datasets/faq/v1/dataset.yaml"
    return raised.value


def test_without_a_manifest_the_folders_give_name_and_version(folder: Path) -> None:
    found = read(folder, None)
    assert found.key == "faq@v1"
    assert found.knowledge == "shop"
    assert found.zone == ZoneInfo("Asia/Tokyo")
    assert (found.rubrics, found.baseline, found.frozen) == ((), None, False)


def test_every_field_of_a_manifest_is_read(folder: Path) -> None:
    found = read(folder, FULL)
    assert found.key == "faq@1.10"
    assert found.partition_key == "faq@1.10"
    assert found.owners == (("dataset", "team a"), ("incident", "team b"))
    assert (found.rubrics, found.as_of, found.language) == (
        ("strict", "own"),
        dt.date(2026, 4, 1),
        "ja",
    )
    assert found.zone == ZoneInfo("Europe/Berlin")
    assert (found.targets, found.min_measured) == ((("direct", 10),), 0.8)
    assert found.test_users == ("u1", "u2")
    assert found.extra_fields == ("mascot",)


@pytest.mark.parametrize("version", ["010", "no", "1e5", "2026-01-02", "1.10"])
def test_a_version_is_text_as_written(folder: Path, version: str) -> None:
    assert read(folder, f"version: {version}\n").version == version


def test_one_rubric_may_stand_without_a_list(folder: Path) -> None:
    assert read(folder, "rubrics: own\n").rubrics == ("own",)


def test_a_dataset_is_frozen_once_it_has_a_hash(folder: Path) -> None:
    assert read(folder, "snapshot: abc\n").frozen is False
    assert read(folder, "dataset_hash: abc\n").frozen is True


@pytest.mark.parametrize(
    ("text", "code", "field", "line"),
    [
        ("name: faq\ntimezone: Asia/Tokio\n", "unknown_timezone", "timezone", 2),
        ("name: faq\n\nknowledge: shup\n", "unknown_knowledge", "knowledge", 3),
        ("name: a@b\n", "refused_id", "name", 1),
        ('name: faq\nversion: ""\n', "refused_id", "version", 2),
        ("name: faq\nversion: [1]\n", "not_an_id", "version", 2),
        ("min_measured: 1.5\n", "not_a_share", "min_measured", 1),
        ("min_measured: most\n", "not_a_share", "min_measured", 1),
        ("targets:\n  direct: many\n", "not_an_integer", "targets.direct", 1),
        ("rubrics: strict, own\n", "ambiguous_list", "rubrics", 1),
    ],
)
def test_a_bad_field_is_named_with_its_line(
    folder: Path, text: str, code: str, field: str, line: int
) -> None:
    problem = refused(folder, text)
    assert (problem.code, problem.field, problem.line) == (code, field, line)


def test_a_manifest_that_is_no_mapping_is_refused(folder: Path) -> None:
    assert refused(folder, "- faq\n").file == "datasets/faq/v1/dataset.yaml"


def test_several_knowledge_bases_need_a_name(folder: Path) -> None:
    (folder.parents[2] / "knowledge" / "other").mkdir()
    problem = refused(folder, "name: faq\n")
    assert (problem.code, problem.expected) == ("ambiguous_knowledge", "one of other, shop")
    assert read(folder, "knowledge: other\n").knowledge == "other"


def test_a_pinned_snapshot_is_enough_where_the_live_knowledge_is_gone(folder: Path) -> None:
    (folder.parents[2] / "snapshots" / "old").mkdir(parents=True)
    assert read(folder, "knowledge: old\nsnapshot: abc\n").knowledge == "old"


def test_no_knowledge_base_at_all_is_legal(folder: Path) -> None:
    (folder.parents[2] / "knowledge" / "shop").rmdir()
    assert read(folder, None).knowledge is None


def test_all_versions_are_found_in_order_and_hidden_folders_are_not(tmp_path: Path) -> None:
    for name in ("b/v1", "a/v2", "a/v1", ".git/v1", "a/.cache"):
        (tmp_path / "datasets" / name).mkdir(parents=True)
    (tmp_path / "datasets" / "README.md").write_text("")
    found = discover_datasets(tmp_path)
    assert list(found.versions) == ["a@v1", "a@v2", "b@v1"]
    assert found.problems == ()


def test_one_bad_folder_does_not_stop_the_others(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "datasets" / name / "v1").mkdir(parents=True)
    (tmp_path / "datasets" / "a" / "v1" / "dataset.yaml").write_text("timezone: Moon\n")
    found = discover_datasets(tmp_path)
    assert list(found.versions) == ["b@v1"]
    assert [each.code for each in found.problems] == ["unknown_timezone"]


def test_two_folders_of_one_version_are_both_left_out(tmp_path: Path) -> None:
    for name in ("v1", "copy"):
        (tmp_path / "datasets" / "a" / name).mkdir(parents=True)
        (tmp_path / "datasets" / "a" / name / "dataset.yaml").write_text("version: v1\n")
    found = discover_datasets(tmp_path)
    assert found.versions == {}
    (problem,) = found.problems
    assert problem.code == "duplicate_dataset_version"
    assert "datasets/a/copy/dataset.yaml" in str(problem)
    assert "datasets/a/v1/dataset.yaml" in str(problem)


def test_no_datasets_folder_is_no_dataset(tmp_path: Path) -> None:
    assert discover_datasets(tmp_path).versions == {}
