"""What makes a case and a dataset the same: their hashes (R11)."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.dataset.gold import Claim, Group
from rag_eval_pipeline.reading.fingerprint import canonical_json, hash_json, sha256_text
from rag_eval_pipeline.text.fold import fold


def case_hash(
    values: dict[str, object],
    groups: list[Group],
    claims: list[Claim],
    policy: str | None,
    pinned: list[list[str | None]],
) -> str:
    """sha256 of all that decides the case's scores.

    `values` are the typed fields of the case, `pinned` the hashes of the gold texts per group and
    alternative. Owner, tags, category, split, risk and reviewer are not in it, nor the order of
    keys, nor width and space of the question.
    """
    return hash_json(
        {
            "question": fold(str(values["question"])),
            "groups": [[list(member) for member in group] for group in groups],
            "reference_answer": values["reference_answer"],
            "accepted_answers": sorted(_texts(values["accepted_answers"])),
            "evidence_quotes": _texts(values["evidence_quotes"]),
            "claims": [
                [c.claim_id, c.kind, c.text, c.importance, c.any_of, c.values, c.not_any_of]
                for c in claims
            ],
            "expected_status": values["expected_status"],
            "accepted_statuses": sorted(_texts(values["accepted_statuses"])),
            "abstain_policy": policy,
            "user_roles": sorted(_texts(values["user_roles"])),
            "as_of": str(values["as_of"]) if values["as_of"] is not None else None,
            "pinned": pinned,
        }
    )


def dataset_hash(cases: pl.DataFrame) -> str:
    """sha256 of the sorted (case_id, case_hash) of the approved cases of a `cases` frame."""
    approved = cases.filter(pl.col("lifecycle") == "approved").select("case_id", "case_hash")
    return sha256_text(canonical_json(sorted(map(list, approved.iter_rows()))))


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []
