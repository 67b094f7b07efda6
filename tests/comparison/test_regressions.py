"""What changed per case and axis, checked against plain Python where the rules allow it."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.regressions import (
    AXES_AND_OVERALL,
    Core,
    case_results,
    core,
    regressions,
)
from rag_eval_pipeline.tables.model import AXES, STATES

APPROVED = {"case_id": pl.String, "case_hash": pl.String}
ITEM: dict[str, Any] = {
    "case_id": pl.String,
    **{
        f"{axis}_{part}": kind
        for axis in AXES
        for part, kind in (("score", pl.Float64), ("passed", pl.Boolean), ("state", pl.String))
    },
    "score": pl.Float64,
    "passed": pl.Boolean,
    "state": pl.String,
}

Trial = tuple[str, bool | None]
"""state and passed."""

PASS: Trial = ("measured", True)
FAIL: Trial = ("measured", False)
OPEN: Trial = ("unmeasured", None)
HELD: Trial = ("held_out", None)
NOT: Trial = ("not_applicable", None)


def results(cases: dict[str, list[Trial]]) -> pl.DataFrame:
    """Results of one run whose axes all say the same."""
    rows = [
        {"case_id": case}
        | {
            f"{prefix}{part}": value
            for prefix in ("", *(f"{axis}_" for axis in AXES))
            for part, value in (
                ("score", None if passed is None else float(passed)),
                ("passed", passed),
                ("state", state),
            )
        }
        for case, trials in cases.items()
        for state, passed in trials
    ]
    return case_results(pl.DataFrame(rows, schema=ITEM, orient="row"))


def result(*trials: Trial) -> dict[str, Any]:
    found = results({"q": list(trials)})
    assert found["axis"].sort().to_list() == sorted(AXES_AND_OVERALL)
    return found.filter(pl.col("axis") == "overall").row(0, named=True)


def approved(**hashes: str) -> pl.DataFrame:
    return pl.DataFrame(list(hashes.items()), schema=APPROVED, orient="row")


def changes(
    candidate: dict[str, list[Trial]], baseline: dict[str, list[Trial]]
) -> dict[str, tuple[str, str | None]]:
    """Change and side of the cases on the core, by case, of the axis search."""
    ids = tuple(sorted({*candidate, *baseline}))
    found = regressions(results(candidate), results(baseline), Core(ids, (), (), ()))
    return {
        row["case_id"]: (row["change"], row["side"])
        for row in found.iter_rows(named=True)
        if row["axis"] == "search"
    }


@pytest.mark.parametrize(
    ("trials", "passed"),
    [
        ([PASS], True),
        ([FAIL], False),
        ([PASS, FAIL], False),
        ([PASS, PASS, FAIL], True),
        ([PASS, FAIL, FAIL], False),
        ([PASS, OPEN], None),
        ([FAIL, OPEN], False),
        ([PASS, PASS, OPEN], True),
        ([PASS, FAIL, OPEN], None),
        ([FAIL, FAIL, OPEN], False),
    ],
)
def test_a_case_passes_when_more_than_half_of_its_trials_do(
    trials: list[Trial], passed: bool | None
) -> None:
    assert result(*trials)["passed"] is passed


def test_held_out_and_inapplicable_trials_are_in_no_denominator() -> None:
    assert result(PASS, HELD)["passed"] is True
    assert result(PASS, NOT, NOT)["passed"] is True
    assert result(FAIL, HELD)["passed"] is False


def test_the_score_is_the_mean_over_measured_trials() -> None:
    assert result(PASS, FAIL, OPEN, HELD)["score"] == 0.5
    assert result(OPEN, HELD)["score"] is None


@pytest.mark.parametrize(
    ("trials", "state"),
    [
        ([PASS, OPEN, HELD], "measured"),
        ([OPEN, HELD], "unmeasured"),
        ([HELD, NOT], "held_out"),
        ([NOT, NOT], "not_applicable"),
        ([("missing", None)], "missing"),
    ],
)
def test_the_state_of_a_case_is_the_best_of_its_trials(trials: list[Trial], state: str) -> None:
    assert result(*trials)["state"] == state


def test_trials_that_disagree_are_flaky() -> None:
    assert result(PASS, FAIL)["flaky"] is True
    assert result(PASS, PASS, OPEN)["flaky"] is False


def test_each_axis_has_its_own_result() -> None:
    row = {"case_id": "q", "state": "measured", "passed": False, "score": 0.5}
    row |= {f"{axis}_state": "measured" for axis in AXES}
    row |= {f"{axis}_passed": axis != "evidence" for axis in AXES}
    row |= {f"{axis}_score": float(axis != "evidence") for axis in AXES}
    found = case_results(pl.DataFrame([row], schema=ITEM))
    assert dict(found.select("axis", "passed").iter_rows()) == {
        "search": True,
        "evidence": False,
        "behavior": True,
        "format": True,
        "overall": False,
    }


def test_cases_are_sorted_by_what_may_be_compared() -> None:
    split = core(approved(a="1", b="2", c="3"), approved(a="1", b="9", d="4"))
    assert split == Core(unchanged=("a",), gold_changed=("b",), new=("c",), removed=("d",))


hashes = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("12"), max_size=6)


@given(hashes, hashes)
def test_every_case_is_in_exactly_one_list(now: dict[str, str], before: dict[str, str]) -> None:
    split = core(approved(**now), approved(**before))
    lists = [split.unchanged, split.gold_changed, split.new, split.removed]
    assert sorted(case for each in lists for case in each) == sorted({*now, *before})
    assert {*split.unchanged, *split.gold_changed} == {*now} & {*before}
    assert all(now[case] == before[case] for case in split.unchanged)


@pytest.mark.parametrize(
    ("candidate", "baseline", "change"),
    [
        ([FAIL], [PASS], ("regressed", None)),
        ([PASS], [FAIL], ("recovered", None)),
        ([PASS], [PASS], None),
        ([FAIL], [FAIL], None),
        ([OPEN], [PASS], ("unmeasured", "candidate")),
        ([PASS], [HELD], ("unmeasured", "baseline")),
        ([OPEN], [HELD], ("unmeasured", "both")),
        ([PASS, OPEN], [PASS], ("unmeasured", "candidate")),
        ([NOT], [PASS], ("unmeasured", "candidate")),
        ([NOT], [NOT], None),
        ([NOT], [OPEN], ("unmeasured", "both")),
        ([], [PASS], ("missing", "candidate")),
        ([PASS], [], ("missing", "baseline")),
        ([], [OPEN], ("missing", "candidate")),
        ([], [], ("missing", "both")),
    ],
)
def test_a_pair_of_results_has_one_change(
    candidate: list[Trial], baseline: list[Trial], change: tuple[str, str | None] | None
) -> None:
    assert changes({"q": candidate}, {"q": baseline}).get("q") == change


def test_a_case_whose_trials_disagree_on_both_sides_did_not_regress() -> None:
    shaky_pass, shaky_fail = [PASS, PASS, FAIL], [FAIL, FAIL, PASS]
    assert changes({"q": shaky_fail}, {"q": shaky_pass}) == {}
    assert changes({"q": shaky_pass}, {"q": shaky_fail}) == {}
    assert changes({"q": [FAIL]}, {"q": shaky_pass}) == {"q": ("regressed", None)}
    assert changes({"q": shaky_fail}, {"q": [PASS]}) == {"q": ("regressed", None)}


def test_cases_outside_the_core_are_listed_and_not_compared() -> None:
    split = Core(unchanged=(), gold_changed=("g",), new=("n",), removed=("r",))
    found = regressions(
        results({"g": [FAIL], "n": [FAIL]}), results({"g": [PASS], "r": [PASS]}), split
    )
    assert found.height == 3 * len(AXES_AND_OVERALL)
    assert set(found.select("case_id", "change").iter_rows()) == {
        ("g", "gold_changed"),
        ("n", "new"),
        ("r", "removed"),
    }
    assert found["candidate_score"].null_count() == found.height


def test_scores_and_states_of_both_sides_stand_in_the_row() -> None:
    found = regressions(
        results({"q": [FAIL]}), results({"q": [PASS]}), Core(("q",), (), (), ())
    ).row(0, named=True)
    assert (found["baseline_score"], found["candidate_score"]) == (1.0, 0.0)
    assert (found["baseline_passed"], found["candidate_passed"]) == (True, False)
    assert found["reason"] == "passed before, fails now"


trials = st.lists(st.sampled_from([PASS, FAIL, OPEN, HELD, NOT]), max_size=4)
a_run = st.dictionaries(st.sampled_from("abcd"), trials.filter(bool), max_size=4)
MIRROR = {"regressed": "recovered", "recovered": "regressed", "new": "removed", "removed": "new"}
OTHER_SIDE = {"candidate": "baseline", "baseline": "candidate", "both": "both", None: None}


@given(a_run, a_run, hashes, hashes)
@settings(max_examples=80)
def test_swapping_the_sides_mirrors_every_change(
    now: dict[str, list[Trial]],
    before: dict[str, list[Trial]],
    cases_now: dict[str, str],
    cases_before: dict[str, str],
) -> None:
    one, other = approved(**cases_now), approved(**cases_before)
    forth = regressions(results(now), results(before), core(one, other))
    back = regressions(results(before), results(now), core(other, one))
    assert not forth.select(pl.struct("case_id", "axis").is_duplicated().any()).item()
    assert set(forth["case_id"]) <= {*cases_now, *cases_before}
    mirrored = {
        (case, axis): (MIRROR.get(change, change), OTHER_SIDE[side])
        for case, axis, change, side in back.select("case_id", "axis", "change", "side").iter_rows()
    }
    assert mirrored == {
        (case, axis): (change, side)
        for case, axis, change, side in forth.select(
            "case_id", "axis", "change", "side"
        ).iter_rows()
    }


@given(a_run, hashes)
@settings(max_examples=40)
def test_a_run_against_itself_never_regresses_or_recovers(
    run: dict[str, list[Trial]], cases: dict[str, str]
) -> None:
    found = regressions(results(run), results(run), core(approved(**cases), approved(**cases)))
    assert set(found["change"]) <= {"missing", "unmeasured"}
    assert set(found["side"]) <= {"both"}


def test_all_states_have_a_place() -> None:
    assert {state for state, _ in (PASS, OPEN, HELD, NOT)} | {"missing"} == set(STATES)
