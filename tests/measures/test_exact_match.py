import polars as pl
import pytest

from rag_eval_pipeline.measures.exact_match import answer_matches, source_matches

ITEM = {"run_id": pl.String, "case_id": pl.String, "trial": pl.Int64}


def answer_match(answer: str | None, expected: str | None, *accepted: str) -> bool | None:
    frame = pl.DataFrame(
        {"answer": [answer], "reference_answer": [expected], "accepted_answers": [list(accepted)]},
        schema={
            "answer": pl.String,
            "reference_answer": pl.String,
            "accepted_answers": pl.List(pl.String),
        },
    )
    found: bool | None = frame.select(answer_matches()).item()
    return found


def test_the_answer_must_equal_an_accepted_one() -> None:
    assert answer_match("500円", "500円") is True
    assert answer_match("五百円", "500円", "五百円") is True
    assert answer_match("400円", "500円", "五百円") is False


@pytest.mark.parametrize("other", ["500円 ", "５００円", "500 円", "500円です"])
def test_nothing_is_folded(other: str) -> None:
    assert answer_match(other, "500円") is False


def test_no_answer_matches_nothing() -> None:
    assert answer_match(None, "500円") is False


def test_without_an_expected_answer_there_is_nothing_to_say() -> None:
    assert answer_match("500円", None) is None
    assert answer_match(None, None) is None


def source_match(source: str | None, gold: list[str], source_type: str | None = None) -> bool:
    document, _, section = (source or "").partition("#")
    items = pl.DataFrame(
        {
            "run_id": ["r"],
            "case_id": ["q"],
            "trial": [1],
            "source_type": [source_type or ("null" if source is None else "text")],
            "source_doc_id": [document or None],
            "source_section_id": [section or None],
        },
        schema={
            **ITEM,
            "source_type": pl.String,
            "source_doc_id": pl.String,
            "source_section_id": pl.String,
        },
    )
    pairs = [(each.partition("#")[0], each.partition("#")[2] or None) for each in gold]
    evidence = pl.DataFrame(
        [("q", *pair) for pair in pairs],
        schema={"case_id": pl.String, "doc_id": pl.String, "section_id": pl.String},
        orient="row",
    )
    found = source_matches(items, evidence)
    assert found.height == 1
    match: bool = found["source_match"].item()
    return match


def test_one_of_the_gold_documents_is_enough() -> None:
    assert source_match("shipping", ["returns", "shipping"])
    assert not source_match("payment", ["returns", "shipping"])


def test_the_section_counts_only_where_both_name_one() -> None:
    assert source_match("shipping", ["shipping#fee"])
    assert source_match("shipping#fee", ["shipping"])
    assert source_match("shipping#fee", ["shipping#fee"])
    assert not source_match("shipping#time", ["shipping#fee"])


def test_a_missing_source_matches_only_a_case_without_gold() -> None:
    assert source_match(None, [])
    assert not source_match(None, ["shipping"])
    assert not source_match("shipping", [])


def test_a_source_that_is_no_id_is_not_the_absence_of_a_source() -> None:
    assert not source_match(None, [], "object")
    assert not source_match(None, [], "refused_id")
    assert source_match(None, [], "absent")
