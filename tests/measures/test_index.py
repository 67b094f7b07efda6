"""What holes, outdated slots and texts are judged on: the run's own index where it is held."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.measures.tables import Index
from tests.measures.test_tables import APRIL, OCTOBER, World

RowsOf = Callable[..., pl.DataFrame]


def index_of(rows_of: RowsOf, *documents: dict[str, Any]) -> Index:
    """A snapshot whose documents have one text each."""
    described = [{key: value for key, value in each.items() if key != "text"} for each in documents]
    return Index(
        rows_of("documents", *(each | {"sha256": each["doc_id"]} for each in described)),
        rows_of(
            "sections",
            *(
                {
                    "doc_id": each["doc_id"],
                    "section_id": None,
                    "heading": None,
                    "text": each["text"],
                    "sha256": each["text"],
                }
                for each in documents
            ),
        ),
    )


@pytest.fixture
def world(rows_of: RowsOf) -> World:
    """Gold is `fee`, pinned as it reads from October; the run's index has what held from April."""
    world = World(rows_of)
    world.case |= {"snapshot_id": "pinned", "draft": False, "reference_answer": "600円"}
    world.item |= {"source": "fee", "source_doc_id": "fee", "answer": "送料は500円です。",
                   "local_date": OCTOBER}  # fmt: skip
    world.documents = [
        {"doc_id": "fee", "effective_from": OCTOBER, "sha256": "new", "lifecycle": "active"}
    ]
    world.snapshot = {"fee": "送料は600円です。"}
    world.gold = ["fee"]
    world.ranking = ["fee", "gone"]
    world.indexes = {
        "older": index_of(
            rows_of,
            {"doc_id": "fee", "effective_from": APRIL, "text": "送料は500円です。"},
            {"doc_id": "gone", "lifecycle": "expired", "text": "電話は9時から17時までです。"},
        )
    }
    world.indexed = "older"
    return world


def test_a_run_whose_index_is_held_is_judged_on_it(world: World) -> None:
    found = world.retrieval()
    assert found["index_basis"] == "indexed"
    assert found["measure_version"] == f"{MEASURE_VERSION}+index:older"
    assert found["n_unresolved"] == 0
    assert (found["n_stale"], found["stale_ids"]) == (1, ["gone"])
    # Gold is still judged on the pinned snapshot.
    assert found["ranks"] == [1]
    assert found["gold_problem"] is None


@pytest.mark.parametrize(
    ("indexed", "basis"),
    [("pinned", "pinned"), (None, "index_unknown"), ("elsewhere", "index_not_held")],
)
def test_any_other_run_is_judged_on_the_pinned_snapshot_and_says_why(
    world: World, indexed: str | None, basis: str
) -> None:
    world.indexed = indexed
    found = world.retrieval()
    assert found["index_basis"] == basis
    assert found["measure_version"] == MEASURE_VERSION
    assert (found["n_unresolved"], found["n_stale"]) == (1, 0)
    assert found["stale_source"] is None
    # The text of a slot the pinned snapshot lacks is not known, and the value may stand in it.
    assert world.answer()["open_values"] == ["500円"]


def test_without_a_knowledge_base_there_is_nothing_to_judge_on(world: World) -> None:
    world.case["snapshot_id"] = None
    world.documents, world.snapshot, world.indexed = [], {}, "older"
    found = world.retrieval()
    assert found["index_basis"] is None
    assert found["measure_version"] == MEASURE_VERSION


def test_texts_that_were_not_logged_are_those_of_the_index(world: World) -> None:
    found = world.answer()
    assert found["context_from"] == "snapshot"
    assert found["ungrounded_values"] == []
    assert found["value_groundedness"] == 1.0


def test_a_value_of_an_older_version_of_a_document_is_stale_once_the_new_one_holds(
    world: World,
) -> None:
    assert world.answer()["stale_values"] == ["500円"]
    assert world.retrieval()["stale_source"] == "fee"
    world.item["local_date"] = OCTOBER - dt.timedelta(days=1)
    assert world.answer()["stale_values"] == []
    assert world.retrieval()["stale_source"] is None


def test_an_index_that_is_ahead_of_the_pinned_snapshot_is_not_stale(world: World) -> None:
    world.documents[0]["effective_from"] = dt.date(2025, 1, 1)
    assert world.answer()["stale_values"] == []
    assert world.retrieval()["stale_source"] is None


def test_runs_of_several_indexes_are_judged_each_on_its_own(world: World, rows_of: RowsOf) -> None:
    from rag_eval_pipeline.measures.tables import (
        measurable,
        retrieval_measures,
        text_measures,
    )

    world.indexes["newer"] = index_of(
        rows_of, {"doc_id": "fee", "effective_from": OCTOBER, "text": "送料は600円です。"}
    )
    names = {"a": "older", "b": "newer", "c": None}
    items = [
        rows_of("run_items", world.item | {"run_id": run_id}).with_columns(
            fallback_day=pl.lit(APRIL), indexed_snapshot=pl.lit(name, pl.String)
        )
        for run_id, name in names.items()
    ]
    measured = measurable(pl.concat(items), world.reference)
    slots = pl.concat([world.retrieved().with_columns(run_id=pl.lit(run_id)) for run_id in names])
    found = retrieval_measures(measured, slots, world.reference)
    assert found.select("run_id", "index_basis", "n_unresolved", "stale_source").rows() == [
        ("a", "indexed", 0, "fee"),
        ("b", "indexed", 1, None),
        ("c", "index_unknown", 1, None),
    ]
    answers = text_measures(measured, slots, world.reference)["answer_measures"]
    assert answers.select("run_id", "stale_values").rows() == [
        ("a", ["500円"]), ("b", []), ("c", [])]  # fmt: skip
