"""Retrieval of run items against gold and snapshot: holes, stale and forbidden slots, by text."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.knowledge.validity import outdated_documents
from rag_eval_pipeline.measures.retrieval.facts import retrieval_facts
from rag_eval_pipeline.measures.retrieval.forbidden_access import forbidden_share
from rag_eval_pipeline.measures.retrieval.holes import hole_share
from rag_eval_pipeline.measures.retrieval.stale import stale_share

RowsOf = Callable[..., pl.DataFrame]
Slot = str | tuple[str, str | None]
Facts = dict[str, Any]

RUN = {"dataset_version": "shop@v1", "run_hash": "rows"}
TODAY = dt.date(2026, 11, 1)
RETURNS = "返品は商品の到着後十四日以内に、未開封の場合に限り承ります。"
CARE = "お手入れは柔らかい布で乾拭きし、直射日光の当たる場所を避けてください。"
SHIPPING = "Parcels leave our warehouse on the next working day after the order was paid."


class World:
    """A snapshot, one gold, and rankings by run and case; changed by the test where it matters."""

    def __init__(self, rows_of: RowsOf) -> None:
        self.rows_of = rows_of
        self.documents: list[Facts] = [
            {"doc_id": "returns"},
            {"doc_id": "care"},
            {"doc_id": "shipping"},
        ]
        self.sections: list[Facts] = [
            {"doc_id": "returns", "section_id": "term", "text": RETURNS, "position": 1},
            {"doc_id": "care", "section_id": "cloth", "text": CARE, "position": 1},
            {"doc_id": "shipping", "section_id": None, "text": SHIPPING, "position": 1},
        ]
        self.gold: list[list[str]] = [["returns#term"]]
        self.quotes: list[str] = []
        self.roles: list[str] = []

    def measure(self, *rankings: list[Slot], runs: tuple[str, ...] = ()) -> list[Facts]:
        """One item a ranking, each of a case of its own; all of run `night` unless named."""
        names = runs or ("night",) * len(rankings)
        cases = [f"q{number}" for number in range(len(rankings))]
        items = pl.DataFrame(
            [
                (run, case, 1, self.quotes, self.roles, TODAY)
                for run, case in zip(names, cases, strict=True)
            ],
            schema={
                "run_id": pl.String,
                "case_id": pl.String,
                "trial": pl.Int64,
                "evidence_quotes": pl.List(pl.String),
                "user_roles": pl.List(pl.String),
                "judged_on": pl.Date,
            },
            orient="row",
        )
        slots = [
            {
                **RUN,
                "run_id": run,
                "case_id": case,
                "position": position,
                **self.parts(slot if isinstance(slot, str) else slot[0]),
                "text": None if isinstance(slot, str) else slot[1],
            }
            for run, case, ranking in zip(names, cases, rankings, strict=True)
            for position, slot in enumerate(ranking, start=1)
        ]
        evidence = [
            {"case_id": case, "group_no": number, "grade": 1, **self.parts(each)}
            for case in cases
            for number, group in enumerate(self.gold, start=1)
            for each in group
        ]
        documents = self.rows_of(
            "documents", *({"lifecycle": "active"} | d for d in self.documents)
        )
        found = retrieval_facts(
            items,
            self.rows_of("retrieved", *slots),
            evidence=self.rows_of("case_evidence", *evidence),
            documents=documents,
            sections=self.rows_of("sections", *self.sections),
            outdated=outdated_documents(pl.DataFrame({"judged_on": [TODAY]}), documents),
        )
        assert found.height == len(rankings)
        return found.rows(named=True)

    @staticmethod
    def parts(evidence_id: str) -> Facts:
        document, _, section = evidence_id.partition("#")
        return {"evidence_id": evidence_id, "doc_id": document, "section_id": section or None}


@pytest.fixture
def world(rows_of: RowsOf) -> World:
    return World(rows_of)


def test_ids_of_the_snapshot_are_measured_by_id(world: World) -> None:
    (found,) = world.measure(["care#cloth", "returns#term", "returns#term"])
    assert (found["method"], found["level"], found["ranks"]) == ("ids", "section", [2])
    assert found["reciprocal_rank"] == 0.5
    assert (found["n_retrieved"], found["n_duplicates"], found["n_unresolved"]) == (3, 1, 0)
    assert found["text_ranks"] is None
    assert found["unmeasured_reason"] is None


def test_holes_are_slots_the_snapshot_does_not_have(world: World) -> None:
    found = world.measure(["returns#term", "returns#gone", "gifts"], [])
    assert [each["n_unresolved"] for each in found] == [2, 0]
    assert found[0]["ranks"] == [1]
    share = hole_share(pl.lit(2), pl.lit(3))
    assert pl.select(share).item() == pytest.approx(2 / 3)


def test_stale_slots_are_those_of_documents_outdated_on_the_day(world: World) -> None:
    world.documents[1]["effective_until"] = TODAY - dt.timedelta(days=1)
    world.documents[2]["effective_until"] = TODAY
    (found,) = world.measure(["care#cloth", "shipping", "care#cloth", "returns#term"])
    assert found["n_stale"] == 2
    assert found["stale_ids"] == ["care#cloth"]
    assert pl.select(stale_share(pl.lit(2), pl.lit(4))).item() == 0.5


def test_forbidden_slots_are_those_of_documents_none_of_the_roles_may_read(world: World) -> None:
    world.documents[1]["access"] = ["staff", "audit"]
    world.documents[2]["access"] = ["public"]
    world.roles = ["public", "guest"]
    (found,) = world.measure(["shipping", "care#cloth", "returns#term", "care#cloth"])
    assert found["n_forbidden"] == 2
    assert found["forbidden_ids"] == ["care#cloth"]
    world.roles = ["audit"]
    assert world.measure(["care#cloth"])[0]["n_forbidden"] == 0
    assert pl.select(forbidden_share(pl.lit(1), pl.lit(0))).item() is None


def test_access_is_not_checked_for_a_case_without_roles(world: World) -> None:
    world.documents[1]["access"] = ["staff"]
    (found,) = world.measure(["care#cloth"])
    assert found["n_forbidden"] is None
    assert found["forbidden_ids"] == []


def test_without_a_snapshot_holes_stale_and_forbidden_are_unmeasured_and_ranks_are_not(
    world: World,
) -> None:
    world.documents, world.sections, world.roles = [], [], ["public"]
    (found,) = world.measure(["x", "returns#term"])
    assert (found["n_unresolved"], found["n_stale"], found["n_forbidden"]) == (None, None, None)
    assert (found["method"], found["ranks"]) == ("ids", [2])


def test_a_run_with_other_ids_is_measured_by_its_texts(world: World) -> None:
    halves = [("chunk-7", CARE), ("chunk-1", RETURNS[:20]), ("chunk-2", RETURNS[14:])]
    (found,) = world.measure(halves)
    assert (found["method"], found["ranks"], found["text_ranks"]) == ("text", [3], [3])
    assert (found["level"], found["n_groups"]) == ("section", 1)
    assert (found["grades"], found["found_grades"]) == ([1], [1])
    assert found["reciprocal_rank"] == pytest.approx(1 / 3)
    assert found["n_unresolved"] == 3
    assert (found["n_stale"], found["n_forbidden"]) == (None, None)


def test_a_text_that_is_not_there_is_a_miss(world: World) -> None:
    found = world.measure([("chunk-7", CARE)], [])
    assert [each["ranks"] for each in found] == [[None], [None]]
    assert [each["unmeasured_reason"] for each in found] == [None, None]


def test_other_ids_without_any_text_are_unmeasured_not_misses(world: World) -> None:
    found, empty = world.measure(["chunk-7", "chunk-8"], [])
    assert (found["ranks"], found["text_ranks"], found["found_grades"]) == (None, None, None)
    assert found["unmeasured_reason"] == "ids_not_in_snapshot"
    assert found["reciprocal_rank"] is None
    assert (found["n_groups"], found["grades"]) == (1, [1])
    # An empty ranking is a statement, whatever the ids of the others are.
    assert (empty["ranks"], empty["unmeasured_reason"]) == ([None], None)
    assert empty["reciprocal_rank"] == 0.0


def test_a_slot_without_text_leaves_open_what_the_others_do_not_hold(world: World) -> None:
    open_, found = world.measure([("chunk-1", CARE), "chunk-2"], [("chunk-3", RETURNS), "chunk-2"])
    assert (open_["ranks"], open_["unmeasured_reason"]) == (None, "text_missing")
    assert (found["ranks"], found["unmeasured_reason"]) == ([1], None)


def test_the_run_decides_how_its_items_are_measured(world: World) -> None:
    one_in_ten = ["returns#term", *(f"chunk-{n}" for n in range(9))]
    fewer = [*one_in_ten, "chunk-9"]
    by_id, by_text = world.measure(
        one_in_ten, [(each, RETURNS) for each in fewer], runs=("night", "day")
    )
    assert (by_id["method"], by_id["ranks"]) == ("ids", [1])
    assert by_text["method"] == "text"
    second, first = world.measure(["chunk-1", "returns#term"], [("chunk-2", RETURNS)])
    assert (second["method"], second["ranks"]) == ("ids", [2])
    assert (first["method"], first["ranks"]) == ("ids", [None])


def test_an_id_that_does_resolve_lends_its_snapshot_text(world: World) -> None:
    chunks = [(f"chunk-{number}", CARE) for number in range(12)]
    (found,) = world.measure([*chunks, "returns#term"])
    assert (found["method"], found["ranks"]) == ("text", [13])


def test_a_quote_stands_for_its_section(world: World) -> None:
    world.quotes = ["到着後十四日以内"]
    (found,) = world.measure(
        [("chunk-1", "返品できます。"), ("chunk-2", "到着後 十四日以内です。")]
    )
    assert found["ranks"] == [2]


def test_quotes_count_for_the_group_they_are_from(world: World) -> None:
    world.gold = [["returns#term"], ["care#cloth"]]
    world.quotes = ["柔らかい布で乾拭き"]
    (found,) = world.measure([("chunk-1", "柔らかい布で乾拭き"), ("chunk-2", RETURNS)])
    assert found["ranks"] == [2, 1]


def test_a_quote_that_is_in_no_gold_text_is_taken_as_it_is_where_there_is_one_group(
    world: World,
) -> None:
    world.quotes = ["返品は二週間まで"]
    (found,) = world.measure([("chunk-1", RETURNS), ("chunk-2", "返品は二週間までです")])
    assert found["ranks"] == [2]
    world.gold = [["returns#term"], ["care#cloth"]]
    (found,) = world.measure([("chunk-1", RETURNS), ("chunk-2", "返品は二週間までです")])
    assert found["ranks"] == [1, None]


def test_any_alternative_covers_a_group_by_text(world: World) -> None:
    world.gold = [["care#cloth", "shipping"]]
    (found,) = world.measure([("chunk-1", RETURNS), ("chunk-2", SHIPPING.upper())])
    assert (found["ranks"], found["level"]) == ([2], "document")


def test_gold_that_names_a_document_is_covered_by_any_of_its_sections(world: World) -> None:
    world.sections.append(
        {"doc_id": "returns", "section_id": "cost", "text": "返送料は五百円です。", "position": 2}
    )
    world.gold = [["returns"]]
    (found,) = world.measure([("chunk-1", CARE), ("chunk-2", "返送料は五百円です。")])
    assert found["ranks"] == [2]


def test_gold_without_a_text_is_open_by_text(world: World) -> None:
    world.gold = [["gone"]]
    (found,) = world.measure([("chunk-1", CARE)])
    assert (found["ranks"], found["unmeasured_reason"]) == (None, "text_missing")


def test_a_case_without_gold_has_no_ranks_by_any_method(world: World) -> None:
    world.gold = []
    (found,) = world.measure([("chunk-1", CARE)])
    assert (found["ranks"], found["n_groups"], found["level"]) == ([], 0, None)
    assert found["method"] == "text"
    assert found["reciprocal_rank"] is None
