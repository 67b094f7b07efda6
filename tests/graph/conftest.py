"""A small library's data root, evaluated once; each test works on a copy of it."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from rag_eval_pipeline import launch, tables
from rag_eval_pipeline.dataset.freeze import freeze
from rag_eval_pipeline.dataset.manifest import discover_datasets
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

VERSION = "library@v1"

RUBRIC = """\
name: claims
search:
  measure: recall
  k: 10
evidence:
  measure: claims
behavior:
  measure: abstain_policy
format:
  measure: logged_fields
pass:
  min_core: 0.5
"""

DOCUMENTS = [
    {"doc_id": "hours", "title": "開館時間", "text": "開館時間は午前9時から午後7時までです。"},
    {"doc_id": "loans", "title": "貸出", "text": "本は一人10冊まで、15日間借りられます。"},
]

CASES = [
    {"id": "c1", "question": "何時に開きますか。", "expected": "9時", "evidence": "hours"},
    {"id": "c2", "question": "何冊借りられますか。", "expected": "10冊", "evidence": "loans"},
    {
        "id": "c3",
        "question": "何日借りられますか。",
        "expected": "貸出期間は15日間です。",
        "evidence": "loans",
        "required_claims": ["貸出期間は15日間です。"],
        "scenario_id": "loan",
    },
]


@dataclass(frozen=True, slots=True)
class Place:
    """A data root with its home."""

    data: Path
    home: Path

    def copied(self, folder: Path) -> Place:
        """A copy in a folder, to change at will."""
        place = Place(folder / "data", folder / "home")
        shutil.copytree(self.data, place.data)
        shutil.copytree(self.home, place.home)
        return place

    def night(self, *versions: str, job: str = "nightly") -> list[launch.Outcome]:
        """Run a job for all dataset versions, or for those named."""
        with launch.opened(self.data, self.home) as launcher:
            found = launcher.discover()
            launcher.look_at_run_files(found)
            return [
                launcher.run(job, version.partition_key)
                for key, version in found.versions.items()
                if not versions or key in versions
            ]

    def rows(self, table: str, *columns: str) -> pl.DataFrame:
        return DuckDBFile(self.home / "warehouse.duckdb").read(table, None, columns or None)

    def everything(self) -> dict[str, pl.DataFrame]:
        return {table: self.rows(table) for table in tables.TABLES}

    def instance(self) -> dg.DagsterInstance:
        launch.prepare_home(self.home, self.data)
        return dg.DagsterInstance.from_config(str(self.home))

    def rubric(self, *edit: str) -> None:
        """Write the rubric, with (old, new) replaced in it if given."""
        text = RUBRIC.replace(*edit) if edit else RUBRIC
        assert not edit or text != RUBRIC
        write(self.data / "rubrics" / "claims.yaml", text)

    def run(
        self,
        run_id: str,
        started_at: str,
        wrong: Sequence[str] = (),
        dataset: str = VERSION,
        cases: Sequence[Mapping[str, Any]] = tuple(CASES),
    ) -> Path:
        """Write a run that answers as gold says, but for the cases in `wrong`."""
        rows = [
            {
                "run_id": run_id,
                "dataset": dataset,
                "system": "desk-bot",
                "kind": "fixture",
                "started_at": started_at,
                "case_id": case["id"],
                "retrieved": [case["evidence"]],
                "answer": "不明" if case["id"] in wrong else case["expected"],
                "source": case["evidence"],
                "status": "answer",
            }
            for case in cases
        ]
        path = self.data / "runs" / f"{run_id}.jsonl"
        write_rows(path, rows)
        return path

    def version(
        self, name: str, cases: Sequence[Mapping[str, Any]] = tuple(CASES), *, frozen: bool = True
    ) -> Path:
        """Write a dataset version of `library` and freeze it; the path of its cases."""
        folder = self.data / "datasets" / "library" / name
        write(folder / "dataset.yaml", f"name: library\nversion: {name}\nrubrics: claims\n")
        write_rows(folder / "cases.jsonl", [{**case, "status": "answer"} for case in cases])
        if frozen:
            found = discover_datasets(self.data).versions[f"library@{name}"]
            freeze(found, self.data, today=dt.date(2026, 4, 1))
        return folder / "cases.jsonl"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """One frozen version, two runs, the second of which gets c2 wrong. To be left as it is."""
    folder = tmp_path_factory.mktemp("evaluated")
    place = Place(folder / "data", folder / "home")
    write_rows(place.data / "knowledge" / "library" / "documents.jsonl", DOCUMENTS)
    place.rubric()
    place.version("v1")
    place.run("night-1", "2026-04-02T02:00:00+09:00")
    place.run("night-2", "2026-04-03T02:00:00+09:00", wrong=["c2"])
    (outcome,) = place.night()
    assert outcome.succeeded, outcome.failures
    return place


@pytest.fixture
def place(evaluated: Place, tmp_path: Path) -> Place:
    """A copy of the evaluated data root and home."""
    return evaluated.copied(tmp_path)


@pytest.fixture
def instance(place: Place) -> Iterator[dg.DagsterInstance]:
    with place.instance() as instance:
        yield instance


Query = Callable[[dg.DagsterInstance, str, Mapping[str, Any]], dict[str, Any]]


@pytest.fixture(scope="session")
def query() -> Query:
    """Ask what the Dagster UI asks: GraphQL on the code location as workspace.yaml names it."""
    from dagster._core.test_utils import in_process_test_workspace
    from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
    from dagster_graphql.schema import create_schema

    schema = create_schema()
    origin = LoadableTargetOrigin(module_name="rag_eval_pipeline.definitions")

    def ask(
        instance: dg.DagsterInstance, text: str, variables: Mapping[str, Any]
    ) -> dict[str, Any]:
        with in_process_test_workspace(instance, origin) as context:
            result = schema.execute(text, context_value=context, variable_values=dict(variables))
        assert not result.errors, result.errors
        assert result.data is not None
        return result.data

    return ask
