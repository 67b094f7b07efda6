"""The rows of a run log: from a file's bytes to the tables runs, run_items and retrieved.

Every row that is not blank becomes a run item or a row of quarantine, never both and never
neither. Rows that raise no question are read in bulk (`plain_rows`), all others one by one
(`careful_rows`), with the same outcome.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import gc
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds, resolve
from rag_eval_pipeline.reading import text_file
from rag_eval_pipeline.reading.fingerprint import canonical_json, hash_json
from rag_eval_pipeline.reading.json_lines import LAST_LINE_INCOMPLETE, Row, read_json_line
from rag_eval_pipeline.reading.quarantine import Rejected, mask_excerpt
from rag_eval_pipeline.run_log.careful_rows import (
    ITEM_COLUMNS,
    CarefulItem,
    careful_frame,
    read_item,
)
from rag_eval_pipeline.run_log.case_index import CaseIndex
from rag_eval_pipeline.run_log.discover import RunSource, run_id_of
from rag_eval_pipeline.run_log.manifest import (
    Manifest,
    manifest_of_rows,
    merged,
    read_manifest_file,
    row_agrees,
)
from rag_eval_pipeline.run_log.plain_columns import Manifests, plain_frame
from rag_eval_pipeline.run_log.plain_rows import PlainReader
from rag_eval_pipeline.run_log.slots import RANKING, Slots, with_duplicates
from rag_eval_pipeline.run_log.trials import Attempt, Refusal, number_trials

READER_VERSION = "1"
BLOCK_BYTES = 1 << 20
"""Lines are read in blocks of about this size: half or twice of it is slower."""

_HASHES_AT_ONCE = 1 << 16


@dataclass(slots=True)
class RunRead:
    """One run as read: rows of the tables runs, run_items, retrieved and quarantine.

    `hashes` are those of all rows of the file, used or not; `slots` holds `retrieved`.
    """

    run: pl.DataFrame
    items: pl.DataFrame
    slots: Slots
    quarantine: pl.DataFrame
    run_hash: str
    hashes: pl.Series
    encoding: str
    n_rows: int
    flags: list[str] = field(default_factory=list)

    @property
    def retrieved(self) -> pl.DataFrame:
        """The whole table `retrieved`, made each time it is asked for."""
        return self.slots.table().collect()

    @property
    def row_hashes(self) -> frozenset[str]:
        """Hashes of all rows of the file as a set."""
        return frozenset(self.hashes)


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
    data, encoding = text_file.as_utf8(
        text_file.read_bytes(source.items, file=source.shown), source.shown
    )
    file = _read_lines(data, index, dataset)
    manifest = manifest_of_rows(
        sorted([*file.rows, *file.manifests.rows], key=lambda row: row.line), source.shown
    )
    if source.manifest is not None:
        shown = text_file.relative(source.manifest, data_root)
        manifest_data = text_file.read_bytes(source.manifest, file=shown)
        manifest = merged(read_manifest_file(manifest_data, shown, dataset.zone), manifest)
    run_id = run_id_of(manifest, source)
    manifest.values["run_id"] = run_id
    _leave_out_strangers(file, manifest, dataset)

    careful: list[CarefulItem] = []
    rejected = list(file.rejected)
    row_hashes = [hash_json(row.fields) for row in file.rows]
    for row, row_hash in zip(file.rows, row_hashes, strict=True):
        read = read_item(row, row_hash, dataset, manifest, index)
        if isinstance(read, Rejected):
            rejected.append(read)
        else:
            careful.append(read)
    hashes = pl.concat([file.plain["row_sha256"], pl.Series(row_hashes, dtype=pl.String)])
    n_rows = len(hashes) + len(file.rejected)
    items = pl.concat([file.plain.drop("manifest"), careful_frame(careful, dataset)])
    items, refused = _with_trials(items)
    rejected += _refused_rows(refused, file.lines)
    run_hash = _run_hash(manifest, hashes)

    base = {"dataset_version": dataset.key, "run_id": run_id, "run_hash": run_hash}
    slots = Slots(items.select("case_id", "trial", *RANKING), base, known)
    items = _item_table(items, base, known)
    kept = set(items["source_line"]) if careful else set()
    flags = ([LAST_LINE_INCOMPLETE] if file.cut else []) + (["empty_run"] if n_rows == 0 else [])
    run = {
        **base,
        **{name: manifest.values[name] for name in _RUN_COLUMNS},
        "settings": _canonical(manifest.values["settings"]),
        "started_at": _started_at(manifest, items, now),
        "complete": manifest.values["complete"] is not False,
        "logged_fields": _logged_fields(file.rows, file.logged, manifest),
        "unknown_fields": sorted(
            {name for item in careful if item.row.line in kept for name in item.record.extra}
            | set(manifest.extra)
        ),
        "encoding": encoding,
        "first_read_on": first_read_on or now.astimezone(dataset.zone).date(),
        "source_path": source.shown,
        "source_sha256": source.fingerprint(),
        "read_against": against,
        "n_items": items.height,
        "flags": flags + manifest.flags,
        "extra": canonical_json(manifest.extra) if manifest.extra else None,
    }
    return RunRead(
        run=pl.DataFrame([run], schema=tables.columns("runs"), orient="row"),
        items=items,
        slots=slots,
        quarantine=quarantine_frame(
            [(source.shown, each) for each in rejected], dataset.key, run_id
        ),
        run_hash=run_hash,
        hashes=hashes,
        encoding=encoding,
        n_rows=n_rows,
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


@dataclass(slots=True)
class _File:
    """What the lines of a file hold: plain rows as columns, rows to be read with care, faults."""

    lines: text_file.LineBlocks
    plain: pl.DataFrame
    manifests: Manifests
    logged: set[str]
    rows: list[Row]
    rejected: list[Rejected]
    cut: bool

    def read(self, numbers: Iterable[int]) -> None:
        """Read lines one by one."""
        for number, text in self.lines.texts(numbers):
            row = read_json_line(number, text)
            if isinstance(row, Row):
                self.rows.append(row)
            else:
                self.rejected.append(row)


def _read_lines(data: bytes, index: CaseIndex, dataset: DatasetVersion) -> _File:
    reader = PlainReader()
    lines = text_file.LineBlocks(data, size=BLOCK_BYTES)
    file = _File(lines, pl.DataFrame(), Manifests(), set(), [], [], cut=False)
    frames = [pl.DataFrame(schema=_PLAIN_COLUMNS)]
    others: list[int] = []
    with _no_search_for_cycles():
        for numbers, block in lines:
            plain, not_plain = reader.read(block, numbers)
            frame, odd, logged = plain_frame(plain, file.manifests, dataset.zone)
            frames.append(frame)
            others += not_plain + odd
            file.logged |= logged
    plain_rows = pl.concat(frames, how="diagonal")
    unknown = index.lacks(plain_rows["case_id"])
    if unknown.any():
        others.extend(plain_rows.filter(unknown)["source_line"])
        plain_rows = plain_rows.filter(~unknown)
    plain_rows = with_duplicates(plain_rows)
    file.plain = plain_rows.with_columns(pl.col("flags", "citations").fill_null([]))
    file.read(others)
    last = file.rejected[-1] if file.rejected else None
    if last is not None and last.code == "invalid_json":
        file.cut = not data.endswith(b"\n") and last.line == data.count(b"\n") + 1
    return file


@contextlib.contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Rows of a block hold none, and searching their many lists takes a tenth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_PLAIN_COLUMNS = {"manifest": pl.Int32} | ITEM_COLUMNS


def _leave_out_strangers(file: _File, manifest: Manifest, dataset: DatasetVersion) -> None:
    """Have plain rows that name another run or dataset read with care."""
    belongs = {"run_id": (manifest.values["run_id"],), "dataset": (dataset.key, dataset.name)}
    strange = [
        number
        for number, row in enumerate(file.manifests.rows)
        if not all(row_agrees(row.fields, name, accepted) for name, accepted in belongs.items())
    ]
    if strange:
        is_strange = pl.col("manifest").is_in(strange)
        file.read(file.plain.filter(is_strange)["source_line"])
        file.rows.sort(key=lambda row: row.line)
        file.plain = file.plain.filter(~is_strange)


def _with_trials(items: pl.DataFrame) -> tuple[pl.DataFrame, list[Refusal]]:
    """Items with their trials, by the first line of their case and trial; and rows refused."""
    if items["case_id"].n_unique() == items.height:
        items = items.with_columns(pl.col("trial").fill_null(1))
        return (items if items["source_line"].is_sorted() else items.sort("source_line")), []
    several = items.filter(pl.col("case_id").is_duplicated())
    attempts = several.select("source_line", "row_sha256", "case_id", "trial").sort("source_line")
    kept, refused = number_trials(Attempt(*row) for row in attempts.iter_rows())
    numbered = pl.DataFrame(
        [(each.line, each.trial, each.flags) for each in kept],
        schema={"source_line": pl.Int64, "numbered": pl.Int64, "noted": pl.List(pl.String)},
        orient="row",
    )
    return (
        items.with_columns(first=pl.col("source_line").min().over("case_id"))
        .join(numbered, on="source_line", how="left")
        .filter(~pl.col("source_line").is_in([each.line for each in refused]))
        .with_columns(
            trial=pl.coalesce("numbered", "trial", 1),
            flags=pl.concat_list("flags", pl.col("noted").fill_null([])),
        )
        .sort("first", "trial")
        .drop("first", "numbered", "noted")
    ), refused


def _refused_rows(refused: list[Refusal], lines: text_file.LineBlocks) -> Iterable[Rejected]:
    texts = dict(lines.texts(each.line for each in refused))
    for each in refused:
        excerpt = mask_excerpt(texts[each.line])
        yield Rejected(each.line, each.code, each.field, each.reason, excerpt)


def _run_hash(manifest: Manifest, hashes: pl.Series) -> str:
    """sha256 of the manifest's canonical form and the sorted hashes, a line each."""
    whole = hashlib.sha256(manifest.canonical.encode() + b"\n")
    ordered = _sorted(hashes)
    for start in range(0, len(ordered), _HASHES_AT_ONCE):
        part = ordered[start : start + _HASHES_AT_ONCE].str.join("\n").item()
        whole.update(f"\n{part}".encode() if start else part.encode())
    return whole.hexdigest()


def _sorted(hashes: pl.Series) -> pl.Series:
    """Hashes in order, by their first 64 bits as numbers where those tell them apart."""
    frame = pl.DataFrame({"hash": hashes}).with_columns(
        first=pl.col("hash").str.head(16).str.to_integer(base=16, dtype=pl.UInt64)
    )
    ordered = frame.sort("first", multithreaded=False)  # half the CPU of doing it on all cores
    same = pl.col("first") == pl.col("first").shift()
    if ordered.select((same & (pl.col("hash") != pl.col("hash").shift())).any()).item():
        return hashes.sort(multithreaded=False)
    return ordered["hash"]


def _item_table(items: pl.DataFrame, base: Mapping[str, str], known: KnownIds) -> pl.DataFrame:
    parts = resolve(items["source"].unique(), known).select(
        source="evidence_id", source_doc_id="doc_id", source_section_id="section_id"
    )
    # Joined alone, so that not every other column is copied.
    of_source = items.select("source").join(parts, on="source", how="left", maintain_order="left")
    return (
        items.drop(*RANKING)
        .hstack(of_source.drop("source"))
        .select(
            pl.lit(base[name]).alias(name) if name in base else pl.col(name)
            for name in tables.columns("run_items")
        )
    )


def _canonical(value: object) -> str | None:
    return None if value is None else canonical_json(value)


def _started_at(manifest: Manifest, items: pl.DataFrame, now: dt.datetime) -> dt.datetime | None:
    """run.yaml's time, else the first item's that has one; a future one does not date the run."""
    written = manifest.values["started_at"]
    if isinstance(written, dt.datetime) and written <= now:
        return written
    past = items.filter(pl.col("started_at") <= now).sort("source_line")["started_at"]
    first = past.first()
    return first if isinstance(first, dt.datetime) else None


def _logged_fields(rows: Iterable[Row], of_plain: set[str], manifest: Manifest) -> list[str]:
    names = {name for row in rows for name, value in row.fields.items() if value is not None}
    names |= {name for name, value in manifest.values.items() if value is not None}
    return sorted((names | of_plain) - {"run_id", "dataset", "dataset_version"})
