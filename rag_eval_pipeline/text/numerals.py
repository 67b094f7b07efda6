"""Numbers written in kanji, in words or with separators, as plain decimal digits.

五百, 2万5千, 三〇〇, 壱万, 1,000, twenty-five and 1.5 million all become ASCII digits; everything
else of the text stays as it is. Only ASCII digits count: ① is not 1, 10² not 102, and digits of
other scripts are left alone. Which words are numbers at all (十分, one of) is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

Form = Literal["digits", "kanji", "words"]

_KANJI_DIGITS = {
    **{sign: value for value, sign in enumerate("〇一二三四五六七八九")},
    "零": 0,
    "壱": 1,
    "壹": 1,
    "弐": 2,
    "貳": 2,
    "参": 3,
    "參": 3,
    "肆": 4,
    "伍": 5,
    "陸": 6,
    "漆": 7,
    "捌": 8,
    "玖": 9,
}
_TENS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "億": 10**8, "兆": 10**12}

_SIGNS = "".join([*_KANJI_DIGITS, *_TENS])
_RUN = re.compile(
    rf"[0-9{_SIGNS}](?:[0-9{_SIGNS}万萬億兆]|,(?=[0-9]{{3}}(?![0-9]))|\.(?=[0-9])){{0,39}}"
)
_PART = re.compile(rf"(?P<digits>[0-9][0-9,]*(?:\.[0-9]+)?)|(?P<sign>[{_SIGNS}万萬億兆])")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?")
# These signs are parts of everyday words (参加, 拾う, 陸路) unless they stand in a longer number.
_FORMAL_ONLY = frozenset("参參拾陸漆伍肆捌玖佰仟壹貳")

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_DECADES = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * value for value, word in enumerate(_DECADES, start=2)},
    "dozen": 12,
}
_SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_ORDINALS = {
    **{
        word: value
        for value, word in enumerate(
            [
                "first",
                "second",
                "third",
                "fourth",
                "fifth",
                "sixth",
                "seventh",
                "eighth",
                "ninth",
                "tenth",
                "eleventh",
                "twelfth",
                "thirteenth",
                "fourteenth",
                "fifteenth",
                "sixteenth",
                "seventeenth",
                "eighteenth",
                "nineteenth",
                "twentieth",
            ],
            start=1,
        )
    },
    "thirtieth": 30,
    **{
        f"twenty-{word}": 20 + value
        for value, word in enumerate(
            ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"],
            start=1,
        )
    },
    "thirty-first": 31,
}
_WORD = "|".join(sorted([*_WORDS, *_SCALES], key=len, reverse=True))
_SCALE = "|".join(_SCALES)
# "and" joins only after a scale: "five and ten" are two numbers.
_AND = "|".join(f"(?<={scale}) and " for scale in _SCALES)
_WORD_RUN = re.compile(
    rf"(?<![a-z0-9'])(?:(?P<digits>[0-9]+(?:\.[0-9]+)?)[ -]?(?P<scale>{_SCALE})"
    rf"|(?<!half )(?:an? (?={_SCALE}|dozen))?(?:{_WORD})(?:(?:[ -]"
    rf"|{_AND})(?:{_WORD})){{0,11}})(?![a-z])"
)
_WORD_PART = re.compile(r"[a-z]+")
_ORDINAL = re.compile(
    rf"(?<![a-z-])(?:{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
    r"(?= (?:business|working|calendar|day|week|month|year|time|attempt|offen[cs]e|violation)|"
    r" of (?:the|each|every|next|this)[a-z ]{0,18} month)"
)
_LETTERS = re.compile("[a-z]+")
_NUMBER_WORDS = frozenset([*_WORDS, *_SCALES])
_ORDINAL_WORDS = frozenset(word.rpartition("-")[2] for word in _ORDINALS)
_UNIT_BEFORE = re.compile(r"(?:[0-9]|\b(?:per|a|each|one|every|split)) ?-?\Z")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number and where it stands; `digits` is what it reads as.

    `leading` is the coefficient before a single closing multiplier (5 of 5万, 1.5 of 1.5 million)
    and `scale` that multiplier, so that 3〜5万円 can be read as 30,000 to 50,000.
    """

    start: int
    end: int
    digits: str
    form: Form
    leading: Fraction | None = None
    scale: int = 1


@lru_cache(maxsize=4096)
def number(digits: str) -> Fraction:
    """The value of ASCII digits with or without a decimal point."""
    return Fraction(digits) if "." in digits else Fraction(int(digits))


def decimal_text(value: Fraction) -> str:
    """The number as a decimal where it terminates, else as a fraction in lowest terms.

    >>> decimal_text(Fraction(3, 2)), decimal_text(Fraction(2, 3)), decimal_text(Fraction(500))
    ('1.5', '2/3', '500')
    """
    if value.denominator == 1:
        return str(value.numerator)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def latin_words(text: str) -> frozenset[str]:
    """The runs of letters a to z in a text; a rule for words need not be tried without them."""
    return frozenset(_LETTERS.findall(text))


def numerals(text: str, words: frozenset[str] | None = None) -> Iterator[Numeral]:
    """Numbers of a text that are not plain digits already, in order of start.

    Parameters
    ----------
    text
        Width folded and in lower case; offsets refer to it.
    words
        `latin_words(text)` where they are known already; others may be among them.
    """
    if words is None:
        words = latin_words(text)
    found = list(_east_asian(text))
    if not _NUMBER_WORDS.isdisjoint(words):
        found += _in_words(text)
    if not _ORDINAL_WORDS.isdisjoint(words):
        found += _ordinals(text)
    found.sort(key=lambda numeral: numeral.start)
    end = -1
    for numeral in found:
        if numeral.start >= end:
            yield numeral
            end = numeral.end


def _east_asian(text: str) -> Iterator[Numeral]:
    for run in _RUN.finditer(text):
        written = run.group()
        if written.isascii() and "," not in written:
            continue
        if (
            len(written) == 1
            and written in _FORMAL_ONLY
            and text[run.end() : run.end() + 1] != "円"
        ):
            continue
        if written.isascii() and "." not in written and _GROUPED.fullmatch(written):
            digits = str(int(written.replace(",", "")))
            yield Numeral(run.start(), run.end(), digits, "digits")
            continue
        value = _parse_run(written)
        if value is None:
            continue
        number, leading, scale = value
        form: Form = "digits" if "0" <= written[0] <= "9" else "kanji"
        yield Numeral(run.start(), run.end(), decimal_text(number), form, leading, scale)


@lru_cache(maxsize=4096)
def _parse_run(written: str) -> tuple[Fraction, Fraction | None, int] | None:
    """Value of a run of digits, kanji digits and multipliers; None where it is no number.

    Also tells the coefficient and the multiplier where the run is just these two.
    """
    total = section = Fraction(0)
    pending: Fraction | None = None
    positional = ""
    smallest = 10**16
    multipliers: list[int] = []
    coefficient: Fraction | None = None
    small = 10**4
    for part in _PART.finditer(written):
        digits, sign = part.group("digits"), part.group("sign")
        if digits is not None:
            if pending is not None or positional or not _GROUPED.fullmatch(digits):
                return None
            pending = Fraction(digits.replace(",", ""))
        elif sign in _KANJI_DIGITS:
            if pending is not None:
                return None
            positional += str(_KANJI_DIGITS[sign])
        else:
            if positional:
                pending, positional = Fraction(int(positional)), ""
            if sign in _TENS:
                ten = _TENS[sign]
                if ten >= small:
                    return None
                small = ten
                coefficient = pending
                section += (Fraction(1) if pending is None else pending) * ten
                multipliers.append(ten)
            else:
                myriad = _MYRIADS[sign]
                section += pending or 0
                if myriad >= smallest or not section:
                    return None
                smallest, small = myriad, 10**4
                coefficient = section
                total += section * myriad
                section = Fraction(0)
                multipliers.append(myriad)
            pending = None
    last = Fraction(int(positional)) if positional else pending
    if last is not None:
        coefficient = None
        section += last
    number = total + section
    if coefficient is None or number != coefficient * multipliers[-1]:
        return number, None, 1
    return number, coefficient, multipliers[-1]


def _in_words(text: str) -> Iterator[Numeral]:
    for run in _WORD_RUN.finditer(text):
        if run.group("digits"):
            leading, scale = Fraction(run.group("digits")), _SCALES[run.group("scale")]
            digits = decimal_text(leading * scale)
            yield Numeral(run.start(), run.end(), digits, "digits", leading, scale)
            continue
        number = _parse_words(_WORD_PART.findall(run.group()))
        if number is not None:
            yield Numeral(run.start(), run.end(), str(number), "words")


def _parse_words(words: list[str]) -> int | None:
    """Value of English number words; None where the words make no one number (five ten)."""
    if words[0] in ("a", "an"):
        words = ["one", *words[1:]]
    total = section = 0
    room = 10**18
    for position, word in enumerate(words):
        if word == "and":
            continue
        if word == "dozen":
            section = (section or 1) * 12
            room = 0
        elif word in _SCALES:
            scale = _SCALES[word]
            if scale == 100:
                if not 0 < section < 100:
                    return None
                section, room = section * 100, 100
            else:
                if not section and position:
                    return None
                total, section, room = total + (section or 1) * scale, 0, scale
        else:
            value = _WORDS[word]
            fits = (
                section == 0
                or (section % 100 == 0 and section < 1000)
                or (value < 10 and section % 100 >= 20 and section % 10 == 0)
            )
            if not fits or value >= room or (value == 0 and len(words) > 1):
                return None
            section += value
    return total + section


def _ordinals(text: str) -> Iterator[Numeral]:
    for found in _ORDINAL.finditer(text):
        if found.group() == "second" and _UNIT_BEFORE.search(
            text, max(0, found.start() - 8), found.start()
        ):
            continue
        yield Numeral(found.start(), found.end(), f"{_ORDINALS[found.group()]}th", "words")
