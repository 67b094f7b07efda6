"""Bad input is told in a sentence with its place, ends with 2, and stops nothing else."""

import gzip
import unicodedata
from pathlib import Path

import duckdb
import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, Said, answer, case, command

BINARY = bytes(range(256)) * 4


def put_dataset(
    root: Root,
    name: str,
    manifest: str = "",
    cases: str | bytes | list[dict[str, object]] | None = None,
    file: str = "cases.jsonl",
) -> None:
    """A dataset version on the knowledge base `kb`, with two sound cases if none are given."""
    root.put(f"datasets/{name}/v1/dataset.yaml", f"knowledge: kb\n{manifest}")
    sound = [case("c1"), case("c2")]
    root.put(f"datasets/{name}/v1/{file}", sound if cases is None else cases)


@pytest.fixture(scope="module")
def checked(make_root: MakeRoot) -> Said:
    """Datasets whose files cannot be used, looked at by `check`."""
    root = make_root("unusable")
    root.put("knowledge/kb/documents.jsonl", [{"doc_id": "guide", "text": "yes"}])
    root.put("knowledge/hollow/documents.jsonl", "\n")
    put_dataset(root, "good")
    put_dataset(root, "columns", cases="nr,frage\n1,What?\n", file="cases.csv")
    put_dataset(root, "semicolons", cases="id;question\nc1;What?\n", file="cases.csv")
    put_dataset(root, "binary", cases=BINARY)
    put_dataset(root, "norubric", "rubrics: strikt\n")
    root.put("datasets/folder/v1/dataset.yaml", "knowledge: kb\n")
    (root.data / "datasets/folder/v1/cases.jsonl").mkdir()
    root.put("datasets/hollow/v1/dataset.yaml", "knowledge: hollow\n")
    root.put("datasets/hollow/v1/cases.jsonl", [case("c1")])
    return root.run("check")


@pytest.fixture(scope="module")
def night(make_root: MakeRoot) -> tuple[Root, Said]:
    """Manifests, rubrics and run logs that cannot be used, met by a nightly."""
    root = make_root("bad")
    root.put("knowledge/kb/documents.jsonl", [{"doc_id": "guide", "text": "yes"}])
    root.put("knowledge/other/documents.jsonl", [{"doc_id": "guide", "text": "yes"}])
    put_dataset(root, "good")
    unfit = [{"id": "c2"}, case("c3", status="refuse")]
    put_dataset(root, "part", cases=[case("c1"), *unfit, case("c1")])
    put_dataset(root, "nocases", cases="")
    put_dataset(root, "badrubric", "rubrics: mine\n")
    root.put("rubrics/mine.yaml", "name: mine\nevidence:\n  measure: exact_mach\n")
    put_dataset(root, "zone", "timezone: Asia/Tokio\n")
    put_dataset(root, "bomb", "a: &a [x, x]\nb: [*a, *a]\n")
    put_dataset(root, "tag", "owners: !!python/object:os.system {}\n")
    put_dataset(root, "twice", "knowledge: kb\n")
    put_dataset(root, "target", "targets: {direct: many}\n")
    for form in ("NFC", "NFD"):
        put_dataset(root, unicodedata.normalize(form, "が"))
    root.put("datasets/unnamed/v1/cases.jsonl", [case("c1")])

    root.put("runs/ok/items.jsonl", [answer("c1"), answer("c2")])
    root.put("runs/ok/run.yaml", "dataset: good@v1\n")
    root.put("runs/ok2.jsonl", [answer("c1", dataset="part")])
    root.put("runs/lost/items.jsonl", [answer("c1")])
    root.put("runs/lost/run.yaml", "system: x\ndataset: goood@v1\n")
    root.put("runs/lost2.jsonl", [answer("c1", dataset="zone@v1")])
    root.put("runs/none.jsonl", [answer("c1")])
    root.put("runs/binary.jsonl", BINARY)
    root.put("runs/cut.jsonl.gz", gzip.compress(b"x" * 999)[:-9])
    root.put("runs/one.jsonl", [answer("c1", run_id="twin", dataset="good@v1")])
    root.put("runs/two.jsonl", [answer("c2", run_id="twin", dataset="good@v1")])
    root.put("runs/kind/items.jsonl", [answer("c1")])
    root.put("runs/kind/run.yaml", "dataset: good@v1\nkind: prod\n")
    root.put("runs/yaml/items.jsonl", [answer("c1")])
    root.put("runs/yaml/run.yaml", "dataset: good@v1\n\tkind: live\n")
    root.put("runs/notes.txt", "hello")
    (root.data / "runs/dir.jsonl").mkdir()
    (root.data / "runs/inner/items.jsonl").mkdir(parents=True)
    return root, root.run("nightly")


UNUSABLE = [
    ("datasets/columns/v1/cases.csv", "field case_id", "frage, nr"),
    ("datasets/semicolons/v1/cases.csv, line 1", "a semicolon"),
    ("datasets/binary/v1/cases.jsonl, line 2", "utf-8", "cp932"),
    ("datasets/folder/v1/cases.jsonl", "found a folder"),
    ("hollow@v1: knowledge/hollow/documents.jsonl", "no document"),
    ("datasets/norubric/v1/dataset.yaml", "field rubrics", "'strikt'", "did you mean 'strict'?"),
]
PROBLEMS = [
    ("datasets/nocases/v1/cases.jsonl", "found no case"),
    ("badrubric@v1: rubrics/mine.yaml, line 3", "field evidence.measure", "'exact_mach'"),
    ("datasets/zone/v1/dataset.yaml, line 2", "field timezone", "'Asia/Tokio'"),
    ("datasets/bomb/v1/dataset.yaml, line 2", "anchor &a"),
    ("datasets/tag/v1/dataset.yaml, line 2", "tag"),
    ("datasets/twice/v1/dataset.yaml, line 2", "field knowledge", "again"),
    ("datasets/target/v1/dataset.yaml, line 2", "field targets.direct", "'many'"),
    ("datasets/が/v1/dataset.yaml", "field name, version", "'が@v1'", "compared in NFC"),
    ("datasets/unnamed/v1/dataset.yaml", "field knowledge", "one of kb, other"),
    ("runs/lost/run.yaml, line 2", "field dataset", "'goood@v1'", "did you mean 'good@v1'?"),
    ("runs/lost2.jsonl, line 1", "field dataset", "datasets/zone/v1 cannot be used"),
    ("runs/none.jsonl", "field dataset", "no dataset named", "one of badrubric@v1, good@v1"),
    ("runs/binary.jsonl, line 2", "utf-8", "cp932"),
    ("runs/cut.jsonl.gz", "cut or damaged"),
    ("runs/one.jsonl, field run_id", "'twin'", "runs/two.jsonl"),
    ("runs/two.jsonl, field run_id", "'twin'", "runs/one.jsonl"),
    ("runs/kind/run.yaml, line 2", "field kind", "'prod'", "live, recorded, fixture"),
    ("runs/yaml/run.yaml, line 2", "fault of syntax"),
    ("runs/notes.txt", "no run log"),
    ("runs/dir.jsonl", "a folder without items file"),
    ("runs/inner/items.jsonl", "found a folder"),
]


def is_told(said: Said, parts: tuple[str, ...]) -> None:
    told = said.problem(f"error: {parts[0]}", *parts[1:])
    assert "expected" in told
    assert "Do: " in told
    assert "found found" not in told


def errors(said: Said) -> int:
    return sum(line.startswith("error: ") for line in said.err.splitlines())


@pytest.mark.parametrize("parts", UNUSABLE, ids=lambda parts: parts[0])
def test_a_dataset_that_cannot_be_used_is_told_in_a_sentence(
    checked: Said, parts: tuple[str, ...]
) -> None:
    is_told(checked, parts)


@pytest.mark.parametrize("parts", PROBLEMS, ids=lambda parts: parts[0])
def test_each_problem_of_a_night_is_told_in_a_sentence(
    night: tuple[Root, Said], parts: tuple[str, ...]
) -> None:
    is_told(night[1], parts)


def test_nothing_is_told_twice_and_the_exit_code_is_2(
    checked: Said, night: tuple[Root, Said]
) -> None:
    for said, problems in ((checked, UNUSABLE), (night[1], PROBLEMS)):
        assert errors(said) == len(problems), said.err
        assert said.code == 2
    assert "good@v1: no findings" in checked.out


def test_what_is_sound_is_evaluated_all_the_same(night: tuple[Root, Said]) -> None:
    root, said = night
    assert root.marks("ok") == {"c1": [1, 1, 1, 1], "c2": [1, 1, 1, 1]}
    assert root.marks("ok2") == {"c1": [1, 1, 1, 1]}
    assert root.pairs(
        "SELECT line, code FROM quarantine WHERE source_file = 'datasets/part/v1/cases.jsonl'"
    ) == {2: "missing_field", 3: "contract", 4: "exact_duplicate"}
    said.problem("warning: datasets/part/v1/cases.jsonl, line 2", "3 rows not used")
    assert "2 of 4 dataset versions done" in said.out


def test_a_broken_dataset_asked_for_says_what_is_broken(night: tuple[Root, Said]) -> None:
    root, _ = night
    assert "Asia/Tokio" in root.run("check", "zone").problem("error")
    said = root.run("check", "god")
    assert said.code == 2
    assert "did you mean 'good@v1'?" in said.problem("'god'")


def test_problems_of_others_are_not_told_to_who_asks_for_one(night: tuple[Root, Said]) -> None:
    root, _ = night
    said = root.run("check", "good@v1")
    assert (said.code, said.err) == (0, "")
    assert "good@v1: no findings" in said.out


def test_a_missing_data_root_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name, found in (("none", "no folder"), ("file", "a file")):
        data = str(tmp_path / name)
        for arguments in (["nightly"], ["check"], ["ingest"], ["freeze", "x"], ["ui"]):
            said = command("--data", data, "--home", str(tmp_path / "home"), *arguments)
            assert said.code == 2
            assert found in said.problem(data, "--data DIR")


def test_a_root_without_dataset_or_runs_is_told_so(make_root: MakeRoot) -> None:
    root = make_root("hollow")
    said = root.run("nightly")
    assert said.code == 2
    assert "datasets/<name>/<version>/" in said.problem("found no dataset")
    root.put("datasets/faq/v1/cases.jsonl", [case("c1")])
    said = root.run("ingest")
    assert said.code == 0
    said.problem("warning", "no run files yet", "rag-eval ingest PATH")


def test_results_are_asked_of_a_home_that_has_none(make_root: MakeRoot) -> None:
    root = make_root("nothing")
    for arguments in (["sql", "SELECT 1"], ["report"], ["explain", "item", "r", "c"],
                      ["compare", "a", "b"]):  # fmt: skip
        said = root.run(*arguments)
        assert said.code == 2
        said.problem("nothing evaluated yet", "rag-eval nightly")
    assert not root.home.exists()


def test_a_warehouse_of_a_newer_version_is_left_alone(make_root: MakeRoot) -> None:
    root = make_root("newer")
    root.put("datasets/faq/v1/cases.jsonl", [case("c1")])
    root.home.mkdir()
    path = root.home / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE meta (schema_version BIGINT)")
        connection.execute("INSERT INTO meta VALUES (9999)")
    before = path.read_bytes()
    for arguments in (["nightly"], ["sql", "SELECT 1"], ["report"]):
        said = root.run(*arguments)
        assert said.code == 2
        said.problem(str(path), "newer version", "9999")
    assert path.read_bytes() == before


def test_a_damaged_warehouse_says_how_to_mend_it(make_root: MakeRoot) -> None:
    root = make_root("damaged")
    root.put("datasets/faq/v1/cases.jsonl", [case("c1")])
    root.home.mkdir()
    (root.home / "warehouse.duckdb").write_bytes(b"no database" * 999)
    for arguments in (["nightly"], ["sql", "SELECT 1"]):
        said = root.run(*arguments)
        assert said.code == 2
        said.problem("warehouse.duckdb", "Delete it", "rebuilt")


def test_a_path_that_is_no_run_log_is_not_copied(make_root: MakeRoot, tmp_path: Path) -> None:
    root = make_root("ingest")
    root.put("datasets/faq/v1/cases.jsonl", [case("c1")])
    (tmp_path / "run.csv").write_text("case_id\nc1\n")
    (tmp_path / "folder").mkdir()
    for name, found in (
        ("run.csv", "another kind of file"),
        ("folder", "a folder without one items file"),
        ("absent.jsonl", "nothing at this path"),
    ):
        said = root.run("ingest", str(tmp_path / name))
        assert said.code == 2
        assert found in said.problem(name)
    assert not (root.data / "runs").exists()


def test_a_warehouse_of_another_layout_is_put_away_with_a_warning(make_root: MakeRoot) -> None:
    root = make_root("older")
    root.put("datasets/faq/v1/cases.jsonl", [case("c1")])
    root.home.mkdir()
    with duckdb.connect(str(root.home / "warehouse.duckdb")) as connection:
        connection.execute("CREATE TABLE meta (schema_version BIGINT)")
        connection.execute("INSERT INTO meta VALUES (0)")
    said = root.run("check")
    assert said.code == 0
    said.problem("warning: ", "warehouse.duckdb.v0.bak", "filled from the data root")
    assert (root.home / "warehouse.duckdb.v0.bak").exists()
    assert root.sql("SELECT case_id FROM cases") == [{"case_id": "c1"}]
