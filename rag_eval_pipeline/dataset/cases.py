"""Cases of a dataset version: from the cases file to the tables cases, case_evidence, case_claims.

Rows that cannot be used or fail the contract are quarantined with their line; the rest goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset import gold, identity
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.dataset.policy import abstain_policy
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds, split_id
from rag_eval_pipeline.reading import text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fields import ABSENT
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.reading.json_lines import Row, RowFile, read_json_lines
from rag_eval_pipeline.reading.quarantine import Rejected, mask_excerpt
from rag_eval_pipeline.reading.record import Field, Record, shape
from rag_eval_pipeline.reading.sheet import read_sheet
from rag_eval_pipeline.reading.yaml_text import read_yaml_rows
from rag_eval_pipeline.tables.contract import Violation, violations
from rag_eval_pipeline.tables.model import STATUSES
from rag_eval_pipeline.text.fold import fold

FIELDS = (
    Field("case_id", "id", ("id",)),
    Field("question"),
    Field("reference_evidence_ids", "raw", ("evidence", "source")),
    Field("evidence_groups", "raw"),
    Field("reference_answer", "text", ("expected", "expected_answer")),
    Field("accepted_answers", "text_list", ("expected_answers",)),
    Field("required_claims", "raw"),
    Field("forbidden_claims", "raw"),
    Field("evidence_quotes", "text_list"),
    Field("expected_status", "text", ("status",)),
    Field("accepted_statuses", "text_list"),
    Field("abstain_policy", "raw"),
    Field("category"),
    Field("split"),
    Field("risk"),
    Field("scenario_id", "id"),
    Field("user_roles", "text_list"),
    Field("as_of", "day"),
    Field("tags", "text_list"),
    Field("owner"),
    Field("reviewed_by", "text_list"),
    Field("collected_from"),
    Field("frequency"),
    Field("language", "text", ("lang",)),
    Field("lifecycle"),
)
FORMATS = (".jsonl", ".yaml", ".yml", ".csv", ".tsv", ".txt")


@dataclass(slots=True)
class CasesRead:
    """What a cases file gave.

    `cases`, `evidence` and `claims` are the tables of the dataset version; `rejected` the rows
    left out; `violations` the broken rules of the contract among them; `dataset_hash` R11's hash
    of what is left.
    """

    cases: pl.DataFrame
    evidence: pl.DataFrame
    claims: pl.DataFrame
    rejected: list[Rejected]
    violations: list[Violation]
    dataset_hash: str
    source_file: str
    encoding: str
    n_rows: int
    unknown_fields: tuple[str, ...]


def cases_file(dataset: DatasetVersion, data_root: Path) -> Path:
    """The one cases file of a dataset version.

    Raises
    ------
    InputError
        There is none, more than one, or one of a format this version does not read.
    """
    found = sorted(
        each
        for each in dataset.folder.glob("cases.*")
        if not each.is_dir() or each.suffix.lower() in FORMATS
    )
    shown = text_file.relative(dataset.folder, data_root)
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise InputError(
            code="no_cases_file" if not found else "several_cases_files",
            file=shown,
            found=f"cases files: {names}",
            expected=f"exactly one of cases{', cases'.join(FORMATS)}",
            todo="write one" if not found else "keep one",
        )
    if found[0].suffix.lower() not in FORMATS:
        raise InputError(
            code="unknown_format",
            file=text_file.relative(found[0], data_root),
            found=f"a {found[0].suffix} file",
            expected=f"one of {', '.join(FORMATS)}",
            todo="save it as JSON lines or CSV (UTF-8)",
        )
    return found[0]


def read_cases(
    dataset: DatasetVersion,
    data_root: Path,
    known: KnownIds,
    pinned_texts: dict[tuple[str, str | None], str],
    snapshot: str | None,
) -> CasesRead:
    """Read and check the cases of a dataset version.

    Parameters
    ----------
    known
        Ids of the snapshot the gold is judged on.
    pinned_texts
        sha256 of the snapshot's texts by (doc_id, section_id); section_id None is the document.
    snapshot
        Its id, None without a knowledge base.

    Raises
    ------
    InputError
        The file is missing, unreadable, has wrong columns, or holds no case that can be used.
    """
    path = cases_file(dataset, data_root)
    shown = text_file.relative(path, data_root)
    file, typed = _read(path, shown)
    if file.n_rows == 0:
        raise InputError(
            code="empty_file",
            file=shown,
            found="no case",
            expected="at least one case with case_id and question",
            todo="write the cases",
        )
    parsed = [_parse(row, dataset, typed=typed) for row in file.rows]
    usable, rejected = _unique([each for each in parsed if not each.record.faults])
    rejected += file.rejected
    rejected += [_reject(each.row, each.record) for each in parsed if each.record.faults]
    base: dict[str, object] = {
        "dataset_version": dataset.key,
        "dataset_hash": "",
        "snapshot_id": snapshot,
        "draft": not dataset.frozen,
        "source_file": shown,
    }
    rows = [base | each.table_row(known, pinned_texts) for each in usable]
    cases = pl.DataFrame(rows, schema=tables.columns("cases"), orient="row")
    broken = violations("cases", cases)
    bad_ids = {violation.row_id for violation in broken}
    for each in usable:
        if each.case_id in bad_ids:
            reasons = [v.sentence for v in broken if v.row_id == each.case_id]
            first = next(v for v in broken if v.row_id == each.case_id)
            rejected.append(
                Rejected(
                    each.row.line,
                    "contract",
                    first.column,
                    f"case {each.case_id!r}: {'; '.join(reasons)}",
                    mask_excerpt(each.row.raw),
                )
            )
    kept = [each for each in usable if each.case_id not in bad_ids]
    rejected.sort(key=lambda each: each.line or 0)
    if not kept:
        raise _none_usable(file, rejected, shown)
    cases = cases.filter(~pl.col("case_id").is_in(sorted(bad_ids)))
    whole = identity.dataset_hash(cases)
    return CasesRead(
        cases=cases.with_columns(dataset_hash=pl.lit(whole)),
        evidence=_evidence(kept, dataset.key, known, pinned_texts),
        claims=_claims(kept, dataset.key),
        rejected=rejected,
        violations=broken,
        dataset_hash=whole,
        source_file=shown,
        encoding=file.encoding,
        n_rows=file.n_rows,
        unknown_fields=tuple(sorted({name for each in kept for name in each.record.extra})),
    )


def uses_more_than_minimal(dataset: DatasetVersion, data_root: Path) -> bool:
    """Whether a case has claims, alternatives, quotes, an abstain policy or further statuses.

    Of a file that cannot be read it says no: reading it for its cases tells what is wrong.
    """
    try:
        path = cases_file(dataset, data_root)
        file, typed = _read(path, text_file.relative(path, data_root))
    except InputError:
        return False
    return any(_parse(row, dataset, typed=typed).is_rich for row in file.rows)


@dataclass(slots=True)
class _Parsed:
    row: Row
    record: Record
    case_id: str
    groups: list[gold.Group]
    claims: list[gold.Claim]
    policy: str | None
    notes: list[str]

    @property
    def is_rich(self) -> bool:
        """Whether the case uses more than the minimal form."""
        return bool(
            self.claims
            or self.policy is not None
            or self.notes
            or any(len(group) > 1 for group in self.groups)
            or _list(self.record.values["evidence_quotes"])
            or len(_list(self.record.values["accepted_statuses"])) > 1
        )

    @property
    def contents(self) -> str:
        """Hash of everything the row says, to tell an exact duplicate from a clash."""
        return hash_json(self.row.fields)

    def table_row(
        self, known: KnownIds, pinned_texts: dict[tuple[str, str | None], str]
    ) -> dict[str, object]:
        pinned = [
            [_pinned(each, known, pinned_texts) for each, _ in group] for group in self.groups
        ]
        values = self.record.values
        names = tables.columns("cases")
        return {name: value for name, value in values.items() if name in names} | {
            "case_hash": identity.case_hash(values, self.groups, self.claims, self.policy, pinned),
            "abstain_policy": self.policy,
            "policy_notes": self.notes,
            "source_line": self.row.line,
            "flags": [*self.row.flags, *self.record.flags],
            "extra": self.record.extra_json,
        }


def _none_usable(file: RowFile, rejected: Sequence[Rejected], shown: str) -> InputError:
    """The error for a file without a usable case: its columns if they are wrong, else its rows."""
    names = {field.name: (field.name, *field.aliases) for field in FIELDS}
    written = {name for row in file.rows for name in row.fields}
    for name in ("case_id", "question"):
        if file.rows and written.isdisjoint(names[name]):
            return InputError(
                code="missing_column",
                file=shown,
                line=file.rows[0].line,
                field=name,
                found=f"the columns {', '.join(sorted(written))}",
                expected=f"a column {' or '.join(names[name])}",
                todo=f"rename the column that holds it to {name}",
            )
    first = rejected[0]
    return InputError(
        code=first.code,
        file=shown,
        line=first.line,
        field=first.field,
        found=f"no case that can be used ({len(rejected)} rejected), first: {first.reason}",
        expected="at least one usable case",
        todo="mend the rows",
    )


def _read(path: Path, shown: str) -> tuple[RowFile, bool]:
    data = text_file.read_bytes(path, file=shown)
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        return read_json_lines(data, shown), True
    if suffix in (".yaml", ".yml"):
        return read_yaml_rows(data, shown), False
    return read_sheet(data, shown, delimiter="," if suffix == ".csv" else "\t"), False


def _parse(row: Row, dataset: DatasetVersion, *, typed: bool) -> _Parsed:
    record = shape(row.fields, FIELDS, typed=typed, zone=dataset.zone)
    values = record.values
    for name in ("case_id", "question"):
        if not str(values[name] or "").strip() and not record.faults:
            record.fault("missing_field", name, f"found no {name}; expected one; add it")
    category = fold(str(values["category"] or ""))
    values["category"] = category or "unclassified"
    values["lifecycle"] = values["lifecycle"] or "approved"
    values["language"] = values["language"] or dataset.language
    # A day for all cases is a day of each, so that it is part of their identity.
    values["as_of"] = values["as_of"] or dataset.as_of
    if values["expected_status"] is None:
        values["expected_status"] = "answer"
        if category == "unanswerable":
            record.fault(
                "missing_field",
                "expected_status",
                "found an unanswerable case without expected_status; expected unknown or clarify",
            )
    accepted = _list(values["accepted_statuses"])
    if accepted and record.raw["expected_status"] is ABSENT and "answer" not in accepted:
        record.fault(
            "missing_field",
            "expected_status",
            "found accepted_statuses without answer and no expected_status; expected the status "
            "a right system gives; add it",
        )
    values["accepted_statuses"] = list(dict.fromkeys([values["expected_status"], *accepted]))
    strange = [each for each in accepted if each not in STATUSES]
    if strange and values["expected_status"] in STATUSES:
        record.fault(
            "unknown_value",
            "accepted_statuses",
            f"found {strange[0]!r}; expected {', '.join(STATUSES)}",
        )
    policy, notes = abstain_policy(record)
    both = gold.claims(record, "required", typed=typed)
    both += gold.claims(record, "forbidden", typed=typed)
    if len({claim.claim_id for claim in both}) < len(both):
        record.fault(
            "duplicate_claim_id", "required_claims", "found one claim id twice; rename one"
        )
    return _Parsed(
        row=row,
        record=record,
        case_id=str(values["case_id"]),
        groups=gold.evidence_groups(record, typed=typed),
        claims=both,
        policy=policy,
        notes=notes,
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _unique(parsed: Sequence[_Parsed]) -> tuple[list[_Parsed], list[Rejected]]:
    by_id: dict[str, list[_Parsed]] = {}
    for each in parsed:
        by_id.setdefault(each.case_id, []).append(each)
    kept: list[_Parsed] = []
    rejected: list[Rejected] = []
    for case_id, rows in by_id.items():
        if len({each.contents for each in rows}) == 1:
            kept.append(rows[0])
            rejected.extend(
                _rejected(each, "exact_duplicate", f"found case {case_id!r} again; it counts once")
                for each in rows[1:]
            )
            continue
        lines = ", ".join(str(each.row.line) for each in rows)
        rejected.extend(
            _rejected(
                each,
                "duplicate_case_id",
                f"found the id {case_id!r} on lines {lines} with different contents; expected one "
                "row (ids are compared in NFC); rename or remove one",
            )
            for each in rows
        )
    return kept, rejected


def _rejected(parsed: _Parsed, code: str, reason: str) -> Rejected:
    return Rejected(parsed.row.line, code, "case_id", reason, mask_excerpt(parsed.row.raw))


def _reject(row: Row, record: Record) -> Rejected:
    fault = record.faults[0]
    reason = "; ".join(f"{each.field}: {each.reason}" for each in record.faults)
    return Rejected(row.line, fault.code, fault.field, reason, mask_excerpt(row.raw))


def _pinned(
    evidence_id: str, known: KnownIds, pinned_texts: dict[tuple[str, str | None], str]
) -> str | None:
    document, section, _ = split_id(evidence_id, known)
    return pinned_texts.get((document, section))


def _evidence(
    parsed: Sequence[_Parsed],
    dataset_version: str,
    known: KnownIds,
    pinned_texts: dict[tuple[str, str | None], str],
) -> pl.DataFrame:
    rows: list[tuple[object, ...]] = []
    for each in parsed:
        for number, group in enumerate(each.groups, start=1):
            for evidence_id, grade in group:
                document, section, resolved = split_id(evidence_id, known)
                sha256 = pinned_texts.get((document, section)) if resolved else None
                rows.append(
                    (dataset_version, each.case_id, number, evidence_id, document, section,
                     grade, resolved, sha256)
                )  # fmt: skip
    return pl.DataFrame(rows, schema=tables.columns("case_evidence"), orient="row")


def _claims(parsed: Sequence[_Parsed], dataset_version: str) -> pl.DataFrame:
    rows = [
        {"dataset_version": dataset_version, "case_id": each.case_id} | asdict(claim)
        for each in parsed
        for claim in each.claims
    ]
    return pl.DataFrame(rows, schema=tables.columns("case_claims"), orient="row")
