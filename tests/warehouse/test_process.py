from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rag_eval_pipeline.warehouse.process import is_gone, this_process

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
NAME_ITSELF = "from rag_eval_pipeline.warehouse.process import this_process; print(this_process())"


def named(**changes: Any) -> str:
    """The running process with something else about it."""
    machine, boot, number, started = json.loads(this_process())
    told = {"machine": machine, "boot": boot, "number": number, "started": started} | changes
    return json.dumps(list(told.values()))


def test_running_process_is_there() -> None:
    assert not is_gone(this_process())


def test_process_that_ended_is_gone() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", NAME_ITSELF], capture_output=True, text=True, check=True
    )

    assert is_gone(ended.stdout)


@linux
def test_killed_process_nobody_waited_for_is_gone() -> None:
    code = f"{NAME_ITSELF}; import sys, time; sys.stdout.flush(); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    name = process.stdout.readline()
    assert not is_gone(name)

    process.kill()
    deadline = time.monotonic() + 10
    while not is_gone(name) and time.monotonic() < deadline:
        time.sleep(0.01)

    assert is_gone(name)
    process.communicate()


@linux
def test_another_process_under_the_same_number_is_not_taken_for_it() -> None:
    assert is_gone(named(started="1"))


@linux
def test_process_of_an_earlier_boot_is_gone() -> None:
    assert is_gone(named(boot="earlier"))


def test_of_another_machine_nothing_is_known() -> None:
    assert not is_gone(named(machine="elsewhere", boot="earlier"))


@pytest.mark.parametrize("text", ["", "no json", "[]", "7", "null", '["a", "b", "c", "d"]'])
def test_text_nobody_here_wrote_is_no_process(text: str) -> None:
    assert not is_gone(text)
