"""The warehouse in one DuckDB file, shared by short-lived connections of several processes."""

from __future__ import annotations

import logging
import os
import random
import re
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import duckdb
import polars as pl
from duckdb import DuckDBPyConnection, StatementType

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse import layout
from rag_eval_pipeline.warehouse.errors import (
    QueryError,
    WarehouseError,
    WarehouseLocked,
    WarehouseTooNew,
    WarehouseUnreadable,
)
from rag_eval_pipeline.warehouse.frames import (
    check_keys,
    check_marks,
    check_rows,
    plain_types,
)
from rag_eval_pipeline.warehouse.layout import HELD, ROWS, SCHEMA_VERSION, located, quoted
from rag_eval_pipeline.warehouse.warehouse import Change

LOCK_TIMEOUT = "RAG_EVAL_LOCK_TIMEOUT"
DEFAULT_LOCK_TIMEOUT = 60.0

_log = logging.getLogger(__name__)

# Nothing is fetched from the net, and no Python variable is taken for a table.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}
_READING = {
    StatementType.SELECT,
    StatementType.EXPLAIN,
    StatementType.PRAGMA,
    StatementType.CALL,
    StatementType.MULTI,  # PIVOT, which DuckDB takes apart itself
}
_HOLDER = re.compile(r"Conflicting lock is held in (?P<program>.*?) \(PID (?P<pid>\d+)\)")

# Connections of one process to one file share its lock and its settings, so a process uses a file
# by one connection at a time.
_in_use: dict[Path, threading.Lock] = {}
_in_use_guard = threading.Lock()


class DuckDBFile:
    """A `Warehouse` in one file. It is made, with all tables empty, when it is first used.

    Parameters
    ----------
    path
        The file, usually `<home>/warehouse.duckdb`; its folder must exist.
    lock_timeout
        Seconds to wait for other processes; by default those of the environment variable
        RAG_EVAL_LOCK_TIMEOUT, else 60.

    Attributes
    ----------
    rebuilt_from : Path | None
        Where a file of an older layout was put when this object found one and started anew.

    Every method raises `WarehouseLocked` if another process keeps the file for too long,
    `WarehouseTooNew` if a newer version made it and `WarehouseUnreadable` if it is no warehouse.
    """

    def __init__(self, path: Path, *, lock_timeout: float | None = None) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 - links in it are left alone
        self.lock_timeout = lock_timeout
        self.rebuilt_from: Path | None = None
        self._checked: tuple[int, int] | None = None
        self._reading = threading.local()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let the reads inside share one connection; see `Warehouse.reading`."""
        if self._shared() is not None:
            yield
            return
        with self._connection(read_only=True) as connection:
            self._reading.connection = connection
            try:
                yield
            finally:
                self._reading.connection = None

    def replace(self, table: str, keys: pl.DataFrame, rows: pl.DataFrame) -> None:
        """Exchange the rows of `keys` for `rows` in one transaction; see `Warehouse.replace`."""
        self.apply([Change(table, keys, rows)])

    def apply(self, changes: Sequence[Change]) -> None:
        """Make several changes in one transaction; see `Warehouse.apply`."""
        checked = [_checked(change) for change in changes]
        if not checked:
            return
        with self._connection(read_only=False) as connection:
            try:
                connection.begin()
                for change in checked:
                    _apply(connection, change)
                connection.commit()
            except duckdb.Error as error:
                self._refuse_damage(error)
                names = ", ".join(sorted({change.table for change in checked}))
                raise WarehouseError(f"{names} could not be written: {error}") from error

    def mark(self, table: str, marks: pl.DataFrame) -> None:
        """Set some columns of the rows of some keys in one transaction; see `Warehouse.mark`."""
        typed, set_columns = check_marks(table, marks, _columns(table))
        if typed.is_empty():
            return
        assigned = ", ".join(f"{quoted(name)} = marks.{quoted(name)}" for name in set_columns)
        with self._connection(read_only=False) as connection:
            connection.register("marks", typed)
            try:
                connection.execute(
                    f"UPDATE {located(ROWS, table)} AS stored SET {assigned} FROM marks "
                    f"WHERE {_same('marks', tables.keys(table))}"
                ).fetchall()
            except duckdb.Error as error:
                self._refuse_damage(error)
                raise WarehouseError(f"{table} could not be written: {error}") from error

    def read(
        self,
        table: str,
        keys: pl.DataFrame | None = None,
        columns: Sequence[str] | None = None,
        *,
        where: Mapping[str, str] | None = None,
        distinct: bool = False,
        limit: int | None = None,
        ordered: bool = True,
    ) -> pl.DataFrame:
        """Rows of a table in contract types and a fixed order; see `Warehouse.read`."""
        types = _columns(table)
        wanted = list(types) if columns is None else list(columns)
        if unknown := sorted({*wanted, *(where or {})} - set(types)):
            raise ValueError(f"table {table} has no column {', '.join(unknown)}")
        order = tables.TABLES[table].to_schema().unique or list(types)
        if not ordered:
            order = []
        elif distinct:
            order = wanted
        return self._select(
            ROWS,
            table,
            keys,
            {name: types[name] for name in wanted},
            order,
            where=where,
            distinct=distinct,
            limit=limit,
        )

    def count(self, table: str, keys: pl.DataFrame | None = None) -> int:
        """How many rows a table has; see `Warehouse.count`."""
        _columns(table)
        wanted = None if keys is None else check_keys(table, keys)
        with self._connection(read_only=True) as connection:
            matching = self._matching(connection, wanted)
            try:
                found = connection.sql(
                    f"SELECT count(*) FROM {located(ROWS, table)} AS stored {matching}"
                ).fetchall()
            except duckdb.Error as error:
                self._refuse_damage(error)
                raise WarehouseError(f"table {table} could not be read: {error}") from error
        return int(found[0][0])

    def held(self, table: str, keys: pl.DataFrame | None = None) -> pl.DataFrame:
        """Keys the table holds; see `Warehouse.held`."""
        types = _columns(table)
        names = tables.keys(table)
        if not names:
            raise ValueError(f"table {table} has no keys")
        return self._select(HELD, table, keys, {name: types[name] for name in names}, names)

    def sql(self, query: str, params: Mapping[str, object] | None = None) -> pl.DataFrame:
        """Result of one statement that only reads; see `Warehouse.sql`."""
        with self._connection(read_only=True) as connection:
            try:
                _check_statement(connection, query)
                relation = connection.sql(query, params=dict(params) if params else None)
                return plain_types(relation.pl())
            except duckdb.Error as error:
                self._refuse_damage(error)
                raise QueryError(str(error)) from error
            except pl.exceptions.PolarsError as error:
                raise QueryError(
                    f"a column of the result has a type that cannot be shown ({error}); cast it, "
                    "e.g. CAST(x AS VARCHAR)"
                ) from error

    def publish(self, path: Path) -> None:
        """Write a copy for programs that keep a database open, e.g. BI tools.

        Parameters
        ----------
        path
            File to write; it must not exist.

        Raises
        ------
        WarehouseError
            If `path` exists or cannot be written.
        """
        if path.exists():
            raise WarehouseError(f"{path} exists already: delete it or name another file")
        if not path.parent.is_dir():
            raise WarehouseError(f"{path.parent} is no folder: make it first or name another file")
        draft = _draft_of(path)
        with self._connection(read_only=True, confined=False) as connection:
            name = connection.sql("SELECT current_database()").fetchall()[0][0]
            literal = str(draft).replace("'", "''")
            try:
                connection.execute(f"ATTACH '{literal}' AS published_copy (READ_WRITE)")
                connection.execute(f"COPY FROM DATABASE {quoted(name)} TO published_copy")
                connection.execute("DETACH published_copy")
            except duckdb.Error as error:
                _remove(draft)
                raise WarehouseError(f"{path} could not be written: {error}") from error
        if not _put_in_place(draft, path):
            raise WarehouseError(f"{path} exists already: delete it or name another file")

    def _select(
        self,
        schema: str,
        table: str,
        keys: pl.DataFrame | None,
        types: dict[str, pl.DataType],
        order: Sequence[str],
        *,
        where: Mapping[str, str] | None = None,
        distinct: bool = False,
        limit: int | None = None,
    ) -> pl.DataFrame:
        texts = {f"text_{number}": text for number, text in enumerate((where or {}).values())}
        conditions = [
            f"stored.{quoted(name)} = ${text}"
            for name, text in zip(where or {}, texts, strict=True)
        ]
        sorting = ", ".join(f"stored.{quoted(name)} NULLS FIRST" for name in order)
        wanted = None if keys is None else check_keys(table, keys)
        with self._connection(read_only=True) as connection:
            matching = self._matching(connection, wanted)
            try:
                relation = connection.sql(
                    f"SELECT {'DISTINCT ' if distinct else ''}"
                    f"{', '.join(f'stored.{quoted(name)}' for name in types)} "
                    f"FROM {located(schema, table)} AS stored {matching} "
                    + (f"WHERE {' AND '.join(conditions)} " if conditions else "")
                    + (f"ORDER BY {sorting}" if order else "")
                    + ("" if limit is None else f" LIMIT {int(limit)}"),
                    params=texts or None,
                )
                frame = relation.pl()
            except duckdb.Error as error:
                self._refuse_damage(error)
                raise WarehouseError(f"table {table} could not be read: {error}") from error
        return plain_types(frame).cast(dict(types))  # type: ignore[arg-type]

    @staticmethod
    def _matching(connection: DuckDBPyConnection, wanted: pl.DataFrame | None) -> str:
        """The join that keeps the rows of some keys; without keys there is none."""
        if wanted is None:
            return ""
        connection.register("wanted_keys", wanted)
        return f"SEMI JOIN wanted_keys ON {_same('wanted_keys', wanted.columns)}"

    @contextmanager
    def _connection(
        self, *, read_only: bool, confined: bool = True
    ) -> Iterator[DuckDBPyConnection]:
        shared = self._shared()
        if shared is not None:
            if not read_only or not confined:
                raise ValueError("nothing can be written while reads share a connection")
            yield shared
            return
        deadline = time.monotonic() + self._timeout()
        with self._sole_use(deadline):
            connection = self._opened(read_only=read_only, deadline=deadline)
            try:
                if read_only and confined:
                    connection.execute("SET enable_external_access = false")
                    connection.execute("SET lock_configuration = true")
                yield connection
            finally:
                connection.close()

    def _shared(self) -> DuckDBPyConnection | None:
        """The connection that reads of this thread share at the moment."""
        return getattr(self._reading, "connection", None)

    def _timeout(self) -> float:
        if self.lock_timeout is not None:
            return self.lock_timeout
        written = os.environ.get(LOCK_TIMEOUT, "").strip()
        try:
            seconds = float(written) if written else DEFAULT_LOCK_TIMEOUT
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds < threading.TIMEOUT_MAX:
            raise WarehouseError(
                f"{LOCK_TIMEOUT} is {written!r}; expected a number of seconds, e.g. 60"
            )
        return seconds

    @contextmanager
    def _sole_use(self, deadline: float) -> Iterator[None]:
        with _in_use_guard:
            lock = _in_use.setdefault(self.path, threading.Lock())
        if not lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise WarehouseLocked(
                f"{self.path} is in use by another thread of this process (PID {os.getpid()}); "
                f"wait for it to end or set {LOCK_TIMEOUT} to more seconds"
            )
        try:
            yield
        finally:
            lock.release()

    def _opened(self, *, read_only: bool, deadline: float) -> DuckDBPyConnection:
        """A connection to a file of today's layout, made or rebuilt if need be."""
        while True:
            if not self.path.exists():
                self._create()
            connection = self._connect(read_only=read_only, deadline=deadline)
            if connection is None:
                if time.monotonic() > deadline:
                    raise WarehouseLocked(
                        f"{self.path} was exchanged for another file again and again, or is a link "
                        "that leads nowhere; see what else uses it"
                    )
                continue
            current = False
            try:
                current = self._is_current(connection)
            finally:
                if not current:
                    connection.close()
            if current:
                return connection
            self._rebuild(deadline)

    def _rebuild(self, deadline: float) -> None:
        connection = self._connect(read_only=False, deadline=deadline)
        if connection is None:
            return
        try:
            # Another process may have rebuilt it before the lock was ours.
            if not self._is_current(connection):
                self._start_anew(connection)
        finally:
            connection.close()

    def _connect(self, *, read_only: bool, deadline: float) -> DuckDBPyConnection | None:
        """A connection, waited for; None if the file is no longer there or no longer the same."""
        pause = 0.01
        while True:
            # DuckDB would make a file that is not there, without a table in it.
            place = self._place()
            if place is None:
                return None
            try:
                connection = duckdb.connect(str(self.path), read_only=read_only, config=_CONFIG)
            except duckdb.Error as error:
                if self._place() != place:
                    return None
                if not _is_locked(error):
                    self._refuse(error)
                left = deadline - time.monotonic()
                if left <= 0:
                    raise WarehouseLocked(self._locked(error)) from error
                # Jitter keeps processes that met once from meeting again and again.
                time.sleep(min(left, pause * random.uniform(0.5, 1.0)))  # noqa: S311
                pause = min(pause * 1.6, 0.25)
            else:
                # It may have been put away between the opening and the lock.
                if self._place() != place:
                    connection.close()
                    return None
                connection.execute("SET TimeZone = 'UTC'")
                return connection

    def _place(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _is_current(self, connection: DuckDBPyConnection) -> bool:
        try:
            found = layout.version(connection)
            if found > SCHEMA_VERSION:
                raise WarehouseTooNew(
                    f"{self.path} was made by a newer version of rag-eval: found layout {found}, "
                    f"expected {SCHEMA_VERSION}. Install that version, or use another --home; the "
                    "warehouse is rebuilt there from the data root"
                )
            if found < SCHEMA_VERSION:
                return False
            place = self._place()
            if place is None or place != self._checked:
                if layout.differences(connection):
                    return False
                self._checked = place
        except duckdb.Error as error:
            self._refuse(error)
        return True

    def _create(self) -> None:
        """Make the file aside and put it in place whole: two processes may do so at once."""
        if not self.path.parent.is_dir():
            raise WarehouseUnreadable(
                f"{self.path} cannot be made: {self.path.parent} is no folder; make it first"
            )
        # The log of a file that somebody deleted would be taken for the new one's.
        for leftover in self.path.parent.glob(f"{self.path.name}.wal*"):
            leftover.unlink(missing_ok=True)
        draft = self._draft()
        try:
            _put_in_place(draft, self.path)
        except OSError as error:
            raise WarehouseUnreadable(f"{self.path} cannot be made: {error}") from error

    def _draft(self) -> Path:
        draft = _draft_of(self.path)
        try:
            connection = duckdb.connect(str(draft), config=_CONFIG)
            try:
                layout.create(connection)
            finally:
                connection.close()
        except duckdb.Error as error:
            _remove(draft)
            raise WarehouseUnreadable(f"{self.path} cannot be made: {error}") from error
        return draft

    def _start_anew(self, connection: DuckDBPyConnection) -> None:
        """Put the file away under another name while its lock is ours, and make a new one."""
        try:
            found = layout.version(connection)
            differing = layout.differences(connection)
            connection.execute("CHECKPOINT")  # all of it into the file that is put away
        except duckdb.Error as error:
            self._refuse(error)
        draft = self._draft()
        backup = self.path.with_name(f"{self.path.name}.v{found}.bak")
        number = 0
        while backup.exists():
            number += 1
            backup = self.path.with_name(f"{self.path.name}.v{found}.bak-{number}")
        try:
            # At no moment is there no file under the name: a second one could be made meanwhile.
            _put_away(self.path, backup)
            draft.replace(self.path)
        except OSError as error:
            _remove(draft)
            raise WarehouseUnreadable(f"{self.path} cannot be put away: {error}") from error
        self.rebuilt_from = backup
        _log.warning(
            "%s had layout %s, expected %s (tables that differ: %s); it was put away as %s and a "
            "new one is filled from the data root",
            self.path,
            found,
            SCHEMA_VERSION,
            f"{len(differing)}, e.g. {differing[0]}" if differing else "none",
            backup.name,
        )

    def _locked(self, error: duckdb.Error) -> str:
        holder = _HOLDER.search(str(error))
        who = f"process {holder['pid']} ({holder['program']})" if holder else "another process"
        return (
            f"{self.path} is in use by {who} and stayed so for {self._timeout():g} seconds; wait "
            f"for that process to end, end it, or set {LOCK_TIMEOUT} to more seconds"
        )

    def _refuse(self, error: duckdb.Error) -> NoReturn:
        message = str(error)
        if "version number" in message:
            raise WarehouseTooNew(
                f"{self.path} was written by another version of DuckDB than this one "
                f"({duckdb.__version__}): {message}"
            ) from error
        if "Permission denied" in message:
            raise WarehouseUnreadable(
                f"{self.path} cannot be opened: {message}. Give this user the right to write it"
            ) from error
        raise WarehouseUnreadable(
            f"{self.path} is no readable warehouse: {message}. Delete it (and {self.path.name}.wal "
            "if there is one); it is rebuilt from the data root"
        ) from error

    def _refuse_damage(self, error: duckdb.Error) -> None:
        damaged = ("Corrupt database", "Could not read", "checksum")
        if any(word in str(error) for word in damaged) or isinstance(error, duckdb.FatalException):
            self._refuse(error)


def _columns(table: str) -> dict[str, pl.DataType]:
    if table not in tables.TABLES:
        raise ValueError(f"there is no table {table!r}; there are {', '.join(tables.TABLES)}")
    return tables.columns(table)


def _checked(change: Change) -> Change:
    types = _columns(change.table)
    keys = check_keys(change.table, change.keys)
    rows = check_rows(change.table, change.rows, types)
    if change.drop and rows.height:
        raise ValueError(f"table {change.table}: rows are given for keys to drop")
    stray = rows.join(keys, on=keys.columns, how="anti", nulls_equal=True)
    if stray.height:
        example = stray.select(keys.columns).row(0, named=True)
        raise ValueError(
            f"table {change.table}: {stray.height} rows belong to none of the keys, e.g. {example}"
        )
    return Change(change.table, keys, rows, change.drop)


def _apply(connection: DuckDBPyConnection, change: Change) -> None:
    names = tables.keys(change.table)
    whole = set(change.keys.columns) == set(names)
    recorded = change.keys if whole else change.rows.select(names).unique()
    connection.register("changed_keys", change.keys)
    same = _same("changed_keys", change.keys.columns)
    for schema in (ROWS, HELD):
        connection.execute(
            f"DELETE FROM {located(schema, change.table)} AS stored USING changed_keys WHERE {same}"
        ).fetchall()
    if not change.drop:
        for schema, frame in ((ROWS, change.rows), (HELD, recorded)):
            connection.register("new_rows", frame)
            connection.execute(
                f"INSERT INTO {located(schema, change.table)} BY NAME SELECT * FROM new_rows"
            ).fetchall()
            connection.unregister("new_rows")
    connection.unregister("changed_keys")


def _same(other: str, names: Sequence[str]) -> str:
    return " AND ".join(
        f"stored.{quoted(name)} IS NOT DISTINCT FROM {other}.{quoted(name)}" for name in names
    )


def _check_statement(connection: DuckDBPyConnection, query: str) -> None:
    statements = connection.extract_statements(query)
    if len(statements) != 1:
        raise QueryError(f"expected one statement, found {len(statements)}")
    kind = statements[0].type
    if kind not in _READING:
        raise QueryError(f"only statements that read are allowed (SELECT …), found {kind.name}")


def _is_locked(error: duckdb.Error) -> bool:
    message = str(error)
    return (
        "Could not set lock" in message
        # Another part of this process holds the file in the other mode.
        or "with a different configuration" in message
    )


def _draft_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.new")


def _put_in_place(draft: Path, path: Path) -> bool:
    """Give the draft its name unless the name is taken; says whether it was free."""
    try:
        os.link(draft, path)  # refuses a name that is taken, as a rename does not
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if path.exists():
            return False
        draft.replace(path)
    finally:
        _remove(draft)
    return True


def _put_away(path: Path, backup: Path) -> None:
    try:
        os.link(path, backup)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        path.rename(backup)


def _remove(draft: Path) -> None:
    for name in (draft.name, f"{draft.name}.wal"):
        draft.with_name(name).unlink(missing_ok=True)
