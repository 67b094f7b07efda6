from typing import Any

import pytest

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.run_log.resent import refuse_changed_rows

ROWS = [{"case_id": "q1"}, {"case_id": "q2", "answer": "a"}]


def resend(runs: Any, *rows: Any) -> None:
    runs.rows("night.jsonl", *ROWS)
    before = runs.read()
    runs.rows("night.jsonl", *rows)
    refuse_changed_rows(before.items, runs.read().row_hashes, "night", "runs/night.jsonl")


def test_the_same_rows_in_any_order_are_accepted(runs: Any) -> None:
    resend(runs, *ROWS)
    resend(runs, *reversed(ROWS))


def test_appended_rows_are_accepted(runs: Any) -> None:
    resend(runs, {"case_id": "q3"}, *ROWS, {"case_id": "q1", "trial": 2})


@pytest.mark.parametrize(
    ("rows", "line", "case"),
    [
        ([ROWS[0]], 2, "q2"),
        ([ROWS[0], {"case_id": "q2", "answer": "b"}], 2, "q2"),
        ([], 1, "q1"),
    ],
)
def test_changed_and_removed_rows_are_refused_with_the_first_of_them(
    runs: Any, rows: list[dict[str, Any]], line: int, case: str
) -> None:
    with pytest.raises(InputError) as raised:
        resend(runs, *rows)
    problem = raised.value
    assert (problem.code, problem.line, problem.file) == ("run_changed", line, "runs/night.jsonl")
    assert repr(case) in problem.found
    assert "--replace" in problem.todo


def test_a_case_that_left_the_dataset_is_no_change_of_the_run(runs: Any) -> None:
    runs.rows("night.jsonl", *ROWS)
    before = runs.read().items
    runs.rows("night.jsonl", {"case_id": "gone"}, *ROWS)
    read = runs.read()
    assert read.quarantine["code"].to_list() == ["unknown_case"]
    refuse_changed_rows(before.head(0), read.row_hashes, "night", "runs/night.jsonl")
    lost = before.with_columns(row_sha256=read.items["row_sha256"].reverse())
    refuse_changed_rows(lost, read.row_hashes, "night", "runs/night.jsonl")
