from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.comparison.notes import (
    Basis,
    bases,
    notes,
    search_refused,
    slice_changes,
)
from rag_eval_pipeline.comparison.pairs import PREVIOUS, Pair, Side
from rag_eval_pipeline.comparison.regressions import Core
from tests.comparison.conftest import cases_of

LOGGED = {"candidate": "s1", "baseline": "s1"}


def side(run_id: str, **changes: Any) -> Side:
    values = {
        "run_id": run_id, "run_hash": "r", "dataset_version": "faq@v1", "dataset_hash": "d",
        "snapshot_id": "s1", "draft": False, "system": None, "index": "s1",
    }  # fmt: skip
    return Side(**(values | changes))


def pair(*, noted: str = "", candidate: dict[str, Any] | None = None) -> Pair:
    return Pair(side("b", **(candidate or {})), side("a"), PREVIOUS, "claims@1", noted=noted)


def said(split: Core, given: Pair | None = None, **more: Any) -> list[str]:
    return notes(given or pair(), split, **({"logged_index": LOGGED, "search": None} | more))


PLAIN = Core(("q1",), (), (), ())


def test_a_plain_comparison_has_no_notes() -> None:
    assert said(PLAIN) == []


def test_who_pinned_the_baseline_comes_first() -> None:
    found = said(
        Core(("q1",), (), ("q2",), ()), pair(noted="pinned by Mori on 2026-04-01: release")
    )
    assert found[0] == "pinned by Mori on 2026-04-01: release"
    assert found[1].startswith("the mix of cases changed: 1 new, 0 removed, 1 on the core")


def test_an_unknown_index_is_said_and_the_comparison_goes_on() -> None:
    unlogged = said(
        PLAIN, pair(candidate={"index": None}), logged_index={"candidate": None, "baseline": "s1"}
    )
    assert len(unlogged) == 1
    assert "unknown index: the candidate does not log indexed_snapshot" in unlogged[0]
    unheld = said(
        PLAIN, pair(candidate={"index": None}), logged_index={"candidate": "zz", "baseline": "s1"}
    )
    assert len(unheld) == 1
    assert "the index of the candidate (zz) is no snapshot that is held" in unheld[0]
    without_knowledge = pair(candidate={"index": None, "snapshot_id": None})
    assert said(PLAIN, without_knowledge, logged_index={"candidate": None, "baseline": None}) == []


def test_drifted_cases_and_paradoxes_are_told() -> None:
    found = said(Core(("q1",), (), (), (), ("q2", "q3")), paradoxes=[("search", "risk", True)])
    assert found[0] == (
        "search: the headline of the whole went up while every risk fell: the mix changed, this "
        "is no improvement"
    )
    assert found[1].startswith("evidence drifted: the gold text of 2 cases is another in an index")
    assert found[1].endswith("q2, q3")


IDS_DOCUMENT = Basis(frozenset({"document"}), frozenset({"ids"}))
IDS_SECTION = Basis(frozenset({"section"}), frozenset({"ids"}))
TEXT = Basis(frozenset({"section"}), frozenset({"text"}))


@pytest.mark.parametrize(
    ("candidate", "baseline", "level", "part"),
    [
        (IDS_SECTION, IDS_SECTION, "auto", None),
        (IDS_SECTION, IDS_DOCUMENT, "auto", "level of the document in the baseline and of the sec"),
        (IDS_SECTION, IDS_DOCUMENT, "document", None),
        (TEXT, IDS_SECTION, "auto", "by ids in the baseline and by text in the candidate"),
        (TEXT, IDS_SECTION, "section", "by ids in the baseline and by text in the candidate"),
        (None, TEXT, "auto", None),
    ],
)
def test_two_levels_or_two_methods_of_search_are_never_compared(
    candidate: Basis | None, baseline: Basis | None, level: str, part: str | None
) -> None:
    found = search_refused(candidate, baseline, level)
    assert (found is None) if part is None else (found is not None and part in found)
    if found is not None:
        assert said(PLAIN, search=found) == [
            f"the search axis is not compared: {found}; as a whole each side keeps its own"
        ]


def test_items_without_gold_do_not_say_how_search_was_judged() -> None:
    rows = [("a", "section", "ids"), ("a", None, "text"), ("b", None, "ids")]
    frame = pl.DataFrame(rows, schema=["run_id", "level", "method"], orient="row")
    assert bases(frame) == {"a": IDS_SECTION}


def test_earlier_scores_by_other_measuring_rules_are_told_and_not_compared() -> None:
    (found,) = said(PLAIN, older_rules=["1"])
    assert found.startswith("the baseline's earlier scores, by measuring rules 1, are not compared")


def test_cases_that_changed_their_slice_are_named() -> None:
    before = cases_of(["q1", "q2", "q3"], category=["direct", "direct", "other"])
    now = cases_of(["q1", "q2", "q4"], category=["direct", "paraphrase", "x"], risk="high")
    assert slice_changes(now, before) == [
        "q1 (risk: none → high)",
        "q2 (category: direct → paraphrase)",
        "q2 (risk: none → high)",
    ]
