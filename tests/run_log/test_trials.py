from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.run_log.trials import Attempt, number_trials

ATTEMPTS = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.sampled_from(["q1", "q2"]), st.none() | st.integers(1, 3)
    ),
    max_size=8,
)


def attempts(rows: list[tuple[str, str, int | None]]) -> list[Attempt]:
    """An equal hash means an equal row, so case and trial are part of it."""
    return [
        Attempt(line, f"{text}{case_id}{trial}", case_id, trial)
        for line, (text, case_id, trial) in enumerate(rows, start=1)
    ]


@given(ATTEMPTS)
def test_every_attempt_is_kept_with_a_trial_of_its_own_or_refused(
    rows: list[tuple[str, str, int | None]],
) -> None:
    kept, refused = number_trials(attempts(rows))
    lines = [each.line for each in kept] + [each.line for each in refused]
    assert sorted(lines) == list(range(1, len(rows) + 1))
    keys = [(each.case_id, each.trial) for each in kept]
    assert len(set(keys)) == len(keys)
    for each in kept:
        wanted = rows[each.line - 1][2]
        assert each.trial == wanted if wanted is not None else (each.trial or 0) >= 1


@given(ATTEMPTS)
def test_the_order_of_rows_plays_no_part(rows: list[tuple[str, str, int | None]]) -> None:
    forth, _ = number_trials(attempts(rows))
    back, _ = number_trials(attempts(rows[::-1]))
    found = [{(each.row_hash, each.trial) for each in kept} for kept in (forth, back)]
    assert found[0] == found[1]
