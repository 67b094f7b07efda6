"""Contracts of measures: facts about a run item that no threshold or weight changes."""

from rag_eval_pipeline.tables.model import (
    Boolean,
    Integer,
    Integers,
    ItemMeasure,
    Number,
    Text,
    Texts,
    column,
    share,
)

LEVELS = ("section", "document")
KEYS = ["dataset_version", "dataset_hash", "run_id", "run_hash", "measure_version"]
ITEM = ["run_id", "case_id", "trial"]


class RetrievalMeasures(ItemMeasure):
    """Where the gold evidence groups were ranked: what all rank measures follow from."""

    level: Text = column(
        "Level R2 `auto` gives: section or document; null without gold", nullable=True, isin=LEVELS
    )
    n_groups: Integer = column("Gold evidence groups", ge=0)
    n_retrieved: Integer = column("Retrieved slots", ge=0)
    n_duplicates: Integer = column("Slots repeating an earlier id", ge=0)
    group_ranks: Integers = column(
        "Position of each group by the pairing rule of R12; null if not retrieved"
    )
    section_ranks: Integers = column("The same by whole evidence ids")
    document_ranks: Integers = column("The same by document ids")
    reciprocal_rank: Number = share(
        "1 / position of the first group (pairing rule of R12); null without gold"
    )
    gold_problem: Text = column("Why the gold is in doubt (dangling, expired, …)", nullable=True)
    stale_source: Text = column(
        "Cited document, if it was retrieved and is of an older or expired version", nullable=True
    )

    class Config:
        unique = [*KEYS, "case_id", "trial"]
        metadata = {"keys": KEYS, "row_id": ITEM}


class ClaimVerdicts(ItemMeasure):
    """One verdict per claim and target text (R4, R14)."""

    claim_id: Text = column("Claim within the case")
    origin: Text = column("gold, or answer for claims of the answer", isin=("gold", "answer"))
    target: Text = column("answer, gold, context or doc:<position>")
    verdict: Text = column(
        "supported, contradicted or undecided", isin=("supported", "contradicted", "undecided")
    )
    mention: Text = column("Whether the text speaks of the topic", isin=("full", "partial", "none"))
    method: Text = column("rule, judge or human", isin=("rule", "judge", "human"))
    rule: Text = column("Rule that decided", nullable=True)
    quote: Text = column("Clause of the text that decided", nullable=True)
    reason: Text = column("Why", nullable=True)

    class Config:
        unique = [*KEYS, "case_id", "trial", "claim_id", "origin", "target", "method"]
        metadata = {"keys": KEYS, "row_id": [*ITEM, "claim_id", "target"]}


class AnswerMeasures(ItemMeasure):
    """Facts about the answer and its fields."""

    system_error: Boolean = column("Whether the system logged an error instead of an answer")
    malformed_fields: Texts = column(
        "Fields of the minimal form that are absent or of a wrong type (R12)"
    )
    exact_match: Boolean = column(
        "Whether the answer equals an accepted answer; null if neither is given", nullable=True
    )
    source_match: Boolean = column(
        "Whether source is one of the gold documents (R12); null source matches no gold"
    )

    class Config:
        unique = [*KEYS, "case_id", "trial"]
        metadata = {"keys": KEYS, "row_id": ITEM}


class BehaviorMeasures(ItemMeasure):
    """Expected against observed status (R3)."""

    expected_status: Text = column("Status a right system gives")
    observed_status: Text = column("Status the item has; null if none", nullable=True)
    status_match: Boolean = column("Whether the observed status is an accepted one")

    class Config:
        unique = [*KEYS, "case_id", "trial"]
        metadata = {"keys": KEYS, "row_id": ITEM}
