"""A Japanese retrieval-only run gives its published figures; opt-in.

RAG_EVAL_REAL_SETS names the folder the sets lie in; without it these tests are skipped.
"""

import json
import os
from pathlib import Path

import polars as pl
import pytest

from rag_eval_pipeline.measures.retrieval.depths import at_depths
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

SETS = os.environ.get("RAG_EVAL_REAL_SETS")
SET = Path(SETS or "absent") / "jsquad_ja"

pytestmark = [
    pytest.mark.real_sets,
    pytest.mark.skipif(not SET.is_dir(), reason="RAG_EVAL_REAL_SETS has no jsquad_ja"),
]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory, rows_in, rows_into, nightly) -> DuckDBFile:
    data = tmp_path_factory.mktemp("jsquad") / "data"
    cases = rows_in(SET / "cases.jsonl")
    for case in cases:
        case["expected_status"] = "answer" if case.pop("answerable") else "unknown"
    rows_into(data / "knowledge" / "jsquad" / "documents.jsonl", rows_in(SET / "documents.jsonl"))
    rows_into(data / "datasets" / "jsquad" / "v1" / "cases.jsonl", cases)
    manifest = data / "datasets" / "jsquad" / "v1" / "dataset.yaml"
    manifest.write_text("rubrics: [claims]\nlanguage: ja\n", encoding="utf-8")
    for log in (SET / "runs").glob("*.jsonl"):
        items = rows_in(log)
        for item in items:
            del item["status"]
        rows_into(data / "runs" / log.name, items)
    return nightly(data)


@pytest.fixture(scope="module")
def derived() -> dict:
    return json.loads((SET / "expected.json").read_text(encoding="utf-8"))["derived"]


def test_answerable_cases_have_gold_and_the_others_have_none(
    warehouse: DuckDBFile, derived: dict
) -> None:
    measured = warehouse.read("retrieval_measures")
    with_gold = measured.filter(pl.col("n_groups") > 0)
    assert with_gold.height == derived["n_answerable"]
    assert measured.height - with_gold.height == derived["n_unanswerable"]
    assert measured["gold_problem"].null_count() == measured.height


def test_stored_ranks_give_the_published_figures(warehouse: DuckDBFile, derived: dict) -> None:
    measured = warehouse.read("retrieval_measures").select(at_depths([1, 5]))
    names = {
        "Success@5": "hit_at_5",
        "R@5": "recall_at_5",
        "RR@5": "reciprocal_rank_at_5",
        "nDCG@5": "ndcg_at_5",
        "R@1": "recall_at_1",
    }
    # Without gold a measure is null, and the mean is over the answerable cases.
    assert {name: measured[ours].mean() for name, ours in names.items()} == pytest.approx(
        derived["bm25_char2_answerable_only"], abs=1e-9
    )


def test_a_run_without_answers_is_judged_by_what_it_retrieved(warehouse: DuckDBFile) -> None:
    states = warehouse.sql("SELECT DISTINCT evidence_state, behavior_state FROM case_scores")
    assert states.rows() == [("not_applicable", "not_applicable")]
    passed = warehouse.sql(
        "SELECT count(*) FILTER (search_passed), count(*) FILTER (search_state = 'measured') "
        "FROM case_scores"
    ).row(0)
    assert passed == (141, 147)
