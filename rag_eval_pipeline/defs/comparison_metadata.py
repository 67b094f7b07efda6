"""What the UI shows of the comparisons of a night: tables of verdicts, changed cases, figures."""

from collections.abc import Callable
from typing import Any

import dagster as dg
import polars as pl

from rag_eval_pipeline.report.compared import LISTS, figure_rows, slice_rows, verdict_rows
from rag_eval_pipeline.report.markdown import escape
from rag_eval_pipeline.report.markdown import table as markdown_table

SHOWN_CASES = 50


def night_metadata(
    decisive: pl.DataFrame, changes: pl.DataFrame, summary: pl.DataFrame, figures: pl.DataFrame
) -> dict[str, dict[str, Any]]:
    """Metadata by asset: the latest run of each system against its baseline.

    Parameters
    ----------
    decisive
        Comparisons of these runs.
    changes, summary, figures
        Rows of `regressions`, `comparison_summary` and `comparison_figures` of these pairs.

    Returns
    -------
    Asset → metadata. Counts are numbers, which the UI plots from night to night.
    """
    overall = changes.filter(pl.col("axis") == "overall")
    counts = {
        change: overall.filter(pl.col("change") == change).height
        for change in ("regressed", "recovered")
    }
    cases = overall.sort(pl.col("change").cast(pl.Enum(LISTS)), "candidate_run", "case_id").select(
        "change", "case_id", "candidate_run", "baseline_run", "reason"
    )
    more = f"\n\nand {cases.height - SHOWN_CASES} more" if cases.height > SHOWN_CASES else ""
    latest = decisive.select("candidate_run", "baseline_run", "state", "reason", "n_core")
    return {
        "comparisons": {"latest": dg.MetadataValue.md(markdown_table(latest))},
        "regressions": counts
        | {"latest": dg.MetadataValue.md(markdown_table(cases.head(SHOWN_CASES)) + more)},
        "comparison_summary": {
            "verdicts": _by_pair(decisive, summary, verdict_rows),
            "slices": _by_pair(decisive, summary, slice_rows),
        },
        "comparison_figures": {"latest": _by_pair(decisive, figures, figure_rows)},
    }


def _by_pair(
    decisive: pl.DataFrame, rows: pl.DataFrame, told: Callable[[pl.DataFrame], pl.DataFrame]
) -> dg.MarkdownMetadataValue:
    """A table a pair under a line that names it; n stands in every row."""
    parts = []
    for pair, candidate, baseline in decisive.sort("candidate_run").select(
        "comparison_id", "candidate_run", "baseline_run"
    ).iter_rows():  # fmt: skip
        of_pair = told(rows.filter(pl.col("comparison_id") == pair))
        if of_pair.height:
            parts += [f"{escape(candidate)} against {escape(baseline)}:", markdown_table(of_pair)]
    return dg.MetadataValue.md("\n\n".join(parts) or "none")
