"""Which keys judge which cases, and what makes their scores due again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.scores.case import join_axes, score_axes
from rag_eval_pipeline.scores.missing import missing_cases
from rag_eval_pipeline.scores.overrides import all_slices_hash, slices_hash, with_slices
from rag_eval_pipeline.scores.rubric import Rubric, parse_rubric
from rag_eval_pipeline.tables.model import AXES
from tests.scores.rubric.drawn import rubric_texts
from tests.scores.test_missing import unanswered

FactsOf = Callable[..., pl.DataFrame]
BASE = """
search: {measure: recall, k: 5}
evidence: {measure: claims}
behavior: {measure: abstain_policy}
format: {measure: logged_fields}
"""
OVERRIDDEN = f"""{BASE}
overrides:
  - when: {{category: [multi_evidence], risk: [high, medium]}}
    search: {{k: 3, pass_at: 0.5}}
  - when: {{category: multi_evidence}}
    search: {{k: 20}}
    behavior: {{pass_at: 0.5}}
  - when: {{risk: unclassified}}
    search: {{k: 1}}
"""
SLICES = [
    (category, risk)
    for category in ("direct", "multi_evidence", "unclassified")
    for risk in ("low", "medium", "high", None)
]


def rubric(text: str = OVERRIDDEN) -> Rubric:
    return parse_rubric(text.encode(), "own.yaml", "own")


def cases(slices: list[tuple[str, str | None]], lifecycle: str = "approved") -> pl.DataFrame:
    return pl.DataFrame(
        [(f"q{number}", *each, lifecycle) for number, each in enumerate(slices, start=1)],
        schema=dict.fromkeys(("case_id", "category", "risk", "lifecycle"), pl.String),
        orient="row",
    )


@pytest.mark.parametrize(
    ("category", "risk", "k", "pass_at"),
    [
        ("direct", "high", 5, 1.0),
        # Both concern it: the first to have a key decides it.
        ("multi_evidence", "high", 3, 0.5),
        ("multi_evidence", "medium", 3, 0.5),
        ("multi_evidence", "low", 20, 1.0),
        ("multi_evidence", "unclassified", 20, 1.0),
        ("direct", "unclassified", 1, 1.0),
        ("独自", "low", 5, 1.0),
    ],
)
def test_the_first_override_that_concerns_a_case_decides_each_key(
    category: str, risk: str, k: int, pass_at: float
) -> None:
    search = rubric().of_case(category, risk).sections["search"]
    assert (search["k"], search["pass_at"]) == (k, pass_at)


def test_an_override_takes_keys_from_no_other() -> None:
    behavior = rubric().of_case("multi_evidence", "high").sections["behavior"]
    assert behavior["pass_at"] == 0.5


def test_items_are_scored_by_the_keys_of_their_case_in_their_order(facts_of: FactsOf) -> None:
    items = [{"ranks": [4], "run_id": run} for run in ("b", "a") for _ in SLICES]
    facts = facts_of(*items).with_columns(
        case_id=pl.Series([f"q{number}" for number in range(1, len(SLICES) + 1)] * 2)
    )
    sliced = with_slices(facts, cases(SLICES))
    scored = score_axes(sliced, rubric())
    for each in (scored["search"], join_axes(sliced, scored, rubric())):
        assert each.select("run_id", "case_id").equals(facts.select("run_id", "case_id"))
    reached = [k >= 4 for k in (5, 5, 5, 1, 20, 3, 3, 20, 5, 5, 5, 1)] * 2
    assert scored["search"]["passed"].to_list() == reached
    assert join_axes(sliced, scored, rubric())["passed"].to_list() == reached
    # What a miss is follows from the same keys.
    joined = join_axes(sliced, scored, rubric())
    assert (joined["also"].list.contains("lucky") == pl.Series(reached).not_()).all()


@settings(max_examples=40)
@given(text=rubric_texts(), drawn=st.lists(st.sampled_from(SLICES), max_size=6))
def test_each_item_is_scored_as_if_its_keys_were_the_rubric_s(
    facts_of: FactsOf, text: str, drawn: list[tuple[str, str | None]]
) -> None:
    own = rubric(text)
    facts = with_slices(
        facts_of(*({"ranks": [number], "vital_open": ["r2"]} for number, _ in enumerate(drawn, 1))),
        cases(drawn),
    )
    scored = score_axes(facts, own)
    whole = join_axes(facts, scored, own)
    assert whole.height == len(drawn)
    for place, (category, risk) in enumerate(drawn):
        alone = own.of_case(category, risk or "unclassified")
        row = facts[place]
        again = score_axes(row, alone)
        for axis in AXES:
            assert scored[axis][place].equals(again[axis])
        assert whole[place].equals(join_axes(row, again, alone))


def test_missing_cases_follow_their_keys() -> None:
    own = rubric(
        f"{BASE}\noverrides: [{{when: {{risk: high}}, search: {{no_evidence: full_credit}}}}]"
    )
    absent = unanswered("q1", "q2", n_groups=0).with_columns(
        category=pl.lit("direct"), risk=pl.Series(["low", "high"])
    )
    found = missing_cases(absent, "r", own)
    assert found["case_id"].to_list() == ["q1", "q2"]
    assert found["search_state"].to_list() == ["not_applicable", "missing"]


def test_without_overrides_nothing_depends_on_the_slices() -> None:
    assert all_slices_hash(cases(SLICES), rubric(BASE)) == ""
    assert {slices_hash(cases(SLICES), rubric(BASE), axis) for axis in AXES} == {""}


EDITS = [
    # From, to, the axes whose keys change with it.
    (("direct", "low"), ("direct", "medium"), []),
    (("direct", "low"), ("direct", None), ["search"]),
    (("direct", "low"), ("multi_evidence", "low"), ["search", "behavior"]),
    (("multi_evidence", "low"), ("multi_evidence", "high"), ["search"]),
    (("multi_evidence", "high"), ("multi_evidence", "medium"), []),
    (("direct", "low"), ("独自", "low"), []),
]


@pytest.mark.parametrize(("before", "after", "axes"), EDITS)
def test_an_edited_slice_changes_exactly_the_axes_whose_keys_it_changes(
    before: tuple[str, str | None], after: tuple[str, str | None], axes: list[str]
) -> None:
    old, new = cases([("direct", "low"), before]), cases([("direct", "low"), after])
    changed = [a for a in AXES if slices_hash(old, rubric(), a) != slices_hash(new, rubric(), a)]
    assert changed == axes
    whole = all_slices_hash(old, rubric()) != all_slices_hash(new, rubric())
    assert whole == bool(axes)


def test_cases_that_are_not_scored_and_their_order_do_not_count() -> None:
    some = cases(SLICES)
    assert slices_hash(some.reverse(), rubric(), "search") == slices_hash(some, rubric(), "search")
    retired = cases(SLICES, "retired").with_columns(case_id=pl.format("old-{}", "case_id"))
    both = pl.concat([some, retired])
    assert slices_hash(both, rubric(), "search") == slices_hash(some, rubric(), "search")
    assert slices_hash(retired, rubric(), "search") == ""


def test_no_rubric_needs_slices_for_nothing(facts_of: FactsOf) -> None:
    facts: Any = facts_of({})
    assert score_axes(facts, rubric(BASE))["search"].height == 1
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        score_axes(facts, rubric())
    empty = facts.clear().with_columns(category=pl.lit("x"), risk=pl.lit("x"))
    assert score_axes(empty, rubric())["search"].height == 0
    assert join_axes(empty, score_axes(empty, rubric()), rubric()).height == 0
