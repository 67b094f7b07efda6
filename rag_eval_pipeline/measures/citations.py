"""Citations: what an answer cites, against what was retrieved and against the gold.

An item cites by its fields `source` and `citations` and by marks inside its answer. A number in a
mark is a place in the ranking, from 1, unless an id of that very name was retrieved. Cited ids and
others match in pairs (R12): equal documents and, where both name a section, equal sections.

ALCE and the TREC 2024 RAG track use the same names for whether the cited texts *entail* the
statements they stand at, averaged over statements. Here the case's gold evidence says what ought to
be cited, over the whole answer: no model judges, and a right citation at the wrong sentence goes
unseen.

Formula:
- citation_precision = cited ids that are gold / cited ids
- citation_recall = gold groups with a cited alternative / gold groups
- source_acceptable = something cited is of a document of some gold group
Source: after ALCE (Gao et al. 2023), with gold in place of entailment; R4
Gives:
- answer_measures (n_citations, cited_unresolved, cited_not_retrieved, cited_not_gold)
- answer_measures (citation_precision, citation_recall, source_acceptable)
Needs: `case.evidence`, `log.source`, `log.citations`, `log.answer`, `log.retrieved`,
  `document.doc_id`
Absent:
- `case.evidence`: precision, recall and source_acceptable are null, cited_not_gold is empty
- `log.source`, `log.citations` and marks in `log.answer`: nothing is cited: precision is null,
  recall 0, source_acceptable false
- `log.retrieved`: all that is cited is in cited_not_retrieved
- `document.doc_id`: an id is known only if it was retrieved
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.knowledge.evidence_ids import KnownIds, resolve
from rag_eval_pipeline.measures.distinct import with_facts
from rag_eval_pipeline.text.citation_marks import citation_marks, cited_position

ITEM = ["run_id", "case_id", "trial"]

_LISTS = ("cited", "cited_unresolved", "cited_not_retrieved", "cited_not_gold")


def citation_facts(
    items: pl.DataFrame, retrieved: pl.DataFrame, evidence: pl.DataFrame, known: KnownIds
) -> pl.DataFrame:
    """What each run item cites and how it fits the ranking and the gold.

    Parameters
    ----------
    items
        run_id, case_id, trial, source, citations, answer.
    retrieved
        The table `retrieved` of those items.
    evidence
        The table `case_evidence` of their dataset version.
    known
        Ids of the snapshot; without a snapshot an id is known only if it was retrieved.

    Returns
    -------
    run_id, case_id, trial and

    - cited: distinct cited ids as resolved, in order of source, citations, answer; n_citations;
    - cited_unresolved: those neither retrieved nor in the snapshot;
    - cited_not_retrieved, cited_not_gold: cited_not_gold is empty without gold;
    - citation_precision: null without gold or without citation;
    - citation_recall: null without gold, 0 where gold exists and nothing is cited;
    - source_acceptable: whether something cited is of a document of some gold group (R4), false
      where nothing is cited; null without gold.
    """
    cited = _cited(items, retrieved, known)
    found = _against_retrieved(cited, retrieved)
    judged = _against_gold(found, evidence)
    groups = evidence.group_by("case_id").agg(n_groups=pl.col("group_no").n_unique())
    per_item = judged.group_by(ITEM, maintain_order=True).agg(
        cited=pl.col("cited"),
        cited_unresolved=pl.col("cited").filter(~pl.col("retrieved") & ~pl.col("in_snapshot")),
        cited_not_retrieved=pl.col("cited").filter(~pl.col("retrieved")),
        cited_not_gold=pl.col("cited").filter(~pl.col("gold")),
        n_citations=pl.len().cast(pl.Int64),
        n_gold=pl.col("gold").sum(),
        groups_cited=pl.col("groups").explode(empty_as_null=False).n_unique(),
        of_gold_document=pl.col("gold_document").any(),
    )
    has_gold = pl.col("n_groups") > 0
    return (
        items.select(ITEM)
        .join(per_item, on=ITEM, how="left", maintain_order="left")
        .join(groups, on="case_id", how="left", maintain_order="left")
        .with_columns(
            pl.col("n_citations", "n_gold", "groups_cited", "n_groups").fill_null(0),
            *(pl.col(name).fill_null([]) for name in _LISTS),
        )
        .select(
            *ITEM,
            "cited",
            "n_citations",
            "cited_unresolved",
            "cited_not_retrieved",
            cited_not_gold=pl.when(has_gold).then("cited_not_gold").otherwise([]),
            citation_precision=pl.when(has_gold & (pl.col("n_citations") > 0)).then(
                pl.col("n_gold") / pl.col("n_citations")
            ),
            citation_recall=pl.when(has_gold).then(pl.col("groups_cited") / pl.col("n_groups")),
            source_acceptable=pl.when(has_gold).then(
                pl.col("of_gold_document").fill_null(value=False)
            ),
        )
    )


def _cited(items: pl.DataFrame, retrieved: pl.DataFrame, known: KnownIds) -> pl.DataFrame:
    """One row per item and cited id: ITEM, cited, doc_id, section_id, in_snapshot."""
    written = pl.concat([_in_fields(items), _in_answers(items, retrieved, known)])
    slots = retrieved.select(*ITEM, "position", slot_id="evidence_id")
    logged = slots.select(*ITEM, raw="slot_id").unique().with_columns(by_name=pl.lit(value=True))
    named = (
        written.join(logged, on=[*ITEM, "raw"], how="left", maintain_order="left")
        .join(slots, on=[*ITEM, "position"], how="left", maintain_order="left")
        .with_columns(
            cited=pl.when(pl.col("by_name").is_null()).then("slot_id").fill_null(pl.col("raw"))
        )
    )
    ids = resolve(named["cited"], known).rename({"evidence_id": "cited"})
    return (
        named.join(ids, on="cited", how="left", maintain_order="left")
        .sort([*ITEM, "order"], maintain_order=True)
        .unique([*ITEM, "cited"], keep="first", maintain_order=True)
        .select(
            *ITEM,
            "cited",
            "doc_id",
            "section_id",
            in_snapshot=pl.col("resolved").fill_null(value=False),
        )
    )


def _in_fields(items: pl.DataFrame) -> pl.DataFrame:
    """Ids of `source` and `citations`: ids as they stand, never places in the ranking."""
    ids = pl.concat_list(pl.col("source"), pl.col("citations").fill_null([]))
    return (
        items.select(*ITEM, raw=ids)
        .explode("raw", empty_as_null=False)
        .filter(pl.col("raw").is_not_null())
        .with_columns(position=pl.lit(None, pl.Int64), order=pl.lit(0, pl.Int64))
    )


def _in_answers(items: pl.DataFrame, retrieved: pl.DataFrame, known: KnownIds) -> pl.DataFrame:
    """Ids of the marks in the answers, each distinct answer read once."""
    bracketed = known.documents | frozenset(retrieved["evidence_id"])

    def marks(answer: str | None) -> tuple[list[dict[str, object]]]:
        ids = (each for mark in citation_marks(answer or "", known=bracketed) for each in mark.ids)
        return ([{"raw": each, "position": cited_position(each)} for each in dict.fromkeys(ids)],)

    mark = pl.Struct({"raw": pl.String, "position": pl.Int64})
    return (
        with_facts(items.select(*ITEM, "answer"), ["answer"], marks, {"mark": pl.List(mark)})
        .explode("mark", empty_as_null=False)
        .unnest("mark")
        .select(*ITEM, "raw", "position", order=pl.lit(1, pl.Int64))
    )


def _against_retrieved(cited: pl.DataFrame, retrieved: pl.DataFrame) -> pl.DataFrame:
    """Add `retrieved`: whether a slot of the item matches."""
    slots = retrieved.select(*ITEM, "doc_id", slot_section=pl.col("section_id"))
    matched = (
        cited.join(slots, on=[*ITEM, "doc_id"])
        .filter(_paired("section_id", "slot_section"))
        .select(*ITEM, "cited")
        .unique()
        .with_columns(retrieved=pl.lit(value=True))
    )
    return cited.join(matched, on=[*ITEM, "cited"], how="left", maintain_order="left").with_columns(
        pl.col("retrieved").fill_null(value=False)
    )


def _against_gold(cited: pl.DataFrame, evidence: pl.DataFrame) -> pl.DataFrame:
    """Add `gold`, `groups` (numbers of the groups matched) and `gold_document`."""
    gold = evidence.select("case_id", "doc_id", "group_no", gold_section=pl.col("section_id"))
    matched = (
        cited.join(gold, on=["case_id", "doc_id"], maintain_order="left")
        .group_by([*ITEM, "cited"], maintain_order=True)
        .agg(
            groups=pl.col("group_no").filter(_paired("section_id", "gold_section")).unique(),
            gold_document=pl.lit(value=True),
        )
    )
    return cited.join(matched, on=[*ITEM, "cited"], how="left", maintain_order="left").with_columns(
        pl.col("groups").fill_null([]),
        pl.col("gold_document").fill_null(value=False),
        gold=(pl.col("groups").list.len() > 0).fill_null(value=False),
    )


def _paired(left: str, right: str) -> pl.Expr:
    either_open = pl.col(left).is_null() | pl.col(right).is_null()
    return either_open | (pl.col(left) == pl.col(right))
