"""Rubrics as the warehouse holds them: what scored then, though its file may say another thing."""

from __future__ import annotations

import json

import polars as pl

from rag_eval_pipeline.scores.rubric import Rubric, of_canonical


def stored_rubric(rows: pl.DataFrame) -> Rubric:
    """The rubric behind the rows of one rubric_version of the table `rubrics`.

    It scores as it did then, and its `version` is that of the rows: keys added to rubrics since
    take their defaults, which are in no hash.
    """
    (name,) = rows["name"].unique()
    bodies = {axis: json.loads(body) for axis, body in rows.select("axis", "body").iter_rows()}
    return of_canonical(name, bodies, "the warehouse")
