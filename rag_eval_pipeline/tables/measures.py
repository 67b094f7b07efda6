"""Contracts of measures: facts about a run item that no threshold or weight changes."""

from rag_eval_pipeline.tables.model import (
    Boolean,
    Integer,
    Integers,
    ItemMeasure,
    Number,
    OfMeasure,
    Text,
    Texts,
    column,
    share,
)

LEVELS = ("section", "document")
INDEX_BASES = ("indexed", "pinned", "index_unknown", "index_not_held")
UNRANKED = ("no_section_ids", "ids_not_in_snapshot", "text_missing")
KEYS = ["dataset_version", "dataset_hash", "run_id", "run_hash", "measure_version"]
ITEM = ["run_id", "case_id", "trial"]
CLAIM_KINDS = ("required", "forbidden", "derived", "answer")
CONDITION_STATES = ("met", "unmet", "open")


class RetrievalMeasures(ItemMeasure):
    """Where the gold evidence groups were ranked: what all rank measures follow from."""

    level: Text = column(
        "Level R2 `auto` gives: section or document; null without gold", nullable=True, isin=LEVELS
    )
    method: Text = column(
        "How gold was looked for: by ids, or by text where the ids are not the snapshot's (R5)",
        isin=("ids", "text"),
    )
    unmeasured_reason: Text = column(
        "Why `ranks` is null: no_section_ids (gold names a section, the slot only its document), "
        "ids_not_in_snapshot (and no text to go by), text_missing; null where it is not",
        nullable=True,
        isin=UNRANKED,
    )
    n_groups: Integer = column(
        "Gold evidence groups at that level and method; equal ones count once", ge=0
    )
    ranks: Integers = column(
        "Position of each of them at that level and by that method, null if not retrieved; "
        "empty without gold; null where unmeasured",
        nullable=True,
    )
    grades: Integers = column("Grade of each of them: the highest of its members (for nDCG)")
    found_grades: Integers = column(
        "Grade of the member found at the rank, null if not retrieved; null where unmeasured",
        nullable=True,
    )
    n_retrieved: Integer = column("Retrieved slots", ge=0)
    n_duplicates: Integer = column("Slots repeating an earlier id", ge=0)
    n_unresolved: Integer = column(
        "Slots whose id the snapshot does not have (holes); null without a snapshot",
        nullable=True,
        ge=0,
    )
    index_basis: Text = column(
        "What holes, outdated slots and texts are judged on: the snapshot the index was built from "
        "(indexed), or the pinned one, because it is the same (pinned), the run does not say "
        "(index_unknown) or it is not held (index_not_held); null without a snapshot",
        nullable=True,
        isin=INDEX_BASES,
    )
    n_stale: Integer = column(
        "Slots of documents outdated on the judged day; null without a snapshot or where it has "
        "under a tenth of the run's ids",
        nullable=True,
        ge=0,
    )
    n_forbidden: Integer = column(
        "Slots of documents the asker's roles may not read; null as n_stale, and without roles",
        nullable=True,
        ge=0,
    )
    stale_ids: Texts = column("Ids of the stale slots, each once, as ranked")
    forbidden_ids: Texts = column("Ids of the forbidden slots, each once, as ranked")
    group_ranks: Integers = column(
        "Position of each group as written by the pairing rule of R12; null if not retrieved"
    )
    section_ranks: Integers = column("The same by whole evidence ids")
    document_ranks: Integers = column("The same by document ids; groups equal by them count once")
    text_ranks: Integers = column(
        "The same by text (R5); null where gold was not looked for by text", nullable=True
    )
    reciprocal_rank: Number = share(
        "1 / position of the first group of `ranks`; null without gold, where `ranks` is null, and "
        "where the run does not log what it retrieved"
    )
    gold_problem: Text = column("Why the gold is in doubt (dangling, expired, …)", nullable=True)
    stale_source: Text = column(
        "Cited document, if it was retrieved and is of an older or expired version", nullable=True
    )

    class Config:
        unique = [*KEYS, "case_id", "trial"]
        metadata = {"keys": KEYS, "row_id": ITEM}


class ClaimVerdicts(ItemMeasure):
    """Which texts support which claims, by rule, judge or people (R4, R14).

    One row per claim and target. Against documents only what speaks of the claim has a row: a
    claim without a row for a document is one the document does not mention.
    """

    claim_id: Text = column("Claim within the case, or clause of the answer (`c1`, `c2`, …)")
    origin: Text = column("gold, or answer for claims of the answer", isin=("gold", "answer"))
    kind: Text = column(
        "required, forbidden, derived (from an accepted answer) or answer", isin=CLAIM_KINDS
    )
    importance: Text = column(
        "vital or okay; null for claims of the answer", nullable=True, isin=("vital", "okay")
    )
    claim: Text = column("The claim as written")
    target: Text = column("answer, gold or doc:<position>")
    verdict: Text = column(
        "supported, contradicted or undecided; a supported forbidden claim is a violation",
        isin=("supported", "contradicted", "undecided"),
    )
    mention: Text = column("Whether the text speaks of the topic", isin=("full", "partial", "none"))
    method: Text = column("rule, judge or human", isin=("rule", "judge", "human"))
    rule: Text = column("Rule that decided", nullable=True)
    quote: Text = column("Clause of the text that decided", nullable=True)
    start: Integer = column("Where the quote starts in the text, from 0", nullable=True, ge=0)
    end: Integer = column("Where it ends, exclusive", nullable=True, ge=0)
    reason: Text = column("Why", nullable=True)

    class Config:
        unique = [*KEYS, "case_id", "trial", "claim_id", "origin", "target", "method"]
        metadata = {"keys": KEYS, "row_id": [*ITEM, "origin", "claim_id", "target"]}


class AnswerMeasures(ItemMeasure):
    """Facts about the answer and its fields."""

    system_error: Boolean = column("Whether the system logged an error instead of an answer")
    malformed_fields: Texts = column(
        "Fields of the minimal form that are absent or of a wrong type (R12)"
    )
    not_logged: Texts = column("Fields that no item of the run carries (R12)")
    answer_cut: Boolean = column("Whether the answer is longer than what text rules read of it")
    exact_match: Boolean = column(
        "Whether the answer equals an accepted answer; null if neither is given", nullable=True
    )
    source_match: Boolean = column(
        "Whether source is one of the gold documents (R12); null source matches no gold"
    )
    n_values: Integer = column("Values in the answer; null without an answer", nullable=True, ge=0)
    ungrounded_values: Texts = column("Values that neither context nor question has (R6)")
    open_values: Texts = column("Values not found where the context is not fully known")
    echoed_values: Texts = column("Values the question has and the context has not")
    self_knowledge_values: Texts = column("Right values that the context has not (R6)")
    stale_values: Texts = column("Values that only outdated documents of the context have")
    value_groundedness: Number = share(
        "1 − ungrounded / values; null without values, without a known context or while open"
    )
    context_from: Text = column(
        "Where the context's texts are from: logged, snapshot, both; null if there is none",
        nullable=True,
        isin=("logged", "snapshot", "both"),
    )
    answers_question: Boolean = column(
        "False for an empty or off-kind answer, else null: rules cannot say more", nullable=True
    )
    n_citations: Integer = column("Distinct sources and citations", ge=0)
    cited_unresolved: Texts = column("Cited ids that neither the ranking nor the snapshot has")
    cited_not_retrieved: Texts = column("Cited ids that were not retrieved")
    cited_not_gold: Texts = column("Cited ids that are not gold evidence")
    citation_precision: Number = share("Cited that are gold / cited; null without either")
    citation_recall: Number = share("Gold groups cited / gold groups; null without gold")
    source_acceptable: Boolean = column(
        "Whether source or a citation is of a gold document (R4); null without gold", nullable=True
    )
    completeness: Number = share("Required claims met / required claims; null while open")
    correctness: Number = share(
        "Claims got right / claims the answer decides (required, forbidden); null if none"
    )
    n_violations: Integer = column(
        "Forbidden claims asserted; null without forbidden claims", nullable=True, ge=0
    )
    precision: Number = share("Answer claims the gold supports / answer claims (RAGChecker)")
    recall: Number = share("Gold claims the answer supports / gold claims (RAGChecker)")
    f1: Number = share("Harmonic mean of precision and recall (RAGChecker)")
    claim_recall: Number = share("Gold claims some document supports / gold claims")
    context_precision: Number = share("Documents that support a gold claim / documents")
    context_utilization: Number = share("Gold claims used in the answer / gold claims retrieved")
    noise_sensitivity_in_relevant: Number = share(
        "Wrong answer claims that relevant documents support / answer claims"
    )
    noise_sensitivity_in_irrelevant: Number = share(
        "Wrong answer claims that only irrelevant documents support / answer claims"
    )
    hallucination: Number = share("Wrong answer claims that no document supports / answer claims")
    self_knowledge: Number = share("Right answer claims that no document supports / answer claims")
    faithfulness: Number = share("Answer claims that some document supports / answer claims")

    class Config:
        unique = [*KEYS, "case_id", "trial"]
        metadata = {"keys": KEYS, "row_id": ITEM}


class BehaviorMeasures(ItemMeasure):
    """Expected against observed status, and the four abstain conditions (R3)."""

    expected_status: Text = column("Status a right system gives")
    observed_status: Text = column("Status the item has; null if none", nullable=True)
    status_from: Text = column(
        "logged, or pattern where the run logs no status and the answer's wording tells it",
        nullable=True,
        isin=("logged", "pattern"),
    )
    status_match: Boolean = column("Whether the observed status is an accepted one")
    pattern_status: Text = column(
        "Status the wording of the answer tells, to check the logged one", nullable=True
    )
    mixed: Boolean = column(
        "Whether the answer both abstains and gives a fact; null without an answer", nullable=True
    )
    no_invented_value: Text = column(
        "must_not_invent: no value outside context and question; null if not asked for",
        nullable=True,
        isin=CONDITION_STATES,
    )
    names_missing_condition: Text = column(
        "missing_conditions: the answer names them all; null if not asked for",
        nullable=True,
        isin=CONDITION_STATES,
    )
    gives_next_action: Text = column(
        "next_action: the answer names one of them; null if not asked for",
        nullable=True,
        isin=CONDITION_STATES,
    )
    escalates_as_allowed: Text = column(
        "escalation: escalated where required, not where none is allowed; null otherwise",
        nullable=True,
        isin=CONDITION_STATES,
    )
    missing_conditions_named: Texts = column("The case's missing conditions the answer names")
    missing_conditions_unnamed: Texts = column("Those it does not name")
    escalated: Boolean = column("Whether the item was escalated, by its field or its wording")

    class Config:
        unique = [*KEYS, "case_id", "trial"]
        metadata = {"keys": KEYS, "row_id": ITEM}


class ScenarioMeasures(OfMeasure):
    """Answers to the variants of one question, compared by their values."""

    scenario_id: Text = column("Scenario the variants belong to")
    n_variants: Integer = column("Variants the run answered", ge=1)
    contradicting_values: Texts = column(
        "Values of one kind that differ between two answers, with their cases"
    )

    class Config:
        unique = [*KEYS, "scenario_id"]
        metadata = {"keys": KEYS, "row_id": ["run_id", "scenario_id"]}
