"""The headline of a dataset version and its slices: which cases count where (R8).

The headline holds the validation cases if there are any, else all but those for development. The
slices of category, risk and language are slices of the headline; those of split are of all cases,
so that development has numbers of its own and is never pooled.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.reading.fingerprint import hash_json

WHOLE = "all"
"""Name of the dimension, and of its one slice, that holds the headline's cases."""
UNCLASSIFIED = "unclassified"
OF_HEADLINE = ("category", "risk", "language")
DIMENSIONS = ("category", "split", "risk", "language")
MIN_SLICE = 5
"""Cases under which a slice has lists and no numbers."""


def groups(cases: pl.DataFrame) -> pl.DataFrame:
    """The headline and the slices each approved case is in.

    Parameters
    ----------
    cases
        The table `cases` of one dataset version: case_id, lifecycle, split, category, risk,
        language, scenario_id.

    Returns
    -------
    dimension, slice, case_id, scenario_id; sorted.
    """
    approved = cases.filter(pl.col("lifecycle") == "approved")
    headline = approved.filter(_in_headline(approved))
    parts = [
        _members(headline, WHOLE, pl.lit(WHOLE)),
        *(_members(headline, name, pl.col(name)) for name in OF_HEADLINE),
        _members(approved, "split", pl.col("split")),
    ]
    return pl.concat(parts).sort("dimension", "slice", "case_id")


def slices_hash(cases: pl.DataFrame) -> str:
    """Hash of what `groups` gives, of the cases of one dataset version."""
    return hash_json([list(row) for row in groups(cases).iter_rows()])


def _in_headline(approved: pl.DataFrame) -> pl.Expr:
    split = pl.col("split")
    if (approved["split"] == "validation").any():
        return (split == "validation").fill_null(value=False)
    return (split != "development").fill_null(value=True)


def _members(cases: pl.DataFrame, dimension: str, value: pl.Expr) -> pl.DataFrame:
    return cases.select(
        dimension=pl.lit(dimension),
        slice=value.fill_null(UNCLASSIFIED),
        case_id="case_id",
        scenario_id="scenario_id",
    )
