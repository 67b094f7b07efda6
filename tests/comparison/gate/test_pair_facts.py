"""Facts of a pair from rows of the tables, as their contracts have them."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.gate.decide import decide
from rag_eval_pipeline.comparison.gate.facts import GateFacts
from rag_eval_pipeline.comparison.gate.pair_facts import PairTables, gate_facts
from rag_eval_pipeline.comparison.gate.policy import parse_policy
from rag_eval_pipeline.tables.model import AXES

COMPARISON = {
    "dataset_version": "faq@v1",
    "candidate_run": "tonight",
    "baseline_run": "yesterday",
    "rubric_version": "strict@1",
    "state": "compared",
    "reason": "compared on 3 of 3 cases",
    "reason_code": "compared",
    "n_core": 3,
    "differences": ["model: a → b"],
    "notes": ["the mix of cases changed"],
    "system_error_case_ids": [],
    "baseline_run_hash": "r0",
    "candidate_dataset_hash": "h1",
    "baseline_dataset_hash": "h1",
    "candidate_snapshot_id": None,
    "baseline_snapshot_id": None,
}
PASSES, FAILS, OPEN = ("measured", True), ("measured", False), ("unmeasured", None)
MISSING, HELD_OUT = ("missing", None), ("held_out", None)


def frame(table: str, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows of a table; what is not given is null."""
    return pl.DataFrame(list(rows), schema=tables.columns(table))


def case_row(case_id: str, **given: Any) -> dict[str, Any]:
    return {"case_id": case_id, "lifecycle": "approved", "risk": "low"} | given


def score_rows(case_id: str, state: str, passed: bool | None, **given: Any) -> dict[str, Any]:
    axes = {f"{axis}_state": state for axis in AXES} | {f"{axis}_passed": passed for axis in AXES}
    row = {"case_id": case_id, "trial": 1, "state": state, "passed": passed, "also": []}
    return row | axes | {"reason": "said 3 days"} | given


def gathered(
    states: Mapping[str, tuple[str, bool | None]],
    *,
    cases: Iterable[Mapping[str, Any]] = (),
    changes: Iterable[Mapping[str, Any]] = (),
    items: Iterable[Mapping[str, Any]] = (),
    summary: Iterable[Mapping[str, Any]] = (),
    figures: Iterable[Mapping[str, Any]] = (),
    run: Mapping[str, Any] | None = None,
    comparison: Mapping[str, Any] | None = None,
) -> GateFacts:
    own = {row["case_id"]: row for row in cases}
    headline = {"scope": "headline", "axis": "overall", "n_missing": 0} | dict(run or {})
    return gate_facts(
        PairTables(
            comparison=COMPARISON | dict(comparison or {}),
            summary=frame("comparison_summary", summary),
            figures=frame("comparison_figures", figures),
            changes=frame("regressions", changes),
            cases=frame("cases", [own.get(name, case_row(name)) for name in states]),
            case_scores=frame(
                "case_scores", [score_rows(name, *result) for name, result in states.items()]
            ),
            run_summary=frame("run_summary", [headline]),
            run_items=frame("run_items", items),
        )
    )


def exit_code(policy: str, given: GateFacts) -> int:
    return decide(parse_policy(policy.encode(), "gate.yaml"), given).exit_code


def test_cases_for_development_drafts_and_drifted_ones_are_in_no_gate() -> None:
    found = gathered(
        dict.fromkeys(("dev", "draft", "drifted", "mine"), FAILS),
        cases=[
            case_row("dev", split="development"),
            case_row("draft", lifecycle="draft"),
        ],
        changes=[{"case_id": "drifted", "axis": "overall", "change": "evidence_drifted"}],
    )
    assert {case.case_id for case in found.cases} == {"mine"}
    assert found.n_cases == 1
    assert found.left_out == (("evidence drifted", ("drifted",)),)
    assert ("split", "development") not in found.known_slices
    assert exit_code("axes: {overall: {must_pass: yes}}", found) == 1


def test_with_validation_cases_the_others_count_in_their_split_alone() -> None:
    found = gathered(
        {"v": PASSES, "t": FAILS},
        cases=[case_row("v", split="validation"), case_row("t", split="test", category="rare")],
    )
    assert {case.case_id for case in found.cases if case.in_headline} == set()
    assert found.n_cases == 1
    assert ("split", "test") in found.known_slices
    assert ("category", "rare") not in found.known_slices
    off = ", ".join(f"{axis}: {{max_drop: off}}" for axis in AXES)
    policy = f"axes: {{overall: {{max_drop: off, min_measured: off}}, {off}}}\n"
    assert exit_code(policy + "risk: {low: {must_pass: yes}}", found) == 0
    assert exit_code(policy + "slices: {split: {test: {must_pass: yes}}}", found) == 1


def test_missing_open_and_held_out_cases_are_told_apart() -> None:
    found = gathered({"a": MISSING, "b": OPEN, "c": HELD_OUT, "d": PASSES})
    assert {case.case_id: (case.fails, case.is_open) for case in found.cases} == {
        "a": (True, False),
        "b": (False, True),
    }
    assert found.n_cases == 3
    assert found.left_out == (("held out", ("c",)),)


def test_a_case_without_any_score_is_missing() -> None:
    found = gathered({"a": PASSES, "b": PASSES})
    assert found.cases == ()
    scores = frame("case_scores", [])
    whole = gate_facts(
        PairTables(
            comparison=COMPARISON,
            summary=frame("comparison_summary", []),
            figures=frame("comparison_figures", []),
            changes=frame("regressions", []),
            cases=frame("cases", [case_row("a")]),
            case_scores=scores,
            run_summary=frame("run_summary", []),
            run_items=frame("run_items", []),
        )
    )
    assert [(case.case_id, case.fails) for case in whole.cases if case.axis == "overall"] == [
        ("a", True)
    ]
    assert exit_code("run: {max_missing: 5}", whole) == 3


def test_cause_and_reason_of_the_score_are_told() -> None:
    found = gathered({"a": FAILS})
    assert {case.reason for case in found.cases} == {"said 3 days"}


def test_removed_and_changed_cases_are_listed_those_of_development_are_not() -> None:
    changes = [
        {"case_id": case_id, "axis": axis, "change": change}
        for case_id, change in (("gone", "removed"), ("gold", "gold_changed"),
                                ("dev", "gold_changed"), ("fresh", "new"))
        for axis in ("overall", "search")
    ]  # fmt: skip
    found = gathered(
        dict.fromkeys(("gold", "dev", "fresh"), PASSES),
        cases=[case_row("dev", split="development")],
        changes=changes,
    )
    assert found.left_out == (
        ("gold changed", ("gold",)),
        ("new", ("fresh",)),
        ("removed", ("gone",)),
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ()),
        ({"candidate_dataset_hash": "h2"}, ("dataset_hash: h1 → h2",)),
        ({"candidate_snapshot_id": "s"}, ("snapshot_id: none → s",)),
        ({"baseline_run_hash": None, "baseline_dataset_hash": None, "baseline_run": None}, ()),
    ],
)
def test_what_differs_between_the_references_is_told(
    given: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert gathered({"a": PASSES}, comparison=given).reference_differences == expected


def test_rows_of_the_comparison_carry_verdict_sentence_and_adjusted_p() -> None:
    def row(axis: str, dimension: str = "all", **given: Any) -> dict[str, Any]:
        values = {"dimension": dimension, "slice": dimension, "axis": axis, "n_core": 9,
                  "n_pairs": 8, "told": "so", "simpson": False, "verdict": "worse",
                  "difference": -0.1, "p_value": 0.01}  # fmt: skip
        return values | given

    found = gathered(
        {"a": PASSES},
        summary=[row("search", p_adjusted=0.04), row("search", "risk"), row("overall")],
    )
    assert [(each.dimension, each.axis, each.p_value) for each in found.slices] == [
        ("all", "overall", 0.01),
        ("all", "search", 0.04),
        ("risk", "search", 0.01),
    ]
    assert (found.slices[0].verdict, found.slices[0].told, found.slices[0].n_pairs) == (
        "worse", "so", 8,
    )  # fmt: skip


def test_figures_held_against_each_other_are_those_of_the_comparison() -> None:
    found = gathered(
        {"a": PASSES},
        figures=[
            {"figure": "latency_p50_ms", "baseline": 100.0, "candidate": 130.0},
            {"figure": "citation_shown_rate", "baseline": 1.0, "candidate": 0.5},
            {"figure": "cost_usd", "baseline": None, "candidate": 0.5},
        ],
        run={"latency_p50_ms": 110.0},
    )
    assert found.candidate.latency_p50_ms == 110
    assert (found.pair_baseline.latency_p50_ms, found.pair_candidate.latency_p50_ms) == (100, 130)
    assert (found.pair_baseline.citation_rate, found.pair_candidate.citation_rate) == (1, 0.5)
    assert found.pair_baseline.cost_usd is None


def items(n: int, n_logged: int, n_errors: int = 0) -> list[dict[str, Any]]:
    return [
        {"case_id": "a", "trial": number + 1, "cost_usd": 0.5 if number < n_logged else None,
         "latency_ms": 10.0 if number < n_logged else None,
         "error": "timeout" if number >= n - n_errors else None}
        for number in range(n)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        (items(10, 10), True),
        (items(10, 9), True),
        (items(10, 8), False),
        # An item that broke off logs neither; that is a matter of the error rate.
        (items(10, 8, n_errors=2), True),
    ],
)
def test_a_figure_that_few_items_logged_is_not_the_runs(
    rows: list[dict[str, Any]], known: bool
) -> None:
    run = {"latency_p50_ms": 10.0, "latency_p95_ms": 10.0, "cost_usd": 4.0}
    found = gathered({"a": PASSES}, items=rows, run=run).candidate
    assert (found.latency_p50_ms is not None) is known
    assert (found.cost_per_item_usd is not None) is known
    assert ("latency_p95_ms" in found.notes) is not known
    assert found.cost_usd == 4.0
    assert ("cost_usd" in found.at_least) is (rows[-1]["cost_usd"] is None)


@pytest.mark.parametrize(("n", "known"), [(20, True), (18, True), (17, False), (0, False)])
def test_figures_that_few_items_of_a_side_logged_are_held_against_nothing(
    n: int, known: bool
) -> None:
    figures = [
        {"figure": "error_rate", "baseline": 0.0, "candidate": 0.0,
         "n_baseline": 20, "n_candidate": 20},
        {"figure": "latency_p50_ms", "baseline": 100.0 if n else None, "candidate": 100.0,
         "n_baseline": n, "n_candidate": 20},
    ]  # fmt: skip
    found = gathered({"a": PASSES}, figures=figures)
    assert (found.pair_baseline.latency_p50_ms is not None) is known
    assert found.pair_candidate.latency_p50_ms == 100
    decision = decide(parse_policy(b"run: {max_latency_p50_rise: 10}", "gate.yaml"), found)
    told = next(each for each in decision.outcomes if each.rule == "max_latency_p50_rise")
    assert (told.outcome == "passed") is known
    assert ("logged for 17 of 20 items of the baseline only" in told.reason) is (n == 17)
    assert ("not logged by the baseline" in told.reason) is (n == 0)


def test_notes_and_cases_the_system_failed_on_are_told() -> None:
    found = gathered({"a": PASSES, "b": FAILS}, comparison={"system_error_case_ids": ["b", "x"]})
    assert found.notes == ("the mix of cases changed",)
    assert found.left_out == (("system error", ("b",)),)


def test_a_percentile_of_few_items_says_so() -> None:
    found = gathered({"a": PASSES}, items=items(3, 3), run={"latency_p50_ms": 10.0}).candidate
    assert found.notes == {"latency_p95_ms": "3 items are too few for it"}


def test_a_run_that_logs_no_figure_has_none_and_no_excuse() -> None:
    found = gathered({"a": PASSES}, items=items(10, 0)).candidate
    assert (found.cost_usd, found.latency_p50_ms, found.notes, found.at_least) == (
        None, None, {}, {},
    )  # fmt: skip
