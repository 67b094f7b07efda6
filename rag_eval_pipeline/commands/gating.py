"""The gate for continuous integration: may this run pass?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from rag_eval_pipeline import launch, terminal
from rag_eval_pipeline.commands.context import (
    BAD_INPUT,
    DONE,
    FAILED,
    INSUFFICIENT,
    INTERNAL,
    WAREHOUSE,
    Context,
    nearest,
)
from rag_eval_pipeline.commands.night import Night, chosen, run_all
from rag_eval_pipeline.comparison.gate.annotations import annotation_lines
from rag_eval_pipeline.comparison.gate.decide import Decision, decide
from rag_eval_pipeline.comparison.gate.facts import GateFacts
from rag_eval_pipeline.comparison.gate.junit import junit_xml
from rag_eval_pipeline.comparison.gate.latest import latest_runs
from rag_eval_pipeline.comparison.gate.lines import text_lines
from rag_eval_pipeline.comparison.gate.pair_facts import PairTables, gate_facts, not_compared
from rag_eval_pipeline.comparison.gate.policy import Policy, default_policy, parse_policy
from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL
from rag_eval_pipeline.dataset.manifest import DatasetVersion, discover_datasets
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.text_file import read_bytes, relative, write_atomic
from rag_eval_pipeline.report.pull_request import pull_request_comment
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.comparison import PAIR
from rag_eval_pipeline.warehouse.warehouse import Warehouse

POLICY = "gate.yaml"
_CHOSEN_BY = (
    *PAIR, "candidate_run", "baseline_run", "baseline_rule", "rubric_version", "superseded_at",
)  # fmt: skip
_WORST_FIRST = (INTERNAL, FAILED, BAD_INPUT, INSUFFICIENT, DONE)
_DECISIONS_WORST_FIRST = (FAILED, INSUFFICIENT, DONE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asked for: a pair, a run, a dataset, or none of them for all there is."""

    base: str | None = None
    candidate: str | None = None
    dataset: str | None = None
    run_id: str | None = None
    stored: bool = False


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where the decision goes beside the terminal; `annotations` None asks the environment."""

    junit: Path | None = None
    markdown: Path | None = None
    annotations: bool | None = None


def gate(context: Context, asked: Asked, policy_file: Path | None, outputs: Outputs) -> int:
    """Decide and tell; 1 if a rule failed, 3 if one is undecided, 2 for bad input."""
    policies = _policies(context, policy_file)
    night = Night() if asked.stored else _brought_up_to_date(context, asked)
    decisions = [
        decide(policies.get(_name(facts.dataset_version), policies[""]), facts)
        for facts in _facts(context, asked, night)
    ]
    decisions.sort(key=lambda each: (_DECISIONS_WORST_FIRST.index(each.exit_code), each.pair))
    night.problems += _write(outputs, decisions)
    # Nothing that could be judged is no pass.
    judged = [each.exit_code for each in decisions] or [INSUFFICIENT]
    code = exit_code(night.exit_code, *judged)
    annotated = outputs.annotations
    if annotated is None:
        annotated = os.environ.get("GITHUB_ACTIONS") == "true"
    if context.json:
        terminal.print_json(night.as_json(code) | {"gates": [_as_json(each) for each in decisions]})
    else:
        _print(decisions, code)
    if annotated:
        # A runner reads commands on both streams; JSON has to stay alone on its own.
        stream = sys.stderr if context.json else sys.stdout
        stream.writelines(f"{line}\n" for line in annotation_lines(*decisions))
    night.tell()
    return code


def exit_code(*codes: int) -> int:
    """Of several exit codes the one that counts; a known failure outranks bad input."""
    return next(each for each in _WORST_FIRST if each in (*codes, DONE))


def _policies(context: Context, given: Path | None) -> dict[str, Policy]:
    """The policy of each dataset that has one of its own, and under "" that of all others."""
    if given is not None:
        return {"": parse_policy(read_bytes(given.absolute(), file=str(given)), str(given))}
    policies = {"": default_policy()}
    names = {each.name: each.folder.parent for each in _versions(context)}
    for name, folder in {"": context.data, **names}.items():
        path = folder / POLICY
        if path.exists():
            shown = relative(path, context.data)
            policies[name] = parse_policy(read_bytes(path, file=shown), shown)
    return policies


def _versions(context: Context) -> Iterable[DatasetVersion]:
    launch.check_data_root(context.data)
    return discover_datasets(context.data).versions.values()


def _brought_up_to_date(context: Context, asked: Asked) -> Night:
    """Take in what is new and compare; of a run or pair that is named, its dataset version."""
    if asked.candidate is None and asked.run_id is None:
        return run_all(context, "nightly", asked.dataset)
    taken_in = _taken_in(context)
    places = _logs(context) | taken_in
    if asked.run_id is not None:
        _check_known("--run", asked.run_id, places)
        return run_all(context, "nightly", places[asked.run_id])
    return _compared(context, asked, taken_in, places)


def _compared(
    context: Context, asked: Asked, taken_in: Mapping[str, str], places: Mapping[str, str]
) -> Night:
    """Compare the pair that is named, after its baseline was taken in."""
    if asked.base is None or asked.candidate is None:
        return Night()
    for name, run_id in (("BASE", asked.base), ("CANDIDATE", asked.candidate)):
        _check_known(name, run_id, places)
    version = places[asked.candidate]
    before = Night()
    if asked.base not in taken_in and places[asked.base] != version:
        before = run_all(context, "nightly", places[asked.base])
    pair = {"candidate": asked.candidate, "baseline": asked.base, "require_identical": False}
    night = run_all(context, "nightly", version, config={"comparison": pair})
    night.problems = list(dict.fromkeys(before.problems + night.problems))
    night.warnings = list(dict.fromkeys(before.warnings + night.warnings))
    return night


def _taken_in(context: Context) -> dict[str, str]:
    """Dataset version of each run that is stored."""
    if not (context.home / WAREHOUSE).exists():
        return {}
    return dict(context.warehouse().read("runs", columns=["run_id", "dataset_version"]).iter_rows())


def _logs(context: Context) -> dict[str, str]:
    """Dataset version of each run whose log lies there, taken in or not."""
    with launch.opened(
        context.data, context.home, on_wait=lambda text: terminal.problem(text, "note")
    ) as launcher:
        files = launcher.look_at_run_files(launcher.discover())
    usable = files.filter(~pl.col("state").is_in(["rejected", "gone"])).drop_nulls(
        ["run_id", "dataset_version"]
    )
    return dict(usable.select("run_id", "dataset_version").iter_rows())


def _check_known(field: str, run_id: str, runs: Iterable[str]) -> None:
    known = sorted(runs)
    if run_id not in known:
        raise InputError(
            code="unknown_run",
            field=field,
            found=f"the run {run_id!r}, which no dataset version holds",
            expected=f"one of {terminal.listed(known) or '(there is no run yet)'}",
            todo=f"correct the id, or put its log below runs/{nearest(run_id, known)}",
        )


def _facts(context: Context, asked: Asked, night: Night) -> Iterator[GateFacts]:
    """The facts of each pair that is to be judged."""
    run_id = asked.candidate or asked.run_id
    found = discover_datasets(context.data)
    if asked.stored and asked.dataset is None:
        night.problems += map(str, found.problems)
    versions = {each.key: each for each in chosen(found, asked.dataset)}
    unfinished = {version.key for version, outcome in night.outcomes if not outcome.succeeded}
    evaluation = Evaluation(data=str(context.data), home=str(context.home))
    keys = pl.DataFrame({"dataset_version": list(versions)}, {"dataset_version": pl.String})
    with (warehouse := context.warehouse()).reading():
        runs = _runs(warehouse, keys, run_id)
        if run_id is not None and runs.is_empty():
            # Its log may be there and its evaluation have failed: the problems say so.
            if not unfinished:
                there = warehouse.read("runs", keys, ["run_id"])["run_id"]
                _check_known("CANDIDATE" if asked.candidate else "--run", run_id, there)
            rows = [(each, run_id, True) for each in sorted(unfinished)]
            runs = pl.DataFrame(rows, runs.schema, orient="row")
        if asked.base is not None and not unfinished:
            _check_known("BASE", asked.base, warehouse.read("runs", columns=["run_id"])["run_id"])
        for version, run, complete in runs.iter_rows():
            if version in unfinished:
                yield not_compared(
                    run, dataset_version=version, state="not_computed",
                    reason="the evaluation of this dataset version did not end",
                )  # fmt: skip
            elif not complete:
                yield not_compared(
                    run, dataset_version=version, state="incomplete",
                    reason="the run is marked incomplete by the job that asked",
                )  # fmt: skip
            else:
                rubric = evaluation.rubrics(versions[version])[0]
                yield _of_pair(warehouse, version, run, rubric, asked.base)
    without = set(map(_name, versions)) - set(map(_name, runs["dataset_version"]))
    if run_id is None:
        for name in sorted(without):
            yield not_compared(
                "", dataset_version=name, state="no_run",
                reason="no run of this dataset was taken in",
            )  # fmt: skip


def _name(dataset_version: str) -> str:
    return dataset_version.partition("@")[0]


def _runs(warehouse: Warehouse, keys: pl.DataFrame, run_id: str | None) -> pl.DataFrame:
    """dataset_version, run_id, complete of the runs to judge."""
    columns = ["dataset_version", "run_id", "system", "started_at", "complete"]
    runs = warehouse.read("runs", keys, columns)
    if run_id is not None:
        named = runs.filter(pl.col("run_id") == run_id)
        return named.select("dataset_version", "run_id", "complete").sort("dataset_version")
    drafts = warehouse.read("cases", keys, ["dataset_version", "draft"], distinct=True)
    return latest_runs(runs, drafts)


def _of_pair(
    warehouse: Warehouse, version: str, run_id: str, rubric: Rubric, base: str | None
) -> GateFacts:
    """The facts of a run against its baseline, or against the one that is named."""
    key = pl.DataFrame({"dataset_version": [version]})
    rule = pl.col("baseline_rule")
    if base is None:
        wanted = ~rule.is_in([ASKED, ASKED_IDENTICAL])
    else:
        wanted = (pl.col("baseline_run") == base) & (rule != ASKED_IDENTICAL)
    rows = warehouse.read("comparisons", key, _CHOSEN_BY).filter(
        (pl.col("candidate_run") == run_id)
        & (pl.col("rubric_version") == rubric.version)
        & pl.col("superseded_at").is_null()
        & wanted
    )
    if rows.is_empty():
        return not_compared(
            run_id, dataset_version=version, rubric_version=rubric.version, baseline_run=base,
            state="not_compared",
            reason="nothing is stored of this pair by today's rubric",
        )  # fmt: skip
    # Of a pair both asked for and given by the rule, either says the same.
    pair = rows.sort("baseline_rule", "comparison_id").head(1).select(PAIR)
    row = warehouse.read("comparisons", pair).row(0, named=True)
    of_run = pl.DataFrame({"dataset_version": [version], "run_id": [run_id]})
    today = pl.col("current") & (pl.col("rubric_version") == rubric.version)
    return gate_facts(
        PairTables(
            comparison=row,
            summary=warehouse.read("comparison_summary", pair),
            figures=warehouse.read("comparison_figures", pair),
            changes=warehouse.read("regressions", pair),
            cases=warehouse.read("cases", key),
            case_scores=warehouse.read("case_scores", of_run).filter(today),
            run_summary=warehouse.read("run_summary", of_run).filter(today),
            run_items=warehouse.read("run_items", of_run),
        ),
        trials=rubric.trials,
    )


def _write(outputs: Outputs, decisions: Sequence[Decision]) -> list[str]:
    """Write what was asked for and the summary page of a step on GitHub; what went wrong."""
    problems: list[str] = []
    comment = pull_request_comment(*decisions)
    for path, text in ((outputs.junit, junit_xml(*decisions)), (outputs.markdown, comment)):
        if path is not None:
            try:
                write_atomic(path.absolute(), text.encode())
            except InputError as problem:
                problems.append(str(problem))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and os.environ.get("GITHUB_ACTIONS") == "true":
        try:
            with Path(summary).open("a", encoding="utf-8") as page:
                page.write(comment)
        except OSError as error:
            problems.append(f"GITHUB_STEP_SUMMARY: {summary} cannot be written: {error.strerror}")
    return problems


def _print(decisions: Sequence[Decision], code: int) -> None:
    for decision in decisions:
        for line in text_lines(decision, every_rule=False):
            terminal.say(line)
        terminal.say()
    if len(decisions) > 1:
        passed = sum(decision.exit_code == DONE for decision in decisions)
        terminal.say(f"{passed} of {len(decisions)} comparisons passed. Exit code {code}.")


def _as_json(decision: Decision) -> dict[str, object]:
    return asdict(decision) | {"left_out": dict(decision.left_out)}
