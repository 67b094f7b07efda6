import datetime as dt
import hashlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.fingerprint import (
    canonical_json,
    hash_json,
    sha256_bytes,
    sha256_text,
)
from rag_eval_pipeline.reading.json_lines import NumberLiteral

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def test_keys_are_sorted_without_spaces_and_characters_stay() -> None:
    assert canonical_json({"b": [1, 1.5, True, None], "a": "送料\n"}) == (
        '{"a":"送料\\n","b":[1,1.5,true,null]}'
    )


def test_numbers_as_written_stay_as_written_and_differ_from_text() -> None:
    assert canonical_json([NumberLiteral("1.0"), NumberLiteral("1e5"), "1.0"]) == '[1.0,1e5,"1.0"]'
    assert hash_json(NumberLiteral("1")) != hash_json(NumberLiteral("1.0"))
    assert hash_json(NumberLiteral("1")) != hash_json("1")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no JSON number"):
        canonical_json({"a": [value]})


@pytest.mark.parametrize("value", [{1: "x"}, {"a": dt.date(2026, 1, 2)}, {"a": {1, 2}}, b"x"])
def test_what_json_does_not_know_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


@given(JSON)
def test_canonical_form_is_json_of_the_same_value(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert text == json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_order_of_keys_does_not_count(value: dict[str, int]) -> None:
    assert hash_json(value) == hash_json(dict(reversed(value.items())))


def test_hashes_are_sha256_of_utf8() -> None:
    assert sha256_text("送料") == hashlib.sha256("送料".encode()).hexdigest()
    assert sha256_bytes(b"") == hashlib.sha256().hexdigest()
    assert hash_json("x") == sha256_text('"x"')
