"""The text rules on any input: what values, status or verdict they read, and by which rule."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from rag_eval_pipeline import terminal
from rag_eval_pipeline.commands.context import BAD_INPUT, DONE, Context
from rag_eval_pipeline.measures.claims.verdict import Claim, verdict
from rag_eval_pipeline.reading import text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fields import text_value
from rag_eval_pipeline.reading.json_lines import Row, read_json_lines
from rag_eval_pipeline.text.compare_values import compare_texts
from rag_eval_pipeline.text.status import read_status
from rag_eval_pipeline.text.values import values

CLAIM_KINDS = ("required", "forbidden")

Fields = Mapping[str, str | None]
Reader = Callable[[Fields], dict[str, object]]


def read_values(given: Fields) -> dict[str, object]:
    """`text` → its values, each with kind, unit, comparator, number, span and rule."""
    names = ("kind", "unit", "cmp", "n", "anchor", "qual", "start", "end", "quote", "rule")
    found = values(given["text"] or "")
    return {"values": [{name: getattr(value, name) for name in names} for value in found]}


def read_pair(given: Fields) -> dict[str, object]:
    """`a`, `b` → whether they hold the same value."""
    return {"label": compare_texts(given["a"] or "", given["b"] or "")}


def read_claim(given: Fields) -> dict[str, object]:
    """`claim`, `answer`, `claim_kind`, `question` → whether the answer asserts the claim."""
    kind = given.get("claim_kind") or "required"
    if kind not in CLAIM_KINDS:
        raise InputError(
            code="unknown_value",
            field="claim_kind",
            found=repr(kind),
            expected=" or ".join(CLAIM_KINDS),
            todo="correct it",
        )
    claim = Claim(given["claim"] or "", kind="forbidden" if kind == "forbidden" else "required")
    found = verdict(claim, given["answer"] or "", given.get("question"))
    return {
        "label": found.label,
        "mention": found.mention,
        "rule": found.rule,
        "quote": found.quote,
    }


def read_text_status(given: Fields) -> dict[str, object]:
    """`text` → answer, abstain or clarify."""
    found = read_status(given["text"] or "")
    return {"label": found.label, "mixed": found.mixed, "rule": found.rule, "quote": found.quote}


def explain_text(
    context: Context, reader: Reader, given: Fields, jsonl: Path | None, optional: tuple[str, ...]
) -> int:
    """Read one input, or one a line of a file; say what was read.

    `given` holds the arguments by field name, None where not given; `optional` names those that
    may be left out.
    """
    required = [name for name in given if name not in optional]
    if jsonl is not None:
        if any(value is not None for name, value in given.items() if name in required):
            raise _one_or_the_other(required)
        return _batch(reader, required, optional, jsonl)
    if any(given[name] is None for name in required):
        raise _one_or_the_other(required)
    found = reader(given)
    if context.json:
        terminal.print_json(found)
        return DONE
    listed = found.get("values")
    if isinstance(listed, list):
        if listed:
            terminal.print_table(pl.DataFrame(listed, infer_schema_length=None))
        else:
            terminal.say("no value")
        return DONE
    for name, value in found.items():
        terminal.say(f"{name:8}  {terminal.shown(value)}")
    return DONE


def _batch(reader: Reader, required: list[str], optional: tuple[str, ...], path: Path) -> int:
    """One object out for each line in, in order; a line that cannot be read gives `error`."""
    shown = str(path)
    file = read_json_lines(text_file.read_bytes(path, file=shown), shown)
    faults = {each.line: each.reason for each in file.rejected}
    rows = {each.line: each for each in file.rows}
    lines = sorted([*rows, *faults], key=lambda line: line or 0)
    for line in lines:
        if line in rows:
            try:
                _line(reader(_fields(rows[line], required, optional)))
                continue
            except InputError as problem:
                faults[line] = str(problem)
        _line({"error": faults[line], "line": line})
    if not faults:
        return DONE
    first = min(faults, key=lambda line: line or 0)
    terminal.problem(
        f"{shown}: {len(faults)} of {len(lines)} lines could not be read; "
        f"the first is line {first}: {faults[first]}"
    )
    return BAD_INPUT


def _line(value: dict[str, object]) -> None:
    sys.stdout.write(terminal.as_json(value) + "\n")


def _fields(row: Row, required: list[str], optional: tuple[str, ...]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in (*required, *optional):
        written = row.fields.get(name)
        text, note = text_value(written)
        if note == "not_text" or (text is None and name in required):
            raise InputError(
                code="missing_field" if written is None else "not_text",
                field=name,
                found="nothing" if written is None else terminal.shown(written),
                expected="a text",
                todo=f"each line is an object with {', '.join(required)}",
            )
        found[name] = text
    return found


def _one_or_the_other(required: list[str]) -> InputError:
    return InputError(
        code="usage",
        found="neither the texts nor --jsonl, or both",
        expected=f"{' '.join(name.upper() for name in required)}, or --jsonl FILE",
        todo="give one of them; --help shows examples",
    )
