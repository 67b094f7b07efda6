"""Documents of a knowledge base: from files to canonical documents.

A canonical document is a plain JSON-able dict with the fields of the design, empty ones left out,
so that its bytes depend on its contents only.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag_eval_pipeline.reading import text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.reading.json_lines import RowFile, read_json_lines
from rag_eval_pipeline.reading.quarantine import Rejected, mask_excerpt
from rag_eval_pipeline.reading.record import Field, Record, as_id, shape
from rag_eval_pipeline.tables.knowledge import LIFECYCLES

Document = dict[str, object]

FIELDS = (
    Field("doc_id", "id", ("id",)),
    Field("version"),
    Field("title"),
    Field("text"),
    Field("sections", "raw"),
    Field("source_uri"),
    Field("retrieved_at", "instant"),
    Field("effective_from", "day", ("valid_from",)),
    Field("effective_until", "day", ("valid_until", "valid_to")),
    Field("lifecycle"),
    Field("supersedes", "id_list"),
    Field("access", "text_list"),
    Field("language", "text", ("lang",)),
)
SECTION_FIELDS = (Field("section_id", "id", ("id",)), Field("heading", "text"), Field("text"))


@dataclass(slots=True)
class Knowledge:
    """A knowledge base as read: its name, canonical documents by id, and what was left out."""

    name: str
    documents: list[Document] = field(default_factory=list)
    quarantined: list[tuple[str, Rejected]] = field(default_factory=list)
    encodings: dict[str, str] = field(default_factory=dict)


def read_knowledge(data_root: Path, name: str) -> Knowledge:
    """Read the live knowledge base `knowledge/<name>/documents.jsonl`.

    Raises
    ------
    InputError
        The folder or file is missing, unreadable, or holds no document that can be used.
    """
    folder = data_root / "knowledge" / name
    path = folder / "documents.jsonl"
    shown = text_file.relative(path, data_root)
    file = read_json_lines(text_file.read_bytes(path, file=shown), shown)
    if file.n_rows == 0:
        raise InputError(
            code="empty_file",
            file=shown,
            found="no document",
            expected="one JSON object a line",
            todo="write the documents, or take the knowledge base out of dataset.yaml",
        )
    knowledge = Knowledge(name, encodings={shown: file.encoding})
    documents, rejected = parse_documents(file)
    knowledge.documents = documents
    knowledge.quarantined = [(shown, each) for each in rejected]
    if not documents:
        first = rejected[0]
        raise InputError(
            code=first.code,
            file=shown,
            line=first.line,
            field=first.field,
            found=f"no document that can be used ({len(rejected)} rejected), first: {first.reason}",
            expected="at least one usable document",
            todo="mend the rows",
        )
    return knowledge


def parse_documents(file: RowFile) -> tuple[list[Document], list[Rejected]]:
    """Canonical documents sorted by id, and the rows that could not be used.

    Two rows of one id: equal ones are one, different ones are both rejected with their lines.
    """
    rejected = list(file.rejected)
    found: dict[str, list[tuple[int, Document, str]]] = {}
    for row in file.rows:
        record = shape(row.fields, FIELDS)
        document = _document(record, row.flags)
        if record.faults:
            rejected.extend(
                Rejected(row.line, fault.code, fault.field, fault.reason, mask_excerpt(row.raw))
                for fault in record.faults[:1]
            )
            continue
        found.setdefault(str(document["doc_id"]), []).append((row.line, document, row.raw))
    documents: list[Document] = []
    for doc_id, rows in sorted(found.items()):
        distinct = {hash_json(document) for _, document, _ in rows}
        if len(distinct) > 1:
            lines = ", ".join(str(line) for line, _, _ in rows)
            rejected.extend(
                Rejected(
                    line,
                    "duplicate_doc_id",
                    "doc_id",
                    f"found the id {doc_id!r} on lines {lines} with different contents; "
                    "expected one row; keep one or give the others their own id",
                    mask_excerpt(raw),
                )
                for line, _, raw in rows
            )
            continue
        documents.append(rows[0][1])
        rejected.extend(
            Rejected(
                line,
                "exact_duplicate",
                "doc_id",
                f"found the document {doc_id!r} again; it counts once",
                mask_excerpt(raw),
            )
            for line, _, raw in rows[1:]
        )
    return documents, sorted(rejected, key=lambda each: each.line or 0)


def _document(record: Record, row_flags: Sequence[str]) -> Document:
    values = record.values
    if values["doc_id"] is None and not record.faults:
        record.fault("missing_field", "doc_id", "found no doc_id; expected an id; add one")
    lifecycle = values["lifecycle"] or "active"
    if lifecycle not in LIFECYCLES:
        record.fault(
            "unknown_value",
            "lifecycle",
            f"found {lifecycle!r}; expected one of {', '.join(LIFECYCLES)}",
        )
    sections = _sections(record)
    document: Document = {
        name: value.isoformat() if isinstance(value, dt.date) else value
        for name, value in values.items()
        if name not in ("text", "sections", "lifecycle") and value not in (None, [])
    }
    document["lifecycle"] = lifecycle
    document["sections"] = sections
    notes = [*row_flags, *record.flags]
    if notes:
        document["flags"] = notes
    if record.extra:
        document["extra"] = record.extra
    return document


def _sections(record: Record) -> list[dict[str, object]]:
    whole, listed = record.values["text"], record.values["sections"]
    sections: list[dict[str, object]] = []
    if whole is not None:
        sections.append({"text": whole})
    if listed is None:
        listed = []
    if not isinstance(listed, list):
        record.fault("not_a_list", "sections", "found no list; expected a list of sections")
        return sections
    seen: set[str] = set()
    for number, entry in enumerate(listed, start=1):
        place = f"sections[{number}]"
        if not isinstance(entry, dict):
            record.fault("not_an_object", place, "expected {section_id, heading, text}")
            continue
        part = shape(entry, SECTION_FIELDS)
        section_id = as_id(part, "section_id", part.raw["section_id"])
        record.flags.extend(f"{place}.{note}" for note in part.flags)
        if part.faults:
            record.fault(part.faults[0].code, place, part.faults[0].reason)
        elif section_id is None or part.values["text"] is None:
            record.fault("missing_field", place, "expected section_id and text; add both")
        elif section_id in seen:
            record.fault("duplicate_section_id", place, f"found {section_id!r} twice; rename one")
        else:
            seen.add(section_id)
            sections.append({k: v for k, v in part.values.items() if v is not None})
    if not sections and not record.faults:
        record.fault("missing_field", "text", "found neither text nor sections; expected one")
    return sections
