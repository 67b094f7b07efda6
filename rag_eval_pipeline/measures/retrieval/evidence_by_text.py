"""Evidence by text: the place at which what the gold says was found, whatever the ids are called.

A re-chunked index has ids the gold does not know; what the gold says can still be found in its
texts. This takes the place of ranks by id where a knowledge base is held and knows under a tenth of
the run's ids. The method is stored, and two methods are never compared. The passage of a gold id is

- the case's `evidence_quotes` that stand in its text, where the case has any;
- else its section; of an id that names only a document, any section of it.

Quotes that stand in no gold text are taken as they are if the case has one group, else left out. A
passage of under 20 characters has to be found as it is.

Formula: rank of a group = the first position at which the texts so far hold 0.7 of the n-grams of a
  passage of it: 5 characters in Japanese, 3 words in other languages
Source: R5
Gives: retrieval_measures (method, text_ranks)
Needs: `case.evidence`, `case.evidence_quotes`, `log.retrieved`, `log.retrieved.text`,
  `document.text`
Absent:
- `case.evidence`: ranks are empty
- `case.evidence_quotes`: sections are looked for
- `log.retrieved`: not found
- `log.retrieved.text` of some slots: ranks are null (text_missing) unless all groups were found
- `log.retrieved.text` of the whole run: ranks are null (ids_not_in_snapshot)
- `document.text`: gold is looked for by ids only
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.measures.distinct import with_facts
from rag_eval_pipeline.text.ngrams import Passage, Searched, characters

ITEM = ["run_id", "case_id", "trial"]
TEXT_MISSING = "text_missing"
IDS_NOT_IN_SNAPSHOT = "ids_not_in_snapshot"
_GROUP = ["case_id", "group_no"]


def text_ranks(
    items: pl.DataFrame, slots: pl.DataFrame, evidence: pl.DataFrame, sections: pl.DataFrame
) -> pl.DataFrame:
    """Where each gold group of each item was found by text.

    Parameters
    ----------
    items
        run_id, case_id, trial, evidence_quotes (of the case): the items to measure.
    slots
        run_id, case_id, trial, position, text (null where it is not known) of those items.
    evidence
        The table `case_evidence`.
    sections
        The table `sections` of the snapshot.

    Returns
    -------
    run_id, case_id, trial, text_ranks, text_grades, text_found_grades (one entry per group as
    written, in order; null rank where not found), text_level (section where all gold names
    sections, else document), text_reason: ids_not_in_snapshot where no slot of
    the whole run has a text, text_missing where a group was not found and a slot has no text or the
    group's own text is not known. Items of cases without gold are left out.
    """
    evidence = evidence.join(items, on="case_id", how="semi", maintain_order="left")
    sections = sections.join(evidence, on="doc_id", how="semi", maintain_order="left")
    passages = _passages(items, evidence, sections)
    asked = (
        items.select(ITEM)
        .join(evidence.group_by(_GROUP).agg(best=pl.col("grade").max()), on="case_id")
        .join(
            evidence.group_by("case_id").agg(by_section=pl.col("section_id").is_not_null().all()),
            on="case_id",
        )
    )
    rankings = slots.sort("position").group_by(ITEM).agg("text")
    met = (
        asked.join(passages, on=_GROUP, how="left")
        .join(rankings, on=ITEM, how="left")
        .with_columns(pl.col("text").fill_null([]))
    )
    found = (
        met.drop("text", "parts")
        .with_columns(_covered_at(met))
        .sort(*ITEM, "group_no", "rank", -pl.col("grade"), nulls_last=True)
        .group_by(*ITEM, "group_no", maintain_order=True)
        .agg(
            pl.col("rank", "best", "by_section").first(),
            found_grade=pl.when(pl.col("rank").is_not_null()).then("grade").first(),
            known=pl.col("known").any(),
            texts=pl.col("texts").first(),
            slots=pl.col("slots").first(),
            unseen=pl.col("unseen").first(),
        )
        .group_by(ITEM, maintain_order=True)
        .agg(
            text_ranks="rank",
            text_grades="best",
            text_found_grades="found_grade",
            by_section=pl.col("by_section").first(),
            unsure=(pl.col("rank").is_null() & (pl.col("unseen") | ~pl.col("known"))).any(),
            texts=pl.col("texts").first(),
            slots=pl.col("slots").first(),
        )
    )
    textless = ~(pl.col("texts") > 0).any().over("run_id")
    return found.select(
        *ITEM,
        "text_ranks",
        "text_grades",
        "text_found_grades",
        text_level=pl.when("by_section").then(pl.lit("section")).otherwise(pl.lit("document")),
        # An empty ranking is a statement, whatever the ids of the others are.
        text_reason=pl.when(textless & (pl.col("slots") > 0))
        .then(pl.lit(IDS_NOT_IN_SNAPSHOT))
        .when("unsure")
        .then(pl.lit(TEXT_MISSING)),
    )


def measured_by_text(items: pl.DataFrame) -> pl.DataFrame:
    """Let ranks by text stand for those by id where there are any.

    `items` hold the columns of `ranks.group_ranks` and of `text_ranks`, null where an item was not
    looked for by text. Returns them with level, unmeasured_reason, n_groups, ranks, grades,
    found_grades and text_ranks as the table `retrieval_measures` has them.
    """
    by_text = pl.col("text_ranks").is_not_null()
    known = pl.col("text_reason").is_null()
    return items.with_columns(
        level=pl.when(by_text).then("text_level").otherwise("level"),
        unmeasured_reason=pl.when(by_text).then("text_reason").otherwise("unmeasured_reason"),
        n_groups=pl.when(by_text)
        .then(pl.col("text_ranks").list.len().cast(pl.Int64))
        .otherwise("n_groups"),
        ranks=pl.when(~by_text).then("ranks").when(known).then("text_ranks"),
        grades=pl.when(by_text).then("text_grades").otherwise("grades"),
        found_grades=pl.when(~by_text).then("found_grades").when(known).then("text_found_grades"),
        text_ranks=pl.when(known).then("text_ranks"),
    )


def _covered_at(met: pl.DataFrame) -> list[pl.Series]:
    """Rank of each passage in each ranking; each distinct text is folded once."""
    texts = {text: Searched.of(text) for text in met["text"].explode().unique().drop_nulls()}
    passages = {
        parts: Passage.of(parts) for parts in {tuple(each) for each in met["parts"].drop_nulls()}
    }
    ranks = [
        None
        if parts is None
        else passages[tuple(parts)].covered_at([texts.get(t) for t in ranking])
        for parts, ranking in zip(met["parts"], met["text"], strict=True)
    ]
    unseen = met["text"].list.eval(pl.element().is_null()).list.any()
    return [
        pl.Series("rank", ranks, pl.Int64),
        met["parts"].is_not_null().alias("known"),
        met["text"].list.drop_nulls().list.len().alias("texts"),
        met["text"].list.len().alias("slots"),
        unseen.fill_null(value=False).alias("unseen"),
    ]


def _passages(items: pl.DataFrame, evidence: pl.DataFrame, sections: pl.DataFrame) -> pl.DataFrame:
    """What may be found for each group: case_id, group_no, grade, parts.

    Several rows of a group are alternatives; `parts` are texts of which all have to be found.
    """
    members = evidence.select(*_GROUP, "doc_id", "section_id", "grade").with_row_index("member")
    held = with_facts(
        sections.select("doc_id", "section_id", "text"), ["text"], _folded, {"folded": pl.String}
    ).filter(pl.col("folded") != "")
    texts = members.join(held, on="doc_id", suffix="_held", maintain_order="left").filter(
        pl.col("section_id").is_null() | (pl.col("section_id") == pl.col("section_id_held"))
    )
    quotes = (
        items.select("case_id", quote="evidence_quotes")
        .unique("case_id", maintain_order=True)
        .explode("quote", empty_as_null=False)
    )
    quotes = with_facts(quotes, ["quote"], _folded, {"folded": pl.String}).filter(
        pl.col("folded") != ""
    )
    quoted = (
        texts.group_by("member", *_GROUP, "grade", maintain_order=True)
        .agg(pl.col("folded").str.join())
        .join(quotes, on="case_id", suffix="_quote", maintain_order="left")
        .filter(pl.col("folded").str.contains(pl.col("folded_quote"), literal=True))
        .group_by("member", *_GROUP, "grade", maintain_order=True)
        .agg(parts="quote")
    )
    alone = evidence.group_by("case_id").agg(
        group_no=pl.col("group_no").min(),
        groups=pl.col("group_no").n_unique(),
        grade=pl.col("grade").max(),
    )
    stray = (
        quotes.join(quoted, on="case_id", how="anti", maintain_order="left")
        .join(alone.filter(pl.col("groups") == 1), on="case_id", maintain_order="left")
        .group_by(*_GROUP, "grade", maintain_order=True)
        .agg(parts="quote")
    )
    whole = (
        texts.join(quoted, on="member", how="anti", maintain_order="left")
        .join(stray, on="case_id", how="anti", maintain_order="left")
        .select(*_GROUP, "grade", parts=pl.concat_list("text"))
    )
    columns = [*_GROUP, "grade", "parts"]
    return pl.concat([quoted.select(columns), stray.select(columns), whole.select(columns)])


def _folded(text: str) -> tuple[str]:
    return (characters(text),)
