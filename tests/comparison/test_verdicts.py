import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL, PREVIOUS, Pair, Side
from rag_eval_pipeline.comparison.regressions import Core
from rag_eval_pipeline.comparison.verdicts import Standing, comparison_row, standing
from rag_eval_pipeline.tables.contract import violations

NOON = dt.datetime(2026, 4, 1, 12, tzinfo=dt.UTC)


def side(run_id: str, **changes: Any) -> Side:
    values: dict[str, Any] = {
        "run_id": run_id,
        "run_hash": "rows",
        "dataset_version": "faq@v1",
        "dataset_hash": "gold",
        "snapshot_id": None,
        "draft": False,
        "system": None,
    }
    return Side(**(values | changes))


def split(unchanged: int, changed: int = 0, new: int = 0, removed: int = 0) -> Core:
    def ids(prefix: str, count: int) -> tuple[str, ...]:
        return tuple(f"{prefix}{number}" for number in range(count))

    return Core(ids("u", unchanged), ids("g", changed), ids("n", new), ids("r", removed))


def pair(rule: str = PREVIOUS, **baseline: Any) -> Pair:
    return Pair(side("b"), side("a", **baseline), rule, "strict@1")


def test_an_unchanged_core_is_compared() -> None:
    found = standing(pair(), split(9, 1), min_core=0.5, n_measured=9)
    assert (found.state, found.reason_code) == ("compared", "compared")
    assert found.reason == "compared on 9 of 10 cases"


def test_cases_that_left_the_dataset_do_not_count_against_the_core() -> None:
    assert standing(pair(), split(5, removed=50), min_core=1.0, n_measured=3).state == "compared"


@pytest.mark.parametrize(
    ("given_pair", "given_split", "code"),
    [
        (Pair(side("b"), side("b"), ASKED, "s"), split(9), "same_run"),
        (pair(draft=True), split(9), "draft_baseline"),
        (pair(ASKED_IDENTICAL, dataset_hash="other"), split(9), "not_identical"),
        (pair(ASKED_IDENTICAL, dataset_version="faq@v0"), split(9), "not_identical"),
        (pair(ASKED_IDENTICAL, snapshot_id="other"), split(9), "not_identical"),
        (pair(), split(0, 3), "empty_core"),
        (pair(), split(0), "empty_core"),
        (pair(), split(4, 3, 3), "core_too_small"),
        (
            Pair(side("b"), None, ASKED, "s", "baseline_gone", "its items are gone", "a"),
            split(0),
            "baseline_gone",
        ),
    ],
)
def test_a_refusal_says_why(given_pair: Pair, given_split: Core, code: str) -> None:
    found = standing(given_pair, given_split, min_core=0.5, n_measured=3)
    assert (found.state, found.reason_code) == ("refused", code)
    assert found.reason


def test_how_many_pairs_are_measured_is_said_where_it_is_not_all() -> None:
    found = standing(pair(), split(9, 1), min_core=0.5, n_measured=3)
    assert found.reason == "compared on 9 of 10 cases, 3 of them measured on both sides"


def test_without_a_measured_pair_there_is_nothing_to_say() -> None:
    found = standing(pair(), split(9, 1), min_core=0.5, n_measured=0)
    assert (found.state, found.reason_code) == ("insufficient_data", "no_measured_pair")


def test_a_pair_asked_for_as_identical_is_compared_if_it_is() -> None:
    assert standing(pair(ASKED_IDENTICAL), split(3), min_core=0.5, n_measured=3).state == "compared"


def test_without_a_baseline_nothing_is_refused_and_nothing_green() -> None:
    lonely = Pair(side("b"), None, PREVIOUS, "s", "no_earlier_run", "there is none")
    found = standing(lonely, split(0), min_core=0.5, n_measured=3)
    assert found == Standing("no_baseline", "no_earlier_run", "there is none")


@given(st.integers(1, 100), st.integers(0, 100))
def test_a_core_of_exactly_the_share_asked_for_is_enough(kept: int, changed: int) -> None:
    share = kept / (kept + changed)
    assert standing(pair(), split(kept, changed), min_core=share, n_measured=3).state == "compared"
    if changed:
        closer = (kept + 0.5) / (kept + changed)
        assert (
            standing(pair(), split(kept, changed), min_core=closer, n_measured=3).state == "refused"
        )


def test_55_percent_of_20_cases_are_11() -> None:
    assert standing(pair(), split(11, 9), min_core=0.55, n_measured=3).state == "compared"


@pytest.mark.parametrize("baseline", [side("a", snapshot_id="s0"), None])
def test_every_pair_leaves_a_row_that_keeps_the_contract(baseline: Side | None) -> None:
    given_pair = Pair(side("b"), baseline, PREVIOUS, "strict@1", "" if baseline else "none", "")
    given_split = split(2, 1, 1, 5)
    result = standing(given_pair, given_split, min_core=0.5, n_measured=3)
    found = comparison_row(given_pair, given_split, result, ["model: a → b"], compared_at=NOON)
    assert violations("comparisons", found) == []
    row = found.row(0, named=True)
    assert row["comparison_id"] == given_pair.comparison_id
    assert row["core_case_ids"] == ["u0", "u1"]
    assert (row["n_core"], row["n_candidate_cases"]) == (2, 4)
    assert row["baseline_run"] == (baseline.run_id if baseline else None)
    assert row["superseded_at"] is None
