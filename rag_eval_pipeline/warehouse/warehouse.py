"""What a warehouse can do, whatever keeps the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import polars as pl


@dataclass(frozen=True)
class Change:
    """Rows of one table to exchange.

    Parameters
    ----------
    table
        Name of the table in `tables.TABLES`.
    keys
        Which rows go: a frame with the table's key columns (`tables.keys`) or some of them. Rows
        match when they are equal in all of these columns, null being equal to null.
    rows
        What takes their place, in the table's columns in any order. Each row belongs to a key.
    drop
        The rows and the record that their keys are held go for good; `rows` must be empty.
    """

    table: str
    keys: pl.DataFrame
    rows: pl.DataFrame
    drop: bool = False


class Warehouse(Protocol):
    """Keeps the tables of `tables.TABLES` and which keys each of them holds.

    A key is *held* once its rows were written, also when it has none: a run without items is then
    not due for ever.
    """

    def reading(self) -> AbstractContextManager[None]:
        """Let the reads inside see one state and share one connection; nothing is written inside.

        Opening costs more than a small read; keep it short, since writers wait meanwhile.
        """

    def replace(self, table: str, keys: pl.DataFrame, rows: pl.DataFrame) -> None:
        """Exchange the rows of `keys` for `rows` in one transaction.

        With all key columns, every key is recorded as held, with rows or without. With some of
        them, held keys that match are forgotten and the keys found in `rows` are recorded.

        Raises
        ------
        ValueError
            If a table or column is unknown, types differ from the contract, a row belongs to no
            key, or a number is NaN or infinite.
        """

    def apply(self, changes: Sequence[Change]) -> None:
        """Make several changes in one transaction: all of them are seen, or none.

        Raises
        ------
        ValueError
            As for `replace`.
        """

    def mark(self, table: str, marks: pl.DataFrame) -> None:
        """Set some columns of the rows of some keys, in one transaction.

        Parameters
        ----------
        table
            Name of the table.
        marks
            All key columns of the table, each key once, and the columns to set. Keys that have no
            row set nothing; which keys are held does not change.

        Raises
        ------
        ValueError
            If a column is unknown, a key column is missing or nothing is to be set, a key is there
            twice, or a type is not the contract's.
        """

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
        """Rows of a table, of some keys only, in some columns only.

        `where` keeps the rows that have these texts in these columns; `distinct` gives each row
        once, in order of its columns; `limit` at most so many rows. Without `ordered` they come in
        any order, which costs less.

        Returns
        -------
        pl.DataFrame
            With exactly the types of the contract, in a fixed order: by the columns that make a
            row unique, else by all of them; nulls first.

        Raises
        ------
        ValueError
            If the table or a column is unknown.
        """

    def count(self, table: str, keys: pl.DataFrame | None = None) -> int:
        """How many rows a table has, of some keys only.

        Raises
        ------
        ValueError
            If the table or a column is unknown.
        """

    def held(self, table: str, keys: pl.DataFrame | None = None) -> pl.DataFrame:
        """Keys the table holds, all or those that match `keys` in its columns.

        Returns
        -------
        pl.DataFrame
            With the columns `tables.keys(table)`, sorted, each key once.

        Raises
        ------
        ValueError
            If the table or a column is unknown.
        """

    def sql(self, query: str, params: Mapping[str, object] | None = None) -> pl.DataFrame:
        """Result of one reading statement; `$name` in it takes the value of `params`.

        It can neither write nor reach files or the net. NaN and infinity come back as null,
        decimals as whole numbers or floats, instants in UTC.

        Raises
        ------
        QueryError
            If the statement is wrong, is more than one or does anything but read.
        """
