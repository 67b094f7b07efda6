"""Characters that no table, file or page can hold: NUL and lone halves of surrogate pairs."""

from __future__ import annotations

import re

SANITISED = "text_sanitised"
"""Flag of a row in which such characters were replaced."""

REPLACEMENT = "\ufffd"

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class KeysCollideError(ValueError):
    """Two keys of one object became the same by sanitising; `key` is what both became."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def unstorable(text: str) -> bool:
    """Whether the text holds NUL or a surrogate."""
    return _UNSTORABLE.search(text) is not None


def sanitise_text(text: str) -> str:
    """The text with surrogate pairs joined, and NUL and lone surrogates turned into U+FFFD."""
    if not unstorable(text):
        return text
    return _UNSTORABLE.sub(REPLACEMENT, _PAIR.sub(_join, text))


def sanitise(value: object) -> tuple[object, bool]:
    """A JSON-like value with every text and key sanitised, and whether any of them lost something.

    Joining a proper pair loses nothing. Raises KeysCollideError if two keys become one.
    """
    if isinstance(value, str):
        clean = sanitise_text(value)
        # A joined pair is no loss; the same object comes back when nothing was done at all.
        lost = clean is not value and clean.count(REPLACEMENT) > value.count(REPLACEMENT)
        return clean, lost
    if isinstance(value, list):
        pairs = [sanitise(item) for item in value]
        return [item for item, _ in pairs], any(lost for _, lost in pairs)
    if isinstance(value, dict):
        clean_object: dict[str, object] = {}
        lost_any = False
        for key, item in value.items():
            clean_key, lost_key = sanitise(key)
            clean_item, lost_item = sanitise(item)
            if not isinstance(clean_key, str) or clean_key in clean_object:
                raise KeysCollideError(str(clean_key))
            clean_object[clean_key] = clean_item
            lost_any = lost_any or lost_key or lost_item
        return clean_object, lost_any
    return value, False


def _join(pair: re.Match[str]) -> str:
    high, low = ord(pair[0][0]), ord(pair[0][1])
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
