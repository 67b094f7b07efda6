"""Diagnosis: the one cause named for a failed item, and where to mend it (R13).

The first condition that holds names the cause; all that hold are kept beside it.
"""

from __future__ import annotations

import polars as pl

# In order of precedence: cause, where to mend.
MEND = {
    "gold_problem": "dataset",
    "system_error": "system",
    "malformed_output": "system",
    "stale_evidence": "retrieval",
    "retrieval_miss": "retrieval",
    "missed_abstention": "behavior",
    "missed_clarification": "behavior",
    "over_refusal": "behavior",
    "needless_clarification": "behavior",
    "wrong_answer": "generation",
    "wrong_source": "generation",
}
LUCKY = "lucky"
# Causes that do not rest on the gold: the others say nothing of an item whose gold is in doubt.
WITHOUT_GOLD = ("gold_problem", "system_error", "malformed_output", "stale_evidence")


def conditions() -> dict[str, pl.Expr]:
    """Each cause with the condition under which it holds, in order of precedence.

    The expressions need the facts of `facts.facts` and {axis}_passed.
    """
    expected, observed = pl.col("expected_status"), pl.col("observed_status")
    wrong_status = ~pl.col("status_match")
    missed = pl.col("group_ranks").list.eval(pl.element().is_null()).list.any()
    failed = ~pl.col("evidence_passed") | ~pl.col("behavior_passed")
    only_search = ~pl.col("search_passed") & ~failed.fill_null(value=False)
    return {
        "gold_problem": pl.col("gold_problem").is_not_null(),
        "system_error": pl.col("system_error"),
        "malformed_output": pl.col("malformed_fields").list.len() > 0,
        "stale_evidence": pl.col("stale_source").is_not_null(),
        # A miss alone is named too: the item failed and nothing else explains it.
        "retrieval_miss": missed & (failed | only_search),
        "missed_abstention": wrong_status & (expected == "unknown") & (observed == "answer"),
        "missed_clarification": wrong_status & (expected == "clarify") & (observed == "answer"),
        "over_refusal": wrong_status & (expected != "unknown") & (observed == "unknown"),
        "needless_clarification": wrong_status & (expected != "clarify") & (observed == "clarify"),
        "wrong_answer": ~pl.col("exact_match"),
        "wrong_source": ~pl.col("source_match"),
    }


def diagnose(frame: pl.DataFrame) -> pl.DataFrame:
    """Add diagnosis, also and where_to_mend to failed and held-out items; null and [] elsewhere.

    `frame` holds the facts, {axis}_passed, `passed` and `state` of run items. An item held out is
    not called wrong: of it only causes that do not rest on the gold are named. `also` ends with
    `lucky` where the gold was not retrieved and evidence and behavior pass all the same.
    """
    held_out = pl.col("state") == "held_out"
    failed = (~pl.col("passed")).fill_null(value=False)
    holding = pl.concat_list(
        pl.when(condition & (failed | held_out if code in WITHOUT_GOLD else failed)).then(
            pl.lit(code)
        )
        for code, condition in conditions().items()
    ).list.drop_nulls()
    missed = pl.col("group_ranks").list.eval(pl.element().is_null()).list.any()
    lucky = missed & pl.col("evidence_passed") & pl.col("behavior_passed")
    luck = pl.concat_list(pl.when(lucky).then(pl.lit(LUCKY))).list.drop_nulls()
    return (
        frame.with_columns(also=holding)
        .with_columns(diagnosis=pl.col("also").list.first())
        .with_columns(
            also=pl.col("also").list.concat(luck),
            where_to_mend=pl.col("diagnosis").replace_strict(
                list(MEND), list(MEND.values()), return_dtype=pl.String, default=None
            ),
        )
    )
