"""Diagnosis: the one cause named for an item that does not pass, and where to mend it (R13).

The first condition that holds names the cause; all that hold are kept beside it.
"""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline.scores import behavior, evidence, search
from rag_eval_pipeline.scores import format as format_axis
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.model import AXES

# In order of precedence: cause, where to mend.
MEND = {
    "gold_problem": "dataset",
    "system_error": "system",
    "malformed_output": "system",
    "forbidden_access": "retrieval",
    "stale_evidence": "retrieval",
    "retrieval_miss": "retrieval",
    "missed_abstention": "behavior",
    "missed_clarification": "behavior",
    "over_refusal": "behavior",
    "needless_clarification": "behavior",
    "forbidden_claim": "generation",
    "wrong_answer": "generation",
    "ungrounded_claim": "generation",
    "unused_evidence": "generation",
    "incomplete_answer": "generation",
    "wrong_source": "generation",
    "incomplete_abstention": "behavior",
    # What rules cannot decide is for people, and a sharper claim decides it for good.
    "needs_review": "dataset",
}
# The same in the words of practice; what is not here lies outside of the answer.
PRACTICE = {
    "retrieval_miss": "retrieval miss",
    "stale_evidence": "retrieval miss",
    "wrong_answer": "departure from evidence",
    "ungrounded_claim": "departure from evidence",
    "unused_evidence": "departure from evidence",
    "wrong_source": "departure from evidence",
    "incomplete_answer": "incomplete answer",
    "incomplete_abstention": "incomplete answer",
    "over_refusal": "incomplete answer",
    "needless_clarification": "incomplete answer",
    "forbidden_claim": "unwarranted assertion",
    "missed_abstention": "unwarranted assertion",
    "missed_clarification": "unwarranted assertion",
}
# The axis whose reason tells most of a cause; where none is named here, evidence.
TOLD_BY = {
    "system_error": "format",
    "malformed_output": "format",
    "forbidden_access": "search",
    "retrieval_miss": "search",
    "missed_abstention": "behavior",
    "missed_clarification": "behavior",
    "over_refusal": "behavior",
    "needless_clarification": "behavior",
    "incomplete_abstention": "behavior",
}
LUCKY = "lucky"
# Causes that do not rest on the gold: the others say nothing of an item whose gold is in doubt.
WITHOUT_GOLD = (
    "gold_problem",
    "system_error",
    "malformed_output",
    "forbidden_access",
    "stale_evidence",
)


def conditions(rubric: Rubric) -> dict[str, pl.Expr]:
    """Each cause with the condition under which it holds, in order of precedence.

    The expressions need the facts of `facts.facts`, and {axis}_passed and `passed`.
    """
    expected, observed = pl.col("expected_status"), pl.col("observed_status")
    wrong_status = ~pl.col("status_match")
    missed = search.missed(rubric.sections["search"])
    failed = ~pl.col("evidence_passed") | ~pl.col("behavior_passed")
    only_search = ~pl.col("search_passed") & ~failed.fill_null(value=False)
    stale = pl.col("stale_source").is_not_null()
    claims = rubric.sections["evidence"]["measure"] == "claims"
    if claims:
        stale = stale | (pl.col("stale_values").list.len() > 0)
    named = {
        "gold_problem": pl.col("gold_problem").is_not_null(),
        "system_error": pl.col("system_error"),
        "malformed_output": format_axis.malformed(rubric.sections["format"]).list.len() > 0,
        "stale_evidence": stale,
        # A miss alone is named too: the item failed and nothing else explains it.
        "retrieval_miss": missed & (failed | only_search),
        "missed_abstention": wrong_status & (expected == "unknown") & (observed == "answer"),
        "missed_clarification": wrong_status & (expected == "clarify") & (observed == "answer"),
        "over_refusal": wrong_status & (expected != "unknown") & (observed == "unknown"),
        "needless_clarification": wrong_status & (expected != "clarify") & (observed == "clarify"),
    }
    if claims:
        named |= _by_claims(rubric)
    else:
        named |= {
            "wrong_answer": ~pl.col("exact_match"),
            "wrong_source": ~pl.col("source_match"),
        }
    if rubric.sections["search"].get("forbidden_access") == "fail":
        named["forbidden_access"] = pl.col("forbidden_ids").list.len() > 0
    if rubric.sections["behavior"]["measure"] == "abstain_policy":
        unmet = behavior.unmet(rubric.sections["behavior"]).list.len() > 0
        named["incomplete_abstention"] = pl.col("status_match") & unmet
    named["needs_review"] = pl.col("passed").is_null() & (pl.col("state") == "unmeasured")
    # Gold in doubt outranks whatever a rubric puts first: nothing else can be told of the item.
    order = dict.fromkeys(("gold_problem", *rubric.diagnosis_order, *MEND))
    return {cause: named[cause] for cause in order if cause in named}


def diagnose(frame: pl.DataFrame, rubric: Rubric) -> pl.DataFrame:
    """Add diagnosis, also and where_to_mend to items that do not pass; null and [] elsewhere.

    `frame` holds the facts, {axis}_passed, `passed` and `state` of run items. An item held out is
    not called wrong: of it only causes that do not rest on the gold are named, and of an open one
    only that it needs review. `also` ends with `lucky` where the gold was not retrieved and
    evidence and behavior pass all the same.
    """
    held_out = pl.col("state") == "held_out"
    failed = (~pl.col("passed")).fill_null(value=False)
    holding = pl.concat_list(
        pl.when(condition & _concerns(code, failed, held_out)).then(pl.lit(code))
        for code, condition in conditions(rubric).items()
    ).list.drop_nulls()
    missed = search.missed(rubric.sections["search"])
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


def _concerns(code: str, failed: pl.Expr, held_out: pl.Expr) -> pl.Expr:
    if code == "needs_review":
        return pl.lit(value=True)
    return failed | held_out if code in WITHOUT_GOLD else failed


def _by_claims(rubric: Rubric) -> dict[str, pl.Expr]:
    """What the claims of an answer tell; of an item that gives none they tell nothing."""
    section = rubric.sections["evidence"]
    judged = ~evidence.refused() & ~pl.col("evidence_passed")
    met, vital_unmet = pl.col("vital_met").list.len(), evidence.not_met(section).list.len()
    if evidence.threshold(section) is not None:
        met = met + pl.col("okay_met").list.len()
    contradicted = pl.col("vital_contradicted").list.len()
    unmet = vital_unmet + contradicted
    some_open = pl.col("vital_open").list.len()
    wanted = pl.col("expected_status") == "answer"
    return {
        "forbidden_claim": evidence.asserted(section).list.len() > 0,
        "wrong_answer": judged & (contradicted > 0),
        "ungrounded_claim": evidence.ungrounded(section).list.len() > 0,
        "unused_evidence": judged & wanted & (met == 0) & (some_open == 0) & (vital_unmet > 0),
        "incomplete_answer": judged & (unmet > 0) & ((met > 0) | (some_open > 0) | ~wanted),
        "wrong_source": evidence.wrong_source(section),
    }


def detailed_reason(passed_reason: str) -> pl.Expr:
    """What is wrong with an item, the axis first that its diagnosis speaks of.

    Needs diagnosis, {axis}_passed, {axis}_state, {axis}_reason, gold_problem, stale_values and
    stale_source. Names ids and the values found; not shortened.
    """
    told_by = pl.col("diagnosis").replace_strict(
        list(TOLD_BY), list(TOLD_BY.values()), return_dtype=pl.String, default="evidence"
    )

    def faulty(axis: str) -> pl.Expr:
        unmeasured = pl.col(f"{axis}_state") == "unmeasured"
        return (~pl.col(f"{axis}_passed")).fill_null(value=False) | unmeasured

    first = [pl.when((told_by == axis) & faulty(axis)).then(f"{axis}_reason") for axis in AXES]
    others = [pl.when((told_by != axis) & faulty(axis)).then(f"{axis}_reason") for axis in AXES]
    stale = pl.when(pl.col("diagnosis") == "stale_evidence").then(
        pl.format(
            "outdated: {}",
            pl.concat_list("stale_values", "stale_source").list.drop_nulls().list.join(", "),
        )
    )
    return (
        pl.when(pl.col("state") == "held_out")
        .then("gold_problem")
        .when(pl.col("system_error"))
        .then(pl.lit("the system logged an error"))
        .when(pl.col("state") == "not_applicable")
        .then(pl.lit("no axis applies"))
        .when(pl.col("passed"))
        .then(pl.lit(passed_reason))
        .otherwise(pl.concat_str(stale, *first, *others, separator="; ", ignore_nulls=True))
    )
