"""What a nightly shows: per dataset version the runs, axis by axis, and what changed."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline import tables, terminal
from rag_eval_pipeline.commands.compared import Compared, print_short
from rag_eval_pipeline.commands.context import Context
from rag_eval_pipeline.commands.night import (
    Night,
    run_all,
    warn_of_findings,
    warn_of_unused_rows,
)
from rag_eval_pipeline.commands.trends import trend_lines
from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.report.run_report import case_rows
from rag_eval_pipeline.tables.model import AXES

LISTED = 20
"""Most items of a run that are listed one by one; of a longer run only those that do not pass."""
LATEST = 12
"""Most runs of a dataset version that a nightly lists; the others are in the tables."""


_NO_SCORES = tables.empty("case_scores")


@dataclass(slots=True)
class Results:
    """Current rows of the dataset versions a job ran for."""

    summary: pl.DataFrame
    scores: pl.DataFrame
    compared: Compared
    quarantine: pl.DataFrame
    findings: pl.DataFrame
    trend: pl.DataFrame

    @classmethod
    def of(cls, context: Context, night: Night, *, cases: bool, run_id: str | None) -> Results:
        """Read them from the warehouse: scores of cases only if they are shown.

        People are shown the comparisons of the latest runs, or of the one they ask for; programs
        get all.
        """
        with (warehouse := context.warehouse()).reading():
            summary = warehouse.read("run_summary", night.keys).filter(pl.col("current"))
            shown = None if context.json else _shown_runs(summary, run_id)
            scores = warehouse.read("case_scores", night.keys) if cases else _NO_SCORES
            return cls(
                summary=summary,
                scores=scores.filter(pl.col("current")),
                compared=Compared.current(warehouse, night.keys, shown),
                quarantine=warehouse.read("quarantine", night.keys),
                findings=warehouse.read("dataset_findings", night.keys),
                trend=warehouse.read("run_trend", night.keys),
            )

    def only(self, run_id: str | None, rubric: str | None) -> None:
        """Keep one run, one rubric (by its name) or both.

        Raises
        ------
        InputError
            There is none of that id or name.
        """
        names = pl.col("rubric_version").str.split("@").list.first()
        _known(run_id, self.summary["run_id"], "run")
        _known(rubric, self.summary.select(names).to_series(), "rubric")
        for wanted, column in ((run_id, pl.col("run_id")), (rubric, names)):
            if wanted is not None:
                self.summary = self.summary.filter(column == wanted)
                self.scores = self.scores.filter(column == wanted)
        if run_id is not None:
            self.compared = self.compared.only(pl.col("candidate_run") == run_id)
        if rubric is not None:
            self.compared = self.compared.only(names == rubric)


def nightly(
    context: Context,
    *,
    dataset: str | None = None,
    replace: bool = False,
    cases: bool = False,
    run_id: str | None = None,
    rubric: str | None = None,
) -> int:
    """Run the nightly and show it; `cases` adds a table of every case. Returns the exit code."""
    night = run_all(context, "nightly", dataset, replace=replace)
    results = Results.of(context, night, cases=cases, run_id=run_id)
    results.only(run_id, rubric)
    warn_of_unused_rows(night, results.quarantine)
    warn_of_findings(night, results.findings)
    absent = results.compared.comparisons.filter(pl.col("reason_code") == "pinned_absent")
    night.warnings += [
        f"{version}: {reason}; correct `baseline` in dataset.yaml, or take the run in"
        for version, reason in absent.select("dataset_version", "reason").unique().sort(
            "dataset_version").iter_rows()
    ]  # fmt: skip
    code = night.exit_code
    if context.json:
        terminal.print_json(
            night.as_json(code)
            | {
                "run_summary": terminal.rows(results.summary),
                "quarantine": terminal.rows(results.quarantine),
            }
            | results.compared.as_json(slices=False)
            | ({"case_scores": terminal.rows(results.scores)} if cases else {})
        )
        return code
    if cases:
        _print_cases(results.scores)
    for (version,), summary in results.summary.group_by("dataset_version", maintain_order=True):
        _print_version(str(version), summary, results)
    if results.summary.height:
        terminal.say(f"Reports: {context.home / 'reports'}")
    night.tell()
    return code


def _shown_runs(summary: pl.DataFrame, run_id: str | None) -> pl.DataFrame:
    """dataset_version, candidate_run of the latest runs of each version, or of the one run."""
    headline = summary.filter(pl.col("scope") == "headline")
    runs = headline.select("dataset_version", "started_at", "run_id").unique()
    if run_id is not None:
        chosen = runs.filter(pl.col("run_id") == run_id)
    else:
        chosen = runs.sort("started_at", "run_id").group_by("dataset_version").tail(LATEST)
    return chosen.select("dataset_version", candidate_run="run_id")


def _print_version(version: str, summary: pl.DataFrame, results: Results) -> None:
    headline = summary.filter(pl.col("scope") == "headline")
    runs = headline.select("run_id", "started_at").unique().sort("started_at", "run_id")
    latest = runs.tail(LATEST)["run_id"].to_list()
    draft = " (draft)" if summary["draft"].any() else ""
    terminal.print_table(
        _wide(headline.filter(pl.col("run_id").is_in(latest)), latest),
        f"{version}{draft}: cases passed, per axis",
    )
    if runs.height > LATEST:
        terminal.say(f"and {runs.height - LATEST} earlier runs, in the table run_summary")
    for line in trend_lines(results.trend, version):
        terminal.say(line)
    compared = results.compared.comparisons.filter(
        (pl.col("dataset_version") == version)
        & pl.col("candidate_run").is_in(latest)
        & ~pl.col("baseline_rule").is_in([ASKED, ASKED_IDENTICAL])
    )
    for run_id in latest:
        of_run = compared.filter(pl.col("candidate_run") == run_id)
        for comparison in of_run.iter_rows(named=True):
            if comparison["state"] != "no_baseline":
                print_short(comparison, results.compared)
    alone = compared.filter(pl.col("state") == "no_baseline")
    for (reason,), rows in alone.group_by("reason", maintain_order=True):
        names = rows["candidate_run"].unique(maintain_order=True).to_list()
        terminal.say(f"no baseline for {terminal.listed(names)}: {reason}")
    terminal.say()


def _wide(headline: pl.DataFrame, order: list[str]) -> pl.DataFrame:
    """One row a run and rubric; per axis the cases that pass of those that count."""
    counted = pl.col("n_measured") + pl.col("n_missing")
    eligible = counted + pl.col("n_unmeasured") + pl.col("n_held_out")
    axes = (*AXES, "overall")
    rows = headline.with_columns(
        shown=pl.when(eligible > 0).then(
            pl.concat_str(
                pl.format("{}/{}", "n_passed", counted),
                _noted("n_unmeasured", "open"),
                _noted("n_held_out", "held out"),
            )
        )
    ).pivot(
        on="axis",
        index=["run_id", "rubric_version", "kind", "n_cases", "n_missing"],
        values="shown",
        on_columns=list(axes),
    )
    place = {run_id: number for number, run_id in enumerate(order)}
    rows = rows.sort(pl.col("run_id").replace_strict(place, return_dtype=pl.Int64))
    several = rows["rubric_version"].n_unique() > 1
    return rows.select(
        pl.col("run_id").alias("run"),
        *([pl.col("rubric_version").alias("rubric")] if several else []),
        *(["kind"] if rows["kind"].is_not_null().any() else []),
        pl.col("n_cases").alias("cases"),
        pl.col("n_missing").alias("missing"),
        *AXES,
        pl.col("overall").alias("all axes"),
    )


def _noted(column: str, word: str) -> pl.Expr:
    return (
        pl.when(pl.col(column) > 0)
        .then(pl.format(f" +{{}} {word}", pl.col(column)))
        .otherwise(pl.lit(""))
    )


def _print_cases(scores: pl.DataFrame) -> None:
    keys = ["dataset_version", "run_id", "rubric_version"]
    for (version, run_id, rubric), rows in scores.group_by(keys, maintain_order=True):
        passed = int(rows["passed"].sum() or 0)
        whole = rows.height <= LISTED
        told = rows if whole else rows.filter(~pl.col("passed").fill_null(value=False))
        shown = case_rows(told)
        if (shown["trial"] == 1).all():
            shown = shown.drop("trial")
        terminal.print_table(
            shown.rename({"case_id": "case"}),
            f"{version}  run {run_id}: {passed} of {rows.height} pass ({rubric})",
        )
        if not whole:
            terminal.say(f"and {passed} that pass, in the table case_scores")


def _known(wanted: str | None, there: pl.Series, what: str) -> None:
    if wanted is not None and wanted not in there:
        raise InputError(
            code=f"unknown_{what}",
            field=f"--{what}",
            found=repr(wanted),
            expected=f"one of {terminal.listed(sorted(set(there)))}",
            todo="correct it",
        )
