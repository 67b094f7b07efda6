"""Which columns of the warehouse's tables a column of a SQL model is made from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.lineage import Node
from sqlglot.lineage import lineage as trace

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.errors import ModelError
from rag_eval_pipeline.warehouse.layout import duckdb_type
from rag_eval_pipeline.warehouse.sql_models import (
    DIALECT,
    SqlModel,
    load_models,
    reading_order,
    source_name,
)

KEPT = "lineage.json"
Origins = frozenset[tuple[str, str]]

# By hash of the model, which covers all it reads: marts share what they read, tracing is slow.
_traced_before: dict[str, dict[str, Origins]] = {}


def lineage(model: SqlModel, models: Mapping[str, SqlModel]) -> dict[str, list[tuple[str, str]]]:
    """Where each column of a model comes from.

    Parameters
    ----------
    model
        Model to trace.
    models
        All models, as `load_models` gives them.

    Returns
    -------
    dict[str, list[tuple[str, str]]]
        Column of the model → (table, column) pairs of the warehouse, sorted; empty for a constant
        and for a count of rows.

    Raises
    ------
    ModelError
        If the SQL names a column that nothing it reads has.
    """
    known: dict[str, dict[str, Origins]] = {
        source_name(table): {name: frozenset({(table, name)}) for name in tables.columns(table)}
        for table in model.depends_on
    }
    # One model at a time, so that each is traced once.
    for each in (*reading_order(model, models), model):
        if each.hash not in _traced_before:
            _traced_before[each.hash] = _traced(each, known)
        known[each.name] = _traced_before[each.hash]
    return {column: sorted(origins) for column, origins in known[model.name].items()}


def kept_lineage(
    model: SqlModel, models: Mapping[str, SqlModel], folder: Path
) -> dict[str, list[tuple[str, str]]]:
    """`lineage`, taken from `lineage.json` of the folder where that speaks of the SQL as it is.

    Tracing takes about a second, which every start of the program would pay. `make lineage`
    writes the file anew; a stale entry is traced, never believed.
    """
    try:
        kept = json.loads((folder / KEPT).read_text(encoding="utf-8"))[model.name]
        if kept["hash"] == model.hash:
            return {
                column: [(table, source) for table, source in origins]
                for column, origins in kept["columns"].items()
            }
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return lineage(model, models)


def keep_lineage(folder: Path) -> None:
    """Write `lineage.json`: for each mart the hash of its SQL and where its columns come from."""
    models = load_models(folder)
    kept = {
        name: {
            "hash": model.hash,
            "columns": {
                column: [list(origin) for origin in origins]
                for column, origins in lineage(model, models).items()
            },
        }
        for name, model in sorted(models.items())
        if name in tables.TABLES
    }
    (folder / KEPT).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _traced(model: SqlModel, known: Mapping[str, Mapping[str, Origins]]) -> dict[str, Origins]:
    schema: dict[str, dict[str, str]] = {}
    for table in model.sources:
        types = tables.columns(table)
        schema[source_name(table)] = {name: duckdb_type(types[name]) for name in types}
    for ref in model.refs:
        schema[ref] = dict.fromkeys(known[ref], "UNKNOWN")
    try:
        roots = trace(
            None, model.query, schema=schema, dialect=DIALECT, validate_qualify_columns=True
        )
    except SqlglotError as error:
        raise ModelError(f"{model.path}: {error}") from error
    if isinstance(roots, Node):
        roots = {roots.name: roots}
    return {column: _origins(root, known) for column, root in roots.items()}


def _origins(root: Node, known: Mapping[str, Mapping[str, Origins]]) -> Origins:
    found: set[tuple[str, str]] = set()
    for node in root.walk():
        if isinstance(node.expression, exp.Table):
            column = exp.to_column(node.name, dialect=DIALECT).name
            found |= known[node.expression.name][column]
    return frozenset(found)
