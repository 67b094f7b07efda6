"""Equal to trec_eval: to its probes, and by property to the libraries that carry its code.

The order of a ranking is handed over as strictly decreasing whole numbers, so that no reader can
re-order it. A query the run lacks is compared as the empty ranking it is (`-c`).
"""

from collections.abc import Sequence

import ir_measures
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, Success, nDCG

from rag_eval_pipeline.measures.retrieval.average_precision import average_precision
from rag_eval_pipeline.measures.retrieval.depths import at_depths
from rag_eval_pipeline.measures.retrieval.ndcg import ndcg
from rag_eval_pipeline.measures.retrieval.ranks import group_ranks
from rag_eval_pipeline.measures.retrieval.reciprocal_rank import reciprocal_rank

Grades = dict[str, int]
Qrels = dict[str, Grades]
Run = dict[str, list[str]]

DEPTHS = (1, 2, 3, 5, 8, 30)
WHOLE = {
    "map": average_precision(pl.col("ranks")),
    "recip_rank": reciprocal_rank(pl.col("ranks")),
    "ndcg": ndcg(pl.col("ranks"), pl.col("grades"), pl.col("found_grades")),
}
CUT = {
    "success": "hit",
    "recall": "recall",
    "P": "precision",
    "map_cut": "average_precision",
    "ndcg_cut": "ndcg",
}


def ours(qrels: Qrels, run: Run, depths: Sequence[int] = DEPTHS) -> dict[str, dict[str, float]]:
    """Our measures by query, named as trec_eval names them; a query without gold is left out."""
    items = pl.DataFrame(
        {"run_id": "r", "case_id": list(qrels), "trial": 1},
        schema={"run_id": pl.String, "case_id": pl.String, "trial": pl.Int64},
    )
    slots = [
        (query, position, each)
        for query, ranking in run.items()
        for position, each in enumerate(ranking, start=1)
    ]
    retrieved = pl.DataFrame(
        slots,
        schema={"case_id": pl.String, "position": pl.Int64, "evidence_id": pl.String},
        orient="row",
    ).with_columns(
        run_id=pl.lit("r"),
        trial=pl.lit(1, pl.Int64),
        doc_id=pl.col("evidence_id"),
        section_id=pl.lit(None, pl.String),
    )
    gold = [
        (query, number, each, grade)
        for query, grades in qrels.items()
        for number, (each, grade) in enumerate(grades.items(), start=1)
        if grade > 0
    ]
    evidence = pl.DataFrame(
        gold,
        schema={
            "case_id": pl.String,
            "group_no": pl.Int64,
            "evidence_id": pl.String,
            "grade": pl.Int64,
        },
        orient="row",
    ).with_columns(doc_id=pl.col("evidence_id"), section_id=pl.lit(None, pl.String))
    ranked = group_ranks(items, retrieved, evidence)
    measured = ranked.select("case_id", *at_depths(depths), **WHOLE)
    named = {name: pl.col(name) for name in WHOLE} | {
        f"{theirs}_{k}": pl.col(f"{name}_at_{k}") for theirs, name in CUT.items() for k in depths
    }
    rows = measured.select("case_id", **named).iter_rows(named=True)
    by_query = {row.pop("case_id"): row for row in rows}
    return {query: row for query, row in by_query.items() if row["map"] is not None}


def similarities(ranking: Sequence[str]) -> dict[str, float]:
    return {each: float(len(ranking) - place) for place, each in enumerate(ranking)}


def trec_eval(qrels: Qrels, run: Run) -> dict[str, dict[str, float]]:
    cuts = ",".join(map(str, DEPTHS))
    names = {*WHOLE, *(f"{name}.{cuts}" for name in CUT)}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, names)
    scored = evaluator.evaluate({query: similarities(ranking) for query, ranking in run.items()})
    return {query: {name: row[name] for name in sorted(row)} for query, row in scored.items()}


# Probes: what trec_eval 10 prints for them, rounded to four digits.
def test_probe_graded_gold_with_an_unjudged_slot() -> None:
    found = ours({"q1": {"dA": 1, "dB": 0, "dC": 2}}, {"q1": ["dC", "dB", "dA", "dX"]})["q1"]
    expected = {
        "map": 0.8333,
        "recip_rank": 1.0,
        "P_1": 1.0,
        "P_5": 0.4,
        "recall_1": 0.5,
        "recall_3": 1.0,
        "ndcg": 0.9502,
        "ndcg_cut_2": 0.7602,
        "ndcg_cut_3": 0.9502,
        "ndcg_cut_5": 0.9502,
        "success_1": 1.0,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=5e-5)


def test_probe_only_the_higher_grade_is_relevant() -> None:
    found = ours({"q1": {"dC": 2}}, {"q1": ["dC", "dB", "dA", "dX"]})["q1"]
    assert (found["map"], found["recall_1"]) == (1.0, 1.0)


def test_probe_ties_of_score_do_not_exist_for_us_the_logged_order_is_the_truth() -> None:
    found = ours({"q1": {"dA": 1, "dB": 0, "dC": 2}}, {"q1": ["dC", "dB", "dA"]})["q1"]
    assert found["map"] == pytest.approx(0.8333, abs=5e-5)
    assert found["ndcg_cut_2"] == pytest.approx(0.7602, abs=5e-5)


def test_probe_a_query_the_run_lacks_counts_as_zero_and_one_without_gold_not_at_all() -> None:
    found = ours(
        {"q1": {"dA": 1, "dB": 0, "dC": 2}, "q2": {"dA": 1}, "q3": {"dA": 0}},
        {"q1": ["dC", "dB", "dA", "dX"]},
    )
    assert set(found["q2"].values()) == {0.0}
    assert "q3" not in found
    # trec_eval counts q3 as 0 as well; the sums are the same, the number of queries is not.
    sums = {name: sum(row[name] for row in found.values()) for name in found["q1"]}
    expected = {"map": 0.2778, "recip_rank": 0.3333, "recall_1": 0.1667, "ndcg_cut_2": 0.2534}
    assert {name: sums[name] / 3 for name in expected} == pytest.approx(expected, abs=5e-5)


def test_probe_a_query_without_gold_entry_is_ignored_and_one_with_other_slots_misses() -> None:
    qrels = {"q1": {"dA": 1, "dB": 0, "dC": 2}, "q2": {"dA": 1}}
    found = ours(qrels, {"q1": ["dC", "dB", "dA", "dX"], "q9": ["dA"], "q2": ["dZ"]})
    assert set(found) == {"q1", "q2"}
    assert found["q2"]["map"] == 0.0


def test_probe_scores_that_differ_in_the_eleventh_digit_do_not_tie_for_us() -> None:
    assert ours({"q1": {"dA": 1, "dB": 0}}, {"q1": ["dA", "dB"]})["q1"]["recip_rank"] == 1.0


def test_probe_a_repeated_id_is_no_error_and_earns_once() -> None:
    found = ours({"q1": {"dA": 1}}, {"q1": ["dA", "dA"]})["q1"]
    assert (found["map"], found["ndcg"], found["P_2"]) == (1.0, 1.0, 0.5)


def test_probe_an_empty_run_misses_everything() -> None:
    assert set(ours({"q1": {"dA": 1}}, {})["q1"].values()) == {0.0}


documents = st.sampled_from([f"d{number}" for number in range(14)])
rankings = st.lists(documents, max_size=20)
judged = st.dictionaries(documents, st.integers(0, 3), min_size=1, max_size=7)


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[Qrels, Run]:
    """Judged queries, some of which the run lacks; rankings may repeat an id."""
    qrels = {f"q{number}": draw(judged) for number in range(draw(st.integers(1, 4)))}
    run = {query: draw(rankings) for query in qrels if draw(st.integers(0, 4)) > 0}
    return qrels, run


def spread(ranking: list[str]) -> list[str]:
    """The ranking with each repetition replaced by an unjudged id, so that places stay."""
    seen: set[str] = set()
    kept = []
    for place, each in enumerate(ranking):
        kept.append(each if each not in seen else f"again-{place}")
        seen.add(each)
    return kept


@given(evaluations())
@settings(max_examples=150)
def test_equal_to_trec_eval_query_by_query(evaluation: tuple[Qrels, Run]) -> None:
    qrels, run = evaluation
    # With -c a missing query is an empty ranking; the library has no word for one of no slots.
    complete = {query: spread(run.get(query, [])) or ["none"] for query in qrels}
    found, expected = ours(qrels, run), trec_eval(qrels, complete)
    for query, grades in qrels.items():
        if not any(grades.values()):
            assert query not in found
            assert set(expected[query].values()) == {0.0}
        else:
            assert found[query] == pytest.approx(expected[query], abs=1e-9)


@given(evaluations())
@settings(max_examples=60)
def test_means_equal_ir_measures_which_counts_missing_queries(
    evaluation: tuple[Qrels, Run],
) -> None:
    qrels, run = evaluation
    with_gold = {query: grades for query, grades in qrels.items() if any(grades.values())}
    # Without a slot anywhere the library has nothing to evaluate.
    run = {query: spread(ranking) for query, ranking in run.items()} | {"other": ["none"]}
    if not with_gold:
        assert ours(qrels, run) == {}
        return
    names = {
        "map": AP,
        "recip_rank": RR,
        "ndcg": nDCG,
        "ndcg_cut_5": nDCG @ 5,
        "recall_5": R @ 5,
        "P_5": P @ 5,
        "success_5": Success @ 5,
    }
    theirs = ir_measures.calc_aggregate(
        list(names.values()),
        with_gold,
        {query: similarities(ranking) for query, ranking in run.items()},
    )
    rows = ours(qrels, run).values()
    means = {name: sum(row[name] for row in rows) / len(rows) for name in names}
    assert means == pytest.approx(
        {name: theirs[measure] for name, measure in names.items()}, abs=1e-9
    )
