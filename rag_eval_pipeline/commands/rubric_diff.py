"""Which verdicts flip between two rubrics, over all stored runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import polars as pl

from rag_eval_pipeline import launch, terminal
from rag_eval_pipeline.commands.backfilling import asked_rubric
from rag_eval_pipeline.commands.context import DONE, Context, nearest
from rag_eval_pipeline.commands.night import chosen
from rag_eval_pipeline.dataset.manifest import DatasetVersion, discover_datasets
from rag_eval_pipeline.defs import progress
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.rubric_diff import StoredDiff, stored_diff
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.scores.rubric_changes import KeyChange, rubric_changes
from rag_eval_pipeline.scores.stored import stored_rubric
from rag_eval_pipeline.warehouse.warehouse import Warehouse

LISTED = 20
"""Most changes that are listed for people, unless they ask for more."""
FLIPS = (("pass", "fail"), ("fail", "pass"))


def rubric_diff(
    context: Context, a: str, b: str, datasets: Sequence[str], *, limit: int | None
) -> int:
    """Show which verdicts differ between rubrics A and B, and why."""
    launch.check_data_root(context.data)
    warehouse = context.warehouse()
    old, new = (_rubric(name, context, warehouse) for name in (a, b))
    labels = {"a": _label(a, old), "b": _label(b, new)}
    evaluation = Evaluation(data=str(context.data), home=str(context.home))
    diffs = [
        (version.key, _diff(evaluation, version, old, new))
        for version in _versions(context, datasets)
    ]
    edits = rubric_changes(old, new)
    if context.json:
        terminal.print_json(_as_json(labels, edits, diffs, limit))
        return DONE
    _print_edits(labels, edits)
    for key, diff in diffs:
        _print_diff(key, diff, LISTED if limit is None else limit)
    return DONE


def _rubric(name: str, context: Context, warehouse: Warehouse) -> Rubric:
    """A stored version `name@hash`, else the rubric of that name as its file stands."""
    if "@" not in name:
        return asked_rubric(name, context)
    key = pl.DataFrame({"rubric_version": [name]})
    rows = warehouse.read("rubrics", key)
    if rows.height:
        return stored_rubric(rows)
    known = sorted(warehouse.held("rubrics")["rubric_version"])
    plain = name.rpartition("@")[0]
    try:
        today = asked_rubric(plain, context)
    except InputError:
        today = None
    if today is not None and today.version == name:
        return today
    raise InputError(
        code="unknown_rubric",
        field="rubric",
        found=f"{name!r}, by which nothing was ever scored here",
        expected=f"a rubric's name, or one of {terminal.listed(known)}",
        todo=f"correct it{nearest(name, known)}",
    )


def _label(name: str, rubric: Rubric) -> str:
    """What was asked for, with the version: a stored one keeps the name it was stored under."""
    return name if "@" in name else rubric.version


def _versions(context: Context, datasets: Sequence[str]) -> list[DatasetVersion]:
    found = discover_datasets(context.data)
    if not datasets:
        return list(found.versions.values())
    named = {each.key: each for dataset in datasets for each in chosen(found, dataset)}
    return [named[key] for key in sorted(named)]


def _diff(evaluation: Evaluation, version: DatasetVersion, old: Rubric, new: Rubric) -> StoredDiff:
    with terminal.progress(f"{version.key}: scoring by both rubrics") as line:
        stop = progress.listen_to_batches(
            lambda told: line.batch(told.done, told.of, told.items_done, told.items)
        )
        try:
            return stored_diff(evaluation, version.key, old, new)
        finally:
            stop()


def _by_axis(counts: pl.DataFrame) -> pl.DataFrame:
    """Per axis: n_items, what of them changed, and from what to what."""
    differs = pl.col("old_verdict") != pl.col("new_verdict")
    flips = [
        pl.col("n_items")
        .filter((pl.col("old_verdict") == before) & (pl.col("new_verdict") == after))
        .sum()
        .alias(f"{before}_to_{after}")
        for before, after in FLIPS
    ]
    return counts.group_by("axis", maintain_order=True).agg(
        pl.col("n_items").sum(),
        *flips,
        n_changed=pl.col("n_items").filter(differs).sum(),
        n_score_changed=pl.col("n_score_changed").sum(),
        transitions=pl.struct(
            pl.format("{} → {}", "old_verdict", "new_verdict").alias("change"), "n_items"
        ).filter(differs),
    )


def _as_json(
    labels: Mapping[str, str],
    edits: Sequence[KeyChange],
    diffs: Sequence[tuple[str, StoredDiff]],
    limit: int | None,
) -> dict[str, object]:
    return {
        "exit_code": DONE,
        "rubrics": dict(labels),
        "edits": [asdict(each) for each in edits],
        "datasets": [
            {
                "dataset_version": key,
                "n_runs": diff.n_runs,
                "n_items": diff.n_items,
                "runs_without_measures": diff.unmeasured,
                "axes": [
                    row | {"transitions": {each["change"]: each["n_items"]
                                           for each in row["transitions"]}}
                    for row in _by_axis(diff.counts).iter_rows(named=True)
                ],
                "changes": terminal.rows(
                    diff.changes if limit is None else diff.changes.head(limit)
                ),
            }
            for key, diff in diffs
        ],
    }  # fmt: skip


def _print_edits(labels: Mapping[str, str], edits: Sequence[KeyChange]) -> None:
    terminal.say(f"{labels['a']} → {labels['b']}")
    if not edits:
        terminal.say("  no key differs")
    for each in edits:
        terminal.say(f"  {each.sentence}")


def _print_diff(key: str, diff: StoredDiff, limit: int) -> None:
    terminal.say()
    if diff.unmeasured:
        terminal.say(
            f"{key}: {len(diff.unmeasured)} runs are left out, whose measures are not stored "
            f"({terminal.listed(diff.unmeasured)}); `rag-eval nightly --dataset {key}` makes them"
        )
    if not diff.n_items:
        terminal.say(f"{key}: no run item is stored")
        return
    by_axis = _by_axis(diff.counts)
    shown = by_axis.with_columns(
        others=pl.col("transitions")
        .list.eval(
            pl.when(
                ~pl.element().struct.field("change").is_in([f"{a} → {b}" for a, b in FLIPS])
            ).then(
                pl.format(
                    "{} {}",
                    pl.element().struct.field("n_items"),
                    pl.element().struct.field("change"),
                )
            )
        )
        .list.drop_nulls()
        .list.join(", ")
        .replace("", None)
    )
    terminal.print_table(
        shown,
        f"{key}: {diff.n_items} run items of {diff.n_runs} runs",
        {
            "axis": "axis",
            "n_items": "of items",
            "pass_to_fail": "pass → fail",
            "fail_to_pass": "fail → pass",
            "others": "other changes",
            "n_score_changed": "scores that moved",
        },
    )
    if diff.changes.is_empty():
        terminal.say("No verdict changes.")
        return
    listed = diff.changes.head(limit)
    for row in listed.iter_rows(named=True):
        trial = "" if row["trial"] == 1 else f" (trial {row['trial']})"
        terminal.say(
            f"{row['axis']}  {row['run_id']} {row['case_id']}{trial}: {row['old_verdict']} → "
            f"{row['new_verdict']}"
        )
        terminal.say(f"    was: {row['old_reason']}")
        terminal.say(f"    now: {row['new_reason']}")
    if listed.height < diff.changes.height:
        terminal.say(
            f"and {diff.changes.height - listed.height} more: --limit N lists more, --json all"
        )
