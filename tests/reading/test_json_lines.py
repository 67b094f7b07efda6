import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.json_lines import (
    MAX_DEPTH,
    JsonFaultError,
    NumberLiteral,
    Row,
    parse_json,
    read_json_line,
    read_json_lines,
)
from rag_eval_pipeline.reading.quarantine import Rejected

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(10**30), max_value=10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
)


def row(text: str) -> Row:
    read = read_json_line(3, text)
    assert isinstance(read, Row), read
    return read


def rejected(text: str) -> Rejected:
    read = read_json_line(3, text)
    assert isinstance(read, Rejected), read
    assert read.line == 3
    assert read.reason
    return read


def test_a_row_keeps_line_order_and_text() -> None:
    text = ' {"b": "送料", "a": [true, null, {"c": []}]} '
    read = row(text)
    assert read == Row(3, {"b": "送料", "a": [True, None, {"c": []}]}, (), text)
    assert list(read.fields) == ["b", "a"]


@pytest.mark.parametrize("digits", ["1.0", "1e5", "-0", "12345678901234567890123", "0.10", "1E+2"])
def test_numbers_stay_as_written(digits: str) -> None:
    value = row(f'{{"n": {digits}}}').fields["n"]
    assert isinstance(value, NumberLiteral)
    assert value == digits


def test_a_number_and_the_same_digits_as_text_stay_apart() -> None:
    read = row('{"a": 7, "b": "7"}').fields
    assert isinstance(read["a"], NumberLiteral)
    assert not isinstance(read["b"], NumberLiteral)


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
def test_tokens_that_are_no_json_numbers_are_named(token: str) -> None:
    fault = rejected(f'{{"id": "q1", "x": [{token}]}}')
    assert fault.code == "not_json_number"
    assert token in fault.reason


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', '[{"x": {"a": 1, "b": 2, "a": 1}}]', '{"a": 1, "\\u0061": 2}']
)
def test_duplicate_keys_are_named_at_any_depth(text: str) -> None:
    fault = rejected(text)
    assert fault.code == "duplicate_key"
    assert '"a"' in fault.reason


@pytest.mark.parametrize(
    ("text", "word"),
    [("[]", "array"), ("null", "null"), ('"x"', "text"), ("12", "number"), ("true", "true or")],
)
def test_what_is_no_object_is_named(text: str, word: str) -> None:
    fault = rejected(text)
    assert fault.code == "not_an_object"
    assert word in fault.reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1} TRAILER', "after the end"),
        ('{"a": 1}{"a": 2}', "after the end"),
        ('{"case_id":"q7","retrieved":["ship', "line ends"),
        ('{"a": ', "line ends"),
        ('{"a": "x\\', "line ends"),
        ('{"a": 1', "line ends"),
        ('{"a": "x\ty"}', "U+0009"),
        ('{"a": "x\x00y"}', "U+0000"),
        ('{"a": "\\x"}', "escape"),
        ("{'a': 1}", "double quotes"),
        # Python 3.13 has words of its own for it.
        ('{"a": 1,}', "double quotes|trailing comma"),
        ('{"a": [1,]}', "JSON value|trailing comma"),
        ('{"a" 1}', "colon"),
        ('{"a": 007}', "comma"),
        ('{"a": 1.}', "comma"),
        ('{"a": +1}', "JSON value"),
        ('{"a": １}', "１"),
        ('{"a": True}', "JSON value"),
        ('\ufeff{"a": 1}', "U+FEFF"),
        ("q1,送料は？", "JSON value"),
        ("", "line ends"),
    ],
)
def test_broken_json_says_what_is_wrong(text: str, words: str) -> None:
    fault = rejected(text)
    assert fault.code == "invalid_json"
    assert any(each in fault.reason for each in words.split("|"))


def test_a_reason_shows_no_secret() -> None:
    fault = rejected('{"password": hunter2}')
    assert "hunter2" not in fault.reason
    assert fault.excerpt is not None
    assert "hunter2" not in fault.excerpt


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 5_000, 200_000])
@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused(depth: int, pair: tuple[str, str]) -> None:
    nested = pair[0] * (depth - 1) + "1" + pair[1] * (depth - 1)
    assert rejected(f'{{"a": {nested}}}').code == "too_deep"


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert row(json.dumps({"a": [[1]] * 500})).flags == ()
    nested = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert row(f'{{"a": {nested}}}')


@pytest.mark.parametrize(
    ("text", "value", "flags"),
    [
        ('"500円\\ud83d"', "500円\ufffd", ("text_sanitised",)),
        ('"500\\u0000円"', "500\ufffd円", ("text_sanitised",)),
        ('"\\ude9a\\ud83d"', "\ufffd\ufffd", ("text_sanitised",)),
        ('[{"x": "\\ud83d"}]', [{"x": "\ufffd"}], ("text_sanitised",)),
        ('{"\\u0000": 1}', {"\ufffd": NumberLiteral("1")}, ("text_sanitised",)),
        ('"500円\\ud83d\\ude9a"', "500円🚚", ()),
        ('"🚚"', "🚚", ()),
        ('"\ufffd"', "\ufffd", ()),
        ('"\\ufffd"', "\ufffd", ()),
        ('"\\u001f\u2028"', "\x1f\u2028", ()),
    ],
)
def test_text_that_cannot_be_stored_is_replaced_and_flagged(
    text: str, value: object, flags: tuple[str, ...]
) -> None:
    read = row(f'{{"a": {text}}}')
    assert read.fields == {"a": value}
    assert read.flags == flags


def test_keys_that_become_one_by_replacing_are_duplicates() -> None:
    assert rejected('{"a\\u0000": 1, "a\\ud800": 2}').code == "duplicate_key"


@given(st.dictionaries(st.text(), JSON))
def test_every_object_python_writes_is_read_back(value: dict[str, object]) -> None:
    for ascii_only in (True, False):
        read = read_json_line(1, json.dumps(value, ensure_ascii=ascii_only))
        if isinstance(read, Row) and not read.flags:
            assert plain(read.fields) == value
        elif isinstance(read, Row):
            assert "\\u0000" in read.raw
        else:
            assert read.code == "duplicate_key"


def plain(value: object) -> object:
    if isinstance(value, NumberLiteral):
        return json.loads(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


@given(st.text() | st.text(alphabet='{}[]":,\\u0dNaI1 e-.', max_size=40))
def test_any_text_is_a_row_or_rejected_and_agrees_with_a_strict_parser(text: str) -> None:
    read = read_json_line(1, text)
    if isinstance(read, Row):
        json.loads(text, parse_constant=lambda name: math.nan / 0)
        json.dumps(read.fields, ensure_ascii=False).encode()
    else:
        read.reason.encode()


def test_parse_json_raises_with_a_code() -> None:
    assert parse_json("[1]") == ([NumberLiteral("1")], False)
    with pytest.raises(JsonFaultError, match="twice") as caught:
        parse_json('{"a":1,"a":1}')
    assert caught.value.code == "duplicate_key"


def test_one_bad_line_does_not_touch_the_others() -> None:
    data = (
        '{"case_id": "q1"}\n\n{"case_id": "q2", "latency_ms": NaN}\r\n{"case_id": "q3"} TRAILER\n'
        '[]\nnull\n   \n{"case_id": "q5\u2028"}\n{"case_id":"q7","retrieved":["ship'
    )
    read = read_json_lines(data.encode(), "run.jsonl")
    assert [(each.line, each.fields["case_id"]) for each in read.rows] == [
        (1, "q1"),
        (8, "q5\u2028"),
    ]
    assert [(each.line, each.code) for each in read.rejected] == [
        (3, "not_json_number"),
        (4, "invalid_json"),
        (5, "not_an_object"),
        (6, "not_an_object"),
        (9, "invalid_json"),
    ]
    assert read.n_rows == 7
    assert read.flags == ("last_line_incomplete",)
    assert read.encoding == "utf-8"


@pytest.mark.parametrize("data", [b'{"a": 1}', b'{"a": 1}\n{"b"\n', b'{"b"\n  ', b"", b"[]", b"\n"])
def test_a_last_line_that_ends_or_could_be_parsed_is_complete(data: bytes) -> None:
    assert read_json_lines(data, "x").flags == ()


def test_an_empty_file_has_no_rows() -> None:
    read = read_json_lines(b"", "x")
    assert (read.n_rows, read.rows, read.rejected) == (0, [], [])


def test_a_cp932_file_is_read() -> None:
    read = read_json_lines('{"a": "表示ソフト"}\n'.encode("cp932"), "x")
    assert read.rows[0].fields == {"a": "表示ソフト"}
    assert read.encoding == "cp932"


@given(st.lists(st.text(alphabet='{}"a:1,\n \u2028'), max_size=10))
def test_every_line_that_is_not_blank_is_counted_once(parts: list[str]) -> None:
    text = "\n".join(parts)
    read = read_json_lines(text.encode(), "x")
    assert read.n_rows == len(read.rows) + len(read.rejected)
    assert read.n_rows == sum(1 for line in text.split("\n") if line.strip())


def test_reading_is_fast_enough_for_long_logs() -> None:
    line = json.dumps(
        {
            "case_id": "q1",
            "retrieved": [
                {"id": f"doc#{n}", "rank": n, "text": "送料は500円です。"} for n in range(3)
            ],
            "answer": "送料は500円です。",
            "latency_ms": 812.5,
        },
        ensure_ascii=False,
    )
    data = (line + "\n").encode() * 20_000
    start = time.perf_counter()
    assert read_json_lines(data, "x").n_rows == 20_000
    assert time.perf_counter() - start < 4
