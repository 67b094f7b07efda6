from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rag_eval_pipeline.warehouse.sole_use import sole_use

HOLD = """
import sys, time
from pathlib import Path
from rag_eval_pipeline.warehouse.sole_use import sole_use
with sole_use(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(home: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_process_that_holds_the_home_goes_on_when_it_asks_again(tmp_path: Path) -> None:
    waited: list[str] = []

    with sole_use(tmp_path), sole_use(tmp_path, lambda: waited.append("x")):
        pass

    assert waited == []


def test_home_stays_held_until_the_outer_use_ends(tmp_path: Path) -> None:
    with sole_use(tmp_path):
        with sole_use(tmp_path):
            pass
        other = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            other.communicate(timeout=1.5)
    assert other.communicate(timeout=30)[0] == "held\n"


def test_second_process_says_that_it_waits_and_goes_on_when_the_first_is_done(
    tmp_path: Path,
) -> None:
    first = holder(tmp_path)
    waits = threading.Event()
    let_go = threading.Thread(target=lambda: (waits.wait(30), first.communicate("done\n")))
    let_go.start()

    with sole_use(tmp_path, waits.set):
        assert waits.is_set()

    let_go.join()
    assert first.returncode == 0


def test_killed_process_lets_go(tmp_path: Path) -> None:
    first = holder(tmp_path)
    first.kill()
    first.communicate()
    waited: list[str] = []

    with sole_use(tmp_path, lambda: waited.append("x")):
        pass

    assert waited == []
