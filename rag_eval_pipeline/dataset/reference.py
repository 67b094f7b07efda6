"""The reference of a dataset version: the snapshot it is judged on and its checked cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.cases import CasesRead, read_cases
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.knowledge import snapshot as snapshots
from rag_eval_pipeline.knowledge.documents import Document, read_knowledge
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds
from rag_eval_pipeline.knowledge.texts import text_hashes
from rag_eval_pipeline.reading.quarantine import Rejected


@dataclass(slots=True)
class SnapshotRead:
    """Tables `documents` and `sections`, the snapshot's id (None without a knowledge base)."""

    documents: pl.DataFrame
    sections: pl.DataFrame
    snapshot: str | None
    contents: list[Document] = field(default_factory=list)
    quarantined: list[tuple[str, Rejected]] = field(default_factory=list)
    encodings: dict[str, str] = field(default_factory=dict)


def read_snapshot(dataset: DatasetVersion, data_root: Path) -> SnapshotRead:
    """What the dataset version is judged against: its pinned snapshot, else the live knowledge.

    Raises
    ------
    InputError
        The pinned file is missing or changed, or the live knowledge cannot be read.
    """
    if dataset.knowledge is None:
        return SnapshotRead(tables.empty("documents"), tables.empty("sections"), None)
    read = SnapshotRead(tables.empty("documents"), tables.empty("sections"), dataset.snapshot)
    if dataset.snapshot is not None:
        read.contents = snapshots.load_snapshot(data_root, dataset.knowledge, dataset.snapshot)
    else:
        live = read_knowledge(data_root, dataset.knowledge)
        read.contents, read.quarantined = live.documents, live.quarantined
        read.encodings = live.encodings
        read.snapshot = snapshots.snapshot_id(read.contents)
    read.documents, read.sections = snapshots.frames(
        read.contents,
        dataset_version=dataset.key,
        knowledge=dataset.knowledge,
        snapshot=str(read.snapshot),
        pinned=dataset.snapshot is not None,
    )
    return read


def cases_against(
    dataset: DatasetVersion, data_root: Path, documents: pl.DataFrame, sections: pl.DataFrame
) -> CasesRead:
    """The cases of a dataset version, read against the tables of its snapshot."""
    held = documents["snapshot_id"].first() if documents.height else None
    return read_cases(
        dataset,
        data_root,
        KnownIds.of(sections, documents),
        text_hashes(documents, sections),
        str(held) if held is not None else None,
    )
