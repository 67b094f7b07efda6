"""Contracts of the run log: files, runs, answers, what was retrieved, what could not be read."""

from rag_eval_pipeline.tables.model import (
    Boolean,
    Day,
    Instant,
    Integer,
    Number,
    OfRun,
    Table,
    Text,
    Texts,
    column,
)

FILE_STATES = ("new", "stable", "ingested", "rejected", "gone")
FIELD_TYPES = (
    "absent",
    "null",
    "text",
    "number",
    "boolean",
    "object",
    "list",
    "mixed_list",  # a list with a member that is no id
    "refused_id",  # text that is blank or holds an invisible character where an id belongs
)


class RunFiles(Table):
    """Every file found under runs/: what it holds and what became of it."""

    path: Text = column("File below the data root")
    size: Integer = column("Bytes as stored", ge=0)
    mtime: Instant = column("Last change of the file")
    sha256: Text = column("Hash of the stored bytes", nullable=True)
    run_id: Text = column("Run it holds", nullable=True)
    dataset_version: Text = column("Dataset version the run belongs to", nullable=True)
    state: Text = column("new, stable, ingested, rejected or gone", isin=FILE_STATES)
    reason: Text = column("Why it was rejected", nullable=True)
    encoding: Text = column("Encoding it was read with", nullable=True)
    n_rows: Integer = column("Lines that are not blank", nullable=True, ge=0)
    n_used: Integer = column("Rows that became run items", nullable=True, ge=0)
    n_quarantined: Integer = column("Rows in quarantine", nullable=True, ge=0)
    flags: Texts = column("Notes of reading, e.g. last_line_incomplete")

    class Config:
        unique = ["path"]
        metadata = {"keys": ["path"], "row_id": ["path"]}


class Runs(OfRun):
    """One pass of one system configuration over one dataset version."""

    system: Text = column("System that answered; baselines are chosen within it", nullable=True)
    kind: Text = column(
        "live, recorded or fixture", nullable=True, isin=("live", "recorded", "fixture")
    )
    model: Text = column("Generating model", nullable=True)
    settings: Text = column("Settings as canonical JSON", nullable=True)
    prompt_version: Text = column("Version of the prompt", nullable=True)
    embedding_model: Text = column("Embedding model", nullable=True)
    reranker: Text = column("Reranker", nullable=True)
    index_version: Text = column("Version of the index", nullable=True)
    indexed_snapshot: Text = column("Snapshot the index was built from", nullable=True)
    started_at: Instant = column("Start: run.yaml, else the first item", nullable=True)
    complete: Boolean = column("False if the asking job marked the run incomplete")
    logged_fields: Texts = column("Fields that carry a value in at least one row")
    unknown_fields: Texts = column("Fields outside the design, kept in `extra`")
    encoding: Text = column("Encoding the items were read with")
    first_read_on: Day = column("Day the run was first read, in the dataset's zone")
    source_path: Text = column("File below the data root")
    source_sha256: Text = column("Hash of the stored bytes of that file and its manifest")
    read_against: Text = column("Hash of the cases, ids and zone the rows were read with")
    n_items: Integer = column("Run items", ge=0)
    flags: Texts = column("Notes of reading")
    extra: Text = column("Manifest fields outside the design, as canonical JSON", nullable=True)

    class Config:
        unique = ["dataset_version", "run_id"]
        metadata = {"keys": ["dataset_version", "run_id"], "row_id": ["run_id"]}


class RunItems(OfRun):
    """One answer: (run_id, case_id, trial)."""

    case_id: Text = column("Case that was asked")
    trial: Integer = column("Trial of the case, from 1", ge=1)
    question: Text = column("Question as asked", nullable=True)
    answer: Text = column("Answer text", nullable=True)
    source: Text = column("Cited id", nullable=True)
    citations: Texts = column("Further cited ids")
    status: Text = column("Status as logged", nullable=True)
    escalated: Text = column("Target the item was escalated to, or true/false", nullable=True)
    latency_ms: Number = column(
        "Latency in milliseconds, 0 to 24 h", nullable=True, ge=0.0, le=86_400_000.0
    )
    input_tokens: Integer = column("Tokens in", nullable=True, ge=0)
    output_tokens: Integer = column("Tokens out", nullable=True, ge=0)
    cost_usd: Number = column("Cost in US dollars", nullable=True, ge=0.0)
    error: Text = column("Error of the system", nullable=True)
    started_at: Instant = column("When the question was asked", nullable=True)
    local_date: Day = column("That day in the dataset's zone", nullable=True)
    source_doc_id: Text = column("Document part of source (R2)", nullable=True)
    source_section_id: Text = column("Section part of source", nullable=True)
    retrieved_type: Text = column("JSON type of `retrieved` in the log", isin=FIELD_TYPES)
    answer_type: Text = column("JSON type of `answer`", isin=FIELD_TYPES)
    source_type: Text = column("JSON type of `source`", isin=FIELD_TYPES)
    status_type: Text = column("JSON type of `status`", isin=FIELD_TYPES)
    row_sha256: Text = column("Hash of the canonical row")
    source_line: Integer = column("Line of the row", ge=1)
    flags: Texts = column("Notes of reading")
    extra: Text = column("Fields outside the design, as canonical JSON", nullable=True)

    class Config:
        unique = ["dataset_version", "run_id", "case_id", "trial"]
        metadata = {"keys": ["dataset_version", "run_id"], "row_id": ["run_id", "case_id", "trial"]}


class Retrieved(OfRun):
    """What the retriever returned, one row a slot, in the order of `rank` (else of the list)."""

    case_id: Text = column("Case that was asked")
    trial: Integer = column("Trial of the case, from 1", ge=1)
    position: Integer = column("Place in the ranking, from 1", ge=1)
    logged_rank: Number = column("Rank as logged", nullable=True)
    evidence_id: Text = column("Retrieved id as logged")
    doc_id: Text = column("Its document part (R2)")
    section_id: Text = column("Its section part", nullable=True)
    score: Number = column("Retriever's score", nullable=True)
    text_sha256: Text = column("Hash of the logged text", nullable=True)
    text: Text = column("Text as logged", nullable=True)
    flags: Texts = column("Notes of reading")
    extra: Text = column("Fields outside the design, as canonical JSON", nullable=True)

    class Config:
        unique = ["dataset_version", "run_id", "case_id", "trial", "position"]
        metadata = {
            "keys": ["dataset_version", "run_id"],
            "row_id": ["run_id", "case_id", "trial", "position"],
        }


class Quarantine(Table):
    """Rows that could not be used: rows in = rows used + rows here."""

    dataset_version: Text = column("Dataset version, if known", nullable=True)
    run_id: Text = column("Run, for rows of run logs", nullable=True)
    source_file: Text = column("File below the data root")
    line: Integer = column("Line the row starts on", nullable=True, ge=1)
    code: Text = column("Kind of fault, e.g. invalid_json, unknown_case")
    field: Text = column("Field at fault", nullable=True)
    reason: Text = column("What was found, what was expected, what to do")
    excerpt: Text = column("Start of the row, secrets masked", nullable=True)

    class Config:
        metadata = {"keys": ["dataset_version", "source_file"], "row_id": ["source_file", "line"]}
