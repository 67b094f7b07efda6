"""Calendar dates: years, months and days, Japanese eras, fiscal years."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

_ERAS = {
    "令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867,
    "r": 2018, "h": 1988, "s": 1925,
}  # fmt: skip
_WEEKDAY = (
    r"(?:\s?[(\[](?:[月火水木金土日祝・]{1,3}(?:曜日?)?|(?:mon|tue|wed|thu|fri|sat"
    r"|sun)[a-z]{0,6}\.?)[)\]]|(?:[月火水木金土]曜日?|日曜日?))?"
)
_YEAR = (
    r"(?:(?:西暦)?(?<![0-9])(?P<year>1[0-9]{3}|2[01][0-9]{2})|(?P<era>令和|平成|昭和|大正|明治"
    r"|(?<![a-z])[rhs](?=[0-9]))\s?(?P<era_year>元|[0-9]{1,2})"
    r"|(?<![0-9a-z.])'?(?P<short>[0-9]{2})(?=年[0-9]{1,2}(?:月|[~-][0-9]{1,2}月)|年度))"
)
_JAPANESE = re.compile(
    rf"{_YEAR}\s?年(?!間|生|代|以[内上下]|後|前|未満|目|半|[ぶ分も余])(?:(?P<fiscal>度)"
    rf"|\s?(?P<month>[0-9]{{1,2}})\s?月(?!間)(?:\s?(?P<day>[0-9]{{1,2}})\s?日(?!間|本)"
    rf"|(?P<last>末日?))?)?{_WEEKDAY}"
)
_MONTHS_OF_YEAR = re.compile(
    rf"{_YEAR}\s?年(?P<first>[0-9]{{1,2}})(?:月?\s?(?:~|-)\s?"
    rf"|月から)(?P<last>[0-9]{{1,2}})月(?!間|[0-9])"
)
_MONTH_DAY = re.compile(
    rf"(?<![0-9./])(?P<month>[0-9]{{1,2}})\s?月\s?(?:(?P<day>[0-9]{{1,2}})\s?日(?!間|本)"
    rf"|(?P<last>末日?(?!締)))?{_WEEKDAY}(?P<tail>間|額|給|曜|謝|次|刊|額)?"
)
_NUMERIC = re.compile(
    r"(?<![0-9./a-z-])(?:"
    r"(?P<y>(?:19|20|21)[0-9]{2})(?P<sep>[/.-])(?P<m>[0-9]{1,2})(?P=sep)(?P<d>[0-9]{1,2})"
    r"|(?P<ym_y>(?:19|20|21)[0-9]{2})[/-](?P<ym_m>0[1-9]|1[0-2]|[1-9])"
    r"|(?P<era>[rhs]|令和|平成"
    r"|昭和)\.?(?P<era_year>[0-9]{1,2})[./-](?P<era_m>[0-9]{1,2})[./-](?P<era_d>[0-9]{1,2})"
    r"|(?P<us_m>[0-9]{1,2})(?P<us_sep>[/-])(?P<us_d>[0-9]{1,2})(?P=us_sep)(?P<us_y>(?:19|20"
    r"|21)[0-9]{2}|[0-9]{2})"
    rf"|(?P<s_m>[0-9]{{1,2}})/(?P<s_d>[0-9]{{1,2}}))(?![0-9/]|[.-][0-9]|%){_WEEKDAY}"
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAY_EN = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?"
_ENGLISH = re.compile(
    rf"(?<![a-z]){_WEEKDAY_EN}(?:(?:the )?(?P<d1>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: day)?(?: "
    rf"of)?[ -](?P<n1>{_NAME})\.?(?![a-z])(?:,?[ -](?P<y1>(?:19|20|21)[0-9]{{2}}))?"
    rf"|(?P<n2>{_NAME})\.? (?:the )?(?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9:]|\.[0-9]| "
    rf"?%)(?!(?:st|nd|rd|th)?[ -](?:days?|people|items|hours|weeks|months|years|minutes"
    rf"|percent)(?![a-z]))(?:,? (?P<y2>(?:19|20|21)[0-9]{{2}})(?![0-9]))?"
    rf"|(?P<n3>{_NAME})\.?,? (?:of )?(?P<y3>(?:19|20|21)[0-9]{{2}})(?![0-9]))"
)
_MONTH_ALONE = re.compile(rf"(?<![a-z])(?P<name>{_NAME})(?![a-z'])")
_MONTH_BEFORE = re.compile(
    r"(?:in|from|by|until|till|since|through|during|each|every|to|of|before|after|starting|early"
    r"|late|mid|between|and|-|~|&|end of) ?-?\Z"
)
_FISCAL = re.compile(
    r"(?<![a-z])(?:fy|fiscal year|fiscal|financial year)[ -]?'?(?P<year>(?:20|19)[0-9]{2}"
    r"|[0-9]{2})(?![0-9])(?:(?:/|-)[0-9]{2}(?![0-9]))?"
    r"|(?P<year2>(?:20|19)[0-9]{2}) (?:fiscal|financial) year"
)
_FISCAL_WORDS = frozenset(("fy", "fiscal", "financial"))
_YEAR_ALONE = re.compile(
    r"(?<![a-z])(?P<before>since|in|by|until|till|before|after|from|of|during|year|through|for"
    r"|back in|as of|to|between|late|early|mid|end of)[ -](?:(?:the )?(?:year|end of|start of"
    r"|beginning of) )?(?P<year>(?:19|20)[0-9]{2})(?![0-9:,./%]|-[0-9]|s(?![a-z])| ?(?:yen|jpy"
    r"|usd|people|items|employees|characters|words|points|users|hours|days|dollars|units|kg|km|mb"
    r"|gb|kcal|calories|am|pm|円|人))"
)
_MONTH_END_EN = re.compile(
    rf"(?<![a-z])(?:the )?(?:end|last day) of (?P<name>{_NAME})(?![a-z])(?:,? (?P<year>(?:19"
    rf"|20)[0-9]{{2}}))?"
)


_PUNCTUATED = re.compile("[0-9][/.-][0-9]")
_CENTURY = re.compile("(?:19|20)[0-9]{2}")
_ANY_MONTH = tuple(name[:3] for name in _MONTHS if len(name) == 3)
# Where a date may begin: at a number, an era, 西暦 or '25.
_YEAR_START = re.compile("[0-9西令平昭大明rhs'](?<![0-9][0-9])")
_NUMERIC_START = re.compile(
    r"[0-9令平昭rhs](?<![0-9][0-9])"
    r"(?:(?<=[0-9])(?=[0-9]{0,3}[/.-][0-9])|(?<![0-9])(?=[和成]|\.?[0-9]))"
)
_MONTH_DAY_START = scan.numbers(2, r"\s?月")
_MONTH_FIRST = re.compile(rf"(?:{'|'.join(_ANY_MONTH)})[a-z]{{0,6}}\.?,? (?:the |of )?[0-9]")
_DAY_FIRST = re.compile(rf"[0-9](?:st|nd|rd|th)?(?: day)?(?: of)?[ -](?:{'|'.join(_ANY_MONTH)})")
_MONTH_START = scan.heads(_ANY_MONTH)


def dates(text: Normal) -> Iterator[Core]:
    """Dates of a text, in no particular order; overlapping ones are for the caller to choose."""
    low = text.low
    if text.digits:
        yield from _with_digits(text)
    elif "元" in low and "年" in low:
        yield from _years(low)
    if text.latin and not _MONTHS.keys().isdisjoint(text.words):
        yield from _english(text)


def _with_digits(text: Normal) -> Iterator[Core]:
    low = text.low
    if "年" in low:
        yield from _years(low)
    if "月" in low:
        for found in scan.finditer(_MONTH_DAY, _MONTH_DAY_START, low):
            yield from _month_day(found)
    if _PUNCTUATED.search(low):
        for found in scan.finditer(_NUMERIC, _NUMERIC_START, low):
            yield from _numeric(found)
    if not _FISCAL_WORDS.isdisjoint(text.words):
        for found in _FISCAL.finditer(low):
            year = _full_year(found.group("year") or found.group("year2"))
            yield Core("date", "fiscal_year", year, found.start(), found.end(), "date_fiscal_year")
    if _CENTURY.search(low):
        for found in _YEAR_ALONE.finditer(low):
            start = found.start("year")
            yield Core("date", "year", found.group("year"), start, found.end(), "date_year")


def _years(low: str) -> Iterator[Core]:
    if "月" in low:
        yield from _months(low)
    for found in scan.finditer(_JAPANESE, _YEAR_START, low):
        yield from _japanese(low, found)


def _months(low: str) -> Iterator[Core]:
    """2026年4〜6月: months of one year."""
    for found in scan.finditer(_MONTHS_OF_YEAR, _YEAR_START, low):
        first, last = int(found.group("first")), int(found.group("last"))
        if 1 <= first < last <= 12:
            year = _year_of(found)
            yield Core(
                "date", "year_month", f"{year}-{first:02d}", *found.span(), "date_month_range",
                cmp="range", high=f"{year}-{last:02d}",
            )  # fmt: skip


def _date(year: str, month: int, day: int, start: int, end: int, rule: str) -> Iterator[Core]:
    if not 1 <= month <= 12:
        return
    last = monthrange(int(year), month)[1] if year else 31 if month != 2 else 29
    if not 1 <= day <= last:
        return
    head = year or "-"
    yield Core("date", "", f"{head}-{month:02d}-{day:02d}", start, end, rule)


def _full_year(written: str) -> str:
    return f"20{written}" if len(written) == 2 else written


def _year_of(found: re.Match[str]) -> str:
    if found.group("era"):
        written = found.group("era_year")
        return str(_ERAS[found.group("era")] + (1 if written == "元" else int(written)))
    return _full_year(found.group("year") or found.group("short"))


def _japanese(low: str, found: re.Match[str]) -> Iterator[Core]:
    year = _year_of(found)
    start, end = found.span()
    if found.group("fiscal"):
        if not low.startswith(("末", "内", "始", "初"), end):
            yield Core("date", "fiscal_year", year, start, end, "date_fiscal_year")
    elif found.group("day"):
        yield from _date(
            year, int(found.group("month")), int(found.group("day")), start, end, "date_ja"
        )
    elif found.group("month"):
        month = int(found.group("month"))
        if 1 <= month <= 12:
            if found.group("last"):
                last = monthrange(int(year), month)[1]
                yield from _date(year, month, last, start, end, "date_month_end")
            else:
                yield Core("date", "year_month", f"{year}-{month:02d}", start, end, "date_month")
    elif found.group("short") is None and not low.startswith(("末", "初"), end):
        yield Core("date", "year", year, start, end, "date_year")


def _month_day(found: re.Match[str]) -> Iterator[Core]:
    month = int(found.group("month"))
    start = found.start()
    if found.group("day"):
        end = found.start("tail") if found.group("tail") else found.end()
        yield from _date("", month, int(found.group("day")), start, end, "date_ja")
    elif found.group("last") and 1 <= month <= 12:
        last = monthrange(2023, month)[1]
        yield from _date("", month, last, start, found.end(), "date_month_end")
    elif 1 <= month <= 12 and not found.group("tail"):
        yield Core("date", "month", str(month), start, found.end(), "date_month")


def _numeric(found: re.Match[str]) -> Iterator[Core]:
    start, end = found.span()
    if found.group("y"):
        yield from _date(
            found.group("y"), int(found.group("m")), int(found.group("d")), start, end, "date_iso"
        )
    elif found.group("ym_y"):
        month = int(found.group("ym_m"))
        yield Core(
            "date", "year_month", f"{found.group('ym_y')}-{month:02d}", start, end, "date_month"
        )
    elif found.group("era"):
        year = str(_ERAS[found.group("era")] + int(found.group("era_year")))
        yield from _date(
            year, int(found.group("era_m")), int(found.group("era_d")), start, end, "date_era"
        )
    elif found.group("us_m"):
        first, second, third = (found.group(name) for name in ("us_m", "us_d", "us_y"))
        if len(third) == 4:
            month, day = int(first), int(second)
            if month > 12:
                month, day = day, month
            yield from _date(third, month, day, start, end, "date_month_first")
        elif int(first) > 12:
            yield from _date(f"20{first}", int(second), int(third), start, end, "date_short_year")
        else:
            yield from _date(f"20{third}", int(first), int(second), start, end, "date_month_first")
    else:
        yield from _date(
            "", int(found.group("s_m")), int(found.group("s_d")), start, end, "date_slash"
        )


def _english(text: Normal) -> Iterator[Core]:
    low = text.low
    has_days = text.digits and (_MONTH_FIRST.search(low) or _DAY_FIRST.search(low))
    for found in _ENGLISH.finditer(low) if has_days else ():
        start, end = found.span()
        name = found.group("n1") or found.group("n2")
        if name:
            if (
                name in ("may", "mar", "sep", "march")
                and text.text[found.start("n1" if found.group("n1") else "n2")].islower()
            ):
                continue
            year = found.group("y1") or found.group("y2") or ""
            day = int(found.group("d1") or found.group("d2"))
            yield from _date(year, _MONTHS[name], day, start, end, "date_en")
        else:
            month = _MONTHS[found.group("n3")]
            yield Core(
                "date", "year_month", f"{found.group('y3')}-{month:02d}", start, end, "date_en"
            )
    for found in _MONTH_END_EN.finditer(low) if "end of " in low or "day of " in low else ():
        year = found.group("year") or ""
        month = _MONTHS[found.group("name")]
        last = monthrange(int(year or 2023), month)[1]
        yield from _date(year, month, last, found.start(), found.end(), "date_month_end")
    for found in scan.finditer(_MONTH_ALONE, _MONTH_START, low):
        if text.text[found.start()].islower():
            continue
        before = _MONTH_BEFORE.search(low, max(0, found.start() - 10), found.start())
        after = low.startswith((" to ", " through ", "-", " - ", "~", " and "), found.end())
        if before or (after and found.group("name") != "may"):
            yield Core(
                "date",
                "month",
                str(_MONTHS[found.group("name")]),
                found.start(),
                found.end(),
                "date_month",
            )
