"""The report of one dataset version: what failed first, then the figures with their n."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.report.blocks import (
    Block,
    Bullets,
    Folded,
    Heading,
    Rows,
    Sentence,
)
from rag_eval_pipeline.report.compared import comparison_blocks
from rag_eval_pipeline.report.markdown import page
from rag_eval_pipeline.report.mending import behavior_lines, depth_sentence, matrix, scenarios
from rag_eval_pipeline.report.page import html_page
from rag_eval_pipeline.report.trend import history
from rag_eval_pipeline.report.trend_blocks import latest_rows, trend_blocks
from rag_eval_pipeline.report.words import shown
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.warehouse import Warehouse

LATEST = 10
"""Most runs a report speaks of one by one: the latest. The others are in its trend."""

# Tables of which only the rows of those runs are read.
_OF_RUNS = (
    "case_scores",
    "run_summary",
    "failure_summary",
    "abstention_summary",
    "retrieval_generation_matrix",
    "retrieval_at_k",
    "scenario_summary",
)


@dataclass(frozen=True, slots=True)
class ReportTables:
    """What a report is made from: rows of one dataset version that are current.

    `runs` are the latest ones, the other tables hold rows of these only; `n_runs` says how many
    there are. `run_trend` holds every run of every version of the name, current or not.
    """

    cases: pl.DataFrame
    runs: pl.DataFrame
    n_runs: int
    case_scores: pl.DataFrame
    run_summary: pl.DataFrame
    failure_summary: pl.DataFrame
    abstention_summary: pl.DataFrame
    retrieval_generation_matrix: pl.DataFrame
    retrieval_at_k: pl.DataFrame
    scenario_summary: pl.DataFrame
    run_trend: pl.DataFrame
    comparisons: pl.DataFrame
    regressions: pl.DataFrame
    comparison_summary: pl.DataFrame
    comparison_figures: pl.DataFrame
    score_change_attribution: pl.DataFrame
    findings: pl.DataFrame
    run_files: pl.DataFrame
    quarantine: pl.DataFrame


def gather(warehouse: Warehouse, dataset_version: str) -> ReportTables:
    """What the warehouse holds of a dataset version, as far as a report speaks of it."""
    key = pl.DataFrame({"dataset_version": [dataset_version]})
    with warehouse.reading():
        files = warehouse.read("run_files")
        every_run = warehouse.read("runs", key)
        runs = every_run.sort(
            ["started_at", "run_id"], descending=[True, False], nulls_last=True
        ).head(LATEST)
        of_runs = {
            table: _current(
                warehouse.read(table, runs.select("dataset_version", "run_id").unique())
            )
            for table in _OF_RUNS
        }
        standing = warehouse.read(
            "comparisons", key, ["dataset_version", "comparison_id", "candidate_run",
                                 "superseded_at"]
        ).filter(
            pl.col("superseded_at").is_null() & pl.col("candidate_run").is_in(runs["run_id"])
        )  # fmt: skip
        pairs = standing.select("dataset_version", "comparison_id")
        return ReportTables(
            cases=warehouse.read("cases", key),
            runs=runs,
            n_runs=every_run.height,
            **of_runs,
            run_trend=trend_of(warehouse, dataset_version),
            comparisons=warehouse.read("comparisons", pairs),
            regressions=warehouse.read("regressions", pairs),
            comparison_summary=warehouse.read("comparison_summary", pairs),
            comparison_figures=warehouse.read("comparison_figures", pairs),
            score_change_attribution=_current(warehouse.read("score_change_attribution", pairs)),
            findings=warehouse.read("dataset_findings", key),
            run_files=files.filter(pl.col("dataset_version") == dataset_version),
            quarantine=warehouse.read("quarantine", key),
        )


def trend_of(warehouse: Warehouse, dataset_version: str) -> pl.DataFrame:
    """Rows of `run_trend` of all versions of a dataset version's name, current or not."""
    name = dataset_version.partition("@")[0]
    held = warehouse.read("run_trend", columns=["dataset_version"], distinct=True)
    return warehouse.read(
        "run_trend",
        held.filter(pl.col("dataset_version").str.split("@").list.first() == name),
    )


def markdown_report(dataset_version: str, given: ReportTables) -> str:
    """The report as Markdown; the same tables give the same text."""
    return page(report_blocks(dataset_version, given))


def html_report(dataset_version: str, given: ReportTables) -> str:
    """The report as one HTML file; the same tables give the same text."""
    return html_page(f"{dataset_version}: RAG evaluation", report_blocks(dataset_version, given))


def report_blocks(dataset_version: str, given: ReportTables) -> list[Block]:
    """The report before it is given a form."""
    drafts = given.cases["draft"].any()
    hashes = given.cases["dataset_hash"].unique().sort().to_list()
    snapshots = given.cases["snapshot_id"].drop_nulls().unique().sort().to_list()
    judged_on = f"dataset hash {shown(hashes, 12)}, snapshot {shown(snapshots or 'none')}"
    points = history(given.run_trend)
    blocks: list[Block] = [
        Heading(1, f"{dataset_version}{' (draft)' if drafts else ''}"),
        Sentence(f"{given.cases.height} cases, {judged_on}."),
    ]
    latest = latest_rows(points.filter(pl.col("dataset_version") == dataset_version))
    if latest.height:
        blocks += [Heading(2, "Latest run of each system: cases that pass"), Rows(latest)]
    blocks += trend_blocks(points)
    if given.n_runs > given.runs.height:
        blocks.append(
            Sentence(
                f"Below: the latest {given.runs.height} of {given.n_runs} runs. The others are "
                "in the tables run_summary, case_scores and comparisons."
            )
        )
    runs = given.runs.sort(["started_at", "run_id"], descending=[True, False], nulls_last=True)
    told: set[str | None] = set()
    for run in runs.iter_rows(named=True):
        # Of a system only the latest run is opened out at once.
        blocks += _run(run, given, folded=run["system"] in told)
        told.add(run["system"])
    blocks += _trouble(given)
    return blocks


def case_rows(case_scores: pl.DataFrame) -> pl.DataFrame:
    """Per case: what each axis says, for people. One row per item and rubric."""
    return case_scores.select(
        "case_id",
        "trial",
        *(_mark(axis) for axis in AXES),
        "diagnosis",
        "reason",
    )


def _current(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("current"))


def _run(run: dict[str, object], given: ReportTables, *, folded: bool) -> list[Block]:
    run_id = run["run_id"]
    kind = f" — {run['kind']}" if run["kind"] is not None else ""
    compared = [
        block
        for comparison in given.comparisons.filter(pl.col("candidate_run") == run_id).iter_rows(
            named=True
        )
        for block in comparison_blocks(
            comparison,
            given.regressions,
            given.comparison_summary,
            given.comparison_figures,
            given.score_change_attribution,
            given.case_scores,
            given.cases,
        )
    ]
    scored = _scores(str(run_id), given)
    heading = Heading(2, f"Run {run_id}{kind}")
    if folded and scored:
        return [heading, *compared, Folded(f"Scores of {run_id}", tuple(scored))]
    return [heading, *compared, *scored]


def _scores(run_id: str, given: ReportTables) -> list[Block]:
    blocks: list[Block] = []
    for (rubric,), scores in given.case_scores.filter(pl.col("run_id") == run_id).group_by(
        "rubric_version", maintain_order=True
    ):
        blocks.append(Heading(3, f"Scores by {rubric}"))
        of_run = (pl.col("run_id") == run_id) & (pl.col("rubric_version") == rubric)
        summary = given.run_summary.filter(of_run).sort(
            pl.col("scope") != "headline", "scope", pl.col("axis").cast(pl.Enum([*AXES, "overall"]))
        )
        blocks.append(
            Rows(
                summary.select(
                    "scope", "axis", "n_cases", "n_measured", "n_unmeasured", "n_not_applicable",
                    "n_held_out", "n_missing", "n_passed", "pass_rate", "pass_rate_low",
                    "pass_rate_high", "mean_score",
                )
            )
        )  # fmt: skip
        failures = given.failure_summary.filter(of_run).select(
            "diagnosis", "practice", "where_to_mend", "n_failed_items", "n_failed_cases", "case_ids"
        )
        blocks += [Sentence("Failures by cause:"), Rows(failures)]
        blocks += _mending(given, of_run)
        blocks.append(Sentence("Items that did not pass:"))
        blocks.append(Rows(case_rows(scores.filter(~pl.col("passed").fill_null(value=False)))))
    return blocks


def _mending(given: ReportTables, of_run: pl.Expr) -> list[Block]:
    """What better retrieval, generation or behavior could mend, as far as there is something."""
    blocks: list[Block] = []
    crossed = given.retrieval_generation_matrix.filter(of_run)
    if crossed.height:
        blocks += [Sentence("Evidence found × answer right:"), Rows(matrix(crossed))]
    if deeper := depth_sentence(given.retrieval_at_k.filter(of_run)):
        blocks.append(Sentence(deeper))
    if lines := behavior_lines(given.abstention_summary.filter(of_run)):
        blocks += [Sentence("Answering, abstaining, asking back:"), Bullets(lines)]
    split = scenarios(given.scenario_summary.filter(of_run))
    if split.height:
        blocks += [Sentence("Scenarios whose variants do not agree:"), Rows(split)]
    return blocks


def _trouble(given: ReportTables) -> list[Block]:
    blocks: list[Block] = []
    rejected = given.run_files.filter(pl.col("state") == "rejected")
    if rejected.height:
        blocks += [Heading(2, "Files not read"), Rows(rejected.select("path", "reason"))]
    if given.quarantine.height:
        blocks += [
            Heading(2, "Rows not used"),
            Rows(given.quarantine.select("source_file", "line", "code", "reason")),
        ]
    if given.findings.height:
        blocks += [
            Heading(2, "Findings"),
            Rows(given.findings.select("severity", "check", "subject", "message")),
        ]
    return blocks


def _mark(axis: str) -> pl.Expr:
    state = pl.col(f"{axis}_state")
    return (
        pl.when(state != "measured")
        .then(state)
        .when(pl.col(f"{axis}_passed"))
        .then(pl.lit("pass"))
        .otherwise(pl.lit("FAIL"))
        .alias(axis)
    )
