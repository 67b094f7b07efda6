from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.comparison.slices import groups, slices_hash
from tests.comparison.conftest import cases_of

IDS = ["a", "b", "c", "d"]


def members(**slices: Any) -> dict[str, list[str]]:
    found = groups(cases_of(IDS, **slices))
    return {
        f"{dimension} {slice_}": sorted(rows["case_id"])
        for (dimension, slice_), rows in found.group_by("dimension", "slice")
    }


@pytest.mark.parametrize(
    ("splits", "headline"),
    [
        (["validation", "test", "development", None], ["a"]),
        (["test", "test", "development", None], ["a", "b", "d"]),
        (["development"] * 4, None),
        ([None] * 4, IDS),
    ],
)
def test_the_headline_is_the_validation_split_or_all_but_development(
    splits: list[str | None], headline: list[str] | None
) -> None:
    assert members(split=splits).get("all all") == headline


def test_slices_are_parts_of_the_headline_and_splits_of_all_cases() -> None:
    found = members(
        split=["validation", "validation", "development", "test"],
        category=["x", "y", "x", "y"],
        risk=["high", None, "high", None],
    )
    assert found["category x"] == ["a"]
    assert found["risk unclassified"] == ["b"]
    assert (found["split development"], found["split test"]) == (["c"], ["d"])


def test_drafts_and_retired_cases_are_in_no_group() -> None:
    cases = cases_of(IDS).with_columns(
        lifecycle=pl.Series(["approved", "draft", "retired", "approved"])
    )
    assert set(groups(cases)["case_id"]) == {"a", "d"}


def test_another_slice_or_scenario_gives_another_hash_and_another_order_the_same() -> None:
    cases = cases_of(IDS, risk=["high", "low", "low", "low"])
    assert slices_hash(cases.reverse()) == slices_hash(cases)
    hashes = {
        slices_hash(each)
        for each in (
            cases,
            cases_of(IDS, risk=["low", "high", "low", "low"]),
            cases_of(IDS, risk=["high", "low", "low", "low"], scenario_id=["s", "s", None, None]),
        )
    }
    assert len(hashes) == 3
