"""Two rubrics over all stored runs of a dataset version, in batches; nothing is written."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.keyed import batches, due_keys
from rag_eval_pipeline.defs.measures import OF_ITEMS
from rag_eval_pipeline.defs.scores import facts_of
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.scores.rubric_diff import CHANGES, COUNTS, in_order, rubric_diff


@dataclass(frozen=True, slots=True)
class StoredDiff:
    """What two rubrics say otherwise of the stored runs of a dataset version.

    Attributes
    ----------
    changes, counts
        As `scores.rubric_diff` gives them, over all runs, with dataset_version before.
    n_runs, n_items
        Runs and run items whose measures are stored.
    unmeasured
        Ids of runs whose measures are not: new runs, or the gold or measuring rules changed.
    """

    changes: pl.DataFrame
    counts: pl.DataFrame
    n_runs: int
    n_items: int
    unmeasured: list[str]


def stored_diff(
    evaluation: Evaluation, dataset_version: str, old: Rubric, new: Rubric
) -> StoredDiff:
    """Score every stored run by two rubrics and say what differs."""
    with evaluation.warehouse.reading():
        wanted = evaluation.measure_keys(dataset_version)
        lacking = pl.concat(due_keys(evaluation, table, wanted) for table in OF_ITEMS).unique()
        n_items = evaluation.rows("runs", dataset_version, "run_id", "n_items")
    keys = wanted.join(lacking, on=wanted.columns, how="anti")
    changed, counted = [pl.DataFrame(schema=CHANGES)], [pl.DataFrame(schema=COUNTS)]
    for facts in _facts(evaluation, keys, n_items):
        changes, counts = rubric_diff(facts, old, new)
        changed.append(changes)
        counted.append(counts)
    version = pl.lit(dataset_version).alias("dataset_version")
    summed = (
        pl.concat(counted)
        .group_by("axis", "old_verdict", "new_verdict")
        .agg(pl.col("n_items", "n_score_changed").sum())
    )
    return StoredDiff(
        changes=in_order(pl.concat(changed), "run_id", "case_id", "trial").select(
            version, *CHANGES
        ),
        counts=in_order(summed, "old_verdict").select(version, *COUNTS),
        n_runs=keys.height,
        n_items=int(n_items.join(keys, on="run_id", how="semi")["n_items"].sum() or 0),
        unmeasured=sorted(lacking["run_id"]),
    )


def _facts(
    evaluation: Evaluation, keys: pl.DataFrame, n_items: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    for batch in batches(keys, n_items):
        with evaluation.warehouse.reading():
            facts = facts_of(evaluation, batch)
        yield facts
