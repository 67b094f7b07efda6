import polars as pl
import pytest

from rag_eval_pipeline.measures.behavior import observed_status, status_matches


def measured(status: str | None, accepted: list[str]) -> tuple[str | None, bool]:
    frame = pl.DataFrame(
        {"status": [status], "accepted_statuses": [accepted]},
        schema={"status": pl.String, "accepted_statuses": pl.List(pl.String)},
    )
    return frame.select(observed=observed_status(), match=status_matches()).row(0)


@pytest.mark.parametrize("status", ["answer", "unknown", "clarify"])
def test_a_status_matches_itself(status: str) -> None:
    assert measured(status, [status]) == (status, True)


def test_any_accepted_status_matches() -> None:
    assert measured("clarify", ["unknown", "clarify"]) == ("clarify", True)
    assert measured("answer", ["unknown", "clarify"]) == ("answer", False)


@pytest.mark.parametrize("status", [None, "", "Answer", "answered", " answer"])
def test_what_is_no_status_is_none_and_matches_nothing(status: str | None) -> None:
    assert measured(status, ["answer", "unknown", "clarify"]) == (None, False)
