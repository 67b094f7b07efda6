"""The schema.yml files of SQL models: what columns mean and which checks their rows must pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.errors import ModelError, QueryError
from rag_eval_pipeline.warehouse.layout import quoted
from rag_eval_pipeline.warehouse.sql_models import REF, SOURCE, SOURCE_CALL, SqlModel

TESTS = "not_null, unique, accepted_values, relationships"


@dataclass(frozen=True)
class SqlCheck:
    """One test of a column, as dbt knows it.

    Attributes
    ----------
    model : str
        Model whose rows are checked.
    column : str
        Column that is checked.
    test : str
        not_null, unique, accepted_values or relationships.
    sql : str
        SELECT of the rows that fail, over frames named `model` and `related`.
    related : str | None
        Model or table whose rows `related` are; None unless the test is relationships.
    """

    model: str
    column: str
    test: str
    sql: str
    related: str | None = None


@dataclass(frozen=True)
class ModelDescription:
    """What a model is, and its columns by name."""

    text: str
    columns: Mapping[str, str]


def load_checks(folder: Path, models: Mapping[str, SqlModel]) -> list[SqlCheck]:
    """Checks of all models below a folder, in the order they are written.

    Parameters
    ----------
    folder
        Folder of a dbt project.
    models
        Its models, as `load_models` gives them.

    Raises
    ------
    ModelError
        If a file is no YAML of dbt's form, or names a model, table or test that there is not.
    """
    return [
        _check(column, str(test), dict(arguments or {}), models)
        for column in _columns(folder, models)
        for test, arguments in column.tests
    ]


def load_descriptions(folder: Path, models: Mapping[str, SqlModel]) -> dict[str, ModelDescription]:
    """Descriptions of the models below a folder, by model.

    Raises
    ------
    ModelError
        As for `load_checks`.
    """
    columns: dict[str, dict[str, str]] = {}
    for column in _columns(folder, models):
        columns.setdefault(column.model, {})[column.name] = column.description
    return {
        entry.name: ModelDescription(entry.description, columns.get(entry.name, {}))
        for entry in _entries(folder, models)
    }


def failing_rows(check: SqlCheck, frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Rows of a model that fail a check.

    Parameters
    ----------
    check
        The check.
    frames
        Rows by name: those of `check.model`, and of `check.related` if there is one.

    Returns
    -------
    pl.DataFrame
        Columns of the model; empty if the check passes.

    Raises
    ------
    KeyError
        If rows are not given.
    QueryError
        If the rows lack the column.
    """
    given = {"model": frames[check.model]}
    if check.related is not None:
        given["related"] = frames[check.related]
    try:
        return pl.SQLContext(given, eager=True).execute(check.sql)
    except pl.exceptions.PolarsError as error:
        raise QueryError(f"check {check.test} of {check.model}.{check.column}: {error}") from error


@dataclass(frozen=True)
class _Entry:
    path: Path
    name: str
    description: str
    columns: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class _Column:
    path: Path
    model: str
    name: str
    description: str
    tests: Sequence[tuple[str, Mapping[str, Any] | None]]

    @property
    def where(self) -> str:
        return f"{self.path}: model {self.model}, column {self.name}"


def _entries(folder: Path, models: Mapping[str, SqlModel]) -> list[_Entry]:
    found: list[_Entry] = []
    for path in sorted([*folder.glob("models/**/*.yml"), *folder.glob("models/**/*.yaml")]):
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise ModelError(f"{path}: is no YAML: {error}") from error
        if not isinstance(content, dict):
            raise ModelError(f"{path}: found no mapping, expected `models:` or `sources:`")
        for entry in _listed(content.get("models"), f"{path}: models"):
            name = str(entry.get("name", ""))
            if name not in models:
                raise ModelError(
                    f"{path}: there is no model {name!r}; there are {', '.join(sorted(models))}"
                )
            columns = _listed(entry.get("columns"), f"{path}: model {name}, columns")
            found.append(_Entry(path, name, str(entry.get("description", "")).strip(), columns))
    return found


def _columns(folder: Path, models: Mapping[str, SqlModel]) -> list[_Column]:
    found: list[_Column] = []
    for entry in _entries(folder, models):
        for column in entry.columns:
            name = str(column.get("name", ""))
            where = f"{entry.path}: model {entry.name}, column {name}"
            tests: list[tuple[str, Mapping[str, Any] | None]] = []
            for key in ("tests", "data_tests"):
                written = column.get(key) or []
                if not isinstance(written, list):
                    raise ModelError(f"{where}: {key} is no list")
                tests += [_named_test(test, where) for test in written]
            description = str(column.get("description", "")).strip()
            found.append(_Column(entry.path, entry.name, name, description, tests))
    return found


def _named_test(written: Any, where: str) -> tuple[str, Mapping[str, Any] | None]:
    if isinstance(written, str):
        return written, None
    if isinstance(written, dict) and len(written) == 1:
        [(name, arguments)] = written.items()
        if arguments is None or isinstance(arguments, dict):
            # Since 1.10 dbt wants arguments one level deeper.
            nested = (arguments or {}).get("arguments")
            return str(name), nested if isinstance(nested, dict) else arguments
    raise ModelError(f"{where}: found test {written!r}, expected a name or one name with arguments")


def _listed(value: Any, where: str) -> list[Mapping[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ModelError(f"{where}: found {type(value).__name__}, expected a list of mappings")
    return value


def _check(
    column: _Column, test: str, arguments: Mapping[str, Any], models: Mapping[str, SqlModel]
) -> SqlCheck:
    name = quoted(column.name)
    related = None
    match test:
        case "not_null":
            failing = f"{name} IS NULL"
        case "unique":
            failing = f"{name} IN (SELECT {name} FROM model GROUP BY {name} HAVING count(*) > 1)"
        case "accepted_values":
            # A null is no unknown value: not_null says whether it may be there.
            failing = f"{name} NOT IN ({_accepted(column, arguments)})"
        case "relationships":
            related, field = _target(column, arguments, models)
            known = f"SELECT {quoted(field)} FROM related WHERE {quoted(field)} IS NOT NULL"
            failing = f"{name} IS NOT NULL AND {name} NOT IN ({known})"
        case _:
            raise ModelError(f"{column.where}: test {test!r} is not known; there are {TESTS}")
    return SqlCheck(
        column.model, column.name, test, f"SELECT * FROM model WHERE {failing}", related
    )


def _accepted(column: _Column, arguments: Mapping[str, Any]) -> str:
    values = arguments.get("values")
    if not isinstance(values, list) or not values:
        raise ModelError(f"{column.where}: accepted_values needs `values`, a list")
    quote = arguments.get("quote", True)
    return ", ".join(_literal(value, quote=quote) for value in values)


def _target(
    column: _Column, arguments: Mapping[str, Any], models: Mapping[str, SqlModel]
) -> tuple[str, str]:
    to, field = str(arguments.get("to", "")), arguments.get("field")
    related = None
    if found := REF.fullmatch(to):
        name = found[1] or found[2] or ""
        related = name if name in models else None
    elif found := SOURCE_CALL.fullmatch(to):
        source, table = found[1] or found[2] or "", found[3] or found[4] or ""
        related = table if source == SOURCE and table in tables.TABLES else None
    if related is None or not isinstance(field, str):
        raise ModelError(
            f"{column.where}: relationships needs `to`, ref('model') or "
            f"source('{SOURCE}', 'table'), and `field`; found to: {to or 'nothing'}, "
            f"field: {field or 'nothing'}"
        )
    return related, field


def _literal(value: object, *, quote: bool) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "'" + text.replace("'", "''") + "'" if quote else text
