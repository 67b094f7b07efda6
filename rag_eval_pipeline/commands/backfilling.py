"""Scoring all stored runs by a rubric: what is due and why, and doing it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict

import polars as pl

from rag_eval_pipeline import launch, terminal
from rag_eval_pipeline.commands.context import DONE, Context
from rag_eval_pipeline.commands.night import Night, chosen, compute
from rag_eval_pipeline.dataset.manifest import DatasetVersion, Discovered, discover_datasets
from rag_eval_pipeline.defs.backfill import JOINED, MEASURES, Plan, plan
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.rubric import Rubric, load_rubric

JUDGE_CALLS = 0
"""No measure is made by a model."""

_SHOWN = {MEASURES: "(measures)", JOINED: "(all axes)"}


def backfill(context: Context, rubric: str, datasets: Sequence[str], *, yes: bool) -> int:
    """Show what scoring the stored runs by a rubric would compute; with `yes`, compute it."""
    launch.check_data_root(context.data)
    context.warehouse()
    asked = asked_rubric(rubric, context)
    evaluation = Evaluation(data=str(context.data), home=str(context.home))
    found = discover_datasets(context.data)
    plans = [
        plan(evaluation, version, asked)
        for version in _versions(evaluation, found, asked, datasets)
    ]
    if not yes:
        if context.json:
            terminal.print_json({"exit_code": DONE} | _as_json(asked, plans))
        else:
            _print_plans(context, asked, plans)
        return DONE
    night = Night()
    to_do = [each for each in plans if each.job is not None]
    if to_do:
        with launch.opened(
            context.data, context.home, on_wait=lambda text: terminal.problem(text, "note")
        ) as launcher:
            launcher.discover()
            for job in ("backfill", "try_rubric"):
                versions = [each.dataset for each in to_do if each.job == job]
                also = {"also": [asked.name]} if job == "try_rubric" else {}
                ops = {op: also for op in ("axis_scores", "case_scores") if also}
                compute(launcher, job, versions, ops, night)
    if context.json:
        terminal.print_json(night.as_json(night.exit_code) | _as_json(asked, plans))
    else:
        _print_done(context, asked, plans, night)
        night.tell()
    return night.exit_code


def asked_rubric(name: str, context: Context) -> Rubric:
    """The rubric of a name as its file stands today.

    Raises
    ------
    InputError
        There is none of that name (with the nearest), or its file cannot be used.
    """
    try:
        return load_rubric(name, context.data)
    except InputError as problem:
        if problem.code == "unknown_rubric":
            problem.file, problem.field = None, "rubric"
        raise


def _versions(
    evaluation: Evaluation, found: Discovered, rubric: Rubric, datasets: Sequence[str]
) -> list[DatasetVersion]:
    """The versions named; else those that list the rubric; if none does, all."""
    if datasets:
        named = {each.key: each for dataset in datasets for each in chosen(found, dataset)}
        return [named[key] for key in sorted(named)]
    for problem in found.problems:
        terminal.problem(str(problem), "warning")
    every, listing = [], []
    for version in found.versions.values():
        try:
            names = {each.name for each in evaluation.rubrics(version)}
        except InputError as problem:
            terminal.problem(f"{version.key} is left out: {problem}", "warning")
            continue
        every.append(version)
        if rubric.name in names:
            listing.append(version)
    return listing or every


def _as_json(rubric: Rubric, plans: Sequence[Plan]) -> dict[str, object]:
    return {
        "rubric": rubric.name,
        "rubric_version": rubric.version,
        "judge_calls": JUDGE_CALLS,
        "n_items_due": sum(_items(each) for each in plans),
        "plans": [
            {
                "dataset_version": each.dataset.key,
                "listed": each.listed,
                "scored_before_by": each.before,
                "n_runs": each.n_runs,
                "n_items": each.n_items,
                "due": [
                    {
                        "axis": due.axis,
                        "n_runs": due.n_runs,
                        "n_items": due.n_items,
                        "judge_calls": JUDGE_CALLS,
                        "reason": due.reason,
                        "changes": [asdict(change) for change in due.changes],
                    }
                    for due in each.due
                ],
                "others_due": list(each.others),
            }
            for each in plans
        ],
    }


def _items(each: Plan) -> int:
    """Run items that are scored on some axis or joined anew."""
    return max((due.n_items for due in each.due), default=0)


def _print_plans(context: Context, rubric: Rubric, plans: Sequence[Plan]) -> None:
    rows = [
        (
            each.dataset.key,
            _SHOWN.get(due.axis, due.axis),
            due.n_runs,
            due.n_items,
            JUDGE_CALLS,
            due.reason,
        )
        for each in plans
        for due in each.due
    ]
    if rows:
        names = ("dataset", "axis", "runs", "run items", "judge calls", "why")
        terminal.print_table(
            pl.DataFrame(rows, schema=list(names), orient="row"), f"Due by {rubric.version}"
        )
    _print_rest(rubric, plans)
    if any(each.job is not None for each in plans):
        words = ["backfill", "--rubric", rubric.name]
        words += [word for each in plans if each.job for word in ("--dataset", each.dataset.key)]
        # Names are other people's: pasted into a shell they are one word each.
        terminal.say(f"To do it: rag-eval {context.again}{shlex.join([*words, '--yes'])}")


def _print_rest(rubric: Rubric, plans: Sequence[Plan]) -> None:
    """What the table of due axes cannot say."""
    for each in plans:
        key = each.dataset.key
        if not each.due:
            back = "" if each.job is None else "; --yes makes its scores the current ones"
            runs = (
                f"all {each.n_runs} stored runs are scored" if each.n_runs else "no run is stored"
            )
            terminal.say(f"{key}: nothing is due by {rubric.version}: {runs}{back}.")
        if not each.listed:
            terminal.say(
                f"{key} does not list {rubric.name}: its scores are stored beside the others and "
                "are not current until dataset.yaml lists it."
            )
        if each.others and each.job == "backfill":
            terminal.say(
                f"{key}: its other rubrics have something due too, which is done with it: "
                f"{terminal.listed(each.others)}."
            )


def _print_done(context: Context, rubric: Rubric, plans: Sequence[Plan], night: Night) -> None:
    done = {version.key for version, outcome in night.outcomes if outcome.succeeded}
    for each in plans:
        if each.dataset.key in done and each.due:
            axes = [due.axis for due in each.due if due.axis not in _SHOWN]
            on = terminal.listed(axes) or "no axis anew, the axes were joined"
            terminal.say(
                f"{each.dataset.key}: {_items(each)} run items of "
                f"{max(due.n_runs for due in each.due)} runs scored by {rubric.version} ({on})."
            )
    _print_rest(rubric, [each for each in plans if not each.due])
    scored = [each for each in plans if each.before and each.dataset.key in done]
    for before in sorted({str(each.before) for each in scored} - {rubric.version}):
        terminal.say(
            f"What it changed: rag-eval {context.again}"
            f"{shlex.join(['rubric', 'diff', before, rubric.version])}"
        )
