import itertools
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.ids import (
    MAX_NAME_BYTES,
    ShortenedNameError,
    decode_id,
    encode_id,
    normal_id,
    why_refused,
)

HOSTILE = [
    "a/b", "a|b", "a,b", "a...b", "..", ".", "../x", "q1", "Q1", "規程, 2024 第3版", "\u30ac",
    "%2F", "a%2Fb", "*", "[q]", "CON", "con", "con.x", "Con.x", "lpt1", "com0.json", "console",
    "a_b", "a__b", "a_2fb", "a_h", "_", "__", "-x", "a.b", ".a", "a.", "a..b", "a b", " a", "a ",
    "shop-faq@v1", "C:\\x", "~", "$HOME", "a\x00b", "\x7f", "x" * 300 + "1", "x" * 300 + "2",
    "送" * 100, "a\u200bb", "nul", "aux.", "\u30ab\u3099 x",
]  # fmt: skip
NAME = re.compile(r"[a-z0-9@_-]+(?:\.[a-z0-9@_-]+)*")
WINDOWS = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)

any_id = st.text(min_size=1, max_size=120).filter(lambda text: text.strip() != "")
short_alphabet = st.text(alphabet="aA0._@h/ \u30ab\u3099", min_size=1, max_size=6).filter(
    lambda text: text.strip() != ""
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("q1", "q1"),
        ("shop-faq@v1", "shop-faq@v1"),
        ("a_b", "a__b"),
        ("Q1", "_511"),
        ("a/b", "a_2fb"),
        ("v1.2", "v1.2"),
        (".a", "_2ea"),
        ("a.", "a_2e"),
        ("a..b", "a_2e_2eb"),
        ("con.x", "_63on.x"),
        ("com10", "com10"),
        ("送", "_e9_80_81"),
    ],
)
def test_names_are_as_documented(text: str, name: str) -> None:
    assert encode_id(text) == name


def test_hostile_ids_get_names_of_their_own_even_where_case_is_ignored() -> None:
    names = [encode_id(text).lower() for text in HOSTILE]
    clashes = [
        (one, two)
        for (one, name), (two, other) in itertools.combinations(zip(HOSTILE, names, strict=True), 2)
        if name == other
    ]
    assert clashes == []


def test_the_two_ways_to_write_ga_are_one_id() -> None:
    assert encode_id("\u30ab\u3099") == encode_id("\u30ac")
    assert normal_id("\u30ab\u3099") == "\u30ac"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_stays_inside_its_folder_and_is_a_legal_file_name(text: str, tmp_path: Path) -> None:
    path = tmp_path / encode_id(text)
    path.write_text(text, encoding="utf-8")
    assert path.resolve().parent == tmp_path.resolve()
    assert [entry.name for entry in tmp_path.iterdir()] == [encode_id(text)]


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u3000"])
def test_blank_ids_have_no_name(text: str) -> None:
    with pytest.raises(InputError, match="blank") as caught:
        encode_id(text)
    assert caught.value.code == "blank_id"


def test_half_a_surrogate_pair_has_no_name() -> None:
    with pytest.raises(InputError, match="surrogate"):
        encode_id("q\ud83d")


@given(any_id)
@example("con")
@example("a.b..c.")
@example("X" * 500)
@example("a" * 165 + "/" * 20)
def test_name_keeps_to_its_alphabet_length_and_reserved_words(text: str) -> None:
    name = encode_id(text)
    assert NAME.fullmatch(name)
    assert len(name.encode()) <= MAX_NAME_BYTES
    assert not WINDOWS.fullmatch(name)


@given(any_id)
def test_decoding_gives_the_id_back_in_nfc(text: str) -> None:
    name = encode_id(text)
    try:
        assert decode_id(name) == unicodedata.normalize("NFC", text)
    except ShortenedNameError:
        assert len(text.encode()) > MAX_NAME_BYTES // 3


@given(short_alphabet, short_alphabet)
def test_two_ids_never_share_a_name(one: str, two: str) -> None:
    same = normal_id(one) == normal_id(two)
    assert (encode_id(one).casefold() == encode_id(two).casefold()) is same


def test_a_long_id_keeps_a_whole_prefix_and_says_where_to_look() -> None:
    name = encode_id("送" * 100)
    assert re.fullmatch(r"(?:_[0-9a-f]{2})+_h[0-9a-f]{32}", name)
    with pytest.raises(KeyError, match="table") as caught:
        decode_id(name)
    assert isinstance(caught.value, ShortenedNameError)


def test_no_short_id_can_take_the_name_of_a_long_one() -> None:
    long_name = encode_id("x" * 300)
    assert encode_id(long_name) != long_name


@pytest.mark.parametrize(
    "name", ["Q1", "a/b", "a__", "_", "_5", "_zz", "_61", "con", "..", "", "a..b", "_ff", "x" * 201]
)
def test_texts_that_are_no_names_are_not_decoded(name: str) -> None:
    if name == "a__":
        assert decode_id(name) == "a_"
        return
    with pytest.raises(InputError) as caught:
        decode_id(name)
    assert caught.value.code == "not_a_name"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "blank"),
        ("\u3000 ", "blank"),
        ("q1\t", "U+0009"),
        ("q\x00", "U+0000"),
        ("q\x85", "U+0085"),
        ("q\u200b1", "U+200B ZERO WIDTH SPACE"),
        ("\ufeffq1", "U+FEFF"),
        ("q\u00ad1", "U+00AD SOFT HYPHEN"),
        ("q\u202e1", "U+202E"),
        ("q\u2028", "U+2028 LINE SEPARATOR"),
        ("q\u2029", "U+2029"),
        ("q\ud83d", "U+D83D"),
        ("q\ufffd", "U+FFFD"),
        ("q\uffff", "U+FFFF"),
        ("q\ufdd0", "U+FDD0"),
        ("q\u3164", "U+3164 HANGUL FILLER"),
        ("q\u2800", "U+2800"),
        ("a\u200db", "U+200D"),
        ("👩\u200d", "U+200D"),
        ("\u200d👧", "U+200D"),
        ("\ufe0fq", "U+FE0F"),
        ("q\ufe0f\ufe0f", "U+FE0F"),
        ("q \U000e0100", "U+E0100"),
    ],
)
def test_ids_that_deceive_the_eye_are_refused_by_name(text: str, named: str) -> None:
    refused = why_refused(text)
    assert refused is not None
    assert named in refused


@pytest.mark.parametrize(
    "text",
    [
        "007", "1e5", "no", "null", "nan", "q1 ", "規程, 2024 第3版", "a/b", "\u30ac", "\U0001f69a",
        "👩\u200d👧", "👩🏽\u200d💻", "❤\ufe0f\u200d🔥", "🏳\ufe0f\u200d🌈", "葛\U000e0100城",
        "髙橋㈱", "外字\ue000", "①", "a\u00a0b",
    ],
)  # fmt: skip
def test_ids_that_can_be_seen_are_taken(text: str) -> None:
    assert why_refused(text) is None


@given(any_id)
def test_every_id_that_is_taken_has_a_name(text: str) -> None:
    if why_refused(text) is None:
        assert encode_id(text)
