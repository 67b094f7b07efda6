"""Which verdicts two rubrics give otherwise."""

from collections.abc import Callable

import polars as pl

from rag_eval_pipeline.scores.rubric import Rubric, parse_rubric
from rag_eval_pipeline.scores.rubric_diff import rubric_diff

FactsOf = Callable[..., pl.DataFrame]


def strict(search: str = "full_credit", evidence: str = "zero") -> Rubric:
    text = f"""
search: {{measure: gold_retrieved, no_evidence: {search}}}
evidence: {{measure: exact_match, malformed: {evidence}}}
behavior: {{measure: status_match, malformed: ignore}}
format: {{measure: required_fields}}
"""
    return parse_rubric(text.encode(), "x.yaml", "x")


def test_each_axis_counts_every_item_once(facts_of: FactsOf) -> None:
    facts = facts_of({"case_id": "a", "n_groups": 0}, {"case_id": "b"})
    changes, counts = rubric_diff(facts, strict(), strict(search="separate"))
    assert changes.select("case_id", "axis", "old_verdict", "new_verdict").rows() == [
        ("a", "search", "pass", "not_applicable")
    ]
    reason = "the case has no gold evidence"
    assert changes.select("old_reason", "new_reason").rows() == [(reason, reason)]
    assert counts.filter(pl.col("axis") == "search").rows() == [
        ("search", "pass", "not_applicable", 1, 1),
        ("search", "pass", "pass", 1, 0),
    ]
    by_axis = counts.group_by("axis").agg(pl.col("n_items").sum())
    assert sorted(by_axis.rows()) == sorted(
        (axis, 2) for axis in ("search", "evidence", "behavior", "format", "overall")
    )


def test_the_same_rubric_changes_nothing(facts_of: FactsOf) -> None:
    changes, counts = rubric_diff(facts_of({}, {"case_id": "b"}), strict(), strict())
    assert changes.is_empty()
    assert (counts["old_verdict"] == counts["new_verdict"]).all()
    assert counts["n_score_changed"].sum() == 0


def test_the_whole_follows_its_axes(facts_of: FactsOf) -> None:
    facts = facts_of({"malformed_fields": ["extra"], "exact_match": True})
    changes, _ = rubric_diff(facts, strict(), strict(evidence="ignore"))
    assert ("evidence", "fail", "pass") in changes.select(
        "axis", "old_verdict", "new_verdict"
    ).rows()
