"""Findings about a dataset version that its people should know before they trust a score."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.cases import CasesRead
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.dataset.reference import SnapshotRead
from rag_eval_pipeline.tables.model import CATEGORIES

UNCLASSIFIED = "unclassified"


def dataset_findings(
    dataset: DatasetVersion, snapshot: SnapshotRead, read: CasesRead
) -> pl.DataFrame:
    """Rows of `dataset_findings` of the stage `dataset`, worst first."""
    found: list[tuple[str, str, str | None, str]] = []
    found += [
        ("rejected_case", "note" if each.code == "exact_duplicate" else "error",
         f"{read.source_file}:{each.line}", each.reason)
        for each in read.rejected
    ]  # fmt: skip
    found += [
        ("rejected_document", "note" if each.code == "exact_duplicate" else "warning",
         f"{shown}:{each.line}", each.reason)
        for shown, each in snapshot.quarantined
    ]  # fmt: skip
    found += _reading(dataset, snapshot, read)
    found += _gold(dataset, read)
    order = {"error": 0, "warning": 1, "note": 2}
    rows = [
        (dataset.key, "dataset", check, severity, subject, message)
        for check, severity, subject, message in sorted(
            found, key=lambda each: (order[each[1]], each[0], each[2] or "", each[3])
        )
    ]
    return pl.DataFrame(rows, schema=tables.columns("dataset_findings"), orient="row")


def _reading(
    dataset: DatasetVersion, snapshot: SnapshotRead, read: CasesRead
) -> list[tuple[str, str, str | None, str]]:
    encodings = {**snapshot.encodings, read.source_file: read.encoding}
    found: list[tuple[str, str, str | None, str]] = [
        ("encoding", "note", file, f"read as {encoding}")
        for file, encoding in encodings.items()
        if encoding != "utf-8"
    ]
    if read.unknown_fields:
        found.append(
            ("unknown_fields", "note", read.source_file,
             f"kept in `extra`: {', '.join(read.unknown_fields)}")
        )  # fmt: skip
    if dataset.extra_fields:
        found.append(
            ("unknown_fields", "note", dataset.manifest_path,
             f"not used: {', '.join(dataset.extra_fields)}")
        )  # fmt: skip
    found += [
        ("manifest_value", "warning", dataset.manifest_path, f"{flag}: the value is not used")
        for flag in dataset.flags
    ]
    if not (read.cases["lifecycle"] == "approved").any():
        found.append(
            ("no_approved_case", "warning", read.source_file, "no case is approved: none is scored")
        )
    flagged = read.cases.filter(pl.col("flags").list.len() > 0)
    found += [
        ("case_value", "note", case_id, ", ".join(flags))
        for case_id, flags in flagged.select("case_id", "flags").iter_rows()
    ]
    return found


def _gold(dataset: DatasetVersion, read: CasesRead) -> list[tuple[str, str, str | None, str]]:
    found: list[tuple[str, str, str | None, str]] = []
    dangling = read.evidence.filter(~pl.col("resolved"))
    severity = "error" if dataset.frozen else "warning"
    todo = "the case is held out; correct the id or add the document"
    found += [
        ("dangling_evidence", severity, case_id, f"{evidence_id!r} is not in the snapshot; {todo}")
        for case_id, evidence_id in dangling.select("case_id", "evidence_id").iter_rows()
    ]
    foreign = read.cases.filter(~pl.col("category").is_in([*CATEGORIES, UNCLASSIFIED]))
    found += [
        ("own_category", "note", category, "a category of your own; it is kept as a slice")
        for category in foreign["category"].unique().sort()
    ]
    notes = read.cases.filter(pl.col("policy_notes").list.len() > 0)
    found += [
        ("policy_not_checkable", "note", case_id,
         "the abstain policy is written as sentences, which no measure checks; write an object")
        for case_id in notes["case_id"]
    ]  # fmt: skip
    counts = dict(read.cases.group_by("category").len().iter_rows())
    found += [
        ("target", "warning", category, f"{counts.get(category, 0)} of {wanted} cases wanted")
        for category, wanted in dataset.targets
        if counts.get(category, 0) < wanted
    ]
    return found
