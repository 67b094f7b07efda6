"""The facts of retrieval put together: ranks by id or by text, and what the slots were."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.measures.context import contexts
from rag_eval_pipeline.measures.retrieval.evidence_by_text import measured_by_text, text_ranks
from rag_eval_pipeline.measures.retrieval.forbidden_access import forbidden_slots
from rag_eval_pipeline.measures.retrieval.holes import holes, runs_with_other_ids, unresolved_ids
from rag_eval_pipeline.measures.retrieval.ranks import ITEM, group_ranks
from rag_eval_pipeline.measures.retrieval.reciprocal_rank import reciprocal_rank
from rag_eval_pipeline.measures.retrieval.stale import stale_slots


def retrieval_facts(
    items: pl.DataFrame,
    retrieved: pl.DataFrame,
    *,
    evidence: pl.DataFrame,
    documents: pl.DataFrame,
    sections: pl.DataFrame,
    outdated: pl.DataFrame,
    index_documents: pl.DataFrame | None = None,
    index_sections: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """What each run item retrieved, against its gold and the snapshot.

    Parameters
    ----------
    items
        run_id, case_id, trial; evidence_quotes and user_roles of the case; judged_on, the day
        validity is judged on. Runs are whole: how gold is looked for is decided by run.
    retrieved
        The table of those items, with texts.
    evidence, documents, sections
        The tables `case_evidence`, `documents` and `sections`; the latter two are empty without a
        snapshot.
    outdated
        judged_on, doc_id (`knowledge.validity.outdated_documents`) by what the index holds.
    index_documents, index_sections
        The tables of the snapshot the runs' index was built from: holes and texts are judged on
        it, and on the pinned one where it is None.

    Returns
    -------
    run_id, case_id, trial and the columns of `retrieval_measures` from level to reciprocal_rank.
    """
    held = documents.height > 0
    ids = unresolved_ids(retrieved, documents, sections)
    texts, lacking = sections, ids
    if index_documents is not None and index_sections is not None:
        texts, lacking = index_sections, unresolved_ids(retrieved, index_documents, index_sections)
    other = (runs_with_other_ids(ids) if held else ids["run_id"].clear()).implode()
    of_other = pl.col("run_id").is_in(other)
    slots = contexts(
        retrieved.filter(of_other),
        texts,
        items.filter(of_other).join(outdated, on="judged_on").select(*ITEM, "doc_id"),
    )
    by_text = text_ranks(items.filter(of_other), slots, evidence, sections)
    found = items.select(*ITEM, "user_roles")
    for facts in (
        group_ranks(items, retrieved, evidence),
        by_text,
        stale_slots(retrieved, items, outdated),
        forbidden_slots(retrieved, items, documents),
        holes(retrieved, lacking),
    ):
        found = found.join(facts, on=ITEM, how="left", maintain_order="left")
    # What the documents behind ids of another kind are, nobody can say.
    known = pl.lit(held) & ~of_other
    checked = known & (pl.col("user_roles").list.len() > 0)
    return (
        measured_by_text(found)
        .with_columns(
            pl.col("stale_ids", "forbidden_ids").fill_null([]),
            method=pl.when(of_other).then(pl.lit("text")).otherwise(pl.lit("ids")),
            n_unresolved=pl.when(pl.lit(held)).then(pl.col("n_unresolved").fill_null(0)),
            n_stale=pl.when(known).then(pl.col("n_stale").fill_null(0)),
            n_forbidden=pl.when(checked).then(pl.col("n_forbidden").fill_null(0)),
            reciprocal_rank=reciprocal_rank(pl.col("ranks")),
        )
        .drop("user_roles", "text_level", "text_reason", "text_grades", "text_found_grades")
    )
