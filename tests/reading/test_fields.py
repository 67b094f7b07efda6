import datetime as dt
import math
import os
import time
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.fields import (
    ABSENT,
    boolean_value,
    day_value,
    instant_value,
    integer_value,
    json_type,
    number_value,
    text_value,
)
from rag_eval_pipeline.reading.json_lines import NumberLiteral as Number

TOKYO = ZoneInfo("Asia/Tokyo")
READERS = [
    text_value,
    number_value,
    integer_value,
    boolean_value,
    day_value,
    lambda value: instant_value(value, TOKYO),
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("nothing", [None, ABSENT])
def test_null_and_absent_are_nothing_without_a_flag(read: object, nothing: object) -> None:
    assert read(nothing) == (None, None)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (ABSENT, "absent"),
        (None, "null"),
        ("1", "text"),
        (Number("1"), "number"),
        (1, "number"),
        (1.5, "number"),
        (True, "boolean"),
        ([], "list"),
        ({}, "object"),
    ],
)
def test_json_types(value: object, name: str) -> None:
    assert json_type(value) == name


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("007", ("007", None)),
        ("", ("", None)),
        (Number("1.0"), ("1.0", "number_as_text")),
        (Number("1e5"), ("1e5", "number_as_text")),
        (True, (None, "not_text")),
        ([], (None, "not_text")),
        ({"a": "b"}, (None, "not_text")),
    ],
)
def test_text(value: object, read: tuple[object, object]) -> None:
    text, flag = text_value(value)
    assert (text, flag) == read
    assert type(text) in {str, type(None)}


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (Number("1.5"), (1.5, None)),
        (Number("-1e3"), (-1000.0, None)),
        ("12", (12.0, "text_as_number")),
        (" 1.5 ", (1.5, "text_as_number")),
        ("+.5", (0.5, "text_as_number")),
        ("１２", (None, "not_a_number")),
        ("1,000", (None, "not_a_number")),
        ("0x10", (None, "not_a_number")),
        ("1_000", (None, "not_a_number")),
        ("nan", (None, "not_a_number")),
        ("Infinity", (None, "not_a_number")),
        ("", (None, "not_a_number")),
        (Number("1e999"), (None, "not_a_number")),
        (math.nan, (None, "not_a_number")),
        (True, (None, "not_a_number")),
        ([Number("1")], (None, "not_a_number")),
    ],
)
def test_number(value: object, read: tuple[object, object]) -> None:
    assert number_value(value) == read


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (Number("3"), (3, None)),
        (Number("3.0"), (3, None)),
        (Number("1e3"), (1000, None)),
        (Number("-0"), (0, None)),
        ("3", (3, "text_as_number")),
        (Number("9223372036854775807"), (2**63 - 1, None)),
        (Number("-9223372036854775808"), (-(2**63), None)),
        (Number("9223372036854775808"), (None, "not_an_integer")),
        (Number("1.5"), (None, "not_an_integer")),
        (Number("9007199254740993"), (9007199254740993, None)),
        (Number("0.9999999999999999999"), (None, "not_an_integer")),
        (Number("1e400000000"), (None, "not_an_integer")),
        (Number("1e-400000000"), (None, "not_an_integer")),
        (Number("1e-99999999999999999999999"), (None, "not_an_integer")),
        (False, (None, "not_an_integer")),
        ("three", (None, "not_an_integer")),
    ],
)
def test_integer(value: object, read: tuple[object, object]) -> None:
    assert integer_value(value) == read


def test_numbers_of_formats_without_types_carry_no_flag() -> None:
    assert number_value("1.5", typed=False) == (1.5, None)
    assert integer_value("3", typed=False) == (3, None)
    assert integer_value("x", typed=False) == (None, "not_an_integer")


@pytest.mark.parametrize("word", ["true", "TRUE", "Yes"])
def test_words_are_true_only_where_everything_is_text(word: str) -> None:
    assert boolean_value(word, typed=False) == (True, None)
    assert boolean_value(word) == (None, "not_a_boolean")


def test_boolean() -> None:
    assert boolean_value(True) == (True, None)
    assert boolean_value("no", typed=False) == (False, None)
    assert boolean_value(Number("1")) == (None, "not_a_boolean")
    assert boolean_value("1", typed=False) == (None, "not_a_boolean")


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-01-02", dt.date(2026, 1, 2)),
        ("2026-01-02T23:30:00-09:00", dt.date(2026, 1, 2)),
        ("2028-02-29", dt.date(2028, 2, 29)),
    ],
)
def test_day_is_the_date_as_written(value: str, day: dt.date) -> None:
    assert day_value(value) == (day, None)


@pytest.mark.parametrize(
    "value", ["2026-11-31", "2027-02-29", "2026/01/02", "20260102", "2026-W01-1", "", True]
)
def test_what_is_no_date_is_flagged(value: object) -> None:
    assert day_value(value) == (None, "not_a_date")
    assert day_value(Number("20260102")) == (None, "not_a_date")


def utc(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=dt.UTC)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("value", "moment", "flag"),
    [
        ("2026-11-02T02:00:00+09:00", utc(2026, 11, 1, 17), None),
        ("2026-11-02T02:00:00Z", utc(2026, 11, 2, 2), None),
        ("2026-11-02 02:00:00.5 -0330", utc(2026, 11, 2, 5, 30, 0, 500000), None),
        ("2026-11-02T02:00:00.123456789Z", utc(2026, 11, 2, 2, 0, 0, 123456), None),
        ("2026-11-02T02:00:00", utc(2026, 11, 1, 17), "no_zone"),
        ("2026-11-02T02:00", utc(2026, 11, 1, 17), "no_zone"),
        ("2026-11-02", utc(2026, 11, 1, 15), "no_zone"),
        (Number("1793552400000"), utc(2026, 11, 1, 17), "epoch_ms"),
        (Number("1793552400000.25"), utc(2026, 11, 1, 17, 0, 0, 250), "epoch_ms"),
        ("1793552400000", utc(2026, 11, 1, 17), "epoch_ms"),
    ],
)
def test_moments(value: object, moment: dt.datetime, flag: str | None) -> None:
    assert instant_value(value, TOKYO) == (moment, flag)


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-31T00:00:00Z", "2026-11-02T24:00:00Z", "2026-11-02T23:59:60Z", "1969-12-31T00:00Z",
        "2201-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
        "2026-11-02T02:00:00+99:00", "yesterday", "", "12345678901", "9" * 400, True, [],
        Number("-1"), Number("1e400"), Number("9e12"), "２０２６-11-02T02:00:00Z",
    ],
)  # fmt: skip
def test_what_is_no_moment_is_flagged(value: object) -> None:
    assert instant_value(value, TOKYO) == (None, "not_a_time")


def test_a_tiny_number_is_the_epoch() -> None:
    tiny = Number("1e-99999999999999999999999")
    assert instant_value(tiny, TOKYO) == (utc(1970, 1, 1), "epoch_ms")


@pytest.fixture
def honolulu() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Pacific/Honolulu"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.usefixtures("honolulu")
def test_the_zone_of_the_machine_plays_no_part() -> None:
    assert instant_value("2026-11-02T02:00:00", TOKYO)[0] == utc(2026, 11, 1, 17)
    assert day_value("2026-11-02T23:00:00Z")[0] == dt.date(2026, 11, 2)


anything = (
    st.none()
    | st.booleans()
    | st.text()
    | st.text(alphabet="0123456789-+:.TZeE ", max_size=30)
    | st.floats()
    | st.integers()
    | st.from_regex(r"\A-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,25})?\Z").map(Number)
    | st.lists(st.text())
)


@given(anything)
def test_no_value_breaks_a_reader_and_a_lost_value_is_flagged(value: object) -> None:
    for read in READERS:
        found, flag = read(value)  # type: ignore[operator]
        if value is not None and found is None:
            assert flag
        assert not (isinstance(found, float) and not math.isfinite(found))


@given(
    st.integers(min_value=0, max_value=7_000_000_000_000_000),
    st.integers(min_value=-14 * 60, max_value=14 * 60),
)
def test_written_moments_come_back(microseconds: int, offset: int) -> None:
    moment = utc(1970, 1, 1) + dt.timedelta(microseconds=microseconds)
    zone = dt.timezone(dt.timedelta(minutes=offset))
    assert instant_value(moment.astimezone(zone).isoformat(), TOKYO) == (moment, None)
