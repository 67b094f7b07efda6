"""Snapshots: frozen, content-addressed copies of a knowledge base.

A snapshot file is one canonical document a line, sorted by doc_id; its id is the first 12 hex of
the sha256 of those bytes, so a changed file no longer answers to its name.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.knowledge.documents import Document
from rag_eval_pipeline.reading import ids, text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fingerprint import (
    canonical_json,
    hash_json,
    sha256_bytes,
    sha256_text,
)
from rag_eval_pipeline.reading.json_lines import read_json_lines

ID_LENGTH = 12


def snapshot_bytes(documents: Sequence[Document]) -> bytes:
    """The canonical bytes of a snapshot."""
    ordered = sorted(documents, key=lambda each: str(each["doc_id"]))
    return "".join(canonical_json(document) + "\n" for document in ordered).encode()


def snapshot_id(documents: Sequence[Document]) -> str:
    """First 12 hex of the hash of the snapshot's bytes."""
    return sha256_bytes(snapshot_bytes(documents))[:ID_LENGTH]


def snapshot_path(data_root: Path, knowledge: str, snapshot: str) -> Path:
    """Where a snapshot lies: `snapshots/<kb>/<id>.jsonl`."""
    folder = data_root / "snapshots" / ids.encode_id(knowledge)
    return folder / f"{ids.encode_id(snapshot)}.jsonl"


def write_snapshot(data_root: Path, knowledge: str, documents: Sequence[Document]) -> str:
    """Write the snapshot file if it is not there yet; return its id."""
    data = snapshot_bytes(documents)
    name = sha256_bytes(data)[:ID_LENGTH]
    path = snapshot_path(data_root, knowledge, name)
    if not path.exists():
        text_file.write_atomic(path, data)
    return name


def holds_snapshot(data_root: Path, knowledge: str, snapshot: str) -> bool:
    """Whether there is a snapshot file of that id."""
    return snapshot_path(data_root, knowledge, snapshot).is_file()


def load_snapshot(data_root: Path, knowledge: str, snapshot: str) -> list[Document]:
    """Read a pinned snapshot and verify its hash.

    Raises
    ------
    InputError
        The file is missing, unreadable, or its contents no longer give its id.
    """
    path = snapshot_path(data_root, knowledge, snapshot)
    shown = text_file.relative(path, data_root)
    data = text_file.read_bytes(path, file=shown)
    found = sha256_bytes(data)[:ID_LENGTH]
    if found != snapshot:
        raise InputError(
            code="snapshot_changed",
            file=shown,
            found=f"contents with the id {found}",
            expected=f"the frozen contents with the id {snapshot}",
            todo="restore the file from version control; snapshots are never edited",
        )
    return [row.fields for row in read_json_lines(data, shown).rows]


def frames(
    documents: Sequence[Document],
    *,
    dataset_version: str,
    knowledge: str,
    snapshot: str,
    pinned: bool,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables `documents` and `sections` of one dataset version."""
    document_rows: list[dict[str, object]] = []
    section_rows: list[dict[str, object]] = []
    for position, document in enumerate(documents, start=1):
        sections = _section_list(document)
        document_rows.append(
            {
                "dataset_version": dataset_version,
                "snapshot_id": snapshot,
                "pinned": pinned,
                "knowledge": knowledge,
                "doc_id": document["doc_id"],
                "version": document.get("version"),
                "title": document.get("title"),
                "source_uri": document.get("source_uri"),
                "retrieved_at": _instant(document.get("retrieved_at")),
                "effective_from": _day(document.get("effective_from")),
                "effective_until": _day(document.get("effective_until")),
                "lifecycle": document["lifecycle"],
                "supersedes": document.get("supersedes", []),
                "access": document.get("access", []),
                "language": document.get("language"),
                "sha256": hash_json(sections),
                "position": position,
                "flags": document.get("flags", []),
                "extra": canonical_json(document["extra"]) if "extra" in document else None,
            }
        )
        section_rows.extend(
            {
                "dataset_version": dataset_version,
                "snapshot_id": snapshot,
                "doc_id": document["doc_id"],
                "section_id": section.get("section_id"),
                "heading": section.get("heading"),
                "text": section["text"],
                "sha256": sha256_text(str(section["text"])),
                "position": number,
            }
            for number, section in enumerate(sections, start=1)
        )
    return (
        pl.DataFrame(document_rows, schema=tables.columns("documents"), orient="row"),
        pl.DataFrame(section_rows, schema=tables.columns("sections"), orient="row"),
    )


def _section_list(document: Document) -> list[dict[str, object]]:
    sections = document["sections"]
    if not isinstance(sections, list):
        raise TypeError("a canonical document holds a list of sections")
    return sections


def _day(value: object) -> dt.date | None:
    return dt.date.fromisoformat(str(value)) if value is not None else None


def _instant(value: object) -> dt.datetime | None:
    return dt.datetime.fromisoformat(str(value)) if value is not None else None
