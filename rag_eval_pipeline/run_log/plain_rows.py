"""Rows of a run log that raise no question: read in bulk, with the hash of their canonical form.

A block of lines is decoded by types that admit only what needs no care: known fields, of the
type the design gives them, in strict JSON without duplicate keys. Every other line is left to
the row by row reading, which knows what to say of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from rag_eval_pipeline.reading.fingerprint import canonical_json
from rag_eval_pipeline.reading.json_lines import JsonFaultError, parse_json

MAX_BRACKETS = 50
"""Settings with more of them may nest too deeply and are left to the careful reading."""


class PlainSlot(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """An entry of `retrieved` written as an object; numbers stay as written.

    In order of the names, as in the canonical form: so it is encoded.
    """

    doc_id: str | UnsetType | None = UNSET
    evidence_id: str | UnsetType | None = UNSET
    id: str | UnsetType | None = UNSET
    rank: Raw | UnsetType = UNSET
    score: Raw | UnsetType = UNSET
    section_id: str | UnsetType | None = UNSET
    text: str | UnsetType | None = UNSET


class PlainRow(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Every field of the design, those of the manifest included; numbers stay as written.

    In order of the names, as `PlainSlot`.
    """

    answer: str | UnsetType | None = UNSET
    case_id: str | UnsetType | None = UNSET
    citations: list[str] | UnsetType | None = UNSET
    cost_usd: Raw | UnsetType = UNSET
    dataset: str | UnsetType | None = UNSET
    dataset_version: str | UnsetType | None = UNSET
    embedding_model: str | UnsetType | None = UNSET
    error: str | UnsetType | None = UNSET
    escalated: bool | str | UnsetType | None = UNSET
    id: str | UnsetType | None = UNSET
    index_version: str | UnsetType | None = UNSET
    indexed_snapshot: str | UnsetType | None = UNSET
    input_tokens: Raw | UnsetType = UNSET
    kind: str | UnsetType | None = UNSET
    latency_ms: Raw | UnsetType = UNSET
    latency_s: Raw | UnsetType = UNSET
    model: str | UnsetType | None = UNSET
    output_tokens: Raw | UnsetType = UNSET
    prompt_version: str | UnsetType | None = UNSET
    question: str | UnsetType | None = UNSET
    reranker: str | UnsetType | None = UNSET
    retrieved: list[str | PlainSlot] | UnsetType | None = UNSET
    run_id: str | UnsetType | None = UNSET
    settings: Raw | UnsetType = UNSET
    source: str | UnsetType | None = UNSET
    started_at: str | UnsetType | None = UNSET
    status: str | UnsetType | None = UNSET
    system: str | UnsetType | None = UNSET
    trial: Raw | UnsetType = UNSET


@dataclass(slots=True)
class PlainRows:
    """Rows of one block with line numbers and hashes.

    `fields` are those that some row may have: the rows have attributes of these names, UNSET
    where the field is absent. `ascii_only` says that every text is of printable ASCII characters.
    """

    rows: Sequence[Any]
    lines: Sequence[int]
    hashes: list[str]
    fields: frozenset[str]
    ascii_only: bool = False

    def without(self, positions: set[int]) -> PlainRows:
        """The rows but for those at some positions (from 0)."""
        kept = [at for at in range(len(self.rows)) if at not in positions]
        return PlainRows(
            [self.rows[at] for at in kept],
            [self.lines[at] for at in kept],
            [self.hashes[at] for at in kept],
            self.fields,
            self.ascii_only,
        )


class PlainReader:
    """Reads block after block; only the fields that rows had so far are looked for at first."""

    def __init__(self) -> None:
        self._fields: frozenset[str] = frozenset()
        self._narrow: msgspec.json.Decoder[Any] | None = None
        self._settings: dict[bytes, bytes | None] = {}

    def read(self, block: bytes, lines: range) -> tuple[PlainRows, list[int]]:
        """The plain rows of a block of whole lines, and the numbers of all other lines."""
        whole = self._whole(block, lines)
        return (whole, []) if whole is not None else self._line_by_line(block, lines)

    def _whole(self, block: bytes, lines: range) -> PlainRows | None:
        """The block's rows in one go, if every line holds one plain row and nothing else."""
        # In JSON no value holds } and { with nothing but a line end between them: if all line
        # ends stand so, each line is one value or more, and the count says that it is one.
        if block.count(b"}\n{") != len(lines) - 1 or block[:1] != b"{":
            return None
        rows = self._decoded(block)
        if rows is None or len(rows) != len(lines) or not self._settle(rows):
            return None
        canonical = _ENCODER.encode_lines(rows)
        if not _same_keys(block, canonical):
            return None
        hashes = [_sha256(row).hexdigest() for row in canonical[:-1].split(b"\n")]
        ascii_only = block.isascii() and b"\\" not in block and b"\x7f" not in block
        return PlainRows(rows, lines, hashes, self._fields, ascii_only)

    def _decoded(self, block: bytes) -> list[Any] | None:
        if self._narrow is not None:
            try:
                return self._narrow.decode_lines(block)
            except _FAULTS:  # perhaps for a field that no row had so far
                pass
        try:
            rows = _FULL.decode_lines(block)
        except _FAULTS:
            return None
        new = {
            name for name in FIELDS for row in rows if getattr(row, name) is not UNSET
        } - self._fields
        if new:
            self._fields |= new
            self._narrow = msgspec.json.Decoder(_row_of(self._fields))
        return rows

    def _line_by_line(self, block: bytes, lines: range) -> tuple[PlainRows, list[int]]:
        plain = PlainRows([], [], [], FIELDS)
        rows, numbers, others = list[PlainRow](), list[int](), list[int]()
        for number, line in zip(lines, block.split(b"\n"), strict=False):
            try:
                row = _FULL.decode(line)
            except _FAULTS:
                others.append(number)
                continue
            if not self._settle([row]):
                others.append(number)
                continue
            canonical = _ENCODER.encode(row)
            if not _same_keys(line, canonical):
                others.append(number)
                continue
            rows.append(row)
            numbers.append(number)
            plain.hashes.append(_sha256(canonical).hexdigest())
        plain.rows, plain.lines = rows, numbers
        return plain, others

    def _settle(self, rows: Sequence[Any]) -> bool:
        """Bring `settings` of the rows into canonical form; False if one of them is not plain."""
        if not hasattr(rows[0], "settings"):
            return True
        for row in rows:
            if row.settings is UNSET:
                continue
            written = bytes(row.settings)
            if written not in self._settings:
                self._settings[written] = _canonical(written)
            settled = self._settings[written]
            if settled is None:
                return False
            row.settings = Raw(settled)
        return True


FIELDS = frozenset(PlainRow.__struct_fields__)
_TYPES = {each.name: each.type for each in msgspec.structs.fields(PlainRow)}
_FAULTS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_FULL = msgspec.json.Decoder(PlainRow)
_ENCODER = msgspec.json.Encoder()
_sha256 = hashlib.sha256


def _row_of(names: frozenset[str]) -> type[msgspec.Struct]:
    """PlainRow with some of its fields only: fewer to set and to look at."""
    fields = [(name, _TYPES[name], UNSET) for name in sorted(names)]
    return msgspec.defstruct("NarrowRow", fields, forbid_unknown_fields=True, gc=False)


def _same_keys(written: bytes, canonical: bytes) -> bool:
    """Whether no key was written twice and no text holds NUL.

    The decoder keeps the last of two equal keys, and with the other its colon is gone. Only an
    escaped colon could make up for it.
    """
    escapes = b"\\" in written
    return written.count(b":") == canonical.count(b":") and not (
        escapes and (b"\\u003" in written or b"\\u0000" in canonical)
    )


def _canonical(settings: bytes) -> bytes | None:
    """Canonical JSON of a JSON text, None if it needs care."""
    if settings.count(b"[") + settings.count(b"{") > MAX_BRACKETS:
        return None
    try:
        value, lossy = parse_json(settings.decode())
    except (JsonFaultError, UnicodeDecodeError):
        return None
    return None if lossy else canonical_json(value).encode()
