"""Why the score moved: the move from a baseline's headline to its candidate's, by what caused it.

A pair is attributed once per rubric the baseline's headline may have been recorded with; rows of
pairs that are no longer compared, or that a person asked for with another rubric, are kept and not
current.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.attribution import (
    attribute,
    recorded_rubric,
    system_label,
)
from rag_eval_pipeline.comparison.pairs import Side
from rag_eval_pipeline.comparison.slices import WHOLE, groups
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.defs.comparison import sides_of
from rag_eval_pipeline.defs.corners import Source, Wanted
from rag_eval_pipeline.defs.evaluation import Evaluation, explained
from rag_eval_pipeline.defs.keyed import refresh_flags
from rag_eval_pipeline.defs.table_metadata import (
    Reported,
    contract_check,
    contract_result,
    contracts_told,
    counted,
    partition_check,
    table_spec,
)
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.report.markdown import table as markdown_table
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.warehouse.warehouse import Change

TABLE = "score_change_attribution"
ATTRIBUTED = ("compared", "insufficient_data")
"""States of a comparison whose move is split; a refused one has no numbers (R9)."""

LATEST = 12
"""Pairs whose parts are shown with the asset."""

PAIRS_AT_ONCE = 20
"""Pairs whose rows are written in one transaction."""

_INPUTS = (
    "candidate_dataset_hash",
    "candidate_run_hash",
    "baseline_dataset_version",
    "baseline_dataset_hash",
    "baseline_run_hash",
)
_MADE_FROM = (
    "dataset_version", "comparison_id", "candidate_run", "baseline_run", *_INPUTS
)  # fmt: skip
_SHOWN = (
    "candidate_run", "baseline_run", "dimension", "axis", "figure", "part", "label", "amount",
    "baseline_headline", "candidate_headline", "n_baseline", "n_candidate",
)  # fmt: skip
_OF_PAIR = (
    "dataset_version",
    "comparison_id",
    "candidate_run",
    "baseline_run",
    "rubric_version",
    "baseline_rubric_version",
    *_INPUTS,
)


class AttributionConfig(dg.Config):
    """A pair to attribute with another rubric for the baseline than its headline had."""

    candidate: str = ""
    baseline: str = ""
    base_rubric: str = ""


@dataclass(slots=True)
class _Known:
    """What the pairs of one materialization share, read once."""

    evaluation: Evaluation
    dataset: DatasetVersion
    runs: pl.DataFrame
    sides: dict[tuple[str, str], Side]
    rubrics: dict[str, Rubric] = field(default_factory=dict)
    scored: dict[str, pl.DataFrame] = field(default_factory=dict)
    arrived: dict[str, pl.DataFrame] = field(default_factory=dict)

    def scored_with(self, side: Side) -> pl.DataFrame:
        """rubric_version, scored_at of the stored scores of a run."""
        if side.dataset_version not in self.scored:
            self.scored[side.dataset_version] = self.evaluation.warehouse.read(
                "case_scores",
                pl.DataFrame({"dataset_version": [side.dataset_version]}),
                ["run_id", "rubric_version", "scored_at"],
                distinct=True,
            )
        return self.scored[side.dataset_version].filter(pl.col("run_id") == side.run_id)

    def came_at(self, candidate: Side, baseline: Side) -> dt.datetime | None:
        """When the candidate was there to be scored.

        The axes of all runs of a dataset version are scored before any case score of the same
        night is written, so that a baseline scored anew together with its candidate counts as
        scored after it. Another version may have been scored before it in the same night; its
        candidate was there when its file was last written.
        """
        version = candidate.dataset_version
        if version not in self.arrived:
            keys = pl.DataFrame({"dataset_version": [version]})
            scored = self.evaluation.warehouse.read(
                "search_scores", keys, ["run_id", "scored_at"], distinct=True
            )
            files = self.evaluation.warehouse.read("run_files", None, ["path", "mtime"])
            written = (
                self.runs.filter(pl.col("dataset_version") == version)
                .join(files, left_on="source_path", right_on="path")
                .select("run_id", "mtime")
            )
            self.arrived[version] = (
                scored.group_by("run_id")
                .agg(pl.col("scored_at").min())
                .join(written, on="run_id", how="left")
            )
        found = self.arrived[version].filter(pl.col("run_id") == candidate.run_id)
        if version == baseline.dataset_version:
            found = found.select("scored_at")
        else:
            found = found.select(pl.min_horizontal("scored_at", "mtime"))
        came = found.to_series().min()
        return came if isinstance(came, dt.datetime) else None


@dg.multi_asset(
    name="attribution",
    specs=[table_spec(TABLE, "comparison", ["comparisons", "case_scores", "run_logs", "cases"])],
    check_specs=[
        contract_check(TABLE),
        partition_check(
            "attribution_inputs_current",
            TABLE,
            "Both sides of each split that holds today were split as runs and gold stand today",
        ),
    ],
)
@contracts_told
def attribution(
    context: dg.AssetExecutionContext, evaluation: Evaluation, config: AttributionConfig
) -> Iterator[Reported]:
    """Split the move of each compared pair that is not split yet."""
    with explained():
        dataset = evaluation.dataset(context.partition_key)
        decisive = evaluation.rubrics(dataset)[0]
        with evaluation.warehouse.reading():
            wanted = _wanted(evaluation, dataset, decisive)
            ordered, runs = sides_of(evaluation, dataset.name)
            known = _Known(
                evaluation, dataset, runs, {(s.run_id, s.dataset_version): s for s in ordered}
            )
            known.rubrics |= {each.version: each for each in evaluation.rubrics(dataset)}
            wanted, due = _due(known, wanted, config)
        source = Source(evaluation, runs, known.rubrics)
        for start in range(0, due.height, PAIRS_AT_ONCE):
            _split(known, source, due.slice(start, PAIRS_AT_ONCE), decisive)
        refresh_flags(evaluation, dataset.key, {TABLE: wanted})
        with evaluation.warehouse.reading():
            n_rows = evaluation.warehouse.count(TABLE, _of(dataset))
            made_from = evaluation.warehouse.read(TABLE, wanted, _MADE_FROM, distinct=True)
            rows = evaluation.warehouse.read(TABLE, _latest(wanted, made_from, ordered), _SHOWN)
    rows = rows.filter((pl.col("dimension") == WHOLE) & (pl.col("figure") == "score"))
    yield contract_result(TABLE, [])
    yield _inputs_current(made_from, ordered)
    yield dg.MaterializeResult(
        asset_key=TABLE,
        data_version=dg.DataVersion(hash_json(sorted(map(list, wanted.rows())))),
        metadata=counted(
            n_rows,
            rows.select("candidate_run", "baseline_run", "axis", "part", "label", "amount"),
            due.height,
        )
        | {"parts": dg.MetadataValue.md(markdown_table(parts_told(rows, ordered)))},
    )


def parts_told(rows: pl.DataFrame, ordered: Sequence[Side]) -> pl.DataFrame:
    """The parts of mean scores in points, one row a pair and axis, latest candidates first.

    `rows` are those of the whole headline and the figure `score`.
    """
    place = {side.run_id: number for number, side in enumerate(ordered)}
    if rows.is_empty():
        return pl.DataFrame(schema={"candidate": pl.String, "axis": pl.String})
    order = pl.col("candidate_run").replace_strict(place, default=None, return_dtype=pl.Int64)
    keys = ["candidate_run", "baseline_run", "axis", "baseline_headline", "candidate_headline"]
    return (
        rows.with_columns(
            pl.col("amount", "baseline_headline", "candidate_headline").mul(100).round(1),
            pl.format("{} / {}", "n_baseline", "n_candidate").alias("n"),
        )
        # A pair that a person asked for beside its rule has the same parts twice.
        .pivot(on="part", index=[*keys, "n"], values="amount", aggregate_function="first")
        .sort(order, "candidate_run", "baseline_run", "axis", descending=[True, *([False] * 3)])
        .rename({"baseline_headline": "before", "candidate_headline": "after"})
    )


def _wanted(evaluation: Evaluation, dataset: DatasetVersion, decisive: Rubric) -> pl.DataFrame:
    """Comparisons of today by the rubric that decides, in a state that has numbers."""
    return evaluation.rows("comparisons", dataset.key).filter(
        pl.col("superseded_at").is_null()
        & pl.col("state").is_in(ATTRIBUTED)
        & (pl.col("rubric_version") == decisive.version)
    )


def _due(
    known: _Known, wanted: pl.DataFrame, config: AttributionConfig
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The keys that hold today, and of what is not held the pairs that can be split.

    A pair whose sides are not as they were compared waits for its comparison.
    """
    version = _of(known.dataset)
    keys = tables.keys(TABLE)
    stored = known.evaluation.warehouse.read(TABLE, version, [*keys, "current"], distinct=True)
    settled = dict(
        stored.filter("current").select("comparison_id", "baseline_rubric_version").iter_rows()
    )
    pairs: list[dict[str, Any]] = []
    asked: list[dict[str, Any]] = []
    for row in wanted.iter_rows(named=True):
        candidate, baseline = _sides(known, row)
        if candidate is None or baseline is None:
            if row["comparison_id"] in settled:
                pairs.append(row | {"baseline_rubric_version": settled[row["comparison_id"]]})
            continue
        base = settled.get(row["comparison_id"]) or _base_rubric(known, candidate, baseline)
        pairs.append(row | {"baseline_rubric_version": base})
        if config.base_rubric and (row["candidate_run"], row["baseline_run"]) == (
            config.candidate,
            config.baseline,
        ):
            asked.append(row | {"baseline_rubric_version": config.base_rubric})
    schema = pl.Schema({**wanted.schema, "baseline_rubric_version": pl.String()})
    held = known.evaluation.warehouse.held(TABLE, version)
    every = pl.DataFrame([*pairs, *asked], schema=schema).unique(keys, maintain_order=True)
    return (
        pl.DataFrame(pairs, schema=schema).select(keys),
        every.join(held, on=keys, how="anti", maintain_order="left"),
    )


def _sides(known: _Known, row: dict[str, Any]) -> tuple[Side | None, Side | None]:
    """The sides of a comparison, None where a side is not as it was compared."""
    found: list[Side | None] = []
    for name, version in (
        ("candidate", row["dataset_version"]),
        ("baseline", row["baseline_dataset_version"]),
    ):
        side = known.sides.get((row[f"{name}_run"], version))
        hashes = (row[f"{name}_dataset_hash"], row[f"{name}_run_hash"])
        same = side is not None and (side.dataset_hash, side.run_hash) == hashes
        found.append(side if same else None)
    return found[0], found[1]


def _base_rubric(known: _Known, candidate: Side, baseline: Side) -> str:
    """The version a baseline's headline was recorded with, else its deciding rubric of today."""
    of_baseline = known.evaluation.rubrics(known.evaluation.dataset_of(baseline.dataset_version))
    known.rubrics |= {each.version: each for each in of_baseline}
    decisive = of_baseline[0]
    found = recorded_rubric(
        known.scored_with(baseline), decisive.name, known.came_at(candidate, baseline)
    )
    return found or decisive.version


def _split(known: _Known, source: Source, due: pl.DataFrame, decisive: Rubric) -> None:
    """Split the move of some pairs and write the parts in one transaction."""
    pairs = []
    for row in due.iter_rows(named=True):
        candidate, baseline = _sides(known, row)
        if candidate is not None and baseline is not None:
            rubrics = (row["baseline_rubric_version"], decisive.version)
            pairs.append((row, Wanted(candidate, baseline, *rubrics)))
    with known.evaluation.warehouse.reading():
        source.read(pair for _, pair in pairs)
    changes = []
    for row, pair in pairs:
        old, new = (
            groups(source.reference(side.dataset_version).cases)
            for side in (pair.baseline, pair.candidate)
        )
        system = system_label(_index(known, pair.baseline), _index(known, pair.candidate))
        split = attribute(source.corners(pair), old, new, system=system)
        rows = split.parts.with_columns(
            *(pl.lit(row[name], pl.String).alias(name) for name in _OF_PAIR),
            current=pl.lit(value=True),
        )
        key = pl.DataFrame({name: [row[name]] for name in tables.keys(TABLE)})
        changes.append(Change(TABLE, key, verified(TABLE, rows.select(*tables.columns(TABLE)))))
    known.evaluation.warehouse.apply(changes)


def _index(known: _Known, side: Side) -> str | None:
    found = known.runs.filter(
        (pl.col("run_id") == side.run_id) & (pl.col("dataset_version") == side.dataset_version)
    )["indexed_snapshot"]
    return found[0] if found.len() else None


def _latest(wanted: pl.DataFrame, made_from: pl.DataFrame, ordered: Sequence[Side]) -> pl.DataFrame:
    """Keys of the pairs whose candidates were started last."""
    place = {side.run_id: number for number, side in enumerate(ordered)}
    order = pl.col("candidate_run").replace_strict(place, default=-1, return_dtype=pl.Int64)
    latest = made_from.sort(order, "comparison_id").tail(LATEST)
    return wanted.join(latest, on="comparison_id", how="semi")


def _inputs_current(made_from: pl.DataFrame, ordered: Sequence[Side]) -> dg.AssetCheckResult:
    """Whether each side's run and gold are what the stored rows were made from."""
    today = pl.DataFrame(
        [(side.run_id, side.dataset_version, side.dataset_hash, side.run_hash) for side in ordered],
        schema=dict.fromkeys(("run_id", "version", "dataset_hash", "run_hash"), pl.String),
        orient="row",
    )
    sides = pl.concat(
        [
            made_from.select(
                run_id=f"{side}_run",
                version=version,
                dataset_hash=f"{side}_dataset_hash",
                run_hash=f"{side}_run_hash",
            )
            for side, version in (
                ("candidate", "dataset_version"),
                ("baseline", "baseline_dataset_version"),
            )
        ]
    )
    stale = sides.join(today, on=today.columns, how="anti")["run_id"].unique().sort().to_list()
    if stale:
        said = (
            f"{len(stale)} runs or their gold changed after they were compared: "
            f"{', '.join(stale[:10])}; run the nightly of this dataset version"
        )
    else:
        said = f"{made_from.height} pairs split as their runs and gold stand today"
    return dg.AssetCheckResult(
        check_name="attribution_inputs_current",
        asset_key=TABLE,
        passed=not stale,
        severity=dg.AssetCheckSeverity.WARN,
        description=said,
        metadata={"pairs": made_from.height, "changed_runs": len(stale)},
    )


def _of(dataset: DatasetVersion) -> pl.DataFrame:
    return pl.DataFrame({"dataset_version": [dataset.key]})
