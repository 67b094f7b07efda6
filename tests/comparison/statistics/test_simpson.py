import pytest

from rag_eval_pipeline.comparison.statistics.simpson import simpson


@pytest.mark.parametrize(
    ("whole", "slices", "flagged"),
    [
        (0.05, [-0.01, -0.2], True),
        (-0.05, [0.01, 0.2, 0.3], True),
        (0.05, [-0.01, None, -0.2], True),
        (0.05, [-0.01, 0.2], False),
        (0.05, [-0.01, 0.0], False),
        (0.0, [-0.01, -0.2], False),
        (None, [-0.01, -0.2], False),
        (0.05, [-0.01], False),
        (0.05, [-0.01, None], False),
        (0.05, [], False),
    ],
)
def test_every_slice_has_to_move_against_the_whole(
    whole: float | None, slices: list[float | None], flagged: bool
) -> None:
    assert simpson(whole, slices) is flagged
