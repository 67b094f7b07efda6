"""Freezing a dataset version, and telling whether a frozen one still is what was frozen.

`freeze` writes the snapshot of the knowledge base, the snapshot's id and the dataset's hash into
`dataset.yaml`, and `frozen.json` beside it with the hash of each case, so that a later difference
can be named case by case.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from pathlib import Path

from rag_eval_pipeline.dataset.cases import CasesRead
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.dataset.manifest_lines import set_keys
from rag_eval_pipeline.dataset.reference import cases_against, read_snapshot
from rag_eval_pipeline.knowledge.snapshot import write_snapshot
from rag_eval_pipeline.reading import text_file
from rag_eval_pipeline.reading.errors import InputError

RECORD = "frozen.json"
WAYS_OUT = (
    "undo the edit, or copy the folder to a new version and freeze that, "
    "or run `rag-eval freeze {key} --amend --reason TEXT`"
)


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a freeze wrote."""

    dataset_version: str
    snapshot: str | None
    dataset_hash: str
    n_cases: int
    already: bool


def freeze(
    dataset: DatasetVersion,
    data_root: Path,
    *,
    today: dt.date,
    amend: bool = False,
    reason: str | None = None,
) -> Frozen:
    """Pin a dataset version to a snapshot of its knowledge base.

    A version already frozen and unchanged stays as it is. `amend` freezes a changed one again on
    the snapshot it was pinned to, and records the reason.

    Raises
    ------
    InputError
        A case is rejected or cites evidence the knowledge base lacks; or the version is frozen
        and changed, and `amend` was not asked for.
    """
    snapshot = read_snapshot(dataset, data_root)
    read = cases_against(dataset, data_root, snapshot.documents, snapshot.sections)
    if dataset.frozen and read.dataset_hash == dataset.dataset_hash:
        return Frozen(dataset.key, dataset.snapshot, read.dataset_hash, read.cases.height, True)
    if dataset.frozen and not amend:
        raise changed_since_frozen(dataset, data_root, read)
    _refuse_unfit(dataset, read)
    if snapshot.quarantined:
        shown, first = snapshot.quarantined[0]
        raise InputError(
            code=first.code,
            file=shown,
            line=first.line,
            field=first.field,
            found=first.reason,
            expected="a knowledge base whose every row can be used",
            todo="mend the row, then freeze",
        )
    name = dataset.snapshot
    if name is None and dataset.knowledge is not None:
        name = write_snapshot(data_root, dataset.knowledge, snapshot.contents)
    _write_record(dataset, read, name, today, reason)
    pins = {"snapshot": name, "dataset_hash": read.dataset_hash, "frozen_on": today.isoformat()}
    set_keys(dataset, {key: value for key, value in pins.items() if value is not None})
    return Frozen(dataset.key, name, read.dataset_hash, read.cases.height, False)


def changed_since_frozen(dataset: DatasetVersion, data_root: Path, read: CasesRead) -> InputError:
    """The error that says which cases of a frozen version differ and the three ways out."""
    frozen = _record(dataset).get("cases")
    today = dict(
        read.cases.filter(read.cases["lifecycle"] == "approved")
        .select("case_id", "case_hash")
        .iter_rows()
    )
    found = "other contents than were frozen"
    if isinstance(frozen, dict):
        differing = sorted(
            case for case in {*frozen, *today} if frozen.get(case) != today.get(case)
        )
        shown = ", ".join(map(repr, differing[:10])) + (" …" if len(differing) > 10 else "")
        found = f"{len(differing)} case(s) that differ from the frozen ones: {shown}"
    return InputError(
        code="frozen_hash",
        file=text_file.relative(dataset.folder, data_root),
        found=found,
        expected=f"dataset_hash {dataset.dataset_hash}",
        todo=WAYS_OUT.format(key=dataset.key),
    )


def _refuse_unfit(dataset: DatasetVersion, read: CasesRead) -> None:
    hard = [each for each in read.rejected if each.code != "exact_duplicate"]
    if hard:
        raise InputError(
            code=hard[0].code,
            file=read.source_file,
            line=hard[0].line,
            field=hard[0].field,
            found=f"{len(hard)} case(s) that cannot be used, first: {hard[0].reason}",
            expected="a dataset whose every case can be used",
            todo="mend or remove them, then freeze",
        )
    dangling = read.evidence.filter(~read.evidence["resolved"].fill_null(value=True))
    if dangling.height:
        case_id, evidence_id = dangling.select("case_id", "evidence_id").row(0)
        raise InputError(
            code="dangling_evidence",
            file=read.source_file,
            field="reference_evidence_ids",
            found=f"case {case_id!r} cites {evidence_id!r}, which the knowledge base lacks"
            + (f" (and {dangling.height - 1} more)" if dangling.height > 1 else ""),
            expected=f"evidence that is in the knowledge base {dataset.knowledge!r}",
            todo="correct the id or add the document, then freeze",
        )


def _record(dataset: DatasetVersion) -> dict[str, object]:
    path = dataset.folder / RECORD
    if not path.exists():
        return {}
    try:
        record = json.loads(text_file.read_bytes(path))
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _write_record(
    dataset: DatasetVersion,
    read: CasesRead,
    snapshot: str | None,
    today: dt.date,
    reason: str | None,
) -> None:
    earlier = _record(dataset)
    amendments = earlier.get("amendments", [])
    if dataset.frozen and isinstance(amendments, list):
        amendments.append(
            {
                "on": today.isoformat(),
                "reason": reason,
                "from": dataset.dataset_hash,
                "to": read.dataset_hash,
            }
        )
    approved = read.cases.filter(read.cases["lifecycle"] == "approved").sort("case_id")
    record = {
        "dataset_version": dataset.key,
        "snapshot": snapshot,
        "dataset_hash": read.dataset_hash,
        "amendments": amendments,
        "cases": dict(approved.select("case_id", "case_hash").iter_rows()),
    }
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    text_file.write_atomic(dataset.folder / RECORD, text.encode())
