"""Whether a run that was read before may be read again with other rows (R11)."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.reading.errors import InputError


def refuse_changed_rows(
    before: pl.DataFrame, row_hashes: frozenset[str], run_id: str, source_path: str
) -> None:
    """Accept appended rows, refuse changed or missing ones.

    Parameters
    ----------
    before
        `run_items` of the run as it was read before.
    row_hashes
        Hashes of all rows of its file now, also of those no longer used: a case that left the
        dataset is no change of the run.

    Raises
    ------
    InputError
        A row read before is no longer there; the first such case and line are named.
    """
    lost = before.filter(~pl.col("row_sha256").is_in(sorted(row_hashes))).sort("source_line")
    if lost.is_empty():
        return
    case_id, line = lost.select("case_id", "source_line").row(0)
    raise InputError(
        code="run_changed",
        file=source_path,
        line=line,
        field="run_id",
        found=f"{lost.height} of {before.height} rows of run {run_id!r} changed or gone since it "
        f"was read, first: case {case_id!r}",
        expected="the rows as they were, or more of them",
        todo="give the new answers their own run_id, or take them in with --replace",
    )
