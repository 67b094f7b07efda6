import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.fields import ABSENT
from rag_eval_pipeline.reading.json_lines import parse_json
from rag_eval_pipeline.run_log.retrieved import Ranking, read_ranking


def ranking(text: str) -> Ranking:
    """The ranking of a JSON text."""
    return read_ranking(parse_json(text)[0])


def order(text: str) -> list[str]:
    return [slot.evidence_id for slot in ranking(text).slots]


def test_a_plain_list_keeps_its_order_and_has_no_ranks() -> None:
    found = ranking('["b", "a", "c#1"]')
    assert [slot.evidence_id for slot in found.slots] == ["b", "a", "c#1"]
    assert [slot.rank for slot in found.slots] == [None, None, None]
    assert (found.found, found.flags) == ("list", [])


@pytest.mark.parametrize("key", ["id", "evidence_id", "doc_id"])
def test_an_entry_may_be_an_object(key: str) -> None:
    (slot,) = ranking(f'[{{"{key}": "a", "rank": 1, "score": 0.5, "text": "t", "page": 3}}]').slots
    assert (slot.evidence_id, slot.rank, slot.score, slot.text) == ("a", 1.0, 0.5, "t")
    assert slot.extra == '{"page":3}'
    assert slot.flags == []


def test_document_and_section_may_be_written_apart() -> None:
    assert order('[{"doc_id": "a", "section_id": "s"}]') == ["a#s"]


def test_rank_decides_the_order_as_a_number() -> None:
    text = '[{"id": "c", "rank": "10"}, {"id": "a", "rank": "1"}, {"id": "b", "rank": "2"}]'
    assert order(text) == ["a", "b", "c"]
    assert ranking(text).slots[0].flags == ["rank:text_as_number"]


def test_score_and_id_never_decide_the_order() -> None:
    text = '[{"id": "b", "rank": 1, "score": 0.1}, {"id": "a", "rank": 1, "score": 0.9}]'
    found = ranking(text)
    assert order(text) == ["b", "a"]
    assert "rank:tie" in found.flags
    assert all("rank:tie" in slot.flags for slot in found.slots)


@pytest.mark.parametrize(
    ("ranks", "flags"),
    [
        ([1, 2, 3], []),
        ([0, 1, 2], ["rank:zero_based"]),
        ([1, 3], ["rank:gap"]),
        ([0, 2], ["rank:zero_based", "rank:gap"]),
        ([2, 3], ["rank:gap"]),
        ([1, 1, 2], ["rank:tie"]),
        ([1, 1, 3], ["rank:tie", "rank:gap"]),
        ([1, None], ["rank:missing_in_part"]),
        ([-1, 0], ["rank:gap"]),
        ([1, 1.5], ["rank:gap"]),
        ([None, None], []),
    ],
)
def test_odd_ranks_are_noted(ranks: list[float | None], flags: list[str]) -> None:
    entries = [{"id": f"d{n}", "rank": rank} for n, rank in enumerate(ranks)]
    assert ranking(json.dumps(entries)).flags == flags


def test_entries_without_rank_come_last_in_their_order() -> None:
    text = '[{"id": "x"}, {"id": "b", "rank": 2}, {"id": "y"}, {"id": "a", "rank": 1}]'
    assert order(text) == ["a", "b", "x", "y"]


def test_a_rank_that_is_no_number_counts_as_none() -> None:
    found = ranking('[{"id": "a", "rank": true}, {"id": "b", "rank": 1}]')
    assert [slot.evidence_id for slot in found.slots] == ["b", "a"]
    assert found.slots[1].flags == ["rank:not_a_number"]
    assert found.found == "list"


def test_a_repeated_id_keeps_its_slot_and_is_noted() -> None:
    found = ranking('["a", "b", "a"]')
    assert [slot.flags for slot in found.slots] == [[], [], ["duplicate"]]
    assert found.flags == ["retrieved:duplicates"]


def test_an_empty_list_is_a_list() -> None:
    found = ranking("[]")
    assert (found.found, found.slots, found.flags) == ("list", [], [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [("null", "null"), ('"a"', "text"), ("1", "number"), ("true", "boolean"), ("{}", "object")],
)
def test_what_is_no_list_keeps_its_type_for_the_rubric(text: str, kind: str) -> None:
    found = ranking(text)
    assert (found.found, found.slots) == (kind, [])


def test_an_absent_field_is_told_from_null() -> None:
    assert read_ranking(ABSENT).found == "absent"


@pytest.mark.parametrize(
    ("entry", "note"),
    [
        ("null", "no_id_but_null"),
        ('["a"]', "no_id_but_list"),
        ("{}", "no_id_but_null"),
        ('{"id": false}', "no_id_but_boolean"),
        ('" "', "refused_id the id is blank"),
    ],
)
def test_an_entry_that_is_no_id_makes_a_mixed_list_and_leaves_the_others(
    entry: str, note: str
) -> None:
    found = ranking(f'["a", {entry}, "b"]')
    assert [slot.evidence_id for slot in found.slots] == ["a", "b"]
    assert (found.found, found.flags) == ("mixed_list", [f"retrieved[2]:{note}"])


def test_a_number_as_id_keeps_its_digits_but_the_list_is_malformed() -> None:
    found = ranking('["a", 1e5]')
    assert [slot.evidence_id for slot in found.slots] == ["a", "1e5"]
    assert (found.found, found.flags) == ("mixed_list", ["retrieved[2]:number_as_id"])


@given(st.lists(st.none() | st.integers(0, 4), max_size=8))
def test_order_is_a_stable_sort_by_rank(ranks: list[int | None]) -> None:
    entries = [{"id": f"d{n}", "rank": rank} for n, rank in enumerate(ranks)]
    wanted = sorted(
        range(len(ranks)), key=lambda n: (ranks[n] is None, -1 if ranks[n] is None else ranks[n])
    )
    assert order(json.dumps(entries)) == [f"d{n}" for n in wanted]
