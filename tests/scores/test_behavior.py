from collections.abc import Callable

import polars as pl

from rag_eval_pipeline.scores.behavior import score

FactsOf = Callable[..., pl.DataFrame]


def test_the_status_must_be_an_accepted_one(facts_of: FactsOf) -> None:
    found = score(
        facts_of(
            {},
            {"expected_status": "unknown", "status_match": False},
            {"observed_status": None, "status_match": False},
        ),
        {"measure": "status_match", "malformed": "zero"},
    )
    assert found["score"].to_list() == [1.0, 0.0, 0.0]
    assert found["reason"].to_list() == [
        "status answer is right",
        "status answer, expected unknown",
        "status none, expected answer",
    ]
