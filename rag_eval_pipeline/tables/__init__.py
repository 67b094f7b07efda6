"""Every table of the warehouse and its contract, by table name."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.tables import (
    comparison,
    dataset,
    knowledge,
    marts,
    measures,
    meta,
    run_log,
    scores,
)
from rag_eval_pipeline.tables.model import Table

TABLES: dict[str, type[Table]] = {
    "meta": meta.Meta,
    "partition_names": meta.PartitionNames,
    "documents": knowledge.Documents,
    "sections": knowledge.Sections,
    "cases": dataset.Cases,
    "case_evidence": dataset.CaseEvidence,
    "case_claims": dataset.CaseClaims,
    "dataset_findings": dataset.DatasetFindings,
    "run_files": run_log.RunFiles,
    "runs": run_log.Runs,
    "run_items": run_log.RunItems,
    "retrieved": run_log.Retrieved,
    "quarantine": run_log.Quarantine,
    "retrieval_measures": measures.RetrievalMeasures,
    "claim_verdicts": measures.ClaimVerdicts,
    "answer_measures": measures.AnswerMeasures,
    "behavior_measures": measures.BehaviorMeasures,
    "scenario_measures": measures.ScenarioMeasures,
    "rubrics": scores.Rubrics,
    "search_scores": scores.SearchScores,
    "evidence_scores": scores.EvidenceScores,
    "behavior_scores": scores.BehaviorScores,
    "format_scores": scores.FormatScores,
    "case_scores": scores.CaseScores,
    "run_summary": marts.RunSummary,
    "slice_summary": marts.SliceSummary,
    "failure_summary": marts.FailureSummary,
    "run_trend": marts.RunTrend,
    "abstention_matrix": marts.AbstentionMatrix,
    "abstention_summary": marts.AbstentionSummary,
    "retrieval_generation_matrix": marts.RetrievalGenerationMatrix,
    "retrieval_at_k": marts.RetrievalAtK,
    "scenario_summary": marts.ScenarioSummary,
    "comparisons": comparison.Comparisons,
    "regressions": comparison.Regressions,
    "comparison_summary": comparison.ComparisonSummary,
    "comparison_figures": comparison.ComparisonFigures,
    "score_change_attribution": comparison.ScoreChangeAttribution,
}


def columns(table: str) -> dict[str, pl.DataType]:
    """Column names and Polars types of a table, in the contract's order."""
    return {name: col.dtype.type for name, col in TABLES[table].to_schema().columns.items()}


def describe(table: str) -> dict[str, str]:
    """Column names of a table with what each means."""
    return {
        name: str(col.description or "") for name, col in TABLES[table].to_schema().columns.items()
    }


def keys(table: str) -> list[str]:
    """Columns by which rows of the table are exchanged in the warehouse."""
    return list(TABLES[table].Config.metadata["keys"])


def row_id(table: str) -> list[str]:
    """Columns that name one row of the table to a person."""
    return list(TABLES[table].Config.metadata["row_id"])


def empty(table: str) -> pl.DataFrame:
    """A frame of the table with no rows."""
    return pl.DataFrame(schema=columns(table))
