import datetime as dt
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL, PREVIOUS, Pair, Side
from rag_eval_pipeline.comparison.regressions import Core
from rag_eval_pipeline.comparison.verdicts import Standing, comparison_row, refusal, standing
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


def split(
    unchanged: int, changed: int = 0, new: int = 0, removed: int = 0, drifted: int = 0
) -> Core:
    def ids(prefix: str, count: int) -> tuple[str, ...]:
        return tuple(f"{prefix}{number}" for number in range(count))

    return Core(
        ids("u", unchanged), ids("g", changed), ids("n", new), ids("r", removed),
        ids("d", drifted),
    )  # fmt: skip


def pair(rule: str = PREVIOUS, **baseline: Any) -> Pair:
    return Pair(side("b"), side("a", **baseline), rule, "strict@1")


def rests(given_split: Core, n_measured: int, n_eligible: int, share: float = 0.9) -> Standing:
    return standing(given_split, n_measured=n_measured, n_eligible=n_eligible, min_measured=share)


def test_an_unchanged_core_is_compared() -> None:
    assert refusal(pair(), split(9, 1), min_core=0.5) is None
    found = rests(split(9, 1), 9, 9)
    assert (found.state, found.reason_code) == ("compared", "compared")
    assert found.reason == "compared on 9 of 10 cases"


def test_cases_that_left_the_dataset_do_not_count_against_the_core() -> None:
    assert refusal(pair(), split(5, removed=50), min_core=1.0) is None


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
        (pair(), split(4, drifted=6), "core_too_small"),
        (pair(), split(0, drifted=6), "empty_core"),
        (
            Pair(side("b"), None, ASKED, "s", "baseline_gone", "its items are gone", "a"),
            split(0),
            "baseline_gone",
        ),
    ],
)
def test_a_refusal_says_why(given_pair: Pair, given_split: Core, code: str) -> None:
    found = refusal(given_pair, given_split, min_core=0.5)
    assert found is not None
    assert (found.state, found.reason_code) == ("refused", code)
    assert found.reason


def test_how_many_pairs_are_measured_is_said_where_it_is_not_all() -> None:
    assert rests(split(10, 1), 9, 10).reason == (
        "compared on 10 of 11 cases; 9 of the headline's 10 are measured on both sides"
    )


@pytest.mark.parametrize(
    ("n_measured", "n_eligible", "code"),
    [
        (9, 10, "compared"),
        (17, 19, "too_few_measured"),
        (0, 10, "no_measured_pair"),
        (0, 0, "no_headline_case"),
    ],
)
def test_too_few_measured_pairs_are_no_ground_for_a_verdict(
    n_measured: int, n_eligible: int, code: str
) -> None:
    found = rests(split(20), n_measured, n_eligible)
    assert found.reason_code == code
    assert found.state == ("compared" if code == "compared" else "insufficient_data")


def test_a_dataset_may_ask_for_less() -> None:
    assert rests(split(20), 16, 20, 0.8).state == "compared"


def test_a_pair_asked_for_as_identical_is_compared_if_it_is() -> None:
    assert refusal(pair(ASKED_IDENTICAL), split(3), min_core=0.5) is None


def test_without_a_baseline_nothing_is_refused_and_nothing_green() -> None:
    lonely = Pair(side("b"), None, PREVIOUS, "s", "no_earlier_run", "there is none")
    found = refusal(lonely, split(0), min_core=0.5)
    assert found == Standing("no_baseline", "no_earlier_run", "there is none")


@given(st.integers(1, 100), st.integers(0, 100))
def test_a_core_of_exactly_the_share_asked_for_is_enough(kept: int, changed: int) -> None:
    share = kept / (kept + changed)
    assert refusal(pair(), split(kept, changed), min_core=share) is None
    if changed:
        closer = (kept + 0.5) / (kept + changed)
        assert refusal(pair(), split(kept, changed), min_core=closer) is not None


def test_55_percent_of_20_cases_are_11() -> None:
    assert refusal(pair(), split(11, 9), min_core=0.55) is None


@pytest.mark.parametrize("baseline", [side("a", snapshot_id="s0"), None])
def test_every_pair_leaves_a_row_that_keeps_the_contract(baseline: Side | None) -> None:
    given_pair = Pair(side("b"), baseline, PREVIOUS, "strict@1", "" if baseline else "none", "")
    given_split = split(2, 1, 1, 5, 2)
    result = refusal(given_pair, given_split, min_core=0.5) or rests(given_split, 2, 2)
    row = comparison_row(
        given_pair, given_split, result, ["model: a → b"], compared_at=NOON, notes=["mind this"],
        flaky=["u1"],
    )  # fmt: skip
    frame = pl.DataFrame([row], schema=tables.columns("comparisons"), orient="row")
    assert violations("comparisons", frame) == []
    assert row["comparison_id"] == given_pair.comparison_id
    assert row["core_case_ids"] == ["u0", "u1"]
    assert (row["n_core"], row["n_candidate_cases"]) == (2, 6)
    assert row["baseline_run"] == (baseline.run_id if baseline else None)
    assert (row["notes"], row["flaky_case_ids"]) == (["mind this"], ["u1"])
    assert row["superseded_at"] is None
