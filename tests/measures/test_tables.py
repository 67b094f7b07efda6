"""The measure tables put together: which items are measured, and what makes their gold doubtful."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.measures.tables import (
    Reference,
    answer_measures,
    behavior_measures,
    measurable,
    retrieval_measures,
)
from rag_eval_pipeline.tables.contract import violations

RowsOf = Callable[..., pl.DataFrame]
KEYS = {"dataset_version": "faq@v1", "dataset_hash": "gold-1"}
RUN = {"dataset_version": "faq@v1", "run_id": "night", "run_hash": "rows-1"}
APRIL, OCTOBER = dt.date(2026, 4, 1), dt.date(2026, 10, 1)


class World:
    """A dataset of one case `q` and one run item for it, changed by the test where it matters."""

    def __init__(self, rows_of: RowsOf) -> None:
        self.rows_of = rows_of
        self.case: dict[str, Any] = {
            **KEYS,
            "case_id": "q",
            "reference_answer": "500円",
            "expected_status": "answer",
            "accepted_statuses": ["answer"],
            "lifecycle": "approved",
        }
        self.item: dict[str, Any] = {
            **RUN,
            "case_id": "q",
            "answer": "500円",
            "status": "answer",
            "source": "fee-v1",
            "source_doc_id": "fee-v1",
            "retrieved_type": "list",
            "answer_type": "text",
            "source_type": "text",
            "status_type": "text",
            "local_date": APRIL,
        }
        self.fallback_day = APRIL
        self.documents: list[dict[str, Any]] = [
            {"doc_id": "fee-v1", "effective_until": dt.date(2026, 9, 30), "lifecycle": "active"},
            {"doc_id": "fee-v2", "effective_from": OCTOBER, "lifecycle": "active"},
        ]
        self.gold = ["fee-v1"]
        self.ranking = ["fee-v1"]

    @property
    def reference(self) -> Reference:
        gold = [
            {"case_id": "q", "group_no": number, "evidence_id": each, "doc_id": each}
            for number, each in enumerate(self.gold, start=1)
        ]
        return Reference(
            self.rows_of("cases", self.case),
            self.rows_of("case_evidence", *({"resolved": True} | each for each in gold)),
            self.rows_of("documents", *self.documents),
        )

    def measured(self) -> pl.DataFrame:
        items = self.rows_of("run_items", self.item)
        return measurable(
            items.with_columns(fallback_day=pl.lit(self.fallback_day)), self.reference
        )

    def retrieval(self) -> dict[str, Any]:
        slots = [
            {**RUN, "case_id": "q", "position": number, "evidence_id": each, "doc_id": each}
            for number, each in enumerate(self.ranking, start=1)
        ]
        found = retrieval_measures(
            self.measured(), self.rows_of("retrieved", *slots), self.reference
        )
        assert violations("retrieval_measures", found) == []
        return found.row(0, named=True)


@pytest.fixture
def world(rows_of: RowsOf) -> World:
    return World(rows_of)


def test_an_item_carries_the_keys_of_its_gold_run_and_rules(world: World) -> None:
    found = world.retrieval()
    assert found["dataset_hash"] == "gold-1"
    assert (found["run_id"], found["run_hash"]) == ("night", "rows-1")
    assert found["measure_version"] == MEASURE_VERSION


@pytest.mark.parametrize("lifecycle", ["draft", "retired"])
def test_cases_that_are_not_approved_are_not_measured(world: World, lifecycle: str) -> None:
    world.case["lifecycle"] = lifecycle
    assert world.measured().is_empty()


def test_ranks_and_reciprocal_rank_stand_side_by_side(world: World) -> None:
    world.ranking = ["other", "fee-v1"]
    found = world.retrieval()
    assert found["group_ranks"] == [2]
    assert found["reciprocal_rank"] == 0.5
    assert found["level"] == "document"


def test_gold_is_judged_on_the_day_of_the_item_its_last_valid_day_included(world: World) -> None:
    world.item["local_date"] = dt.date(2026, 9, 30)
    assert world.retrieval()["gold_problem"] is None
    world.item["local_date"] = OCTOBER
    assert world.retrieval()["gold_problem"] == "expired: fee-v1 held until 2026-09-30"


def test_the_case_s_own_day_comes_first_and_the_fallback_last(world: World) -> None:
    world.case["as_of"] = APRIL
    world.item["local_date"] = OCTOBER
    assert world.retrieval()["gold_problem"] is None
    world.case["as_of"] = world.item["local_date"] = None
    assert world.retrieval()["gold_problem"] is None
    world.fallback_day = OCTOBER
    assert world.retrieval()["gold_problem"] is not None


def test_a_cited_document_that_is_expired_and_was_retrieved_is_stale(world: World) -> None:
    assert world.retrieval()["stale_source"] is None
    world.item["local_date"] = OCTOBER
    assert world.retrieval()["stale_source"] == "fee-v1"
    world.ranking = ["fee-v2"]
    assert world.retrieval()["stale_source"] is None


def test_a_document_is_stale_once_its_successor_is_valid(world: World) -> None:
    world.documents = [
        {"doc_id": "fee-v1", "lifecycle": "active"},
        {
            "doc_id": "fee-v2",
            "effective_from": OCTOBER,
            "supersedes": ["fee-v1"],
            "lifecycle": "active",
        },
    ]
    assert world.retrieval()["stale_source"] is None
    world.item["local_date"] = OCTOBER
    assert world.retrieval()["stale_source"] == "fee-v1"


def test_without_documents_nothing_is_stale_or_in_doubt(world: World) -> None:
    world.documents = []
    world.item["local_date"] = OCTOBER
    found = world.retrieval()
    assert found["stale_source"] is None
    assert found["gold_problem"] is None


def test_answer_facts(world: World) -> None:
    found = answer_measures(world.measured(), world.reference)
    assert violations("answer_measures", found) == []
    row = found.row(0, named=True)
    assert row["exact_match"] is True
    assert row["source_match"] is True
    assert row["malformed_fields"] == []
    assert row["system_error"] is False


def test_a_logged_error_is_a_system_error_whatever_else_the_item_holds(world: World) -> None:
    world.item["error"] = "timeout"
    assert answer_measures(world.measured(), world.reference)["system_error"].to_list() == [True]


def test_behavior_facts(world: World) -> None:
    world.item["status"] = "clarify"
    found = behavior_measures(world.measured())
    assert violations("behavior_measures", found) == []
    assert found.select("expected_status", "observed_status", "status_match").row(0) == (
        "answer",
        "clarify",
        False,
    )
