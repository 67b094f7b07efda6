"""What one dataset version's files are found to be is not undone by another's step."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.data_root import Root, answer, case, lines


def test_changed_rows_are_refused_and_gold_in_doubt_is_held_out_beside_other_versions(
    tmp_path: Path,
) -> None:
    root = Root(tmp_path)
    for name in ("a", "b"):
        cases = [case("k1"), case("k2", evidence="nowhere")]
        root.put(f"datasets/{name}/v1/cases.jsonl", lines(cases))
        root.put(f"runs/r-{name}.jsonl", lines([answer("k1", dataset=f"{name}@v1")]))
    root.put("knowledge/kb/documents.jsonl", lines([{"doc_id": "guide", "text": "yes"}]))
    assert root.run("nightly").code == 0
    # The run lacks k2, whose gold is not in the knowledge base: that is no failure of the system.
    states = root.sql("SELECT DISTINCT case_id, state FROM case_scores ORDER BY case_id")
    assert [(row["case_id"], row["state"]) for row in states] == [
        ("k1", "measured"),
        ("k2", "held_out"),
    ]

    root.put("runs/r-a.jsonl", lines([answer("k1", dataset="a@v1", answer="no")]))
    changed = root.run("nightly")

    assert changed.code == 2
    assert "runs/r-a.jsonl" in changed.err
    assert "--replace" in changed.err
    files = root.sql("SELECT run_id, state FROM run_files ORDER BY run_id")
    assert [(row["run_id"], row["state"]) for row in files] == [
        ("r-a", "rejected"),
        ("r-b", "ingested"),
    ]
    assert root.run("nightly", "--replace", "--dataset", "a@v1").code == 0
    (again,) = root.sql("SELECT passed FROM case_scores WHERE run_id = 'r-a' AND current "
                        "AND case_id = 'k1'")  # fmt: skip
    assert again["passed"] is False
