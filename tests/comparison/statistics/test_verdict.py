import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.estimate import Estimate, estimate
from rag_eval_pipeline.comparison.statistics.paired import Paired
from rag_eval_pipeline.comparison.statistics.verdict import Verdict, verdict
from tests.comparison.statistics.conftest import from_counts, from_differences


def judged(
    pairs: Paired, *, n_core: int | None = None, tolerance: float = 0.02, trials: bool = False
) -> Verdict:
    found = estimate(pairs, seed="s", single_trial=not trials)
    return verdict(pairs, found, n_core=pairs.n if n_core is None else n_core, tolerance=tolerance)


def with_interval(low: float, high: float) -> Verdict:
    found = Estimate("any", (low + high) / 2, (low, high), 0.5)
    return verdict(from_counts(80, 10, 10, 0), found, n_core=100, tolerance=0.02)


def test_too_few_measured_pairs_say_nothing_whatever_they_hold() -> None:
    found = judged(from_counts(0, 17, 0, 0), n_core=20)
    assert found.label == "insufficient_data"
    assert found.sentence == ("17 of 20 cases are measured on both sides, under the 90 % asked for")


def test_exactly_the_share_asked_for_is_enough() -> None:
    for n_core in (10, 20, 30, 70, 110):
        assert judged(from_counts(n_core * 9 // 10, 0, 0, 0), n_core=n_core).label == "within_noise"


@pytest.mark.parametrize("n_core", [0, 8])
def test_no_measured_pair_says_nothing(n_core: int) -> None:
    found = judged(from_differences([]), n_core=n_core)
    assert found.label == "insufficient_data"
    assert (found.detectable_drop, found.needed_n) == (None, None)


def test_pairs_that_do_not_differ_are_within_noise_at_any_n() -> None:
    found = judged(from_counts(2, 0, 0, 1))
    assert (found.label, found.sentence) == ("within_noise", "none of the 3 pairs differs")


@pytest.mark.parametrize(
    ("low", "high", "label"),
    [
        (-0.02, 0.02, "within_noise"),
        (-0.019, -0.001, "within_noise"),
        (-0.021, -0.001, "worse"),
        (0.001, 0.021, "better"),
        (-0.021, 0.0, "inconclusive"),
        (0.0, 0.3, "inconclusive"),
        (-0.3, 0.3, "inconclusive"),
    ],
)
def test_the_interval_decides(low: float, high: float, label: str) -> None:
    assert with_interval(low, high).label == label


def test_the_sentence_names_the_interval() -> None:
    assert with_interval(-0.123, -0.04).sentence == (
        "95 % interval -12.3 to -4.0 points, all below 0"
    )
    assert with_interval(-0.01, 0.015).sentence == (
        "95 % interval -1.0 to +1.5 points, all within ±2"
    )


def test_no_change_detected_says_what_could_have_been() -> None:
    found = judged(from_counts(30, 5, 5, 10))
    assert found.label == "inconclusive"
    # 17.72 points: rounded down the sentence would promise too much.
    assert found.sentence == (
        "no change detected; this n (50) could show drops of 17.8 points or more; "
        "n = 3925 would be needed for 2 points"
    )
    assert found.detectable_drop == pytest.approx(0.17719, abs=1e-5)
    assert found.needed_n == 3925


def test_too_few_cases_for_any_drop_is_said() -> None:
    found = judged(from_counts(0, 1, 1, 0), tolerance=0.0)
    assert found.sentence == "no change detected; this n (2) could show no drop at all"


def test_a_single_cluster_is_inconclusive() -> None:
    pairs = from_differences([-1.0] * 8, ["one scenario"] * 8)
    assert judged(pairs).label == "inconclusive"


def test_trials_are_judged_by_the_tolerance_they_widen() -> None:
    pairs = from_differences([-0.25, 0.25, 0.0, 0.0, -0.25, 0.25] * 10)
    assert judged(pairs, trials=True, tolerance=0.02).label == "inconclusive"
    assert judged(pairs, trials=True, tolerance=0.08).label == "within_noise"


OPPOSITE = {"worse": "better", "better": "worse"}


@settings(max_examples=50, deadline=None)
@given(*[st.integers(0, 30)] * 4)
def test_swapping_the_sides_turns_the_verdict(
    both: int, worse: int, better: int, neither: int
) -> None:
    one = judged(from_counts(both, worse, better, neither)).label
    other = judged(from_counts(both, better, worse, neither)).label
    assert other == OPPOSITE.get(one, one)
