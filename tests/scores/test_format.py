from collections.abc import Callable

import polars as pl

from rag_eval_pipeline.scores.format import score

FactsOf = Callable[..., pl.DataFrame]


def test_every_field_of_the_form_must_be_there_with_its_type(facts_of: FactsOf) -> None:
    found = score(
        facts_of({}, {"malformed_fields": ["retrieved", "answer"]}), {"measure": "required_fields"}
    )
    assert found["score"].to_list() == [1.0, 0.0]
    assert found["reason"].to_list() == [
        "all fields are there",
        "malformed: retrieved, answer",
    ]
