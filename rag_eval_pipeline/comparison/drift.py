"""Cases whose gold text is another in the index a run was made with (R7).

Gold is judged on the dataset's pinned snapshot, and a system answers from the snapshot its index
was built from. Where the two hold another text of a gold section, an answer true to what the
system could read may be called wrong: such a case is held out of the comparison until the dataset
is rebased.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

Texts = Mapping[tuple[str, str | None], str]
"""Hash of each text of a snapshot by (doc_id, section_id), as `knowledge.texts` gives it."""


def drifted(evidence: pl.DataFrame, indexed: Texts, *, pinned: str, index: str) -> pl.DataFrame:
    """The cases with gold that the index does not hold as it is pinned.

    Parameters
    ----------
    evidence
        The table `case_evidence` of the dataset version; gold that the pinned snapshot lacks is
        left to other checks.
    indexed
        Hashes of the texts of the indexed snapshot.
    pinned, index
        Ids of the two snapshots, for the reason.

    Returns
    -------
    case_id, reason (names each gold section concerned and both snapshots); sorted.
    """
    rows = [(document, section, sha256) for (document, section), sha256 in indexed.items()]
    names = ("doc_id", "section_id", "indexed_sha256")
    texts = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    found = (
        evidence.filter(pl.col("sha256").is_not_null())
        .join(texts, on=["doc_id", "section_id"], how="left", nulls_equal=True)
        .filter(pl.col("sha256").ne_missing(pl.col("indexed_sha256")))
        .sort("case_id", "group_no", "evidence_id")
    )
    absent = pl.col("indexed_sha256").is_null()
    ids = pl.col("evidence_id").unique(maintain_order=True)
    differs = f"another text in the index {index} than pinned ({pinned}): "
    return (
        found.group_by("case_id", maintain_order=True)
        .agg(
            _told(ids.filter(~absent), differs).alias("differs"),
            _told(ids.filter(absent), f"not in the index {index}: ").alias("lacks"),
        )
        .select(
            "case_id",
            reason=pl.concat_list("differs", "lacks").list.drop_nulls().list.join("; "),
        )
    )


def _told(ids: pl.Expr, what: str) -> pl.Expr:
    return pl.when(ids.len() > 0).then(pl.lit(what) + ids.str.join(", "))
