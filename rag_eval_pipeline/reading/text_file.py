"""Files: listing, reading with decompression, decoding, lines, and writing all or nothing."""

from __future__ import annotations

import codecs
import contextlib
import errno
import gzip
import io
import os
import re
import secrets
import stat
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from rag_eval_pipeline.reading.errors import InputError, shown

MAX_BYTES = 4 * 1024**3
"""Most bytes a file may hold once unpacked."""

_CHUNK = 1 << 20
# utf-32-le before utf-16-le, whose mark it begins with.
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# Its bytes are all ASCII, so that it would pass for UTF-8.
_ISO_2022 = re.compile(rb"\x1b\$[@B]")
_PERHAPS_ISO_2022 = "; it looks like ISO-2022-JP, as in mail"
_PERHAPS_UTF16 = "; it may be UTF-16 or UTF-32 without its mark"
# Python's cp932 turns the bytes 80, A0, FD, FE and FF, which cp932 leaves unused, into these.
_NOT_CP932 = re.compile("[\x80\uf8f0-\uf8f3]")


def read_bytes(path: Path, *, file: str | None = None, limit: int = MAX_BYTES) -> bytes:
    """Bytes of a file, unpacked if its name ends in `.gz` or `.zst`.

    Parameters
    ----------
    path
        File to read. All members of a gzip file and all frames of a zstd file are read.
    file
        Name of the file in messages, by default its path.
    limit
        Most bytes that may come out.

    Raises
    ------
    InputError
        `cut_archive` for an archive that is cut, damaged or none; `file_too_large`;
        `file_missing`, `file_forbidden`, `file_is_folder` or `file_unreadable`.
    """
    name = str(path) if file is None else file
    unpack = {".gz": _unpack_gzip, ".zst": _unpack_zstd}.get(path.suffix.lower())
    data = stored_bytes(path, file=file, limit=limit)
    return data if unpack is None else unpack(data, name, limit)


def stored_bytes(path: Path, *, file: str | None = None, limit: int = MAX_BYTES) -> bytes:
    """Bytes of a file as they are stored, packed if they are; arguments as in `read_bytes`.

    Raises
    ------
    InputError
        `file_too_large`, `file_missing`, `file_forbidden`, `file_is_folder`, `file_unreadable`.
    """
    name = str(path) if file is None else file
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise _not_a_file(name)
        if status.st_size > limit:
            raise _too_large(name, limit)
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error, file=name) from None


def decode(data: bytes, file: str) -> tuple[str, str]:
    """Text of a file and the encoding it was read with.

    A byte order mark decides (UTF-8, UTF-16, UTF-32); without one strict UTF-8 is tried, then
    strict cp932. UTF-16 without a mark is not guessed.

    Raises
    ------
    InputError
        `unknown_encoding`, naming the encodings tried and the first line that did not fit.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(encoding.removesuffix("-sig"))
            except UnicodeDecodeError as error:
                if encoding == "utf-32-le":
                    continue
                raise _unknown_encoding(file, data, error.start + len(mark), encoding) from None
            return text, encoding
    note = _disguise(data)
    if note is not None:
        raise _unknown_encoding(file, data, 0, "utf-8", "cp932", note=note)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        first_bad = error.start
    with contextlib.suppress(UnicodeDecodeError):
        text = data.decode("cp932")
        if not _NOT_CP932.search(text):
            return text, "cp932"
    raise _unknown_encoding(file, data, first_bad, "utf-8", "cp932")


def as_utf8(data: bytes, file: str) -> tuple[bytes, str]:
    """Text of a file as UTF-8 bytes without mark, and the encoding it was read with.

    Same rules and errors as `decode`. Bytes that are UTF-8 already come back as they are, so
    that a large file is not held twice.
    """
    marked = any(data.startswith(mark) for mark, _ in _MARKS)
    if not marked and _disguise(data) is None and _is_utf8(data):
        return data, "utf-8"
    text, encoding = decode(data, file)
    return text.encode(), encoding


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of whole lines: their numbers, start and end (exclusive) in bytes."""

    lines: range
    start: int
    end: int


class LineBlocks:
    """Lines of a UTF-8 text, a block of them at a time or by their numbers (from 1)."""

    def __init__(self, data: bytes, *, size: int) -> None:
        self._data = data
        self._blocks: list[Block] = []
        start, line = 0, 1
        while start < len(data):
            end = data.find(b"\n", start + size - 1) + 1 or len(data)
            after = line + data.count(b"\n", start, end) + (data[end - 1] != 0x0A)
            self._blocks.append(Block(range(line, after), start, end))
            start, line = end, after

    def __iter__(self) -> Iterator[tuple[range, bytes]]:
        """Line numbers and bytes of each block, in order."""
        for block in self._blocks:
            yield block.lines, self._data[block.start : block.end]

    def texts(self, numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Number and text of the lines asked for, in ascending order; blank ones are left out."""
        firsts = [block.lines.start for block in self._blocks]
        held, found = -1, list[bytes]()
        for number in sorted(numbers):
            at = bisect_right(firsts, number) - 1
            block = self._blocks[at]
            if at != held:
                held, found = at, self._data[block.start : block.end].split(b"\n")
            text = found[number - block.lines.start].decode()
            if text and not text.isspace():
                yield number, text.removesuffix("\r")


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of each line that is not blank.

    Lines end with LF or CRLF only: U+2028, U+0085 and the like are characters of a text.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line and not line.isspace():
            yield number, line.removesuffix("\r")


def list_files(folder: Path) -> list[Path]:
    """All files below a folder, sorted by path; names that begin with a dot are left out.

    Links are followed, each folder once, so a loop of links ends. Entries that cannot be looked
    into (dangling links, forbidden folders) are listed too: reading them says what is wrong.
    Pipes, sockets and devices are left out, because reading them may never end.

    Raises
    ------
    InputError
        As `unreadable`, if the folder itself cannot be listed.
    """
    try:
        status = folder.stat()
        entries = _entries(folder)
    except OSError as error:
        raise unreadable(folder, error) from None
    found: list[Path] = []
    seen = {(status.st_dev, status.st_ino)}
    waiting = [entries]
    while waiting:
        for path in waiting.pop():
            try:
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    found.append(path)
                elif stat.S_ISDIR(status.st_mode) and (status.st_dev, status.st_ino) not in seen:
                    seen.add((status.st_dev, status.st_ino))
                    waiting.append(_entries(path))
            except OSError:
                found.append(path)
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that readers find the old bytes or all of the new ones, never a part.

    Missing folders are made. A link is followed: the file it points to is replaced.

    Raises
    ------
    InputError
        `file_unwritable`, with the system's reason.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            os.replace(temporary, target)  # noqa: PTH105
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
    except OSError as error:
        raise InputError(
            "file_unwritable",
            file=str(path),
            found=f"a place that cannot be written ({_reason(error)})",
            expected="a folder with room in which files may be made",
            todo="free space, change the folder's permissions or choose another place",
        ) from None


def unreadable(path: Path, error: OSError, *, file: str | None = None) -> InputError:
    """What to tell a person about a file or folder that the system would not open."""
    name = str(path) if file is None else file
    if isinstance(error, FileNotFoundError):
        return InputError(
            "file_missing",
            file=name,
            found="a link that leads nowhere" if path.is_symlink() else "nothing at this path",
            expected="a file or folder",
            todo="check the path or put the file there",
        )
    if isinstance(error, PermissionError) or (
        isinstance(error, IsADirectoryError) and not os.access(path, os.R_OK | os.X_OK)
    ):
        return InputError(
            "file_forbidden",
            file=name,
            found="a file or folder that may not be read (permission denied)",
            expected="one that this user may read",
            todo="change its permissions or run as a user who may read it",
        )
    if isinstance(error, IsADirectoryError):
        return InputError(
            "file_is_folder",
            file=name,
            found="a folder",
            expected="a file",
            todo="name a file in this folder",
        )
    if isinstance(error, NotADirectoryError):
        return InputError(
            "not_a_folder",
            file=name,
            found="a file",
            expected="a folder",
            todo="name the folder that holds the file",
        )
    if error.errno == errno.ELOOP:
        found, todo = "a link that leads back to itself", "remove the link"
    else:
        found, todo = f"an error of the system ({_reason(error)})", "check the disk and the path"
    return InputError(
        "file_unreadable", file=name, found=found, expected="a readable file", todo=todo
    )


def relative(path: Path, root: Path) -> str:
    """Path below `root` with `/` between its parts; a path elsewhere is given as it is.

    Bytes of a file name that are no text are shown as hex escapes, so that it can be stored.
    """
    try:
        shown_path = path.relative_to(root)
    except ValueError:
        shown_path = path
    return os.fsencode(shown_path.as_posix()).decode("utf-8", "backslashreplace")


def _entries(folder: Path) -> list[Path]:
    with os.scandir(folder) as found:
        return [folder / entry.name for entry in found if not entry.name.startswith(".")]


def _disguise(data: bytes) -> str | None:
    """What bytes without a mark look like that would pass for UTF-8 or cp932 and are neither."""
    head = data[:256]
    if len(head) > 3 and head.count(0) * 3 >= len(head):
        return _PERHAPS_UTF16
    return _PERHAPS_ISO_2022 if _ISO_2022.search(data) else None


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(view[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _unpack_gzip(data: bytes, file: str, limit: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return _read_all(data, stream.read, file, limit)
    except (EOFError, OSError, zlib.error) as error:
        raise _cut_archive(file, "gzip", str(error)) from None


def _unpack_zstd(data: bytes, file: str, limit: int) -> bytes:
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            return _read_all(data, stream.read, file, limit)
    except OSError as error:
        raise _cut_archive(file, "zstd", str(error)) from None


def _read_all(data: bytes, read: Callable[[int], bytes], file: str, limit: int) -> bytes:
    if not data:
        raise _cut_archive(file, "compressed", "no bytes at all")
    whole = bytearray()
    while chunk := read(_CHUNK):
        whole += chunk
        if len(whole) > limit:
            raise _too_large(file, limit)
    return bytes(whole)


def _sync_folder(folder: Path) -> None:
    # Not every system lets a folder be opened or synced; the file itself is safe by then.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _not_a_file(file: str) -> InputError:
    return InputError(
        "file_unreadable",
        file=file,
        found="a pipe, socket or device",
        expected="a file",
        todo="save what it delivers to a file and name that",
    )


def _cut_archive(file: str, kind: str, reason: str) -> InputError:
    return InputError(
        "cut_archive",
        file=file,
        found=f"a {kind} archive that is cut or damaged ({shown(reason, 80)})",
        expected="a whole archive",
        todo="copy or write the file again; nothing of it was used",
    )


def _too_large(file: str, limit: int) -> InputError:
    return InputError(
        "file_too_large",
        file=file,
        found=f"more than {limit:,} bytes once unpacked",
        expected=f"at most {limit:,} bytes",
        todo="split the file",
    )


def _unknown_encoding(file: str, data: bytes, at: int, *tried: str, note: str = "") -> InputError:
    before = data[:at].decode(tried[0], "ignore")
    return InputError(
        "unknown_encoding",
        file=file,
        line=before.count("\n") + 1,
        found=f"bytes that are not {' and not '.join(tried)} (byte {at + 1} of the file{note})",
        expected="UTF-8, cp932, or UTF-16 or UTF-32 with a byte order mark",
        todo="save the file as UTF-8",
    )
