"""Each command: what it prints for people and for programs, and how it ends."""

import csv
import io
from pathlib import Path

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, answer, case, command

COMMANDS = [
    "demo",
    "check",
    "freeze",
    "ingest",
    "nightly",
    "score",
    "compare",
    "report",
    "sql",
    "ui",
]


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("commands")
    root.put("knowledge/kb/documents.jsonl", [{"doc_id": "guide", "text": "yes"}])
    root.put("datasets/faq/v1/cases.jsonl", [case("c1"), case("c2"), case("c3", lifecycle="draft")])
    root.put("runs/first.jsonl", [answer("c1"), answer("c2"), "not an object"])  # type: ignore[list-item]
    root.put("runs/second.jsonl", [answer("c1"), answer("c2", retrieved=[], answer="=1+1")])
    assert root.run("nightly").code == 0
    return root


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "faq@v1"],
        ["freeze", "absent"],
        ["ingest"],
        ["score", "--rubric", "loose"],
        ["compare", "first", "second"],
        ["explain", "item", "second", "c2"],
        ["explain", "item", "second", "absent"],
        ["report"],
        ["report", "--dataset", "absent"],
        ["sql", "SELECT * FROM case_scores"],
        ["sql", "SELECT nothing"],
        ["sql"],
        ["absent"],
    ],
    ids=" ".join,
)
def test_json_is_strict_and_alone_on_its_stream(root: Root, arguments: list[str]) -> None:
    said = root.run("--json", *arguments)
    assert said.out.count("\n") == 1
    told = said.json()
    if said.code:
        assert told["exit_code"] == said.code == 2
        assert told["problems"]
    elif arguments[0] in ("check", "ingest", "compare"):
        assert told["exit_code"] == 0
        assert told["datasets"][0]["dataset_version"] == "faq@v1"


EXPLAINING = [
    "explain item",
    *(f"explain {name}" for name in ("values", "pair", "claim", "status")),
]


@pytest.mark.parametrize("name", [*COMMANDS, "explain", *EXPLAINING])
def test_help_says_what_a_command_does_and_takes(name: str) -> None:
    said = command(*name.split(), "--help")
    assert said.code == 0
    assert "Usage: rag-eval" in said.out
    for option in ("--data", "--home", "--json"):
        assert option in said.out or name == "explain"
    assert len(said.out.splitlines()) > 5
    # What keeps the lines of an example apart is for click alone.
    assert not {"\\b", "\b"} & set(said.out.split())
    examples = [
        line for line in said.out.splitlines() if "rag-eval " in line and "Usage" not in line
    ]
    assert all(line.count("rag-eval ") == 1 for line in examples)
    assert "..." not in command("--help").out.replace("[ARGS]...", "")


def test_global_options_may_stand_behind_the_command(root: Root) -> None:
    options = ["--data", str(root.data), "--home", str(root.home), "--json"]
    behind = command("sql", "SELECT 1 AS one", *options)
    assert behind.json() == [{"one": 1}]
    assert command(*options, "sql", "SELECT 1 AS one") == behind


def test_global_options_come_from_the_environment(
    root: Root, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAG_EVAL_HOME", str(root.home))
    assert command("sql", "SELECT count(*) AS n FROM runs", "--json").json() == [{"n": 2}]
    nowhere = command("--home", str(tmp_path), "sql", "SELECT 1")
    assert nowhere.code == 2
    nowhere.problem(str(tmp_path))


@pytest.mark.parametrize(
    "query",
    [
        "CREATE TABLE x (a INT)",
        "DELETE FROM cases",
        "COPY cases TO 'out.csv'",
        "ATTACH 'other.duckdb'",
        "SET memory_limit = '1GB'",
        "INSTALL httpfs",
        "SELECT 1; DROP TABLE cases",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELEC 1",
        "",
    ],
)
def test_sql_only_reads_and_only_the_warehouse(root: Root, query: str) -> None:
    said = root.run("sql", query)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ")
    assert "internal error" not in said.err


def test_sql_gives_json_of_any_type(root: Root) -> None:
    query = (
        "SELECT 'nan'::DOUBLE AS a, ['inf'::DOUBLE] AS b, 1.5::DECIMAL(9, 2) AS c, "
        "DATE '2026-01-02' AS d, TIMESTAMPTZ '2026-01-02 00:00:00+09' AS e, {'k': [1]} AS f, "
        "'\\xAA'::BLOB AS g, sum(2) AS h, true AS i, NULL AS j, 9007199254740993 AS k"
    )
    assert root.sql(query) == [
        {"a": None, "b": [None], "c": 1.5, "d": "2026-01-02", "e": "2026-01-01T15:00:00+00:00",
         "f": {"k": [1]}, "g": "aa", "h": 2, "i": True, "j": None, "k": 9007199254740993}
    ]  # fmt: skip
    said = root.run("sql", "SELECT INTERVAL 1 DAY AS a")
    assert said.code == 2
    assert "cast it" in said.err


def test_sql_gives_csv_that_no_spreadsheet_runs(root: Root) -> None:
    query = "SELECT answer, [1, 2] AS list, '＝x' AS wide, -1 AS number, true AS yes FROM run_items"
    said = root.run("sql", f"{query} WHERE answer LIKE '=%'", "--format", "csv")
    assert list(csv.reader(io.StringIO(said.out))) == [
        ["answer", "list", "wide", "number", "yes"],
        ["'=1+1", "[1, 2]", "'＝x", "-1", "true"],
    ]


def test_a_table_too_wide_is_shown_row_by_row(root: Root) -> None:
    said = root.run("sql", "SELECT * FROM case_scores WHERE current ORDER BY run_id, case_id")
    assert said.code == 0
    assert "─── row 1 ───" in said.out
    assert any(line.split() == ["search_state", "measured"] for line in said.out.splitlines())
    assert said.out.endswith("4 rows\n")
    narrow = root.run("sql", "SELECT run_id FROM runs ORDER BY ALL")
    assert [line.strip("│ ") for line in narrow.out.splitlines() if "│" in line] == [
        "first",
        "second",
    ]


def test_control_and_direction_characters_do_not_reach_the_terminal(root: Root) -> None:
    said = root.run("sql", "SELECT chr(27) || '[31m' || chr(8238) || 'x' AS a")
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out


def test_the_trace_of_an_item_names_gold_answer_and_verdict(root: Root) -> None:
    said = root.run("explain", "item", "second", "c2")
    assert said.code == 0
    for part in ("What of c2?", "guide", "=1+1", "retrieved nothing", "search,evidence",
                 "retrieval_miss"):  # fmt: skip
        assert part in said.out


def test_a_typo_in_an_id_is_met_with_the_nearest(root: Root) -> None:
    assert "did you mean 'second'?" in root.run("explain", "item", "secnd", "c2").problem("RUN")
    assert "one of c1, c2, c3" in root.run("explain", "item", "second", "c9").problem("CASE")


def test_the_report_goes_to_the_stream_or_a_file(root: Root, tmp_path: Path) -> None:
    said = root.run("report", "--dataset", "faq")
    assert said.code == 0
    assert said.out.startswith("# faq")
    assert "regressed: c2" in said.out
    path = tmp_path / "new" / "report.md"
    assert root.run("report", "--output", str(path)).code == 0
    assert path.read_text(encoding="utf-8") == said.out
    reports = root.home / "reports"
    assert (reports / "faq@v1.md").read_text(encoding="utf-8") == said.out
    page = tmp_path / "report.html"
    assert root.run("report", "--output", str(page)).code == 0
    assert page.read_bytes() == (reports / "faq@v1.html").read_bytes()


def test_score_shows_the_cases_of_one_run(root: Root) -> None:
    said = root.run("score", "--run", "second")
    assert said.code == 0
    assert "run second: 1 of 2 pass" in said.out
    assert "run first" not in said.out


def test_ingest_brings_a_file_from_elsewhere(root: Root, tmp_path: Path) -> None:
    path = tmp_path / "third.jsonl"
    path.write_text(root.put("runs/.note", [answer("c1")]).read_text())
    said = root.run("ingest", str(path), "--dataset", "faq@v1", "--json")
    assert said.code == 0
    assert (root.data / "runs/third/items.jsonl").read_text() == path.read_text()
    files = {each["run_id"]: each["state"] for each in said.json()["run_files"]}
    assert files["third"] == "ingested"
    path.write_text(path.read_text().replace("yes", "no"))
    again = root.run("ingest", str(path))
    assert again.code == 2
    assert "--replace" in again.problem("'third'")


def test_rows_that_are_not_used_are_warned_of_once(root: Root) -> None:
    told = root.run("nightly", "--json").json()
    assert told["exit_code"] == 0
    assert {each["run_id"] for each in told["run_summary"]} >= {"first", "second"}
    warned = [each for each in told["warnings"] if "first.jsonl" in each]
    assert len(warned) == 1
    assert warned[0].startswith("runs/first.jsonl, line 3: 1 row not used: found a text")
    root.run("ingest").problem("warning: runs/first.jsonl, line 3", "1 row not used")
