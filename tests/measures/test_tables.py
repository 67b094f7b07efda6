"""The measure tables put together: which items are measured, and what makes their gold doubtful."""

import datetime as dt
from collections import Counter
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.measures import (
    MEASURE_VERSION,
    behavior,
    citations,
    groundedness,
    tables,
)
from rag_eval_pipeline.measures.claims import matrix
from rag_eval_pipeline.measures.tables import (
    Index,
    Reference,
    measurable,
    retrieval_measures,
    text_measures,
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
        self.claims: list[dict[str, Any]] = []
        self.ranking = ["fee-v1"]
        self.texts: dict[str, str] = {}
        self.snapshot: dict[str, str] = {}
        self.trials = 1
        self.indexed: str | None = None
        self.indexes: dict[str, Index] = {}

    @property
    def reference(self) -> Reference:
        gold = [
            {"case_id": "q", "group_no": number, "evidence_id": each, "doc_id": each}
            for number, each in enumerate(self.gold, start=1)
        ]
        return Reference(
            self.rows_of("cases", self.case),
            self.rows_of("case_evidence", *({"resolved": True} | each for each in gold)),
            self.rows_of("case_claims", *({"case_id": "q", **each} for each in self.claims)),
            self.rows_of("documents", *self.documents),
            self.rows_of(
                "sections",
                *({"doc_id": name, "text": text} for name, text in self.snapshot.items()),
            ),
            self.indexes.get,
        )

    def measured(self) -> pl.DataFrame:
        tries = ({**self.item, "trial": number} for number in range(1, self.trials + 1))
        items = self.rows_of("run_items", *tries)
        return measurable(
            items.with_columns(
                fallback_day=pl.lit(self.fallback_day),
                indexed_snapshot=pl.lit(self.indexed, pl.String),
            ),
            self.reference,
        )

    def retrieved(self) -> pl.DataFrame:
        slots = [
            {
                **RUN,
                "case_id": "q",
                "trial": trial,
                "position": number,
                "evidence_id": each,
                "doc_id": each,
                "text": self.texts.get(each),
            }
            for trial in range(1, self.trials + 1)
            for number, each in enumerate(self.ranking, start=1)
        ]
        return self.rows_of("retrieved", *slots)

    def retrieval(self) -> dict[str, Any]:
        found = retrieval_measures(self.measured(), self.retrieved(), self.reference)
        assert violations("retrieval_measures", found) == []
        return found.row(0, named=True)

    def of_texts(self) -> dict[str, pl.DataFrame]:
        found = text_measures(self.measured(), self.retrieved(), self.reference)
        for table, rows in found.items():
            assert violations(table, rows) == [], table
        return found

    def answer(self) -> dict[str, Any]:
        return self.of_texts()["answer_measures"].row(0, named=True)

    def behavior(self) -> dict[str, Any]:
        return self.of_texts()["behavior_measures"].row(0, named=True)

    def verdicts(self, **of: str) -> list[tuple[str, str]]:
        """Claim id and verdict of the rows that have these values."""
        rows = self.of_texts()["claim_verdicts"].filter(**of)
        return rows.select("claim_id", "verdict").rows()


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


def test_three_tables_come_from_the_texts_with_the_keys_of_the_item(world: World) -> None:
    found = world.of_texts()
    assert set(found) == {"claim_verdicts", "answer_measures", "behavior_measures"}
    for rows in found.values():
        assert set(rows["measure_version"]) == {MEASURE_VERSION}
        assert rows.select("dataset_hash", "run_hash").unique().rows() == [("gold-1", "rows-1")]


def test_what_is_known_of_a_plain_answer(world: World) -> None:
    row = world.answer()
    assert row["exact_match"] is True
    assert row["source_match"] is True
    assert row["malformed_fields"] == []
    assert row["system_error"] is False


def test_a_logged_error_is_a_system_error_whatever_else_the_item_holds(world: World) -> None:
    world.item["error"] = "timeout"
    assert world.answer()["system_error"] is True


def test_written_claims_are_judged_and_an_accepted_answer_stands_in_for_them(world: World) -> None:
    assert world.verdicts(kind="derived", target="answer") == [("a1", "supported")]
    world.item["answer"] = "送料は800円です。"
    world.claims = [
        {"claim_id": "fee", "kind": "required", "text": "送料は500円", "importance": "vital"},
        {"claim_id": "wrong", "kind": "forbidden", "text": "送料は800円", "importance": "vital"},
    ]
    assert world.verdicts(kind="derived") == []
    assert world.verdicts(target="answer") == [("fee", "contradicted"), ("wrong", "supported")]
    row = world.answer()
    assert (row["completeness"], row["correctness"], row["n_violations"]) == (0.0, 0.0, 1)


def test_a_value_stands_on_the_logged_text_else_on_that_of_the_snapshot(world: World) -> None:
    world.snapshot = {"fee-v1": "送料は500円です。"}
    row = world.answer()
    assert (row["context_from"], row["value_groundedness"]) == ("snapshot", 1.0)
    world.texts = {"fee-v1": "送料は700円です。"}
    world.case["reference_answer"] = None
    row = world.answer()
    assert (row["context_from"], row["value_groundedness"]) == ("logged", 0.0)
    assert row["ungrounded_values"] == ["500円"]


def test_a_right_value_that_was_not_retrieved_is_self_knowledge_and_not_without_ground(
    world: World,
) -> None:
    world.texts = {"fee-v1": "送料は地域によります。"}
    row = world.answer()
    assert row["self_knowledge_values"] == ["500円"]
    assert (row["ungrounded_values"], row["value_groundedness"]) == ([], 1.0)


def test_without_any_text_a_value_is_open_and_not_without_ground(world: World) -> None:
    world.case["reference_answer"] = None
    row = world.answer()
    assert row["open_values"] == ["500円"]
    assert (row["value_groundedness"], row["context_from"]) == (None, None)


def test_a_value_that_only_an_outdated_document_has_is_stale(world: World) -> None:
    world.snapshot = {"fee-v1": "送料は500円です。", "fee-v2": "送料は600円です。"}
    world.ranking = ["fee-v1", "fee-v2"]
    assert world.answer()["stale_values"] == []
    world.item["local_date"] = OCTOBER
    row = world.answer()
    assert row["stale_values"] == ["500円"]
    assert row["ungrounded_values"] == []


def test_an_answer_that_is_not_of_the_kind_asked_for_does_not_fit_the_question(
    world: World,
) -> None:
    world.case["question"] = "送料はいくらですか。"
    assert world.answer()["answers_question"] is None
    world.item["answer"] = "送料は地域によります。"
    assert world.answer()["answers_question"] is False


def test_what_a_run_never_logs_is_null_and_what_one_item_lacks_is_not(world: World) -> None:
    world.case["reference_answer"] = None
    world.item |= {"retrieved_type": "absent"}
    world.ranking = []
    row = world.answer()
    assert "retrieved" in row["not_logged"]
    assert (row["n_values"], row["ungrounded_values"]) == (None, [])
    world.item |= {"retrieved_type": "list"}
    row = world.answer()
    assert "retrieved" not in row["not_logged"]
    assert (row["n_values"], row["value_groundedness"]) == (1, 0.0)


def test_a_value_the_question_has_is_echoed_whether_logged_or_of_the_case(world: World) -> None:
    world.case |= {"question": "500円ですか。", "reference_answer": None}
    world.ranking = []
    assert world.answer()["echoed_values"] == ["500円"]
    world.item["question"] = "いくらですか。"
    row = world.answer()
    assert (row["echoed_values"], row["ungrounded_values"]) == ([], ["500円"])


def test_the_system_s_own_status_stands_beside_what_its_wording_tells(world: World) -> None:
    world.item |= {"status": "clarify"}
    row = world.behavior()
    assert row["expected_status"] == row["pattern_status"] == "answer"
    assert row["observed_status"] == "clarify"
    assert row["status_from"] == "logged"
    assert row["status_match"] is False


def test_each_distinct_text_is_read_once_however_many_items_hold_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, answer = "送料はいくらですか。", "送料は500円です。配送は3日以内です。[1]"
    document, claim = "送料は500円、配送は3日以内。", "送料は500円"
    world.case["question"] = question
    world.item["answer"] = answer
    world.claims = [{"claim_id": "fee", "kind": "required", "text": claim, "importance": "vital"}]
    world.texts = {"fee-v1": document}
    world.trials = 50
    read: dict[str, Counter[str]] = {}

    def count(module: Any, name: str) -> None:
        rule, of_rule = getattr(module, name), read.setdefault(name, Counter())

        def counted(text: str, *rest: Any, **options: Any) -> Any:
            of_rule[text] += 1
            return rule(text, *rest, **options)

        monkeypatch.setattr(module, name, counted)

    count(matrix, "parse")
    count(groundedness, "values")
    count(citations, "citation_marks")
    count(behavior, "read_status")
    count(tables, "answers_kind")
    found = world.of_texts()

    assert found["answer_measures"].height == 50
    assert found["answer_measures"]["value_groundedness"].to_list() == [1.0] * 50
    for name, texts in read.items():
        assert set(texts.values()) == {1}, name
    bare = answer.replace("[1]", "   ")
    # Claims of the answer are held against the gold and against what was retrieved.
    assert set(read["parse"]) == {question, bare, document, claim, "500円"}
    assert set(read["values"]) == {question, bare, document, claim}
    for name in ("citation_marks", "read_status"):
        assert set(read[name]) == {answer}, name
    assert set(read["answers_kind"]) == {question}
