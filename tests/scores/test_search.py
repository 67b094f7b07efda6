from collections.abc import Callable

import polars as pl

from rag_eval_pipeline.scores.search import score

FactsOf = Callable[..., pl.DataFrame]
STRICT = {"measure": "gold_retrieved", "no_evidence": "full_credit", "malformed": "zero"}
NO_GOLD = {"n_groups": 0, "group_ranks": [], "gold_ids": []}


def test_all_groups_must_be_retrieved_at_whatever_rank(facts_of: FactsOf) -> None:
    found = score(
        facts_of(
            {"n_groups": 2, "group_ranks": [2, 9]},
            {"n_groups": 2, "group_ranks": [2, None]},
            {"group_ranks": [None]},
        ),
        STRICT,
    )
    assert found["score"].to_list() == [1.0, 0.0, 0.0]


def test_reasons_name_the_gold_its_rank_and_what_is_missing(facts_of: FactsOf) -> None:
    found = score(
        facts_of(
            {"n_groups": 2, "group_ranks": [2, 9], "gold_ids": ["a", "b"]},
            {"n_groups": 2, "group_ranks": [2, None], "gold_ids": ["a", "b"]},
        ),
        STRICT,
    )
    assert found["reason"].to_list() == [
        "gold a, b at rank 2, 9",
        "gold a, b: 1 of 2 groups among 3 retrieved",
    ]


def test_a_case_without_gold_passes_or_is_not_applicable_as_the_rubric_says(
    facts_of: FactsOf,
) -> None:
    full = score(facts_of(NO_GOLD), STRICT)
    assert full.select("score", "state").row(0) == (1.0, "measured")
    separate = score(facts_of(NO_GOLD), STRICT | {"no_evidence": "separate"})
    assert separate.select("score", "passed", "state").row(0) == (None, None, "not_applicable")


def test_a_malformed_item_scores_0_also_without_gold(facts_of: FactsOf) -> None:
    found = score(facts_of({**NO_GOLD, "malformed_fields": ["retrieved"]}), STRICT)
    assert found.select("score", "reason_code").row(0) == (0.0, "malformed")
