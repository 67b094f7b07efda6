"""Contracts of the frozen knowledge base: documents and their sections."""

from rag_eval_pipeline.tables.model import (
    Boolean,
    Day,
    Instant,
    Integer,
    Partitioned,
    Text,
    Texts,
    column,
)

LIFECYCLES = ("active", "draft", "superseded", "expired")


class Documents(Partitioned):
    """Documents of the snapshot a dataset version is judged against."""

    snapshot_id: Text = column("First 12 hex of the hash of the snapshot's contents")
    pinned: Boolean = column(
        "Whether the dataset version pins this snapshot (else: live knowledge)"
    )
    knowledge: Text = column("Name of the knowledge base")
    doc_id: Text = column("Document id, opaque text in NFC")
    version: Text = column("Version the source gives the document", nullable=True)
    title: Text = column("Title", nullable=True)
    source_uri: Text = column("Where the document came from", nullable=True)
    retrieved_at: Instant = column("When it was fetched from its source", nullable=True)
    effective_from: Day = column("First day it is valid", nullable=True)
    effective_until: Day = column("Last day it is valid, inclusive", nullable=True)
    lifecycle: Text = column("active, draft, superseded or expired", isin=LIFECYCLES)
    supersedes: Texts = column("doc_ids it replaces")
    access: Texts = column("Roles that may read it; empty is open to all")
    language: Text = column("Language tag", nullable=True)
    sha256: Text = column("Hash of the document's section ids, headings and texts")
    position: Integer = column("Place in the snapshot, from 1", ge=1)
    flags: Texts = column("Notes of reading (sanitised text, converted numbers, …)")
    extra: Text = column("Fields outside the design, as canonical JSON", nullable=True)

    class Config:
        unique = ["dataset_version", "doc_id"]
        metadata = {"keys": ["dataset_version"], "row_id": ["doc_id"]}


class Sections(Partitioned):
    """Sections of the snapshot; a document without sections is one row with section_id null."""

    snapshot_id: Text = column("Snapshot the section belongs to")
    doc_id: Text = column("Document of the section")
    section_id: Text = column("Section id; null for a document that has only a text", nullable=True)
    heading: Text = column("Heading", nullable=True)
    text: Text = column("Text of the section")
    sha256: Text = column("Hash of the section's text")
    position: Integer = column("Place in the document, from 1", ge=1)

    class Config:
        unique = ["dataset_version", "doc_id", "section_id"]
        metadata = {"keys": ["dataset_version"], "row_id": ["doc_id", "section_id"]}
