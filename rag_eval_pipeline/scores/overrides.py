"""Which cases a rubric judges by which keys: its overrides by category and risk.

Category and risk are not in the hash of a case (R11), so which cases the overrides concern is part
of the key of scores: edited slices make exactly the axes due whose keys they change.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.model import AXES

NONE = ""
"""Hash of slices where no case is judged by an override."""

_SLICES = ("category", "risk")
_UNCLASSIFIED = "unclassified"
_PLACE = "override_place"


def with_slices(rows: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """The rows, which have case_id, with category and risk of the table `cases`."""
    slices = cases.select("case_id", *_SLICES)
    return rows.join(slices, on="case_id", how="left", maintain_order="left")


def by_rubric(
    rows: pl.DataFrame, rubric: Rubric, judge: Callable[[pl.DataFrame, Rubric], pl.DataFrame]
) -> pl.DataFrame:
    """What a function makes of rows, each judged by the keys that hold for its case.

    Parameters
    ----------
    rows
        Any rows; with category and risk where the rubric has overrides (`with_slices`).
    judge
        From some of the rows, in their order, and a rubric without overrides, to as many rows.

    Returns
    -------
    The rows that `judge` gives, in the order of `rows`.
    """
    if not rubric.overrides:
        return judge(rows, rubric)
    parts = []
    numbered = rows.with_row_index(_PLACE)
    for chosen, concerned in _parts(numbered, rubric):
        judged = judge(concerned.drop(_PLACE), chosen)
        parts.append(judged.with_columns(concerned[_PLACE]))
    if not parts:
        return judge(rows, rubric.of_case(_UNCLASSIFIED, _UNCLASSIFIED))
    return pl.concat(parts).sort(_PLACE).drop(_PLACE)


def slices_hash(cases: pl.DataFrame, rubric: Rubric, axis: str) -> str:
    """Hash of which approved cases the overrides concern on an axis; empty if they concern none.

    `cases` has case_id, category, risk and lifecycle of the table `cases`.
    """
    touching = rubric.overrides_of(axis)
    if not touching:
        return NONE
    approved = cases.filter(pl.col("lifecycle") == "approved")
    concerned = []
    for chosen, rows in _parts(approved, rubric):
        keys = chosen.canonical(axis)
        if keys != {key: value for key, value in rubric.canonical(axis).items()
                    if key != "overrides"}:  # fmt: skip
            concerned += [[case_id, keys] for case_id in rows["case_id"]]
    return hash_json(sorted(concerned, key=lambda each: str(each[0]))) if concerned else NONE


def all_slices_hash(cases: pl.DataFrame, rubric: Rubric) -> str:
    """Hash of which cases the overrides concern on any axis; empty if none."""
    hashes = [slices_hash(cases, rubric, axis) for axis in AXES]
    return hash_json(hashes) if any(hashes) else NONE


def _parts(rows: pl.DataFrame, rubric: Rubric) -> list[tuple[Rubric, pl.DataFrame]]:
    """The rows divided by the keys that hold for them, each part in the order of the rows."""
    known = rows.with_columns(pl.col(*_SLICES).fill_null(_UNCLASSIFIED))
    pairs = known.select(*_SLICES).unique().sort(_SLICES).rows()
    rubrics: dict[str, tuple[Rubric, list[tuple[str, str]]]] = {}
    for category, risk in pairs:
        chosen = rubric.of_case(category, risk)
        rubrics.setdefault(chosen.version, (chosen, []))[1].append((category, risk))
    divided = []
    for chosen, its_pairs in rubrics.values():
        wanted = pl.DataFrame(its_pairs, schema=dict.fromkeys(_SLICES, pl.String), orient="row")
        places = (
            known.select(*_SLICES)
            .with_row_index("place")
            .join(wanted, on=_SLICES, how="semi", maintain_order="left")["place"]
        )
        divided.append((chosen, rows[places]))
    return divided
