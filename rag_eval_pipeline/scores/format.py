"""Format axis: has the item the fields it must have, with right types (R12)?

strict (`required_fields`): all four fields of the minimal form. claims (`logged_fields`): those of
them that the run logs at all.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores.axis import Excluded, judge
from rag_eval_pipeline.scores.rubric import Section

FIELDS = ("retrieved", "answer", "source", "status")


def score(facts: pl.DataFrame, section: Section) -> pl.DataFrame:
    """Score the axis; facts need malformed_fields, and not_logged for `logged_fields`."""
    faults = malformed(section)
    nothing = pl.all_horizontal(pl.col("not_logged").list.contains(name) for name in FIELDS)
    return judge(
        facts,
        faults.list.len() == 0,
        passed_reason=pl.lit("all fields are there"),
        failed_reason=pl.format("malformed: {}", faults.list.join(", ")),
        malformed=pl.lit(value=False),
        excluded=[Excluded("not_logged", nothing, "the run logs none of the fields")]
        if section["measure"] == "logged_fields"
        else [],
        excluded_first=True,
    )


def malformed(section: Section) -> pl.Expr:
    """The fields at fault by the section's measure."""
    faults = pl.col("malformed_fields")
    if section["measure"] == "logged_fields":
        return faults.list.set_difference(pl.col("not_logged"))
    return faults
