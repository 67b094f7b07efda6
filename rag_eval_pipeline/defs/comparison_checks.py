"""Checks of a night: is it worse, was it compared, is enough of it measured (R8, R9)."""

from collections.abc import Mapping, Sequence

import dagster as dg
import polars as pl

from rag_eval_pipeline.comparison.pairs import Side
from rag_eval_pipeline.comparison.slices import WHOLE
from rag_eval_pipeline.report.markdown import table as markdown_table

NAMED = 10
"""Cases and runs that a check names."""


def latest_runs(ordered: Sequence[Side], dataset_version: str) -> list[str]:
    """The run of each system that was started last on a dataset version.

    A log that arrives late is no news: the check of its night is over.
    """
    of_version = [side for side in ordered if side.dataset_version == dataset_version]
    return sorted({side.system: side.run_id for side in of_version}.values())


def no_regression(
    decisive: pl.DataFrame, changes: pl.DataFrame, summary: pl.DataFrame
) -> dg.AssetCheckResult:
    """Fails on any case that regressed, on any axis that is worse, and where nothing was compared.

    One case that passed and fails now is told at once, whatever the tolerance: the verdict speaks
    of means, and no mean makes up for a lost case. What no verdict calls worse still passes with a
    word of how much it rests on.

    Parameters
    ----------
    decisive
        Comparisons by rule of the latest run of each system by the first rubric; those without a
        baseline are left out.
    changes, summary
        Rows of `regressions` and `comparison_summary`; those of other pairs are left out.
    """
    lost = changes.join(decisive, on="comparison_id", how="semi").filter(
        (pl.col("change") == "regressed") & (pl.col("axis") == "overall")
    )
    judged = summary.join(decisive, on="comparison_id", how="semi").filter(
        pl.col("dimension") == WHOLE
    )
    worse = judged.filter(pl.col("verdict") == "worse").sort("candidate_run", "axis")
    refused = decisive.filter(pl.col("state") != "compared")
    said = []
    if lost.height:
        said.append(f"{lost.height} cases regressed: {_named(lost['case_id'])}")
    said += [f"{run} is worse: {axis}, {told}" for run, axis, told in worse.select(
        "candidate_run", "axis", "told").iter_rows()]  # fmt: skip
    if refused.height:
        said.append(f"{refused.height} of {decisive.height} runs were not compared: see comparable")
    if decisive.is_empty():
        said.append("nothing was compared: no run has a baseline yet")
    if not said:
        counts = judged.filter(pl.col("verdict").is_not_null())["verdict"].value_counts(sort=True)
        verdicts = ", ".join(
            f"{n} × {name.replace('_', ' ')}" for name, n in counts.sort("verdict").iter_rows()
        )
        said.append(f"{decisive.height} runs compared: {verdicts or 'no axis was judged'}")
    losses = lost.height + worse.height + refused.height
    return dg.AssetCheckResult(
        check_name="no_regression",
        asset_key="regressions",
        passed=losses == 0 and not decisive.is_empty(),
        severity=dg.AssetCheckSeverity.WARN,
        description="; ".join(said),
        metadata={
            "regressed": lost.height,
            "compared": decisive.height - refused.height,
            "axes_worse": worse.height,
            "n_pairs": int(judged.filter(pl.col("axis") == "overall")["n_pairs"].sum()),
            "verdicts": dg.MetadataValue.md(
                markdown_table(
                    judged.select(
                        "candidate_run", "baseline_run", "axis", "n_pairs", "baseline", "candidate",
                        "difference", "interval_low", "interval_high", "p_adjusted", "verdict",
                        "told",
                    )
                )
            ),
        },
    )  # fmt: skip


def comparable(latest: Sequence[str], by_rule: pl.DataFrame) -> dg.AssetCheckResult:
    """Fails where the latest run of a system was not compared, and says why.

    Parameters
    ----------
    latest
        Run ids (`latest_runs`).
    by_rule
        Standing comparisons by rule and by the first rubric.
    """
    rows = pl.DataFrame({"candidate_run": list(latest)}, schema={"candidate_run": pl.String}).join(
        by_rule.select("candidate_run", "baseline_run", "state", "reason", "n_core"),
        on="candidate_run",
        how="left",
        maintain_order="left",
    )
    rows = rows.with_columns(
        pl.col("state").fill_null("not_compared"),
        pl.col("reason").fill_null("no comparison was made of it"),
    )
    open_ = rows.filter(pl.col("state") != "compared")
    said = [
        f"{run}: {state.replace('_', ' ')}, {reason}"
        for run, state, reason in open_.select("candidate_run", "state", "reason").iter_rows()
    ]
    if rows.is_empty():
        said = ["no whole run is there yet"]
    return dg.AssetCheckResult(
        check_name="comparable",
        asset_key="comparisons",
        passed=open_.is_empty() and not rows.is_empty(),
        severity=dg.AssetCheckSeverity.WARN,
        description="; ".join(said) or f"the latest runs of {rows.height} systems are compared",
        metadata={
            "latest_runs": rows.height,
            "compared": rows.height - open_.height,
            "runs": dg.MetadataValue.md(markdown_table(rows)),
        },
    )


def covered(rows: pl.DataFrame, least: Mapping[str, float]) -> dg.AssetCheckResult:
    """Fails where too few cases of the latest run of a system are measured on an axis.

    The share is that of the cases that count: not applicable and held-out ones are in no
    denominator (R8).

    Parameters
    ----------
    rows
        Current rows of `run_trend` of one dataset version.
    least
        Least share by rubric version; rubrics that are not in it are left out.
    """
    wanted = pl.DataFrame(
        {"rubric_version": list(least), "least": list(least.values())},
        schema={"rubric_version": pl.String, "least": pl.Float64},
    )
    eligible = pl.col("n_measured") + pl.col("n_unmeasured") + pl.col("n_missing")
    latest = (
        rows.join(wanted, on="rubric_version")
        .sort("started_at", "run_id", nulls_last=False)
        .unique(["system", "rubric_version", "axis"], keep="last", maintain_order=True)
        .with_columns(n=eligible)
        .filter(pl.col("n") > 0)
        .with_columns(share=pl.col("n_measured") / pl.col("n"))
        .sort("run_id", "rubric_version", "axis")
    )
    thin = latest.filter(pl.col("share") < pl.col("least"))
    of_run = thin.group_by("run_id", "rubric_version", "least", maintain_order=True).agg(
        pl.format("{} {} of {}", "axis", "n_measured", "n")
    )
    said = [
        f"{run} by {rubric}: cases measured: {', '.join(axes)}; asked for {least_share:.0%} or more"
        for run, rubric, least_share, axes in of_run.head(NAMED).iter_rows()
    ]
    if of_run.height > NAMED:
        said.append(f"and {of_run.height - NAMED} more runs")
    if latest.is_empty():
        said = ["no run with cases that count is there yet"]
    lowest = latest["share"].min()
    return dg.AssetCheckResult(
        check_name="coverage",
        asset_key="run_trend",
        passed=thin.is_empty() and not latest.is_empty(),
        severity=dg.AssetCheckSeverity.WARN,
        description="; ".join(said) or f"{latest['run_id'].n_unique()} runs are measured enough",
        metadata={
            "too_thin": thin.height,
            "latest_runs": latest["run_id"].n_unique(),
            **({"lowest_share": float(lowest)} if isinstance(lowest, float) else {}),
            "coverage": dg.MetadataValue.md(
                markdown_table(
                    latest.select(
                        "run_id", "rubric_version", "axis", "n", "n_measured", "n_unmeasured",
                        "n_missing", "n_held_out", "n_not_applicable", "share", "least",
                    )
                )
            ),
        },
    )  # fmt: skip


def _named(ids: pl.Series) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(ids.head(NAMED)) + more
