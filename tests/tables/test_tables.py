"""Every table of the warehouse has a usable contract."""

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.tables.contract import violations

EVERY_TABLE = sorted(tables.TABLES)


@pytest.mark.parametrize("table", EVERY_TABLE)
def test_an_empty_frame_of_a_table_keeps_its_contract(table: str) -> None:
    assert violations(table, tables.empty(table)) == []
    assert tables.empty(table).columns == list(tables.columns(table))


@pytest.mark.parametrize("table", EVERY_TABLE)
def test_every_column_says_what_it_means(table: str) -> None:
    silent = [name for name, meaning in tables.describe(table).items() if len(meaning) < 3]
    assert silent == []
    assert (tables.TABLES[table].__doc__ or "").strip()


@pytest.mark.parametrize("table", EVERY_TABLE)
def test_keys_and_row_id_are_columns_of_the_table(table: str) -> None:
    assert {*tables.keys(table), *tables.row_id(table)} <= set(tables.columns(table))
    assert tables.row_id(table) != []


@pytest.mark.parametrize("table", EVERY_TABLE)
def test_foreign_and_missing_columns_are_named(table: str) -> None:
    first, *_ = tables.columns(table)
    broken = tables.empty(table).drop(first).with_columns(own=pl.lit(1))
    assert {(each.column, each.value) for each in violations(table, broken)} == {
        (first, "missing"),
        ("own", "a column"),
    }


def test_ids_are_text_everywhere() -> None:
    for table in EVERY_TABLE:
        for name, kind in tables.columns(table).items():
            if name.endswith("_id") or name in ("source", "system", "candidate_run"):
                assert kind == pl.String, (table, name)
