"""One value at a time: what it is as text, number, date or time, and what had to be done for it."""

from __future__ import annotations

import datetime as dt
import enum
import math
import re
from decimal import Decimal, InvalidOperation
from typing import Final
from zoneinfo import ZoneInfo

from rag_eval_pipeline.reading.json_lines import NumberLiteral


class _Absent(enum.Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""Stands for a field that a row does not have, as against one that is null."""

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOMENT = re.compile(
    r"""([0-9]{4})-([0-9]{2})-([0-9]{2})
        (?:[Tt\ ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?
           \ ?(?:([Zz])|([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?""",
    re.VERBOSE,
)
_EPOCH_MS = re.compile(r"[0-9]{12,}")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_FIRST_YEAR, _LAST_YEAR = 1970, 2200
_LARGEST_MS = 7_289_568_000_000
_INT64 = 2**63


def json_type(value: object) -> str:
    """JSON type of a read value: absent, null, text, number, boolean, list or object."""
    if value is ABSENT:
        return "absent"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, NumberLiteral | int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, dict):
        return "object"
    return "list"


def text_value(value: object) -> tuple[str | None, str | None]:
    """Text of a value; a number gives its digits as written (`number_as_text`).

    true, false, lists and objects are None with `not_text`; null and absent are None.
    """
    kind = json_type(value)
    if kind in {"absent", "null"}:
        return None, None
    if kind == "text":
        return str(value), None
    digits = _digits(value)
    return (None, "not_text") if digits is None else (digits, "number_as_text")


def number_value(value: object, *, typed: bool = True) -> tuple[float | None, str | None]:
    """Finite number of a value; a text that is a plain decimal is read (`text_as_number`).

    `typed=False` is for formats in which everything is text (CSV, YAML): the flag is left out.
    Anything else, also true, NaN and numbers out of a float's range, is None with `not_a_number`.
    """
    if value is None or value is ABSENT:
        return None, None
    written, flag = _written_number(value, typed)
    if written is None:
        return None, "not_a_number"
    number = float(written)
    return (number, flag) if math.isfinite(number) else (None, "not_a_number")


def integer_value(value: object, *, typed: bool = True) -> tuple[int | None, str | None]:
    """Whole number of a value within 64 bits, exactly: 3.0 is 3; else None, `not_an_integer`.

    Texts as in `number_value`.
    """
    if value is None or value is ABSENT:
        return None, None
    written, flag = _written_number(value, typed)
    # The float guards the exact arithmetic from exponents that would fill the memory.
    if written is None or not abs(float(written)) < 2 * _INT64:
        return None, "not_an_integer"
    try:
        exact = Decimal(written)
        whole = int(exact)
    except InvalidOperation:
        return None, "not_an_integer"
    if whole != exact or not -_INT64 <= whole < _INT64:
        return None, "not_an_integer"
    return whole, flag


def boolean_value(value: object, *, typed: bool = True) -> tuple[bool | None, str | None]:
    """Truth of a value: true or false.

    With `typed=False` also the texts true, false, yes and no in any case are read. Anything else
    is None with `not_a_boolean`.
    """
    if value is None or value is ABSENT:
        return None, None
    if isinstance(value, bool):
        return value, None
    if not typed and isinstance(value, str):
        words = {"true": True, "yes": True, "false": False, "no": False}
        known = words.get(value.strip().lower())
        if known is not None:
            return known, None
    return None, "not_a_boolean"


def day_value(value: object) -> tuple[dt.date | None, str | None]:
    """Day of an ISO date `YYYY-MM-DD`; of a date-time its date part as written, in no other zone.

    Anything else is None with `not_a_date`.
    """
    if value is None or value is ABSENT:
        return None, None
    if isinstance(value, str) and not isinstance(value, NumberLiteral):
        found = _MOMENT.fullmatch(value.strip())
        if found is not None:
            moment = _moment(found, dt.UTC)
            if moment is not None:
                return moment.date(), None
    return None, "not_a_date"


def instant_value(value: object, zone: ZoneInfo) -> tuple[dt.datetime | None, str | None]:
    """Moment in UTC of an ISO 8601 time or of epoch milliseconds.

    Parameters
    ----------
    value
        ISO time with zone; without zone it is in `zone` (`no_zone`), a date alone is its
        midnight there; a number, or a text of 12 digits or more, is epoch milliseconds
        (`epoch_ms`).
    zone
        Zone of times that name none. The zone of the machine plays no part.

    Returns
    -------
    tuple
        The moment, aware, in UTC, and the flag. Impossible dates and years before 1970 or after
        2200 are None with `not_a_time`.
    """
    if value is None or value is ABSENT:
        return None, None
    digits = _digits(value)
    if digits is None and isinstance(value, str):
        text = value.strip()
        if _EPOCH_MS.fullmatch(text):
            digits = text
        else:
            found = _MOMENT.fullmatch(text)
            moment = None if found is None else _moment(found, zone)
            if found is None or moment is None or not 1900 < moment.year < 2300:
                return None, "not_a_time"
            zoned = found[8] is not None or found[9] is not None
            return _within_years(moment.astimezone(dt.UTC), None if zoned else "no_zone")
    if digits is None or not 0 <= float(digits) < _LARGEST_MS:
        return None, "not_a_time"
    microseconds = round(float(digits) * 1000)
    return _within_years(_EPOCH + dt.timedelta(microseconds=microseconds), "epoch_ms")


def _digits(value: object) -> str | None:
    """Digits of a number as written; None for everything that is no finite number."""
    if isinstance(value, NumberLiteral):
        return str(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return repr(value) if isinstance(value, int) or math.isfinite(value) else None


def _written_number(value: object, typed: bool) -> tuple[str | None, str | None]:
    digits = _digits(value)
    if digits is not None:
        return digits, None
    if isinstance(value, str):
        text = value.strip()
        if _DECIMAL.fullmatch(text):
            return text, "text_as_number" if typed else None
    return None, None


def _moment(found: re.Match[str], zone: dt.tzinfo) -> dt.datetime | None:
    year, month, day, hour, minute, second = (int(found[part] or 0) for part in range(1, 7))
    microsecond = int((found[7] or "").ljust(6, "0")[:6])
    if found[8] is not None:
        zone = dt.UTC
    elif found[9] is not None:
        hours, minutes = int(found[10]), int(found[11] or 0)
        if hours > 23 or minutes > 59:
            return None
        offset = dt.timedelta(hours=hours, minutes=minutes)
        zone = dt.timezone(-offset if found[9] == "-" else offset)
    try:
        return dt.datetime(year, month, day, hour, minute, second, microsecond, tzinfo=zone)
    except ValueError:
        return None


def _within_years(moment: dt.datetime, flag: str | None) -> tuple[dt.datetime | None, str | None]:
    if _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        return moment, flag
    return None, "not_a_time"
