"""How the tables of the contracts lie in a DuckDB database, and whether a database has them so."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
from duckdb import DuckDBPyConnection

from rag_eval_pipeline import tables

SCHEMA_VERSION = 2

# Rows are in `main`, where a person looks first; which keys a table holds is kept apart.
ROWS = "main"
HELD = "held"

_TYPES: dict[pl.DataType, str] = {
    pl.String(): "VARCHAR",
    pl.Int64(): "BIGINT",
    pl.Float64(): "DOUBLE",
    pl.Boolean(): "BOOLEAN",
    pl.Date(): "DATE",
    pl.Datetime("us", "UTC"): "TIMESTAMP WITH TIME ZONE",
}


def quoted(name: str) -> str:
    """An identifier as SQL writes it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def listed(names: Iterable[str]) -> str:
    """Identifiers in a row, separated by commas."""
    return ", ".join(quoted(name) for name in names)


def located(schema: str, table: str) -> str:
    """A table of `ROWS` or `HELD` as SQL names it."""
    return f"{quoted(schema)}.{quoted(table)}"


def duckdb_type(dtype: pl.DataType) -> str:
    """DuckDB's name of a contract's type."""
    if isinstance(dtype, pl.List):
        inner = dtype.inner
        return duckdb_type(inner() if isinstance(inner, type) else inner) + "[]"
    return _TYPES[dtype]


def create(connection: DuckDBPyConnection) -> None:
    """Make every table, empty, and write the layout's version; in an empty database."""
    connection.execute("BEGIN")
    connection.execute(f"CREATE SCHEMA {quoted(HELD)}")
    for (schema, table), columns in _expected().items():
        body = ", ".join(f"{quoted(name)} {kind}" for name, kind in columns.items())
        connection.execute(f"CREATE TABLE {located(schema, table)} ({body})").fetchall()
    connection.execute(
        f"INSERT INTO {located(ROWS, 'meta')} BY NAME SELECT $version AS schema_version",
        {"version": SCHEMA_VERSION},
    ).fetchall()
    connection.execute("COMMIT")


def version(connection: DuckDBPyConnection) -> int:
    """Layout version of a database; 0 if it says none."""
    described = connection.sql(
        "SELECT column_name FROM duckdb_columns() WHERE database_name = current_database() AND "
        "schema_name = 'main' AND table_name = 'meta' AND column_name = 'schema_version'"
    ).fetchall()
    if not described:
        return 0
    [(found,)] = connection.sql("SELECT max(schema_version) FROM main.meta").fetchall()
    return found if isinstance(found, int) else 0


def differences(connection: DuckDBPyConnection) -> list[str]:
    """Tables that are missing or have other columns than their contract; others do not matter."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for schema, table, column, kind in connection.sql(
        "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE database_name = current_database() AND NOT internal"
    ).fetchall():
        found.setdefault((schema, table), {})[column] = kind
    return sorted(
        f"{schema}.{table}"
        for (schema, table), columns in _expected().items()
        if found.get((schema, table)) != columns
    )


def _expected() -> dict[tuple[str, str], dict[str, str]]:
    layout: dict[tuple[str, str], dict[str, str]] = {}
    for table in tables.TABLES:
        types = {name: duckdb_type(dtype) for name, dtype in tables.columns(table).items()}
        layout[ROWS, table] = types
        if keys := tables.keys(table):
            layout[HELD, table] = {name: types[name] for name in keys}
    return layout
