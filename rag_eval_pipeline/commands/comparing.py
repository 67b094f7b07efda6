"""Comparing two runs that a person names."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline import terminal
from rag_eval_pipeline.commands.context import DONE, INSUFFICIENT, Context, nearest
from rag_eval_pipeline.commands.night import run_all
from rag_eval_pipeline.commands.overview import CHANGES, print_changes, standing
from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.tables.model import AXES


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
        changes = warehouse.read("regressions", rows.select("dataset_version", "comparison_id"))
    code = night.exit_code or (DONE if (rows["state"] == "compared").any() else INSUFFICIENT)
    if context.json:
        terminal.print_json(
            night.as_json(code)
            | {"comparisons": terminal.rows(rows), "regressions": terminal.rows(changes)}
        )
        return code
    for comparison in rows.iter_rows(named=True):
        _print_comparison(comparison, changes)
    night.tell()
    return code


def _print_comparison(comparison: dict[str, object], changes: pl.DataFrame) -> None:
    mine = changes.filter(pl.col("comparison_id") == comparison["comparison_id"])
    if mine.is_empty():
        print_changes(comparison, mine)
    else:
        by_axis = (
            mine.group_by("axis", "change")
            .agg(pl.col("case_id").sort().str.join(", "))
            .pivot(on="change", index="axis", values="case_id", on_columns=list(CHANGES))
        )
        order = {axis: place for place, axis in enumerate(("overall", *AXES))}
        by_axis = by_axis.sort(pl.col("axis").replace_strict(order, return_dtype=pl.Int64))
        present = [change for change in CHANGES if by_axis[change].is_not_null().any()]
        terminal.print_table(
            by_axis,
            f"{comparison['candidate_run']} against {comparison['baseline_run']}: "
            f"{standing(comparison)}",
            {"axis": "axis"} | {change: change.replace("_", " ") for change in present},
        )
    differences = comparison["differences"]
    if isinstance(differences, list) and differences:
        terminal.say("What differs beside the answers:")
        for each in differences:
            terminal.say(f"  {each}")
