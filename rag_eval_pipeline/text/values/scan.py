"""Patterns tried only where they can begin.

The engine skips fast to a letter or a set at the head of a pattern. With a lookbehind or a repeat
at its head it tries the whole pattern at every character, which costs many times as much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator


def numbers(digits: int, then: str) -> re.Pattern[str]:
    """The places where a number of so many digits or fewer begins that `then` follows."""
    return re.compile(rf"[0-9](?<![0-9][0-9])(?=[0-9]{{0,{digits - 1}}}(?:{then}))")


def heads(words: Iterable[str]) -> re.Pattern[str]:
    """The places where one of the words begins; each match is one character."""
    return re.compile("|".join(f"{re.escape(word[0])}(?={re.escape(word[1:])})" for word in words))


def finditer(pattern: re.Pattern[str], head: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Exactly `pattern.finditer(text)`, where all its matches begin at a match of `head`."""
    at = 0
    for place in head.finditer(text):
        if place.start() >= at:
            found = pattern.match(text, place.start())
            if found:
                yield found
                at = found.end()


def search(
    pattern: re.Pattern[str], head: re.Pattern[str], text: str, start: int, end: int
) -> re.Match[str] | None:
    """Exactly `pattern.search(text, start, end)`, where its matches begin at a match of `head`."""
    place = head.search(text, start, end)
    while place:
        found = pattern.match(text, place.start(), end)
        if found:
            return found
        place = head.search(text, place.start() + 1, end)
    return None


def sign_after(text: str, end: int) -> str:
    """The character at `end`, or the next one where that is white space."""
    sign = text[end : end + 1]
    return text[end + 1 : end + 2] if sign.isspace() else sign


def sign_before(text: str, start: int) -> str:
    """The character before `start`, white space left out; empty at the beginning of the text."""
    sign = text[start - 1 : start]
    return text[max(0, start - 3) : start].rstrip()[-1:] if sign.isspace() else sign
