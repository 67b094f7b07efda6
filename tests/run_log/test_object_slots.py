"""Slots written as objects, read as columns: numbers as written, ranks in step, ids and texts."""

from __future__ import annotations

import math

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.fingerprint import sha256_text
from rag_eval_pipeline.run_log.object_slots import ObjectSlots, object_slots
from rag_eval_pipeline.run_log.plain_rows import PlainSlot

ENTRIES = msgspec.json.Decoder(list[str | PlainSlot])


def read(*rankings: str) -> ObjectSlots:
    """Slots of rankings given as JSON."""
    entries = [ENTRIES.decode(each) for each in rankings]
    lengths = pl.Series(map(len, entries), dtype=pl.Int64)
    return object_slots([each for ranking in entries for each in ranking], lengths)


def values(found: ObjectSlots) -> dict[str, list[object]]:
    return {each.name: each.to_list() for each in found.values}


def test_what_objects_hold_lies_slot_by_slot_beside_their_ids() -> None:
    found = read('[{"id": "a", "rank": 1, "score": 0.5, "text": "x"}, {"id": "b", "rank": 2}]')
    assert found.ids.to_list() == ["a", "b"]
    assert (found.parts, found.odd) == (None, [])
    assert values(found) == {
        "logged_rank": [1.0, 2.0],
        "score": [0.5, None],
        "text": ["x", None],
        "text_sha256": [sha256_text("x"), None],
    }


def test_document_and_section_make_an_id_and_ids_may_stand_beside_objects() -> None:
    found = read('["a", {"doc_id": "d", "section_id": "s"}]', '[{"evidence_id": "e"}]')
    assert found.ids.to_list() == ["a", "d#s", "e"]
    assert found.parts == [["a"], ["d", "s"], ["e"]]
    assert values(found) == {}


@pytest.mark.parametrize(
    "ranking",
    [
        '[{"id": "a", "rank": 1}, {"id": "b", "rank": 3}]',
        '[{"id": "a", "rank": 2}, {"id": "b", "rank": 1}]',
        '[{"id": "a", "rank": 1}, {"id": "b"}]',
        '[{"id": "a", "rank": 0}]',
        '[{"id": "a", "rank": "1"}]',
        '[{"id": "a", "score": true}]',
        '[{"id": "a", "score": 1e400}]',
        '[{"id": "a", "score": [1, 2]}]',
        '[{"id": "a", "score": "null\\\\n1"}]',
        '[{"section_id": "s"}]',
        "[{}]",
    ],
)
def test_a_row_with_anything_to_say_of_is_not_plain_and_the_rows_beside_it_are(
    ranking: str,
) -> None:
    plain = '[{"id": "p", "rank": 1.0, "score": null}]'
    assert read(plain, ranking, "[]", plain).odd == [1]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_scores_are_the_floats_that_were_written(scores: list[float]) -> None:
    found = read(*(f'[{{"id": "a", "score": {each!r}}}]' for each in scores))
    assert values(found)["score"] == scores


@given(
    st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
)
def test_any_number_of_json_is_the_float_python_makes_of_it(written: str) -> None:
    found = read(f'[{{"id": "a", "score": {written}}}]')
    if math.isfinite(float(written)):
        assert (found.odd, values(found)["score"]) == ([], [float(written)])
    else:
        assert found.odd == [0]
