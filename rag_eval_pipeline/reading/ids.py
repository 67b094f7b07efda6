"""Ids: opaque text, compared in NFC, and their one-to-one names as partition keys and files."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from rag_eval_pipeline.reading.errors import InputError, code_point, shown

MAX_NAME_BYTES = 200

_ZWJ = "\u200d"
_EMOJI_PARTS = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")
_HIDDEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that show nothing although Unicode files them under letters, marks or symbols."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789@-")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)")
_UNIT = re.compile(r"_(?:_|[0-9a-f]{2})|[a-z0-9@.-]")
_SHORTENED = re.compile(r"(?:_(?:_|[0-9a-f]{2})|[a-z0-9@.-])*_h[0-9a-f]{32}")
_HASH_DIGITS = 32


class ShortenedNameError(KeyError):
    """A name that holds only a hash of a long id; the id stands in the table of stored names."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return (
            f"{shown(self.name, 60)} is the shortened name of a long id and cannot be decoded; "
            "look the id up in the table in which its name was stored"
        )


def normal_id(text: str) -> str:
    """The id in NFC, the form in which ids are compared and stored."""
    return unicodedata.normalize("NFC", text)


def why_refused(text: str) -> str | None:
    """Why a text cannot be an id, naming the character; None if it can.

    Refused: blank texts; controls, line and paragraph separators, surrogates, noncharacters;
    characters that show nothing (format characters, fillers); U+FFFD, because the id it once
    was is lost and two lost ids would become one. Allowed are a zero-width joiner between two
    emoji, a variation selector after a visible character (kanji variants), and private-use and
    not yet assigned characters (names of people; and an id must not depend on the age of the
    Unicode tables).
    """
    if not text.strip():
        return "the id is blank"
    if text.isascii() and text.isprintable():
        return None
    for index, char in enumerate(text):
        why = _fault(text, index, char)
        if why is not None:
            return f"the id holds {code_point(char)} at character {index + 1}, {why}"
    return None


def encode_id(text: str) -> str:
    """The id's name as Dagster partition key and as file name, of at most 200 ASCII characters.

    The map is one-to-one on ids in NFC, and names differ also where case is ignored. `a-z`,
    `0-9`, `@`, `-` and single inner dots stand for themselves, `__` for `_`, `_xx` for any other
    UTF-8 byte; names that Windows reserves get their first letter escaped. A name over 200 bytes
    is a prefix, `_h` and 32 hex digits of the id's sha256, which `decode_id` cannot undo.

    Raises
    ------
    InputError
        `blank_id` for an empty or blank id; `id_not_text` for one with a lone surrogate.
    """
    normal = normal_id(text)
    if not normal.strip():
        raise InputError(
            "blank_id",
            found="an empty or blank id",
            expected="an id with at least one visible character",
            todo="give the row an id",
        )
    try:
        data = normal.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            "id_not_text",
            found=f"half of a surrogate pair at character {error.start + 1} of an id",
            expected="an id of whole characters",
            todo="write the id again as UTF-8 text",
        ) from None
    name = "".join(_encode_byte(data, index) for index in range(len(data)))
    if _RESERVED.match(name):
        name = f"_{ord(name[0]):02x}{name[1:]}"
    if len(name) <= MAX_NAME_BYTES:
        return name
    digest = hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]
    return f"{_whole_prefix(name, MAX_NAME_BYTES - _HASH_DIGITS - 2)}_h{digest}"


def decode_id(name: str) -> str:
    """The id, in NFC, that a name made by `encode_id` stands for.

    Raises
    ------
    ShortenedNameError
        (a KeyError) for the name of a long id: only a stored table knows it.
    InputError
        `not_a_name` for a text that `encode_id` never makes.
    """
    if len(name) <= MAX_NAME_BYTES and _SHORTENED.fullmatch(name):
        raise ShortenedNameError(name)
    try:
        text = _decoded(name)
        if text is not None and encode_id(text) == name:
            return text
    except ValueError:
        pass
    raise InputError(
        "not_a_name",
        found=f"the name {shown(name)}",
        expected="a name made from an id",
        todo="use the name as it was written, without changing it",
    )


def _fault(text: str, index: int, char: str) -> str | None:
    category = unicodedata.category(char)
    if category == "Cc":
        return "a control character"
    if category in {"Zl", "Zp"}:
        return "a line or paragraph separator"
    if category == "Cs":
        return "half of a surrogate pair"
    if char == "\ufffd":
        return "which stands for characters that could not be read"
    if ord(char) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(char) <= 0xFDEF:
        return "which is no character"
    if char == _ZWJ and _joins_emoji(text, index):
        return None
    if category == "Cf" or char in _HIDDEN_LETTERS:
        return "which cannot be seen"
    if _is_variation_selector(char) and (index == 0 or not _can_vary(text[index - 1])):
        return "which cannot be seen where it stands"
    return None


def _joins_emoji(text: str, index: int) -> bool:
    before = _EMOJI_PARTS.sub("", text[max(0, index - 4) : index])[-1:]
    after = text[index + 1 : index + 2]
    return all(char and unicodedata.category(char) == "So" for char in (before, after))


def _is_variation_selector(char: str) -> bool:
    return (
        "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
        or char in "\u180b\u180c\u180d\u180f"
    )


def _can_vary(char: str) -> bool:
    return not char.isspace() and not _is_variation_selector(char)


def _encode_byte(data: bytes, index: int) -> str:
    byte = data[index]
    if byte in _PLAIN:
        return chr(byte)
    if byte == 0x5F:
        return "__"
    inner_dot = byte == 0x2E and 0 < index < len(data) - 1
    if inner_dot and data[index - 1] != 0x2E and data[index + 1] != 0x2E:
        return "."
    return f"_{byte:02x}"


def _whole_prefix(name: str, length: int) -> str:
    end = 0
    for unit in _UNIT.finditer(name):
        if unit.end() > length:
            break
        end = unit.end()
    return name[:end]


def _decoded(name: str) -> str | None:
    data = bytearray()
    end = 0
    for unit in _UNIT.finditer(name):
        if unit.start() != end:
            return None
        end = unit.end()
        piece = unit[0]
        if piece == "__" or len(piece) == 1:
            data.append(ord(piece[0]))
        else:
            data.append(int(piece[1:], 16))
    return bytes(data).decode() if end == len(name) else None
