"""A data root written by the test, and the command line run on it in this process."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

from rag_eval_pipeline.cli import main

Record = Mapping[str, Any]


def case(case_id: object, **fields: object) -> dict[str, object]:
    """A case in the minimal form."""
    return {
        "id": case_id,
        "question": f"What of {case_id}?",
        "expected": "yes",
        "evidence": "guide",
        "status": "answer",
    } | fields


def answer(case_id: object, **fields: object) -> dict[str, object]:
    """A run item that `case` takes for right."""
    return {
        "case_id": case_id,
        "retrieved": ["guide"],
        "answer": "yes",
        "source": "guide",
        "status": "answer",
    } | fields


def lines(records: Iterable[Record]) -> str:
    """Records as JSON lines."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def strict_json(text: str) -> Any:
    """The value of a JSON text; NaN and Infinity are no JSON."""

    def refuse(name: str) -> NoReturn:
        raise AssertionError(f"{name} in JSON")

    return json.loads(text, parse_constant=refuse)


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What it printed, as strict JSON."""
        return strict_json(self.out)

    def problem(self, *parts: str) -> str:
        """The one line of the error stream that holds all these parts."""
        found = [line for line in self.err.splitlines() if all(part in line for part in parts)]
        assert len(found) == 1, f"{len(found)} lines with {parts} in:\n{self.err}"
        return found[0]


class Root:
    """A data root and a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.home = folder / "home"
        self.data.mkdir(parents=True)

    def put(self, path: str, content: str | bytes | Iterable[Record]) -> Path:
        """Write a file of the data root: text, bytes, or records as JSON lines."""
        if not isinstance(content, str | bytes):
            content = lines(content)
        target = self.data / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def run(self, *arguments: str) -> Said:
        """Run a command on this data root and home."""
        said = command("--data", str(self.data), "--home", str(self.home), *arguments)
        assert "Traceback" not in said.err + said.out
        return said

    def sql(self, query: str) -> list[dict[str, Any]]:
        """Rows of a query, read back as a program would."""
        said = self.run("sql", query, "--format", "json")
        assert said.code == 0, said.err
        rows = said.json()
        assert isinstance(rows, list)
        return rows

    def pairs(self, query: str) -> dict[Any, Any]:
        """Rows of two columns as a mapping; the first column must be unique."""
        rows = [tuple(row.values()) for row in self.sql(query)]
        found = dict(rows)
        assert len(found) == len(rows), f"not unique: {rows}"
        return found

    def marks(self, run_id: str) -> dict[Any, list[float | None]]:
        """search, evidence, behavior, format of each case of a run."""
        rows = self.sql(
            "SELECT case_id, search_score, evidence_score, behavior_score, format_score "
            f"FROM case_scores WHERE current AND run_id = '{run_id}'"
        )
        return {row["case_id"]: list(row.values())[1:] for row in rows}


def command(*arguments: str) -> Said:
    """Run the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    # Outside of tests these filters are set when the graph is loaded.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main(list(arguments))
    code = ended.value.code
    assert code is None or isinstance(code, int)
    return Said(code or 0, out.getvalue(), err.getvalue())
