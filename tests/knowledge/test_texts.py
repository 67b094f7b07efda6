from collections.abc import Callable

import polars as pl

from rag_eval_pipeline.knowledge.texts import text_hashes

RowsOf = Callable[..., pl.DataFrame]


def test_documents_and_their_sections_each_have_a_hash(rows_of: RowsOf) -> None:
    documents = rows_of(
        "documents", {"doc_id": "a", "sha256": "whole a"}, {"doc_id": "b", "sha256": "whole b"}
    )
    sections = rows_of(
        "sections",
        {"doc_id": "a", "section_id": "1", "sha256": "a 1"},
        {"doc_id": "b", "section_id": None, "sha256": "only b"},
    )
    assert text_hashes(documents, sections) == {
        ("a", None): "whole a",
        ("a", "1"): "a 1",
        ("b", None): "whole b",
    }
