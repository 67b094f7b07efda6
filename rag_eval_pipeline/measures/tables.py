"""The measure tables of some run items: facts put together, keys added."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.knowledge.validity import gold_problems, outdated_documents
from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.measures.behavior import observed_status, status_matches
from rag_eval_pipeline.measures.exact_match import answer_matches, source_matches
from rag_eval_pipeline.measures.fields import malformed_fields
from rag_eval_pipeline.measures.retrieval.ranks import ITEM, group_ranks
from rag_eval_pipeline.measures.retrieval.reciprocal_rank import reciprocal_rank


@dataclass(frozen=True, slots=True)
class Reference:
    """The gold that items are measured against: tables of one dataset version."""

    cases: pl.DataFrame
    evidence: pl.DataFrame
    documents: pl.DataFrame

    @property
    def approved(self) -> pl.DataFrame:
        """Cases that are scored; drafts and retired ones are not (R8)."""
        return self.cases.filter(pl.col("lifecycle") == "approved")


def measurable(items: pl.DataFrame, reference: Reference) -> pl.DataFrame:
    """Run items of approved cases with the columns of their case, and their keys.

    `items` is the table `run_items` with one more column, `fallback_day`: the day validity is
    judged on where neither case nor item gives one (R7).
    """
    gold = reference.approved.select(
        "case_id",
        "dataset_hash",
        "reference_answer",
        "accepted_answers",
        "expected_status",
        "accepted_statuses",
        case_as_of="as_of",
    )
    return items.join(gold, on="case_id", maintain_order="left").with_columns(
        measure_version=pl.lit(MEASURE_VERSION)
    )


def retrieval_measures(
    measured: pl.DataFrame, retrieved: pl.DataFrame, reference: Reference
) -> pl.DataFrame:
    """The table `retrieval_measures`; `measured` comes from `measurable`."""
    judged = measured.select(
        *ITEM, judged_on=pl.coalesce("case_as_of", "local_date", "fallback_day")
    )
    problems = gold_problems(judged, reference.evidence, reference.documents)
    outdated = outdated_documents(judged.select("judged_on").unique(), reference.documents)
    stale = (
        measured.select(*ITEM, doc_id="source_doc_id")
        .join(retrieved, on=[*ITEM, "doc_id"], how="semi", maintain_order="left")
        .join(judged, on=ITEM, maintain_order="left")
        .join(outdated, on=["judged_on", "doc_id"], how="semi", maintain_order="left")
        .select(*ITEM, stale_source="doc_id")
    )
    return _table(
        "retrieval_measures",
        measured.join(
            group_ranks(measured, retrieved, reference.evidence), on=ITEM, maintain_order="left"
        )
        .join(problems, on=ITEM, how="left", maintain_order="left")
        .join(stale, on=ITEM, how="left", maintain_order="left")
        .with_columns(reciprocal_rank=reciprocal_rank(pl.col("group_ranks"))),
    )


def answer_measures(measured: pl.DataFrame, reference: Reference) -> pl.DataFrame:
    """The table `answer_measures`; `measured` comes from `measurable`."""
    matches = source_matches(measured, reference.evidence)
    return _table(
        "answer_measures",
        measured.join(matches, on=ITEM, maintain_order="left").with_columns(
            system_error=pl.col("error").is_not_null(),
            malformed_fields=malformed_fields(),
            exact_match=answer_matches(),
        ),
    )


def behavior_measures(measured: pl.DataFrame) -> pl.DataFrame:
    """The table `behavior_measures`; `measured` comes from `measurable`."""
    return _table(
        "behavior_measures",
        measured.with_columns(observed_status=observed_status(), status_match=status_matches()),
    )


def _table(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(*tables.columns(name)).sort(tables.row_id(name))
