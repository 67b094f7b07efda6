"""The parts of a move against headlines computed by hand in exact fractions."""

import datetime as dt
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.attribution import (
    FIGURES,
    KEY,
    PARTS,
    Corners,
    attribute,
    recorded_rubric,
    shown_points,
    system_label,
)
from rag_eval_pipeline.tables.model import AXES

RESULT: dict[str, Any] = {
    "case_id": pl.String,
    "axis": pl.String,
    "score": pl.Float64,
    "passed": pl.Boolean,
    "state": pl.String,
}
GROUP: dict[str, Any] = {"case_id": pl.String, "dimension": pl.String, "slice": pl.String}

Cell = tuple[str, float | None]
"""state and score; a score of 1 passes."""

Side = dict[str, tuple[str, Cell]]
"""category and result by case."""

MISSING: Cell = ("missing", None)
OPEN: Cell = ("unmeasured", None)
CELLS = st.one_of(
    st.sampled_from([1.0, 0.0, 0.5, 1 / 3, 0.1]).map(lambda score: ("measured", score)),
    st.sampled_from([MISSING, OPEN, ("held_out", None), ("not_applicable", None)]),
    # A failed axis with an open condition is measured and has no score.
    st.just(("measured", None)),
)
CASES = [f"q{number}" for number in range(8)]
SIDES = st.dictionaries(
    st.sampled_from(CASES), st.tuples(st.sampled_from(["direct", "conditional"]), CELLS)
)


def measured(score: float) -> Cell:
    return ("measured", score)


def results(cells: dict[str, Cell]) -> pl.DataFrame:
    rows = [
        (case, axis, score, (score == 1) if state == "measured" else None, state)
        for case, (state, score) in cells.items()
        for axis in (*AXES, "overall")
    ]
    return pl.DataFrame(rows, schema=RESULT, orient="row")


def groups(side: Side) -> pl.DataFrame:
    rows = [(case, "all", "all") for case in side]
    rows += [(case, "category", category) for case, (category, _) in side.items()]
    return pl.DataFrame(rows, schema=GROUP, orient="row")


def explain(
    old: Side, new: Side, rubric: dict[str, Cell] | None = None, gold: dict[str, Cell] | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Parts and contributions; the corners in between say what the baseline says if left out."""
    first = {case: cell for case, (_, cell) in old.items()}
    second = first | (rubric or {})
    third = second | (gold or {})
    last = {case: cell for case, (_, cell) in new.items()}
    corners = Corners(*map(results, (first, second, third, last)))
    split = attribute(corners, groups(old), groups(new), min_slice=1)
    return split.parts, split.contributions


def same(cells: dict[str, Cell]) -> Side:
    return {case: ("direct", cell) for case, cell in cells.items()}


def amounts(parts: pl.DataFrame, figure: str = "score") -> dict[str, float | None]:
    rows = parts.filter(
        (pl.col("dimension") == "all") & (pl.col("axis") == "search") & (pl.col("figure") == figure)
    )
    return dict(rows.select("part", "amount").iter_rows())


def by_hand(side: Side, category: str | None, figure: str) -> Fraction | None:
    values = []
    for kind, (state, score) in side.values():
        if category not in (None, kind):
            continue
        if state == "missing":
            values.append(Fraction(0))
        elif state == "measured" and figure == "passed":
            values.append(Fraction(score == 1))
        elif state == "measured" and score is not None:
            values.append(Fraction(score))
    return sum(values, Fraction(0)) / len(values) if values else None


@settings(max_examples=60, deadline=None)
@given(
    SIDES,
    SIDES,
    st.dictionaries(st.sampled_from(CASES), CELLS),
    st.dictionaries(st.sampled_from(CASES), CELLS),
)
def test_the_parts_add_up_to_the_move_of_the_headline(
    old: Side, new: Side, rubric: dict[str, Cell], gold: dict[str, Cell]
) -> None:
    parts, contributed = explain(old, new, rubric, gold)
    for (dimension, value, _, figure), rows in parts.group_by(KEY):
        category = None if dimension == "all" else str(value)
        before, after = (by_hand(side, category, str(figure)) for side in (old, new))
        if before is None or after is None:
            assert rows["amount"].null_count() == len(PARTS)
            continue
        assert rows["amount"].sum() == pytest.approx(float(after - before), abs=1e-12)
        assert rows["baseline_headline"][0] == pytest.approx(float(before), abs=1e-12)
        assert rows["candidate_headline"][0] == pytest.approx(float(after), abs=1e-12)
    assert parts.group_by(KEY).len()["len"].unique().to_list() in ([], [len(PARTS)])
    told = contributed.group_by([*KEY, "part"]).agg(pl.col("contribution").sum())
    joined = parts.filter(pl.col("amount").is_not_null()).join(told, on=[*KEY, "part"], how="left")
    off = (joined["amount"] - joined["contribution"].fill_null(0.0)).abs().max()
    assert off is None or float(off) < 1e-12


SCORES = st.dictionaries(
    st.sampled_from(CASES), st.sampled_from([1.0, 0.0, 0.25]).map(measured), min_size=1
)
OUTSIDE = st.dictionaries(
    st.sampled_from(["m1", "m2", "h1"]), st.sampled_from([MISSING, OPEN, ("held_out", None)])
)


@settings(max_examples=25, deadline=None)
@given(SCORES, OUTSIDE, st.sampled_from([1.0, 0.0, 0.25]), st.sampled_from(PARTS[:3]))
def test_a_change_of_one_thing_has_that_part_only(
    scores: dict[str, Cell], outside: dict[str, Cell], to: float, part: str
) -> None:
    before = scores | outside
    after = dict.fromkeys(scores, measured(to)) | outside
    if part == "rubric":
        parts, _ = explain(same(before), same(after), rubric=after)
    elif part == "reference":
        parts, _ = explain(same(before), same(after), gold=after)
    else:
        parts, _ = explain(same(before), same(after))
    for figure in FIGURES:
        others = {name: 0.0 for name in PARTS if name != part}
        found = amounts(parts, figure)
        assert {name: found[name] for name in others} == others
        assert "-0.0" not in map(str, found.values())
    n = sum(state in ("measured", "missing") for state, _ in before.values())
    expected = sum(to - (score or 0) for _, score in scores.values()) / n
    assert amounts(parts)[part] == pytest.approx(expected, abs=1e-12)


def test_cases_added_and_removed_are_the_mix() -> None:
    kept = {"a": measured(1.0), "b": measured(0.0)}
    parts, contributed = explain(
        same(kept | {"gone": measured(1.0)}), same(kept | {"fresh": measured(0.0)})
    )
    found = amounts(parts)
    assert found["mix"] == pytest.approx(1 / 3 - 2 / 3)
    assert [name for name in PARTS if found[name] != 0] == ["mix"]
    rows = contributed.filter(
        (pl.col("dimension") == "all")
        & (pl.col("axis") == "search")
        & (pl.col("figure") == "score")
    ).select("case_id", "part", "contribution", "before", "after", "cause")
    # Each is told by its distance from the mean over the cases that stay.
    assert rows.rows() == [
        ("fresh", "mix", pytest.approx(-1 / 6), None, 0.0, "added"),
        ("gone", "mix", pytest.approx(-1 / 6), 1.0, None, "removed"),
    ]


def test_a_case_that_moves_to_another_slice_is_mix_in_both_and_nothing_in_the_whole() -> None:
    old: Side = {"a": ("direct", measured(1.0)), "b": ("direct", measured(0.0)),
                 "c": ("conditional", measured(0.0))}  # fmt: skip
    new: Side = old | {"a": ("conditional", measured(1.0))}
    parts, _ = explain(old, new)
    moved = parts.filter((pl.col("axis") == "overall") & (pl.col("figure") == "score"))
    assert dict(moved.filter(pl.col("part") == "mix").select("slice", "amount").iter_rows()) == {
        "all": 0.0,
        "direct": pytest.approx(-0.5),
        "conditional": pytest.approx(0.5),
    }
    assert set(moved.filter(pl.col("part") != "mix")["amount"]) == {0.0}


@pytest.mark.parametrize(
    ("rubric", "gold", "last", "cause"),
    [
        ({"q": OPEN}, {}, OPEN, "rubric"),
        ({}, {"q": OPEN}, OPEN, "reference"),
        ({}, {}, OPEN, "system"),
        ({}, {}, MISSING, "system"),
    ],
)
def test_a_case_that_changes_its_state_says_which_change_did_it(
    rubric: dict[str, Cell], gold: dict[str, Cell], last: Cell, cause: str
) -> None:
    steady = {"a": measured(1.0), "b": measured(0.0)}
    parts, contributed = explain(
        same(steady | {"q": measured(1.0)}), same(steady | {"q": last}), rubric, gold
    )
    assert amounts(parts)["measurability"] == pytest.approx(
        (1 / 2 if last == OPEN else 1 / 3) - 2 / 3
    )
    assert set(contributed["part"]) == {"measurability"}
    assert set(contributed["case_id"]) == {"q"}
    assert set(contributed["cause"]) == {cause}
    assert set(contributed["after_state"]) == {last[0]}


def test_the_system_part_is_the_paired_difference() -> None:
    old = same(
        {"a": measured(1.0), "b": measured(0.0), "c": measured(0.5), "h": ("held_out", None)}
    )
    new = same(
        {"a": measured(0.0), "b": measured(0.0), "c": measured(1.0), "h": ("held_out", None)}
    )
    found = amounts(explain(old, new)[0])
    assert found["system"] == pytest.approx((-1 + 0 + 0.5) / 3)


def test_the_cases_of_a_part_stand_with_the_largest_first() -> None:
    old = same({"a": measured(0.5), "b": measured(1.0), "c": measured(1.0), "d": measured(1.0)})
    new = same({"a": measured(1.0), "b": measured(0.0), "c": measured(0.0), "d": measured(1.0)})
    row = explain(old, new)[0].filter(
        (pl.col("dimension") == "all")
        & (pl.col("axis") == "evidence")
        & (pl.col("figure") == "score")
        & (pl.col("part") == "system")
    )
    assert row["case_ids"].to_list() == [["b", "c", "a"]]
    assert row["contributions"].to_list() == [[-0.25, -0.25, 0.125]]
    assert row.select("n_baseline", "n_candidate", "n_core").row(0) == (4, 4, 4)


def test_without_a_headline_on_one_side_there_is_no_move() -> None:
    parts, contributed = explain(same({"a": OPEN}), same({"a": measured(1.0)}))
    assert set(amounts(parts).values()) == {None}
    assert contributed.is_empty()
    assert parts["candidate_headline"].unique().to_list() == [1.0]


def test_a_small_slice_shows_its_lists_and_no_numbers() -> None:
    old, new = same({"a": measured(1.0)}), same({"a": measured(0.0)})
    corners = Corners(*(results({"a": measured(score)}) for score in (1.0, 1.0, 1.0, 0.0)))
    parts = attribute(corners, groups(old), groups(new)).parts
    system = parts.filter((pl.col("part") == "system") & (pl.col("axis") == "overall"))
    small = system.filter(pl.col("dimension") == "category")
    assert small["amount"].null_count() == small.height == len(FIGURES)
    assert small["case_ids"].to_list() == [["a"], ["a"]]
    assert system.filter(pl.col("dimension") == "all")["amount"].to_list() == [-1.0, -1.0]


def test_a_case_without_a_row_is_missing() -> None:
    old, new = same({"a": measured(1.0), "b": measured(1.0)}), same({"a": measured(1.0)})
    corners = Corners(*(results({"a": measured(1.0)}) for _ in range(4)))
    parts = attribute(corners, groups(old), groups(new)).parts
    whole = parts.filter(pl.col("dimension") == "all")
    assert set(whole["baseline_headline"]) == {0.5}
    assert set(whole["candidate_headline"]) == {1.0}


def test_nothing_in_gives_nothing_out() -> None:
    parts, contributed = explain({}, {})
    assert parts.is_empty()
    assert contributed.is_empty()


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        (None, None, "system"),
        ("aa", "aa", "system"),
        ("aa", "bb", "index aa→bb"),
        (None, "bb", "index unknown→bb"),
    ],
)
def test_the_system_part_names_the_indexes_that_differ(
    before: str | None, after: str | None, label: str
) -> None:
    assert system_label(before, after) == label
    corners = Corners(*(results({"a": measured(1.0)}) for _ in range(4)))
    sides = (groups(same({"a": OPEN})),) * 2
    parts = attribute(corners, *sides, system=label).parts
    assert parts.filter(pl.col("part") == "system")["label"].unique().to_list() == [label]


def test_a_case_is_told_by_what_happened_to_it() -> None:
    old = same({"a": measured(1.0), "b": measured(0.5), "u": measured(1.0), "g": measured(1.0),
                "c": measured(0.0)})  # fmt: skip
    new = same({"a": measured(0.0), "b": measured(1 / 3), "u": OPEN, "f": MISSING, "c": MISSING})
    parts, _ = explain(old, new)
    told = {
        (part, figure, case): change
        for part, figure, cases, changes in parts.filter(
            (pl.col("dimension") == "all") & (pl.col("axis") == "evidence")
        )
        .select("part", "figure", "case_ids", "changes")
        .iter_rows()
        for case, change in zip(cases, changes, strict=True)
    }
    assert told == {
        ("system", "score", "a"): "1 → 0",
        ("system", "score", "b"): "0.5 → 0.33",
        ("measurability", "score", "u"): "1 → unmeasured by system",
        ("measurability", "score", "c"): "0 → missing by system",
        ("mix", "score", "g"): "removed: 1",
        ("mix", "score", "f"): "added: missing",
        ("system", "passed", "a"): "pass → fail",
        ("measurability", "passed", "u"): "pass → unmeasured by system",
        ("measurability", "passed", "c"): "fail → missing by system",
        ("mix", "passed", "g"): "removed: pass",
        ("mix", "passed", "f"): "added: missing",
    }


@given(st.lists(st.one_of(st.just(0.0), st.floats(-0.4, 0.4)), min_size=1, max_size=5), st.data())
def test_shown_points_add_up_to_the_difference_of_the_shown_headlines(
    amounts: list[float], data: st.DataObject
) -> None:
    before = data.draw(st.floats(0, 1))
    after = before + sum(amounts)
    shown = shown_points(amounts, before, after)
    assert round(sum(shown) * 10) == round(after * 1000) - round(before * 1000)
    for amount, points in zip(amounts, shown, strict=True):
        assert abs(points - amount * 100) < 0.1 + 1e-6
        assert points == round(points, 1)
        if amount == 0:
            assert points == 0


NOON = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)


def hours(after_noon: int) -> dt.datetime:
    return NOON + dt.timedelta(hours=after_noon)


@pytest.mark.parametrize(
    ("scored", "came", "expected"),
    [
        ([("claims@aa", -2)], 0, "claims@aa"),
        ([("claims@aa", -2), ("claims@bb", -1)], 0, "claims@bb"),
        # Edited and scored anew in the night the candidate came.
        ([("claims@aa", -2), ("claims@bb", 1)], 0, "claims@aa"),
        # An edit that was taken back: the version that scored last by then is told.
        ([("claims@aa", -3), ("claims@bb", -2), ("claims@aa", 3)], 0, "claims@bb"),
        ([("claims@aa", 1)], 0, None),
        ([], 0, None),
        ([("claims@aa", -2)], None, None),
        # Another rubric scores beside the one that decides.
        ([("claims@aa", -2), ("strict@cc", -1)], 0, "claims@aa"),
        # The dataset was decided by another rubric then.
        ([("strict@cc", -2), ("claims@aa", 1)], 0, "strict@cc"),
        ([("strict@cc", -2), ("own@dd", -2), ("claims@aa", 1)], 0, None),
        # A name may hold the sign that stands before the version.
        ([("claims@home@aa", -2), ("claims@bb", -1)], 0, "claims@bb"),
    ],
)
def test_the_recorded_rubric_is_the_last_that_scored_before_the_candidate_came(
    scored: list[tuple[str, int]], came: int | None, expected: str | None
) -> None:
    rows = pl.DataFrame(
        [(version, hours(at)) for version, at in scored],
        schema={"rubric_version": pl.String, "scored_at": pl.Datetime("us", "UTC")},
        orient="row",
    )
    came_at = None if came is None else hours(came)
    assert recorded_rubric(rows, "claims", came_at) == expected
