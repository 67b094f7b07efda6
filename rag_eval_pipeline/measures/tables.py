"""Facts of the item: whether the system failed, the gold is in doubt, the answer fits the question.

They are made where the measures of all modules are put together into tables, with their keys. An
item in doubt is held out: it counts neither for nor against the system.

Formula:
- system_error = the row of the log has an `error`
- gold_problem = what is wrong with a gold group of which no alternative is in the knowledge base
  and valid on the judged day (see the stale share for that day)
- answers_question = false for an answer that is empty or not of the kind asked for (asked when, no
  date or period; asked how much, no amount), else null: a rule cannot say more
- answer_cut = the answer has more than 20,000 characters; text rules read no further
Source: R7, R8
Gives: retrieval_measures (gold_problem); answer_measures (system_error, answers_question,
  answer_cut)
Needs: `log.error`, `log.answer`, `case.evidence`, `case.as_of`, `case.question`, `log.started_at`,
  `document.doc_id`, `document.effective_from`, `document.effective_until`
Absent:
- `log.error`: system_error is false
- `log.answer`: answers_question is false
- `case.question`: the case is rejected
- `case.evidence`: gold_problem is null
- `case.as_of`: the day the question was asked
- `case.as_of` and `log.started_at`: the day of the freeze, else the day the run was first read
- `document.doc_id`: gold_problem is null for want of a knowledge base
- `document.effective_from`: the document is valid from the first day on
- `document.effective_until`: it is valid without end
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds
from rag_eval_pipeline.knowledge.validity import (
    gold_problems,
    older_versions,
    outdated_documents,
)
from rag_eval_pipeline.measures.behavior import behavior_facts
from rag_eval_pipeline.measures.citations import citation_facts
from rag_eval_pipeline.measures.claims.derived import case_claims
from rag_eval_pipeline.measures.claims.matrix import claim_verdicts
from rag_eval_pipeline.measures.claims.ragchecker import claim_shares, ragchecker
from rag_eval_pipeline.measures.context import contexts
from rag_eval_pipeline.measures.distinct import with_facts
from rag_eval_pipeline.measures.exact_match import answer_matches, source_matches
from rag_eval_pipeline.measures.fields import malformed_fields, not_logged
from rag_eval_pipeline.measures.groundedness import value_groundedness
from rag_eval_pipeline.measures.retrieval.facts import retrieval_facts
from rag_eval_pipeline.measures.retrieval.ranks import ITEM
from rag_eval_pipeline.measures.version import measure_version
from rag_eval_pipeline.text.asked_for import answers_kind

LONGEST = 20_000
"""Characters of an answer, and of a document held against claims, that text rules read."""
OF_RANKING = ("reciprocal_rank", "n_unresolved", "n_stale", "n_forbidden")


@dataclass(frozen=True, slots=True)
class Index:
    """What an index was built from: the tables `documents` and `sections` of that snapshot."""

    documents: pl.DataFrame
    sections: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Reference:
    """The gold that items are measured against: tables of one dataset version.

    `index_of` gives the snapshot of an id, or None where it is not held (R7).
    """

    cases: pl.DataFrame
    evidence: pl.DataFrame
    claims: pl.DataFrame
    documents: pl.DataFrame
    sections: pl.DataFrame
    index_of: Callable[[str], Index | None] = lambda _: None

    @property
    def approved(self) -> pl.DataFrame:
        """Cases that are scored; drafts and retired ones are not (R8)."""
        return self.cases.filter(pl.col("lifecycle") == "approved")


def measurable(items: pl.DataFrame, reference: Reference) -> pl.DataFrame:
    """Run items of approved cases with the columns of their case, and their keys.

    `items` is the table `run_items` of whole runs with two more columns, `fallback_day`: the day
    validity is judged on where neither case nor item gives one (R7), and `indexed_snapshot` of the
    run. Beside the columns of the case, `index` is that snapshot where it is held and another than
    the pinned one, and `index_basis` says what holes and texts are judged on.
    """
    gold = reference.approved.select(
        "case_id",
        "dataset_hash",
        "reference_answer",
        "accepted_answers",
        "expected_status",
        "accepted_statuses",
        "abstain_policy",
        "evidence_quotes",
        "user_roles",
        "draft",
        "snapshot_id",
        case_as_of="as_of",
        case_question="question",
    )
    pinned = reference.cases["snapshot_id"].first() if reference.cases.height else None
    return (
        items.join(not_logged(items), on="run_id", maintain_order="left")
        .join(
            _indexes(items, reference, pinned),
            on="indexed_snapshot",
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        .join(gold, on="case_id", maintain_order="left")
        .with_columns(
            question=pl.coalesce("question", "case_question"),
            measure_version=measure_version(pl.col("index")),
        )
    )


def _indexes(items: pl.DataFrame, reference: Reference, pinned: object) -> pl.DataFrame:
    """indexed_snapshot, index, index_basis of the snapshots the items' runs name."""
    rows: list[tuple[str | None, str | None, str | None]] = []
    for name in items["indexed_snapshot"].unique().sort():
        if pinned is None:
            rows.append((name, None, None))
        elif name is None:
            rows.append((name, None, "index_unknown"))
        elif name == pinned:
            rows.append((name, None, "pinned"))
        elif reference.index_of(name) is None:
            rows.append((name, None, "index_not_held"))
        else:
            rows.append((name, name, "indexed"))
    schema = dict.fromkeys(("indexed_snapshot", "index", "index_basis"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _by_index(
    measured: pl.DataFrame, retrieved: pl.DataFrame, reference: Reference
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame, Index | None]]:
    """Items and slots by the index that holes and texts are judged on; None is the pinned one."""
    names = measured["index"].unique(maintain_order=True).to_list() or [None]
    for name in names:
        index = None if name is None else reference.index_of(name)
        if len(names) == 1:
            yield measured, retrieved, index
            return
        items = measured.filter(pl.col("index").eq_missing(pl.lit(name, pl.String)))
        runs = items.select("run_id").unique()
        yield items, retrieved.join(runs, on="run_id", how="semi"), index


def retrieval_measures(
    measured: pl.DataFrame, retrieved: pl.DataFrame, reference: Reference
) -> pl.DataFrame:
    """The table `retrieval_measures`; `measured` comes from `measurable`.

    `retrieved` is the table of those items, with texts.
    """
    judged = _judged_on(measured)
    days = judged.select("judged_on").unique()
    outdated = outdated_documents(days, reference.documents)
    facts = []
    stale_sources = []
    for items, slots, index in _by_index(measured, retrieved, reference):
        facts.append(
            retrieval_facts(
                items.join(judged, on=ITEM, maintain_order="left"),
                slots,
                evidence=reference.evidence,
                documents=reference.documents,
                sections=reference.sections,
                outdated=outdated if index is None else outdated_documents(days, index.documents),
                index_documents=None if index is None else index.documents,
                index_sections=None if index is None else index.sections,
            )
        )
        stale_sources.append(
            _stale_sources(items, slots, judged, outdated, _older(reference, index))
        )
    problems = gold_problems(judged, reference.evidence, reference.documents)
    logged = ~pl.col("not_logged").list.contains("retrieved")
    return _table(
        "retrieval_measures",
        measured.join(pl.concat(facts), on=ITEM, maintain_order="left")
        .join(problems, on=ITEM, how="left", maintain_order="left")
        .join(pl.concat(stale_sources), on=ITEM, how="left", maintain_order="left")
        # What a run never logs is not 0.
        .with_columns(pl.when(logged).then(pl.col(name)).alias(name) for name in OF_RANKING),
    )


def text_measures(
    measured: pl.DataFrame, retrieved: pl.DataFrame, reference: Reference
) -> dict[str, pl.DataFrame]:
    """The tables `claim_verdicts`, `answer_measures` and `behavior_measures`.

    `measured` comes from `measurable`, `retrieved` is the table of those items, with texts.
    """
    slots = _slots(measured, retrieved, reference)
    whole, measured = measured, measured.with_columns(pl.col("answer").str.head(LONGEST))
    wanted = case_claims(reference.approved, reference.claims)
    read_slots = slots.with_columns(pl.col("text").str.head(LONGEST))
    verdicts = claim_verdicts(measured, read_slots, wanted, reference.approved)
    read = measured.join(_met_claims(verdicts), on=ITEM, how="left", maintain_order="left")
    grounded = value_groundedness(
        read.with_columns(
            pl.col("met_claims").fill_null([]),
            retrieved_logged=~pl.col("not_logged").list.contains("retrieved"),
        ),
        slots,
    )
    answered = with_facts(
        measured,
        ["case_question", "answer"],
        lambda question, answer: (answers_kind(question, answer or ""),),
        {"answers_question": pl.Boolean},
    )
    known = KnownIds.of(reference.sections, reference.documents)
    of_item = [
        source_matches(measured, reference.evidence),
        whole.select(
            *ITEM,
            answer_cut=(pl.col("answer").str.len_chars() > LONGEST).fill_null(value=False),
            exact_match=answer_matches(),
        ),
        grounded,
        citation_facts(measured, retrieved, reference.evidence, known),
        claim_shares(verdicts),
        ragchecker(measured, slots, verdicts),
    ]
    answers = answered
    for facts in of_item:
        answers = answers.join(facts, on=ITEM, how="left", maintain_order="left")
    return {
        "claim_verdicts": _table("claim_verdicts", verdicts),
        "answer_measures": _table(
            "answer_measures",
            answers.with_columns(
                system_error=pl.col("error").is_not_null(),
                malformed_fields=malformed_fields(),
            ),
        ),
        "behavior_measures": _table("behavior_measures", behavior_facts(measured, grounded)),
    }


def _slots(measured: pl.DataFrame, retrieved: pl.DataFrame, reference: Reference) -> pl.DataFrame:
    """`contexts` of the items; a text of which the index holds an older version is outdated."""
    made = []
    for items, slots, index in _by_index(measured, retrieved, reference):
        texts = reference.sections if index is None else index.sections
        of_items = contexts(slots, texts, _outdated(items, reference))
        older = _older(reference, index)
        if older.height:
            named = of_items.join(_judged_on(items), on=ITEM, maintain_order="left").join(
                older,
                on=["doc_id", "section_id"],
                how="left",
                nulls_equal=True,
                maintain_order="left",
            )
            replaced = (pl.col("newer_from") <= pl.col("judged_on")).fill_null(value=False)
            of_items = named.with_columns(outdated=pl.col("outdated") | replaced).select(
                of_items.columns
            )
        made.append(of_items)
    return pl.concat(made)


def _older(reference: Reference, index: Index | None) -> pl.DataFrame:
    """`older_versions` of an index; none of the pinned snapshot itself."""
    held = index or Index(reference.documents.clear(), reference.sections.clear())
    return older_versions(reference.documents, reference.sections, held.documents, held.sections)


def _stale_sources(
    items: pl.DataFrame,
    retrieved: pl.DataFrame,
    judged: pl.DataFrame,
    outdated: pl.DataFrame,
    older: pl.DataFrame,
) -> pl.DataFrame:
    """Cited documents that were retrieved and are outdated, or of an older version."""
    cited = (
        items.select(*ITEM, doc_id="source_doc_id", section_id="source_section_id")
        .join(retrieved, on=[*ITEM, "doc_id"], how="semi", maintain_order="left")
        .join(judged, on=ITEM, maintain_order="left")
    )
    replaced = cited.join(
        older, on=["doc_id", "section_id"], nulls_equal=True, maintain_order="left"
    ).filter(pl.col("newer_from") <= pl.col("judged_on"))
    ended = cited.join(outdated, on=["judged_on", "doc_id"], how="semi", maintain_order="left")
    named = [frame.select(*ITEM, stale_source="doc_id") for frame in (ended, replaced)]
    return pl.concat(named).unique(maintain_order=True)


def _outdated(measured: pl.DataFrame, reference: Reference) -> pl.DataFrame:
    """Documents that are outdated on the day of each item: run_id, case_id, trial, doc_id."""
    judged = _judged_on(measured)
    days = judged.select("judged_on").unique()
    return judged.join(
        outdated_documents(days, reference.documents), on="judged_on", maintain_order="left"
    ).select(*ITEM, "doc_id")


def _judged_on(measured: pl.DataFrame) -> pl.DataFrame:
    return measured.select(*ITEM, judged_on=pl.coalesce("case_as_of", "local_date", "fallback_day"))


def _met_claims(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Texts of the required claims each answer meets: run_id, case_id, trial, met_claims."""
    met = (
        (pl.col("origin") == "gold")
        & (pl.col("target") == "answer")
        & (pl.col("kind") != "forbidden")
        & (pl.col("verdict") == "supported")
    )
    return verdicts.filter(met).group_by(ITEM, maintain_order=True).agg(met_claims="claim")


def _table(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(*tables.columns(name)).sort(tables.row_id(name))
