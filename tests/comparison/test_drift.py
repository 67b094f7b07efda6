import polars as pl

from rag_eval_pipeline.comparison.drift import Texts, drifted
from rag_eval_pipeline.comparison.regressions import Core

EVIDENCE = pl.DataFrame(
    [
        ("a", 1, "fees#s1", "fees", "s1", "old"),
        ("a", 2, "fees#s2", "fees", "s2", "same"),
        ("b", 1, "fees#s2", "fees", "s2", "same"),
        ("c", 1, "terms", "terms", None, "whole"),
        ("dangling", 1, "gone#s1", "gone", "s1", None),
    ],
    schema={
        "case_id": pl.String, "group_no": pl.Int64, "evidence_id": pl.String, "doc_id": pl.String,
        "section_id": pl.String, "sha256": pl.String,
    },
    orient="row",
)  # fmt: skip
PINNED: Texts = {("fees", "s1"): "old", ("fees", "s2"): "same", ("terms", None): "whole"}


def reasons(indexed: Texts) -> dict[str, str]:
    return dict(drifted(EVIDENCE, indexed, pinned="pinned", index="index").iter_rows())


def test_an_index_of_the_same_texts_has_no_drift() -> None:
    assert reasons(PINNED) == {}


def test_a_case_drifts_when_one_of_its_gold_texts_is_another() -> None:
    assert reasons({**PINNED, ("fees", "s1"): "new"}) == {
        "a": "another text in the index index than pinned (pinned): fees#s1"
    }


def test_a_document_that_is_gold_as_a_whole_drifts_with_any_of_its_sections() -> None:
    assert set(reasons({**PINNED, ("terms", None): "revised"})) == {"c"}


def test_gold_that_the_index_lacks_drifts_too() -> None:
    found = reasons({("fees", "s1"): "new", ("terms", None): "whole"})
    assert found == {
        "a": "another text in the index index than pinned (pinned): fees#s1; "
        "not in the index index: fees#s2",
        "b": "not in the index index: fees#s2",
    }


def test_only_cases_that_were_on_the_core_leave_it() -> None:
    core = Core(("a", "b"), ("changed",), ("new",), ())
    left = core.without({"a", "changed"})
    assert (left.unchanged, left.evidence_drifted, left.gold_changed) == (
        ("b",),
        ("a",),
        ("changed",),
    )
    assert left.n_candidate_cases == core.n_candidate_cases == 4
