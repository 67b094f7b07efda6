"""Verdicts of slices and axes: what is in a pair, and that many at once are as each alone."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.slices import groups
from rag_eval_pipeline.comparison.statistics.estimate import BOOTSTRAP, NEWCOMBE, estimate
from rag_eval_pipeline.comparison.statistics.paired import paired
from rag_eval_pipeline.comparison.statistics.tolerance import tolerance, trial_variance
from rag_eval_pipeline.comparison.statistics.verdict import verdict
from rag_eval_pipeline.comparison.summary import OF_PAIR, summarise
from rag_eval_pipeline.tables.contract import violations
from tests.comparison.conftest import Run, Trial, both_of, cases_of

PASS, FAIL = 1.0, 0.0
IDS = [f"c{number:02}" for number in range(20)]
Row = dict[str, Any]


def judged(both: pl.DataFrame, cases: pl.DataFrame, delta: float = 0.02) -> pl.DataFrame:
    found = summarise(both, groups(cases), tolerance=delta, min_measured=0.9)
    whole = found.with_columns(
        dataset_version=pl.lit("faq@v1"), candidate_run=pl.lit("new"), baseline_run=pl.lit("old"),
        rubric_version=pl.lit("strict@1"), simpson=pl.lit(value=False),
    )  # fmt: skip
    assert violations("comparison_summary", whole) == []
    assert set(whole.columns) == {*found.columns, *OF_PAIR}
    return found


def row(
    found: pl.DataFrame, axis: str = "overall", dimension: str = "all", slice_: str = "all"
) -> Row:
    return found.filter(
        (pl.col("axis") == axis) & (pl.col("dimension") == dimension) & (pl.col("slice") == slice_)
    ).row(0, named=True)


def simple(n: int, worse: int = 0, better: int = 0) -> tuple[Run, Run]:
    """Single trials: the first cases became worse, the next ones better, the others pass."""
    now = {case: [FAIL if place < worse else PASS] for place, case in enumerate(IDS[:n])}
    before = {
        case: [FAIL if worse <= place < worse + better else PASS]
        for place, case in enumerate(IDS[:n])
    }
    return now, before


def test_development_cases_have_numbers_of_their_own_and_are_never_pooled() -> None:
    splits = ["development"] * 8 + ["validation"] * 12
    now, before = simple(20, worse=8)
    found = judged(both_of(now, before), cases_of(IDS, split=splits, category="direct"))
    assert (row(found)["n_core"], row(found)["worse"], row(found)["verdict"]) == (
        12, 0, "within_noise",
    )  # fmt: skip
    assert row(found, dimension="category", slice_="direct")["n_core"] == 12
    development = row(found, dimension="split", slice_="development")
    assert (development["n_core"], development["worse"], development["verdict"]) == (8, 8, "worse")


@pytest.mark.parametrize(
    ("candidate", "baseline", "n_core", "n_pairs"),
    [
        (PASS, FAIL, 12, 12),
        ("missing", PASS, 12, 11),
        (PASS, "unmeasured", 12, 11),
        ("error", PASS, 12, 11),
        ("error", "error", 12, 11),
        ("held_out", PASS, 11, 11),
        (PASS, "held_out", 11, 11),
        ("not_applicable", "not_applicable", 11, 11),
        ("not_applicable", PASS, 12, 11),
    ],
)
def test_only_what_is_measured_on_both_sides_is_a_pair(
    candidate: Trial, baseline: Trial, n_core: int, n_pairs: int
) -> None:
    now, before = simple(11)
    found = row(
        judged(
            both_of({**now, "x": [candidate]}, {**before, "x": [baseline]}),
            cases_of([*IDS[:11], "x"]),
        )
    )
    assert (found["n_core"], found["n_pairs"]) == (n_core, n_pairs)


def test_a_case_without_a_row_is_missing_and_too_many_are_no_ground_for_a_verdict() -> None:
    now, before = simple(10)
    few = {case: trials for case, trials in now.items() if case not in IDS[:2]}
    found = row(judged(both_of(few, before), cases_of(IDS[:10])))
    assert (found["n_core"], found["n_pairs"], found["verdict"]) == (10, 8, "insufficient_data")
    assert "8 of 10 cases are measured on both sides" in found["told"]


def test_of_a_slice_under_five_cases_there_are_lists_and_no_numbers() -> None:
    now, before = simple(9, worse=3)
    risks = ["high"] * 4 + ["low"] * 5
    found = judged(both_of(now, before), cases_of(IDS[:9], risk=risks))
    high = row(found, dimension="risk", slice_="high")
    numbers = ("baseline", "candidate", "difference", "interval_low", "p_value", "p_adjusted",
               "verdict", "detectable_drop", "needed_n", "method")  # fmt: skip
    assert [high[name] for name in numbers] == [None] * len(numbers)
    assert (high["n_core"], high["worse"], high["both_passed"]) == (4, 3, 1)
    low = row(found, dimension="risk", slice_="low")
    assert (low["verdict"], low["p_value"]) == ("within_noise", None), "five pairs are not tested"
    assert row(judged(both_of(*simple(2, worse=1)), cases_of(IDS[:2])))["verdict"] == "inconclusive"


def test_a_slice_of_six_pairs_is_tested() -> None:
    now, before = simple(6, worse=6)
    found = judged(both_of(now, before), cases_of(IDS[:6], category="direct"))
    direct = row(found, dimension="category", slice_="direct")
    assert (direct["p_value"], direct["method"], direct["verdict"]) == (0.03125, NEWCOMBE, "worse")


def test_an_axis_is_compared_by_its_score_and_the_whole_by_the_share_of_trials_passed() -> None:
    now: Run = {case: [PASS, 0.5, 0.0] for case in IDS[:8]}
    before: Run = {case: [PASS, PASS, 0.5] for case in IDS[:8]}
    found = judged(both_of(now, before), cases_of(IDS[:8]))
    search, overall = row(found, "search"), row(found)
    assert (search["candidate"], search["baseline"]) == pytest.approx((0.5, 2.5 / 3))
    assert (overall["candidate"], overall["baseline"]) == pytest.approx((1 / 3, 2 / 3))
    assert (overall["worse"], overall["n_flaky"]) == (8, 8)


def test_trials_a_system_error_spoiled_do_not_count_in_the_value() -> None:
    now: Run = {case: [PASS, "error"] for case in IDS[:8]}
    found = row(judged(both_of(now, {case: [PASS] for case in IDS[:8]}), cases_of(IDS[:8])))
    assert (found["candidate"], found["difference"]) == (1.0, 0.0)


def test_trials_that_disagree_widen_the_tolerance() -> None:
    now: Run = {case: [PASS, FAIL, PASS] for case in IDS[:10]}
    before: Run = {**{case: [PASS] for case in IDS[:9]}, IDS[9]: [PASS, FAIL]}
    found = row(judged(both_of(now, before), cases_of(IDS[:10])), "search")

    def trials(run: Run) -> float:
        rows = [(case, value) for case, values in run.items() for value in values]
        return trial_variance(pl.DataFrame(rows, schema=["case_id", "value"], orient="row"))

    wide = tolerance(0.02, candidate=trials(now), baseline=trials(before))
    assert found["tolerance"] == pytest.approx(wide)
    assert wide > 0.2
    assert row(judged(both_of(*simple(10)), cases_of(IDS[:10])))["tolerance"] == 0.02


def test_variants_of_one_scenario_are_one_unit() -> None:
    now, before = simple(12, worse=6)
    scenarios = ["s1"] * 6 + [None] * 6
    found = row(judged(both_of(now, before), cases_of(IDS[:12], scenario_id=scenarios)))
    assert (found["n_pairs"], found["n_clusters"], found["method"]) == (12, 7, BOOTSTRAP)
    apart = row(judged(both_of(now, before), cases_of(IDS[:12])))
    assert (apart["verdict"], found["verdict"]) == ("worse", "inconclusive")
    assert found["p_value"] == 1.0, "one scenario that fell shows nothing"


def test_an_axis_that_is_not_comparable_is_not_compared() -> None:
    now, before = simple(10, worse=5)
    both = both_of(now, before, refused="search is judged by ids and by text")
    found = judged(both, cases_of(IDS[:10]))
    assert row(found, "search")["n_pairs"] == 0
    assert row(found, "search")["verdict"] == "insufficient_data"
    assert row(found, "search")["told"] == "not compared: search is judged by ids and by text"
    assert row(found, "evidence")["n_pairs"] == row(found)["n_pairs"] == 10


def test_holm_goes_over_the_axes_and_apart_over_the_slices_of_a_dimension() -> None:
    now, before = simple(20, worse=6)
    cases = cases_of(IDS, category=["a"] * 10 + ["b"] * 10, language="ja")
    found = judged(both_of(now, before), cases)
    p = row(found)["p_value"]
    assert p == 0.03125
    assert row(found, "search")["p_adjusted"] == pytest.approx(4 * p)
    assert row(found)["p_adjusted"] == p, "the whole is a family of its own"
    assert row(found, "search", "category", "a")["p_adjusted"] == pytest.approx(2 * p)
    assert row(found, "search", "language", "ja")["p_adjusted"] == p


def test_the_whole_is_there_without_a_case_of_the_headline() -> None:
    now, before = simple(6)
    found = judged(both_of(now, before), cases_of(IDS[:6], split="development"))
    assert (row(found)["n_core"], row(found)["verdict"]) == (0, "insufficient_data")
    assert row(found)["told"] == "no case of the headline is on the core"


trial: st.SearchStrategy[Trial] = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, 1.0]),
    st.sampled_from(["missing", "unmeasured", "held_out", "not_applicable", "error"]),
)
a_run = st.dictionaries(
    st.sampled_from(IDS[:8]), st.lists(trial, min_size=1, max_size=3), min_size=1
)


@given(a_run, a_run, st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_many_slices_at_once_are_as_each_alone(now: Run, before: Run, chance: Any) -> None:
    ids = sorted({*now, *before})
    cases = cases_of(
        ids, risk=[None if case < "c03" else "high" for case in ids],
        scenario_id=["s" if case < "c02" else None for case in ids],
    )  # fmt: skip
    both = pl.concat([both_of(now, before), both_of(before, now, comparison_id="back")])
    found = judged(both, cases, delta=0.1)
    shuffled = both.sample(fraction=1.0, shuffle=True, seed=chance.randrange(1000))
    assert judged(shuffled, cases, delta=0.1).equals(found)
    assert judged(both_of(now, before), cases, delta=0.1).equals(
        found.filter(pl.col("comparison_id") == "pair")
    )
    whole = row(found.filter(pl.col("comparison_id") == "pair"), "search")
    values = pairs_frame(both.filter(pl.col("comparison_id") == "pair"), cases)
    pairs = paired(values)
    single = not any(len(trials) > 1 for run in (now, before) for trials in run.values())
    alone = estimate(pairs, seed="pair", single_trial=single)
    assert whole["n_pairs"] == pairs.n
    assert whole["difference"] == alone.difference
    if single:
        assert whole["p_value"] == alone.p_value
        said = verdict(pairs, alone, n_core=whole["n_core"], tolerance=0.1)
        assert whole["verdict"] == said.label


def pairs_frame(both: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    states = [pl.col(f"{side}_state") for side in ("candidate", "baseline")]
    return (
        both.filter(pl.col("axis") == "search")
        .filter(pl.all_horizontal(state == "measured" for state in states))
        .join(cases, on="case_id")
        .select(
            "case_id", "candidate_passed", "baseline_passed", cluster="scenario_id",
            candidate="candidate_value", baseline="baseline_value",
        )
    )  # fmt: skip
