"""From text to values: fold, find numbers with their units, then read what stands around them."""

from __future__ import annotations

import re
from fractions import Fraction

from rag_eval_pipeline.text.numerals import number
from rag_eval_pipeline.text.values import (
    date,
    deadline,
    duration,
    money,
    ratio,
    scan,
    time,
    units,
)
from rag_eval_pipeline.text.values.anchor import read_anchor
from rag_eval_pipeline.text.values.bare import with_bare
from rag_eval_pipeline.text.values.comparator import read_after, read_before
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal, normal
from rag_eval_pipeline.text.values.qualifier import read_change, read_order, read_ordinal, read_tax
from rag_eval_pipeline.text.values.ranges import (
    LONGEST_JOIN,
    both_bounds,
    complete,
    joined,
    number_text,
    read_tail,
)
from rag_eval_pipeline.text.values.value import Value
from rag_eval_pipeline.text.values.words import words

# A text without one of these holds no value: the cheapest test comes first.
_SIGN = re.compile(
    "[0-9０-９〇零一二三四五六七八九十百千壱壹弐貳参參肆伍陸漆捌玖拾佰仟半無末翌正½¼¾⅓⅔⅕⅛倍]"
)
_JAPANESE = re.compile(
    "タダ|ただ|ひと|ふた|みっつ|よっつ|いつつ|月いっぱい|営業日|稼働日|毎月|今月|来月|真夜中"
)
# Three letters in a row; İ, ı, ſ and the Kelvin sign are i, s and k to a search without case.
_LATIN = re.compile("[A-Za-zİıſ\u212a][A-Za-zİıſ\u212a][A-Za-zİıſ\u212a]")
_AS_LETTERS = str.maketrans("İıſ\u212a", "iisk")
_ENGLISH = (
    "one", "day", "free", "month", "may", "two", "three", "four", "five", "six", "seven", "eight",
    "nine", "ten", "eleven", "twelve", "teen", "twenty", "thirty", "forty", "fifty", "hundred",
    "thousand", "million", "dozen", "half", "third", "quarter", "charge", "cost", "complimentary",
    "gratis", "noon", "midnight", "week", "year", "hour", "minute", "second", "fifth", "once",
    "twice", "double", "triple", "thrice", "january", "february", "march", "april", "june", "july",
    "august", "september", "october", "november", "december", "eom",
)  # fmt: skip
_NUMBER = re.compile(r"[0-9](?<![0-9.,_][0-9])[0-9]{0,23}(?:\.[0-9]{1,12})?(?![0-9_])")
_NEGATIVE_ENDS = frozenset("-ス▲△se")
_NEGATIVE = re.compile(r"(?:(?:\A|[\s(はがで:、~])-|マイナス|▲|△|minus |negative )\s?\Z")


def values(text: str) -> tuple[Value, ...]:
    """The values of a text.

    Parameters
    ----------
    text
        Any string, Japanese or English. Citation marks such as [1] hold no value.

    Returns
    -------
    Values in order of start; spans are code points of `text`. Nothing is found in idioms
    (十分, one of), names, references (第2条, RFC 2119) and addresses.
    """
    if not _may_hold_values(text):
        return ()
    source = normal(text)
    cores = _with_bounds(source, _ranges(source, _cores(source)))
    currency = next((core.unit for core in cores if core.kind == "money" and core.unit), "JPY")
    found = []
    for core in cores:
        if core.kind == "money" and not core.unit:
            core.unit = currency
        n, unit = number_text(core)
        start, end = source.span(core.start, core.end)
        found.append(
            Value(
                core.kind, unit, core.cmp, n, core.anchor, core.qual, core.counted_from,
                start, end, text[start:end], core.rule,
            )
        )  # fmt: skip
    return tuple(found)


def _may_hold_values(text: str) -> bool:
    if _SIGN.search(text) or _JAPANESE.search(text):
        return True
    if not _LATIN.search(text):
        return False
    low = (text if text.isascii() else text.translate(_AS_LETTERS)).lower()
    return any(word in low for word in _ENGLISH)


def _cores(text: Normal) -> list[Core]:
    """Numbers with units in order, none over another: the surest kinds claim their place first."""
    taken = bytearray(len(text.low) + 1)
    cores: list[Core] = []

    def claim(core: Core) -> None:
        if taken.find(1, core.start, core.end) < 0:
            taken[core.start : core.end] = b"\1" * (core.end - core.start)
            core.number_start = core.start
            cores.append(core)

    for find in (
        deadline.deadlines,
        duration.compound,
        time.times,
        ratio.in_words,
        date.dates,
        money.free_of_charge,
        words,
    ):
        for core in find(text):
            claim(core)
    bare: list[re.Match[str]] = []
    for found in _NUMBER.finditer(text.low):
        start, end = found.span()
        if taken[start]:
            continue
        measured = _measured(text, start, end, number(found.group()))
        if measured is None:
            bare.append(found)
        else:
            claim(measured)
    for core in duration.with_article(text):
        claim(core)
    cores.sort(key=lambda core: core.start)
    return with_bare(text, cores, bare, taken)


def _measured(text: Normal, start: int, end: int, amount: Fraction) -> Core | None:
    before = scan.sign_before(text.low, start)
    core = money.signed_amount(text, start, end, amount) if before in money.SIGN_ENDS else None
    if core is None:
        if _stands_in_a_word(text.low, start):
            return None
        after = scan.sign_after(text.low, end)
        core = ratio.after_number(text, start, end, amount, after) or units.measured(
            text, start, end, amount, after
        )
        if core is None:
            return None
    elif core.start < start:
        before = scan.sign_before(text.low, core.start)
    if (
        before in _NEGATIVE_ENDS
        and core.kind in ("money", "quantity", "ratio")
        and isinstance(core.n, Fraction)
    ):
        negative = _NEGATIVE.search(text.low, max(0, core.start - 9), core.start)
        if negative:
            core.n, core.start = -core.n, negative.end() - len(negative.group().lstrip())
    return core


def _stands_in_a_word(low: str, start: int) -> bool:
    """Is a number part of a name (a4, covid-19)?"""
    before = low[start - 1 : start]
    if before in ("-", "/"):
        before = low[start - 2 : start - 1]
    return "a" <= before <= "z"


def _ranges(text: Normal, cores: list[Core]) -> list[Core]:
    """Join neighbours that are the two ends of one range."""
    result: list[Core] = []
    for core in cores:
        if result:
            last = result[-1]
            if 0 < core.number_start - last.end <= LONGEST_JOIN:
                complete(text, last, core)
                whole = joined(text, last, core)
                if whole is not None:
                    result[-1] = whole
                    continue
        result.append(core)
    return result


def _with_bounds(text: Normal, cores: list[Core]) -> list[Core]:
    """Read tax, qualifiers, comparators and anchors, then join bounds into ranges."""
    low = text.low
    result: list[Core] = []
    previous: Core | None = None
    for core in cores:
        if core.rule == "money_free":
            # "excluded from free shipping" bounds nothing.
            result.append(core)
            continue
        end = core.end
        sign = scan.sign_after(low, end)
        if core.kind in ("money", "ratio"):
            read_tax(text, core)
            read_change(text, core, sign)
        else:
            read_ordinal(text, core, sign)
            read_order(text, core, sign)
        if core.cmp == "range":
            read_tail(text, core)
        if core.end != end:
            end = core.end
            sign = scan.sign_after(low, end)
        if not core.bound or core.cmp == "range":
            read_after(text, core, sign)
        if core.end != end or core.cmp == "range":
            # Something new stands next to the value: 500円以上(税込).
            read_order(text, core, scan.sign_after(low, core.end))
            if core.qual is None:
                read_tax(text, core)
        read_before(text, core)
        if previous is not None and _hand_on(text, previous, core):
            previous.cmp, previous.bound = "eq", False
        previous = core
        if core.kind == "duration":
            read_anchor(text, core)
        if result and result[-1].kind == core.kind:
            whole = both_bounds(text, result[-1], core)
            if whole is not None:
                result[-1] = whole
                continue
        result.append(core)
    return result


_PER = re.compile(r"(?:あたり|当たり|につき|ごとに|毎に|に)?[、のはで]?\s?")


def _hand_on(text: Normal, per: Core, core: Core) -> bool:
    """In 上限は1泊12,000円 the bound is the money's, not the night's."""
    if (
        per.kind not in ("count", "duration")
        or per.n != 1
        or per.cmp not in ("le", "ge", "approx")
        or per.start == per.number_start
        or per.bound_after
        or core.cmp == "range"
    ):
        return False
    gap = _PER.match(text.low, per.end)
    if gap is None or gap.end() != core.number_start:
        return False
    if not core.bound:
        core.cmp, core.bound = per.cmp, True
    return True
