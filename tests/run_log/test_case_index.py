import polars as pl

from rag_eval_pipeline.run_log.case_index import CaseIndex

CASES = pl.DataFrame(
    {"case_id": ["q1", "Q1", "q2"], "question": ["送料は？", "返品 は?", "返品　は？"]}
)


def test_cases_are_found_by_question_in_any_width_and_spacing() -> None:
    index = CaseIndex.of(CASES)
    assert index.case_ids == {"q1", "Q1", "q2"}
    assert index.by_question == {"送料は?": ("q1",), "返品 は?": ("Q1", "q2")}


def test_ids_that_differ_in_width_and_case_only_are_alike() -> None:
    index = CaseIndex.of(CASES)
    assert index.alike("ｑ１") == ["Q1", "q1"]
    assert index.alike("q3") == []


def test_ids_no_case_has_are_told_apart_exactly() -> None:
    found = CaseIndex.of(CASES).lacks(pl.Series(["q1", "Q2", "Q1", ""]))
    assert found.to_list() == [False, True, False, True]
