"""Cases a run lacks: on which axes they count."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.scores.case import join_axes, score_axes
from rag_eval_pipeline.scores.missing import missing_cases
from rag_eval_pipeline.scores.rubric import Rubric, load_rubric
from rag_eval_pipeline.tables.model import AXES

FactsOf = Callable[..., pl.DataFrame]
STRICT = load_rubric("strict", Path("no data root"))
CLAIMS = load_rubric("claims", Path("no data root"))


def unanswered(*case_ids: str, **values: Any) -> pl.DataFrame:
    types: dict[str, Any] = {
        "case_id": pl.String,
        "gold_problem": pl.String,
        "n_groups": pl.Int64,
        "n_claims": pl.Int64,
        "has_answer": pl.Boolean,
        "expected_status": pl.String,
        "not_logged": pl.List(pl.String),
    }
    usual = {"n_groups": 1, "n_claims": 1, "has_answer": True, "expected_status": "answer",
             "not_logged": []}  # fmt: skip
    rows = [{**usual, "case_id": each, **values} for each in case_ids]
    return pl.DataFrame(rows, schema=types, orient="row")


def states(rubric: Rubric, **values: Any) -> list[str]:
    row = missing_cases(unanswered("q9", **values), "r", rubric).row(0, named=True)
    assert row["state"] == "missing"
    return [row[f"{axis}_state"] for axis in AXES]


def test_a_case_whose_gold_is_in_doubt_is_held_out_though_the_run_lacks_it() -> None:
    found = missing_cases(
        unanswered("q9", gold_problem="dangling: x is not there"), "night", STRICT
    )
    row = found.row(0, named=True)
    assert {row[f"{axis}_state"] for axis in AXES} == {row["state"]} == {"held_out"}
    assert (row["diagnosis"], row["also"], row["where_to_mend"]) == (
        "gold_problem",
        ["gold_problem"],
        "dataset",
    )
    assert row["reason"] == "dangling: x is not there"
    assert (row["passed"], row["score"]) == (None, None)


def test_missing_cases_are_neither_passed_nor_failed_nor_measured() -> None:
    found = missing_cases(unanswered("q8", "q9"), "night", STRICT)
    assert found["case_id"].to_list() == ["q8", "q9"]
    assert found["run_id"].to_list() == ["night", "night"]
    assert set(found["state"]) == {"missing"}
    for axis in AXES:
        assert set(found[f"{axis}_state"]) == {"missing"}
        assert found[f"{axis}_score"].null_count() == 2
    assert found["passed"].null_count() == 2
    assert found["diagnosis"].null_count() == 2
    assert all("missing" in reason for reason in found["reason"])


def test_missing_cases_and_items_can_be_put_below_one_another(facts_of: FactsOf) -> None:
    facts = facts_of({})
    items = join_axes(facts, score_axes(facts, STRICT), STRICT)
    missing = missing_cases(unanswered("q9"), "r", STRICT)
    assert pl.concat([items, missing.select(items.columns)]).height == 2


GONE, NONE = "missing", "not_applicable"


@pytest.mark.parametrize(
    ("rubric", "values", "expected"),
    [
        (STRICT, {"n_groups": 0}, [GONE, GONE, GONE, GONE]),
        (STRICT, {"has_answer": False}, [GONE, NONE, GONE, GONE]),
        (CLAIMS, {}, [GONE, GONE, GONE, GONE]),
        (CLAIMS, {"n_groups": 0}, [NONE, GONE, GONE, GONE]),
        (CLAIMS, {"n_claims": 0}, [GONE, GONE, GONE, GONE]),
        (CLAIMS, {"n_claims": 0, "expected_status": "unknown"}, [GONE, NONE, GONE, GONE]),
        (CLAIMS, {"not_logged": ["retrieved"]}, [NONE, GONE, GONE, GONE]),
        (CLAIMS, {"not_logged": ["answer", "source", "status", "citations"]},
         [GONE, NONE, NONE, GONE]),
    ],
)  # fmt: skip
def test_a_missing_case_counts_on_the_axes_that_apply_to_it(
    rubric: Rubric, values: dict[str, Any], expected: list[str]
) -> None:
    assert states(rubric, **values) == expected
