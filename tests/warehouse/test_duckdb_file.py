"""The DuckDB file among several processes, killed ones, and files it cannot use."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.errors import (
    WarehouseError,
    WarehouseLocked,
    WarehouseTooNew,
    WarehouseUnreadable,
)
from rag_eval_pipeline.warehouse.layout import SCHEMA_VERSION

RowsOf = Callable[..., pl.DataFrame]

HOLD = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""

# One round for each file that is named on its input, so that both processes begin together.
WRITE_NAMES = """
import sys
from pathlib import Path
import polars as pl
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
for line in sys.stdin:
    for number in range(4):
        row = pl.DataFrame({"partition_key": [f"{sys.argv[1]} {number}"], "dataset_version": ["d"]})
        DuckDBFile(Path(line.strip())).replace("partition_names", row.select("partition_key"), row)
    print("done", flush=True)
"""

# Two tables in turn as old and new, for ever: a mixture of both would show in either.
REPLACE_FOR_EVER = """
import itertools, sys
from pathlib import Path
import polars as pl
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.warehouse import Change
from rag_eval_pipeline import tables
warehouse = DuckDBFile(Path(sys.argv[1]))
key = pl.DataFrame({"dataset_version": ["d"]})
n = 20_000
def claims(word):
    return pl.DataFrame(
        {"dataset_version": ["d"] * n, "case_id": list(map(str, range(n))), "claim_id": ["c"] * n,
         "kind": ["required"] * n, "text": [word] * n, "importance": ["vital"] * n,
         "any_of": [[]] * n, "values": [[]] * n, "not_any_of": [[]] * n},
        schema=tables.columns("case_claims"))
name = pl.DataFrame({"partition_key": ["word"]})
def named(word):
    return name.with_columns(dataset_version=pl.lit(word))
for word in itertools.cycle(["old", "new"]):
    warehouse.apply([Change("case_claims", key, claims(word)),
                     Change("partition_names", name, named(word))])
    print(word, flush=True)
"""


def run(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def end(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=60)
    assert process.returncode == 0


@contextmanager
def held_open(path: Path) -> Iterator[subprocess.Popen[str]]:
    process = run(HOLD, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        end(process)


@contextmanager
def replacing_for_ever(path: Path) -> Iterator[None]:
    """A process that replaces rows and is killed at the end of the block."""
    process = run(REPLACE_FOR_EVER, path)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        yield
    finally:
        process.send_signal(signal.SIGKILL)
        _, errors = process.communicate(timeout=20)
    assert first == "old\n", errors


def name_row(name: str) -> pl.DataFrame:
    return pl.DataFrame({"partition_key": [name], "dataset_version": ["d@1"]})


def write_name(warehouse: DuckDBFile, name: str) -> None:
    warehouse.replace("partition_names", pl.DataFrame({"partition_key": [name]}), name_row(name))


def names_in(warehouse: DuckDBFile) -> list[str]:
    return warehouse.read("partition_names")["partition_key"].to_list()


def change_file(path: Path, *statements: str) -> None:
    connection = duckdb.connect(str(path))
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()


def test_locked_file_names_the_process_that_holds_it(tmp_path: Path) -> None:
    warehouse = DuckDBFile(tmp_path / "warehouse.duckdb", lock_timeout=1)
    write_name(warehouse, "a")
    with held_open(warehouse.path) as holder:
        started = time.monotonic()
        with pytest.raises(WarehouseLocked, match=rf"process {holder.pid} .*RAG_EVAL_LOCK_TIMEOUT"):
            warehouse.read("partition_names")
        assert time.monotonic() - started >= 1
        with pytest.raises(WarehouseLocked, match=str(holder.pid)):
            write_name(warehouse, "b")
    assert names_in(warehouse) == ["a"]


def test_file_that_is_freed_in_time_is_waited_for(warehouse: DuckDBFile) -> None:
    write_name(warehouse, "a")
    with held_open(warehouse.path) as holder:
        assert holder.stdin is not None
        threading.Timer(0.5, holder.stdin.close).start()
        assert names_in(warehouse) == ["a"]
        holder.wait(timeout=20)
        holder.stdin = None


def test_lock_timeout_comes_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse = DuckDBFile(tmp_path / "warehouse.duckdb")
    write_name(warehouse, "a")
    monkeypatch.setenv("RAG_EVAL_LOCK_TIMEOUT", "0.2")
    with held_open(warehouse.path), pytest.raises(WarehouseLocked, match=r"0\.2 seconds"):
        warehouse.held("runs")
    for wrong in ("soon", "-1", "nan", "inf"):
        monkeypatch.setenv("RAG_EVAL_LOCK_TIMEOUT", wrong)
        with pytest.raises(WarehouseError, match=f"RAG_EVAL_LOCK_TIMEOUT is '{wrong}'"):
            warehouse.held("runs")


def test_two_processes_make_the_file_and_write_at_once(tmp_path: Path) -> None:
    writers = [run(WRITE_NAMES, who) for who in ("one", "two")]
    for number in range(10):
        path = tmp_path / str(number) / "warehouse.duckdb"
        path.parent.mkdir()
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write(f"{path}\n")
            writer.stdin.flush()
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "done\n"
        written = names_in(DuckDBFile(path))
        assert written == [f"{who} {n}" for who in ("one", "two") for n in range(4)]
        assert [file.name for file in path.parent.iterdir()] == ["warehouse.duckdb"]
    for writer in writers:
        end(writer)


def test_threads_of_one_process_take_turns(warehouse: DuckDBFile) -> None:
    other = DuckDBFile(warehouse.path, lock_timeout=20)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            write_name(warehouse, str(number))
            other.sql("SELECT count(*) FROM partition_names")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert names_in(warehouse) == list("012345")


def test_kill_in_the_middle_leaves_old_or_new_rows_and_a_usable_file(tmp_path: Path) -> None:
    warehouse = DuckDBFile(tmp_path / "warehouse.duckdb", lock_timeout=20)
    for number in range(5):
        with replacing_for_ever(warehouse.path):
            time.sleep(0.07 + 0.11 * number)
        words = warehouse.read("case_claims", columns=["text"])["text"].unique().to_list()
        assert words in (["old"], ["new"])
        word = pl.DataFrame({"partition_key": ["word"]})
        assert warehouse.read("partition_names", word)["dataset_version"].to_list() == words
        assert warehouse.read("case_claims").height == 20_000
        assert warehouse.held("case_claims").rows() == [("d",)]
        write_name(warehouse, str(number))
    assert names_in(warehouse) == [*"01234", "word"]


def test_newer_layout_is_refused_and_left_alone(warehouse: DuckDBFile) -> None:
    write_name(warehouse, "a")
    change_file(warehouse.path, "UPDATE meta SET schema_version = 7")
    with pytest.raises(WarehouseTooNew, match=f"found layout 7, expected {SCHEMA_VERSION}"):
        warehouse.read("cases")
    with pytest.raises(WarehouseTooNew):
        write_name(warehouse, "b")
    assert [file.name for file in warehouse.path.parent.iterdir()] == ["warehouse.duckdb"]


@pytest.mark.parametrize("first_use", ["read", "write"])
def test_older_layout_is_put_away_and_started_anew(
    warehouse: DuckDBFile, first_use: str, caplog: pytest.LogCaptureFixture
) -> None:
    write_name(warehouse, "a")
    change_file(warehouse.path, "UPDATE meta SET schema_version = 0")
    fresh = DuckDBFile(warehouse.path)
    with caplog.at_level(logging.WARNING):
        if first_use == "read":
            assert names_in(fresh) == []
        write_name(fresh, "b")
    assert names_in(fresh) == ["b"]
    assert fresh.rebuilt_from == warehouse.path.with_name("warehouse.duckdb.v0.bak")
    assert "layout 0" in caplog.text
    old = duckdb.connect(str(fresh.rebuilt_from), read_only=True)
    assert old.sql("SELECT partition_key FROM partition_names").fetchall() == [("a",)]
    old.close()


def test_several_processes_that_find_an_older_layout_start_anew_once(tmp_path: Path) -> None:
    writers = [run(WRITE_NAMES, who) for who in ("one", "two", "six")]
    for number in range(3):
        path = tmp_path / str(number) / "warehouse.duckdb"
        path.parent.mkdir()
        write_name(DuckDBFile(path), "a")
        change_file(path, "UPDATE meta SET schema_version = 0")
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write(f"{path}\n")
            writer.stdin.flush()
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "done\n"
        assert len(names_in(DuckDBFile(path))) == 12
        files = sorted(file.name for file in path.parent.iterdir())
        assert files == ["warehouse.duckdb", "warehouse.duckdb.v0.bak"]
    for writer in writers:
        end(writer)


def test_file_system_without_links_will_do(
    warehouse: DuckDBFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refused)
    write_name(warehouse, "a")
    change_file(warehouse.path, "UPDATE meta SET schema_version = 0")
    assert names_in(DuckDBFile(warehouse.path)) == []
    files = sorted(file.name for file in warehouse.path.parent.iterdir())
    assert files == ["warehouse.duckdb", "warehouse.duckdb.v0.bak"]


def test_link_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    path.symlink_to(tmp_path / "absent")
    with pytest.raises(WarehouseLocked, match="leads nowhere"):
        DuckDBFile(path, lock_timeout=0).read("cases")
    assert [file.name for file in tmp_path.iterdir()] == ["warehouse.duckdb"]


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE cases DROP COLUMN question",
        "ALTER TABLE cases ADD COLUMN more VARCHAR",
        "ALTER TABLE runs ALTER n_items TYPE DOUBLE",
        "DROP TABLE runs",
        "DROP TABLE held.runs",
    ],
)
def test_other_columns_than_the_contract_start_anew(warehouse: DuckDBFile, change: str) -> None:
    put_away = f"warehouse.duckdb.v{SCHEMA_VERSION}.bak"
    for name in (put_away, f"{put_away}-1"):
        warehouse.path.with_name(name).touch()
    write_name(warehouse, "a")
    change_file(warehouse.path, change)
    fresh = DuckDBFile(warehouse.path)
    assert names_in(fresh) == []
    assert fresh.rebuilt_from == warehouse.path.with_name(f"{put_away}-2")
    assert fresh.read("cases").columns == list(tables.columns("cases"))
    assert fresh.rebuilt_from is not None
    assert DuckDBFile(warehouse.path).rebuilt_from is None


def test_tables_of_other_people_stay(warehouse: DuckDBFile) -> None:
    write_name(warehouse, "a")
    change_file(warehouse.path, "CREATE TABLE notes AS SELECT 1 AS n")
    assert DuckDBFile(warehouse.path).sql("SELECT n FROM notes")["n"].to_list() == [1]


@pytest.mark.parametrize("content", [b"", b"no", b"not a database\n" * 5000])
def test_file_that_is_no_database_is_named(warehouse: DuckDBFile, content: bytes) -> None:
    warehouse.path.write_bytes(content)
    with pytest.raises(WarehouseUnreadable, match=r"warehouse\.duckdb is no readable .*Delete it"):
        warehouse.read("cases")
    with pytest.raises(WarehouseUnreadable):
        write_name(warehouse, "a")
    assert warehouse.path.read_bytes() == content


def test_damaged_file_is_named(warehouse: DuckDBFile) -> None:
    write_name(warehouse, "a")
    whole = warehouse.path.read_bytes()
    warehouse.path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(WarehouseUnreadable, match="rebuilt from the data root"):
        DuckDBFile(warehouse.path).read("partition_names")
    torn = bytearray(whole)
    for place in range(3 * 4096, len(torn), 64):
        torn[place] ^= 0xFF
    warehouse.path.write_bytes(torn)
    with pytest.raises(WarehouseUnreadable, match="rebuilt from the data root"):
        DuckDBFile(warehouse.path).read("partition_names")


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(WarehouseUnreadable, match="absent is no folder"):
        DuckDBFile(tmp_path / "absent" / "warehouse.duckdb").read("cases")


def test_log_of_a_deleted_file_is_not_taken_for_the_new_one(warehouse: DuckDBFile) -> None:
    with replacing_for_ever(warehouse.path):
        pass
    warehouse.path.unlink()
    warehouse.path.with_name("warehouse.duckdb.wal").write_bytes(b"left over")
    assert warehouse.read("case_claims").is_empty()
    write_name(warehouse, "a")
    assert names_in(warehouse) == ["a"]


def test_published_copy_has_the_rows_and_leaves_existing_files_alone(
    warehouse: DuckDBFile, tmp_path: Path
) -> None:
    write_name(warehouse, "日本")
    target = tmp_path / "it's a copy.duckdb"
    warehouse.publish(target)
    assert names_in(DuckDBFile(target)) == ["日本"]
    with pytest.raises(WarehouseError, match="exists already"):
        warehouse.publish(target)
    with pytest.raises(WarehouseError, match="is no folder"):
        warehouse.publish(tmp_path / "absent" / "copy.duckdb")
    assert {file.name for file in tmp_path.iterdir()} == {warehouse.path.name, target.name}


def test_same_rows_make_the_same_table_whatever_the_zone_of_the_machine(
    warehouse: DuckDBFile, rows_of: RowsOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        rows = rows_of("run_files", {"path": "a"})
        warehouse.replace("run_files", rows.select("path"), rows)
        assert warehouse.read("run_files").equals(rows)
        shown = warehouse.sql("SELECT strftime(mtime, '%H:%M') AS clock FROM run_files")
        assert shown["clock"].to_list() == ["03:04"]
    finally:
        monkeypatch.undo()
        time.tzset()
