"""Shares and multiples: percent, 割, fractions in words, halves, 倍."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_AFTER_NUMBER = re.compile(
    r"\s?(?:(?P<percent>%|パーセント|ﾊﾟｰｾﾝﾄ|プロセント)|(?P<permille>‰|パーミル)"
    r"|(?P<percent_en>-?\s?(?:percent|per cent|pct)(?:age points?)?)(?![a-z])"
    r"|(?P<wari>割)(?!り?[当り振合安高り愛]|合|り当)(?:(?P<bu>[0-9])分)?"
    r"|(?P<times>倍)(?!加|増計|数|率)"
    r"|(?P<english_times>(?: times)(?= (?:the(?! [a-z]+ (?:a|per))|as|your|their|its|our|higher"
    r"|larger|faster|regular|normal|base)(?![a-z]))|(?:x|-fold|fold| fold)(?![a-z0-9]))"
    r")"
)
_AFTER_NUMBER_SIGNS = frozenset("%パﾊプ‰p-割倍tfx")
_FRACTION_JA = re.compile(
    r"(?<![0-9.])(?P<below>[0-9]{1,6})\s?分の\s?(?P<above>[0-9]{1,6})(?![0-9])"
)
_FRACTION_WORDS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "twentieth": 20, "hundredth": 100,
}  # fmt: skip
_SHARE_WORDS = frozenset(f"{word}{many}" for word in _FRACTION_WORDS for many in ("", "s"))
_TIMES_WORDS = frozenset(("twice", "double", "triple", "thrice"))
_FRACTION_EN = re.compile(
    r"(?<![a-z0-9.])(?P<above>[0-9]{1,2}|a|an)[ -](?P<below>"
    + "|".join(word for word in _FRACTION_WORDS if not word.startswith("hal"))
    + r")(?P<many>s)?(?![a-z])(?! ?-)"
    + r"(?! (?:part(?:y|ies)|person|time|attempt|business|working|day|month|year|week|opinion"
    + r"|choice|of (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    + r"|of (?:the|each|every|next)(?: (?:next|following|current))? (?:month|year)))"
)
_ONE_IN = re.compile(
    r"(?<![a-z0-9.])(?P<above>[0-9]{1,3}) (?:in|out of)(?: every)? "
    r"(?P<below>[0-9]{1,6})(?![0-9.,]|[ -](?:day|week|month|year|hour|minute|business|calendar"
    r"|working))"
)
_SLASH = re.compile(r"(?<![0-9./])(?P<above>[0-9]{1,3})/(?P<below>[0-9]{1,3})(?![0-9./])")
_SLASH_AFTER = re.compile(
    r"\s?(?:of |以上|以下|未満|超|を超|ずつ|の(?:賛成|同意|負担|減額|割合|議決|出席|金額|額|費用"
    r"|多数|持分|株主|価格)|を(?:負担|支給|補助|返金|控除|減額|支払)|に(?:減額|相当)|が(?:必要"
    r"|負担|支給)|相当|負担|補助|支給|majority|share)"
)
_SLASH_BEFORE = re.compile(r"(?:の|うち|約|およそ)\s?\Z")
_SIGNS = {
    "½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3),
    "⅔": Fraction(2, 3), "⅕": Fraction(1, 5), "⅛": Fraction(1, 8),
}  # fmt: skip
_SIGN = re.compile("[" + "".join(_SIGNS) + "]")
_HALF_WORDS = re.compile(
    r"半額|半値|半分(?!間)|(?P<most>過半数?)|半数|折半"
    r"|(?<![a-z-])(?:half(?:[- ](?:price|off|rate|fare)|\ (?:of|the|your|their|its|our|his|her"
    r"|his or her|a dozen|price)|(?=\ (?:is|are|was|will|must)\b))|half(?=[.,;!?)]|$)|(?:by|in"
    r"|at least|up to|one|1|than|to|a|at) half(?![- ](?:hour|day|year|month|week|hearted|time"
    r"|an?\ ))(?:[- ](?:price|off))?)(?![a-z])",
)
_FRACTION_JA_START = scan.numbers(6, r"\s?分の")
_ONE_IN_START = scan.numbers(3, " (?:in|out)")
_SLASH_START = scan.numbers(3, "/")
_HALF_START = re.compile("[半過折hbiau1ot]")
_HALF_OF_TWO = re.compile(r"(?:first|second|other|better|latter|1st|2nd|h) \Z")
_DOUBLE = re.compile(
    r"(?<![a-z-])(?:(?P<two>twice|double)(?= (?:the|your|their|its|our|as|points?|pay|rate|time "
    r"pay|that|what)(?![a-z]))"
    r"|(?P<three>triple|thrice)(?= (?:the|your|their|its|our|as|points?|pay|rate)(?![a-z])))"
)


def after_number(text: Normal, start: int, end: int, number: Fraction, sign: str) -> Core | None:
    """A number followed by percent, 割 or 倍; `sign` is the first one of what follows."""
    if sign not in _AFTER_NUMBER_SIGNS and not sign.isspace():
        return None
    found = _AFTER_NUMBER.match(text.low, end)
    if found is None:
        return None
    if found.group("percent") or found.group("percent_en"):
        return Core("ratio", "", number / 100, start, found.end(), "ratio_percent")
    if found.group("permille"):
        return Core("ratio", "", number / 1000, start, found.end(), "ratio_permille")
    if found.group("wari"):
        share = number / 10 + Fraction(int(found.group("bu") or 0), 100)
        return Core("ratio", "", share, start, found.end(), "ratio_wari")
    return Core("ratio", "倍", number, start, found.end(), "ratio_times")


def in_words(text: Normal) -> Iterator[Core]:
    """Fractions and halves that are no number with a unit after it."""
    low = text.low
    if "分の" in low:
        for found in scan.finditer(_FRACTION_JA, _FRACTION_JA_START, low):
            if int(found.group("below")):
                share = Fraction(int(found.group("above")), int(found.group("below")))
                yield Core("ratio", "", share, found.start(), found.end(), "ratio_fraction")
    if text.latin:
        if not _SHARE_WORDS.isdisjoint(text.words):
            yield from _fractions(low)
        if text.digits:
            yield from _shares(low)
        if not _TIMES_WORDS.isdisjoint(text.words):
            yield from _multiples(low)
    if "/" in low:
        yield from _slashes(low)
    for found in _SIGN.finditer(low) if not low.isascii() else ():
        yield Core("ratio", "", _SIGNS[found.group()], found.start(), found.end(), "ratio_fraction")
    if "半" in low or "half" in low:
        yield from _halves(low)


def _halves(low: str) -> Iterator[Core]:
    for found in scan.finditer(_HALF_WORDS, _HALF_START, low):
        if found.group() == "half" and _HALF_OF_TWO.search(
            low, max(0, found.start() - 8), found.start()
        ):
            continue
        core = Core("ratio", "", Fraction(1, 2), found.start(), found.end(), "ratio_half")
        if found.group("most"):
            core.cmp, core.bound = "gt", True
        if found.group().startswith("half") and found.group().endswith("off"):
            core.qual = "off"
        if (at := found.group().find("half")) > 0:
            core.start = found.start() + at
        yield core


def _fractions(low: str) -> Iterator[Core]:
    for found in _FRACTION_EN.finditer(low):
        above, below = found.group("above"), found.group("below")
        number = int(above) if above.isdigit() else 1
        if number != 1 and not found.group("many"):
            continue
        if (
            below == "quarter"
            and above in ("a", "an")
            and not low.startswith((" of", " off"), found.end())
        ):
            continue
        share = Fraction(number, _FRACTION_WORDS[below])
        yield Core("ratio", "", share, found.start(), found.end(), "ratio_fraction")


def _shares(low: str) -> Iterator[Core]:
    for found in scan.finditer(_ONE_IN, _ONE_IN_START, low):
        above_number, below_number = int(found.group("above")), int(found.group("below"))
        if 0 < above_number < below_number:
            share = Fraction(above_number, below_number)
            yield Core("ratio", "", share, found.start(), found.end(), "ratio_fraction")


def _multiples(low: str) -> Iterator[Core]:
    for found in _DOUBLE.finditer(low):
        times = Fraction(2 if found.group("two") else 3)
        yield Core("ratio", "倍", times, found.start(), found.end(), "ratio_times")


def _slashes(low: str) -> Iterator[Core]:
    for found in scan.finditer(_SLASH, _SLASH_START, low):
        above_number, below_number = int(found.group("above")), int(found.group("below"))
        if 0 < above_number < below_number and (
            _SLASH_AFTER.match(low, found.end())
            or _SLASH_BEFORE.search(low, max(0, found.start() - 4), found.start())
        ):
            share = Fraction(above_number, below_number)
            yield Core("ratio", "", share, found.start(), found.end(), "ratio_fraction")
