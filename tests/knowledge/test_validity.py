import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.knowledge.validity import (
    gold_problems,
    older_versions,
    outdated_documents,
)

RowsOf = Callable[..., pl.DataFrame]
FIRST, LAST = dt.date(2026, 4, 1), dt.date(2026, 9, 30)
DAY = dt.timedelta(days=1)

ITEM = {"run_id": "r", "case_id": "q", "trial": 1}


@pytest.fixture
def problem(rows_of: RowsOf) -> Callable[..., str | None]:
    def of(
        judged_on: dt.date,
        gold: list[dict[str, Any]],
        windows: dict[str, tuple[dt.date | None, dt.date | None]],
    ) -> str | None:
        items = pl.DataFrame([{**ITEM, "judged_on": judged_on}])
        evidence = rows_of(
            "case_evidence",
            *(
                {"case_id": "q", "group_no": 1, "evidence_id": each["doc_id"], "resolved": True}
                | each
                for each in gold
            ),
        )
        documents = rows_of(
            "documents",
            *(
                {"doc_id": name, "effective_from": first, "effective_until": last}
                for name, (first, last) in windows.items()
            ),
        )
        found = gold_problems(items, evidence, documents)
        assert found.columns == [*ITEM, "gold_problem"]
        return found["gold_problem"].item() if found.height else None

    return of


@pytest.mark.parametrize(
    ("day", "says"),
    [
        (FIRST - DAY, "not yet valid: d holds from 2026-04-01"),
        (FIRST, None),
        (LAST, None),
        (LAST + DAY, "expired: d held until 2026-09-30"),
    ],
)
def test_gold_holds_from_its_first_day_to_its_last_both_included(
    problem: Callable[..., str | None], day: dt.date, says: str | None
) -> None:
    assert problem(day, [{"doc_id": "d"}], {"d": (FIRST, LAST)}) == says


def test_an_open_window_never_ends(problem: Callable[..., str | None]) -> None:
    assert problem(dt.date(1970, 1, 1), [{"doc_id": "d"}], {"d": (None, LAST)}) is None
    assert problem(dt.date(2200, 1, 1), [{"doc_id": "d"}], {"d": (FIRST, None)}) is None


def test_one_valid_alternative_is_enough(problem: Callable[..., str | None]) -> None:
    windows = {"old": (None, LAST), "new": (LAST + DAY, None)}
    both = [{"doc_id": "old"}, {"doc_id": "new"}]
    assert problem(LAST, both, windows) is None
    assert problem(LAST + DAY, both, windows) is None


def test_every_group_must_hold(problem: Callable[..., str | None]) -> None:
    windows = {"old": (None, LAST), "new": (None, None)}
    groups = [{"doc_id": "new"}, {"doc_id": "old", "group_no": 2}]
    assert problem(LAST, groups, windows) is None
    assert problem(LAST + DAY, groups, windows) == "expired: old held until 2026-09-30"


def test_gold_that_the_snapshot_lacks_is_dangling(problem: Callable[..., str | None]) -> None:
    gold = [{"doc_id": "gone", "resolved": False}]
    assert problem(LAST, gold, {"d": (None, None)}) == "dangling: gone is not in the snapshot"


def test_without_a_snapshot_nothing_is_dangling(problem: Callable[..., str | None]) -> None:
    assert problem(LAST, [{"doc_id": "d", "resolved": None}], {}) is None


def test_a_case_without_gold_has_no_problem(problem: Callable[..., str | None]) -> None:
    assert problem(LAST, [], {"d": (FIRST, LAST)}) is None


def test_each_item_is_judged_on_its_own_day(rows_of: RowsOf) -> None:
    items = pl.DataFrame(
        [{**ITEM, "judged_on": LAST}, {**ITEM, "trial": 2, "judged_on": LAST + DAY}]
    )
    evidence = rows_of(
        "case_evidence",
        {"case_id": "q", "group_no": 1, "evidence_id": "d", "doc_id": "d", "resolved": True},
    )
    documents = rows_of("documents", {"doc_id": "d", "effective_until": LAST})
    assert gold_problems(items, evidence, documents)["trial"].to_list() == [2]


def outdated(rows_of: RowsOf, day: dt.date, *documents: dict[str, Any]) -> list[str]:
    rows = rows_of("documents", *({"lifecycle": "active"} | each for each in documents))
    found = outdated_documents(pl.DataFrame({"judged_on": [day]}), rows)
    assert found.columns == ["judged_on", "doc_id"]
    return found["doc_id"].sort().to_list()


def test_a_document_is_outdated_after_its_last_day(rows_of: RowsOf) -> None:
    document = {"doc_id": "d", "effective_until": LAST}
    assert outdated(rows_of, LAST, document) == []
    assert outdated(rows_of, LAST + DAY, document) == ["d"]


@pytest.mark.parametrize("lifecycle", ["superseded", "expired"])
def test_a_document_is_outdated_when_marked_so(rows_of: RowsOf, lifecycle: str) -> None:
    assert outdated(rows_of, LAST, {"doc_id": "d", "lifecycle": lifecycle}) == ["d"]


def test_a_document_is_outdated_while_its_successor_is_valid(rows_of: RowsOf) -> None:
    new = {"doc_id": "new", "supersedes": ["old", "older"], "effective_from": FIRST}
    documents = ({"doc_id": "old"}, {"doc_id": "older"}, new)
    assert outdated(rows_of, FIRST - DAY, *documents) == []
    assert outdated(rows_of, FIRST, *documents) == ["old", "older"]


def test_no_documents_no_outdated_ones(rows_of: RowsOf) -> None:
    assert outdated(rows_of, FIRST) == []


PINNED = [("fee", "new", "a", "600 yen"), ("fee", "new", "b", "Tax is included")]
OLDER = [("fee", "old", "a", "500 yen"), ("fee", "old", "b", "Tax is included")]


@pytest.mark.parametrize(
    ("pinned_from", "index_from", "index", "expected"),
    [
        # Of what reads the same in both, no version is older.
        (LAST, FIRST, OLDER, [("fee", None), ("fee", "a")]),
        (LAST, FIRST, PINNED, []),
        # An index that is ahead, or that nothing tells the order of.
        (FIRST, LAST, OLDER, []),
        (FIRST, FIRST, OLDER, []),
        (None, FIRST, OLDER, []),
        (LAST, None, OLDER, []),
        # What only one of the two has cannot be compared.
        (LAST, FIRST, [("other", "old", "a", "500 yen")], []),
        (LAST, FIRST, [("fee", "old", "c", "500 yen")], [("fee", None)]),
    ],
)
def test_an_index_holds_an_older_version_where_a_text_held_earlier_and_reads_otherwise(
    rows_of: RowsOf,
    pinned_from: dt.date | None,
    index_from: dt.date | None,
    index: list[tuple[str, str, str, str]],
    expected: list[tuple[str, str | None]],
) -> None:
    frames = []
    for rows, valid_from in ((PINNED, pinned_from), (index, index_from)):
        documents = {name: sha256 for name, sha256, *_ in rows}
        frames += [
            rows_of(
                "documents",
                *(
                    {"doc_id": name, "sha256": sha256, "effective_from": valid_from}
                    for name, sha256 in documents.items()
                ),
            ),
            rows_of(
                "sections",
                *(
                    {"doc_id": name, "section_id": section, "sha256": text, "text": text}
                    for name, _, section, text in rows
                ),
            ),
        ]
    found = older_versions(*frames)
    assert found.columns == ["doc_id", "section_id", "newer_from"]
    assert found.select("doc_id", "section_id").rows() == expected
    assert set(found["newer_from"]) <= {pinned_from}
