import gzip
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading import text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.text_file import (
    LineBlocks,
    as_utf8,
    decode,
    lines,
    list_files,
    read_bytes,
    relative,
    stored_bytes,
    unreadable,
    write_atomic,
)

BODY = "送料は500円\n".encode() * 5000


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return bytes(sink.getvalue())


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


PACK = {"x.gz": gzip.compress, "x.zst": zstd}


@pytest.mark.parametrize("name", PACK)
def test_archives_are_unpacked_and_stored_bytes_stay_packed(name: str, tmp_path: Path) -> None:
    packed = PACK[name](BODY)
    path = put(tmp_path / name, packed)
    assert read_bytes(path) == BODY
    assert stored_bytes(path) == packed
    assert read_bytes(put(tmp_path / name.upper(), packed)) == BODY


@pytest.mark.parametrize("name", PACK)
def test_all_parts_of_an_archive_are_read_also_behind_an_empty_one(
    name: str, tmp_path: Path
) -> None:
    pack = PACK[name]
    path = put(tmp_path / name, pack(b"a\n") + pack(b"") * 3 + pack(b"b\n") + pack(BODY))
    assert read_bytes(path) == b"a\nb\n" + BODY


@pytest.mark.parametrize("name", PACK)
def test_an_empty_body_is_no_fault(name: str, tmp_path: Path) -> None:
    assert read_bytes(put(tmp_path / name, PACK[name](b""))) == b""


@pytest.mark.parametrize("name", PACK)
@pytest.mark.parametrize("kept", [0, 1, 5, 0.3, 0.9, -1, -4])
def test_a_cut_archive_is_refused_whole(name: str, kept: float, tmp_path: Path) -> None:
    packed = PACK[name](os.urandom(200_000))
    end = int(len(packed) * kept) if 0 < kept < 1 else int(kept)
    with pytest.raises(InputError, match="cut or damaged") as caught:
        read_bytes(put(tmp_path / name, packed[:end]), file="runs/x")
    assert caught.value.code == "cut_archive"
    assert caught.value.file == "runs/x"


@pytest.mark.parametrize("name", PACK)
def test_a_second_part_that_is_cut_is_noticed(name: str, tmp_path: Path) -> None:
    packed = PACK[name](BODY)
    with pytest.raises(InputError, match="cut or damaged"):
        read_bytes(put(tmp_path / name, packed + packed[:-2]))


@pytest.mark.parametrize("name", PACK)
def test_what_is_no_archive_or_has_a_tail_of_junk_is_refused(name: str, tmp_path: Path) -> None:
    for data in (b'{"a": 1}\n', PACK[name](BODY) + b"junk"):
        with pytest.raises(InputError, match="cut or damaged"):
            read_bytes(put(tmp_path / name, data))


def test_a_damaged_gzip_is_noticed_by_its_checksum(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(os.urandom(1000)))
    packed[500] ^= 0xFF
    with pytest.raises(InputError, match="cut or damaged"):
        read_bytes(put(tmp_path / "x.gz", bytes(packed)))


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs the zstd program")
def test_an_archive_of_the_zstd_program_is_read(tmp_path: Path) -> None:
    put(tmp_path / "x", BODY)
    subprocess.run(["zstd", "-q", str(tmp_path / "x")], check=True)
    assert read_bytes(tmp_path / "x.zst") == BODY


@pytest.mark.parametrize("name", ["x.gz", "x.zst", "x.jsonl"])
def test_more_than_the_limit_is_refused(name: str, tmp_path: Path) -> None:
    path = put(tmp_path / name, PACK.get(name, bytes)(b"\0" * 5_000_000))
    with pytest.raises(InputError, match=r"4,999,999 bytes") as caught:
        read_bytes(path, limit=4_999_999)
    assert caught.value.code == "file_too_large"
    assert len(read_bytes(path, limit=5_000_000)) == 5_000_000


def test_missing_file_folder_and_link_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    put(tmp_path / "file", b"")
    codes = {}
    for name in ("gone", ".", "loop", "dangling", "file/below"):
        with pytest.raises(InputError) as caught:
            read_bytes(tmp_path / name)
        codes[name] = caught.value.code
        assert caught.value.todo
    assert codes == {
        "gone": "file_missing",
        ".": "file_is_folder",
        "loop": "file_unreadable",
        "dangling": "file_missing",
        "file/below": "not_a_folder",
    }


def test_forbidden_files_and_disk_errors_are_told_apart(tmp_path: Path) -> None:
    forbidden = unreadable(tmp_path, PermissionError(13, "Permission denied"), file="runs/x")
    assert forbidden.code == "file_forbidden"
    assert str(forbidden).startswith("runs/x: found")
    assert "Input/output error" in str(unreadable(tmp_path, OSError(5, "Input/output error")))


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe"):
        read_bytes(tmp_path / "pipe")


TEXT = "質問,㈱髙橋①の表示ソフト\u2028～\n"


@pytest.mark.parametrize(
    ("mark", "codec", "named"),
    [
        (b"", "utf-8", "utf-8"),
        (b"\xef\xbb\xbf", "utf-8", "utf-8-sig"),
        (b"\xff\xfe", "utf-16-le", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be", "utf-16-be"),
        (b"\xff\xfe\0\0", "utf-32-le", "utf-32-le"),
        (b"\0\0\xfe\xff", "utf-32-be", "utf-32-be"),
    ],
)
def test_a_mark_or_utf8_decides_the_encoding(mark: bytes, codec: str, named: str) -> None:
    assert decode(mark + TEXT.encode(codec), "x") == (TEXT, named)


def test_cp932_is_read_exactly() -> None:
    text = TEXT.replace("\u2028", "")
    assert decode(text.encode("cp932"), "x") == (text, "cp932")
    assert decode(b"\x95\x5c\x83\x5c", "x") == ("表ソ", "cp932")


@pytest.mark.parametrize(
    ("data", "tried"),
    [
        (b"a\nb\x80\xff", ["utf-8", "cp932"]),
        (b"a\ncaf\xa0", ["utf-8", "cp932"]),
        (b"a\n\x81", ["utf-8", "cp932"]),
        (b"\xef\xbb\xbfa\n\xff", ["utf-8-sig"]),
        (b"\xff\xfea\0\n\0\x00\xd8", ["utf-16-le"]),
    ],
)
def test_an_unknown_encoding_names_what_was_tried_and_the_line(
    data: bytes, tried: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        decode(data, "cases.csv")
    assert caught.value.code == "unknown_encoding"
    assert caught.value.line == 2
    for encoding in tried:
        assert encoding in str(caught.value)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_utf16_without_a_mark_is_not_guessed(codec: str) -> None:
    with pytest.raises(InputError, match="mark"):
        decode('{"case_id": "q1"}\n'.encode(codec), "x")


def test_an_empty_file_is_empty_text() -> None:
    assert decode(b"", "x") == ("", "utf-8")


@given(st.binary(max_size=60))
def test_any_bytes_become_text_that_can_be_stored_or_an_input_error(data: bytes) -> None:
    try:
        text, _ = decode(data, "x")
    except InputError:
        return
    text.encode()


def test_lines_end_at_line_feeds_only_and_blank_ones_are_skipped() -> None:
    text = "a\u2028\x85\x0b\x0cb\r\n\n \t\u3000\r\n  c\rd\n\r\nlast"
    assert list(lines(text)) == [(1, "a\u2028\x85\x0b\x0cb"), (4, "  c\rd"), (6, "last")]


@given(st.text(alphabet="a\n\r \u2028\x1c"))
def test_no_line_is_lost_or_made_up(text: str) -> None:
    written = text.split("\n")
    found = dict(lines(text))
    for number, line in enumerate(written, start=1):
        assert (number in found) is (line.strip() != "")
        assert found.get(number, line).rstrip("\r") == line.rstrip("\r") or number not in found


def test_listing_is_recursive_sorted_and_ends_in_spite_of_loops(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("b/2", "b/1", "a", ".x", ".hidden/y", "b.x"):
        put(tmp_path / name, b"")
    (tmp_path / "b" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe")
    found = [relative(path, tmp_path) for path in list_files(tmp_path)]
    assert found == ["a", "b.x", "b/1", "b/2", "dangling", "self"]


def test_listing_follows_a_link_to_a_folder_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    put(tmp_path / "elsewhere" / "x", b"")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to(tmp_path / "elsewhere")
    root = tmp_path / "root"
    assert [relative(path, root) for path in list_files(root)] == ["link/x"]


def test_listing_leaves_out_sockets() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/s")
        assert list_files(Path(folder)) == []


def test_a_folder_that_may_not_be_entered_is_listed_so_that_it_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    put(tmp_path / "open", b"")
    real = text_file._entries

    def entries(folder: Path) -> list[Path]:
        if folder.name == "closed":
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(text_file, "_entries", entries)
    assert [path.name for path in list_files(tmp_path)] == ["closed", "open"]


def test_listing_what_is_no_folder_is_an_input_error(tmp_path: Path) -> None:
    put(tmp_path / "file", b"")
    for name, code in (("gone", "file_missing"), ("file", "not_a_folder")):
        with pytest.raises(InputError) as caught:
            list_files(tmp_path / name)
        assert caught.value.code == code


def test_writing_replaces_the_whole_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "made" / "x.txt"
    write_atomic(path, b"old")
    path.chmod(0o640)
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(path.parent.iterdir()) == [path]


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    put(tmp_path / "real", b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomic(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path / "x", b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left") as caught:
        write_atomic(path, b"new")
    assert caught.value.code == "file_unwritable"
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_where_a_file_is_in_the_way_is_an_input_error(tmp_path: Path) -> None:
    put(tmp_path / "file", b"")
    with pytest.raises(InputError, match="cannot be written"):
        write_atomic(tmp_path / "file" / "below", b"")


def test_relative_names_can_be_stored(tmp_path: Path) -> None:
    assert relative(tmp_path / "a" / "規程.md", tmp_path) == "a/規程.md"
    assert relative(Path("/elsewhere/x"), tmp_path) == "/elsewhere/x"
    assert relative(tmp_path / os.fsdecode(b"a\xff"), tmp_path) == "a\\xff"


def test_mail_encoding_does_not_pass_for_utf8() -> None:
    with pytest.raises(InputError, match="ISO-2022-JP") as caught:
        decode("送料は？\n".encode("iso2022_jp"), "mail.csv")
    assert caught.value.code == "unknown_encoding"
    assert decode(b"\x1b[31mred\x1b(B", "log.csv")[1] == "utf-8"


@given(st.binary(max_size=60) | st.text().map(lambda text: text.encode("utf-16")))
def test_utf8_bytes_are_those_of_the_decoded_text(data: bytes) -> None:
    assert outcome(as_utf8, data) == outcome(decode, data)


def outcome(read: Callable[[bytes, str], tuple[str | bytes, str]], data: bytes) -> object:
    """UTF-8 bytes and encoding, or what the error says."""
    try:
        text, encoding = read(data, "x")
    except InputError as problem:
        return str(problem)
    return text if isinstance(text, bytes) else text.encode(), encoding


def test_a_character_across_two_chunks_is_no_fault() -> None:
    data = b"a" * ((1 << 20) - 1) + "送".encode()
    assert as_utf8(data, "x") == (data, "utf-8")
    with pytest.raises(InputError):
        as_utf8(data[:-1] + b"\xff\xff", "x")


@given(st.text(alphabet="ab送\n\r \u3000"), st.integers(1, 9))
def test_blocks_hold_each_line_once_under_its_number(text: str, size: int) -> None:
    blocks = LineBlocks(text.encode(), size=size)
    found: dict[int, str] = {}
    for numbers, block in blocks:
        written = block.decode().removesuffix("\n").split("\n")
        assert len(written) == len(numbers)
        found |= dict(zip(numbers, written, strict=True))
    written = text.split("\n")
    assert found == dict(enumerate(written if written[-1] else written[:-1], start=1))
    assert list(blocks.texts(reversed(found))) == list(lines(text))
