from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.numerals import decimal_text, numerals


def digits(text: str) -> list[str]:
    return [numeral.digits for numeral in numerals(text)]


def in_kanji(number: int) -> str:
    """Write a whole number as Japanese texts do: 一万二千三百."""
    if number == 0:
        return "零"
    written = ""
    for myriad in ("", "万", "億", "兆"):
        number, group = divmod(number, 10_000)
        if group:
            written = _group_in_kanji(group) + myriad + written
    return written


def _group_in_kanji(group: int) -> str:
    written = ""
    for value, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        count = group // value % 10
        if count:
            written += ("" if count == 1 and sign else "〇一二三四五六七八九"[count]) + sign
    return written


@given(st.integers(min_value=0, max_value=10**16 - 1))
def test_kanji_numerals_are_read_back(number: int) -> None:
    assert digits(f"計{in_kanji(number)}円") == [str(number)]


@given(st.integers(min_value=0, max_value=10**12))
def test_kanji_digits_by_place_are_read_back(number: int) -> None:
    written = "".join("〇一二三四五六七八九"[int(digit)] for digit in str(number))
    assert digits(written) == [str(number)]


@given(st.integers(min_value=1_000, max_value=10**15))
def test_grouped_digits_are_read_back(number: int) -> None:
    assert digits(f"{number:,}円") == [str(number)]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2万5千円", "25000"),
        ("1.5万円", "15000"),
        ("3億5000万", "350000000"),
        ("壱拾弐萬円", "120000"),
        ("参円", "3"),
        ("三〇〇円", "300"),
        ("twenty-five days", "25"),
        ("one hundred and five", "105"),
        ("a hundred people", "100"),
        ("two thousand three hundred", "2300"),
        ("ten thousand", "10000"),
        ("1.5 million", "1500000"),
        ("two dozen", "24"),
        ("a two-year plan", "2"),
        ("the fifth business day", "5th"),
    ],
)
def test_written_numbers(text: str, read: str) -> None:
    assert digits(text) == [read]


@pytest.mark.parametrize(
    "text",
    [
        *["500", "2026.4.1", "1.5", "①", "10²", "٣٠", "参加", "拾う", "万一の"[:1], "億"],
        *["five ten", "and", "in the first place", "60 seconds a second day"],
    ],
)
def test_what_needs_no_reading_or_is_no_number(text: str) -> None:
    assert digits(text) == []


def test_two_numbers_joined_by_and_stay_two() -> None:
    assert digits("between five and ten") == ["5", "10"]


def test_coefficient_and_multiplier_are_told_apart() -> None:
    (numeral,) = numerals("3〜5万円")
    assert (numeral.leading, numeral.scale) == (Fraction(5), 10_000)
    (whole,) = numerals("2万5千円")
    assert (whole.leading, whole.scale) == (None, 1)


@given(st.fractions(max_denominator=10**4))
def test_decimal_text_is_exact(value: Fraction) -> None:
    assert Fraction(decimal_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "1/3"),
        (Fraction(1, 8), "0.125"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(7), "7"),
        (Fraction(1, 100), "0.01"),
    ],
)
def test_decimal_where_it_terminates(value: Fraction, text: str) -> None:
    assert decimal_text(value) == text


@given(st.text(max_size=40))
def test_spans_lie_in_order_inside_any_text(text: str) -> None:
    end = 0
    for numeral in numerals(text):
        assert end <= numeral.start < numeral.end <= len(text)
        end = numeral.end
