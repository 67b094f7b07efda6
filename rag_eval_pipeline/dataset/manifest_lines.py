"""Setting single keys of `dataset.yaml` and leaving every other byte, comments too, as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from rag_eval_pipeline.dataset.manifest import MANIFEST, DatasetVersion
from rag_eval_pipeline.reading import text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.yaml_text import read_yaml_mapping

# A value on one line: quoted either way, or plain up to a comment.
_VALUE = (
    r"""(?:[ \t]*"(?:[^"\\\r\n]|\\.)*"|[ \t]*'(?:[^'\r\n]|'')*'"""
    r"""|(?![ \t]*["'])(?:[^\r\n#]|(?<![ \t])#)*?)"""
)


def set_keys(dataset: DatasetVersion, values: Mapping[str, str]) -> None:
    """Write top-level keys of a dataset version's manifest; one that is missing is added.

    Raises
    ------
    InputError
        The manifest is laid out in a way in which a key cannot be set on a line of its own.
    """
    path = dataset.folder / MANIFEST
    mark, encoding = b"", "utf-8"
    text = f"name: {_quoted(dataset.name)}\nversion: {_quoted(dataset.version)}\n"
    if path.exists():
        stored = text_file.read_bytes(path)
        text, encoding = text_file.decode(stored, dataset.manifest_path)
        encoding = encoding.removesuffix("-sig")
        mark = stored[: len(stored) - len(text.encode(encoding))]
    end = "\r\n" if "\r\n" in text else "\n"
    for key, value in values.items():
        text = _with_line(text, key, f"{key}: {_quoted(value)}", end)
    data = mark + text.encode(encoding)
    if not _holds(data, dataset.manifest_path, values):
        raise InputError(
            code="cannot_pin",
            file=dataset.manifest_path,
            found="a layout in which the keys could not be set",
            expected="plain `key: value` lines at the top level",
            todo=f"write {', '.join(values)} on lines of their own",
        )
    text_file.write_atomic(path, data)


def _with_line(text: str, key: str, line: str, end: str) -> str:
    found = re.search(
        rf"(?m)^{re.escape(key)}[ \t]*:{_VALUE}(?P<note>[ \t]+#[^\r\n]*)?[ \t]*(?=\r?$)", text
    )
    if found is not None:
        return text[: found.start()] + line + (found["note"] or "") + text[found.end() :]
    return text + ("" if text.endswith("\n") or not text else end) + line + end


def _quoted(value: str) -> str:
    """A YAML double-quoted scalar; JSON strings are such."""
    return json.dumps(value, ensure_ascii=False)


def _holds(data: bytes, file: str, values: Mapping[str, str]) -> bool:
    try:
        mapping, _ = read_yaml_mapping(data, file)
    except InputError:
        return False
    return all(mapping.get(key) == value for key, value in values.items())
