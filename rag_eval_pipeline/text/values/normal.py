"""The text as the value rules read it: one width, one case, plain digits, traps hidden.

Every step keeps the way back, so that a value is quoted as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rag_eval_pipeline.text.numerals import Form, Numeral, numerals
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
_TAX = ("税", "本体", "tax", "vat", "gst")
_CHANGE = re.compile(
    "[引増減安得+]|オフ|アップ|ダウン|プラス|追加|上乗|加算|ディスカウント|off|discount|save"
    "|reduc|up|charge|"
    "premium|increase|plus|extra|rebate|cheaper|lower|mark|raise|additional"
)
_HALF = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4)}
_MIXED = re.compile(
    r"(?<![0-9./])(?P<whole>[0-9]{1,9})(?:(?P<sign>[½¼¾])| (?P<fraction>1/2|1/4|3/4)(?= ?-?[a-z]))"
)


@dataclass(frozen=True)
class Normal:
    """Text to read values in.

    `text` keeps the case (MB, kWh), `low` is the same in lower case. `begins` and `ends` give for
    each character the span it was written in (None: the text as given has the same offsets).
    `forms` and `numerals` tell by start in `text` how a number was written. `latin`, `japanese`
    and `digits` say which characters occur, so that rules for others need not be tried.
    """

    text: str
    low: str
    begins: list[int] | None
    ends: list[int] | None
    forms: dict[int, Form]
    numerals: dict[int, Numeral]
    latin: bool
    japanese: bool
    digits: bool

    @cached_property
    def tax(self) -> bool:
        """Whether tax may be spoken of."""
        return any(sign in self.low for sign in _TAX)

    @cached_property
    def change(self) -> bool:
        """Whether a discount or a surcharge may be spoken of."""
        return _CHANGE.search(self.low) is not None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of `text[start:end]` in the text as given."""
        if self.begins is None or self.ends is None:
            return start, end
        return self.begins[start], self.ends[end - 1]


def normal(given: str) -> Normal:
    """Fold, hide traps and write numbers in digits."""
    begins: list[int] | None = None
    ends: list[int] | None = None
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
            text, begins, ends, _ = _edited(text, begins, ends, edits)
    low = _lower(text)
    hidden = hide_digit_traps(low)
    hidden = hide_word_traps(hidden)
    if hidden is not low:
        text = _hide(text, hidden)
        low = hidden
    if "/" in low or any(sign in low for sign in _HALF):
        mixed = [(found.start(), found.end(), _mixed(found)) for found in _MIXED.finditer(low)]
        if mixed:
            text, begins, ends, _ = _edited(text, begins, ends, mixed)
            low = _lower(text)
    forms: dict[int, Form] = {}
    known: dict[int, Numeral] = {}
    found_numerals = list(numerals(low))
    if found_numerals:
        changes = [(numeral.start, numeral.end, numeral.digits) for numeral in found_numerals]
        text, begins, ends, starts = _edited(text, begins, ends, changes)
        low = _lower(text)
        for numeral, start in zip(found_numerals, starts, strict=True):
            forms[start] = numeral.form
            known[start] = numeral
    return Normal(
        text, low, begins, ends, forms, known,
        latin=_LATIN.search(low) is not None,
        japanese=_JAPANESE.search(low) is not None,
        digits=_DIGIT.search(low) is not None,
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


def _edited(
    text: str,
    begins: list[int] | None,
    ends: list[int] | None,
    edits: list[tuple[int, int, str]],
) -> tuple[str, list[int], list[int], list[int]]:
    """The text with pieces replaced, the way back, and where each piece now starts."""
    if begins is None or ends is None:
        begins = list(range(len(text)))
        ends = list(range(1, len(text) + 1))
    pieces: list[str] = []
    new_begins: list[int] = []
    new_ends: list[int] = []
    starts: list[int] = []
    at = length = 0
    for start, end, written in edits:
        pieces += (text[at:start], written)
        new_begins += begins[at:start]
        new_ends += ends[at:start]
        length += start - at
        starts.append(length)
        new_begins += [begins[start]] * len(written)
        new_ends += [ends[end - 1]] * len(written)
        length += len(written)
        at = end
    pieces.append(text[at:])
    new_begins += begins[at:]
    new_ends += ends[at:]
    return "".join(pieces), new_begins, new_ends, starts
