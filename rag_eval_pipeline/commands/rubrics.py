"""Checking rubric files, showing what a rubric says, and the schema for editors."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline import terminal
from rag_eval_pipeline.commands.context import BAD_INPUT, DONE, WAREHOUSE, Context
from rag_eval_pipeline.dataset.manifest import discover_datasets
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.rubric import (
    Doubt,
    RubricRead,
    as_object,
    as_yaml,
    find_rubric,
    load_rubric,
    own_names,
    reused_versions,
    rubric_schema,
    unread_files,
)


@dataclass(frozen=True, slots=True)
class _Checked:
    """One rubric by name: what was read of it, and whether its version text is used again."""

    name: str
    read: RubricRead
    reused: tuple[Doubt, ...]

    @property
    def doubts(self) -> list[Doubt]:
        return [*self.read.doubts, *self.reused]


def check(context: Context, names: Sequence[str]) -> int:
    """Tell all that is wrong or doubtful in rubric files; 2 if one of them cannot be used."""
    if not names and not context.data.is_dir():
        # It brings Dagster with it, which a look at files should not wait for.
        from rag_eval_pipeline import launch

        launch.check_data_root(context.data)
    stored = _stored(context)
    wanted = dict.fromkeys(names, "the command line") or dict(_all(context))
    checked = [_check(context, name, named_in, stored) for name, named_in in wanted.items()]
    others = [] if names else unread_files(context.data)
    failed = any(each.read.problems for each in checked)
    code = BAD_INPUT if failed else DONE
    if context.json:
        terminal.print_json(
            {
                "exit_code": code,
                "rubrics": [_as_json(each) for each in checked],
                "warnings": [_doubt(each) for each in others],
            }
        )
        return code
    for each in checked:
        rubric = each.read.rubric
        if rubric is None:
            n = len(each.read.problems)
            terminal.say(f"{each.name}: {n} problem{'s' if n > 1 else ''}")
        else:
            version = "" if rubric.version_text is None else f", version {rubric.version_text}"
            terminal.say(f"{rubric.version}{version}: {rubric.source} can be used")
        for problem in each.read.problems:
            terminal.problem(str(problem))
        for doubt in each.doubts:
            terminal.problem(str(doubt), "warning")
    for doubt in others:
        terminal.problem(str(doubt), "warning")
    if not checked:
        terminal.say("There is no rubric to check: the data root has none, no dataset names one.")
    return code


def show(context: Context, name: str) -> int:
    """Show a rubric with every key, its version and the hash of each section.

    Raises
    ------
    InputError
        There is none of that name, or its file cannot be used.
    """
    try:
        rubric = load_rubric(name, context.data, named_in="the command line")
    except InputError as problem:
        if problem.code == "unknown_rubric":
            problem.file, problem.field = None, "NAME"
        raise
    if context.json:
        terminal.print_json({"exit_code": DONE} | as_object(rubric))
    else:
        terminal.say(as_yaml(rubric).rstrip("\n"))
    return DONE


def schema() -> int:
    """Print the JSON Schema of rubric files."""
    sys.stdout.write(rubric_schema())
    return DONE


def _all(context: Context) -> Iterator[tuple[str, str]]:
    """Rubrics of the data root, and those that datasets name, with the file that names them."""
    found = discover_datasets(context.data)
    for version in found.versions.values():
        for name in version.rubrics:
            yield name, version.manifest_path
    for name in own_names(context.data):
        yield name, f"rubrics/{name}.yaml"


def _check(context: Context, name: str, named_in: str, stored: pl.DataFrame) -> _Checked:
    try:
        read = find_rubric(name, context.data, named_in=named_in)
    except InputError as problem:
        return _Checked(name, RubricRead(None, (problem,), ()), ())
    rubrics = [] if read.rubric is None else [read.rubric]
    return _Checked(name, read, tuple(reused_versions(rubrics, stored)))


def _stored(context: Context) -> pl.DataFrame:
    """Versions and version texts that scores were made with; none before the first night."""
    columns = ["rubric_version", "name", "version_text"]
    if not (context.home / WAREHOUSE).exists():
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    return context.warehouse().read("rubrics", None, columns, distinct=True)


def _as_json(each: _Checked) -> dict[str, object]:
    rubric = each.read.rubric
    return {
        "name": each.name,
        "file": None if rubric is None else rubric.source,
        "rubric_version": None if rubric is None else rubric.version,
        "version": None if rubric is None else rubric.version_text,
        "problems": [
            {
                "code": problem.code,
                "file": problem.file,
                "line": problem.line,
                "field": problem.field,
                "found": problem.found,
                "expected": problem.expected,
                "todo": problem.todo,
            }
            for problem in each.read.problems
        ],
        "warnings": [_doubt(doubt) for doubt in each.doubts],
    }


def _doubt(doubt: Doubt) -> dict[str, object]:
    return {
        "code": doubt.code,
        "file": doubt.file,
        "line": doubt.line,
        "field": doubt.field,
        "message": doubt.message,
    }
