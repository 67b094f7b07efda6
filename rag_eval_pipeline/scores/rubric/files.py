"""Where rubrics lie: the data root's own, and the two that ship."""

from __future__ import annotations

import difflib
from importlib import resources
from pathlib import Path

import polars as pl

from rag_eval_pipeline.reading import ids, text_file
from rag_eval_pipeline.reading.errors import InputError, shown
from rag_eval_pipeline.scores.rubric.keys import TEXTS
from rag_eval_pipeline.scores.rubric.model import Rubric
from rag_eval_pipeline.scores.rubric.parse import Doubt, RubricRead, read_rubric

SHIPPED = ("strict", "claims")
MINIMAL_DEFAULT = "strict"
RICH_DEFAULT = "claims"
SUFFIX = ".yaml"


def load_rubric(name: str, data_root: Path, *, named_in: str = "dataset.yaml") -> Rubric:
    """A rubric of the data root (`rubrics/<name>.yaml`), else the shipped one of that name.

    `named_in` is the file that names it, for messages.

    Raises
    ------
    InputError
        There is none of that name, or its file has an unknown key or value.
    """
    read = find_rubric(name, data_root, named_in=named_in)
    if read.rubric is None:
        raise read.problems[0]
    return read.rubric


def find_rubric(name: str, data_root: Path, *, named_in: str = "dataset.yaml") -> RubricRead:
    """As `load_rubric`, with all that is wrong or doubtful in the file.

    That the shipped ones leave nothing out is tested; what an own one leaves out is a doubt.

    Raises
    ------
    InputError
        There is none of that name.
    """
    path = data_root / "rubrics" / f"{ids.encode_id(name)}{SUFFIX}"
    if path.exists():
        shown_path = text_file.relative(path, data_root)
        try:
            data = text_file.read_bytes(path, file=shown_path)
        except InputError as problem:
            return RubricRead(None, (problem,), ())
        return read_rubric(data, shown_path, name)
    if name in SHIPPED:
        file = resources.files("rag_eval_pipeline.scores") / "rubrics" / f"{name}{SUFFIX}"
        return read_rubric(file.read_bytes(), f"the shipped {name}{SUFFIX}", name)
    available = sorted({*SHIPPED, *own_names(data_root)})
    close = difflib.get_close_matches(name, available, n=1)
    near = f"; did you mean {close[0]!r}?" if close else ""
    raise InputError(
        code="unknown_rubric",
        file=named_in,
        field="rubrics",
        found=repr(name),
        expected=f"one of {', '.join(available)}",
        todo=f"correct the name or write rubrics/{path.name}{near}",
    )


def own_names(data_root: Path) -> list[str]:
    """Names of the rubrics of the data root, sorted."""
    return sorted(name for name, _ in _own_files(data_root)[0])


def unread_files(data_root: Path) -> list[Doubt]:
    """Files below rubrics/ that look like rubrics and that no name leads to."""
    return _own_files(data_root)[1]


def default_rubrics(*, rich: bool) -> tuple[str, ...]:
    """The rubrics of a dataset that names none.

    `rich` says whether a case uses claims, groups, quotes, an abstain policy or accepted statuses.
    """
    return (RICH_DEFAULT if rich else MINIMAL_DEFAULT,)


def reused_versions(rubrics: list[Rubric], stored: pl.DataFrame) -> list[Doubt]:
    """Rubrics whose version text stood for other content before.

    Parameters
    ----------
    rubrics
        Rubrics as their files are now.
    stored
        rubric_version, name and version_text of the table `rubrics`.
    """
    doubts = []
    for rubric in rubrics:
        if rubric.version_text is None:
            continue
        earlier = stored.filter(
            (pl.col("name") == rubric.name)
            & (pl.col("version_text") == rubric.version_text)
            & (pl.col("rubric_version") != rubric.version)
        )["rubric_version"]
        if earlier.len():
            named = ", ".join(earlier.unique().sort())
            message = (
                f"{shown(rubric.version_text)} was the version of {named} and is now that of "
                f"{rubric.version}; give the edit a version of its own"
            )
            doubts.append(Doubt("version_reused", rubric.source, None, "version", message))
    return doubts


def _own_files(data_root: Path) -> tuple[list[tuple[str, Path]], list[Doubt]]:
    folder = data_root / "rubrics"
    found: list[tuple[str, Path]] = []
    unread: list[Doubt] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.suffix.lower() not in (SUFFIX, ".yml", ".json") or path.name.startswith("."):
            continue
        try:
            name = ids.decode_id(path.stem)
        except InputError:
            name = None
        except ids.ShortenedNameError:
            # Only the datasets that name it know the whole of a long name.
            continue
        if name is not None and path.suffix == SUFFIX:
            found.append((name, path))
            continue
        try:
            stem = ids.encode_id(path.stem) if name is None else path.stem
        except InputError:
            continue
        message = (
            f"no rubric name leads to this file: the rubric {shown(path.stem)} is read from "
            f"rubrics/{stem}{SUFFIX}"
        )
        file = text_file.relative(path, data_root)
        unread.append(Doubt("unread_file", file, None, next(iter(TEXTS)), message))
    return found, unread
