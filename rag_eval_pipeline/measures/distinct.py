"""The one place where text rules meet tables: each distinct text is read once (unique, map, join).

A text rule is a plain function of strings. Here it is called once for each distinct combination of
its arguments, however many rows hold it, and its results are joined back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl


def with_facts(
    frame: pl.DataFrame,
    arguments: Sequence[str],
    rule: Callable[..., Sequence[Any]],
    facts: Mapping[str, pl.DataType | type[pl.DataType]],
) -> pl.DataFrame:
    """Add what a rule says of some columns of each row.

    Parameters
    ----------
    frame
        Rows that hold the arguments.
    arguments
        Columns handed to the rule, in this order.
    rule
        Function of those values that gives one value per fact. It is called once per distinct
        combination, also where an argument is null.
    facts
        Names and types of the columns to add.

    Returns
    -------
    The rows in their order, with the columns of `facts` added.
    """
    distinct = frame.select(arguments).unique(maintain_order=True)
    rows = [(*values, *rule(*values)) for values in distinct.iter_rows()]
    known = pl.DataFrame(
        rows, schema={**distinct.schema, **dict(facts)}, orient="row", infer_schema_length=None
    )
    return frame.join(
        known, on=list(arguments), how="left", nulls_equal=True, maintain_order="left"
    )
