"""Checking a frame against its contract and saying which rows break which rule."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandera.polars as pa
import polars as pl

from rag_eval_pipeline import tables

SHOWN_VALUE = 80

_COLUMNS = {
    "column_in_dataframe": ("a column of the frame", "missing"),
    "column_in_schema": ("no such column", "a column"),
}
"""Rule and value in words for pandera's checks of the frame's columns."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule: the row's id, the column, the rule, and the value found."""

    table: str
    row_id: str
    column: str
    rule: str
    value: str

    @property
    def sentence(self) -> str:
        """What was found in the column and what was expected."""
        return f"{self.column} is {self.value}; expected {self.rule}"


class ContractError(Exception):
    """A frame the software itself made breaks its contract: a fault of the software."""

    def __init__(self, found: list[Violation]) -> None:
        self.violations = found
        shown = "; ".join(f"{v.table} {v.row_id}: {v.sentence}" for v in found[:5])
        more = f" (and {len(found) - 5} more)" if len(found) > 5 else ""
        super().__init__(f"contract broken: {shown}{more}")


def violations(table: str, frame: pl.DataFrame) -> list[Violation]:
    """Every rule of the table's contract that a row of the frame breaks, in row order.

    `row_id` joins the table's naming columns; it is empty for a fault of the frame as a whole
    (a missing or foreign column, a wrong type).
    """
    try:
        tables.TABLES[table].validate(frame, lazy=True)
    except pa.errors.SchemaErrors as errors:
        cases = errors.failure_cases
    else:
        return []
    named = (
        frame.select(tables.row_id(table))
        if set(tables.row_id(table)) <= set(frame.columns)
        else None
    )
    found: list[tuple[int, Violation]] = []
    for case in cases.iter_rows(named=True):
        index = case["index"]
        row_id = "" if index is None or named is None else _row_id(named.row(index))
        column, rule, value = str(case["column"] or ""), str(case["check"]), case["failure_case"]
        if rule in _COLUMNS:
            violation = Violation(table, row_id, str(value), *_COLUMNS[rule])
        else:
            violation = Violation(table, row_id, *_rule(table, column, rule), _value(value))
        found.append((-1 if index is None else index, violation))
    return [violation for _, violation in sorted(found, key=lambda each: (each[0], each[1].column))]


def verified(table: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in the contract's column order.

    Raises
    ------
    ContractError
        A row breaks the contract.
    """
    ordered = frame.select(*tables.columns(table))
    # Without rows only the types can be wrong; most tables of a night without news have none.
    if ordered.is_empty() and dict(ordered.schema) == tables.columns(table):
        return ordered
    broken = violations(table, ordered)
    if broken:
        raise ContractError(broken)
    return ordered


def _row_id(values: tuple[object, ...]) -> str:
    return values[0] if len(values) == 1 and isinstance(values[0], str) else json.dumps(
        values, ensure_ascii=False, default=str
    )  # fmt: skip


def _rule(table: str, column: str, check: str) -> tuple[str, str]:
    """Column and rule in words; pandera names whole-frame rules by the model."""
    if check == "not_nullable":
        return column, "a value"
    if check == "multiple_fields_uniqueness":
        unique = tables.TABLES[table].to_schema().unique or []
        return ", ".join(unique), "each combination once"
    if check.startswith("dtype("):
        return column, f"the type {check[len('dtype(') : -1].strip(chr(39))}"
    if check.startswith("isin("):
        allowed = check[len("isin(") : -1].strip("[]()").replace("'", "")
        return column, f"one of {allowed}"
    for name, words in (
        ("greater_than_or_equal_to", "at least"),
        ("less_than_or_equal_to", "at most"),
    ):
        if check.startswith(name):
            return column, f"{words} {check[len(name) + 1 : -1]}"
    return column, check


def _value(value: object) -> str:
    text = "nothing" if value is None else repr(str(value))
    return text if len(text) <= SHOWN_VALUE else text[: SHOWN_VALUE - 1] + "…"
