"""Two nightlies at once on one home."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

ROUNDS = -(-int(os.environ.get("RAG_EVAL_ROUNDS", "1")) * 2 // 3)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_both_end_well_with_the_tables_of_one(
    museum: Any, durability: Any, tmp_path: Path, number: int
) -> None:
    situation = museum["fresh" if number % 5 == 0 else "later"]
    forked = number != 0
    home = situation.prepare(tmp_path / "home")

    first = durability.Nightly(situation.data, home, forked=forked)
    # Every other time at once, else while the first is at work.
    delay = random.Random(number).random() * (number % 2)
    time.sleep(delay * 0.5 * situation.seconds[True])
    second = durability.Nightly(situation.data, home, forked=forked)

    assert [first.end(), second.end()] == [0, 0]
    durability.assert_same(durability.contents(home), situation.expected)
    assert durability.open_runs(home) == []
