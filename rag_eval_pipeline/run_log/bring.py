"""Bringing a run log from elsewhere below `runs/` of the data root."""

from __future__ import annotations

import json
from pathlib import Path

from rag_eval_pipeline.reading import ids, text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.reading.json_lines import read_json_lines
from rag_eval_pipeline.reading.stored import stored_sha256
from rag_eval_pipeline.run_log.discover import (
    MANIFEST,
    SUFFIXES,
    RunSource,
    find_sources,
    peek,
    run_id_of,
)
from rag_eval_pipeline.run_log.manifest import read_manifest_file


def bring_run(path: Path, data_root: Path, dataset: str | None, *, replace: bool) -> Path:
    """Copy a run (a .jsonl file, or a folder with items) to `runs/<run_id>/`.

    Parameters
    ----------
    dataset
        Dataset version to write into run.yaml where the run names none.
    replace
        Whether a run of that id with other contents may be overwritten.

    Returns
    -------
    The folder the run was copied to; a run that already lies below `runs/` stays where it is.

    Raises
    ------
    InputError
        The path is no run log, or another run of that id is there.
    """
    source = _source(path)
    manifest = peek(source, path.parent)
    run_id = run_id_of(manifest, source)
    folder = data_root / "runs" / ids.encode_id(run_id)
    suffix = next(each for each in SUFFIXES if source.items.name.endswith(each))
    target = folder / f"items{suffix}"
    there = find_sources(data_root)[0]
    if any(each.items.resolve() == source.items.resolve() for each in there):
        flat = source.items.parent.resolve() == (data_root / "runs").resolve()
        return source.items if flat else source.items.parent
    existing = [each.items for each in there if each.named in (run_id, folder.name)]
    if existing and not replace and not all(_holds(source.items, each) for each in existing):
        raise InputError(
            code="run_exists",
            file=str(path),
            field="run_id",
            found=f"{run_id!r}, which {text_file.relative(existing[0], data_root)} holds with "
            "other rows",
            expected="a run id that is new, or the rows as they were and more of them",
            todo="give the run its own run_id, or overwrite with --replace",
        )
    lines = _manifest_lines(source, run_id, dataset if manifest.values["dataset"] is None else None)
    for old in existing:
        if old != target:
            old.unlink()
    text_file.write_atomic(target, text_file.stored_bytes(source.items))
    text_file.write_atomic(folder / MANIFEST, lines.encode())
    return folder


def _holds(path: Path, earlier: Path) -> bool:
    """Whether a file holds all rows of an earlier one: a run may be resumed (R11)."""
    if stored_sha256(path) == stored_sha256(earlier):
        return True
    now, before = (
        {
            hash_json(row.fields)
            for row in read_json_lines(text_file.read_bytes(each), str(each)).rows
        }
        for each in (path, earlier)
    )
    return before <= now


def _source(path: Path) -> RunSource:
    if path.is_dir():
        items = [path / f"items{each}" for each in SUFFIXES if (path / f"items{each}").exists()]
        manifest = path / MANIFEST
        if len(items) == 1:
            return RunSource(
                str(items[0]), items[0], manifest if manifest.exists() else None, path.name
            )
    suffix = next((each for each in SUFFIXES if path.name.endswith(each)), None)
    if suffix is None or path.is_dir():
        raise InputError(
            code="not_a_run_log",
            file=str(path),
            found="a folder without one items file" if path.is_dir() else "another kind of file",
            expected=f"a file ending in {', '.join(SUFFIXES)} or a folder with items.jsonl",
            todo="name the run log, or rename it",
        )
    return RunSource(str(path), path, None, path.name[: -len(suffix)])


def _manifest_lines(source: RunSource, run_id: str, dataset: str | None) -> str:
    """The run's own manifest with what it does not say added, so that the copy stands alone."""
    text = ""
    if source.manifest is not None:
        data = text_file.read_bytes(source.manifest)
        text = text_file.decode(data, str(source.manifest))[0].rstrip("\n") + "\n"
    named = peek(source, source.items.parent).values
    if source.manifest is None or "run_id" not in text or named["run_id"] is None:
        text += f"run_id: {json.dumps(run_id, ensure_ascii=False)}\n"
    if dataset is not None:
        text += f"dataset: {json.dumps(dataset, ensure_ascii=False)}\n"
    try:
        read_manifest_file(text.encode(), MANIFEST)
    except InputError as problem:
        raise InputError(
            code="cannot_add",
            file=str(source.manifest or source.items),
            found=f"a layout to which run_id and dataset cannot be added ({problem})",
            expected="plain `key: value` lines at the top level",
            todo="write run_id and dataset into it",
        ) from None
    return text
