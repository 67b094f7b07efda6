import dataclasses
import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.comparison.pairs import (
    ASKED,
    ASKED_IDENTICAL,
    PINNED,
    Pair,
    Side,
    differences,
    sides,
    wanted_pairs,
)
from rag_eval_pipeline.dataset.manifest import PREVIOUS

RowsOf = Callable[..., pl.DataFrame]


def side(run_id: str, **changes: Any) -> Side:
    values: dict[str, Any] = {
        "run_id": run_id,
        "run_hash": f"rows of {run_id}",
        "dataset_version": "faq@v1",
        "dataset_hash": "gold",
        "snapshot_id": "s1",
        "draft": False,
        "system": "bot",
    }
    return Side(**(values | changes))


def wanted(
    *ordered: Side,
    version: str = "faq@v1",
    pinned: str | None = None,
    rubrics: tuple[str, ...] = ("strict@1",),
    asked: tuple[tuple[str, str, str], ...] = (),
) -> list[Pair]:
    return wanted_pairs(ordered, version, pinned=pinned, rubric_versions=rubrics, asked=asked)


def by_run(pairs: list[Pair]) -> dict[str, str | None]:
    return {pair.candidate.run_id: pair.baseline_run for pair in pairs}


def test_each_run_is_held_against_the_one_before_it() -> None:
    pairs = wanted(side("a"), side("b"), side("c"))
    assert by_run(pairs) == {"a": None, "b": "a", "c": "b"}
    assert {pair.rule for pair in pairs} == {PREVIOUS}
    assert pairs[0].reason_code == "no_earlier_run"


def test_baselines_stay_within_one_system() -> None:
    pairs = wanted(side("a"), side("b", system="other"), side("c"), side("d", system=None))
    assert by_run(pairs) == {"a": None, "b": None, "c": "a", "d": None}


def test_drafts_and_frozen_versions_have_baselines_of_their_own_kind() -> None:
    draft = {"dataset_version": "faq@v2", "draft": True}
    runs = (side("a"), side("b", **draft), side("c"), side("d", **draft))
    assert by_run(wanted(*runs)) == {"a": None, "c": "a"}
    assert by_run(wanted(*runs, version="faq@v2")) == {"b": None, "d": "b"}


def test_a_baseline_may_come_from_an_earlier_version_of_the_dataset() -> None:
    pairs = wanted(side("a"), side("b", dataset_version="faq@v2"), version="faq@v2")
    assert by_run(pairs) == {"b": "a"}


def test_a_pinned_baseline_holds_for_every_run_also_those_before_it() -> None:
    pairs = wanted(side("a"), side("b"), side("c"), pinned="b")
    assert by_run(pairs) == {"a": "b", "b": None, "c": "b"}
    assert [pair.reason_code for pair in pairs] == ["", "is_baseline", ""]
    assert {pair.rule for pair in pairs} == {PINNED}


def test_a_pinned_baseline_that_is_gone_is_said_and_not_replaced() -> None:
    (pair,) = wanted(side("a"), pinned="z")
    assert (pair.baseline, pair.reason_code) == (None, "pinned_absent")
    assert "'z'" in pair.reason


def test_previous_can_be_written_out() -> None:
    assert by_run(wanted(side("a"), side("b"), pinned=PREVIOUS)) == {"a": None, "b": "a"}


def test_every_rubric_has_its_pairs() -> None:
    pairs = wanted(side("a"), side("b"), rubrics=("strict@1", "own@2"))
    assert [(pair.candidate.run_id, pair.rubric_version) for pair in pairs] == [
        ("a", "strict@1"),
        ("a", "own@2"),
        ("b", "strict@1"),
        ("b", "own@2"),
    ]


def test_pairs_asked_for_come_on_top() -> None:
    runs = (side("a"), side("b"), side("c"))
    pairs = wanted(*runs, asked=(("c", "a", ASKED), ("c", "gone", ASKED_IDENTICAL)))
    assert [(pair.baseline_run, pair.rule) for pair in pairs[3:]] == [
        ("a", ASKED),
        ("gone", ASKED_IDENTICAL),
    ]
    assert pairs[3].require_identical is False
    assert pairs[4].require_identical is True
    assert pairs[4].reason_code == "baseline_gone"


def test_a_pair_asked_for_belongs_to_its_candidate_s_version() -> None:
    runs = (side("a"), side("b", dataset_version="faq@v2"))
    asked = (("b", "a", ASKED), ("nobody", "a", ASKED))
    assert [pair.rule for pair in wanted(*runs, asked=asked)] == [PREVIOUS]
    assert ASKED in {pair.rule for pair in wanted(*runs, version="faq@v2", asked=asked)}


CHANGED_SIDES = {
    "run_id": "other",
    "run_hash": "other",
    "dataset_version": "faq@v9",
    "dataset_hash": "other",
    "draft": True,
    "index": "s9",
    "slices_hash": "other",
}


@pytest.mark.parametrize("field", CHANGED_SIDES)
def test_a_comparison_has_another_id_when_a_side_changes(field: str) -> None:
    pair = Pair(side("b"), side("a"), PREVIOUS, "strict@1")
    for name in ("candidate", "baseline"):
        changed = dataclasses.replace(getattr(pair, name), **{field: CHANGED_SIDES[field]})
        assert dataclasses.replace(pair, **{name: changed}).comparison_id != pair.comparison_id


@pytest.mark.parametrize(
    "change",
    [
        {"rule": PINNED},
        {"rubric_version": "strict@2"},
        {"baseline": None},
        {"noted": "pinned by Mori"},
        {"min_measured": 0.8},
    ],
)
def test_a_comparison_has_another_id_under_another_rule_or_rubric(change: dict[str, Any]) -> None:
    pair = Pair(side("b"), side("a"), PREVIOUS, "strict@1")
    assert dataclasses.replace(pair, **change).comparison_id != pair.comparison_id


def test_a_comparison_keeps_its_id_while_nothing_that_decides_it_changes() -> None:
    pair = Pair(side("b"), side("a"), PREVIOUS, "strict@1")
    renamed = dataclasses.replace(pair, candidate=side("b", system="renamed", snapshot_id="s9"))
    assert renamed.comparison_id == pair.comparison_id
    assert wanted(side("a"), side("b"))[1].comparison_id == pair.comparison_id


def test_another_absent_baseline_is_another_comparison() -> None:
    (one,), (other,) = wanted(side("a"), pinned="x"), wanted(side("a"), pinned="y")
    assert one.comparison_id != other.comparison_id


def test_runs_are_ordered_by_start_then_id_with_undated_ones_first(rows_of: RowsOf) -> None:
    noon = dt.datetime(2026, 4, 1, 12, tzinfo=dt.UTC)
    runs = rows_of(
        "runs",
        {"dataset_version": "faq@v1", "run_id": "late", "started_at": noon},
        {"dataset_version": "faq@v1", "run_id": "b", "started_at": noon - dt.timedelta(hours=1)},
        {"dataset_version": "faq@v1", "run_id": "a", "started_at": noon - dt.timedelta(hours=1)},
        {"dataset_version": "faq@v1", "run_id": "z", "started_at": None},
        {"dataset_version": "faq@v1", "run_id": "cut", "started_at": noon, "complete": False},
        {"dataset_version": "gone@v1", "run_id": "foreign", "started_at": noon},
    )
    references = pl.DataFrame(
        {
            "dataset_version": ["faq@v1"],
            "dataset_hash": ["gold"],
            "snapshot_id": [None],
            "draft": [False],
        },
        schema_overrides={"snapshot_id": pl.String},
    )
    assert [each.run_id for each in sides(runs, references)] == ["z", "a", "b", "late"]


def test_differences_beside_the_answers_are_listed() -> None:
    names = (
        "dataset_version", "dataset_hash", "snapshot_id", "system", "kind", "model", "settings",
        "prompt_version", "embedding_model", "reranker", "index_version", "indexed_snapshot",
    )  # fmt: skip
    before: dict[str, object] = dict.fromkeys(names, "same")
    assert differences(before, before) == []
    now = before | {"model": "m2", "reranker": None}
    assert differences(now, before) == ["model: same → m2", "reranker: same → none"]


def test_who_pinned_a_baseline_is_noted_with_the_pairs_it_decides_only() -> None:
    pairs = wanted_pairs(
        (side("a"), side("b")), "faq@v1", pinned="a", rubric_versions=["strict@1"],
        asked=[("b", "a", ASKED)], noted="pinned by Mori", min_measured=0.8,
    )  # fmt: skip
    assert [(pair.rule, pair.noted) for pair in pairs] == [
        (PINNED, "pinned by Mori"), (PINNED, "pinned by Mori"), (ASKED, ""),
    ]  # fmt: skip
    assert {pair.min_measured for pair in pairs} == {0.8}
