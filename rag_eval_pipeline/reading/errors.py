"""Bad input that a person must mend, told in one sentence."""

from __future__ import annotations

import unicodedata

_ELLIPSIS = "…"
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


class InputError(ValueError):
    """Input that cannot be used until a person changes it.

    `code` names the kind of fault for programs; the other fields make the sentence for people:
    where (`file`, `line` from 1, `field`), what was `found`, what was `expected`, what is `todo`.
    """

    def __init__(
        self,
        code: str,
        *,
        found: str,
        expected: str,
        todo: str,
        file: str | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.file = file
        self.line = line
        self.field = field
        self.found = found
        self.expected = expected
        self.todo = todo

    def __str__(self) -> str:
        place = ", ".join(
            part
            for part in (
                self.file,
                None if self.line is None else f"line {self.line}",
                None if self.field is None else f"field {self.field}",
            )
            if part is not None
        )
        stop = "" if self.todo.endswith("?") else "."
        todo = self.todo.rstrip(".") + stop
        sentence = f"found {self.found}; expected {self.expected}. Do: {todo}"
        whole = f"{place}: {sentence}" if place else sentence[0].upper() + sentence[1:]
        return "".join(" " if char in "\r\n\t" else visible(char) for char in whole)


def visible(char: str) -> str:
    """The character, or U+FFFD for one that would move or hide text when shown.

    Joiners and variation selectors stay, so that emoji and kanji variants are shown whole.
    """
    if char in "\u200d\ufe0f":
        return char
    return "\ufffd" if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else char


def shown(text: str, limit: int = 40) -> str:
    """Text quoted for a message: on one line, at most `limit` characters of it."""
    cut = text if len(text) <= limit else text[: limit - 1] + _ELLIPSIS
    return '"' + "".join(visible(char) for char in cut) + '"'


def shown_char(char: str) -> str:
    """One character for a message: itself if it can be seen, else its code point and name."""
    if unicodedata.category(char) in _INVISIBLE or char.isspace():
        return code_point(char)
    return f'"{char}"'


def code_point(char: str) -> str:
    """`U+XXXX NAME` of a character; controls, which have no name of their own, are CONTROL."""
    unnamed = {"Cc": "CONTROL", "Cs": "SURROGATE", "Co": "PRIVATE USE"}
    name = unicodedata.name(char, unnamed.get(unicodedata.category(char), "UNNAMED"))
    return f"U+{ord(char):04X} {name}"
