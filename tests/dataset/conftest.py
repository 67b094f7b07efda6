"""A data root the test writes: a knowledge base of two documents and one dataset version."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag_eval_pipeline.dataset.cases import CasesRead
from rag_eval_pipeline.dataset.manifest import DatasetVersion, read_manifest
from rag_eval_pipeline.dataset.reference import SnapshotRead, cases_against, read_snapshot

DOCUMENTS: list[dict[str, Any]] = [
    {"doc_id": "shipping", "sections": [{"section_id": "fee", "text": "送料は500円"}]},
    {"doc_id": "returns", "text": "返品は30日以内"},
]
CASE = {"id": "q1", "question": "送料は？", "expected": "500円", "evidence": "shipping"}


class Root:
    """Files below a data root."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path / "datasets" / "faq" / "v1"
        self.folder.mkdir(parents=True)

    def knowledge(self, *documents: dict[str, Any]) -> None:
        folder = self.path / "knowledge" / "shop"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "documents.jsonl").write_text(_lines(documents or DOCUMENTS))

    def manifest(self, text: str) -> None:
        (self.folder / "dataset.yaml").write_text(text)

    def cases(self, *cases: dict[str, Any]) -> None:
        self.file("cases.jsonl", _lines(cases or [CASE]).encode())

    def file(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def dataset(self) -> DatasetVersion:
        return read_manifest(self.path, self.folder)

    def snapshot(self) -> SnapshotRead:
        return read_snapshot(self.dataset(), self.path)

    def read(self) -> CasesRead:
        snapshot = self.snapshot()
        return cases_against(self.dataset(), self.path, snapshot.documents, snapshot.sections)


def _lines(rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def new_root(tmp_path: Path) -> Callable[[], Root]:
    """Makes data roots, each with the knowledge base and the one case."""
    count = 0

    def make() -> Root:
        nonlocal count
        count += 1
        root = Root(tmp_path / f"data{count}")
        root.knowledge()
        root.cases()
        return root

    return make


@pytest.fixture
def root(new_root: Callable[[], Root]) -> Root:
    return new_root()
