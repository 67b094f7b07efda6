"""A nightly that is killed leaves nothing that the next one does not put right."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

ROUNDS = int(os.environ.get("RAG_EVAL_ROUNDS", "1"))
REAL = (0, ROUNDS // 2)
"""Rounds that start `rag-eval` as a shell does, which costs its imports each time."""


@pytest.mark.parametrize("number", range(ROUNDS))
def test_nightly_after_a_killed_one_ends_in_time_with_the_tables_of_an_undisturbed_one(
    museum: Any, durability: Any, tmp_path: Path, number: int
) -> None:
    situation = museum["fresh" if number % 5 == 0 else "later"]
    forked = number not in REAL
    if forked not in situation.seconds:
        situation.undisturbed(tmp_path / "usual", forked=forked)
    # Spread over the whole of a nightly, and anywhere within each part.
    moment = (number + random.Random(number).random()) / ROUNDS
    home = situation.prepare(tmp_path / "home")

    killed = durability.Nightly(situation.data, home, forked=forked)
    time.sleep(moment * situation.seconds[forked])
    killed.kill()
    again = durability.Nightly(situation.data, home, forked=forked)
    code = again.end()
    seconds = time.perf_counter() - again.begun

    assert code == 0
    durability.assert_same(durability.contents(home), situation.expected)
    assert durability.open_runs(home) == []
    if seconds > 2 * situation.seconds[forked]:
        # The machine may have become busier since.
        situation.undisturbed(tmp_path / "usual-now", forked=forked)
    assert seconds <= 2 * situation.seconds[forked]
