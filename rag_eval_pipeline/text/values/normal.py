"""The text as the value rules read it: one width, one case, plain digits, traps hidden.

Every step keeps the way back, so that a value is quoted as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rag_eval_pipeline.text.numerals import Form, Numeral, latin_words, numerals
from rag_eval_pipeline.text.values.traps import hide_digit_traps, hide_word_traps

_SAME_LENGTH: dict[int, int] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **{
        code: ord(folded)
        for code in range(0xFF5F, 0xFFF0)
        if len(folded := unicodedata.normalize("NFKC", chr(code))) == 1 and folded != chr(code)
    },
    **{
        ord(written): ord(folded)
        for folded, signs in (
            (" ", "\u3000\u00a0\u2009\u202f"),
            ("\u00a5", "\uffe5"),
            ("~", "〜～∼"),
            ("-", "－−‐‑‒–—―"),
            ("'", "’"),
            ("i", "İ"),
            ("か", "ヵヶ"),
        )
        for written in signs
    },
}
_FOLDED = re.compile(f"[{''.join(map(chr, _SAME_LENGTH))}]")
# So many different folded characters are replaced one by one: most texts hold two or three.
_FEW = 12
_ANY_CHANGE_OF_LENGTH = re.compile("[\uff9e\uff9f\u200b\u200d\u2060\ufeff\u00ad]")
_CHANGES_LENGTH = re.compile(
    "[\uff66-\uff9d][\uff9e\uff9f]|[\u200b\u2060\ufeff\u00ad]|(?<![\u2600-\U0010ffff])\u200d"
)
_DIGIT = re.compile("[0-9]")
_HIDDEN = re.compile("\0\0*")
_LATIN = re.compile("[a-z][a-z.]")
_JAPANESE = re.compile("[ぁ-んァ-ヶ一-鿿]")
_CHANGE = re.compile("[引増減安得+]")
_CHANGES = (
    "オフ", "アップ", "ダウン", "プラス", "追加", "上乗", "加算", "ディスカウント", "off",
    "discount", "save", "reduc", "up", "charge", "premium", "increase", "plus", "extra", "rebate",
    "cheaper", "lower", "mark", "raise", "additional",
)  # fmt: skip
_WEIGHT = re.compile("weigh|heav|luggage|baggage|parcel|package|lift")
_HALF = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4)}
_MIXED = re.compile(
    r"(?<![0-9./])(?P<whole>[0-9]{1,9})(?:(?P<sign>[½¼¾])| (?P<fraction>1/2|1/4|3/4)(?= ?-?[a-z]))"
)


@dataclass(frozen=True)
class Normal:
    """Text to read values in.

    `text` keeps the case (MB, kWh), `low` is the same in lower case. `layers` are
    the edits made to the text as given, the last one first.
    `forms` and `numerals` tell by start in `text` how a number was written. `words` (runs of
    Latin letters in lower case, maybe some that are hidden now), `latin`, `japanese`, `digits`
    and `tax` say what occurs, so that rules for other things need not be tried.
    """

    text: str
    low: str
    layers: list[_Edits]
    forms: dict[int, Form]
    numerals: dict[int, Numeral]
    words: frozenset[str]
    latin: bool
    japanese: bool
    digits: bool
    tax: bool

    @cached_property
    def change(self) -> bool:
        """Whether a discount or a surcharge may be spoken of."""
        return _CHANGE.search(self.low) is not None or any(word in self.low for word in _CHANGES)

    @cached_property
    def weight(self) -> bool:
        """Whether things are weighed, so that pounds are no money."""
        return _WEIGHT.search(self.low) is not None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of `text[start:end]` in the text as given."""
        for layer in self.layers:
            start, end = layer.before(start, end)
        return start, end


def normal(given: str) -> Normal:
    """Fold, hide traps and write numbers in digits."""
    layers: list[_Edits] = []
    text = _folded(given)
    if _ANY_CHANGE_OF_LENGTH.search(given):
        edits = [
            (
                found.start(),
                found.end(),
                unicodedata.normalize("NFKC", given[found.start() : found.end()])
                if found.end() - found.start() == 2
                else "",
            )
            for found in _CHANGES_LENGTH.finditer(given)
        ]
        if edits:
            layers.append(_Edits(edits))
            text = layers[-1].applied(text)
    low = _lower(text)
    hidden = hide_digit_traps(low)
    words = latin_words(hidden)
    hidden = hide_word_traps(hidden, words)
    if hidden is not low:
        text = _hide(text, hidden)
        low = hidden
    if "/" in low or any(sign in low for sign in _HALF):
        mixed = [(found.start(), found.end(), _mixed(found)) for found in _MIXED.finditer(low)]
        if mixed:
            layers.append(_Edits(mixed))
            text = layers[-1].applied(text)
            low = _lower(text)
    forms: dict[int, Form] = {}
    known: dict[int, Numeral] = {}
    found_numerals = list(numerals(low, words))
    if found_numerals:
        written = _Edits([(found.start, found.end, found.digits) for found in found_numerals])
        layers.append(written)
        text = written.applied(text)
        low = _lower(text)
        for numeral, start in zip(found_numerals, written.starts, strict=True):
            forms[start] = numeral.form
            known[start] = numeral
        # tenth is 10th now
        words |= {"th"}
    return Normal(
        text, low, layers[::-1], forms, known, words,
        latin=_LATIN.search(low) is not None,
        japanese=_JAPANESE.search(low) is not None,
        digits=_DIGIT.search(low) is not None,
        tax="税" in low or "本体" in low or "tax" in low or "vat" in low or "gst" in low,
    )  # fmt: skip


def _folded(given: str) -> str:
    if given.isascii():
        return given
    signs = set(_FOLDED.findall(given))
    if len(signs) > _FEW:
        return given.translate(_SAME_LENGTH)
    for sign in signs:
        given = given.replace(sign, chr(_SAME_LENGTH[ord(sign)]))
    return given


def _mixed(found: re.Match[str]) -> str:
    whole = int(found.group("whole"))
    part = _HALF[found.group("sign")] if found.group("sign") else Fraction(found.group("fraction"))
    return str(float(whole + part)).removesuffix(".0") if whole < 10**6 else found.group()


def _lower(text: str) -> str:
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def _hide(text: str, hidden: str) -> str:
    pieces: list[str] = []
    at = 0
    for found in _HIDDEN.finditer(hidden):
        pieces += (text[at : found.start()], found.group())
        at = found.end()
    pieces.append(text[at:])
    return "".join(pieces)


class _Edits:
    """Pieces of a text written anew, and the way back to the text before."""

    def __init__(self, edits: list[tuple[int, int, str]]) -> None:
        self._edits = edits
        self.starts: list[int] = []
        grown = 0
        for start, end, written in edits:
            self.starts.append(start + grown)
            grown += len(written) - (end - start)

    def applied(self, text: str) -> str:
        """The text with the pieces replaced."""
        pieces: list[str] = []
        at = 0
        for start, end, written in self._edits:
            pieces += (text[at:start], written)
            at = end
        pieces.append(text[at:])
        return "".join(pieces)

    def before(self, start: int, end: int) -> tuple[int, int]:
        """The span of the text before that became `start:end`; pieces count as a whole."""
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, position: int) -> tuple[int, int]:
        last = bisect_right(self.starts, position) - 1
        if last < 0:
            return position, position + 1
        start, end, written = self._edits[last]
        after = position - self.starts[last] - len(written)
        return (start, end) if after < 0 else (end + after, end + after + 1)
