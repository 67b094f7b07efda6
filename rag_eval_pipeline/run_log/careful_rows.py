"""One row of a run log at a time: whatever can be odd about it is noted, or the row is left out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.reading import fields, ids
from rag_eval_pipeline.reading.fields import ABSENT
from rag_eval_pipeline.reading.fingerprint import canonical_json, sha256_text
from rag_eval_pipeline.reading.json_lines import Row
from rag_eval_pipeline.reading.quarantine import Rejected, mask_excerpt
from rag_eval_pipeline.reading.record import Field, Record, shape
from rag_eval_pipeline.run_log.case_index import CaseIndex
from rag_eval_pipeline.run_log.manifest import NAMES as MANIFEST_NAMES
from rag_eval_pipeline.run_log.manifest import Manifest, row_agrees
from rag_eval_pipeline.run_log.plain_columns import DAY_MS
from rag_eval_pipeline.run_log.retrieved import Ranking, read_ranking
from rag_eval_pipeline.run_log.slots import RANKING
from rag_eval_pipeline.text.fold import fold

FIELDS = (
    Field("case_id", "id"),
    Field("id", "raw"),
    Field("trial", "integer"),
    Field("question"),
    Field("retrieved", "raw"),
    Field("answer"),
    Field("source", "raw"),
    Field("citations", "raw"),
    Field("status"),
    Field("escalated", "raw"),
    Field("latency_ms", "number"),
    Field("latency_s", "number"),
    Field("input_tokens", "integer"),
    Field("output_tokens", "integer"),
    Field("cost_usd", "number"),
    Field("error"),
    Field("started_at", "instant"),
)


@dataclass(slots=True)
class CarefulItem:
    """A run item as read from its row, with notes of everything odd about it."""

    row: Row
    row_hash: str
    record: Record
    case_id: str
    trial: int | None
    ranking: Ranking
    types: dict[str, str]
    source: str | None
    citations: list[str]
    flags: list[str]


def read_item(
    row: Row, row_hash: str, dataset: DatasetVersion, manifest: Manifest, index: CaseIndex
) -> CarefulItem | Rejected:
    """The run item of a row, or why it is none."""
    own = {name: value for name, value in row.fields.items() if name not in MANIFEST_NAMES}
    record = shape(own, FIELDS, zone=dataset.zone)
    belongs = {"run_id": (manifest.values["run_id"],), "dataset": (dataset.key, dataset.name)}
    for name, accepted in belongs.items():
        if not row_agrees(row.fields, name, accepted):
            wanted = accepted[0]
            record.fault(
                f"other_{name}",
                name,
                f"found another {name} than {wanted!r}, which the rest of the file belongs to; "
                "expected one run a file; write one file a run",
            )
    if record.faults:
        fault = record.faults[0]
        return Rejected(row.line, fault.code, fault.field, fault.reason, mask_excerpt(row.raw))
    case_id, rejected = _case_of(record, row, index)
    if rejected is not None:
        return rejected
    trial = record.values["trial"]
    if isinstance(trial, int) and trial < 1:
        reason = f"found trial {trial}; expected 1 or more; number trials from 1"
        return Rejected(row.line, "bad_trial", "trial", reason, mask_excerpt(row.raw))
    types = {
        name: "absent" if record.raw[name] is ABSENT else fields.json_type(record.raw[name])
        for name in ("answer", "source", "status")
    }
    ranking = read_ranking(record.raw["retrieved"])
    source, types["source"] = _cited(record, "source", record.raw["source"], types["source"])
    _valid_numbers(record)
    return CarefulItem(
        row=row,
        row_hash=row_hash,
        record=record,
        case_id=str(case_id),
        trial=trial if isinstance(trial, int) else None,
        ranking=ranking,
        types=types | {"retrieved": ranking.found},
        source=source,
        citations=_citations(record),
        flags=[*row.flags, *record.flags, *ranking.flags],
    )


def _case_of(record: Record, row: Row, index: CaseIndex) -> tuple[str | None, Rejected | None]:
    """The case a row answers: its case_id, else `id` where that names a case, else its question."""
    case_id = record.values["case_id"]
    question = record.values["question"]
    if case_id is None and record.raw["id"] is not ABSENT:
        other = fields.text_value(record.raw["id"])[0]
        named = ids.normal_id(other) if other is not None else None
        if named in index.case_ids or question is None:
            case_id = named
        elif named is not None:
            record.extra["id"] = record.raw["id"]
    elif record.raw["id"] is not ABSENT:
        record.extra["id"] = record.raw["id"]
    if case_id is not None:
        if case_id in index.case_ids:
            return str(case_id), None
        alike = index.alike(str(case_id))
        hint = f"; it looks like {alike[0]!r}, but ids are compared exactly" if alike else ""
        reason = f"found the case {case_id!r}, which the dataset lacks{hint}; correct the id"
        return None, Rejected(row.line, "unknown_case", "case_id", reason, mask_excerpt(row.raw))
    if question is None:
        reason = "found neither case_id nor question; expected one; add case_id"
        return None, Rejected(row.line, "missing_field", "case_id", reason, mask_excerpt(row.raw))
    named_by = index.by_question.get(fold(str(question)), ())
    if len(named_by) == 1:
        record.flag("case_id", "by_question")
        return named_by[0], None
    code = "ambiguous_question" if named_by else "unknown_case"
    found = f"asked by cases {', '.join(map(repr, named_by))}" if named_by else "no case asks this"
    reason = f"found a question without case_id ({found}); expected one case; add case_id"
    return None, Rejected(row.line, code, "question", reason, mask_excerpt(row.raw))


def _cited(record: Record, name: str, value: object, found: str) -> tuple[str | None, str]:
    """A cited id as text, and its type; an id that cannot be used is noted, not used."""
    text, _ = fields.text_value(None if value is ABSENT else value)
    if text is None:
        return None, found
    text = ids.normal_id(text)
    refused = ids.why_refused(text)
    if refused is not None:
        record.flag(name, f"refused_id {refused}")
        return None, "refused_id"
    if found == "number":
        record.flag(name, "number_as_text")
    return text, found


def _citations(record: Record) -> list[str]:
    written = record.raw["citations"]
    if written is ABSENT or written is None:
        return []
    members = written if isinstance(written, list) else [written]
    cited = [
        _cited(record, "citations", each, fields.json_type(each))[0]
        for each in (_cited_id(member) for member in members)
    ]
    if any(each is None for each in cited):
        record.flag("citations", "not_an_id")
    return [each for each in cited if each is not None]


def _cited_id(member: object) -> object:
    if isinstance(member, dict):
        return next((member[key] for key in ("id", "evidence_id", "doc_id") if key in member), None)
    return member


def _valid_numbers(record: Record) -> None:
    values = record.values
    seconds = values["latency_s"]
    if values["latency_ms"] is None and isinstance(seconds, float):
        values["latency_ms"] = seconds * 1000.0
    for name, highest in (
        ("latency_ms", DAY_MS),
        ("input_tokens", None),
        ("output_tokens", None),
        ("cost_usd", None),
    ):
        value = values[name]
        if isinstance(value, int | float) and (
            value < 0 or (highest is not None and value > highest)
        ):
            values[name] = None
            record.flag(name, "out_of_range")


def careful_frame(items: Iterable[CarefulItem], dataset: DatasetVersion) -> pl.DataFrame:
    """Columns of items: those of run_items that follow from the row alone, and its ranking.

    Names and types as in `plain_frame`, with `slot_extra`, and `flags` of the whole row.
    """
    rows = []
    for item in items:
        values = item.record.values
        started_at = values["started_at"]
        slots = item.ranking.slots
        rows.append(
            {
                "case_id": item.case_id,
                "trial": item.trial,
                **{name: values[name] for name in _PLAIN_COLUMNS},
                "source": item.source,
                "citations": item.citations,
                "escalated": _escalated(item.record.raw["escalated"]),
                "error": _error(values["error"], item.record.raw["error"]),
                "started_at": started_at,
                "local_date": started_at.astimezone(dataset.zone).date()
                if isinstance(started_at, dt.datetime)
                else None,
                **{f"{name}_type": found for name, found in item.types.items()},
                "row_sha256": item.row_hash,
                "source_line": item.row.line,
                "flags": item.flags,
                "extra": item.record.extra_json,
                "evidence_id": [slot.evidence_id for slot in slots],
                "logged_rank": [slot.rank for slot in slots],
                "score": [slot.score for slot in slots],
                "text": [slot.text for slot in slots],
                "text_sha256": [
                    None if slot.text is None else sha256_text(slot.text) for slot in slots
                ],
                "slot_flags": [slot.flags for slot in slots],
                "slot_extra": [slot.extra for slot in slots],
            }
        )
    return pl.DataFrame(rows, schema=ITEM_COLUMNS, orient="row")


_OF_THE_RUN = {"dataset_version", "run_id", "run_hash", "source_doc_id", "source_section_id"}
ITEM_COLUMNS = {
    name: dtype for name, dtype in tables.columns("run_items").items() if name not in _OF_THE_RUN
} | RANKING
"""What follows from a row alone: columns of run_items and the ranking."""

_PLAIN_COLUMNS = (
    "question",
    "answer",
    "status",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)


def _escalated(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return fields.text_value(None if value is ABSENT else value)[0]


def _error(text: object, raw: object) -> str | None:
    """The error as text; an error object is kept as JSON, blank text is no error."""
    if isinstance(text, str):
        return text if text.strip() else None
    if isinstance(raw, dict | list) and raw:
        return canonical_json(raw)
    return "true" if raw is True else None
