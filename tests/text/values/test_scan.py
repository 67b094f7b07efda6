import re

from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.values import scan

ENGLISH = re.compile(r"(?<![a-z])(?:no|not) (?:[a-z]+|[0-9]+)")
ENGLISH_HEAD = scan.heads(["no ", "not "])
HOURS = re.compile(r"(?<![0-9.])(?P<hour>[0-9]{1,2})\s?h")
HOURS_HEAD = scan.numbers(2, r"\s?h")

pieces = st.lists(st.sampled_from(["no ", "not ", "n", "x", " ", "1", "23", ".", "h", "あ", "\n"]))
texts = pieces.map("".join)


def spans(found: object) -> list[tuple[int, int]]:
    return [match.span() for match in found]  # type: ignore[attr-defined]


@given(texts)
def test_all_matches_are_found_from_their_heads(text: str) -> None:
    assert spans(scan.finditer(ENGLISH, ENGLISH_HEAD, text)) == spans(ENGLISH.finditer(text))
    assert spans(scan.finditer(HOURS, HOURS_HEAD, text)) == spans(HOURS.finditer(text))


@given(texts, st.integers(0, 20), st.integers(0, 20))
def test_the_first_match_in_a_window_is_found_from_its_head(
    text: str, start: int, end: int
) -> None:
    found = scan.search(ENGLISH, ENGLISH_HEAD, text, start, end)
    plain = ENGLISH.search(text, start, end)
    assert (found and found.span()) == (plain and plain.span())


def test_a_head_is_one_character_of_a_word_that_follows() -> None:
    assert spans(scan.heads(["ab", "a+"]).finditer("ab aa+ a")) == [(0, 1), (4, 5)]


def test_a_number_begins_where_no_digit_stands_before_it() -> None:
    assert spans(scan.numbers(2, "h").finditer("12h 123h 4 h 5h")) == [(0, 1), (13, 14)]


def test_signs_are_read_over_white_space() -> None:
    assert scan.sign_after("5 円", 1) == scan.sign_after("5円", 1) == "円"
    assert scan.sign_before("$ 5", 2) == scan.sign_before("$5", 1) == "$"
    assert scan.sign_before("5", 0) == scan.sign_after("5", 1) == ""
