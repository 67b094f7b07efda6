"""The marts that say what to mend: abstention, retrieval against generation, depth, scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline import tables
from rag_eval_pipeline.measures.retrieval.average_precision import average_precision
from rag_eval_pipeline.measures.retrieval.hit import hit
from rag_eval_pipeline.measures.retrieval.ndcg import ndcg
from rag_eval_pipeline.measures.retrieval.precision import precision, precision_ceiling
from rag_eval_pipeline.measures.retrieval.recall import recall
from rag_eval_pipeline.measures.retrieval.reciprocal_rank import reciprocal_rank
from rag_eval_pipeline.scores.diagnosis import MEND, PRACTICE
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.sql_models import load_models, run_model
from tests.dbt_like_sql.conftest import Row, fill, of_table

MODELS = load_models(Path(__file__).parents[2] / "dbt_like_sql")
KEYS: Row = {
    "dataset_version": "d@1",
    "dataset_hash": "h",
    "run_id": "r",
    "run_hash": "rh",
    "measure_version": "m",
}
CLAIMS = {"rubric_version": "claims@1", "axis": "search", "name": "claims", "axis_hash": "a"}


def score(case: str, *, trial: int = 1, **values: Any) -> Row:
    """A measured row of case_scores that passes unless told otherwise."""
    row: Row = {**KEYS, "rubric_version": "claims@1", "case_id": case, "trial": trial}
    for axis in AXES:
        row |= {f"{axis}_state": "measured", f"{axis}_score": 1.0, f"{axis}_passed": True}
    return {**row, "state": "measured", "score": 1.0, "passed": True, **values}


def wrong(axis: str) -> Row:
    return {f"{axis}_score": 0.0, f"{axis}_passed": False, "passed": False, "score": 0.75}


def gone(state: str) -> Row:
    nothing = {f"{axis}_{part}": None for axis in AXES for part in ("score", "passed")}
    states = {f"{axis}_state": state for axis in AXES}
    return {**nothing, **states, "state": state, "score": None, "passed": None}


def made(warehouse: DuckDBFile, mart: str, scores: list[Row], **rows: list[Row]) -> pl.DataFrame:
    """A mart over given rows; every item is logged, every scored case is there."""
    known = {each["case_id"]: each for each in rows.pop("cases", [])}
    names = dict.fromkeys(each["case_id"] for each in scores)
    items = [
        {**{name: each[name] for name in ("dataset_version", "run_id", "run_hash", "case_id",
                                          "trial")}, "error": each.pop("error", None)}
        for each in scores
        if each["state"] != "missing"
    ]  # fmt: skip
    cases = [{"dataset_version": "d@1", "case_id": name, **known.get(name, {})} for name in names]
    measured: dict[str, list[Row]] = {
        "behavior_measures": [], "retrieval_measures": [], "scenario_measures": [],
        "case_evidence": [],
    }  # fmt: skip
    fill(
        warehouse,
        case_scores=scores,
        run_items=items,
        cases=cases,
        runs=[{"dataset_version": "d@1", "run_id": "r", "run_hash": "rh"}],
        rubrics=[{**CLAIMS, "body": '{"k":3,"measure":"recall"}'}],
        **{**measured, **rows},
    )
    frame = run_model(warehouse, MODELS[mart], MODELS, "d@1", ["r"])
    tables.TABLES[mart].validate(frame, lazy=True)
    return frame


def behaved(case: str, expected: str, observed: str | None, **values: Any) -> Row:
    told = {"expected_status": expected, "observed_status": observed}
    return {**KEYS, "case_id": case, "trial": 1, **told, "status_match": expected == observed,
            **values}  # fmt: skip


def case(name: str, expected: str = "answer", **values: Any) -> Row:
    return {"case_id": name, "expected_status": expected, **values}


# Answered, refused, rightly abstained, made up, answered where a question was due, missing, doubt.
STATUSES = [
    behaved("a", "answer", "answer"),
    behaved("b", "answer", "unknown"),
    behaved("c", "unknown", "unknown", no_invented_value="met"),
    behaved("d", "unknown", "answer", no_invented_value="unmet"),
    behaved("e", "clarify", "answer", names_missing_condition="unmet"),
    behaved("g", "answer", "answer"),
]
SCORED = [
    score("a"),
    score("b", **wrong("behavior")),
    score("c"),
    score("d", **wrong("behavior")),
    score("e", **wrong("behavior")),
    score("f", **gone("missing")),
    score("g", **gone("held_out")),
]
EXPECTED = [
    case("a"), case("b"), case("c", "unknown"), case("d", "unknown"), case("e", "clarify"),
    case("f"), case("g"),
]  # fmt: skip


def test_each_rate_of_abstention_stands_beside_its_n(warehouse: DuckDBFile) -> None:
    rows = made(warehouse, "abstention_summary", [dict(each) for each in SCORED],
                cases=EXPECTED, behavior_measures=STATUSES)  # fmt: skip
    (row,) = rows.to_dicts()
    assert [row["n_cases"], row["n_measured"], row["n_missing"], row["n_held_out"]] == [7, 5, 1, 1]
    # Answerable are a, b and the missing f; g is in doubt and in no denominator.
    assert (row["n_answerable"], row["answered_rate"]) == (3, pytest.approx(1 / 3))
    assert row["over_refusal_rate"] == pytest.approx(1 / 3)
    assert (row["n_unanswerable"], row["correct_abstention_rate"]) == (2, 0.5)
    assert row["missed_abstention_rate"] == 0.5
    assert (row["n_underspecified"], row["correct_clarification_rate"]) == (1, 0.0)
    assert row["missed_clarification_rate"] == 1.0
    assert row["needless_clarification_rate"] == 0.0
    assert (row["n_no_invented_value"], row["no_invented_value_rate"]) == (2, 0.5)
    assert (row["n_names_missing_condition"], row["names_missing_condition_rate"]) == (1, 0.0)
    assert (row["n_gives_next_action"], row["gives_next_action_rate"]) == (0, None)


def test_the_matrix_counts_expected_against_observed(warehouse: DuckDBFile) -> None:
    rows = made(warehouse, "abstention_matrix", [dict(each) for each in SCORED],
                cases=EXPECTED, behavior_measures=STATUSES)  # fmt: skip
    cells = rows.select("expected_status", "observed_status", "is_right", "n_pairs", "case_ids")
    assert cells.rows() == [
        ("answer", "answer", True, 1, ["a"]),
        ("answer", "unknown", False, 1, ["b"]),
        ("clarify", "answer", False, 1, ["e"]),
        ("unknown", "answer", False, 1, ["d"]),
        ("unknown", "unknown", True, 1, ["c"]),
    ]


def test_a_case_counts_once_by_the_share_of_its_trials(warehouse: DuckDBFile) -> None:
    scores = [score("a", trial=number) for number in (1, 2, 3)]
    told = [{**behaved("a", "answer", "answer"), "trial": number} for number in (1, 2)] + [
        {**behaved("a", "answer", "unknown"), "trial": 3}
    ]
    (row,) = made(
        warehouse, "abstention_summary", scores, cases=[case("a")], behavior_measures=told
    ).to_dicts()
    assert (row["n_answerable"], row["answered_rate"]) == (1, pytest.approx(2 / 3))


# Thirds added up over this many cases come to a hair more than the number of cases.
THIRDS = [f"c{number:02}" for number in range(11)]


def test_perfect_trials_are_a_rate_of_exactly_one(warehouse: DuckDBFile) -> None:
    trials = [(name, number) for name in THIRDS for number in (1, 2, 3)]
    scores = [score(name, trial=number) for name, number in trials]
    told = [{**behaved(name, "answer", "answer"), "trial": number} for name, number in trials]
    ranks = [ranked(name, 1, trial=number) for name, number in trials]
    cases = [case(name) for name in THIRDS]
    answered = made(warehouse, "abstention_summary", scores, cases=cases, behavior_measures=told)
    found = made(warehouse, "retrieval_at_k", scores, cases=cases, retrieval_measures=ranks)
    assert answered["answered_rate"].to_list() == [1.0]
    for figure in ("hit", "recall", "reciprocal_rank", "average_precision", "ndcg"):
        assert set(found[figure]) == {1.0}, figure


def test_a_system_error_and_no_status_are_told_apart(warehouse: DuckDBFile) -> None:
    scores = [score("a", error="timeout", **wrong("behavior")), score("b", **wrong("behavior"))]
    told = [behaved("a", "answer", "answer"), behaved("b", "answer", None)]
    rows = made(warehouse, "abstention_matrix", scores, cases=[case("a"), case("b")],
                behavior_measures=told)  # fmt: skip
    assert rows.select("observed_status", "is_right").rows() == [("error", False), ("none", False)]


def ranked(case: str, *ranks: int | None, trial: int = 1) -> Row:
    return {**KEYS, "case_id": case, "trial": trial, "ranks": list(ranks),
            "group_ranks": list(ranks), "n_groups": len(ranks), "method": "ids",
            "grades": [1] * len(ranks),
            "found_grades": [None if rank is None else 1 for rank in ranks]}  # fmt: skip


# Found and right, found and wrong, deep and wrong, never and right by luck, without gold, open.
RANKED = [ranked("a", 1), ranked("b", 3, 2), ranked("c", 5), ranked("d", None), ranked("e"),
          ranked("f", 4)]  # fmt: skip
CROSSED = [
    score("a"),
    score("b", **wrong("evidence")),
    score("c", **wrong("evidence")),
    score("d"),
    score("e"),
    score("f", evidence_state="unmeasured", evidence_score=None, evidence_passed=None,
          state="unmeasured", score=None, passed=None),
]  # fmt: skip


def test_retrieval_is_crossed_with_generation(warehouse: DuckDBFile) -> None:
    rows = made(warehouse, "retrieval_generation_matrix", [dict(each) for each in CROSSED],
                retrieval_measures=RANKED)  # fmt: skip
    cells = rows.filter(pl.col("dimension") == "all").select(
        "evidence_found", "answer_right", "mendable_by", "n_cell", "n_crossed", "k", "case_ids"
    )
    assert cells.rows() == [
        (False, False, "retrieval", 1, 4, 3, ["c"]),
        (False, True, "nothing", 1, 4, 3, ["d"]),
        (True, False, "generation", 1, 4, 3, ["b"]),
        (True, True, "nothing", 1, 4, 3, ["a"]),
    ]
    assert set(rows["dimension"]) == {"all", "category", "split", "risk", "language"}


def test_another_k_tells_what_it_would_have_caught(warehouse: DuckDBFile) -> None:
    rows = made(warehouse, "retrieval_at_k", [dict(each) for each in CROSSED],
                retrieval_measures=RANKED)  # fmt: skip
    at = {row["k"]: row for row in rows.to_dicts()}
    assert sorted(at) == list(range(1, 21))
    names = ("rubric_k", "n_ranked", "n_covered", "n_missed", "n_caught")
    assert [at[1][name] for name in names] == [3, 5, 1, 3, 0]
    assert [at[3][name] for name in names] == [3, 5, 2, 3, 0]
    assert [at[5][name] for name in names] == [3, 5, 4, 3, 2]


def test_rank_measures_at_each_k_are_those_of_the_stored_ranks(warehouse: DuckDBFile) -> None:
    graded = {**ranked("b", 3, 2, 3, None), "grades": [1, 3, 2, 1], "found_grades": [1, 3, 2, None]}
    items = [ranked("a", 1), graded, ranked("c", None)]
    frame = made(warehouse, "retrieval_at_k", [score(name) for name in "abc"],
                 retrieval_measures=items)  # fmt: skip
    measures = of_table("retrieval_measures", items)
    ranks, grades = pl.col("ranks"), (pl.col("grades"), pl.col("found_grades"))
    for row in frame.to_dicts():
        k = row["k"]
        wanted = measures.select(
            hit=hit(ranks, k).mean(),
            recall=recall(ranks, k).mean(),
            precision=precision(ranks, k).mean(),
            precision_ceiling=precision_ceiling(ranks, k).mean(),
            reciprocal_rank=reciprocal_rank(ranks, k).mean(),
            average_precision=average_precision(ranks, k).mean(),
            ndcg=ndcg(ranks, *grades, k).mean(),
        ).row(0, named=True)
        assert {name: row[name] for name in wanted} == pytest.approx(wanted, abs=1e-9), k


def test_cases_with_gold_that_were_not_answered_count_as_0(warehouse: DuckDBFile) -> None:
    scores = [score("a"), score("b", **gone("missing")), score("c", error="x", **wrong("search")),
              score("d", **gone("missing"))]  # fmt: skip
    gold = [
        {"dataset_version": "d@1", "case_id": name, "group_no": 1, "evidence_id": "e"}
        for name in "abc"
    ]
    frame = made(warehouse, "retrieval_at_k", scores, retrieval_measures=[ranked("a", 1)],
                 case_evidence=gold)  # fmt: skip
    row = frame.row(0, named=True)
    assert (row["n_ranked"], row["n_unanswered"]) == (1, 2)
    assert (row["recall"], row["ndcg"]) == pytest.approx((1 / 3, 1 / 3))


def test_the_trials_of_a_case_decide_by_majority(warehouse: DuckDBFile) -> None:
    scores = [score("a", trial=number) for number in (1, 2, 3)]
    ranks = [ranked("a", 1), ranked("a", 6, trial=2), ranked("a", None, trial=3)]
    rows = made(warehouse, "retrieval_at_k", scores, retrieval_measures=ranks)
    covered = {row["k"]: row["n_covered"] for row in rows.to_dicts()}
    assert (covered[5], covered[6]) == (0, 1)


def test_the_worst_variant_of_a_scenario_is_its_result(warehouse: DuckDBFile) -> None:
    scores = [score("a"), score("b", **wrong("evidence")), score("c"), score("d")]
    scores += [score("e", **gone("missing"))]
    cases = [case(name, scenario_id=scenario) for name, scenario in
             (("a", "s"), ("b", "s"), ("c", "t"), ("d", None), ("e", "u"))]  # fmt: skip
    measured = [{**KEYS, "scenario_id": "s", "contradicting_values": ["a: 500円 / b: 800円"]}]
    rows = made(warehouse, "scenario_summary", scores, cases=cases, scenario_measures=measured)
    assert rows.select(
        "scenario_id", "n_cases", "n_passed", "n_failed", "all_pass", "is_split", "worst_score",
        "failed_case_ids", "contradicting_values",
    ).rows() == [
        ("s", 2, 1, 1, False, True, 0.75, ["b"], ["a: 500円 / b: 800円"]),
        ("t", 1, 1, 0, True, False, 1.0, [], []),
        ("u", 1, 0, 1, False, False, 0.0, ["e"], []),
    ]  # fmt: skip


def test_every_cause_has_its_word_of_practice(warehouse: DuckDBFile) -> None:
    scores = [
        score(f"q{number:02}", **wrong("evidence"), diagnosis=cause, where_to_mend=mend)
        for number, (cause, mend) in enumerate(MEND.items())
    ]
    rows = made(warehouse, "failure_summary", scores)
    words = dict(rows.select("diagnosis", "practice").iter_rows())
    assert words == {cause: PRACTICE.get(cause) for cause in MEND}
