"""Contracts of comparisons between a candidate run and its baseline."""

from rag_eval_pipeline.tables.model import (
    AXES,
    STATES,
    Boolean,
    Instant,
    Integer,
    Number,
    Partitioned,
    Text,
    Texts,
    column,
    share,
)

CHANGES = (
    "regressed",
    "recovered",
    "new",
    "removed",
    "missing",
    "unmeasured",
    "gold_changed",
)
PAIR = ["dataset_version", "comparison_id"]


class OfPair(Partitioned):
    """Names the pair a row belongs to."""

    comparison_id: Text = column("Hash of all that identifies the pair: runs, data, rubric, rules")
    candidate_run: Text = column("Run that is judged")
    baseline_run: Text = column("Run it is held against; null without one", nullable=True)
    rubric_version: Text = column("Rubric both are scored with")


class Comparisons(OfPair):
    """Every pair that was asked for, with what was compared or why it was refused (R9)."""

    baseline_rule: Text = column("How the baseline was chosen: previous, pinned or asked")
    state: Text = column(
        "compared, refused, no_baseline or insufficient_data",
        isin=("compared", "refused", "no_baseline", "insufficient_data"),
    )
    reason_code: Text = column("Machine-readable reason")
    reason: Text = column("Why, for people")
    core_case_ids: Texts = column("Cases compared: unchanged and approved on both sides")
    core_hash: Text = column("Hash of those ids")
    n_core: Integer = column("Cases compared", ge=0)
    n_candidate_cases: Integer = column("Approved cases of the candidate's dataset version", ge=0)
    candidate_dataset_hash: Text = column("Dataset hash of the candidate's side")
    candidate_run_hash: Text = column("Run hash of the candidate")
    candidate_snapshot_id: Text = column("Snapshot of the candidate's side", nullable=True)
    baseline_dataset_version: Text = column("Dataset version of the baseline", nullable=True)
    baseline_dataset_hash: Text = column("Dataset hash of the baseline's side", nullable=True)
    baseline_run_hash: Text = column("Run hash of the baseline", nullable=True)
    baseline_snapshot_id: Text = column("Snapshot of the baseline's side", nullable=True)
    measure_version: Text = column("Version of the measuring rules")
    differences: Texts = column(
        "What differs beside the answers: dataset, snapshot, system settings"
    )
    compared_at: Instant = column("When it was compared")
    superseded_at: Instant = column(
        "When another baseline or newer data took its place", nullable=True
    )

    class Config:
        unique = PAIR
        metadata = {"keys": PAIR, "row_id": ["candidate_run", "baseline_run", "rubric_version"]}


class Regressions(OfPair):
    """One row per case and axis (and `overall`) that is not unchanged."""

    case_id: Text = column("Case")
    axis: Text = column("Axis, or `overall`", isin=(*AXES, "overall"))
    change: Text = column("What changed", isin=CHANGES)
    side: Text = column(
        "Side a missing or unmeasured result is on: candidate, baseline or both", nullable=True
    )
    baseline_score: float = share("Score of the baseline")
    candidate_score: float = share("Score of the candidate")
    baseline_passed: Boolean = column("Whether the baseline passed", nullable=True)
    candidate_passed: Boolean = column("Whether the candidate passed", nullable=True)
    baseline_state: Text = column("State of the baseline's result", nullable=True, isin=STATES)
    candidate_state: Text = column("State of the candidate's result", nullable=True, isin=STATES)
    reason: Text = column("Why, for people")

    class Config:
        unique = [*PAIR, "case_id", "axis"]
        metadata = {"keys": PAIR, "row_id": ["candidate_run", "baseline_run", "case_id", "axis"]}


class ComparisonSummary(OfPair):
    """Difference of a pair per axis and slice with interval, test and verdict (R9)."""

    dimension: Text = column("Dimension of the slice, or `all`")
    slice: Text = column("Value of the dimension")
    axis: Text = column("Axis, or `overall`", isin=(*AXES, "overall"))
    n_pairs: Integer = column("Cases measured on both sides", ge=0)
    difference: Number = column("Mean paired difference", nullable=True)
    interval_low: Number = column("Lower end of the 95 % interval", nullable=True)
    interval_high: Number = column("Upper end of the 95 % interval", nullable=True)
    p_value: float = share("Two-sided p-value")
    verdict: Text = column(
        "Verdict of R9",
        isin=("insufficient_data", "within_noise", "worse", "better", "inconclusive"),
    )

    class Config:
        unique = [*PAIR, "dimension", "slice", "axis"]
        metadata = {
            "keys": PAIR,
            "row_id": ["candidate_run", "baseline_run", "dimension", "slice", "axis"],
        }


class ScoreChangeAttribution(OfPair):
    """The move of the headline split into what changed (R10)."""

    dimension: Text = column("Dimension of the slice, or `all`")
    slice: Text = column("Value of the dimension")
    axis: Text = column("Axis, or `overall`", isin=(*AXES, "overall"))
    part: Text = column(
        "Part of the move",
        isin=("rubric", "reference", "system", "mix", "measurability"),
    )
    amount: Number = column("Points of the headline the part accounts for")
    case_ids: Texts = column("Cases that make it up")

    class Config:
        unique = [*PAIR, "dimension", "slice", "axis", "part"]
        metadata = {"keys": PAIR, "row_id": ["candidate_run", "baseline_run", "axis", "part"]}
