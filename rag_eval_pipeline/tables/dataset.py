"""Contracts of a dataset version: cases, their gold evidence and claims, findings about them."""

from rag_eval_pipeline.tables.model import (
    RISKS,
    SPLITS,
    STATUSES,
    Boolean,
    Day,
    Integer,
    Partitioned,
    Text,
    Texts,
    column,
)


class Cases(Partitioned):
    """One question with its gold; rows that fail this contract are quarantined."""

    dataset_hash: Text = column("sha256 of the sorted (case_id, case_hash) of approved cases (R11)")
    snapshot_id: Text = column(
        "Snapshot the gold is judged on; null without a knowledge base", nullable=True
    )
    draft: Boolean = column("Whether the dataset version is not frozen")
    case_id: Text = column("Case id, opaque text in NFC")
    case_hash: Text = column("sha256 of what decides the case's scores (R11)")
    question: Text = column("The question as written")
    reference_answer: Text = column("The expected answer", nullable=True)
    accepted_answers: Texts = column("Further answers that are as good")
    evidence_quotes: Texts = column("Gold quotes for evidence by text (R5)")
    expected_status: Text = column("Status a right system gives", isin=STATUSES)
    accepted_statuses: Texts = column("All statuses that are right; holds expected_status at least")
    abstain_policy: Text = column("The four abstain conditions as canonical JSON", nullable=True)
    policy_notes: Texts = column(
        "Abstain policy written as sentences: for reviewers, measured by none"
    )
    category: Text = column("Kind of question; `unclassified` if the author gave none")
    split: Text = column("development, validation or test", nullable=True, isin=SPLITS)
    risk: Text = column("low, medium or high", nullable=True, isin=RISKS)
    scenario_id: Text = column("Groups variants of one question", nullable=True)
    user_roles: Texts = column("Roles of the asking user; empty is not checked")
    as_of: Day = column("Day the gold's validity is judged on", nullable=True)
    tags: Texts = column("Free labels")
    owner: Text = column("Who answers for the case", nullable=True)
    reviewed_by: Texts = column("Who reviewed it")
    collected_from: Text = column("Where the question came from", nullable=True)
    frequency: Text = column("How often it is asked, as written", nullable=True)
    language: Text = column("Language tag", nullable=True)
    lifecycle: Text = column("draft, approved or retired", isin=("draft", "approved", "retired"))
    source_file: Text = column("File below the data root")
    source_line: Integer = column("Line the case starts on", ge=1)
    flags: Texts = column("Notes of reading")
    extra: Text = column("Fields outside the design, as canonical JSON", nullable=True)

    class Config:
        unique = ["dataset_version", "case_id"]
        metadata = {"keys": ["dataset_version"], "row_id": ["case_id"]}


class CaseEvidence(Partitioned):
    """Gold evidence of a case: groups are all required, members of a group are alternatives."""

    case_id: Text = column("Case the evidence is gold for")
    group_no: Integer = column("Evidence group, from 1", ge=1)
    evidence_id: Text = column("Evidence id as written")
    doc_id: Text = column("Its document part (R2)")
    section_id: Text = column("Its section part", nullable=True)
    grade: Integer = column("Grade of relevance, for nDCG only", ge=1, le=3)
    resolved: Boolean = column(
        "Whether the snapshot has it; null without a snapshot", nullable=True
    )
    sha256: Text = column("Hash of the pinned text", nullable=True)

    class Config:
        unique = ["dataset_version", "case_id", "group_no", "evidence_id"]
        metadata = {"keys": ["dataset_version"], "row_id": ["case_id", "group_no", "evidence_id"]}


class CaseClaims(Partitioned):
    """Claims an answer must make (required) or must not make (forbidden)."""

    case_id: Text = column("Case of the claim")
    claim_id: Text = column("Claim id within the case")
    kind: Text = column("required or forbidden", isin=("required", "forbidden"))
    text: Text = column("The claim as written")
    importance: Text = column("vital or okay", isin=("vital", "okay"))
    any_of: Texts = column("Author's hint: one of these texts suffices")
    values: Texts = column("Author's hint: values that must occur")
    not_any_of: Texts = column("Author's hint `not`: texts that must not occur")

    class Config:
        unique = ["dataset_version", "case_id", "claim_id"]
        metadata = {"keys": ["dataset_version"], "row_id": ["case_id", "claim_id"]}


class DatasetFindings(Partitioned):
    """What the checks of a dataset version and its logs found, for people to act on."""

    stage: Text = column("Who looked: dataset or run_log", isin=("dataset", "run_log"))
    check: Text = column("Check that found it")
    severity: Text = column("note, warning or error", isin=("note", "warning", "error"))
    subject: Text = column("Case, run, document or file it is about", nullable=True)
    message: Text = column("What was found, what was expected, what to do")

    class Config:
        metadata = {"keys": ["dataset_version", "stage"], "row_id": ["check", "subject"]}
