"""Dagster's event log in one SQLite file of the home, by connections that stay open.

Dagster's own SQLite storage makes an engine for every event, which costs half of a nightly: each
engine compiles its statements anew, and closing its connection writes the file's log back. Named
in the home's dagster.yaml, which is how Dagster takes storages of others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage
from sqlalchemy import Connection, Engine, create_engine, event

WAIT_SECONDS = 60


class EventLog(ConsolidatedSqliteEventLogStorage):
    """`ConsolidatedSqliteEventLogStorage` with one engine a process."""

    @cached_property
    def engine(self) -> Engine:
        """The engine of this process."""
        engine = create_engine(self._conn_string, connect_args={"timeout": WAIT_SECONDS})
        event.listen(engine, "connect", _settle)
        return engine

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        with self.engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        """Close the connections."""
        self.engine.dispose()


def _settle(connection: object, _record: object) -> None:
    """A killed process loses nothing; a power cut may lose the last events, never the file."""
    connection.execute("PRAGMA synchronous = NORMAL")  # type: ignore[attr-defined]
