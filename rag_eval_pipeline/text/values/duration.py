"""Spans of time: units, compounds (1時間30分, an hour and a half) and halves (半年, 1年半)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_MONTH = r"(?:[かカケヶヵケ]月|箇月|個月|ヶ月)"
WORDS: dict[str, str] = {
    "秒": "second", "秒間": "second", "分": "minute", "分間": "minute", "時間": "hour",
    "日": "day", "日間": "day", "暦日": "day",
    "営業日": "business_day", "営業日間": "business_day", "稼働日": "business_day",
    "就業日": "business_day", "平日": "business_day", "業務日": "business_day",
    "銀行営業日": "business_day", "労働日": "business_day", "稼動日": "business_day",
    "週間": "week", "週": "week", "ウィーク": "week",
    **{f"{mark}月{tail}": "month" for mark in "かカケ箇個" for tail in ("", "間")},
    "年": "year", "年間": "year", "か年": "year", "カ年": "year", "箇年": "year", "ケ年": "year",
    "周年": "year",
}  # fmt: skip
ENGLISH_WORDS: dict[str, str] = {
    **dict.fromkeys(("second", "seconds", "sec", "secs"), "second"),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), "minute"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), "hour"),
    **dict.fromkeys(("day", "days", "calendar day", "calendar days"), "day"),
    **{
        f"{kind} {word}": "business_day"
        for kind in ("business", "working", "banking", "work", "office")
        for word in ("day", "days")
    },
    "workdays": "business_day", "workday": "business_day", "weekdays": "business_day",
    **dict.fromkeys(("week", "weeks", "wk", "wks"), "week"),
    **dict.fromkeys(("month", "months", "mo", "mos", "calendar month", "calendar months"), "month"),
    **dict.fromkeys(("year", "years", "yr", "yrs", "calendar year", "calendar years"), "year"),
    "fortnight": "fortnight", "fortnights": "fortnight", "decade": "decade", "decades": "decade",
}  # fmt: skip
# Units said in a smaller one when a half or a remainder is added.
_SMALLER = {"hour": ("minute", 60), "minute": ("second", 60), "year": ("month", 12)}
_WHOLE = {"fortnight": ("week", 2), "decade": ("year", 10)}

_N = r"[0-9]{1,6}"
_COMPOUNDS = re.compile(
    r"(?=[0-9半])(?:"
    rf"(?<![0-9.:])(?P<h>{_N})時間(?P<m>{_N})分(?!の)(?:間)?(?:(?P<s>{_N})秒(?:間)?)?"
    rf"|(?<![0-9.:])(?P<h2>{_N})時間半"
    rf"|(?<![0-9.])(?P<m2>{_N})分(?P<s2>{_N})秒(?:間)?|(?<![0-9.])(?P<m3>{_N})分半"
    rf"|(?<![0-9.])(?P<y>{_N})年(?:間)?(?:と)?(?P<mo>{_N}){_MONTH}(?:間)?"
    rf"|(?<![0-9.])(?P<y2>[0-9]{{1,3}})年半"
    rf"|(?<![0-9.])(?P<half>{_N})(?P<halfunit>日|週間|{_MONTH})半"
    r"|(?<![0-9前後])半(?P<halfof>年間?|日|月(?!板)|時間)(?!休|払))"
)
_COMPOUNDS_EN = re.compile(
    r"(?<![a-z0-9.])(?P<he>[0-9]{1,6}|an?) ?(?P<hu>hours?|hrs?|h)(?:,? and|,)? "
    r"(?P<me>[0-9]{1,6}) ?(?:minutes?|mins?|m)(?![a-z])"
    r"|(?<![a-z0-9.])(?P<ye>[0-9]{1,6}|an?) ?(?:years?|yrs?)(?:,? and|,)? (?P<moe>[0-9]{1,6}) "
    r"?(?:months?|mos?)(?![a-z])"
    r"|(?<![a-z0-9.])(?P<ah>[0-9]{1,6}|an?)[ -](?P<ahu>hour|year|day|week|month|minute)s? and "
    r"(?:a |one )?(?P<ahp>half|quarter)(?![a-z])"
    r"|(?<![a-z0-9.])(?P<nh>[0-9]{1,6}) and (?:a|one)(?:-| )half (?P<nhu>hour|year|day|week|month"
    r"|minute)s?(?![a-z])"
    r"|(?<![a-z])(?:half an?|half-an?|half of an?|an? half(?:-| ))[ -]?(?P<hf>hour|year|day|week"
    r"|month|minute)(?![a-z])"
    r"|(?<![a-z])half-(?P<hf2>hour|year)(?![a-z])"
    r"|(?<![a-z])(?:a )?quarter of an (?P<qh>hour)(?![a-z])"
    r"|(?<![a-z])(?P<tq>three)(?:[ -])quarters of an hour(?![a-z])"
)
_START = re.compile("[0-9半](?<![0-9][0-9])")
_SECOND_PART = re.compile("時間[0-9]|分[0-9]|年[間と0-9]")
_SECOND_PART_EN = re.compile("[0-9] ?m")
_HOURS = re.compile("[0-9] ?h")
_ARTICLE = re.compile(
    r"(?<![a-z0-9$%])(?:an?|the next|the first|the past|the last) (?P<unit>hour|minute|second|day"
    r"|week|fortnight|month|year|decade|business day|working day)(?![a-z-])"
)
_ARTICLE_UNITS = frozenset(
    ["hour", "minute", "second", "day", "week", "fortnight", "month", "year", "decade"]
)
_ARTICLE_START = scan.heads(["a ", "an ", "the next ", "the first ", "the past ", "the last "])
_BEFORE_ARTICLE = re.compile(
    r"(?:within|for|after|in|least|most|to|about|around|than|over|under|only|takes?|lasts?"
    r"|approximately"
    r"|roughly|nearly|almost|beyond|exceeding|exceeds?|every|per|up to|minimum of|maximum of|is"
    r"|be|of|by) ?\Z"
)
_EVENT_AFTER = re.compile(
    r"(?:'s notice| (?:before|after|prior to|in advance|ahead|ago|later|from (?:the|your|receipt"
    r"|purchase)|of notice|or (?:more|less|longer)))(?![a-z])"
)
_RATE_BEFORE = re.compile(r"(?:every|per) ?\Z")


def compound(text: Normal) -> Iterator[Core]:
    """Spans said in two units or with a half."""
    low = text.low
    if "半" in low or (text.digits and _SECOND_PART.search(low)):
        for found in scan.finditer(_COMPOUNDS, _START, low):
            yield _core(found)
    if text.latin and ("half" in low or "quarter" in low or _in_two_parts(low)):
        for found in _COMPOUNDS_EN.finditer(text.low):
            yield _core(found)


def _in_two_parts(low: str) -> bool:
    return _SECOND_PART_EN.search(low) is not None and (
        any(word in low for word in ("hour", "hr", "year", "yr")) or _HOURS.search(low) is not None
    )


def _core(found: re.Match[str]) -> Core:
    parts = {name: value for name, value in found.groupdict().items() if value is not None}

    def core(unit: str, amount: Fraction | int) -> Core:
        return Core(
            "duration", unit, Fraction(amount), found.start(), found.end(), "duration_compound"
        )

    def number(name: str) -> int:
        return int(parts[name]) if parts[name].isdigit() else 1

    if "h" in parts:
        minutes = 60 * number("h") + number("m")
        return (
            core("second", 60 * minutes + number("s")) if "s" in parts else core("minute", minutes)
        )
    if "h2" in parts:
        return core("minute", 60 * number("h2") + 30)
    if "m2" in parts:
        return core("second", 60 * number("m2") + number("s2"))
    if "m3" in parts:
        return core("second", 60 * number("m3") + 30)
    if "y" in parts:
        return core("month", 12 * number("y") + number("mo"))
    if "y2" in parts:
        return core("month", 12 * number("y2") + 6)
    if "half" in parts:
        unit = {"日": "day", "週": "week"}.get(parts["halfunit"][0], "month")
        return core(unit, number("half") + Fraction(1, 2))
    if "halfof" in parts:
        unit, amount = {
            "年": ("month", Fraction(6)),
            "日": ("day", Fraction(1, 2)),
            "月": ("month", Fraction(1, 2)),
            "時": ("minute", Fraction(30)),
        }[parts["halfof"][0]]
        return core(unit, amount)
    if "he" in parts:
        return core("minute", 60 * number("he") + number("me"))
    if "ye" in parts:
        return core("month", 12 * number("ye") + number("moe"))
    if "ah" in parts:
        part = Fraction(1, 2) if parts["ahp"] == "half" else Fraction(1, 4)
        return core(*_in_smaller(parts["ahu"], number("ah") + part))
    if "nh" in parts:
        return core(*_in_smaller(parts["nhu"], number("nh") + Fraction(1, 2)))
    if "qh" in parts:
        return core("minute", 15)
    if "tq" in parts:
        return core("minute", 45)
    return core(*_in_smaller(parts.get("hf") or parts["hf2"], Fraction(1, 2)))


def _in_smaller(unit: str, amount: Fraction) -> tuple[str, Fraction]:
    smaller = _SMALLER.get(unit)
    if smaller is None or (amount * smaller[1]).denominator != 1:
        return unit, amount
    return smaller[0], amount * smaller[1]


def whole(unit: str, amount: Fraction) -> tuple[str, Fraction]:
    """A fortnight in weeks, a decade in years."""
    if unit in _WHOLE:
        unit, factor = _WHOLE[unit]
        return unit, amount * factor
    return unit, amount


def with_article(text: Normal) -> Iterator[Core]:
    """`a week` where it is a length (within a week), not a rate ($5 a week)."""
    low = text.low
    if not text.latin or _ARTICLE_UNITS.isdisjoint(text.words):
        return
    for found in scan.finditer(_ARTICLE, _ARTICLE_START, low):
        if found.group().startswith("the ") and not found.group().startswith(
            ("the first", "the next")
        ):
            continue
        start = found.start()
        before = _BEFORE_ARTICLE.search(text.low, max(0, found.start() - 16), found.start())
        if before is None or _RATE_BEFORE.search(before.group()):
            if _EVENT_AFTER.match(text.low, found.end()) and not found.group().startswith("the "):
                unit, amount = whole(ENGLISH_WORDS[found.group("unit")], Fraction(1))
                yield Core("duration", unit, amount, start, found.end(), "duration_article")
            continue
        if found.group().startswith("the ") and not before.group().startswith(
            ("within", "for", "in")
        ):
            continue
        word = found.group("unit")
        unit, amount = whole(ENGLISH_WORDS[word], Fraction(1))
        yield Core("duration", unit, amount, found.start(), found.end(), "duration_article")
