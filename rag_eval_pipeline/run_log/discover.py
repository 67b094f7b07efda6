"""Finding run files and telling what became of each since they were last looked at.

Only names, sizes and manifests are looked at here; rows are read when the run's dataset version
is brought up to date. A file already taken in and untouched since is not opened again.
"""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.reading import ids, text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fingerprint import sha256_text
from rag_eval_pipeline.reading.json_lines import Row, read_json_line
from rag_eval_pipeline.reading.stored import stored_sha256, stored_stat
from rag_eval_pipeline.run_log.manifest import (
    Manifest,
    manifest_of_rows,
    merged,
    read_manifest_file,
)

MANIFEST = "run.yaml"
SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
IGNORED = (".md", ".gitkeep")
SHOWN = 8
"""Most dataset versions listed in a message."""


@dataclass(frozen=True, slots=True)
class RunSource:
    """A run's files: the items, its manifest if there is one, and the id its name gives."""

    shown: str
    items: Path
    manifest: Path | None
    named: str

    def stat(self) -> tuple[int, dt.datetime]:
        """Bytes of both files together and the later of their times."""
        stats = [stored_stat(path) for path in (self.items, self.manifest) if path is not None]
        return sum(size for size, _ in stats), max(changed for _, changed in stats)

    def fingerprint(self) -> str:
        """sha256 over the stored bytes of both files."""
        hashes = [stored_sha256(path) for path in (self.items, self.manifest) if path is not None]
        return hashes[0] if len(hashes) == 1 else sha256_text("\n".join(hashes))


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def find_sources(data_root: Path) -> tuple[list[RunSource], dict[str, InputError]]:
    """All run files below `runs/`, and by path what lies there and is no run log."""
    root = data_root / "runs"
    sources: list[RunSource] = []
    strays: dict[str, InputError] = {}
    for entry in sorted(root.iterdir()) if root.is_dir() else []:
        if entry.name.startswith(".") or entry.suffix.lower() in IGNORED:
            continue
        shown = text_file.relative(entry, data_root)
        if not entry.is_dir():
            suffix = next((each for each in SUFFIXES if entry.name.endswith(each)), None)
            if suffix is None:
                strays[shown] = _stray(shown, "a file that is no run log")
            else:
                sources.append(RunSource(shown, entry, None, entry.name[: -len(suffix)]))
            continue
        items = [entry / f"items{each}" for each in SUFFIXES if (entry / f"items{each}").exists()]
        manifest = entry / MANIFEST
        if len(items) == 1:
            sources.append(
                RunSource(
                    text_file.relative(items[0], data_root),
                    items[0],
                    manifest if manifest.exists() else None,
                    entry.name,
                )
            )
        elif items:
            names = ", ".join(each.name for each in items)
            strays[shown] = _stray(shown, f"{len(items)} items files ({names})")
        elif entry.name.endswith(SUFFIXES) or any(
            not each.name.startswith(".") for each in entry.iterdir()
        ):
            strays[shown] = _stray(shown, "a folder without items file")
    return sources, strays


def discover(
    data_root: Path,
    known: pl.DataFrame,
    datasets: Mapping[str, DatasetVersion],
) -> pl.DataFrame:
    """The table `run_files` as it stands now.

    Parameters
    ----------
    known
        The table as it was; rows of files that are untouched and taken in are kept.
    datasets
        Dataset versions by key.

    Returns
    -------
    `run_files`: state `stable` for files to take in, `ingested`, `rejected` with the reason, or
    `gone`. Two files of one run_id are both rejected.
    """
    before = {str(row["path"]): row for row in known.iter_rows(named=True)}
    sources, strays = find_sources(data_root)
    rows = [_look(source, data_root, before.get(source.shown), datasets) for source in sources]
    rows += [_rejected_row(path, problem, data_root) for path, problem in strays.items()]
    _reject_shared_ids(rows)
    there = {str(row["path"]) for row in rows}
    rows += [
        row | {"state": "gone", "reason": "the file is no longer there"}
        for path, row in before.items()
        if path not in there
    ]
    frame = pl.DataFrame(rows, schema=tables.columns("run_files"), orient="row")
    return frame.sort("path")


def resolve_dataset(
    wanted: object,
    datasets: Mapping[str, DatasetVersion],
    file: str,
    *,
    line: int | None = None,
    data_root: Path | None = None,
) -> DatasetVersion:
    """The dataset version a run names: its key, a name with one version, or the only one there.

    Parameters
    ----------
    file, line
        Where it is named, for messages.
    data_root
        Where to look whether the folder is there, although it is not among `datasets`.

    Raises
    ------
    InputError
        It names none that exists, or names none and there are several.
    """
    if wanted is None and len(datasets) == 1:
        return next(iter(datasets.values()))
    if isinstance(wanted, str):
        if wanted in datasets:
            return datasets[wanted]
        of_name = [each for each in datasets.values() if each.name == wanted]
        if len(of_name) == 1:
            return of_name[0]
    known = list(datasets)
    found = "no dataset named" if wanted is None else repr(wanted)
    todo = f"set dataset in {MANIFEST} or in each row"
    close = difflib.get_close_matches(str(wanted), known, n=1) if wanted is not None else []
    if data_root is not None and isinstance(wanted, str) and _has_folder(data_root, wanted):
        found += f", whose folder datasets/{wanted.replace('@', '/')} cannot be used"
        todo = "mend that folder, or name another dataset version"
    elif close:
        todo += f"; did you mean {close[0]!r}?"
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    raise InputError(
        code="no_dataset_named" if wanted is None else "unknown_dataset",
        file=file,
        line=line,
        field="dataset",
        found=found,
        expected=f"one of {', '.join(known[:SHOWN]) or '(there is no dataset)'}{more}",
        todo=todo,
    )


def peek(source: RunSource, data_root: Path) -> Manifest:
    """The manifest of a run, from `run.yaml` and the first row that can be read.

    Raises
    ------
    InputError
        A file is unreadable or the manifest cannot be used.
    """
    first = _first_row(source)
    of_rows = manifest_of_rows([first] if first is not None else [], source.shown)
    if source.manifest is None:
        return of_rows
    shown = text_file.relative(source.manifest, data_root)
    return merged(
        read_manifest_file(text_file.read_bytes(source.manifest, file=shown), shown), of_rows
    )


def run_id_of(manifest: Manifest, source: RunSource) -> str:
    """The run's id: as its manifest says, else the name of its folder or file.

    Raises
    ------
    InputError
        The name cannot be an id.
    """
    run_id = manifest.values["run_id"]
    if isinstance(run_id, str):
        return run_id
    name = ids.normal_id(source.named)
    refused = ids.why_refused(name)
    if refused is not None:
        raise InputError(
            code="refused_id",
            file=source.shown,
            field="run_id",
            found=f"{name!r}: {refused}",
            expected="a visible name",
            todo=f"rename it or set run_id in {MANIFEST}",
        )
    return name


def _look(
    source: RunSource,
    data_root: Path,
    before: Mapping[str, object] | None,
    datasets: Mapping[str, DatasetVersion],
) -> dict[str, object]:
    row: dict[str, object] = dict.fromkeys(tables.columns("run_files"))
    row |= {"path": source.shown, "size": 0, "mtime": _EPOCH, "flags": []}
    try:
        row["size"], row["mtime"] = source.stat()
        untouched = before is not None and all(
            before[name] == row[name] for name in ("size", "mtime")
        )
        if (
            before is not None
            and untouched
            and before["state"] == "ingested"
            and before["dataset_version"] in datasets
        ):
            return dict(before)
        row["sha256"] = source.fingerprint()
        manifest = peek(source, data_root)
        row["run_id"] = run_id_of(manifest, source)
        in_rows = source.manifest is None or (
            manifest.values["dataset"] is not None and "dataset" not in manifest.lines
        )
        manifest_shown = (
            source.shown
            if in_rows or source.manifest is None
            else text_file.relative(source.manifest, data_root)
        )
        dataset = resolve_dataset(
            manifest.values["dataset"],
            datasets,
            manifest_shown,
            line=manifest.lines.get("dataset"),
            data_root=data_root,
        )
    except InputError as problem:
        return row | {"state": "rejected", "reason": str(problem)}
    except OSError as error:
        unreadable = text_file.unreadable(source.items, error, file=source.shown)
        return row | {"state": "rejected", "reason": str(unreadable)}
    row |= {"dataset_version": dataset.key, "state": "stable"}
    if before is not None and before["state"] == "ingested" and before["sha256"] == row["sha256"]:
        kept = ("encoding", "n_rows", "n_used", "n_quarantined", "flags")
        if before["dataset_version"] == dataset.key:
            return row | {"state": "ingested"} | {name: before[name] for name in kept}
    return row


def _has_folder(data_root: Path, wanted: str) -> bool:
    name, _, version = wanted.partition("@")
    parts = (name, version)
    if not all(part and part not in (".", "..") and "/" not in part for part in parts):
        return False
    try:
        return (data_root / "datasets" / name / version).is_dir()
    except OSError:  # a name too long for a folder
        return False


def _first_row(source: RunSource) -> Row | None:
    data = text_file.read_bytes(source.items, file=source.shown)
    text, _ = text_file.decode(data, source.shown)
    for number, line in text_file.lines(text):
        read = read_json_line(number, line)
        if isinstance(read, Row):
            return read
    return None


def _reject_shared_ids(rows: list[dict[str, object]]) -> None:
    by_id: dict[object, list[dict[str, object]]] = {}
    for row in rows:
        if row["run_id"] is not None:
            by_id.setdefault(row["run_id"], []).append(row)
    for run_id, sharing in by_id.items():
        if len(sharing) < 2:
            continue
        paths = " and ".join(str(row["path"]) for row in sharing)
        for row in sharing:
            problem = InputError(
                code="two_files_of_one_run",
                file=str(row["path"]),
                field="run_id",
                found=f"{run_id!r} in {paths}",
                expected="one file a run",
                todo="give one of them its own run_id, or remove it",
            )
            row |= {"state": "rejected", "reason": str(problem)}


def _stray(shown: str, found: str) -> InputError:
    return InputError(
        code="not_a_run_log",
        file=shown,
        found=found,
        expected="runs/<run_id>/items.jsonl or runs/<run_id>.jsonl, each also .gz or .zst",
        todo="move it out of runs/, or rename it",
    )


def _rejected_row(path: str, problem: InputError, data_root: Path) -> dict[str, object]:
    row: dict[str, object] = dict.fromkeys(tables.columns("run_files"))
    size, changed = stored_stat(data_root / path)
    return row | {
        "path": path,
        "size": size,
        "mtime": changed,
        "state": "rejected",
        "reason": str(problem),
        "flags": [],
    }
