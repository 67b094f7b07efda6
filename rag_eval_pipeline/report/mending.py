"""What better retrieval, generation or behavior could mend: the part of a report that says so."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.report.words import shown


def behavior_lines(summary: pl.DataFrame) -> tuple[str, ...]:
    """Rates of answering, abstaining and asking back, each with its n; rows of one run and rubric.

    `summary` are rows of `abstention_summary`.
    """
    rates = (
        ("answered of answerable", "answered_rate", "n_answerable"),
        ("wrongly refused", "over_refusal_rate", "n_answerable"),
        ("right abstention", "correct_abstention_rate", "n_unanswerable"),
        ("answered where unknown was due", "missed_abstention_rate", "n_unanswerable"),
        ("right question back", "correct_clarification_rate", "n_underspecified"),
        ("answered where a question was due", "missed_clarification_rate", "n_underspecified"),
        ("no invented value", "no_invented_value_rate", "n_no_invented_value"),
        ("names the missing conditions", "names_missing_condition_rate",
         "n_names_missing_condition"),
        ("gives a next action", "gives_next_action_rate", "n_gives_next_action"),
        ("escalates as allowed", "escalates_as_allowed_rate", "n_escalates_as_allowed"),
    )  # fmt: skip
    return tuple(
        f"{label}: {shown(row[rate])} (n = {row[n]})"
        for row in summary.iter_rows(named=True)
        for label, rate, n in rates
        if row[rate] is not None
    )


def depth_sentence(depth: pl.DataFrame) -> str | None:
    """What a deeper cut would have caught, or None where none would.

    `depth` are rows of `retrieval_at_k` of one run and rubric. The smallest k is named that
    catches as many as any does.
    """
    deeper = depth.filter((pl.col("k") > pl.col("rubric_k")) & (pl.col("n_caught") > 0))
    if deeper.is_empty():
        return None
    row = deeper.sort("n_caught", "k", descending=[True, False]).row(0, named=True)
    return (
        f"k {row['rubric_k']}→{row['k']} would have caught {row['n_caught']} of "
        f"{row['n_missed']} misses (n = {row['n_ranked']})."
    )


def matrix(crossed: pl.DataFrame) -> pl.DataFrame:
    """Evidence found against answer right over the headline.

    `crossed` are rows of `retrieval_generation_matrix` of one run and rubric.
    """
    return crossed.filter(pl.col("dimension") == "all").select(
        "evidence_found", "answer_right", "mendable_by", "n_cell", "n_crossed", "case_ids"
    )


def scenarios(summary: pl.DataFrame) -> pl.DataFrame:
    """Scenarios whose variants do not agree: some fail and others pass, or values contradict."""
    return summary.filter(
        pl.col("is_split") | (pl.col("contradicting_values").list.len() > 0)
    ).select("scenario_id", "n_cases", "n_passed", "failed_case_ids", "contradicting_values")
