"""What scoring stored runs by a rubric would compute, and why; nothing is computed here."""

from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.keyed import due_keys, items_due
from rag_eval_pipeline.defs.measures import TABLES as MEASURE_TABLES
from rag_eval_pipeline.defs.scores import case_keys, due_axis_keys
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.scores.rubric_changes import KeyChange, rubric_changes
from rag_eval_pipeline.scores.stored import stored_rubric

MEASURES = "measures"
JOINED = "case_scores"


@dataclass(frozen=True, slots=True)
class Due:
    """What is due of one axis (or of `measures`, or of `case_scores`: the axes side by side)."""

    axis: str
    n_runs: int
    n_items: int
    changes: tuple[KeyChange, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a backfill of one dataset version by one rubric would do.

    Attributes
    ----------
    listed
        Whether the dataset version lists the rubric; scores by another are never current.
    before
        Version of the rubric of that name that scored last, None if none did.
    n_runs, n_items
        Runs and run items that are stored.
    others
        Listed rubrics of other names that have something due too.
    current
        Whether the rows that are marked current are those by today's rubric.
    """

    dataset: DatasetVersion
    rubric: Rubric
    listed: bool
    before: str | None
    n_runs: int
    n_items: int
    due: tuple[Due, ...]
    others: tuple[str, ...]
    current: bool

    @property
    def job(self) -> str | None:
        """The job that does it; None where nothing is to be done."""
        if not self.listed:
            return "try_rubric" if self.due else None
        return None if self.current and not self.due else "backfill"


def plan(evaluation: Evaluation, dataset: DatasetVersion, rubric: Rubric) -> Plan:
    """What a backfill would do, from the keys that are wanted and those that are held."""
    listed = evaluation.rubrics(dataset)
    with evaluation.warehouse.reading():
        runs = evaluation.rows("runs", dataset.key, "run_id", "n_items")
        axes = due_axis_keys(evaluation, dataset, [rubric])
        wanted = case_keys(evaluation, dataset, [rubric])
        joined = due_keys(evaluation, "case_scores", wanted)
        measured = evaluation.measure_keys(dataset.key)
        unmeasured = pl.concat(
            due_keys(evaluation, table, measured) for table in MEASURE_TABLES
        ).unique()
        history = _history(evaluation, dataset, rubric)
        before = _before(evaluation, history)
        others = [
            other.name
            for other in listed
            if other.name != rubric.name
            and due_keys(evaluation, "case_scores", case_keys(evaluation, dataset, [other])).height
        ]
    changes = [] if before is None else rubric_changes(before, rubric)
    found = [
        _due(axis, keys, runs, [each for each in changes if each.section == axis], before, rubric)
        for axis, keys in axes.items()
    ]
    found.append(_due(JOINED, joined, runs, changes, before, rubric))
    if unmeasured.height:
        new = "not measured yet: new runs, gold or measuring rules"
        n_items = items_due(unmeasured, runs)
        found.insert(0, Due(MEASURES, unmeasured.height, n_items, (), new))
    marked = set(history.filter(pl.col("current"))["rubric_version"])
    return Plan(
        dataset=dataset,
        rubric=rubric,
        listed=any(each.name == rubric.name for each in listed),
        before=None if before is None else history["rubric_version"][0],
        n_runs=runs.height,
        n_items=int(runs["n_items"].sum() or 0),
        due=tuple(each for each in found if each.n_runs),
        others=tuple(others),
        current=marked == ({rubric.version} if runs.height else set()),
    )


def _due(
    axis: str,
    keys: pl.DataFrame,
    runs: pl.DataFrame,
    changes: list[KeyChange],
    before: Rubric | None,
    rubric: Rubric,
) -> Due:
    if before is None:
        reason = f"never scored by {rubric.name}"
    elif changes:
        reason = "; ".join(each.sentence for each in changes)
    else:
        reason = "not scored yet: new runs, gold or measuring rules"
    return Due(axis, keys.height, items_due(keys, runs), tuple(changes), reason)


def _history(evaluation: Evaluation, dataset: DatasetVersion, rubric: Rubric) -> pl.DataFrame:
    """rubric_version, current, scored_at of rubrics of that name: current ones first, then latest.

    A rubric that was tried or given up stands after the one whose scores are current.
    """
    version = pl.DataFrame({"dataset_version": [dataset.key]})
    columns = ["rubric_version", "current", "scored_at"]
    scored = evaluation.warehouse.read("case_scores", version, columns, distinct=True)
    named = evaluation.warehouse.read("rubrics", columns=["rubric_version", "name"], distinct=True)
    return (
        scored.join(named.filter(pl.col("name") == rubric.name), on="rubric_version", how="semi")
        .group_by("rubric_version")
        .agg(pl.col("current").any(), pl.col("scored_at").max())
        .sort(["current", "scored_at", "rubric_version"], descending=True)
    )


def _before(evaluation: Evaluation, history: pl.DataFrame) -> Rubric | None:
    if history.is_empty():
        return None
    key = history.select("rubric_version").head(1)
    return stored_rubric(evaluation.warehouse.read("rubrics", key, list(tables.columns("rubrics"))))
