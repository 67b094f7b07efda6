"""Files as they are stored, compressed or not: their hash, size and time of last change."""

from __future__ import annotations

import datetime as dt
import hashlib
from pathlib import Path

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def stored_sha256(path: Path) -> str:
    """sha256 of the stored bytes; OSError where the file cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stored_stat(path: Path) -> tuple[int, dt.datetime]:
    """Bytes and time of last change of an entry, links not followed; OSError if there is none."""
    stat = path.lstat() if path.is_symlink() and not path.exists() else path.stat()
    return stat.st_size, _EPOCH + dt.timedelta(microseconds=stat.st_mtime_ns // 1000)
