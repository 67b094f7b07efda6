from collections.abc import Callable
from typing import Any

import polars as pl

from rag_eval_pipeline.scores.facts import CLAIM_LISTS, claims_by_state, facts

RowsOf = Callable[..., pl.DataFrame]
ITEM = {"run_id": "r", "trial": 1}


def test_the_measures_of_an_item_stand_side_by_side(rows_of: RowsOf) -> None:
    cases: list[dict[str, Any]] = [{**ITEM, "case_id": "q1"}, {**ITEM, "case_id": "q2"}]
    found = facts(
        rows_of("retrieval_measures", *cases),
        rows_of("answer_measures", *({**each, "system_error": False} for each in cases)),
        rows_of("behavior_measures", *({**each, "observed_status": "clarify"} for each in cases)),
        rows_of("claim_verdicts"),
        rows_of("run_items", {**cases[0], "source": "shipping"}, cases[1]),
        rows_of(
            "case_evidence",
            {"case_id": "q1", "group_no": 2, "evidence_id": "b"},
            {"case_id": "q1", "group_no": 1, "evidence_id": "a"},
        ),
    )
    assert found.select("case_id", "source", "gold_ids", "observed_status").rows() == [
        ("q1", "shipping", ["a", "b"], "clarify"),
        ("q2", None, [], "clarify"),
    ]
    assert {"group_ranks", "exact_match", "status_match"} <= set(found.columns)


def verdict(claim_id: str, verdict: str, mention: str = "full", **other: Any) -> dict[str, Any]:
    return {
        **ITEM,
        "case_id": "q1",
        "claim_id": claim_id,
        "origin": "gold",
        "target": "answer",
        "kind": "required",
        "importance": "vital",
        "verdict": verdict,
        "mention": mention,
        **other,
    }


def states(rows_of: RowsOf, *verdicts: dict[str, Any]) -> dict[str, Any]:
    found = claims_by_state(rows_of("claim_verdicts", *verdicts)).row(0, named=True)
    return {name: found[name] for name in CLAIM_LISTS if found[name]}


def test_an_undecided_required_claim_is_open_only_where_the_answer_speaks_of_all_of_it(
    rows_of: RowsOf,
) -> None:
    assert states(
        rows_of,
        verdict("r1", "supported"),
        verdict("r2", "contradicted"),
        verdict("r3", "undecided", "full"),
        verdict("r4", "undecided", "partial"),
        verdict("r5", "undecided", "none"),
    ) == {
        "vital_met": ["r1"],
        "vital_contradicted": ["r2"],
        "vital_open": ["r3"],
        "vital_absent": ["r4", "r5"],
    }


def test_an_undecided_forbidden_claim_is_open_where_the_answer_speaks_of_it(
    rows_of: RowsOf,
) -> None:
    forbidden = {"kind": "forbidden"}
    assert states(
        rows_of,
        verdict("f1", "supported", **forbidden),
        verdict("f2", "contradicted", **forbidden),
        verdict("f3", "undecided", "partial", **forbidden),
        verdict("f4", "undecided", "none", **forbidden),
    ) == {
        "forbidden_asserted": ["f1"],
        "forbidden_clear": ["f2", "f4"],
        "forbidden_open": ["f3"],
    }


def test_okay_claims_are_kept_apart(rows_of: RowsOf) -> None:
    okay = {"importance": "okay"}
    assert states(
        rows_of,
        verdict("r1", "supported", **okay),
        verdict("r2", "contradicted", **okay),
        verdict("r3", "undecided", "full", **okay),
    ) == {"okay_met": ["r1"], "okay_unmet": ["r2"], "okay_open": ["r3"]}


def test_of_the_derived_claims_the_best_one_counts_and_they_count_as_one(rows_of: RowsOf) -> None:
    derived = {"kind": "derived"}
    wrong, right = verdict("a1", "contradicted", **derived), verdict("a2", "supported", **derived)
    assert states(rows_of, wrong, right) == {"vital_met": ["a2"]}
    assert states(rows_of, wrong, verdict("a2", "undecided", **derived)) == {"vital_open": ["a2"]}
    assert states(rows_of, wrong) == {"vital_contradicted": ["a1"]}


def test_only_verdicts_of_gold_claims_on_the_answer_count(rows_of: RowsOf) -> None:
    found = claims_by_state(
        rows_of(
            "claim_verdicts",
            verdict("r1", "supported", target="doc:1"),
            verdict("c1", "supported", origin="answer", target="gold", kind="answer"),
        )
    )
    assert found.is_empty()


def test_notes_hold_the_claim_and_the_clause_that_decided(rows_of: RowsOf) -> None:
    found = claims_by_state(
        rows_of(
            "claim_verdicts",
            verdict("r1", "contradicted", quote="送料は800円です"),
            verdict("f1", "supported", kind="forbidden", quote="返品" * 50),
        )
    ).row(0, named=True)
    assert found["contradicted_notes"] == ["r1: 送料は800円です"]
    assert found["asserted_notes"] == [f"f1: {'返品' * 29}返…"]
