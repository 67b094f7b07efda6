from collections.abc import Sequence
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.knowledge.evidence_ids import KnownIds, split_id
from rag_eval_pipeline.measures import citations
from rag_eval_pipeline.measures.citations import citation_facts

SECTIONS = ("fees#s1", "fees#s2", "trips#s1", "leave#s1")
KNOWN = KnownIds(
    documents=frozenset({"fees", "trips", "leave"}),
    sections=frozenset((each.split("#")[0], each.split("#")[1]) for each in SECTIONS),
    held=True,
)
NO_SNAPSHOT = KnownIds(frozenset(), frozenset(), held=False)
ITEM = {"run_id": pl.String, "case_id": pl.String, "trial": pl.Int64}
Gold = Sequence[Sequence[str]]


def facts(
    answer: str | None = None,
    *,
    source: str | None = None,
    cited: Sequence[str] = (),
    retrieved: Sequence[str] = (),
    gold: Gold = (),
    known: KnownIds = KNOWN,
) -> dict[str, object]:
    items = pl.DataFrame(
        [("r", "q", 1, source, list(cited), answer)],
        schema={
            **ITEM,
            "source": pl.String,
            "citations": pl.List(pl.String),
            "answer": pl.String,
        },
        orient="row",
    )
    slots = pl.DataFrame(
        [
            ("r", "q", 1, place, each, *split_id(each, known)[:2])
            for place, each in enumerate(retrieved, start=1)
        ],
        schema={
            **ITEM,
            "position": pl.Int64,
            "evidence_id": pl.String,
            "doc_id": pl.String,
            "section_id": pl.String,
        },
        orient="row",
    )
    evidence = pl.DataFrame(
        [
            ("q", number, each, *split_id(each, known)[:2])
            for number, group in enumerate(gold, start=1)
            for each in group
        ],
        schema={
            "case_id": pl.String,
            "group_no": pl.Int64,
            "evidence_id": pl.String,
            "doc_id": pl.String,
            "section_id": pl.String,
        },
        orient="row",
    )
    found = citation_facts(items, slots, evidence, known)
    assert found.height == 1
    row: dict[str, object] = found.row(0, named=True)
    return row


def test_a_number_is_a_place_in_the_ranking() -> None:
    row = facts("a [2]。b [1, 2]", retrieved=["fees#s1", "trips#s1"])
    assert row["cited"] == ["trips#s1", "fees#s1"]
    assert row["n_citations"] == 2
    assert row["cited_not_retrieved"] == row["cited_unresolved"] == []


def test_an_id_of_that_name_comes_before_the_place() -> None:
    row = facts("a [2]", retrieved=["2", "1"], known=NO_SNAPSHOT)
    assert row["cited"] == ["2"]


@pytest.mark.parametrize("mark", ["[0]", "[3]", "[unread.pdf]"])
def test_a_mark_that_points_at_nothing_is_unresolved(mark: str) -> None:
    row = facts(f"a {mark}", retrieved=["fees#s1", "trips#s1"])
    assert row["cited_unresolved"] == row["cited_not_retrieved"] == [mark[1:-1]]


def test_an_id_of_the_snapshot_is_resolved_though_it_was_not_retrieved() -> None:
    row = facts("a [leave#s1]", retrieved=["fees#s1"])
    assert row["cited_not_retrieved"] == ["leave#s1"]
    assert row["cited_unresolved"] == []


def test_source_and_citations_are_ids_and_never_places() -> None:
    row = facts("a", source="fees#s1", cited=["1", "fees#s1"], retrieved=["fees#s1"])
    assert row["cited"] == ["fees#s1", "1"]
    assert row["cited_unresolved"] == ["1"]


def test_a_plain_word_in_brackets_cites_only_what_is_known() -> None:
    row = facts("a [trips] b [optional]", retrieved=["fees#s1"])
    assert row["cited"] == ["trips"]


def test_a_document_matches_its_sections_and_a_section_no_other() -> None:
    assert facts("a [fees]", retrieved=["fees#s2"])["cited_not_retrieved"] == []
    assert facts("a [fees#s1]", retrieved=["fees#s2"])["cited_not_retrieved"] == ["fees#s1"]


def test_precision_and_recall_count_ids_and_groups() -> None:
    row = facts(
        "a [fees#s1] b [leave#s1] c [trips#s1]",
        retrieved=SECTIONS,
        gold=[["fees#s1", "fees#s2"], ["trips#s1"], ["leave"]],
    )
    assert (row["citation_precision"], row["citation_recall"]) == (1.0, 1.0)
    row = facts("a [fees#s2] b [leave#s1]", retrieved=SECTIONS, gold=[["fees#s2"], ["trips#s1"]])
    assert (row["citation_precision"], row["citation_recall"]) == (0.5, 0.5)
    assert row["cited_not_gold"] == ["leave#s1"]


def test_two_alternatives_of_one_group_cover_it_once() -> None:
    row = facts("a [fees#s1][fees#s2]", gold=[["fees#s1", "fees#s2"], ["trips#s1"]])
    assert (row["citation_precision"], row["citation_recall"]) == (1.0, 0.5)


def test_the_source_is_acceptable_by_document() -> None:
    assert facts("a", source="fees#s2", gold=[["fees#s1"]])["source_acceptable"] is True
    assert facts("a [fees]", source="trips", gold=[["fees#s1"]])["source_acceptable"] is True
    assert facts("a", source="trips", gold=[["fees#s1"]])["source_acceptable"] is False


def test_without_gold_nothing_is_judged() -> None:
    row = facts("a [fees#s1]", retrieved=["fees#s1"])
    assert row["citation_precision"] is row["citation_recall"] is row["source_acceptable"] is None
    assert row["cited_not_gold"] == []


@pytest.mark.parametrize("answer", [None, "", "a"])
def test_who_cites_nothing_has_no_precision(answer: str | None) -> None:
    row = facts(answer, retrieved=["fees#s1"], gold=[["fees#s1"]])
    assert row["cited"] == []
    assert row["n_citations"] == 0
    assert (row["citation_precision"], row["citation_recall"]) == (None, 0.0)
    assert row["source_acceptable"] is False


def test_each_distinct_answer_is_read_once_and_items_keep_their_order() -> None:
    items = pl.DataFrame(
        {
            "run_id": ["r"] * 6,
            "case_id": ["c", "a", "b", "c", "a", "b"],
            "trial": [1, 1, 1, 2, 2, 2],
            "source": pl.Series([None] * 6, dtype=pl.String),
            "citations": pl.Series([[]] * 6, dtype=pl.List(pl.String)),
            "answer": ["x [fees]", "y", "x [fees]", "y", "x [fees]", None],
        }
    )
    slots = pl.DataFrame(
        schema={
            **ITEM,
            "position": pl.Int64,
            "evidence_id": pl.String,
            "doc_id": pl.String,
            "section_id": pl.String,
        }
    )
    evidence = pl.DataFrame(
        schema={
            "case_id": pl.String,
            "group_no": pl.Int64,
            "evidence_id": pl.String,
            "doc_id": pl.String,
            "section_id": pl.String,
        }
    )
    with patch.object(citations, "citation_marks", wraps=citations.citation_marks) as read:
        found = citation_facts(items, slots, evidence, KNOWN)
    assert sorted(call.args[0] for call in read.call_args_list) == ["", "x [fees]", "y"]
    assert found.select(*ITEM).equals(items.select(*ITEM))
    assert found["n_citations"].to_list() == [1, 0, 1, 0, 1, 0]


IDS = st.sampled_from([*SECTIONS, "fees", "trips", "nowhere#s9"])


@given(
    cited=st.lists(IDS, max_size=5),
    retrieved=st.lists(IDS, max_size=5, unique=True),
    gold=st.lists(st.lists(IDS, min_size=1, max_size=2, unique=True), max_size=3),
)
def test_the_measures_agree_with_their_definitions(
    cited: list[str], retrieved: list[str], gold: list[list[str]]
) -> None:
    def matches(left: str, right: str) -> bool:
        document, _, section = left.partition("#")
        other, _, part = right.partition("#")
        return document == other and (not section or not part or section == part)

    distinct = list(dict.fromkeys(cited))
    right = [each for each in distinct if any(matches(each, g) for group in gold for g in group)]
    covered = [g for g in gold if any(matches(each, other) for each in distinct for other in g)]
    row = facts("a", cited=cited, retrieved=retrieved, gold=gold)
    assert row["cited"] == distinct
    assert row["cited_not_retrieved"] == [
        each for each in distinct if not any(matches(each, slot) for slot in retrieved)
    ]
    assert row["citation_precision"] == (
        pytest.approx(len(right) / len(distinct)) if gold and distinct else None
    )
    assert row["citation_recall"] == (pytest.approx(len(covered) / len(gold)) if gold else None)
