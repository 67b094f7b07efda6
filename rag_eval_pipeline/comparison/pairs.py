"""Which runs are held against which (R9).

A pair is identified by all that decides its result, so that a re-sent run, edited gold or another
rubric makes a new pair and the old one is kept as superseded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from rag_eval_pipeline.dataset.manifest import PREVIOUS
from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.reading.fingerprint import hash_json

PINNED = "pinned"
ASKED = "asked"
ASKED_IDENTICAL = "asked_identical"
COMPARISON_VERSION = "1"
"""Version of the rules of comparing: another one makes every pair due again."""


@dataclass(frozen=True, slots=True)
class Side:
    """One run and the reference it was made for.

    `index` is the snapshot its index was built from, if that is held; `slices_hash` tells one
    sorting of the cases into slices from another.
    """

    run_id: str
    run_hash: str
    dataset_version: str
    dataset_hash: str
    snapshot_id: str | None
    draft: bool
    system: str | None
    index: str | None = None
    slices_hash: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A candidate, its baseline (None without one), and how the baseline was chosen.

    `noted` says who pinned the baseline, when and why; `min_measured` is the share of cases that
    must be measured on both sides where the dataset asks for one of its own.
    """

    candidate: Side
    baseline: Side | None
    rule: str
    rubric_version: str
    reason_code: str = ""
    reason: str = ""
    wanted_baseline: str | None = None
    noted: str = ""
    min_measured: float | None = None

    @property
    def require_identical(self) -> bool:
        """Whether any difference of the references refuses the pair."""
        return self.rule == ASKED_IDENTICAL

    @property
    def baseline_run(self) -> str | None:
        """Id of the baseline, also where its run is gone."""
        return self.baseline.run_id if self.baseline is not None else self.wanted_baseline

    @property
    def comparison_id(self) -> str:
        """Hash of both runs, both references, rubric and measuring rules, 16 hex."""
        sides = [
            None
            if side is None
            else [side.run_id, side.run_hash, side.dataset_version, side.dataset_hash, side.draft,
                  side.snapshot_id if side.draft else None, side.index, side.slices_hash]
            for side in (self.candidate, self.baseline)
        ]  # fmt: skip
        identity = [
            sides,
            self.wanted_baseline,
            self.rule,
            self.rubric_version,
            MEASURE_VERSION,
            COMPARISON_VERSION,
            self.reason,
            self.noted,
            self.min_measured,
        ]
        return hash_json(identity)[:16]


def sides(runs: pl.DataFrame, references: pl.DataFrame) -> list[Side]:
    """Runs in order of time: those without a start first, by id (R9).

    Parameters
    ----------
    runs
        The table `runs`, with `index` where it is known; runs marked incomplete are left out.
    references
        dataset_version, dataset_hash, snapshot_id, draft of each dataset version, and slices_hash.
    """
    ordered = (
        runs.filter(pl.col("complete"))
        .join(references, on="dataset_version")
        .sort(["started_at", "run_id", "dataset_version"], nulls_last=False)
    )
    names = [name for name in Side.__dataclass_fields__ if name in ordered.columns]
    return [Side(**row) for row in ordered.select(*names).iter_rows(named=True)]


def wanted_pairs(
    ordered: Sequence[Side],
    dataset_version: str,
    *,
    pinned: str | None,
    rubric_versions: Sequence[str],
    asked: Sequence[tuple[str, str, str]] = (),
    noted: str = "",
    min_measured: float | None = None,
) -> list[Pair]:
    """The pairs every run of a dataset version should have.

    Parameters
    ----------
    ordered
        All runs on the dataset's name in order of time (`sides`).
    pinned
        The baseline the manifest names; None or `previous` is the latest earlier run of the same
        system. Drafts are held against drafts, frozen versions against frozen ones.
    asked
        (candidate, baseline, rule) of pairs people asked for; rule `asked` or `asked_identical`.
    noted
        Who pinned the baseline, when and why.
    min_measured
        Least share of cases measured on both sides that the dataset asks for.
    """
    latest: dict[tuple[str | None, bool], Side] = {}
    by_id: dict[str, Side] = {}
    pairs: list[Pair] = []
    for side in ordered:
        group = (side.system, side.draft)
        if side.dataset_version == dataset_version:
            pairs += [
                _by_rule(side, latest.get(group), pinned, ordered, rubric)
                for rubric in rubric_versions
            ]
        latest[group] = side
        by_id[side.run_id] = side
    for candidate, baseline, rule in asked:
        if candidate in by_id and by_id[candidate].dataset_version == dataset_version:
            pairs += [
                _asked(by_id[candidate], by_id.get(baseline), baseline, rule, rubric)
                for rubric in rubric_versions
            ]
    return [
        replace(pair, min_measured=min_measured, noted=noted if pair.rule == PINNED else "")
        for pair in pairs
    ]


def _by_rule(
    candidate: Side,
    previous: Side | None,
    pinned: str | None,
    ordered: Sequence[Side],
    rubric_version: str,
) -> Pair:
    if pinned is None or pinned == PREVIOUS:
        if previous is not None:
            return Pair(candidate, previous, PREVIOUS, rubric_version)
        return Pair(
            candidate, None, PREVIOUS, rubric_version, "no_earlier_run",
            "there is no earlier whole run of this system on a "
            f"{'draft' if candidate.draft else 'frozen version'} of this dataset",
        )  # fmt: skip
    found = next((side for side in ordered if side.run_id == pinned), None)
    if found is None:
        return Pair(
            candidate, None, PINNED, rubric_version, "pinned_absent",
            f"the pinned baseline {pinned!r} is not among the whole runs of this dataset",
        )  # fmt: skip
    if found.run_id == candidate.run_id:
        return Pair(
            candidate, None, PINNED, rubric_version, "is_baseline",
            "the run is itself the pinned baseline",
        )  # fmt: skip
    return Pair(candidate, found, PINNED, rubric_version)


def _asked(
    candidate: Side, baseline: Side | None, wanted: str, rule: str, rubric_version: str
) -> Pair:
    if baseline is None:
        return Pair(
            candidate, None, rule, rubric_version, "baseline_gone",
            f"the items of the baseline {wanted!r} are gone", wanted,
        )  # fmt: skip
    return Pair(candidate, baseline, rule, rubric_version, wanted_baseline=wanted)


def differences(candidate: Mapping[str, object], baseline: Mapping[str, object]) -> list[str]:
    """What differs between two rows of `runs` joined with their reference, beside the answers."""
    names = (
        "dataset_version",
        "dataset_hash",
        "snapshot_id",
        "system",
        "kind",
        "model",
        "settings",
        "prompt_version",
        "embedding_model",
        "reranker",
        "index_version",
        "indexed_snapshot",
    )
    return [
        f"{name}: {baseline[name] or 'none'} → {candidate[name] or 'none'}"
        for name in names
        if candidate[name] != baseline[name]
    ]
