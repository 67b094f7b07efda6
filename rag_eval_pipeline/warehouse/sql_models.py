"""SQL models: plain SELECTs in dbt's form, run on the rows of some runs of one dataset version.

Of dbt's templates only `{{ source('rag_eval', 'table') }}`, `{{ ref('model') }}` and
`{{ config(…) }}` are understood; anything else is an error that names file and line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import polars as pl
import sqlglot
from sqlglot import exp

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.errors import ModelError
from rag_eval_pipeline.warehouse.layout import ROWS, located, quoted
from rag_eval_pipeline.warehouse.warehouse import Warehouse

SOURCE = "rag_eval"
DIALECT = "duckdb"
# Added by `run_model`: a model cannot know its own hash.
MODEL_HASH = "model_hash"

_TEMPLATE = re.compile(r"\{\{(?P<call>.*?)\}\}", re.DOTALL)
_OPENING = re.compile(r"\{\{|\{%|\{#")
_TEXT = r"""\s*(?:'([^'"]*)'|"([^'"]*)")\s*"""
REF = re.compile(rf"\s*ref\({_TEXT}\)\s*")
SOURCE_CALL = re.compile(rf"\s*source\({_TEXT},{_TEXT}\)\s*")
_CONFIG = re.compile(r"\s*config\(.*\)\s*", re.DOTALL)


@dataclass(frozen=True)
class SqlModel:
    """One model of the folder.

    Attributes
    ----------
    name : str
        Name of its file without `.sql`.
    path : Path
        Its file.
    sql : str
        Its text as written.
    query : str
        Its SELECT with every table and model it reads under a plain name.
    sources : tuple[str, ...]
        Tables of the warehouse it reads itself, sorted.
    refs : tuple[str, ...]
        Models it reads itself, sorted.
    depends_on : tuple[str, ...]
        Tables of the warehouse it reads, itself or through other models, sorted.
    hash : str
        sha256 of its SQL and that of all models it reads; layout and comments do not count.
    """

    name: str
    path: Path
    sql: str
    query: str
    sources: tuple[str, ...]
    refs: tuple[str, ...]
    depends_on: tuple[str, ...]
    hash: str


def load_models(folder: Path) -> dict[str, SqlModel]:
    """All models below a folder, by name, each after those it reads.

    Parameters
    ----------
    folder
        Folder of a dbt project, e.g. `shipped.sql_folder()`.

    Raises
    ------
    ModelError
        If there is no model, two have one name, a template or a name in it is unknown, models
        read each other in a circle, or the SQL is not one SELECT. Names file and line.
    """
    files: dict[str, Path] = {}
    for path in sorted(folder.glob("models/**/*.sql")):
        if path.stem.startswith(source_name("")):
            raise ModelError(f"{path}: {source_name('')}… names tables; rename the model")
        if path.stem in files:
            raise ModelError(f"{path}: {files[path.stem]} has the same name; rename one of them")
        files[path.stem] = path
    if not files:
        raise ModelError(f"{folder / 'models'}: found no .sql file; expected SQL models")
    read = {name: _Template(path, files) for name, path in files.items()}
    try:
        order = list(TopologicalSorter({name: t.refs for name, t in read.items()}).static_order())
    except CycleError as error:
        circle = error.args[1]
        raise ModelError(
            f"{files[circle[0]]}: models read each other in a circle: {' ← '.join(circle)}"
        ) from error
    models: dict[str, SqlModel] = {}
    for name in order:
        template = read[name]
        behind = [models[ref] for ref in template.refs]
        digest = hashlib.sha256("\n".join([template.canonical, *(m.hash for m in behind)]).encode())
        models[name] = SqlModel(
            name=name,
            path=template.path,
            sql=template.sql,
            query=template.query,
            sources=template.sources,
            refs=template.refs,
            depends_on=tuple(
                sorted({*template.sources, *(table for m in behind for table in m.depends_on)})
            ),
            hash=digest.hexdigest(),
        )
    return models


def compile_model(
    model: SqlModel,
    models: Mapping[str, SqlModel],
    bound: Mapping[str, Collection[str]] | None = None,
) -> str:
    """One SELECT over the warehouse's tables in which the models it reads are written out.

    Parameters
    ----------
    model
        Model to compile.
    models
        All models, as `load_models` gives them.
    bound
        Tables of which only the rows asked for are seen, with their columns: rows of the dataset
        version `$dataset_version` and of the runs in the list `$run_ids`, as far as a table has
        the columns dataset_version and run_id. Tables that are not named are seen whole.

    Returns
    -------
    str
        Values are parameters in it, never text.
    """
    parts = [
        f"{quoted(source_name(table))} AS (SELECT * FROM {located(ROWS, table)}"
        f"{_condition((bound or {}).get(table, ()))})"
        for table in model.depends_on
    ]
    parts += [f"{quoted(ref.name)} AS (\n{ref.query}\n)" for ref in reading_order(model, models)]
    return f"WITH {', '.join(parts)}\nSELECT * FROM (\n{model.query}\n)"


def run_model(
    warehouse: Warehouse,
    model: SqlModel,
    models: Mapping[str, SqlModel],
    dataset_version: str,
    run_ids: Sequence[str],
) -> pl.DataFrame:
    """Rows of a mart for some runs of one dataset version.

    Parameters
    ----------
    warehouse
        Holds the tables the model depends on.
    model
        A model named like a table of the contracts.
    models
        All models, as `load_models` gives them.
    dataset_version
        The one dataset version whose rows are read.
    run_ids
        The runs whose rows are read.

    Returns
    -------
    pl.DataFrame
        Columns and types of the table's contract, `model_hash` filled in, in a fixed order.

    Raises
    ------
    ModelError
        If there is no such table or the model's columns are not those of its contract.
    QueryError
        If DuckDB rejects the SQL.
    """
    if model.name not in tables.TABLES:
        raise ModelError(f"{model.path}: {model.name} is no table of the contracts")
    bound = {table: tables.columns(table) for table in model.depends_on}
    query = compile_model(model, models, bound)
    values: dict[str, object] = {"dataset_version": dataset_version, "run_ids": list(run_ids)}
    frame = warehouse.sql(query, {n: v for n, v in values.items() if f"${n}" in query})
    types = tables.columns(model.name)
    expected = {name: dtype for name, dtype in types.items() if name != MODEL_HASH}
    if set(frame.columns) != set(expected):
        raise ModelError(
            f"{model.path}: its columns are not those of table {model.name}; missing: "
            f"{_names(expected.keys() - set(frame.columns))}, too many: "
            f"{_names(set(frame.columns) - expected.keys())}"
        )
    for name, dtype in expected.items():
        if frame.schema[name] not in (dtype, pl.Null):
            raise ModelError(
                f"{model.path}: column {name} is {frame.schema[name]}, expected {dtype}; cast it"
            )
    if MODEL_HASH in types:
        frame = frame.with_columns(pl.lit(model.hash).alias(MODEL_HASH))
    order = tables.TABLES[model.name].to_schema().unique or list(types)
    return frame.select(list(types)).cast(dict(types)).sort(order)  # type: ignore[arg-type]


def reading_order(model: SqlModel, models: Mapping[str, SqlModel]) -> list[SqlModel]:
    """The models a model reads, itself or through others, each after those it reads."""
    found: dict[str, SqlModel] = {}
    for name in model.refs:
        for each in (*reading_order(models[name], models), models[name]):
            found.setdefault(each.name, each)
    return list(found.values())


def source_name(table: str) -> str:
    """What a query calls a table of the warehouse; no model may be called so."""
    return f"{SOURCE}__{table}"


class _Template:
    """A model's file taken apart: its SELECT and what it reads."""

    def __init__(self, path: Path, models: Collection[str]) -> None:
        self.path = path
        try:
            self.sql = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ModelError(f"{path}: is not UTF-8 text ({error.reason})") from error
        self._models = models
        sources: set[str] = set()
        refs: set[str] = set()
        parts: list[str] = []
        place = 0
        for match in _TEMPLATE.finditer(self.sql):
            parts.append(self._plain(place, match.start()))
            parts.append(self._named(match, sources, refs))
            place = match.end()
        parts.append(self._plain(place, len(self.sql)))
        self.sources = tuple(sorted(sources))
        self.refs = tuple(sorted(refs))
        self.query = "".join(parts).rstrip().removesuffix(";").rstrip()
        self.canonical = self._canonical()

    def _plain(self, start: int, end: int) -> str:
        text = self.sql[start:end]
        if opening := _OPENING.search(text):
            raise ModelError(
                f"{self._line(start + opening.start())}: found {opening[0]!r}, expected only "
                "{{ ref(…) }}, {{ source(…) }} and {{ config(…) }}"
            )
        return text

    def _named(self, match: re.Match[str], sources: set[str], refs: set[str]) -> str:
        where = self._line(match.start())
        call = match["call"]
        if _CONFIG.fullmatch(call):
            return "\n" * call.count("\n")  # lines of the query are those of the file
        if found := REF.fullmatch(call):
            name = found[1] or found[2] or ""
            if name not in self._models:
                raise ModelError(
                    f"{where}: there is no model {name!r}; there are {_names(self._models)}"
                )
            refs.add(name)
            return quoted(name)
        if found := SOURCE_CALL.fullmatch(call):
            source, table = found[1] or found[2] or "", found[3] or found[4] or ""
            if source != SOURCE or table not in tables.TABLES:
                raise ModelError(
                    f"{where}: there is no source {source!r}, {table!r}; expected {SOURCE!r} and "
                    f"one of {_names(tables.TABLES)}"
                )
            sources.add(table)
            return quoted(source_name(table))
        raise ModelError(
            f"{where}: {match[0]} is not understood; expected {{{{ ref('model') }}}}, "
            f"{{{{ source('{SOURCE}', 'table') }}}} or {{{{ config(…) }}}}"
        )

    def _canonical(self) -> str:
        try:
            statements = sqlglot.parse(self.query, dialect=DIALECT)
        except sqlglot.ParseError as error:
            line = error.errors[0].get("line") if error.errors else None
            where = f"{self.path}:{line}" if line else str(self.path)
            raise ModelError(f"{where}: is no SQL: {error.errors[0]['description']}") from error
        if len(statements) != 1 or not isinstance(statements[0], exp.Query):
            raise ModelError(f"{self.path}: expected one SELECT and nothing else")
        return statements[0].sql(dialect=DIALECT, comments=False)

    def _line(self, place: int) -> str:
        return f"{self.path}:{self.sql.count(chr(10), 0, place) + 1}"


def _condition(columns: Collection[str]) -> str:
    conditions = []
    if "dataset_version" in columns:
        conditions.append("dataset_version = $dataset_version")
    if "run_id" in columns:
        conditions.append("list_contains(CAST($run_ids AS VARCHAR[]), run_id)")
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _names(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "none"
