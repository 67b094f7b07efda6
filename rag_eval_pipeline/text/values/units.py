"""The unit right after a number: one table over all kinds, longest word first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from rag_eval_pipeline.text.values import count, duration, money, quantity
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_Unit = tuple[str, str]


def _table(english: bool) -> dict[str, _Unit]:
    sources: list[tuple[str, dict[str, str]]] = [
        ("count", count.ENGLISH_WORDS if english else count.WORDS),
        ("quantity", quantity.ENGLISH_WORDS if english else quantity.WORDS),
        ("duration", duration.ENGLISH_WORDS if english else duration.WORDS),
        ("money", money.ENGLISH_WORDS if english else money.WORDS),
    ]
    return {word: (kind, unit) for kind, words in sources for word, unit in words.items() if unit}


def _by_first(words: Iterable[str]) -> dict[str, list[str]]:
    """The words by the letter they begin with, longest first."""
    groups: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        groups.setdefault(word[0], []).append(word)
    return groups


def _alternatives(words: Iterable[str]) -> str:
    """One of the words. Grouped by the first letter, so that few of them are tried."""
    return "|".join(
        f"{re.escape(first)}(?:{'|'.join(re.escape(word[1:]) for word in group)})"
        for first, group in _by_first(words).items()
    )


_JAPANESE = _table(english=False)
_ENGLISH = _table(english=True)
_NOT_BEFORE = {**count.NOT_BEFORE, **quantity.NOT_BEFORE}
# 日本 and 曜 begin with 日; 年生 and 年度 are no lengths of time; 分の2 is a fraction.
_NOT_BEFORE |= {
    "日": "本|曜|程(?!度)", "年": "生次度月頃末始代", "分": "の別割類析野担", "時間": "割帯外",
    "週": "明末刊",
    "元": "々気来本値", "円": "[満卓滑熟形]|高(?![いく])|安(?![いく])", "秒": "速", "分間": "",
    "平日": "料",
}  # fmt: skip
# 10分の遅刻 is a length, 10分の1 a fraction.
_AFTER_MINUTES = r"(?!の[0-9]|別|割|類|析|野|担|岐|離|配)"


def _japanese_word(word: str) -> str:
    stop = _NOT_BEFORE.get(word, "")
    if word == "分":
        return word + _AFTER_MINUTES
    if stop:
        return f"{re.escape(word)}(?!{stop if '|' in stop else f'[{stop}]'})"
    return re.escape(word)


_JAPANESE_UNITS = {
    first: re.compile(rf"\s?(?P<word>{'|'.join(map(_japanese_word, words))})")
    for first, words in _by_first(_JAPANESE).items()
}
# 3度まで is three times; 38度以上 is a temperature.
_TIMES_NOT_DEGREES = re.compile(r"まで|迄|限|目|にわた|に渡|だけ|のみ|も(?![つち])|ずつ")
_SYMBOL = re.compile(rf"[ -]?(?P<word>{_alternatives(quantity.SYMBOLS)})(?![A-Za-z0-9])")
# A hyphen may stand before a symbol (5-kg); signs are compared in lower case.
_SYMBOL_STARTS = frozenset(["-", *(symbol[0].lower() for symbol in quantity.SYMBOLS)])
_HOURS = re.compile(r" ?(?P<word>h|hrs?)(?![a-z0-9])")
_MIDDLE = (
    r"(?: (?:or|and) (?P<more>more|over|above|greater)| (?:or|and) (?P<less>fewer|less|under)"
    r"|(?P<plus>\+))?"
)
_DURATION_ADJECTIVE = (
    r"(?:(?:calendar|consecutive|full|whole|additional|extra|more|straight|paid|complete|further"
    r"|successive|clear|continuous|sick|vacation|annual leave|leave|natural|minimum) ){0,2}"
)
_NO_ADJECTIVE = (
    r"(?!(?:of|and|or|to|for|in|on|at|by|per|the|a|an|is|are|was|were|will|if|when|as|than|from"
    r"|with|our|your|"
    r"their|any|each|every|but|must|may|can|should|before|after|within|that|which|who|all|not|no"
    r"|percent|"
    r"minimum|maximum|max|hours?|days?|weeks?|months?|years?|minutes?|am|pm|st|nd|rd|th|january"
    r"|february|march|april|june|july|"
    r"august|september|october|november|december|requires?|needs?|and/or|until|between|has|have|"
    r"does|do|so|we|you|they|it|this|these|those|i) )"
)
_ENGLISH_UNIT = re.compile(
    rf"{_MIDDLE}[ -](?P<word>{_DURATION_ADJECTIVE}(?:{_alternatives(_ENGLISH)}))(?![a-z])"
)
_ENGLISH_GLUED = re.compile(
    rf"(?P<word>{_alternatives([*duration.ENGLISH_WORDS, *money.ENGLISH_WORDS])})(?![a-z])"
)
_ENGLISH_COUNT = re.compile(
    rf"{_MIDDLE}(?: {_NO_ADJECTIVE}[a-z-]{{2,16}}){{1,2}} "
    rf"(?P<word>{_alternatives(count.ENGLISH_WORDS)})(?![a-z])"
)
_ADJECTIVE = re.compile(_DURATION_ADJECTIVE)
# 5 change fees, 3 order forms: the noun is part of a longer one.
_NOT_COUNTED_AFTER = re.compile(r" (?:fee|fees|form|forms|number|numbers)(?![a-z])")


def measured(text: Normal, start: int, end: int, number: Fraction, sign: str) -> Core | None:
    """The number at `start:end` with the unit that follows it, None where none does.

    `sign` is the first one of what follows.
    """
    low = text.low
    symbol = _SYMBOL.match(text.text, end) if sign in _SYMBOL_STARTS else None
    words = _JAPANESE_UNITS.get(sign)
    found = words.match(low, end) if words and text.japanese else None
    if found and not (symbol and symbol.end() > found.end()):
        word = found.group("word")
        kind, unit = _JAPANESE[word]
        rule = "kilo" if word in quantity.KILO else f"{kind}_ja"
        if word == "度" and not _TIMES_NOT_DEGREES.match(low, found.end()):
            kind, unit, rule = "quantity", "℃", "quantity_degrees"
        core = Core(kind, unit, number, start, found.end(), rule)
    else:
        plain = low.startswith(" ", end) and text.text[end + 1 : end + 2] in ("A", "J", "V")
        if symbol and not (plain and len(symbol.group("word")) == 1):
            word = symbol.group("word")
            rule = "kilo" if word in quantity.KILO else "quantity_symbol"
            return Core("quantity", quantity.SYMBOLS[word], number, start, symbol.end(), rule)
        hours = _HOURS.match(low, end) if sign == "h" else None
        if hours:
            return Core("duration", "hour", number, start, hours.end(), "duration_en")
        return _english(text, start, end, number) if text.latin else None
    if core.kind == "duration":
        core.unit, core.n = duration.whole(core.unit, number)
    return core


def _english(text: Normal, start: int, end: int, number: Fraction) -> Core | None:
    low = text.low
    if low.startswith((" ", "-", "+"), end):
        found = _ENGLISH_UNIT.match(low, end)
        if found is None and not (1900 <= number <= 2100):
            found = _ENGLISH_COUNT.match(low, end)
    else:
        found = _ENGLISH_GLUED.match(low, end)
    if found is None:
        return None
    word = found.group("word")
    if word not in _ENGLISH:
        word = _ADJECTIVE.sub("", word, count=1)
        if word not in _ENGLISH:
            return None
    kind, unit = _ENGLISH[word]
    amount = number
    if kind == "count" and _NOT_COUNTED_AFTER.match(low, found.end()):
        return None
    if word == "pounds" and text.weight:
        kind, unit = "quantity", "lb"
    if kind == "money" and word in money.CENTS:
        amount = number / 100
    if kind == "duration":
        unit, amount = duration.whole(unit, number)
    rule = "kilo" if word in quantity.KILO else f"{kind}_en"
    core = Core(kind, unit, amount, start, found.end(), rule)
    groups = found.groupdict()
    if groups.get("more") or groups.get("plus"):
        core.cmp, core.bound = "ge", True
    elif groups.get("less") or word.endswith(" or younger"):
        core.cmp, core.bound = "le", True
    elif word.startswith("years ") and word.endswith(("older", "over")):
        core.cmp, core.bound = "ge", True
    return core
