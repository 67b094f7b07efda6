"""Counts said without a number: ひとつ, お一人様, twice, once a year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_THINGS = {
    "ひと": 1,
    "ふた": 2,
    "みっ": 3,
    "よっ": 4,
    "いつ": 5,
    "むっ": 6,
    "なな": 7,
    "やっ": 8,
    "ここの": 9,
}
_KANA = re.compile(
    r"(?<![ぁ-ん])(?P<things>ひと|ふた|みっ|よっ|いつ|むっ|なな|やっ|ここの)つ(?!い|ぶ|の)"
    r"|(?<![ぁ-ん])(?P<people>ひとり|ふたり)(?=様|さま|で|ま|あ|に|の|、|以|が|$|1|2|3)"
)
_KANA_START = scan.heads([*(f"{things}つ" for things in _THINGS), "ひとり", "ふたり"])
_ORDINAL_START = scan.numbers(3, "st|nd|rd|th")
_TIMES_START = scan.heads(["once", "twice", "thrice"])
_AGE_WORDS = frozenset(("age", "aged", "ages"))
_TIMES = re.compile(
    r"(?<![a-z-])(?:(?P<twice>twice)(?! (?:the|as|your|our|their))|(?P<thrice>thrice)"
    r"|(?P<once>once)(?= (?:a|an|per|every|each|only|in a|in any|during|within|daily|weekly"
    r"|monthly|annually|yearly)(?![a-z])|[.,)]? ?$))"
)
_ORDINAL = re.compile(
    r"(?<![a-z0-9.,])(?P<n>[0-9]{1,3})(?:st|nd|rd|th)[ -](?:(?:consecutive|failed|unsuccessful"
    r"|calendar|login|full|repeated) )?"
    r"(?:(?P<times>times?|attempts?|offen[cs]es?|violations?|occurrence|visit|warning|reminder"
    r"|retry)"
    r"|(?P<business>(?:business|working) days?)|(?P<span>day|week|month|year|hour))(?![a-z])"
)
_AGE = re.compile(
    r"(?<![a-z])(?:aged|ages|(?:(?P<over>over|above|under|below) )?(?:the )?age(?: of)?) "
    r"(?P<n>[0-9]{1,3})(?![0-9.,%]| ?(?:to|-|year|day|week|month))"
)
_NOT_ONCE = re.compile(r"(?:at|all at|for) \Z")


def words(text: Normal) -> Iterator[Core]:
    """Counts of things, people and times in words of their own."""
    low = text.low
    for found in scan.finditer(_KANA, _KANA_START, low) if text.japanese else ():
        if found.group("things"):
            n = _THINGS[found.group("things")]
            yield Core("count", "個", Fraction(n), found.start(), found.end(), "count_kana")
        else:
            n = 1 if found.group("people") == "ひとり" else 2
            yield Core("count", "人", Fraction(n), found.start(), found.end(), "count_kana")
    if not text.latin:
        return
    if text.digits:
        yield from _numbered(text)
    for found in scan.finditer(_TIMES, _TIMES_START, low):
        if found.group("once") and _NOT_ONCE.search(low, max(0, found.start() - 8), found.start()):
            continue
        n = 2 if found.group("twice") else 3 if found.group("thrice") else 1
        yield Core("count", "回", Fraction(n), found.start(), found.end(), "count_times")


def _numbered(text: Normal) -> Iterator[Core]:
    """The 3rd attempt, age 18."""
    low = text.low
    for found in scan.finditer(_ORDINAL, _ORDINAL_START, low):
        number = Fraction(int(found.group("n")))
        if number == 1 and text.forms.get(found.start()) == "words":
            continue
        start, end = found.span()
        if found.group("times"):
            yield Core("count", "回", number, start, end, "count_ordinal", qual="ordinal")
        elif found.group("business"):
            yield Core("deadline", "business_day", number, start, end, "deadline_ordinal_day")
        else:
            unit = found.group("span")
            yield Core("duration", unit, number, start, end, "duration_ordinal", qual="ordinal")
    for found in _AGE.finditer(low) if not _AGE_WORDS.isdisjoint(text.words) else ():
        start = found.start("n")
        age = Core("count", "歳", Fraction(int(found.group("n"))), start, found.end(), "count_age")
        if found.group("over"):
            age.cmp, age.bound = ("gt" if found.group("over") in ("over", "above") else "lt"), True
        yield age
