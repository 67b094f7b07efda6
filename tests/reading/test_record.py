"""From a row of named values to typed ones."""

from __future__ import annotations

import unicodedata

import pytest

from rag_eval_pipeline.reading.json_lines import parse_json
from rag_eval_pipeline.reading.record import Fault, Field, shape

FIELDS = (
    Field("key", "id", ("name",)),
    Field("size", "number"),
    Field("parts", "id_list"),
    Field("words", "text_list"),
)


def test_a_field_goes_by_its_own_name_before_its_alias() -> None:
    both = shape({"name": "b", "key": "a"}, FIELDS)
    assert both.values["key"] == "a"
    assert both.extra == {"name": "b"}
    assert shape({"name": "b"}, FIELDS).values["key"] == "b"
    assert shape({"key": None, "name": "b"}, FIELDS).values["key"] is None


def test_an_id_in_another_normal_form_is_put_in_nfc_and_noted() -> None:
    record = shape({"key": unicodedata.normalize("NFD", "が")}, FIELDS)
    assert record.values["key"] == "が"
    assert record.flags == ["key:put_in_nfc"]
    assert shape({"key": "が"}, FIELDS).flags == []


@pytest.mark.parametrize("written", ["true", "[1]", '{"a": 1}', '""', '" "', '"a\\u200b"'])
def test_what_cannot_be_an_id_is_a_fault(written: str) -> None:
    value, _ = parse_json(written)
    record = shape({"key": value}, FIELDS)
    assert [fault.field for fault in record.faults] == ["key"]
    assert record.values["key"] is None


def test_numbers_as_ids_keep_their_digits() -> None:
    value, _ = parse_json('{"key": 1.50, "parts": [7, "x"]}')
    assert isinstance(value, dict)
    record = shape(value, FIELDS)
    assert record.values["key"] == "1.50"
    assert record.values["parts"] == ["7", "x"]
    assert record.flags == ["key:number_as_text", "parts:number_as_text"]


def test_a_wrong_type_is_null_with_a_note_and_no_fault() -> None:
    record = shape({"size": "much"}, FIELDS)
    assert record.values["size"] is None
    assert record.flags == ["size:not_a_number"]
    assert record.faults == []


def test_null_in_a_list_is_a_fault() -> None:
    assert [fault.code for fault in shape({"parts": ["a", None]}, FIELDS).faults] == [
        "null_in_list"
    ]
    assert [fault.code for fault in shape({"words": [None]}, FIELDS).faults] == ["not_text_in_list"]


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("found a; expected b; do c", "f, line 3, field x: found a; expected b. Do: do c."),
        ("found a; expected b", "f, line 3, field x: found a; expected b. Do: correct the field."),
        (
            "found a: bad; do c",
            "f, line 3, field x: found a: bad; expected a usable value. Do: do c.",
        ),
        ("odd", "f, line 3, field x: found odd; expected a usable value. Do: correct the field."),
    ],
)
def test_a_fault_becomes_the_error_of_a_file(reason: str, sentence: str) -> None:
    assert str(Fault("code", "x", reason).error("f", 3)) == sentence
