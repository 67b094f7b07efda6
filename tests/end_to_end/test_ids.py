"""Ids are text as written, whatever they look like, in every format and on both sides."""

import unicodedata

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, Said, answer, case, lines

TRICKY = ["007", "7", "1e5", "1E5", "2026-01-02", "TRUE", "no", "null", "NA", "nan", "-0", "12:30",
          "1_000", "0x1F", "Infinity", "1.10", "+1", "~x"]  # fmt: skip
HOSTILE = ["a/b", "a%2Fb", "a|b", "..", "../x", "a...b", "q1", "Q1", "*", "[q]", "CON",
           "規程, 第3版", "x" * 300, "x" * 299 + "y", "' OR 1=1 --", "<script>alert(1)</script>",
           "が", "q 1", "=1+1", "👩\u200d🔬"]  # fmt: skip
NFD = unicodedata.normalize("NFD", "が")
REFUSED = ["", "  ", "q1\t", "q\u200b1", "q\u202e1"]


@pytest.fixture(scope="module")
def night(make_root: MakeRoot) -> tuple[Root, Said]:
    root = make_root("ids")
    rows = "".join(f'"{each}",What?,yes,guide,answer\n' for each in TRICKY)
    root.put("datasets/sheet/v1/cases.csv", "id,question,expected,evidence,status\n" + rows)
    root.put("runs/of_sheet.jsonl", [answer(each, dataset="sheet@v1") for each in TRICKY])

    written = "".join(
        f"- id: {each}\n  question: What?\n  expected: yes\n  evidence: guide\n  status: answer\n"
        for each in TRICKY
        if each not in ("null", "~x")
    )
    root.put("datasets/yaml/v1/cases.yaml", written)
    root.put("runs/of_yaml.jsonl", [answer(each, dataset="yaml@v1") for each in TRICKY])

    root.put("datasets/hostile/v1/dataset.yaml", 'name: "h/x, y|z"\nversion: "１"\n')
    root.put(
        "datasets/hostile/v1/cases.jsonl",
        [case(each) for each in HOSTILE]
        + [case(each) for each in REFUSED]
        + [case("だ"), case(unicodedata.normalize("NFD", "だ"), expected="no")],
    )
    root.put("runs/hostile/items.jsonl", [answer(each) for each in [*HOSTILE[:-4], NFD, *REFUSED]])
    root.put("runs/hostile/run.yaml", 'run_id: "../../r|1"\ndataset: "h/x, y|z@１"\n')

    numbers = '"question": "What?", "expected": "yes", "evidence": "guide", "status": "answer"}\n'
    root.put(
        "datasets/numbers/v1/cases.jsonl",
        "".join(f'{{"id": {each}, {numbers}' for each in ("7", "7.0", "1e2", "9" * 30, "true")),
    )
    root.put(
        "runs/numbers.jsonl",
        "".join(
            f'{{"case_id": {each}, "dataset": "numbers@v1", "retrieved": ["guide"], '
            '"answer": "yes", "source": "guide", "status": "answer"}\n'
            for each in ("7", "7.0", '"1e2"', "9" * 30)
        ),
    )
    return root, root.run("nightly")


@pytest.fixture(scope="module")
def root(night: tuple[Root, Said]) -> Root:
    return night[0]


def passed(root: Root, version: str) -> list[str]:
    rows = root.sql(
        f"SELECT case_id FROM case_scores WHERE dataset_version = '{version}' AND passed"
    )
    return sorted(row["case_id"] for row in rows)


def test_ids_in_a_sheet_stay_as_written_and_meet_their_rows(root: Root) -> None:
    assert passed(root, "sheet@v1") == sorted(TRICKY)


def test_ids_in_yaml_stay_as_written_and_meet_their_rows(root: Root) -> None:
    assert passed(root, "yaml@v1") == sorted(set(TRICKY) - {"null", "~x"})
    assert root.pairs("SELECT line, code FROM quarantine WHERE run_id = 'of_yaml'") == {
        TRICKY.index("null") + 1: "unknown_case",
        TRICKY.index("~x") + 1: "unknown_case",
    }


def test_numeric_ids_in_json_become_their_digits(root: Root) -> None:
    assert passed(root, "numbers@v1") == sorted(["7", "7.0", "1e2", "9" * 30])
    assert root.sql("SELECT line, code FROM quarantine WHERE dataset_version = 'numbers@v1'") == [
        {"line": 5, "code": "not_an_id"}
    ]


def test_hostile_ids_are_kept_apart_and_unusable_ones_named(root: Root) -> None:
    held = root.sql("SELECT case_id FROM cases WHERE dataset_version = 'h/x, y|z@１'")
    assert sorted(row["case_id"] for row in held) == sorted(HOSTILE)
    refused = root.sql(
        "SELECT code, reason FROM quarantine WHERE source_file LIKE 'datasets/hostile/%'"
    )
    assert sorted(row["code"] for row in refused) == ["duplicate_case_id"] * 2 + ["refused_id"] * 5
    assert any("U+202E" in row["reason"] for row in refused)
    assert any("NFC" in row["reason"] for row in refused)


def test_an_id_in_another_normal_form_is_met_and_noted(root: Root) -> None:
    assert root.sql("SELECT flags FROM run_items WHERE case_id = 'が'") == [
        {"flags": ["case_id:put_in_nfc"]}
    ]


def test_run_and_dataset_names_do_not_leave_their_folders(root: Root) -> None:
    assert passed(root, "h/x, y|z@１") == sorted([*HOSTILE[:-4], "が"])
    outside = [
        path
        for path in root.data.parent.rglob("*")
        if not path.is_relative_to(root.data) and not path.is_relative_to(root.home)
    ]
    assert outside == []
    names = [path.name for path in (root.home / "reports").iterdir()]
    assert len(names) == 2 * 4  # as HTML and as Markdown
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789@_.-") for name in names)


def test_hostile_ids_can_be_asked_about(root: Root) -> None:
    for case_id in ("' OR 1=1 --", "../x", "<script>alert(1)</script>"):
        said = root.run("explain", "item", "../../r|1", case_id)
        assert said.code == (0 if case_id in HOSTILE else 2)
        assert case_id in said.out


def test_ids_that_start_a_formula_are_guarded_in_csv_only(root: Root) -> None:
    query = "SELECT case_id FROM cases WHERE case_id = '=1+1'"
    assert root.sql(query) == [{"case_id": "=1+1"}]
    assert root.run("sql", query, "--format", "csv").out == "case_id\n'=1+1\n"


def test_every_other_row_of_the_files_is_used(night: tuple[Root, Said]) -> None:
    root, said = night
    assert said.code == 0, said.err
    assert lines([]) == ""
    assert root.sql("SELECT path FROM run_files WHERE n_rows <> n_used + n_quarantined") == []
