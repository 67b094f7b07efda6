"""What every warehouse does, whatever keeps the rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.errors import QueryError
from rag_eval_pipeline.warehouse.warehouse import Change, Warehouse

RowsOf = Callable[..., pl.DataFrame]
HOSTILE = [
    "'; DROP TABLE cases; --",
    'a"b',
    "../../etc/passwd",
    "{{ ref('x') }}",
    "$dataset_version",
    "%s\\",
    "日本語＠１",
    "",
    "007",
    "1e5",
]


def keys(**columns: list[str | None]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def score(**values: Any) -> dict[str, Any]:
    return {"dataset_version": "d@1", "case_id": "c1", "state": "measured", **values}


SCORE_KEYS = tables.keys("search_scores")


def test_every_table_exists_and_is_empty_in_contract_types(warehouse: Warehouse) -> None:
    for name in tables.TABLES:
        if name != "meta":
            frame = warehouse.read(name)
            assert frame.is_empty()
            assert dict(frame.schema) == tables.columns(name)


def test_rows_come_back_in_contract_types(warehouse: Warehouse, rows_of: RowsOf) -> None:
    instant = dt.datetime(2026, 3, 1, 23, 59, 59, 123456, tzinfo=dt.UTC)
    documents = rows_of(
        "documents",
        {
            "dataset_version": "d@1",
            "doc_id": "日本",
            "supersedes": ["a", "é"],
            "access": [],
            "retrieved_at": instant,
            "effective_until": dt.date(2026, 12, 31),
        },
        {"dataset_version": "d@1", "doc_id": "b"},
    )
    warehouse.replace("documents", keys(dataset_version=["d@1"]), documents)
    assert warehouse.read("documents").equals(documents.sort("doc_id"))


def test_columns_go_by_name_and_not_by_place(warehouse: Warehouse, rows_of: RowsOf) -> None:
    rows = rows_of("partition_names", {"partition_key": "k", "dataset_version": "v"})
    warehouse.replace("partition_names", keys(partition_key=["k"]), rows.select(rows.columns[::-1]))
    assert warehouse.read("partition_names").row(0, named=True) == {
        "partition_key": "k",
        "dataset_version": "v",
    }


def test_only_the_rows_of_the_keys_are_exchanged(warehouse: Warehouse, rows_of: RowsOf) -> None:
    first = rows_of(
        "case_claims",
        {"dataset_version": "d@1", "claim_id": "old"},
        {"dataset_version": "d@2", "claim_id": "kept"},
    )
    warehouse.replace("case_claims", keys(dataset_version=["d@1", "d@2"]), first)
    new = rows_of("case_claims", {"dataset_version": "d@1", "claim_id": "new"})
    warehouse.replace("case_claims", keys(dataset_version=["d@1"]), new)
    assert warehouse.read("case_claims")["claim_id"].to_list() == ["new", "kept"]


def test_null_in_a_key_equals_null_and_nothing_else(warehouse: Warehouse, rows_of: RowsOf) -> None:
    whole = dict.fromkeys(SCORE_KEYS, "k")
    rows = rows_of("search_scores", score(**whole), score(**{**whole, "run_hash": None}))
    both = rows.select(SCORE_KEYS)
    warehouse.replace("search_scores", both, rows)
    null = both.filter(pl.col("run_hash").is_null())
    assert warehouse.read("search_scores", null)["run_hash"].to_list() == [None]
    warehouse.replace("search_scores", null, rows.clear())
    assert warehouse.read("search_scores")["run_hash"].to_list() == ["k"]
    assert warehouse.held("search_scores").height == 2


def test_key_without_rows_is_held(warehouse: Warehouse, rows_of: RowsOf) -> None:
    wanted = keys(dataset_version=["d@1"], run_id=["empty"])
    warehouse.replace("run_items", wanted, rows_of("run_items"))
    assert warehouse.held("run_items").equals(wanted)
    assert warehouse.read("run_items").is_empty()


def test_part_of_the_key_exchanges_all_that_match_and_what_is_held(
    warehouse: Warehouse, rows_of: RowsOf
) -> None:
    def runs(*names: str, version: str = "d@1") -> pl.DataFrame:
        return rows_of("runs", *({"dataset_version": version, "run_id": name} for name in names))

    warehouse.replace("runs", keys(dataset_version=["d@1"] * 2, run_id=["a", "b"]), runs("a"))
    warehouse.replace("runs", keys(dataset_version=["d@2"]), runs("z", version="d@2"))
    warehouse.replace("runs", keys(dataset_version=["d@1"]), runs("c"))
    assert warehouse.held("runs").rows() == [("d@1", "c"), ("d@2", "z")]
    assert warehouse.held("runs", keys(dataset_version=["d@2"])).rows() == [("d@2", "z")]
    assert warehouse.read("runs")["run_id"].to_list() == ["c", "z"]


def test_dropped_keys_are_neither_read_nor_held(warehouse: Warehouse, rows_of: RowsOf) -> None:
    names = keys(partition_key=["a", "b"])
    rows = rows_of("partition_names", {"partition_key": "a"}, {"partition_key": "b"})
    warehouse.replace("partition_names", names, rows)
    warehouse.apply([Change("partition_names", names.head(1), rows.clear(), drop=True)])
    assert warehouse.held("partition_names").rows() == [("b",)]
    assert warehouse.read("partition_names")["partition_key"].to_list() == ["b"]


def test_several_changes_are_made_together_or_not_at_all(
    warehouse: Warehouse, rows_of: RowsOf
) -> None:
    good = Change("partition_names", keys(partition_key=["a"]), rows_of("partition_names"))
    bad = Change("case_claims", keys(dataset_version=["d"]), rows_of("rubrics"))
    with pytest.raises(ValueError, match="table case_claims: columns missing"):
        warehouse.apply([good, bad])
    assert warehouse.held("partition_names").is_empty()
    other = Change("case_claims", keys(dataset_version=["d"]), rows_of("case_claims"))
    warehouse.apply([good, other])
    assert warehouse.held("partition_names").rows() == [("a",)]
    assert warehouse.held("case_claims").rows() == [("d",)]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_nan_and_infinity_are_refused(warehouse: Warehouse, rows_of: RowsOf, bad: float) -> None:
    whole = dict.fromkeys(SCORE_KEYS, "k")
    rows = rows_of("search_scores", score(**whole, score_low=0.1), score(**whole, score_low=bad))
    with pytest.raises(ValueError, match=r"table search_scores, column score_low: found NaN"):
        warehouse.replace("search_scores", rows.select(SCORE_KEYS), rows)
    assert warehouse.read("search_scores").is_empty()


def test_row_of_no_key_is_refused(warehouse: Warehouse, rows_of: RowsOf) -> None:
    rows = rows_of("partition_names", {"partition_key": "a"}, {"partition_key": "b"})
    with pytest.raises(ValueError, match=r"1 rows belong to none of the keys.*'b'"):
        warehouse.replace("partition_names", keys(partition_key=["a"]), rows)


def test_numbers_are_not_taken_for_ids(warehouse: Warehouse, rows_of: RowsOf) -> None:
    number = pl.DataFrame({"partition_key": [7]})
    with pytest.raises(ValueError, match="partition_key: found Int64, expected String"):
        warehouse.replace("partition_names", number, rows_of("partition_names"))


@pytest.mark.parametrize("table", ["no_such_table", "meta"])
def test_tables_that_are_not_exchanged_are_refused(warehouse: Warehouse, table: str) -> None:
    with pytest.raises(ValueError, match=table):
        warehouse.replace(table, keys(dataset_version=["d@1"]), pl.DataFrame())


def test_column_that_is_no_key_is_refused(warehouse: Warehouse, rows_of: RowsOf) -> None:
    with pytest.raises(ValueError, match="its keys are dataset_version, found case_id"):
        warehouse.replace("cases", keys(case_id=["c"]), rows_of("cases"))


def test_hostile_ids_are_only_text(warehouse: Warehouse, rows_of: RowsOf) -> None:
    rows = rows_of("partition_names", *({"partition_key": name} for name in HOSTILE))
    warehouse.replace("partition_names", keys(partition_key=HOSTILE), rows)
    assert sorted(warehouse.held("partition_names")["partition_key"]) == sorted(HOSTILE)
    for name in HOSTILE:
        one = keys(partition_key=[name])
        assert warehouse.read("partition_names", one)["partition_key"].to_list() == [name]
        asked = warehouse.sql(
            "SELECT count(*) AS n FROM partition_names WHERE partition_key = $name", {"name": name}
        )
        assert asked["n"].to_list() == [1]
    assert warehouse.read("cases").is_empty()


def test_some_columns_are_read_in_the_order_of_the_whole_row(
    warehouse: Warehouse, rows_of: RowsOf
) -> None:
    rows = rows_of(
        "case_claims",
        {"dataset_version": "d", "case_id": "2", "claim_id": "a", "text": "x"},
        {"dataset_version": "d", "case_id": "1", "claim_id": "b", "text": "z"},
        {"dataset_version": "d", "case_id": "1", "claim_id": "a", "text": "y"},
    )
    warehouse.replace("case_claims", keys(dataset_version=["d"]), rows)
    assert warehouse.read("case_claims", columns=["text"])["text"].to_list() == ["y", "z", "x"]
    with pytest.raises(ValueError, match="no column nonsense"):
        warehouse.read("case_claims", columns=["nonsense"])


def test_rows_without_a_unique_key_have_an_order_too(warehouse: Warehouse, rows_of: RowsOf) -> None:
    rows = rows_of(
        "quarantine",
        {"source_file": "f", "line": 2},
        {"source_file": "f", "line": None},
        {"source_file": "f", "line": 1},
    )
    warehouse.replace("quarantine", keys(source_file=["f"]), rows)
    assert warehouse.read("quarantine")["line"].to_list() == [None, 1, 2]


def test_read_of_no_keys_is_empty(warehouse: Warehouse, rows_of: RowsOf) -> None:
    rows = rows_of("partition_names", {"partition_key": "a"})
    warehouse.replace("partition_names", keys(partition_key=["a"]), rows)
    assert warehouse.read("partition_names", keys(partition_key=[])).is_empty()


def test_thousands_of_keys_are_exchanged_at_once(warehouse: Warehouse, rows_of: RowsOf) -> None:
    names = [f"run {number}" for number in range(5000)]
    wanted = keys(dataset_version=["d"] * len(names), run_id=names)
    for _ in range(2):
        warehouse.replace("run_items", wanted, rows_of("run_items"))
    assert warehouse.held("run_items").height == len(names)


def test_reads_inside_share_one_state_and_writes_are_refused(
    warehouse: Warehouse, rows_of: RowsOf
) -> None:
    names = keys(partition_key=["a"])
    warehouse.replace("partition_names", names, rows_of("partition_names", {"partition_key": "a"}))
    with warehouse.reading():
        with pytest.raises(QueryError):
            warehouse.sql("SELECT * FROM no_such_table")
        with pytest.raises(ValueError, match="nothing can be written"):
            warehouse.replace("partition_names", names, rows_of("partition_names"))
        with warehouse.reading():
            assert warehouse.read("partition_names", names).height == 1
        assert warehouse.held("partition_names", names).height == 1
    warehouse.replace("partition_names", names, rows_of("partition_names"))
    assert warehouse.read("partition_names").is_empty()


def test_query_returns_plain_types(warehouse: Warehouse) -> None:
    frame = warehouse.sql(
        "SELECT sum(i) AS total, 1.5 AS half, 0.0 / 0.0 AS undefined, 1 / 0.0 AS infinite, "
        "TIMESTAMPTZ '2026-01-01 09:00:00+09' AS at FROM range(3) AS r(i)"
    )
    assert frame.row(0, named=True) == {
        "total": 3,
        "half": 1.5,
        "undefined": None,
        "infinite": None,
        "at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    }
    assert frame.schema["total"] == pl.Int64
    assert frame.schema["at"] == pl.Datetime("us", "UTC")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "SELECT content FROM read_text('/etc/passwd')",
        "COPY partition_names TO 'leak.csv'",
        "ATTACH 'other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "INSERT INTO partition_names VALUES ('a', 'b')",
        "DELETE FROM partition_names",
        "DROP TABLE cases",
        "CREATE TEMP TABLE x AS SELECT 1",
        "SET enable_external_access = true",
        "BEGIN",
        "SELECT 1; DROP TABLE cases",
        "SELECT 1; SELECT 2",
        "",
        "SELEC 1",
        "SELECT * FROM no_such_table",
        "SELECT $absent",
    ],
)
def test_query_may_only_read_tables(warehouse: Warehouse, query: str) -> None:
    with pytest.raises(QueryError):
        warehouse.sql(query)
    assert warehouse.read("cases").is_empty()


def test_rejected_query_says_what_duckdb_says(warehouse: Warehouse) -> None:
    with pytest.raises(QueryError, match="no_such_table does not exist"):
        warehouse.sql("SELECT * FROM no_such_table")
    with pytest.raises(QueryError, match="found INSERT"):
        warehouse.sql("INSERT INTO partition_names VALUES ('a', 'b')")


def test_query_sees_no_python_variables(warehouse: Warehouse) -> None:
    secret = pl.DataFrame({"a": [1]})
    with pytest.raises(QueryError, match="secret"):
        warehouse.sql("SELECT * FROM secret")
    assert secret.height == 1


def test_marking_sets_columns_of_the_rows_of_some_keys(
    warehouse: Warehouse, rows_of: RowsOf
) -> None:
    whole = [dict.fromkeys(SCORE_KEYS, "k") | {"run_hash": each} for each in ("a", "b", None)]
    rows = rows_of(
        "search_scores",
        *(score(**each, case_id=case_id) for each in whole for case_id in ("c1", "c2")),
    )
    warehouse.replace("search_scores", rows.select(SCORE_KEYS).unique(), rows)
    held = warehouse.held("search_scores")
    marked = rows.select(SCORE_KEYS).unique().filter(pl.col("run_hash").ne_missing("b"))
    absent = marked.head(1).with_columns(run_id=pl.lit("absent"))
    marks = pl.concat([marked, absent]).with_columns(
        reason=pl.lit("$x"), passed=pl.lit(None, pl.Boolean)
    )
    warehouse.mark("search_scores", marks)
    found = warehouse.read("search_scores")
    assert found.select("run_hash", "case_id", "reason").rows() == [
        (None, "c1", "$x"),
        (None, "c2", "$x"),
        ("a", "c1", "$x"),
        ("a", "c2", "$x"),
        ("b", "c1", "x"),
        ("b", "c2", "x"),
    ]
    assert warehouse.held("search_scores").equals(held)


def test_marks_that_name_no_whole_key_or_nothing_to_set_are_refused(warehouse: Warehouse) -> None:
    whole = pl.DataFrame({name: ["k"] for name in SCORE_KEYS})
    for marks, said in (
        (whole, "no column to set"),
        (whole.drop("run_id").with_columns(reason=pl.lit("x")), "missing: run_id"),
        (whole.with_columns(colour=pl.lit("x")), "not in the contract: colour"),
        (pl.concat([whole, whole]).with_columns(reason=pl.lit("x")), "more than once"),
        (whole.with_columns(score=pl.lit(float("nan"))), "NaN"),
    ):
        with pytest.raises(ValueError, match=said):
            warehouse.mark("search_scores", marks)


@pytest.mark.parametrize("text", HOSTILE)
def test_rows_with_some_texts_only(warehouse: Warehouse, rows_of: RowsOf, text: str) -> None:
    rows = rows_of(
        "case_claims",
        *(
            {"dataset_version": "d@1", "claim_id": claim_id, "text": written, "kind": kind}
            for claim_id, written, kind in (
                ("1", text, "required"),
                ("2", text, "forbidden"),
                ("3", "other", "required"),
            )
        ),
    )
    warehouse.replace("case_claims", keys(dataset_version=["d@1"]), rows)
    of_version = keys(dataset_version=["d@1"])
    found = warehouse.read(
        "case_claims", of_version, ["claim_id"], where={"text": text, "kind": "required"}
    )
    assert found.rows() == [("1",)]
    with pytest.raises(ValueError, match="no column colour"):
        warehouse.read("case_claims", where={"colour": "x"})
