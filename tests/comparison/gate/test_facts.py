"""Facts of cases from the frames that comparisons are made of."""

from typing import Any

import polars as pl

from rag_eval_pipeline.comparison.gate.facts import CaseFacts, case_facts
from rag_eval_pipeline.comparison.regressions import RESULT, Core, regressions
from rag_eval_pipeline.tables.model import AXES

RESULTS: dict[str, Any] = {
    "case_id": pl.String, "axis": pl.String, "score": pl.Float64, "passed": pl.Boolean,
    "flaky": pl.Boolean, "state": pl.String,
}  # fmt: skip


def results(**states: tuple[str, bool | None]) -> pl.DataFrame:
    rows = [
        (case_id, axis, None, passed, False, state)
        for case_id, (state, passed) in states.items()
        for axis in (*AXES, "overall")
    ]
    return pl.DataFrame(rows, schema=RESULTS, orient="row")


def cases(*ids: str) -> pl.DataFrame:
    empty = {name: pl.Series([None] * len(ids), dtype=pl.String)
             for name in ("category", "split", "language")}  # fmt: skip
    return pl.DataFrame({"case_id": ids, "risk": ["high"] * len(ids)}).with_columns(**empty)


PASS, FAIL, OPEN = ("measured", True), ("measured", False), ("unmeasured", None)


def overall(found: tuple[CaseFacts, ...]) -> dict[str, CaseFacts]:
    return {each.case_id: each for each in found if each.axis == "overall"}


def test_cases_that_do_not_pass_or_that_changed_are_kept() -> None:
    baseline = results(same=PASS, lost=PASS, won=FAIL, still=FAIL, gone=PASS, open=PASS)
    candidate = results(same=PASS, lost=FAIL, won=PASS, still=FAIL, open=OPEN, fresh=FAIL,
                        held=("held_out", None), none=("not_applicable", None))  # fmt: skip
    core = Core(("gone", "lost", "open", "same", "still", "won"), (), ("fresh",), ())
    changes = regressions(candidate, baseline, core)
    mine = cases("fresh", "gone", "held", "lost", "none", "open", "same", "still", "won")
    found = overall(case_facts(candidate, changes, mine))
    assert {name: each.change for name, each in found.items()} == {
        "fresh": "new", "gone": "missing", "lost": "regressed", "open": "unmeasured",
        "still": None, "won": "recovered",
    }  # fmt: skip
    assert {name for name, each in found.items() if each.fails} == {
        "fresh", "gone", "lost", "still",
    }  # fmt: skip
    assert {name for name, each in found.items() if each.is_new_failure} == {"lost"}
    assert {name for name, each in found.items() if each.may_be_new_failure} == {"gone", "open"}
    assert {name for name, each in found.items() if each.is_open} == {"open"}
    assert found["lost"].risk == "high"
    assert found["lost"].slices["category"] == "unclassified"


def test_cases_that_are_not_gated_are_left_out() -> None:
    changes = regressions(
        results(a=FAIL, b=FAIL), results(a=PASS, b=PASS), Core(("a", "b"), (), (), ())
    )
    assert set(overall(case_facts(results(a=FAIL, b=FAIL), changes, cases("a")))) == {"a"}


def test_a_run_without_any_item_lacks_every_case() -> None:
    nothing = results()
    assert nothing.columns == list(RESULT)
    changes = regressions(nothing, results(a=PASS), Core(("a",), (), (), ()))
    found = case_facts(nothing, changes, cases("a"))
    assert {each.axis for each in found} == {*AXES, "overall"}
    assert all(each.fails and each.may_be_new_failure for each in found)


def test_the_reason_of_the_score_is_told_before_that_of_the_change() -> None:
    changes = regressions(results(a=FAIL), results(a=PASS), Core(("a",), (), (), ()))
    reasons = pl.DataFrame({"case_id": ["a"], "axis": ["search"], "reason": ["p1 at no rank"]})
    found = {
        each.axis: each.reason for each in case_facts(results(a=FAIL), changes, cases("a"), reasons)
    }
    assert found["search"] == "p1 at no rank"
    assert found["overall"] == "passed before, fails now"
