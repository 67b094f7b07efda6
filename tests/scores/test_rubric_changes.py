"""What an edit changed in a rubric."""

from rag_eval_pipeline.scores.rubric import parse_rubric
from rag_eval_pipeline.scores.rubric_changes import rubric_changes

OLD = "search: {measure: recall, k: 10}\nevidence: {measure: claims, open_claims: review}\n"


def changed(new: str) -> list[str]:
    old, edited = (parse_rubric(text.encode(), "x.yaml", "x") for text in (OLD, new))
    return [each.sentence for each in rubric_changes(old, edited)]


def test_what_is_written_otherwise_and_means_the_same_is_no_change() -> None:
    new = (
        "# ten\nevidence: {open_claims: review, measure: claims}\nsearch: {k: 10, measure: recall}"
    )
    assert changed(new) == []


def test_each_key_is_told_with_both_values_in_order_of_sections() -> None:
    new = OLD.replace("review", "fail").replace("k: 10", "k: 5") + "pass: {min_core: 0.75}\n"
    assert changed(new) == [
        "search.k: 10 → 5",
        "evidence.open_claims: review → fail",
        "pass.min_core: 0.5 → 0.75",
    ]


def test_another_measure_takes_its_keys_with_it() -> None:
    found = changed(OLD.replace("measure: recall, k: 10", "measure: gold_retrieved"))
    assert "search.k: 10 → (absent)" in found
    assert "search.measure: recall → gold_retrieved" in found


def test_an_override_is_told_of_the_axis_it_touches() -> None:
    new = OLD + "overrides:\n  - when: {risk: high}\n    evidence: {open_claims: fail}\n"
    (found,) = changed(new)
    assert found.startswith("evidence.overrides: (absent) → ")
    assert "high" in found
