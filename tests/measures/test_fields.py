import polars as pl
import pytest

from rag_eval_pipeline.measures.fields import malformed_fields

RIGHT = {
    "retrieved_type": "list",
    "answer_type": "text",
    "source_type": "text",
    "status_type": "text",
    "status": "answer",
}


def malformed(**changes: str | None) -> list[str]:
    frame = pl.DataFrame([RIGHT | changes], schema=dict.fromkeys(RIGHT, pl.String))
    found: list[str] = frame.select(malformed_fields()).to_series().to_list()[0]
    return found


def test_the_minimal_form_has_no_fault() -> None:
    assert malformed() == []
    assert malformed(source_type="null") == []


@pytest.mark.parametrize("found", ["absent", "null", "text", "object", "mixed_list", "number"])
def test_retrieved_must_be_a_list_of_ids(found: str) -> None:
    assert malformed(retrieved_type=found) == ["retrieved"]


@pytest.mark.parametrize("found", ["absent", "null", "number", "boolean", "list", "object"])
def test_answer_must_be_text(found: str) -> None:
    assert malformed(answer_type=found) == ["answer"]


@pytest.mark.parametrize("found", ["absent", "number", "boolean", "list", "refused_id"])
def test_source_must_be_a_text_id_or_null(found: str) -> None:
    assert malformed(source_type=found) == ["source"]


@pytest.mark.parametrize(
    ("found", "status"),
    [("text", "ok"), ("text", ""), ("absent", None), ("null", None), ("number", "1")],
)
def test_status_must_be_one_of_three_words(found: str, status: str | None) -> None:
    assert malformed(status_type=found, status=status) == ["status"]


def test_all_faults_are_named_in_order_of_the_form() -> None:
    found = malformed(
        status=None, status_type="absent", retrieved_type="null", answer_type="absent"
    )
    assert found == ["retrieved", "answer", "status"]
