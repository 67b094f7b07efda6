from collections.abc import Callable

import polars as pl

from rag_eval_pipeline.scores.evidence import score

FactsOf = Callable[..., pl.DataFrame]
STRICT = {"measure": "exact_match", "malformed": "zero"}


def test_answer_and_source_must_both_be_right(facts_of: FactsOf) -> None:
    found = score(
        facts_of(
            {},
            {"exact_match": False},
            {"source_match": False},
            {"exact_match": False, "source_match": False},
        ),
        STRICT,
    )
    assert found["passed"].to_list() == [True, False, False, False]


def test_reasons_say_which_of_the_two_is_wrong(facts_of: FactsOf) -> None:
    found = score(
        facts_of(
            {"exact_match": False},
            {"source_match": False, "source": "payment"},
            {"exact_match": False, "source_match": False, "source": None},
            {"source_match": False, "gold_ids": []},
        ),
        STRICT,
    )
    assert found["reason"].to_list() == [
        "the answer differs from the expected one",
        "source payment, gold shipping",
        "the answer differs from the expected one; source none, gold shipping",
        "source shipping, gold none",
    ]


def test_a_case_without_expected_answer_is_not_applicable(facts_of: FactsOf) -> None:
    found = score(facts_of({"exact_match": None, "source_match": False}), STRICT)
    assert found.select("state", "passed").row(0) == ("not_applicable", None)
