"""Pairs of runs: the runs a dataset name has, and comparing those that are due in batches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.comparison.drift import drifted
from rag_eval_pipeline.comparison.figures import ITEM as FIGURE_ITEM
from rag_eval_pipeline.comparison.figures import compare_figures, shown_items
from rag_eval_pipeline.comparison.headlines import PARADOX, headlines, paradoxes
from rag_eval_pipeline.comparison.notes import bases, notes, search_refused, slice_changes
from rag_eval_pipeline.comparison.pairs import Pair, Side, differences
from rag_eval_pipeline.comparison.regressions import (
    PAIRS,
    SIDES,
    Core,
    changes,
    core,
    core_cases,
    outside,
    side_by_side,
)
from rag_eval_pipeline.comparison.slices import WHOLE, groups
from rag_eval_pipeline.comparison.summary import summarise
from rag_eval_pipeline.comparison.verdicts import Standing, comparison_row, refusal, standing
from rag_eval_pipeline.dataset.manifest import DatasetVersion
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.keyed import batch_items
from rag_eval_pipeline.defs.measures import reference_of
from rag_eval_pipeline.defs.results import results_of_runs
from rag_eval_pipeline.knowledge import snapshot as snapshots
from rag_eval_pipeline.knowledge.texts import text_hashes
from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.measures.tables import Reference
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.tables.contract import verified
from rag_eval_pipeline.warehouse.warehouse import Change

TABLES = ("comparisons", "regressions", "comparison_summary", "comparison_figures")
NO_CORE = Core((), (), (), ())
PAIRS_AT_ONCE = 250
"""Most pairs of a batch, whatever the size of their runs."""
_SOURCES = frozenset(("source", "citations"))


@dataclass(slots=True)
class Inputs:
    """What the pairs of one materialization share, read once.

    `runs` are the rows of `runs` of the dataset's name with their reference; `drifts` holds the
    drifted cases by knowledge base and index.
    """

    evaluation: Evaluation
    dataset: DatasetVersion
    reference: Reference
    runs: pl.DataFrame
    knowledge: Mapping[str, str | None]
    drifts: dict[tuple[str, str], pl.DataFrame] = field(default_factory=dict)
    rows: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    moved: dict[str, list[str]] = field(default_factory=dict)
    measured: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.runs.iter_rows(named=True):
            self.rows[row["dataset_version"], row["run_id"]] = row

    def row(self, side: Side) -> dict[str, Any]:
        """The row of `runs` of a side."""
        return self.rows[side.dataset_version, side.run_id]

    def drift(self, side: Side) -> pl.DataFrame:
        """Cases whose gold text the index of a side holds otherwise: case_id, reason."""
        pinned = self.reference.cases["snapshot_id"].first()
        knowledge = self.knowledge.get(side.dataset_version)
        if side.index is None or knowledge is None or side.index == pinned:
            return pl.DataFrame(schema=dict.fromkeys(("case_id", "reason"), pl.String))
        key = (knowledge, side.index)
        if key not in self.drifts:
            documents, sections = snapshots.frames(
                snapshots.load_snapshot(self.evaluation.data_root, *key),
                dataset_version=side.dataset_version,
                knowledge=knowledge,
                snapshot=side.index,
                pinned=True,
            )
            self.drifts[key] = drifted(
                self.reference.evidence,
                text_hashes(documents, sections),
                pinned=str(pinned),
                index=side.index,
            )
        return self.drifts[key]

    def moved_slices(self, version: str) -> list[str]:
        """Cases whose slice is another in the version of a baseline, with what changed."""
        if version not in self.moved:
            same = version == self.dataset.key
            self.moved[version] = [] if same else slice_changes(
                self.reference.cases, self.evaluation.rows("cases", version)
            )  # fmt: skip
        return self.moved[version]

    def older_rules(self, side: Side) -> list[str]:
        """Versions of the measuring rules other than today's that a side has scores by."""
        version = side.dataset_version
        if version not in self.measured:
            keys = pl.DataFrame({"dataset_version": [version]})
            rules = pl.col("measure_version").str.split("+").list.first()
            held = self.evaluation.warehouse.held("case_scores", keys)
            older = held.select("run_id", rules=rules).filter(pl.col("rules") != MEASURE_VERSION)
            by_run = older.group_by("run_id").agg(pl.col("rules").unique().sort())
            self.measured[version] = dict(by_run.iter_rows())
        return self.measured[version].get(side.run_id, [])


@dataclass(slots=True)
class _Found:
    """One pair with its core, and why cases drifted (comparison_id, case_id, reason)."""

    pair: Pair
    split: Core = NO_CORE
    drifts: list[tuple[str, str, str]] = field(default_factory=list)
    search: str | None = None
    refused: Standing | None = None


def batches(
    due: Sequence[tuple[Pair, Rubric]], inputs: Inputs
) -> Iterator[tuple[list[Pair], Rubric]]:
    """Due pairs in batches of one rubric and one dataset version of the baseline."""
    most = batch_items()

    def kind(entry: tuple[Pair, Rubric]) -> tuple[str, str]:
        pair, rubric = entry
        return rubric.version, pair.baseline.dataset_version if pair.baseline else ""

    batch: list[Pair] = []
    before: tuple[tuple[str, str], Rubric] | None = None
    held = 0
    for pair, rubric in sorted(due, key=kind):
        size = sum(inputs.row(each)["n_items"] for each in (pair.candidate, pair.baseline) if each)
        full = len(batch) >= PAIRS_AT_ONCE or held + size > most
        if before is not None and batch and (full or before[0] != kind((pair, rubric))):
            yield batch, before[1]
            batch, held = [], 0
        batch.append(pair)
        held += size
        before = kind((pair, rubric)), rubric
    if before is not None and batch:
        yield batch, before[1]


def compare_batch(inputs: Inputs, pairs: Sequence[Pair], rubric: Rubric) -> None:
    """Compare pairs of one rubric and baseline version and write them in one transaction."""
    made = _compared(inputs, pairs, rubric)
    keys = made["comparisons"].select("dataset_version", "comparison_id")
    inputs.evaluation.warehouse.apply(
        [Change(table, keys, verified(table, made[table])) for table in TABLES]
    )


def _compared(inputs: Inputs, pairs: Sequence[Pair], rubric: Rubric) -> dict[str, pl.DataFrame]:
    with inputs.evaluation.warehouse.reading():
        found = _with_cores(inputs, pairs)
        candidate, baseline = _results(inputs, found, rubric)
    listed = [each for each in found if each.split is not NO_CORE]
    for each in found:
        each.refused = refusal(each.pair, each.split, min_core=rubric.min_core)
    both = side_by_side(
        _frame(listed), core_cases([each.split for each in listed]), candidate, baseline
    )
    drift_rows = [row for each in listed for row in each.drifts]
    drifts = pl.DataFrame(
        drift_rows,
        schema=dict.fromkeys(("comparison_id", "case_id", "reason"), pl.String),
        orient="row",
    )
    ids = [each.pair.comparison_id for each in listed]
    changed = changes(both, outside(ids, [each.split for each in listed]), drifts)
    rated = [each for each in listed if each.refused is None]
    rated_ids = pl.col("comparison_id").is_in([each.pair.comparison_id for each in rated])
    members = groups(inputs.reference.cases)
    summary = summarise(
        both.filter(rated_ids),
        members,
        tolerance=rubric.tolerance,
        min_measured=_min_measured(pairs[0], rubric),
    )
    with inputs.evaluation.warehouse.reading():
        turned = _paradoxes(inputs, listed, rubric)
        rows = _rows(inputs, found, both, summary, turned, rubric)
        figures = _figures(inputs, rated, members, rubric)
    named = pl.DataFrame(rows, schema=tables.columns("comparisons"), orient="row")
    of_pair = named.select(
        "comparison_id", "dataset_version", "candidate_run", "baseline_run", "rubric_version"
    )
    flags = turned.select("comparison_id", "axis", "dimension")
    flagged = pl.concat(
        [flags, flags.with_columns(dimension=pl.lit(WHOLE))]
    ).unique().with_columns(simpson=pl.lit(value=True))  # fmt: skip
    return {
        "comparisons": named,
        "regressions": changed.join(of_pair, on="comparison_id"),
        "comparison_summary": summary.join(of_pair, on="comparison_id").join(
            flagged, on=["comparison_id", "axis", "dimension"], how="left"
        ).with_columns(pl.col("simpson").fill_null(value=False)),
        "comparison_figures": figures.join(of_pair, on="comparison_id"),
    }  # fmt: skip


def _with_cores(inputs: Inputs, pairs: Sequence[Pair]) -> list[_Found]:
    """The pairs with what of their cases may be compared; a pair without two runs has no core."""
    approved: dict[str, pl.DataFrame] = {}
    cores: dict[str, Core] = {}
    found: list[_Found] = []
    for pair in pairs:
        if pair.baseline is None or pair.baseline.run_id == pair.candidate.run_id:
            found.append(_Found(pair))
            continue
        for side in (pair.candidate, pair.baseline):
            if side.dataset_version not in approved:
                approved[side.dataset_version] = inputs.evaluation.rows(
                    "cases", side.dataset_version, "case_id", "case_hash", "lifecycle"
                ).filter(pl.col("lifecycle") == "approved")
        version = pair.baseline.dataset_version
        if version not in cores:
            cores[version] = core(approved[pair.candidate.dataset_version], approved[version])
        whole = cores[version]
        moved = {
            name: dict(inputs.drift(side).iter_rows())
            for name, side in (("baseline", pair.baseline), ("candidate", pair.candidate))
        }
        split = whole.without({case for cases in moved.values() for case in cases})
        drifts = [
            (
                pair.comparison_id,
                case,
                "; ".join(
                    dict.fromkeys(
                        f"{side}: {cases[case]}" for side, cases in moved.items() if case in cases
                    )
                ),
            )
            for case in split.evidence_drifted
        ]
        found.append(_Found(pair, split, drifts))
    return found


def _frame(found: Sequence[_Found]) -> pl.DataFrame:
    rows = [
        (each.pair.comparison_id, number, each.pair.candidate.run_id, each.pair.baseline_run,
         each.search)
        for number, each in enumerate(found)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def _results(
    inputs: Inputs, found: Sequence[_Found], rubric: Rubric
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Results of the runs of both sides under the candidate's reference; what search rests on."""
    listed = [each for each in found if each.split is not NO_CORE]
    made: list[pl.DataFrame] = []
    known = []
    cases = sorted({case for each in listed for case in each.split.unchanged})
    for side in SIDES:
        version, runs = _runs(inputs, listed, side)
        results, basis = results_of_runs(
            inputs.evaluation, version, runs, inputs.reference, rubric, case_ids=cases
        )
        made.append(results)
        known.append(bases(basis))
    by_recall = rubric.sections["search"]["measure"] == "recall"
    level = str(rubric.sections["search"].get("level", "auto"))
    for each in listed:
        if by_recall and each.pair.baseline is not None:
            each.search = search_refused(
                known[0].get(each.pair.candidate.run_id),
                known[1].get(each.pair.baseline.run_id),
                level,
            )
    return made[0], made[1]


def _runs(inputs: Inputs, found: Sequence[_Found], side: str) -> tuple[str, pl.Series]:
    """The dataset version and the run ids of a side of the pairs."""
    both = [getattr(each.pair, side) for each in found]
    version = both[0].dataset_version if both else inputs.dataset.key
    return version, pl.Series(sorted({each.run_id for each in both}), dtype=pl.String)


def _paradoxes(inputs: Inputs, found: Sequence[_Found], rubric: Rubric) -> pl.DataFrame:
    """Where headlines moved against their slices: only another dataset version has other cases."""
    crossing = [
        each for each in found
        if each.pair.baseline is not None
        and each.pair.baseline.dataset_version != each.pair.candidate.dataset_version
    ]  # fmt: skip
    if not crossing:
        return pl.DataFrame(schema=PARADOX)
    rates = []
    for side in SIDES:
        version, runs = _runs(inputs, crossing, side)
        own = (
            inputs.reference
            if version == inputs.dataset.key
            else reference_of(inputs.evaluation, version)
        )
        results, _ = results_of_runs(inputs.evaluation, version, runs, own, rubric)
        rates.append(headlines(results, groups(own.cases)))
    return paradoxes(_frame(crossing), rates[0], rates[1])


def _rows(
    inputs: Inputs,
    found: Sequence[_Found],
    both: pl.DataFrame,
    summary: pl.DataFrame,
    turned: pl.DataFrame,
    rubric: Rubric,
) -> list[dict[str, object]]:
    """The rows of `comparisons`."""
    overall = both.filter(pl.col("axis") == "overall").sort("comparison_id", "case_id")
    failing, flaky = (_cases_by_pair(overall, name) for name in ("system_error", "flaky"))
    whole = summary.filter((pl.col("dimension") == WHOLE) & (pl.col("axis") == "overall"))
    counts = {row["comparison_id"]: row for row in whole.iter_rows(named=True)}
    paradox: dict[str, list[tuple[str, str, bool]]] = {}
    for comparison_id, axis, dimension, rose in turned.iter_rows():
        paradox.setdefault(comparison_id, []).append((axis, dimension, rose))
    made: list[dict[str, object]] = []
    for each in found:
        pair, comparison_id = each.pair, each.pair.comparison_id
        counted = counts.get(comparison_id, {"n_pairs": 0, "n_core": 0})
        result = each.refused or standing(
            each.split,
            n_measured=counted["n_pairs"],
            n_eligible=counted["n_core"],
            min_measured=_min_measured(pair, rubric),
        )
        made.append(
            comparison_row(
                pair,
                each.split,
                result,
                _differing(inputs, pair),
                compared_at=inputs.evaluation.now(),
                notes=_notes(inputs, each, paradox.get(comparison_id, [])),
                system_errors=failing.get(comparison_id, []),
                flaky=flaky.get(comparison_id, []),
            )
        )
    return made


def _min_measured(pair: Pair, rubric: Rubric) -> float:
    """The dataset's own share goes before the rubric's."""
    return rubric.min_measured if pair.min_measured is None else pair.min_measured


def _cases_by_pair(overall: pl.DataFrame, flag: str) -> dict[str, list[str]]:
    """Cases with a flag on a side, by pair."""
    flagged = overall.filter(pl.any_horizontal(f"{side}_{flag}" for side in SIDES))
    listed = flagged.group_by("comparison_id", maintain_order=True).agg("case_id")
    return dict(listed.iter_rows())


def _differing(inputs: Inputs, pair: Pair) -> list[str]:
    if pair.baseline is None:
        return []
    return differences(inputs.row(pair.candidate), inputs.row(pair.baseline))


def _notes(inputs: Inputs, each: _Found, turned: Sequence[tuple[str, str, bool]]) -> list[str]:
    pair = each.pair
    if pair.baseline is None:
        return notes(pair, each.split, logged_index={}, search=None)
    return notes(
        pair,
        each.split,
        logged_index={
            "candidate": inputs.row(pair.candidate)["indexed_snapshot"],
            "baseline": inputs.row(pair.baseline)["indexed_snapshot"],
        },
        search=each.search,
        paradoxes=turned,
        moved_slices=inputs.moved_slices(pair.baseline.dataset_version),
        older_rules=inputs.older_rules(pair.baseline),
    )


def _figures(
    inputs: Inputs, found: Sequence[_Found], members: pl.DataFrame, rubric: Rubric
) -> pl.DataFrame:
    items: list[pl.DataFrame] = []
    citing: set[str] = set()
    for side in SIDES:
        version, runs = _runs(inputs, found, side)
        columns = (*FIGURE_ITEM, "source", "citations", "error")
        rows = inputs.evaluation.rows("run_items", version, *columns, runs=runs)
        items.append(shown_items(rows))
        citing |= {
            run_id for run_id in runs
            if _SOURCES & set(inputs.rows[version, run_id]["logged_fields"])
        }  # fmt: skip
    return compare_figures(
        _frame(found),
        members,
        items[0],
        items[1],
        citing=citing,
        tolerances=rubric.figure_tolerances,
    )


def held_indexes(
    evaluation: Evaluation, runs: pl.DataFrame, knowledge: Mapping[str, str | None]
) -> pl.DataFrame:
    """Per run the snapshot its index was built from, if that can be read: adds `index`.

    Parameters
    ----------
    runs
        dataset_version, snapshot_id and indexed_snapshot beside anything else.
    knowledge
        Knowledge base by dataset version.
    """
    wanted = runs.select("dataset_version", "snapshot_id", "indexed_snapshot").unique()
    rows = [
        (version, index)
        for version, pinned, index in wanted.iter_rows()
        if index is not None
        and (index == pinned or _is_held(evaluation, knowledge.get(version), index))
    ]
    held = pl.DataFrame(
        rows,
        schema=dict.fromkeys(("dataset_version", "indexed_snapshot"), pl.String),
        orient="row",
    ).unique()
    return runs.join(
        held.with_columns(index="indexed_snapshot"),
        on=["dataset_version", "indexed_snapshot"],
        how="left",
        maintain_order="left",
    )


def _is_held(evaluation: Evaluation, knowledge: str | None, index: str) -> bool:
    if knowledge is None:
        return False
    path = snapshots.snapshot_path(evaluation.data_root, knowledge, index)
    if not path.is_file():
        return False
    found = path.stat()
    return _loads(evaluation.data_root, knowledge, index, found.st_mtime_ns, found.st_size)


@cache
def _loads(
    data_root: Path,
    knowledge: str,
    index: str,
    _modified: int,  # with the size: what tells one state of the file from another
    _size: int,
) -> bool:
    try:
        snapshots.load_snapshot(data_root, knowledge, index)
    except InputError:
        return False
    return True
