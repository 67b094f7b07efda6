"""Ranks of gold groups, checked against a plain Python reading of the rules."""

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rag_eval_pipeline.measures.retrieval import matches
from rag_eval_pipeline.measures.retrieval import ranks as ranks_module
from rag_eval_pipeline.measures.retrieval.ranks import group_ranks, list_ranks

ITEMS = {"run_id": pl.String, "case_id": pl.String, "trial": pl.Int64}
SLOTS = ITEMS | {
    "position": pl.Int64,
    "evidence_id": pl.String,
    "doc_id": pl.String,
    "section_id": pl.String,
}
GOLD = {
    "case_id": pl.String,
    "group_no": pl.Int64,
    "evidence_id": pl.String,
    "doc_id": pl.String,
    "section_id": pl.String,
    "grade": pl.Int64,
}

Rankings = dict[str, list[str]]
# Groups of gold ids; an id may have a grade.
Groups = list[list[str | tuple[str, int]]]


def parts(evidence_id: str) -> tuple[str, str | None]:
    document, _, section = evidence_id.partition("#")
    return document, section or None


def graded(entry: str | tuple[str, int]) -> tuple[str, int]:
    return entry if isinstance(entry, tuple) else (entry, 1)


def measure(rankings: Rankings, gold: dict[str, Groups]) -> dict[str, dict[str, object]]:
    """Measures by case of one run; `rankings` and `gold` are by case."""
    items = pl.DataFrame([("r", case, 1) for case in rankings], schema=ITEMS, orient="row")
    slots = [
        ("r", case, 1, position, each, *parts(each))
        for case, ranking in rankings.items()
        for position, each in enumerate(ranking, start=1)
    ]
    evidence = [
        (case, number, each, *parts(each), grade)
        for case, groups in gold.items()
        for number, group in enumerate(groups, start=1)
        for each, grade in map(graded, group)
    ]
    found = group_ranks(
        items,
        pl.DataFrame(slots, schema=SLOTS, orient="row"),
        pl.DataFrame(evidence, schema=GOLD, orient="row"),
    )
    assert found.select(*ITEMS).equals(items)
    return {row["case_id"]: row for row in found.iter_rows(named=True)}


def ranks(ranking: list[str], groups: Groups, column: str = "group_ranks") -> object:
    return measure({"q": ranking}, {"q": groups})["q"][column]


def test_a_group_is_ranked_at_its_first_slot() -> None:
    assert ranks(["a", "b", "c"], [["c"]]) == [3]
    assert ranks(["a", "b"], [["c"]]) == [None]


def test_a_repeated_id_keeps_its_place_and_earns_nothing() -> None:
    found = measure({"q": ["a", "a", "b"]}, {"q": [["a"], ["b"]]})["q"]
    assert found["group_ranks"] == [1, 3]
    assert (found["n_retrieved"], found["n_duplicates"]) == (3, 1)


def test_any_alternative_covers_a_group() -> None:
    assert ranks(["x", "b", "a"], [["a", "b"]]) == [2]


def test_one_slot_may_cover_several_groups() -> None:
    assert ranks(["a"], [["a", "b"], ["a", "c"]]) == [1, 1]


def test_a_section_counts_only_where_gold_and_slot_both_name_one() -> None:
    assert ranks(["d#2", "d#1"], [["d#1"]]) == [2]
    assert ranks(["x", "d"], [["d#1"]]) == [2]
    assert ranks(["x", "d#2"], [["d"]]) == [2]
    assert ranks(["d#10"], [["d#1"]]) == [None]


def test_whole_ids_and_documents_are_ranked_apart() -> None:
    found = measure({"q": ["d#2", "d", "d#1"]}, {"q": [["d#1"]]})["q"]
    assert found["section_ranks"] == [3]
    assert found["document_ranks"] == [1]
    assert found["group_ranks"] == [2]


def test_level_is_section_only_where_gold_and_run_both_have_sections() -> None:
    both = measure({"q": ["d#1"], "w": ["e"]}, {"q": [["d#1"]], "w": [["e"]]})
    assert both["q"]["level"] == "section"
    assert both["w"]["level"] == "document"
    assert measure({"q": ["d"]}, {"q": [["d#1"]]})["q"]["level"] == "document"
    assert measure({"q": []}, {"q": [["d#1"]]})["q"]["level"] == "document"
    assert measure({"q": ["d#1"]}, {"q": [["d#1"], ["e"]]})["q"]["level"] == "document"


def test_without_gold_there_are_no_ranks_and_no_level() -> None:
    found = measure({"q": ["a"], "w": ["b"]}, {"w": [["b"]]})["q"]
    assert found["n_groups"] == 0
    assert found["group_ranks"] == found["section_ranks"] == found["document_ranks"] == []
    assert found["level"] is None


def test_an_empty_ranking_misses_every_group() -> None:
    found = measure({"q": []}, {"q": [["a"], ["b"]]})["q"]
    assert found["group_ranks"] == [None, None]
    assert (found["n_groups"], found["n_retrieved"], found["n_duplicates"]) == (2, 0, 0)


def test_items_of_other_cases_do_not_lend_their_slots() -> None:
    found = measure({"q": ["a"], "w": ["b"]}, {"q": [["b"]], "w": [["a"]]})
    assert found["q"]["group_ranks"] == [None]
    assert found["w"]["group_ranks"] == [None]


def test_ranks_are_those_of_the_level() -> None:
    by_section = measure({"q": ["d#2", "d#1"]}, {"q": [["d#1"]]})["q"]
    assert (by_section["level"], by_section["ranks"]) == ("section", [2])
    by_document = measure({"q": ["x", "d"]}, {"q": [["d#1"]]})["q"]
    assert (by_document["level"], by_document["ranks"]) == ("document", [2])


def test_gold_that_names_a_document_is_hit_by_any_of_its_sections() -> None:
    found = measure({"q": ["a#1", "a#2", "b#1"]}, {"q": [["b"]]})["q"]
    assert (found["level"], found["ranks"]) == ("document", [3])


def test_groups_of_the_same_documents_count_once_by_document() -> None:
    found = measure({"q": ["x", "d", "e"]}, {"q": [["d#1"], ["e"], ["d#2"]]})["q"]
    assert found["level"] == "document"
    assert (found["n_groups"], found["ranks"]) == (2, [2, 3])
    assert found["document_ranks"] == [2, 3]
    assert found["group_ranks"] == [2, 3, 2]
    by_section = measure({"q": ["d#2"]}, {"q": [["d#1"], ["d#2"]]})["q"]
    assert (by_section["n_groups"], by_section["ranks"]) == (2, [None, 1])
    assert by_section["document_ranks"] == [1]


def test_a_bare_document_leaves_the_rank_of_its_section_open_where_the_run_names_sections() -> None:
    found = measure({"q": ["d", "e#1"]}, {"q": [["d#1"]]})["q"]
    assert found["level"] == "section"
    assert found["ranks"] is None
    assert found["found_grades"] is None
    assert found["unmeasured_reason"] == "no_section_ids"
    assert (found["n_groups"], found["grades"]) == (1, [1])
    named = measure({"q": ["d", "d#1"]}, {"q": [["d#1"]]})["q"]
    assert (named["ranks"], named["unmeasured_reason"]) == ([2], None)


def test_level_is_that_of_the_run_not_of_the_item() -> None:
    found = measure({"q": ["e"], "w": ["d#1"]}, {"q": [["d#1"]], "w": [["d#1"]]})
    assert found["q"]["level"] == found["w"]["level"] == "section"
    assert found["q"]["ranks"] == [None]


def test_grades_are_the_best_of_a_group_and_that_of_what_was_found() -> None:
    found = measure({"q": ["b", "a"]}, {"q": [[("a", 3), ("b", 1)], [("c", 2)]]})["q"]
    assert found["ranks"] == [1, None]
    assert found["grades"] == [3, 2]
    assert found["found_grades"] == [1, None]


def test_a_slot_that_is_two_members_at_once_has_the_better_grade() -> None:
    found = measure({"q": ["d"]}, {"q": [[("d#1", 1), ("d#2", 3)]]})["q"]
    assert (found["ranks"], found["found_grades"]) == ([1], [3])


def test_slots_may_come_in_any_order() -> None:
    rows = pl.DataFrame(
        [
            ("r", "w", 1, 1, "b", "b", None),
            ("r", "q", 1, 2, "a", "a", None),
            ("r", "w", 1, 2, "b", "b", None),
            ("r", "q", 1, 1, "x", "x", None),
        ],
        schema=SLOTS,
        orient="row",
    )
    items = pl.DataFrame([("r", "q", 1), ("r", "w", 1)], schema=ITEMS, orient="row")
    gold = pl.DataFrame(
        [("q", 1, "a", "a", None, 1), ("w", 1, "b", "b", None, 1)], schema=GOLD, orient="row"
    )
    found = group_ranks(items, rows, gold)
    assert found["ranks"].to_list() == [[2], [1]]
    assert found["n_duplicates"].to_list() == [0, 1]


def test_slots_of_items_that_are_not_measured_do_not_count() -> None:
    found = measure({"q": ["a"]}, {"q": [["a"]], "gone": [["b"]]})
    assert list(found) == ["q"]


an_id = st.sampled_from(["a", "b", "c", "a#1", "a#2", "b#1", "c#3"])
rankings = st.lists(an_id, max_size=7)
groups = st.lists(
    st.lists(an_id, min_size=1, max_size=3, unique=True), max_size=4, unique_by=frozenset
)


def paired(gold: str, slot: str) -> bool:
    (document, section), (other, part) = parts(gold), parts(slot)
    return document == other and (section is None or part is None or section == part)


def expected(ranking: list[str], group: list[str], rule: str) -> int | None:
    covers = {
        "group_ranks": paired,
        "section_ranks": lambda gold, slot: gold == slot,
        "document_ranks": lambda gold, slot: parts(gold)[0] == parts(slot)[0],
    }[rule]
    positions = [
        position
        for position, slot in enumerate(ranking, start=1)
        if any(covers(gold, slot) for gold in group)
    ]
    return min(positions, default=None)


@given(st.lists(st.tuples(rankings, groups), min_size=1, max_size=3))
@settings(max_examples=60)
def test_ranks_equal_a_plain_reading_of_the_rules(
    cases: list[tuple[list[str], list[list[str]]]],
) -> None:
    names = [f"q{number}" for number in range(len(cases))]
    found = measure(
        {name: ranking for name, (ranking, _) in zip(names, cases, strict=True)},
        {name: gold for name, (_, gold) in zip(names, cases, strict=True)},
    )
    for name, (ranking, gold) in zip(names, cases, strict=True):
        for rule in ("group_ranks", "section_ranks"):
            assert found[name][rule] == [expected(ranking, group, rule) for group in gold]
        rolled_up: dict[frozenset[str], Groups] = {}
        for group in gold:
            rolled_up.setdefault(frozenset(parts(each)[0] for each in group), group)
        assert found[name]["document_ranks"] == [
            expected(ranking, group, "document_ranks") for group in rolled_up.values()
        ]
        assert found[name]["n_duplicates"] == len(ranking) - len(set(ranking))
        if found[name]["ranks"] is not None:
            assert found[name]["n_groups"] == len(found[name]["ranks"])


Item = tuple[str, str, int]


def as_lists(held: dict[Item, list[str]]) -> pl.DataFrame:
    """Rankings as lists, null where they are empty; with parts only where an id has a section."""
    texts = pl.List(pl.String)
    rows = [
        (
            *item,
            ranking or None,
            [parts(each)[0] for each in ranking] or None,
            [parts(each)[1] for each in ranking] or None,
        )
        for item, ranking in held.items()
    ]
    lists = pl.DataFrame(
        rows,
        schema=ITEMS | {"evidence_id": texts, "doc_id": texts, "section_id": texts},
        orient="row",
    )
    sectioned = any("#" in each for ranking in held.values() for each in ranking)
    return lists if sectioned else lists.drop("doc_id", "section_id")


gold_rows = st.lists(
    st.tuples(st.sampled_from("qwz"), st.integers(1, 3), an_id, st.integers(1, 3)),
    max_size=9,
    unique_by=lambda row: row[:3],
)
held = st.dictionaries(
    st.tuples(st.sampled_from("rs"), st.sampled_from("qwxy"), st.integers(1, 2)),
    st.lists(an_id, max_size=6) | st.lists(st.sampled_from("abc"), max_size=6),
    max_size=5,
)


@given(held, gold_rows, st.booleans())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ranks_of_lists_are_those_of_the_table(
    monkeypatch: pytest.MonkeyPatch,
    held: dict[Item, list[str]],
    gold_rows: list[tuple[str, int, str, int]],
    joined: bool,
) -> None:
    slots = [
        (*item, position, each, *parts(each))
        for item, ranking in held.items()
        for position, each in enumerate(ranking, start=1)
    ]
    evidence = pl.DataFrame(
        [(case, number, each, *parts(each), grade) for case, number, each, grade in gold_rows],
        schema=GOLD,
        orient="row",
    )
    items = pl.DataFrame(list(held), schema=ITEMS, orient="row")
    expected = group_ranks(items, pl.DataFrame(slots, schema=SLOTS, orient="row"), evidence)
    with monkeypatch.context() as patch:
        patch.setattr(ranks_module, "_ITEMS_AT_ONCE", 2)
        patch.setattr(matches, "_ROWS_AT_ONCE", 3)
        patch.setattr(matches, "_BESIDE", 0 if joined else 99)
        assert_frame_equal(list_ranks(as_lists(held), evidence), expected)
