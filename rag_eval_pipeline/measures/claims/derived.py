"""The claims of cases, and those derived from accepted answers where no claim is written (R3)."""

from __future__ import annotations

import polars as pl

CLAIM_COLUMNS = {
    "case_id": pl.String,
    "claim_id": pl.String,
    "kind": pl.String,
    "importance": pl.String,
    "claim": pl.String,
    "any_of": pl.List(pl.String),
    "values": pl.List(pl.String),
    "not_any_of": pl.List(pl.String),
}


def case_claims(approved_cases: pl.DataFrame, claims_table: pl.DataFrame) -> pl.DataFrame:
    """All claims that answers are judged by.

    A case that expects an answer and has no required claim gets one claim of kind `derived` per
    accepted answer, reference_answer first; one of them has to be met. They are vital and numbered
    a1, a2, …, or on from the highest such number the case's own claims bear.

    Parameters
    ----------
    approved_cases
        case_id, expected_status, reference_answer, accepted_answers of the cases that are scored.
    claims_table
        The table `case_claims`; claims of other cases are left out.

    Returns
    -------
    case_id, claim_id, kind (required, forbidden, derived), importance (vital, okay), claim,
    any_of, values, not_any_of: in the order of the cases, written claims before derived ones.
    """
    written = claims_table.join(approved_cases, on="case_id", how="semi", maintain_order="left")
    written = written.rename({"text": "claim"}).select(*CLAIM_COLUMNS)
    order = approved_cases.select("case_id").with_row_index("case_no")
    both = pl.concat([written, _derived(approved_cases, written)])
    return (
        both.with_row_index("claim_no")
        .join(order, on="case_id", maintain_order="left")
        .sort("case_no", "claim_no")
        .select(*CLAIM_COLUMNS)
    )


def _derived(cases: pl.DataFrame, written: pl.DataFrame) -> pl.DataFrame:
    required = written.filter(pl.col("kind") == "required")
    numbered = pl.col("claim_id").str.extract(r"^a([0-9]{1,9})$").cast(pl.Int64)
    taken = written.group_by("case_id").agg(taken=numbered.max())
    none = pl.lit([], pl.List(pl.String))
    return (
        cases.filter(pl.col("expected_status") == "answer")
        .join(required, on="case_id", how="anti", maintain_order="left")
        .select("case_id", claim=pl.concat_list("reference_answer", "accepted_answers"))
        .explode("claim", empty_as_null=False)
        .filter(pl.col("claim").str.strip_chars() != "")
        .unique(["case_id", "claim"], keep="first", maintain_order=True)
        .join(taken, on="case_id", how="left", maintain_order="left")
        .with_columns(
            number=pl.int_range(1, pl.len() + 1).over("case_id") + pl.col("taken").fill_null(0),
            kind=pl.lit("derived"),
            importance=pl.lit("vital"),
            any_of=none,
            values=none,
            not_any_of=none,
        )
        .with_columns(claim_id=pl.format("a{}", "number"))
        .select(*CLAIM_COLUMNS)
    )
