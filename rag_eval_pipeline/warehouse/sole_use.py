"""One process at a time computes in a home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = "computing.lock"


@contextmanager
def sole_use(home: Path, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the home's lock, which the system lets go of when the process dies.

    A process that holds it already goes on at once.

    Parameters
    ----------
    home
        Folder of the warehouse; it must exist.
    on_wait
        Called once if another process holds the lock and has to be waited for.
    """
    # One lock object a path and process, whichever thread asks: what makes it reentrant.
    lock = FileLock(home / LOCK, is_singleton=True, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if on_wait is not None:
            on_wait()
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
