"""Which runs a gate judges where nobody names one."""

from __future__ import annotations

import polars as pl


def latest_runs(runs: pl.DataFrame, drafts: pl.DataFrame) -> pl.DataFrame:
    """The latest run of each system on each dataset.

    A system's latest run is its last on any version of the dataset, as its baseline may be too;
    runs on drafts are a line of their own, since drafts are held against drafts (R9). A run marked
    incomplete counts: passing the one before it in its place would hide that tonight broke off.

    Parameters
    ----------
    runs
        dataset_version, run_id, system, started_at, complete.
    drafts
        dataset_version, draft.

    Returns
    -------
    dataset_version, run_id, complete; sorted.
    """
    line = [pl.col("dataset_version").str.split("@").list.first().alias("name"), "system", "draft"]
    return (
        runs.join(drafts.unique(), on="dataset_version", how="left")
        .sort(["started_at", "run_id", "dataset_version"], nulls_last=False)
        .group_by(line, maintain_order=True)
        .last()
        .select("dataset_version", "run_id", "complete")
        .sort("dataset_version", "run_id")
    )
