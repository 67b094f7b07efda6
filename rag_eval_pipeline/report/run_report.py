"""The Markdown report of one dataset version: what failed first, then the figures with their n."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.report.markdown import cell, escape, table
from rag_eval_pipeline.report.mending import behavior_lines, depth_sentence, matrix, scenarios
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.warehouse import Warehouse


@dataclass(frozen=True, slots=True)
class ReportTables:
    """What a report is made from: current rows of one dataset version."""

    cases: pl.DataFrame
    runs: pl.DataFrame
    case_scores: pl.DataFrame
    run_summary: pl.DataFrame
    failure_summary: pl.DataFrame
    abstention_summary: pl.DataFrame
    retrieval_generation_matrix: pl.DataFrame
    retrieval_at_k: pl.DataFrame
    scenario_summary: pl.DataFrame
    comparisons: pl.DataFrame
    regressions: pl.DataFrame
    findings: pl.DataFrame
    run_files: pl.DataFrame
    quarantine: pl.DataFrame


def gather(warehouse: Warehouse, dataset_version: str) -> ReportTables:
    """What the warehouse holds of a dataset version, current rows only."""
    key = pl.DataFrame({"dataset_version": [dataset_version]})

    def rows(table: str) -> pl.DataFrame:
        found = warehouse.read(table, key)
        return found.filter(pl.col("current")) if "current" in found.columns else found

    with warehouse.reading():
        files = warehouse.read("run_files")
        return ReportTables(
            cases=rows("cases"),
            runs=rows("runs"),
            case_scores=rows("case_scores"),
            run_summary=rows("run_summary"),
            failure_summary=rows("failure_summary"),
            abstention_summary=rows("abstention_summary"),
            retrieval_generation_matrix=rows("retrieval_generation_matrix"),
            retrieval_at_k=rows("retrieval_at_k"),
            scenario_summary=rows("scenario_summary"),
            comparisons=rows("comparisons").filter(pl.col("superseded_at").is_null()),
            regressions=rows("regressions"),
            findings=rows("dataset_findings"),
            run_files=files.filter(pl.col("dataset_version") == dataset_version),
            quarantine=rows("quarantine"),
        )


def markdown_report(dataset_version: str, given: ReportTables) -> str:
    """The report as Markdown; the same tables give the same text."""
    drafts = given.cases["draft"].any()
    hashes = given.cases["dataset_hash"].unique().sort().to_list()
    snapshots = given.cases["snapshot_id"].drop_nulls().unique().sort().to_list()
    judged_on = f"dataset hash {cell(hashes, 12)}, snapshot {cell(snapshots or 'none')}"
    parts = [
        f"# {escape(dataset_version)}{' (draft)' if drafts else ''}",
        f"{given.cases.height} cases, {judged_on}.",
    ]
    runs = given.runs.sort(["started_at", "run_id"], descending=[True, False], nulls_last=True)
    for run in runs.iter_rows(named=True):
        parts += _run(run, given)
    parts += _trouble(given)
    return "\n\n".join(parts) + "\n"


def case_rows(case_scores: pl.DataFrame) -> pl.DataFrame:
    """Per case: what each axis says, for people. One row per item and rubric."""
    return case_scores.select(
        "case_id",
        "trial",
        *(_mark(axis) for axis in AXES),
        "diagnosis",
        "reason",
    )


def _run(run: dict[str, object], given: ReportTables) -> list[str]:
    run_id = run["run_id"]
    kind = f" — {cell(run['kind'])}" if run["kind"] is not None else ""
    parts = [f"## Run {cell(run_id)}{kind}"]
    for comparison in given.comparisons.filter(pl.col("candidate_run") == run_id).iter_rows(
        named=True
    ):
        parts += _comparison(comparison, given)
    for (rubric,), scores in given.case_scores.filter(pl.col("run_id") == run_id).group_by(
        "rubric_version", maintain_order=True
    ):
        parts.append(f"### Scores by {cell(rubric)}")
        of_run = (pl.col("run_id") == run_id) & (pl.col("rubric_version") == rubric)
        summary = given.run_summary.filter(of_run).sort(
            pl.col("scope") != "headline", "scope", pl.col("axis").cast(pl.Enum([*AXES, "overall"]))
        )
        parts.append(
            table(
                summary,
                ["scope", "axis", "n_cases", "n_measured", "n_unmeasured", "n_not_applicable",
                 "n_held_out", "n_missing", "n_passed", "pass_rate", "pass_rate_low",
                 "pass_rate_high", "mean_score"],
            )
        )  # fmt: skip
        parts.append("Failures by cause:")
        parts.append(
            table(
                given.failure_summary.filter(of_run),
                [
                    "diagnosis",
                    "practice",
                    "where_to_mend",
                    "n_failed_items",
                    "n_failed_cases",
                    "case_ids",
                ],
            )
        )
        parts += _mending(given, of_run)
        parts.append("Items that did not pass:")
        parts.append(table(case_rows(scores.filter(~pl.col("passed").fill_null(value=False)))))
    return parts


def _mending(given: ReportTables, of_run: pl.Expr) -> list[str]:
    """What better retrieval, generation or behavior could mend, as far as there is something."""
    parts = []
    crossed = given.retrieval_generation_matrix.filter(of_run)
    if crossed.height:
        parts += ["Evidence found × answer right:", matrix(crossed)]
    if deeper := depth_sentence(given.retrieval_at_k.filter(of_run)):
        parts.append(deeper)
    if lines := behavior_lines(given.abstention_summary.filter(of_run)):
        parts += ["Answering, abstaining, asking back:", "\n".join(lines)]
    split = scenarios(given.scenario_summary.filter(of_run))
    if split.height:
        parts += ["Scenarios whose variants do not agree:", table(split)]
    return parts


def _comparison(comparison: dict[str, object], given: ReportTables) -> list[str]:
    changes = given.regressions.filter(
        (pl.col("comparison_id") == comparison["comparison_id"]) & (pl.col("axis") == "overall")
    )
    rules = (
        f"rubric {cell(comparison['rubric_version'])}, "
        f"baseline by rule {cell(comparison['baseline_rule'])}"
    )
    lines = [
        f"### Against {cell(comparison['baseline_run'])}: {cell(comparison['state'])}"
        if comparison["baseline_run"] is not None
        else "### No baseline",
        f"{cell(comparison['reason'])}; {rules}.",
    ]
    lists = [
        f"- {change}: {cell(ids, length=400)}"
        for change in ("regressed", "recovered", "missing", "unmeasured", "gold_changed", "new",
                       "removed")
        if (ids := changes.filter(pl.col("change") == change)["case_id"].to_list())
    ]  # fmt: skip
    if lists:
        lines.append("\n".join(lists))
    differing = comparison["differences"]
    if isinstance(differing, list) and differing:
        lines.append("What differs beside the answers: " + cell(differing, length=400))
    return lines


def _trouble(given: ReportTables) -> list[str]:
    parts = []
    rejected = given.run_files.filter(pl.col("state") == "rejected")
    if rejected.height:
        parts += ["## Files not read", table(rejected, ["path", "reason"])]
    if given.quarantine.height:
        parts += [
            "## Rows not used",
            table(given.quarantine, ["source_file", "line", "code", "reason"]),
        ]
    if given.findings.height:
        parts += [
            "## Findings",
            table(given.findings, ["severity", "check", "subject", "message"]),
        ]
    return parts


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
