"""Which process did something, and whether it is still there."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path

_DEAD = ("Z", "X")


def this_process() -> str:
    """The running process as text: machine, boot, number and start, so a reused number shows."""
    pid = os.getpid()
    return json.dumps([platform.node(), _boot_id(), pid, _started(pid)])


def is_gone(process: str) -> bool:
    """Whether a process, as `this_process` named it, is known to be gone.

    Of a process on another machine nothing is known; neither of a text nobody here wrote.
    """
    try:
        node, boot, pid, started = json.loads(process)
    except (TypeError, ValueError):
        return False
    if node != platform.node() or not isinstance(pid, int):
        return False
    if boot != _boot_id():
        return True
    if started is not None:
        return _started(pid) != str(started)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _started(pid: int) -> str | None:
    """When a process started, in clock ticks since boot; None if there is none or none can say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    # One that ended and was not yet waited for by its parent still has its entry.
    return None if fields[0] in _DEAD else fields[19]
