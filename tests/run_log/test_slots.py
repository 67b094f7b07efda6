import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.knowledge.evidence_ids import KnownIds
from rag_eval_pipeline.run_log.slots import RANKING, Slots, with_duplicates

KNOWN = KnownIds(frozenset({"a", "b#1"}), frozenset({("a", "s")}), held=True)
BASE = {"dataset_version": "faq@v1", "run_id": "night", "run_hash": "h"}


def slots(*rankings: dict[str, object], known: KnownIds = KNOWN) -> Slots:
    rows = [{"case_id": f"q{n}", "trial": 1, **ranking} for n, ranking in enumerate(rankings)]
    schema = {"case_id": pl.String, "trial": pl.Int64} | RANKING
    return Slots(pl.DataFrame(rows, schema=schema), BASE, known)


def test_each_slot_has_its_item_its_position_and_the_parts_of_its_id() -> None:
    held = slots(
        {"evidence_id": ["a#s", "b#1", "c#2"]}, {"evidence_id": None}, {"evidence_id": ["a"]}
    )
    found = held.table().collect()
    assert found.schema == tables.empty("retrieved").schema
    assert found.select("case_id", "position", "doc_id", "section_id", "flags").rows() == [
        ("q0", 1, "a", "s", []),
        ("q0", 2, "b#1", None, []),
        ("q0", 3, "c", "2", ["unresolved_id"]),
        ("q2", 1, "a", None, []),
    ]
    assert set(found.select("dataset_version", "run_id", "run_hash").rows()) == {
        tuple(BASE.values())
    }


def test_values_stay_with_their_slot_where_other_items_have_none() -> None:
    ranked = {
        "evidence_id": ["a", "z"],
        "logged_rank": [1.0, 2.0],
        "slot_flags": [[], ["rank:tie"]],
    }
    found = slots({"evidence_id": ["a"]}, ranked).table().collect()
    assert found["logged_rank"].to_list() == [None, 1.0, 2.0]
    assert found["flags"].to_list() == [[], [], ["rank:tie", "unresolved_id"]]
    assert found["text"].null_count() == 3


def test_without_a_snapshot_no_id_is_unresolved() -> None:
    nothing = KnownIds(frozenset(), frozenset(), held=False)
    found = slots({"evidence_id": ["a#1", "b"]}, known=nothing).table().collect()
    assert found["flags"].to_list() == [[], []]


def test_lists_hold_what_the_table_holds() -> None:
    held = slots(
        {"evidence_id": ["a#s", "b#1", "c#2"]}, {"evidence_id": None}, {"evidence_id": ["z"]}
    )
    lists = ["evidence_id", "doc_id", "section_id"]
    found = held.lists()
    assert found.select("run_id", "case_id", "trial").rows() == [
        ("night", "q0", 1),
        ("night", "q1", 1),
        ("night", "q2", 1),
    ]
    assert found["evidence_id"].to_list() == [["a#s", "b#1", "c#2"], None, ["z"]]
    one_by_one = found.select(pl.col(lists).explode(empty_as_null=False, keep_nulls=False))
    assert one_by_one.equals(held.table().select(lists).collect())


def test_lists_have_no_parts_where_no_id_has_a_section() -> None:
    assert slots({"evidence_id": ["a", "z"]}).lists().columns == [
        "run_id",
        "case_id",
        "trial",
        "evidence_id",
    ]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_parts_of_the_table_are_the_table(size: int) -> None:
    held = slots(*({"evidence_id": [f"d{n}", "a#s"][: n % 3]} for n in range(5)))
    parts = [held.table(first, size).collect() for first in range(0, 5, size)]
    assert pl.concat(parts).equals(held.table().collect())


def test_a_run_without_slots_has_an_empty_table() -> None:
    assert slots().table().collect().is_empty()
    assert slots({"evidence_id": []}).table().collect().is_empty()


def test_repeated_ids_are_noted_on_the_row_and_on_each_repeat() -> None:
    items = pl.DataFrame(
        {
            "source_line": [1, 2, 3],
            "flags": pl.Series([None] * 3, dtype=pl.List(pl.String)),
            "evidence_id": [["a", "b"], ["a", "b", "a", "a"], None],
            "slot_flags": pl.Series([None] * 3, dtype=RANKING["slot_flags"]),
        }
    )
    found = with_duplicates(items)
    assert found.columns == items.columns
    assert found["flags"].to_list() == [None, ["retrieved:duplicates"], None]
    assert found["slot_flags"].to_list() == [None, [[], [], ["duplicate"], ["duplicate"]], None]
