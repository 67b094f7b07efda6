"""Scenario consistency: whether the answers to variants of one question say the same.

Two answers contradict each other on a kind of value (money, date, …) when both hold values of the
kind, none of one is the same as any of the other, and at least one pair is different. Only answers
are compared, not abstentions and questions back.

Formula: contradicting_values = values of one kind on which two variants contradict each other, with
  their cases
Source: R15
Gives: scenario_measures (scenario_id, n_variants, contradicting_values)
Needs: `case.scenario_id`, `log.answer`, `log.status`
Absent:
- `case.scenario_id`: the case is in no row
- `log.answer`: the variant contradicts nothing
- `log.status`: the status its wording tells, where the run logs none; else it is left out
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import polars as pl

from rag_eval_pipeline.measures.distinct import with_facts
from rag_eval_pipeline.text.citation_marks import without_citations
from rag_eval_pipeline.text.compare_values import compare
from rag_eval_pipeline.text.values import Value, values

KEYS = ["dataset_version", "dataset_hash", "run_id", "run_hash", "measure_version"]


def scenario_measures(items: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """Contradicting values per run and scenario.

    Parameters
    ----------
    items
        Run items with their keys (see `tables.measurable`), case_id, trial, answer, and
        observed_status: only answers are compared, not abstentions and questions back.
    cases
        case_id and scenario_id of the cases.

    Returns
    -------
    The keys, scenario_id, n_variants (cases the run answered), contradicting_values: texts like
    `q1: 500円 / q2: 800円`, sorted.
    """
    variants = (
        items.filter(pl.col("observed_status") == "answer")
        .join(
            cases.select("case_id", "scenario_id").drop_nulls("scenario_id"),
            on="case_id",
            maintain_order="left",
        )
        .sort([*KEYS, "scenario_id", "case_id", "trial"])
        .group_by([*KEYS, "scenario_id"], maintain_order=True)
        .agg("case_id", "answer", n_variants=pl.col("case_id").n_unique())
        .with_columns(n_variants=pl.col("n_variants").cast(pl.Int64))
    )
    return with_facts(
        variants,
        ["case_id", "answer"],
        _contradictions,
        {"contradicting_values": pl.List(pl.String)},
    ).select(*KEYS, "scenario_id", "n_variants", "contradicting_values")


def _contradictions(cases: Sequence[str], answers: Sequence[str | None]) -> tuple[list[str]]:
    read = [
        (case, values(without_citations(answer or "")))
        for case, answer in dict.fromkeys(zip(cases, answers, strict=True))
    ]
    found: set[str] = set()
    for (case, own), (other, others) in combinations(read, 2):
        if case != other:
            found |= {
                f"{case}: {mine} / {other}: {theirs}" for mine, theirs in _differing(own, others)
            }
    return (sorted(found),)


def _differing(own: Sequence[Value], others: Sequence[Value]) -> list[tuple[str, str]]:
    """Quotes of the kinds on which two answers contradict each other."""
    found: list[tuple[str, str]] = []
    for kind in dict.fromkeys(value.kind for value in own):
        mine = [value for value in own if value.kind == kind]
        theirs = [value for value in others if value.kind == kind]
        labels = {compare(one, other) for one in mine for other in theirs}
        if "different" in labels and "same" not in labels:
            found.append((_quotes(mine), _quotes(theirs)))
    return found


def _quotes(found: Sequence[Value]) -> str:
    return ", ".join(dict.fromkeys(value.quote for value in found))
