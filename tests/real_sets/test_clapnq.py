"""English gold sentences are found in their documents, also by the text of other chunks; opt-in.

RAG_EVAL_REAL_SETS names the folder the sets lie in; without it these tests are skipped. The set
has no runs, so one is made: each question gets its passage in chunks whose ids nobody knows.
"""

import json
import os
from pathlib import Path

import polars as pl
import pytest

from rag_eval_pipeline.text.ngrams import Passage, Searched
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

SETS = os.environ.get("RAG_EVAL_REAL_SETS")
SET = Path(SETS or "absent") / "clapnq_dev80"
WORDS_A_CHUNK, STEP = 60, 40

pytestmark = [
    pytest.mark.real_sets,
    pytest.mark.skipif(not SET.is_dir(), reason="RAG_EVAL_REAL_SETS has no clapnq_dev80"),
]


def chunks(text: str) -> list[str]:
    words = text.split()
    last = max(len(words) - WORDS_A_CHUNK, 0)
    starts = [*range(0, last, STEP), last]
    return [" ".join(words[start : start + WORDS_A_CHUNK]) for start in starts]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory, rows_in, rows_into, nightly) -> DuckDBFile:
    data = tmp_path_factory.mktemp("clapnq") / "data"
    documents, cases = rows_in(SET / "documents.jsonl"), rows_in(SET / "cases.jsonl")
    texts = {document["doc_id"]: document["text"] for document in documents}
    items = []
    for case in cases:
        case["expected_status"] = "answer" if case.pop("answerable") else "unknown"
        case["expected_answers"] = [answer for answer in case["expected_answers"] if answer]
        case["evidence_quotes"] = [
            each for group in case.pop("evidence_sentences") for each in group
        ]
        (source,) = case["reference_evidence_ids"] or case["distractor_ids"]
        slots = [
            {"id": f"chunk-{source}-{number}", "text": text}
            for number, text in enumerate(chunks(texts[source]))
        ]
        items.append({"case_id": case["case_id"], "retrieved": slots, "answer": None})
    rows_into(data / "knowledge" / "clapnq" / "documents.jsonl", documents)
    rows_into(data / "datasets" / "clapnq" / "v1" / "cases.jsonl", cases)
    manifest = data / "datasets" / "clapnq" / "v1" / "dataset.yaml"
    manifest.write_text("rubrics: [claims]\nlanguage: en\n", encoding="utf-8")
    rows_into(data / "runs" / "rechunked.jsonl", items)
    return nightly(data)


@pytest.fixture(scope="module")
def derived() -> dict:
    return json.loads((SET / "expected.json").read_text(encoding="utf-8"))["derived"]


def test_all_cases_are_read(warehouse: DuckDBFile, derived: dict) -> None:
    cases = warehouse.read("cases")
    assert cases.height == derived["n_cases"]
    expected = dict(cases["expected_status"].value_counts().iter_rows())
    assert expected == {"answer": derived["n_answerable"], "unknown": derived["n_unanswerable"]}
    assert warehouse.read("quarantine").is_empty()


def test_every_gold_sentence_is_found_in_its_document(warehouse: DuckDBFile, derived: dict) -> None:
    quotes = (
        warehouse.read("cases")
        .select("case_id", quote="evidence_quotes")
        .explode("quote")
        .drop_nulls()
        .join(warehouse.read("case_evidence").select("case_id", "doc_id"), on="case_id")
        .join(warehouse.read("sections").select("doc_id", "text"), on="doc_id")
    )
    assert quotes.height == derived["evidence_sentences"]
    found = [
        Passage.of([quote]).covered_at([Searched.of(text)]) == 1
        for quote, text in quotes.select("quote", "text").iter_rows()
    ]
    assert sum(found) == derived["evidence_sentences_found_in_their_document"]


def test_a_rechunked_index_is_measured_by_text(warehouse: DuckDBFile, derived: dict) -> None:
    measured = warehouse.read("retrieval_measures")
    assert set(measured["method"]) == {"text"}
    with_gold = measured.filter(pl.col("n_groups") > 0)
    assert with_gold.height == derived["n_answerable"]
    # All chunks of the passage are there, so every group is covered at the last of them at most.
    assert with_gold["ranks"].list.eval(pl.element().is_not_null()).list.all().all()
    assert (with_gold["ranks"].list.max() <= with_gold["n_retrieved"]).all()
