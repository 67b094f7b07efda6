"""What a reader has to know of a comparison before its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.comparison.pairs import Pair
from rag_eval_pipeline.comparison.regressions import Core
from rag_eval_pipeline.comparison.slices import DIMENSIONS
from rag_eval_pipeline.measures import MEASURE_VERSION

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Basis:
    """How the search axis of a run was judged: its levels and methods (R2, R5)."""

    levels: frozenset[str]
    methods: frozenset[str]


def bases(measured: pl.DataFrame) -> dict[str, Basis]:
    """Run id → how its search was judged.

    Parameters
    ----------
    measured
        run_id, level (null without gold), method of `retrieval_measures`, each combination once.
    """
    with_gold = measured.filter(pl.col("level").is_not_null())
    found = with_gold.group_by("run_id").agg(pl.col("level").unique(), pl.col("method").unique())
    return {
        run_id: Basis(frozenset(levels), frozenset(methods))
        for run_id, levels, methods in found.iter_rows()
    }


def search_refused(candidate: Basis | None, baseline: Basis | None, level: str) -> str | None:
    """Why the search axes of two runs are not comparable; None where they are.

    `level` is the one the rubric's search section asks for, `auto` where each run has its own.
    """
    if candidate is None or baseline is None:
        return None
    if candidate.methods != baseline.methods:
        return (
            f"search is judged by {_listed(baseline.methods)} in the baseline and by "
            f"{_listed(candidate.methods)} in the candidate"
        )
    if level == "auto" and candidate.levels != baseline.levels:
        return (
            f"search is judged at the level of the {_listed(baseline.levels)} in the baseline and "
            f"of the {_listed(candidate.levels)} in the candidate"
        )
    return None


def notes(
    pair: Pair,
    split: Core,
    *,
    logged_index: Mapping[str, str | None],
    search: str | None,
    paradoxes: Iterable[tuple[str, str, bool]] = (),
    moved_slices: Sequence[str] = (),
    older_rules: Sequence[str] = (),
) -> list[str]:
    """The sentences of one pair.

    Parameters
    ----------
    logged_index
        Of both runs the indexed snapshot the log names.
    search
        Why the search axis is not compared (`search_refused`).
    paradoxes
        axis, dimension, rose (`headlines.paradoxes`).
    moved_slices
        Cases whose slice is another on the two sides, with what changed.
    older_rules
        Other versions of the measuring rules that the baseline has stored scores by.
    """
    if pair.baseline is None:
        return [pair.noted] if pair.noted else []
    said = [pair.noted] if pair.noted else []
    if pair.baseline.run_id == pair.candidate.run_id:
        return said
    said += _mix(split)
    said += [_paradox(*each) for each in paradoxes]
    if split.evidence_drifted:
        said.append(
            "evidence drifted: the gold text of "
            f"{_counted(len(split.evidence_drifted))} is another in an index, so that "
            f"{'they are' if len(split.evidence_drifted) > 1 else 'it is'} not compared: "
            f"{_some(split.evidence_drifted)}"
        )
    said += _unknown_index(pair, logged_index)
    if search is not None:
        said.append(
            f"the search axis is not compared: {search}; as a whole each side keeps its own"
        )
    if older_rules:
        said.append(
            f"the baseline's earlier scores, by measuring rules {_listed(older_rules)}, are not "
            f"compared: both sides are measured by rules {MEASURE_VERSION}"
        )
    if moved_slices:
        said.append(
            f"slice changed, counted where the candidate's version has it: {_some(moved_slices)}"
        )
    return said


def slice_changes(candidate: pl.DataFrame, baseline: pl.DataFrame) -> list[str]:
    """Cases of both sides (tables `cases`) whose category, split, risk or language changed."""
    names = ["case_id", *DIMENSIONS]
    both = candidate.select(names).join(baseline.select(names), on="case_id", suffix="_before")
    return [
        f"{row['case_id']} ({name}: {row[f'{name}_before'] or 'none'} → {row[name] or 'none'})"
        for row in both.sort("case_id").iter_rows(named=True)
        for name in DIMENSIONS
        if row[name] != row[f"{name}_before"]
    ]


def _mix(split: Core) -> list[str]:
    if not split.new and not split.removed:
        return []
    said = (
        f"the mix of cases changed: {len(split.new)} new, {len(split.removed)} removed, "
        f"{len(split.unchanged)} on the core; the headlines of the two sides are of different "
        "cases and say nothing about better or worse"
    )
    return [said]


def _paradox(axis: str, dimension: str, rose: bool) -> str:
    whole, slices = ("up", "fell") if rose else ("down", "rose")
    conclusion = "no improvement" if rose else "no decline"
    return (
        f"{axis}: the headline of the whole went {whole} while every {dimension} {slices}: "
        f"the mix changed, this is {conclusion}"
    )


def _unknown_index(pair: Pair, logged: Mapping[str, str | None]) -> list[str]:
    if pair.candidate.snapshot_id is None or pair.baseline is None:
        return []
    unlogged: list[str] = []
    said: list[str] = []
    for name, side in (("baseline", pair.baseline), ("candidate", pair.candidate)):
        if side.index is None and logged.get(name) is None:
            unlogged.append(name)
        elif side.index is None:
            said.append(
                f"the index of the {name} ({logged[name]}) is no snapshot that is held, so it is "
                "not known whether it reads as the gold"
            )
    if unlogged:
        said.append(
            f"unknown index: the {' and the '.join(unlogged)} "
            f"{'do' if len(unlogged) > 1 else 'does'} not log indexed_snapshot, so it is not known "
            "whether the index reads as the gold"
        )
    return said


def _counted(n: int) -> str:
    return "1 case" if n == 1 else f"{n} cases"


def _some(items: Sequence[str]) -> str:
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more


def _listed(words: Iterable[str]) -> str:
    return " and ".join(sorted(words))
