"""A value read from text: a number with its unit, bounds and what it is counted from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text.

    `kind` is money, ratio, duration, deadline, date, time, count or quantity. `unit` is the ISO
    code of a currency, day / business_day / week / month / year / hour / minute / second, a unit
    of measure, a Japanese counter, 倍 for multiples, `range` for a range over two units, and for
    dates year, fiscal_year, year_month, month or empty. `cmp` is eq, le, lt, ge, gt, range or
    approx. `n` is the number as text: a decimal where it terminates, else a fraction; `low~high`
    for a range, with `(` or `)` at an open end; `end` for the last day of a month; ISO dates,
    `--04-01` without a year; `17:00`. `anchor` is what a span is counted from (delivery, purchase,
    application, joining, leaving, this_month, next_month, each_month, next). `qual` is tax_incl,
    tax_excl, off, plus, before, after or ordinal. `counted_from` says whether counting starts on
    the anchor's day (same_day, inclusive) or the day after (next_day). `start` and `end` are code
    points of the text as given, `quote` is the text between them, `rule` names the rule.
    """

    kind: str
    unit: str
    cmp: str
    n: str
    anchor: str | None
    qual: str | None
    counted_from: str | None
    start: int
    end: int
    quote: str
    rule: str
