"""Comparing two runs that a person names."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline import terminal
from rag_eval_pipeline.commands.compared import Compared, print_whole
from rag_eval_pipeline.commands.context import DONE, INSUFFICIENT, Context, nearest
from rag_eval_pipeline.commands.night import run_all
from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL
from rag_eval_pipeline.reading.errors import InputError


def compare(context: Context, base: str, candidate: str, *, require_identical: bool) -> int:
    """Compare CANDIDATE with BASE and show what changed; 3 if the comparison is refused."""
    runs = context.warehouse().read("runs", columns=["run_id", "dataset_version"])
    for name, run_id in (("BASE", base), ("CANDIDATE", candidate)):
        if run_id not in runs["run_id"]:
            known = sorted(runs["run_id"])
            raise InputError(
                code="unknown_run",
                field=name,
                found=f"the run {run_id!r}, which no dataset version holds",
                expected=f"one of {terminal.listed(known)}",
                todo=f"correct the id, or run `rag-eval nightly` to take it in"
                f"{nearest(run_id, known)}",
            )
    version = runs.filter(pl.col("run_id") == candidate)["dataset_version"][0]
    pair = {"candidate": candidate, "baseline": base, "require_identical": require_identical}
    night = run_all(context, "nightly", version, config={"comparison": pair})
    wanted = pl.DataFrame(
        {
            "candidate_run": [candidate],
            "baseline_run": [base],
            "baseline_rule": [ASKED_IDENTICAL if require_identical else ASKED],
        }
    )
    with (warehouse := context.warehouse()).reading():
        rows = warehouse.read("comparisons").filter(pl.col("superseded_at").is_null())
        rows = rows.join(wanted, on=wanted.columns, how="semi")
        found = Compared.of(warehouse, rows)
    code = night.exit_code or (DONE if (rows["state"] == "compared").any() else INSUFFICIENT)
    if context.json:
        terminal.print_json(night.as_json(code) | found.as_json())
        return code
    for comparison in rows.iter_rows(named=True):
        print_whole(comparison, found)
    night.tell()
    return code
