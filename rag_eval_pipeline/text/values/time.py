"""Times of day as HH:MM on the 24-hour clock."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_HALF_BEFORE = re.compile(
    r"(?P<half>午前|午後|朝|夜|夕方|深夜|早朝|昼|am|pm|a\.m\.|p\.m\.)の?\s?\Z"
)
_JAPANESE = re.compile(
    r"(?<![0-9.,:])(?P<hour>[0-9]{1,2})\s?時(?!間|点|期|代|限|給|短|効|差|価|計|系|速|折|々"
    r"|に?おり|事)(?:(?P<half>半)|\s?(?P<minute>[0-9]{1,2})\s?分)?"
)
_CLOCK = re.compile(
    r"(?<![0-9.:/])(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::[0-9]{2})?(?![0-9:])(?: "
    r"?(?P<after>am|pm|a\.m\.?|p\.m\.?)(?![a-z]))?"
)
_ENGLISH = re.compile(
    r"(?<![0-9.:/a-z$])(?P<hour>[0-9]{1,2})(?:\.(?P<minute>[0-9]{2}))?(?:(?: ?(?P<after>am|pm"
    r"|a\.m\.?|p\.m\.?))|(?P<clock> o'clock))(?![a-z])(?:(?<=clock) (?:in the )?(?P<part>morning"
    r"|afternoon|evening|at night))?"
)
# half past nine, quarter to five, nine in the morning
_SPOKEN = re.compile(
    r"(?<![a-z0-9.])(?:(?P<past>half|(?:a )?quarter|[0-9]{1,2}(?: minutes)?) past "
    r"|(?P<to>(?:a )?quarter to ))?(?P<hour>[0-9]{1,2})(?![0-9:.,%])"
    r"(?: ?(?:in the (?P<part>morning|afternoon|evening)|(?P<night>at night)"
    r"|(?P<half>am|pm|a\.m\.?|p\.m\.?))(?![a-z]))?"
)
_JAPANESE_START = scan.numbers(2, r"\s?時")
_CLOCK_START = scan.numbers(2, ":")
_ENGLISH_START = scan.numbers(2, r"\.[0-9]{2}|(?: ?[ap]| o')")
_SPOKEN_START = re.compile("[0-9haq]")
_HALF_WORDS = frozenset(("am", "pm", "m", "clock"))
_SPOKEN_WORDS = frozenset(("past", "quarter", "morning", "afternoon", "evening", "night"))
_NOON_WORDS = frozenset(("noon", "midday", "midnight"))
_WORDS = re.compile(
    r"正午|(?<![a-z])(?:12 )?(?P<noon>noon|midday)(?![a-z])|(?<![a-z])(?:12 "
    r")?(?P<midnight>midnight)(?![a-z])|(?P<night>真夜中)"
)


def clock(hour: int, minute: int) -> str | None:
    """`HH:MM`, None outside the day; 24:00 to 29:59 count on past midnight."""
    if minute > 59 or hour > 29:
        return None
    return f"{hour:02d}:{minute:02d}"


def _hour(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    if half in ("午後", "pm", "p.m.", "p.m", "夜", "夕方"):
        return hour + 12 if hour < 12 else hour
    if half in ("午前", "am", "a.m.", "a.m", "深夜", "早朝"):
        return 0 if hour == 12 else hour
    return hour


def times(text: Normal) -> Iterator[Core]:
    """Times of a text."""
    low = text.low
    if "時" in low:
        for found in scan.finditer(_JAPANESE, _JAPANESE_START, low):
            minute = 30 if found.group("half") else int(found.group("minute") or 0)
            half, start = _half_before(low, found.start())
            hour = _hour(int(found.group("hour")), half)
            yield from _core(start, found.end(), hour, minute)
    if ":" in low:
        for found in scan.finditer(_CLOCK, _CLOCK_START, low):
            half, start = found.group("after"), found.start()
            if half is None:
                half, start = _half_before(low, start)
            hour = _hour(int(found.group("hour")), half)
            yield from _core(start, found.end(), hour, int(found.group("minute")))
    if text.latin and text.digits:
        if not _SPOKEN_WORDS.isdisjoint(text.words):
            yield from _spoken(low)
        if not _HALF_WORDS.isdisjoint(text.words):
            yield from _in_english(low)
    if "正午" in low or "真夜中" in low or not _NOON_WORDS.isdisjoint(text.words):
        yield from _in_words(low)


def _in_words(low: str) -> Iterator[Core]:
    for found in _WORDS.finditer(low):
        n = "00:00" if found.group("midnight") or found.group("night") else "12:00"
        yield Core("time", "", n, found.start(), found.end(), "time_word")


def _in_english(low: str) -> Iterator[Core]:
    for found in scan.finditer(_ENGLISH, _ENGLISH_START, low):
        hour, half = int(found.group("hour")), found.group("after")
        if hour > 12 and half is None:
            continue
        if found.group("part"):
            half = "am" if found.group("part") == "morning" else "pm"
        minute = int(found.group("minute") or 0)
        yield from _core(found.start(), found.end(), _hour(hour, half), minute)


def _spoken(low: str) -> Iterator[Core]:
    for found in scan.finditer(_SPOKEN, _SPOKEN_START, low):
        past, to, part = found.group("past"), found.group("to"), found.group("part")
        if not (past or to or part or found.group("night")):
            continue
        half = found.group("half")
        if part or found.group("night"):
            half = "am" if part == "morning" else "pm"
        hour = int(found.group("hour"))
        if not 1 <= hour <= 12:
            continue
        hour, minute = _hour(hour, half), 0
        if past:
            minute = {"half": 30, "quarter": 15, "a quarter": 15}.get(past) or int(past.split()[0])
        elif to:
            hour, minute = hour - 1, 45
        yield from _core(found.start(), found.end(), hour, minute)


def _half_before(low: str, start: int) -> tuple[str | None, int]:
    """The half of the day said before an hour, and where it starts."""
    found = _HALF_BEFORE.search(low, max(0, start - 6), start)
    return (found.group("half"), found.start()) if found else (None, start)


def _core(start: int, end: int, hour: int, minute: int) -> Iterator[Core]:
    n = clock(hour, minute)
    if n is not None:
        yield Core("time", "", n, start, end, "time_clock")
