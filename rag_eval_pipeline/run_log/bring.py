"""Bringing a run log from elsewhere below `runs/` of the data root."""

from __future__ import annotations

import json
from pathlib import Path

from rag_eval_pipeline.reading import ids, text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.stored import stored_sha256
from rag_eval_pipeline.run_log.discover import MANIFEST, SUFFIXES, RunSource, peek, run_id_of


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
    The folder the run was copied to.

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
    if folder.resolve() == source.items.parent.resolve():
        return folder
    existing = [folder / f"items{each}" for each in SUFFIXES if (folder / f"items{each}").exists()]
    same = existing == [target] and stored_sha256(target) == stored_sha256(source.items)
    if existing and not same and not replace:
        raise InputError(
            code="run_exists",
            file=str(path),
            field="run_id",
            found=f"{run_id!r}, which {text_file.relative(existing[0], data_root)} holds with other "
            "contents",
            expected="a run id that is new",
            todo="give the run its own run_id, or overwrite with --replace",
        )
    for old in existing:
        if old != target:
            old.unlink()
    text_file.write_atomic(target, text_file.stored_bytes(source.items))
    lines = _manifest_lines(source, run_id, dataset if manifest.values["dataset"] is None else None)
    text_file.write_atomic(folder / MANIFEST, lines.encode())
    return folder


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
    return text
