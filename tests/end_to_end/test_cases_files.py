"""Cases written in sheets, YAML and odd encodings are read as they were meant, or refused."""

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, Said

HEADER = "id,question,expected,evidence,status\n"


@pytest.fixture(scope="module")
def checked(make_root: MakeRoot) -> tuple[Root, Said]:
    root = make_root("files")
    excel = HEADER + "k1,㈱髙橋①の表示ソフトは？,500円～600円,guide,answer\n"
    root.put("datasets/cp932/v1/cases.csv", excel.encode("cp932"))
    tabs = HEADER.replace(",", "\t") + "k1\t送料は？\t５００円\tguide\tanswer\n"
    root.put("datasets/utf16/v1/cases.txt", tabs.encode("utf-16"))
    root.put(
        "datasets/sheet/v1/cases.csv",
        "\ufeffstatus,id,question,required_claims,evidence,accepted_answers,expected,memo\r\n"
        'answer,k1,"one\r\ntwo","[""a;b|c"",""d""]","x\r\ny","p, q",' + "長" * 200_000 + ",\r\n"
        'answer,k2,"say ""free"", please",,,,yes,=1+1\r\n'
        "answer,k3,Which?,,x;y,,yes,\r\n"
        "answer,k4,Which?,,x,p|q,yes,\r\n"
        "answer,k5,Which?,,\r\n"
        "\r\n,,,,,,,\r\n",
    )
    root.put(
        "datasets/yaml/v1/cases.yaml",
        "cases:\n"
        "- {id: k1, question: 12:30 or 1.10?, expected: no, evidence: [010, null-],\n"
        "   status: answer}\n"
        "- id: k2\n  question: Twice?\n  question: Again?\n"
        "- id: !!str k3\n  question: Tagged?\n"
        "- id: &k k4\n  question: Anchored?\n"
        "- id: k5\n  question: Fine?\n  status: unknown\n  evidence: ~\n",
    )
    return root, root.run("check")


@pytest.fixture(scope="module")
def root(checked: tuple[Root, Said]) -> Root:
    return checked[0]


def test_cp932_is_read_whole_and_noted(root: Root) -> None:
    assert root.sql(
        "SELECT question, reference_answer FROM cases WHERE dataset_version = 'cp932@v1'"
    ) == [{"question": "㈱髙橋①の表示ソフトは？", "reference_answer": "500円～600円"}]
    assert root.sql("SELECT message FROM dataset_findings WHERE dataset_version = 'cp932@v1'") == [
        {"message": "read as cp932"}
    ]


def test_utf16_with_tabs_is_read(root: Root) -> None:
    assert root.sql(
        "SELECT question, reference_answer FROM cases WHERE dataset_version = 'utf16@v1'"
    ) == [{"question": "送料は？", "reference_answer": "５００円"}]


def test_cells_keep_line_ends_quotes_and_length(root: Root) -> None:
    assert root.pairs("SELECT case_id, question FROM cases WHERE dataset_version = 'sheet@v1'") == {
        "k1": "one\ntwo",
        "k2": 'say "free", please',
    }
    assert root.sql(
        "SELECT length(reference_answer) AS n FROM cases "
        "WHERE dataset_version = 'sheet@v1' AND case_id = 'k1'"
    ) == [{"n": 200_000}]


def test_lists_in_cells_are_json_or_one_a_line(root: Root) -> None:
    assert root.pairs("SELECT claim_id, text FROM case_claims") == {"r1": "a;b|c", "r2": "d"}
    assert root.sql("SELECT evidence_id FROM case_evidence WHERE dataset_version = 'sheet@v1'") == [
        {"evidence_id": "x"},
        {"evidence_id": "y"},
    ]
    assert root.sql("SELECT accepted_answers FROM cases WHERE question = 'one\ntwo'") == [
        {"accepted_answers": ["p, q"]}
    ]


def test_an_ambiguous_cell_or_short_row_is_refused_with_its_line(root: Root) -> None:
    assert root.pairs(
        "SELECT line, code || ' ' || coalesce(field, '') FROM quarantine "
        "WHERE source_file = 'datasets/sheet/v1/cases.csv'"
    ) == {
        6: "ambiguous_list reference_evidence_ids",
        7: "ambiguous_list accepted_answers",
        8: "wrong_number_of_cells ",
    }


def test_an_unknown_column_is_kept_and_reported(root: Root) -> None:
    assert root.sql("SELECT extra FROM cases WHERE extra LIKE '%1+1%'") == [
        {"extra": '{"memo":"=1+1"}'}
    ]
    rows = root.sql("SELECT message FROM dataset_findings WHERE \"check\" = 'unknown_fields'")
    assert rows == [{"message": "kept in `extra`: memo"}]


def test_yaml_scalars_are_text_and_what_surprises_is_refused(root: Root) -> None:
    assert root.sql(
        "SELECT case_id, question, reference_answer FROM cases "
        "WHERE dataset_version = 'yaml@v1' ORDER BY case_id"
    ) == [
        {"case_id": "k1", "question": "12:30 or 1.10?", "reference_answer": "no"},
        {"case_id": "k5", "question": "Fine?", "reference_answer": None},
    ]
    assert [
        row["evidence_id"]
        for row in root.sql("SELECT * FROM case_evidence WHERE dataset_version = 'yaml@v1'")
    ] == ["010", "null-"]
    assert root.pairs(
        "SELECT line, code FROM quarantine WHERE source_file = 'datasets/yaml/v1/cases.yaml'"
    ) == {4: "duplicate_key", 7: "yaml_tag", 9: "yaml_alias"}


def test_findings_are_shown_once_and_an_error_ends_with_1(checked: tuple[Root, Said]) -> None:
    _, said = checked
    assert said.code == 1
    assert said.err == ""
    assert said.out.count("cases.csv:6") == 1
    assert "sheet@v1: 3 errors" in said.out
