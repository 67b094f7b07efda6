import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.statistics.bootstrap import bootstrap
from tests.comparison.statistics.conftest import from_differences

FEW_KINDS = [-1.0] * 15 + [0.0] * 170 + [1.0] * 10 + [0.5] * 5
ALL_DIFFERENT = [((37 * number) % 101 - 40) / 101 for number in range(101)]
CLUSTERS = [f"scenario-{number // 4}" for number in range(200)]
DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, -1 / 3, 0.0, 0.25, 1.0]) | st.floats(-1, 1),
                       min_size=2, max_size=40)  # fmt: skip


@pytest.mark.parametrize(
    ("differences", "clusters", "interval"),
    [
        (FEW_KINDS, None, (-0.0625, 0.0375)),
        (ALL_DIFFERENT, None, (0.04234878932642014, 0.15508283502158607)),
        (FEW_KINDS, CLUSTERS, (-0.1125, 0.0825)),
    ],
)
def test_the_same_seed_gives_the_same_bits_everywhere(
    differences: list[float], clusters: list[str] | None, interval: tuple[float, float]
) -> None:
    assert bootstrap(from_differences(differences, clusters), seed="比較 7") == interval


def test_another_seed_draws_anew_and_agrees_nearly() -> None:
    pairs = from_differences(ALL_DIFFERENT)
    one, other = bootstrap(pairs, seed="a"), bootstrap(pairs, seed="b")
    assert one != other
    assert one == pytest.approx(other, abs=0.01)


def test_the_order_of_the_cases_does_not_matter() -> None:
    for differences in (FEW_KINDS, ALL_DIFFERENT):
        turned = from_differences(differences[::-1])
        assert bootstrap(from_differences(differences), seed="s") == bootstrap(turned, seed="s")


@pytest.mark.parametrize("differences", [FEW_KINDS, ALL_DIFFERENT])
def test_it_agrees_with_scipy(differences: list[float]) -> None:
    stats = pytest.importorskip("scipy.stats")
    numpy = pytest.importorskip("numpy")
    theirs = stats.bootstrap(
        (differences,), numpy.mean, n_resamples=10_000, method="percentile", rng=1
    ).confidence_interval
    assert bootstrap(from_differences(differences), seed="s") == pytest.approx(theirs, abs=0.006)


def test_both_ways_of_drawing_agree() -> None:
    # The same clusters once as few kinds, once told apart by less than matters.
    kinds = [0.4, -0.6, 0.1, 0.0] * 30
    apart = [value + number * 1e-7 for number, value in enumerate(kinds)]
    assert bootstrap(from_differences(kinds), seed="s") == pytest.approx(
        bootstrap(from_differences(apart), seed="s"), abs=0.006
    )


def test_clusters_that_move_together_widen_it() -> None:
    differences = [1.0] * 20 + [-1.0] * 20 + [0.0] * 40
    alone = bootstrap(from_differences(differences), seed="s")
    together = bootstrap(
        from_differences(differences, [f"s{number // 5}" for number in range(80)]), seed="s"
    )
    assert alone is not None
    assert together is not None
    assert together[1] - together[0] > 1.8 * (alone[1] - alone[0])


@pytest.mark.parametrize("clusters", [[], [0.5], [0.5, -0.5]])
def test_one_cluster_shows_no_spread(clusters: list[float]) -> None:
    pairs = from_differences(clusters, ["same"] * len(clusters))
    assert bootstrap(pairs, seed="s") is None


def test_constant_differences_give_a_point_without_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bootstrap(from_differences([0.25] * 10), seed="s") == (0.25, 0.25)
        assert bootstrap(from_differences([0.0] * 10), seed="s") == (0.0, 0.0)


@settings(max_examples=25, deadline=None)
@given(DIFFERENCES, st.integers(1, 3))
def test_swapping_the_sides_mirrors_it(differences: list[float], size: int) -> None:
    clusters: list[str | None] = [f"s{number // size}" for number in range(len(differences))]
    found = bootstrap(from_differences(differences, clusters), seed="s")
    swapped = bootstrap(from_differences([-d for d in differences], clusters), seed="s")
    if found is None:
        assert swapped is None
    else:
        assert swapped == (-found[1], -found[0])


@settings(max_examples=25, deadline=None)
@given(DIFFERENCES)
def test_it_contains_the_difference(differences: list[float]) -> None:
    pairs = from_differences(differences)
    found = bootstrap(pairs, seed="s")
    assert found is not None
    assert pairs.difference is not None
    assert -1 <= found[0] <= pairs.difference <= found[1] <= 1


def test_four_times_the_cases_halve_it() -> None:
    few, many = (bootstrap(from_differences(FEW_KINDS * times), seed="s") for times in (1, 4))
    assert few is not None
    assert many is not None
    assert (many[1] - many[0]) / (few[1] - few[0]) == pytest.approx(0.5, abs=0.06)
