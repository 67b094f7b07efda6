"""What all commands share: the global options, the exit codes, the warehouse of the home."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag_eval_pipeline.reading.errors import InputError

if TYPE_CHECKING:
    from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

DONE, FAILED, BAD_INPUT, INSUFFICIENT, INTERNAL = 0, 1, 2, 3, 4
WAREHOUSE = "warehouse.duckdb"
DEFAULT_DATA = "data"
DEFAULT_HOME = ".rag_eval"


@dataclass(slots=True)
class Context:
    """The global options as given; paths are absolute, None where an option was not given."""

    data_given: Path | None = None
    home_given: Path | None = None
    json: bool = False

    @property
    def data(self) -> Path:
        """The data root."""
        return self.data_given or Path(DEFAULT_DATA).absolute()

    @property
    def home(self) -> Path:
        """The folder of warehouse, Dagster instance and reports."""
        return self.home_given or Path(DEFAULT_HOME).absolute()

    @property
    def again(self) -> str:
        """The options that let a suggested command find the same home, with a space behind."""
        return (
            ""
            if self.home == Path(DEFAULT_HOME).absolute()
            else f"--home {shlex.quote(str(self.home))} "
        )

    def warehouse(self) -> DuckDBFile:
        """The warehouse of the home, for reading.

        Raises
        ------
        InputError
            Nothing was evaluated into this home yet.
        """
        from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

        path = self.home / WAREHOUSE
        if not path.exists():
            raise InputError(
                code="no_warehouse",
                file=str(path),
                found="nothing evaluated yet",
                expected="a home that holds results",
                todo="run `rag-eval nightly` first, or name the home with --home DIR",
            )
        return DuckDBFile(path)


def nearest(wanted: str, known: list[str]) -> str:
    """`; did you mean …?` where a known word is close, else nothing."""
    import difflib

    close = difflib.get_close_matches(wanted, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
