"""Amounts of money: currency signs, codes and words; free of charge is 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_SIGNS = {
    "¥": "JPY", "$": "USD", "€": "EUR", "£": "GBP", "₩": "KRW", "₹": "INR", "฿": "THB", "₫": "VND",
    "₱": "PHP", "₽": "RUB", "us$": "USD", "a$": "AUD", "au$": "AUD", "c$": "CAD", "ca$": "CAD",
    "hk$": "HKD", "s$": "SGD", "sg$": "SGD", "nt$": "TWD", "nz$": "NZD", "cn¥": "CNY", "jp¥": "JPY",
}  # fmt: skip
_CODES = [
    "jpy",
    "usd",
    "eur",
    "gbp",
    "cny",
    "rmb",
    "krw",
    "hkd",
    "twd",
    "sgd",
    "aud",
    "cad",
    "chf",
    "inr",
    "thb",
    "vnd",
    "php",
    "nzd",
    "sek",
    "nok",
    "dkk",
    "idr",
    "myr",
    "brl",
    "mxn",
    "zar",
]
# Words after the number, Japanese and English, with the part of the currency they stand for.
WORDS: dict[str, str] = {
    "円": "JPY", "えん": "JPY", "ドル": "USD", "米ドル": "USD", "us ドル": "USD", "usドル": "USD",
    "アメリカドル": "USD", "ユーロ": "EUR", "ポンド": "GBP", "英ポンド": "GBP", "元": "CNY",
    "人民元": "CNY", "中国元": "CNY", "ウォン": "KRW", "韓国ウォン": "KRW", "香港ドル": "HKD",
    "台湾ドル": "TWD", "台湾元": "TWD", "シンガポールドル": "SGD", "豪ドル": "AUD",
    "オーストラリアドル": "AUD", "カナダドル": "CAD", "nzドル": "NZD", "スイスフラン": "CHF",
    "フラン": "CHF", "バーツ": "THB", "ルピー": "INR", "ペソ": "PHP", "ドン": "VND",
}  # fmt: skip
ENGLISH_WORDS: dict[str, str] = {
    "yen": "JPY", "japanese yen": "JPY", "dollars": "USD", "dollar": "USD", "us dollars": "USD",
    "u.s. dollars": "USD", "us dollar": "USD", "bucks": "USD", "euros": "EUR", "euro": "EUR",
    "pounds sterling": "GBP", "british pounds": "GBP", "yuan": "CNY", "renminbi": "CNY",
    "won": "KRW",
    "korean won": "KRW", "hong kong dollars": "HKD", "singapore dollars": "SGD",
    "australian dollars": "AUD", "canadian dollars": "CAD", "swiss francs": "CHF", "francs": "CHF",
    "rupees": "INR", "baht": "THB", "cents": "USD", "cent": "USD", "pounds": "GBP",
    **{code: "CNY" if code == "rmb" else code.upper() for code in _CODES},
}  # fmt: skip
CENTS = frozenset({"cents", "cent"})

SIGN_BEFORE = re.compile(
    rf"(?:(?<![a-z])(?:us|au?|ca?|hk|sg?|nt|nz|cn"
    rf"|jp))?[{''.join(s for s in _SIGNS if len(s) == 1)}]\s?\Z"
    rf"|(?<![a-z])(?:{'|'.join(_CODES)})\s?\Z"
)
_SIGNS_AND_CODES = (*(sign for sign in _SIGNS if len(sign) == 1), *_CODES)
# What a sign or code may end in.
SIGN_ENDS = frozenset(sign[-1] for sign in _SIGNS_AND_CODES)
_SHORT_SCALE = re.compile(r"\s?(k|m|mm|mn|mil|b|bn)(?![a-z])")
_SHORT = {"k": 10**3, "m": 10**6, "mm": 10**6, "mn": 10**6, "mil": 10**6, "b": 10**9, "bn": 10**9}

_FREE_JA = re.compile(
    r"無料|無償"
    + "".join(rf"|{word}(?=で(?!す|は|も|あ)|です|。|$|に(?:な|し))" for word in ("タダ", "ただ"))
)
_FREE_WORDS = frozenset(["charge", "charges", "cost", "costs", "fee", "fees", "without", "zero"])
_FREE_START = scan.heads(
    ["free", "at no ", "no ", "without ", "complimentary", "for free", "gratis", "zero "]
)
_FREE_EN = re.compile(
    r"(?<![a-z-])(?:free of (?:charge|cost)|(?:at )?no (?:additional |extra |further )?(?:charge"
    r"|cost|fee)s?(?![a-z])"
    r"|without (?:charge|cost|a fee|any (?:charge|cost|fee)s?)|complimentary|free-of-charge|for "
    r"free(?![a-z])|gratis|zero (?:cost|charge))"
    r"|(?<![a-z-])free(?![a-z-])(?! (?:to|from|of|up|time|space|will|speech|agent|hand|trade"
    r"|market|text|form|flow|fall|"
    r"memory|disk|seats?|rooms?|slots?|days?|spots?|movement|choice|press|energy|radicals?"
    r"|software foundation|and clear|"
    r"if|when|until|unless|on (?:mon|tue|wed|thu|fri|sat|sun))(?![a-z]))",
)
_NOT_FREE_BEFORE = re.compile(
    r"(?:(?:feel|set|be|get|break|breaking|feeling|stay|is always|hands|toll|tax|duty|sugar|gluten|"
    r"smoke|interest|lead|fragrance|error|virus|care|alcohol|worry|hassle|risk|cage|rent|debt|"
    r"royalty|freedom|barrier|paper|cash|stress|pain) ?-?)\Z"
)


def signed_amount(text: Normal, start: int, end: int, number: Fraction) -> Core | None:
    """The amount of a number with a currency sign or code before it."""
    window = max(0, start - 5)
    if not text.low[window:start].rstrip().endswith(_SIGNS_AND_CODES):
        return None
    before = SIGN_BEFORE.search(text.low, window, start)
    if before is None:
        return None
    sign = before.group().strip()
    currency = _SIGNS.get(sign) or ("CNY" if sign == "rmb" else sign.upper())
    if sign[-1:] == "¥" and text.low.startswith(("元", "人民元"), end):
        currency = "CNY"
    short = _SHORT_SCALE.match(text.low, end)
    if short:
        number *= _SHORT[short.group(1)]
        end = short.end()
    return Core("money", currency, number, before.start(), end, "money_sign")


def free_of_charge(text: Normal) -> Iterator[Core]:
    """Places that say that something costs nothing."""
    low = text.low
    for found in _FREE_JA.finditer(low) if text.japanese else ():
        yield Core("money", "", Fraction(0), found.start(), found.end(), "money_free")
    if (
        _FREE_WORDS.isdisjoint(text.words)
        and "free" not in low
        and "gratis" not in low
        and "complimentary" not in low
    ):
        return
    for found in scan.finditer(_FREE_EN, _FREE_START, low):
        if found.group() == "free" and _NOT_FREE_BEFORE.search(
            low, max(0, found.start() - 12), found.start()
        ):
            continue
        yield Core("money", "", Fraction(0), found.start(), found.end(), "money_free")
