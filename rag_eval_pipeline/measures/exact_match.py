"""Exact match: whether answer and source are those of the gold, letter by letter.

Formula:
- exact_match = `answer` equals the reference answer or one of the accepted answers
- source_match = `source` is of a gold document, and of its section where both name one
Source: R12
Gives: answer_measures (exact_match, source_match)
Needs: `case.reference_answer`, `case.accepted_answers`, `case.evidence`, `log.answer`, `log.source`
Absent:
- both `case.reference_answer` and `case.accepted_answers`: exact_match is null
- `case.evidence`: source_match is true if `source` is absent too, else false
- `log.answer`: exact_match is false
- `log.source`: source_match is false, unless there is no gold
"""

from __future__ import annotations

import polars as pl


def answer_matches() -> pl.Expr:
    """Whether `answer` equals `reference_answer` or a member of `accepted_answers`.

    Null where the case gives neither; a missing answer matches nothing.
    """
    accepted = pl.concat_list("reference_answer", "accepted_answers").list.drop_nulls()
    equal = accepted.list.contains(pl.col("answer")) & pl.col("answer").is_not_null()
    return pl.when(accepted.list.len() > 0).then(equal.fill_null(value=False))


def source_matches(items: pl.DataFrame, evidence: pl.DataFrame) -> pl.DataFrame:
    """Whether the cited source is one of the gold documents.

    Where gold and source both name a section the section counts too; without gold the source must
    be null or absent, so that a source of another type than text matches nothing.

    Parameters
    ----------
    items
        run_id, case_id, trial, source_type, source_doc_id, source_section_id.
    evidence
        The table `case_evidence`.

    Returns
    -------
    run_id, case_id, trial, source_match.
    """
    gold = evidence.select("case_id", "doc_id", "section_id")
    both = pl.col("section_id").is_not_null() & pl.col("source_section_id").is_not_null()
    agrees = (pl.col("doc_id") == pl.col("source_doc_id")) & (
        ~both | (pl.col("section_id") == pl.col("source_section_id"))
    )
    return (
        items.join(gold, on="case_id", how="left", maintain_order="left")
        .group_by(["run_id", "case_id", "trial"], maintain_order=True)
        .agg(
            source_match=pl.when(pl.col("doc_id").is_null().all())
            .then(pl.col("source_type").first().is_in(["null", "absent"]))
            .otherwise(agrees.fill_null(value=False).any())
        )
    )
