"""Splitting a text into clauses: the smallest pieces that assert something on their own (R6)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile("[^\n\r\u2028\u2029\x0b\x0c\x85]+")
_MARKER = re.compile(
    r"\s{0,40}(?:[>#]{1,6}\s{1,8}|[-*+•‣◦●○■□◆◇▪–]\s{1,8}|[・●○■□◆◇▪•‣※]|\(?\d{1,3}[.)．）]\s{1,8}|[①-⑳]"
    r"|\[[ xX]\]\s{1,4}){0,4}\s{0,8}"
)
_NO_WORDS = re.compile(r"[\s|:=+*_#>.\-–—―─・!！?？。、,]*")
_PAIRS = {
    "「": "」",
    "『": "』",
    "（": "）",
    "(": ")",
    "【": "】",
    "“": "”",
    "〈": "〉",
    "《": "》",
    "［": "］",
    "[": "]",
}
_BRACKET = re.compile("[" + re.escape("".join(_PAIRS) + "".join(_PAIRS.values())) + '"]')
# The last alternative of a full stop: only where a sentence can end, so not in 1.5, v2.1 or a.txt.
_STOP = re.compile(
    "(?:[。｡！？!?]+|(?<![0-9０-９])．|．(?![0-9０-９])|\\.(?![^\\s\"'”’)\\]」』）\u3040-\u30ff\u4e00-\u9fff]))"
    "[。｡！？!?.．…]*[\"'”’)\\]」』）】]*"
)
_ABBREVIATION = re.compile(
    r"(?:^|[^A-Za-z])(?:e\.g|i\.e|cf|vs|etc|approx|incl|excl|max|min|no|nos|art|sec|fig|vol|pp?|ca|"
    r"mr|mrs|ms|dr|prof|st|jr|sr|inc|ltd|co|corp|dept|est|tel|ext|jan|feb|mar|apr|jun|jul|aug|sept?|"
    r"oct|nov|dec|mon|tues?|wed|thurs?|fri|sat|sun|a\.m|p\.m|u\.s|u\.k|[A-Z]|[a-z]\.[a-z])\Z",
    re.IGNORECASE,
)
_STARTS_SENTENCE = re.compile(
    r"[\"'”’)\]]*\s+[\"'“‘(\[]*(?:[A-Z](?:[a-z]|\s|')|[\u3040-\u30ff\u4e00-\u9fff])"
)
# After these a capital letter does not begin a sentence.
_LEADS_ON = re.compile(
    r"(?:^|[^A-Za-z])(?:(?i:e\.g|i\.e|cf|vs|approx|mr|mrs|ms|dr|prof|st)|[A-Z])\Z"
)
_QUOTED = re.compile(r"(?:「[^「」]*」|『[^『』]*』|“[^“”]*”|\"[^\"]*\")[。｡.．!?！？]*")
_LONGEST_BRACKET = 400


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a text: `text` is exactly what stands from `start` to `end` (code points).

    `quoted` is true where the clause is one quotation and nothing else: it says what somebody said,
    and asserts nothing.
    """

    start: int
    end: int
    text: str
    quoted: bool = False


def clauses(text: str) -> tuple[Clause, ...]:
    """Split a text into clauses, in order; together they hold every word of it.

    。！？!?. and line breaks end a clause, but not inside brackets or quotation marks that are
    closed on the same line, and a full stop does not after an abbreviation, inside a number, a file
    name or an address. A Markdown bullet, heading or table row is a clause without its marker;
    rules and rows that hold only dashes are none.

    Parameters
    ----------
    text
        Any string.

    Returns
    -------
    The clauses with their closing mark and without white space at the ends. Empty for blank text.
    """
    found: list[Clause] = []
    for line in _LINE.finditer(text):
        start, end = line.span()
        marker = _MARKER.match(text, start, end)
        begin = marker.end() if marker is not None else start
        found.extend(_of_line(text, begin, end))
    return tuple(found)


def _of_line(text: str, start: int, end: int) -> list[Clause]:
    closed = _closed_brackets(text, start, end)
    found: list[Clause] = []
    next_bracket = 0
    begin = start
    for stop in _STOP.finditer(text, start, end):
        at = stop.start()
        while next_bracket < len(closed) and closed[next_bracket][1] <= at:
            next_bracket += 1
        inside = next_bracket < len(closed) and closed[next_bracket][0] < at
        upto = stop.end()
        if inside:
            close = closed[next_bracket][1]
            # A whole sentence in quotation marks, and a new one after it.
            if not (close < upto <= close + 2 and _STARTS_SENTENCE.match(text, upto, end)):
                continue
        if _only_an_abbreviation(text, begin, at, upto, end):
            continue
        if text[at] in "!?" and upto < end and text[upto].isascii() and text[upto].isalnum():
            continue
        _add(found, text, begin, upto)
        begin = upto
    _add(found, text, begin, end)
    return found


def _only_an_abbreviation(text: str, begin: int, at: int, upto: int, end: int) -> bool:
    """Tell whether the full stop at `at` belongs to a word or a number before it."""
    if text[at] != ".":
        return False
    before = text[max(begin, at - 6) : at]
    if before.strip().isdecimal() and at - begin <= 3 and upto < end:
        return True
    if _ABBREVIATION.search(before) is None:
        return False
    return _LEADS_ON.search(before) is not None or not _STARTS_SENTENCE.match(text, upto, end)


def _closed_brackets(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Outermost pairs (position of the opening, of the closing mark), in order."""
    spans: list[tuple[int, int]] = []
    waiting: list[tuple[str, int]] = []
    for bracket in _BRACKET.finditer(text, start, end):
        mark, at = bracket.group(), bracket.start()
        if mark in _PAIRS:
            waiting.append((_PAIRS[mark], at))
            continue
        if mark == '"' and not any(wanted == '"' for wanted, _ in waiting[-4:]):
            waiting.append(('"', at))
            continue
        for depth in range(len(waiting) - 1, max(len(waiting) - 5, -1), -1):
            wanted, opened = waiting[depth]
            if wanted == mark:
                del waiting[depth:]
                if at - opened <= _LONGEST_BRACKET:
                    spans.append((opened, at))
                break
    return _outermost(spans)


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for opened, closed in sorted(spans):
        if not kept or opened > kept[-1][1]:
            kept.append((opened, closed))
    return kept


def _add(found: list[Clause], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    bare = piece.strip()
    if _NO_WORDS.fullmatch(bare):
        return
    begin = start + len(piece) - len(piece.lstrip())
    found.append(Clause(begin, begin + len(bare), bare, _QUOTED.fullmatch(bare) is not None))
