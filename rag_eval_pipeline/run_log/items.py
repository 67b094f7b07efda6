"""The rows of a run log: from a file's bytes to the tables runs, run_items and retrieved.

Every row that is not blank becomes a run item or a row of quarantine, never both and never
neither.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds, split_id
from rag_eval_pipeline.reading import fields, ids, text_file
from rag_eval_pipeline.reading.fields import ABSENT
from rag_eval_pipeline.reading.fingerprint import canonical_json, hash_json, sha256_text
from rag_eval_pipeline.reading.json_lines import Row, read_json_lines
from rag_eval_pipeline.reading.quarantine import Rejected, mask_excerpt
from rag_eval_pipeline.reading.record import Field, Record, shape
from rag_eval_pipeline.run_log.discover import RunSource, run_id_of
from rag_eval_pipeline.run_log.manifest import NAMES as MANIFEST_NAMES
from rag_eval_pipeline.run_log.manifest import (
    Manifest,
    manifest_of_rows,
    merged,
    read_manifest_file,
    row_agrees,
)
from rag_eval_pipeline.run_log.retrieved import Ranking, read_ranking
from rag_eval_pipeline.text.fold import fold

READER_VERSION = "1"
DAY_MS = 86_400_000.0

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
class CaseIndex:
    """What rows are matched against: ids of all cases, and cases by folded question."""

    case_ids: frozenset[str]
    by_question: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, cases: pl.DataFrame) -> CaseIndex:
        """Index of the table `cases` of one dataset version."""
        by_question: dict[str, tuple[str, ...]] = {}
        for case_id, question in cases.select("case_id", "question").iter_rows():
            key = fold(question)
            by_question[key] = (*by_question.get(key, ()), case_id)
        return cls(frozenset(cases["case_id"]), by_question)


@dataclass(slots=True)
class RunRead:
    """One run as read: rows of the tables runs, run_items, retrieved and quarantine.

    `row_hashes` are those of all rows of the file, used or not.
    """

    run: pl.DataFrame
    items: pl.DataFrame
    retrieved: pl.DataFrame
    quarantine: pl.DataFrame
    run_hash: str
    row_hashes: frozenset[str]
    encoding: str
    n_rows: int
    flags: list[str] = field(default_factory=list)


def read_against(dataset: DatasetVersion, cases: pl.DataFrame, snapshot: str | None) -> str:
    """Hash of what rows are matched and resolved with; other rows need not be read again."""
    pairs = sorted(map(list, cases.select("case_id", "question").iter_rows()))
    return hash_json([READER_VERSION, dataset.zone.key, snapshot, pairs])


def read_run(
    source: RunSource,
    data_root: Path,
    dataset: DatasetVersion,
    index: CaseIndex,
    known: KnownIds,
    *,
    against: str,
    now: dt.datetime,
    first_read_on: dt.date | None = None,
) -> RunRead:
    """Read one run of a dataset version.

    Parameters
    ----------
    index, known
        The dataset version's cases and the ids of its snapshot.
    against
        `read_against` of the dataset version.
    now
        The present; a run that says it starts later is not dated by that.
    first_read_on
        Day the run was first read, if it was read before.

    Raises
    ------
    InputError
        A file is unreadable or cut, or its manifest cannot be used.
    """
    file = read_json_lines(text_file.read_bytes(source.items, file=source.shown), source.shown)
    manifest = manifest_of_rows(file.rows, source.shown)
    if source.manifest is not None:
        shown = text_file.relative(source.manifest, data_root)
        data = text_file.read_bytes(source.manifest, file=shown)
        manifest = merged(read_manifest_file(data, shown, dataset.zone), manifest)
    run_id = run_id_of(manifest, source)
    manifest.values["run_id"] = run_id
    hashes = [hash_json(row.fields) for row in file.rows]
    run_hash = sha256_text(manifest.canonical + "\n" + "\n".join(sorted(hashes)))

    rejected = list(file.rejected)
    items: list[_Item] = []
    for row, row_hash in zip(file.rows, hashes, strict=True):
        read = _read_item(row, row_hash, dataset, manifest, index)
        if isinstance(read, Rejected):
            rejected.append(read)
        else:
            items.append(read)
    items = _number_trials(items, rejected)

    base = {"dataset_version": dataset.key, "run_id": run_id, "run_hash": run_hash}
    day = now.astimezone(dataset.zone).date()
    item_frame = _item_frame(items, base, dataset, known)
    flags = list(file.flags) + (["empty_run"] if file.n_rows == 0 else [])
    run = {
        **base,
        **{name: manifest.values[name] for name in _RUN_COLUMNS},
        "settings": _canonical(manifest.values["settings"]),
        "started_at": _started_at(manifest, items, now),
        "complete": manifest.values["complete"] is not False,
        "logged_fields": _logged_fields(file.rows, manifest),
        "unknown_fields": sorted(
            {name for item in items for name in item.record.extra} | set(manifest.extra)
        ),
        "encoding": file.encoding,
        "first_read_on": first_read_on or day,
        "source_path": source.shown,
        "source_sha256": source.fingerprint(),
        "read_against": against,
        "n_items": len(items),
        "flags": flags + manifest.flags,
        "extra": canonical_json(manifest.extra) if manifest.extra else None,
    }
    return RunRead(
        run=pl.DataFrame([run], schema=tables.columns("runs"), orient="row"),
        items=item_frame,
        retrieved=_retrieved_frame(items, base, known),
        quarantine=quarantine_frame(
            [(source.shown, each) for each in rejected], dataset.key, run_id
        ),
        run_hash=run_hash,
        row_hashes=frozenset(hashes),
        encoding=file.encoding,
        n_rows=file.n_rows,
        flags=flags,
    )


def quarantine_frame(
    rejected: Iterable[tuple[str, Rejected]], dataset_version: str | None, run_id: str | None
) -> pl.DataFrame:
    """Rows of the table `quarantine`, in order of file and line."""
    rows = [
        {
            "dataset_version": dataset_version,
            "run_id": run_id,
            "source_file": shown,
            "line": each.line,
            "code": each.code,
            "field": each.field,
            "reason": each.reason,
            "excerpt": each.excerpt,
        }
        for shown, each in sorted(rejected, key=lambda pair: (pair[0], pair[1].line or 0))
    ]
    return pl.DataFrame(rows, schema=tables.columns("quarantine"), orient="row")


@dataclass(slots=True)
class _Item:
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


_RUN_COLUMNS = (
    "system",
    "kind",
    "model",
    "prompt_version",
    "embedding_model",
    "reranker",
    "index_version",
    "indexed_snapshot",
)


def _read_item(
    row: Row, row_hash: str, dataset: DatasetVersion, manifest: Manifest, index: CaseIndex
) -> _Item | Rejected:
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
    return _Item(
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
        alike = sorted(
            each for each in index.case_ids if _loose(each) == _loose(str(case_id))
        )  # fmt: skip
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


def _loose(text: str) -> str:
    return fold(text).casefold()


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


def _number_trials(items: list[_Item], rejected: list[Rejected]) -> list[_Item]:
    """Give every item its trial; equal rows count once, one trial twice is rejected twice."""
    by_case: dict[str, list[_Item]] = {}
    for item in items:
        by_case.setdefault(item.case_id, []).append(item)
    kept: list[_Item] = []
    for case_id, of_case in by_case.items():
        if len(of_case) > 1:
            of_case = _without_duplicates(of_case, rejected)
            of_case = _without_clashes(case_id, of_case, rejected)
        taken = {item.trial for item in of_case}
        unnumbered = sorted(
            (item for item in of_case if item.trial is None), key=lambda item: item.row_hash
        )
        number = 0
        for item in unnumbered:
            number += 1
            while number in taken:
                number += 1
            item.trial = number
            if len(of_case) > 1:
                item.flags.append("trial:by_row_hash")
        kept.extend(sorted(of_case, key=lambda item: item.trial or 0))
    return kept


def _without_duplicates(of_case: list[_Item], rejected: list[Rejected]) -> list[_Item]:
    first: dict[str, _Item] = {}
    for item in of_case:
        if item.row_hash not in first:
            first[item.row_hash] = item
            continue
        kept = first[item.row_hash]
        if "exact_duplicate" not in kept.flags:
            kept.flags.append("exact_duplicate")
        rejected.append(
            Rejected(
                item.row.line,
                "exact_duplicate",
                None,
                f"found the row of line {kept.row.line} again; it counts once",
                mask_excerpt(item.row.raw),
            )
        )
    return list(first.values())


def _without_clashes(case_id: str, of_case: list[_Item], rejected: list[Rejected]) -> list[_Item]:
    by_trial: dict[int, list[_Item]] = {}
    for item in of_case:
        if item.trial is not None:
            by_trial.setdefault(item.trial, []).append(item)
    clashing = {trial for trial, same in by_trial.items() if len(same) > 1}
    for trial in sorted(clashing):
        lines = ", ".join(str(item.row.line) for item in by_trial[trial])
        rejected.extend(
            Rejected(
                item.row.line,
                "duplicate_trial",
                "trial",
                f"found trial {trial} of case {case_id!r} on lines {lines} with different "
                "contents; expected one row a trial; number them apart",
                mask_excerpt(item.row.raw),
            )
            for item in by_trial[trial]
        )
    return [item for item in of_case if item.trial is None or item.trial not in clashing]


def _item_frame(
    items: list[_Item], base: Mapping[str, object], dataset: DatasetVersion, known: KnownIds
) -> pl.DataFrame:
    rows = []
    for item in items:
        values = item.record.values
        document, section, _ = (
            split_id(item.source, known) if item.source is not None else (None, None, None)
        )
        started_at = values["started_at"]
        rows.append(
            {
                **base,
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
                "source_doc_id": document,
                "source_section_id": section,
                **{f"{name}_type": found for name, found in item.types.items()},
                "row_sha256": item.row_hash,
                "source_line": item.row.line,
                "flags": item.flags,
                "extra": item.record.extra_json,
            }
        )
    return pl.DataFrame(rows, schema=tables.columns("run_items"), orient="row")


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


def _retrieved_frame(
    items: list[_Item], base: Mapping[str, object], known: KnownIds
) -> pl.DataFrame:
    parts: dict[str, tuple[str, str | None, bool | None]] = {}
    rows = []
    for item in items:
        for position, slot in enumerate(item.ranking.slots, start=1):
            if slot.evidence_id not in parts:
                parts[slot.evidence_id] = split_id(slot.evidence_id, known)
            document, section, resolved = parts[slot.evidence_id]
            flags = slot.flags + (["unresolved_id"] if resolved is False else [])
            rows.append(
                {
                    **base,
                    "case_id": item.case_id,
                    "trial": item.trial,
                    "position": position,
                    "logged_rank": slot.rank,
                    "evidence_id": slot.evidence_id,
                    "doc_id": document,
                    "section_id": section,
                    "score": slot.score,
                    "text_sha256": None if slot.text is None else sha256_text(slot.text),
                    "text": slot.text,
                    "flags": flags,
                    "extra": slot.extra,
                }
            )
    return pl.DataFrame(rows, schema=tables.columns("retrieved"), orient="row")


def _canonical(value: object) -> str | None:
    return None if value is None else canonical_json(value)


def _started_at(manifest: Manifest, items: list[_Item], now: dt.datetime) -> dt.datetime | None:
    """run.yaml's time, else the first item's that has one; a future one does not date the run."""
    times = [manifest.values["started_at"]]
    times += [
        item.record.values["started_at"] for item in sorted(items, key=lambda item: item.row.line)
    ]
    for time in times:
        if isinstance(time, dt.datetime) and time <= now:
            return time
    return None


def _logged_fields(rows: Iterable[Row], manifest: Manifest) -> list[str]:
    names = {name for row in rows for name, value in row.fields.items() if value is not None}
    names |= {name for name, value in manifest.values.items() if value is not None}
    return sorted(names - {"run_id", "dataset", "dataset_version"})
