"""Contracts of comparisons between a candidate run and its baseline."""

from rag_eval_pipeline.tables.model import (
    AXES,
    STATES,
    Boolean,
    Instant,
    Integer,
    Number,
    Numbers,
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
    "evidence_drifted",
)
PAIR = ["dataset_version", "comparison_id"]
ATTRIBUTED = [*PAIR, "baseline_rubric_version"]


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
    core_case_ids: Texts = column(
        "Cases compared: unchanged and approved on both sides, their gold text not drifted"
    )
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
    notes: Texts = column(
        "What to know of the comparison: who pinned the baseline, a changed mix of cases, an "
        "unknown index, axes that are not comparable"
    )
    system_error_case_ids: Texts = column(
        "Cases of the core with a system error on a side: it is in no paired test"
    )
    flaky_case_ids: Texts = column("Cases of the core whose trials disagree on a side")
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
    baseline_score: Number = share("Score of the baseline")
    candidate_score: Number = share("Score of the candidate")
    baseline_passed: Boolean = column("Whether the baseline passed", nullable=True)
    candidate_passed: Boolean = column("Whether the candidate passed", nullable=True)
    baseline_state: Text = column("State of the baseline's result", nullable=True, isin=STATES)
    candidate_state: Text = column("State of the candidate's result", nullable=True, isin=STATES)
    reason: Text = column("Why, for people")

    class Config:
        unique = [*PAIR, "case_id", "axis"]
        metadata = {"keys": PAIR, "row_id": ["candidate_run", "baseline_run", "case_id", "axis"]}


class ComparisonSummary(OfPair):
    """Difference of a pair per axis and slice with interval, test and verdict (R9).

    An axis is compared by its score, `overall` by the share of trials passed.
    """

    dimension: Text = column("Dimension of the slice, or `all`")
    slice: Text = column("Value of the dimension, or `all`")
    axis: Text = column("Axis, or `overall`", isin=(*AXES, "overall"))
    n_core: Integer = column("Cases that could be paired: applicable and not held out", ge=0)
    n_pairs: Integer = column("Cases measured on both sides", ge=0)
    n_clusters: Integer = column("Scenarios and single cases they fall into", ge=0)
    n_flaky: Integer = column("Pairs whose trials disagree on a side", ge=0)
    baseline: Number = share("Mean of the baseline over the pairs")
    candidate: Number = share("Mean of the candidate over the pairs")
    difference: Number = column("Mean paired difference", nullable=True)
    interval_low: Number = column("Lower end of the 95 % interval", nullable=True)
    interval_high: Number = column("Upper end of the 95 % interval", nullable=True)
    method: Text = column("Interval and test used; null without pairs", nullable=True)
    p_value: Number = share("Two-sided p; null where not tested")
    p_adjusted: Number = share("The same after Holm, over the axes or the slices of a dimension")
    both_passed: Integer = column("Pairs that pass on both sides", ge=0)
    worse: Integer = column("Pairs that passed and fail now (b)", ge=0)
    better: Integer = column("Pairs that failed and pass now (c)", ge=0)
    both_failed: Integer = column("Pairs that fail on both sides", ge=0)
    tolerance: Number = column("Difference that counts as none, a share", ge=0)
    verdict: Text = column(
        "Verdict of R9; null for a slice under five cases",
        nullable=True,
        isin=("insufficient_data", "within_noise", "worse", "better", "inconclusive"),
    )
    told: Text = column("What the verdict rests on, one sentence")
    detectable_drop: Number = share("Smallest drop this n shows with 80 % power")
    needed_n: Integer = column("Cases the tolerance would need", nullable=True, ge=0)
    simpson: Boolean = column(
        "Whether the whole and every slice of some dimension move in opposite directions"
    )

    class Config:
        unique = [*PAIR, "dimension", "slice", "axis"]
        metadata = {
            "keys": PAIR,
            "row_id": ["candidate_run", "baseline_run", "dimension", "slice", "axis"],
        }


class ComparisonFigures(OfPair):
    """Latency, cost, citations and errors of both sides, each with its own tolerance."""

    figure: Text = column("Figure, as `run_summary` names it")
    unit: Text = column("Unit of the figure", isin=("ms", "usd", "share", "tokens"))
    n_baseline: Integer = column("Items of the baseline the figure stands on", ge=0)
    n_candidate: Integer = column("Items of the candidate the figure stands on", ge=0)
    baseline: Number = column("Figure of the baseline; null if not logged", nullable=True)
    candidate: Number = column("Figure of the candidate; null if not logged", nullable=True)
    change: Number = column("Candidate minus baseline, in the figure's unit", nullable=True)
    tolerance: Number = column("Change that counts as none, in the figure's unit", nullable=True)
    standing: Text = column(
        "What the change is", isin=("worse", "better", "within_tolerance", "not_logged", "too_few")
    )

    class Config:
        unique = [*PAIR, "figure"]
        metadata = {"keys": PAIR, "row_id": ["candidate_run", "baseline_run", "figure"]}


class ScoreChangeAttribution(OfPair):
    """The move of the headline split into what changed (R10)."""

    baseline_rubric_version: Text = column("Rubric the baseline's headline was scored with")
    current: Boolean = column(
        "Whether the pair is compared today, and this rubric is the one the baseline's headline "
        "was recorded with"
    )
    dimension: Text = column("Dimension of the slice, or `all`")
    slice: Text = column("Value of the dimension, or `all`")
    axis: Text = column("Axis, or `overall`", isin=(*AXES, "overall"))
    figure: Text = column("Headline: mean score or pass rate", isin=("score", "passed"))
    part: Text = column(
        "Part of the move",
        isin=("rubric", "reference", "system", "mix", "measurability"),
    )
    label: Text = column("The part for people: `index A→B` where the indexes differ")
    amount: Number = column(
        "Share of the headline the part accounts for; null where a headline has nothing measured",
        nullable=True,
    )
    case_ids: Texts = column("Cases that make it up, largest first")
    contributions: Numbers = column("What each of them adds")
    changes: Texts = column("What happened to each of them, e.g. `pass → fail` or `added: pass`")
    baseline_headline: Number = share("Headline of the baseline as it was scored")
    candidate_headline: Number = share("Headline of the candidate")
    n_baseline: Integer = column("Cases in the baseline's headline", ge=0)
    n_candidate: Integer = column("Cases in the candidate's headline", ge=0)
    n_core: Integer = column("Cases with the same state in all corners", ge=0)
    candidate_dataset_hash: Text = column("Dataset hash of the candidate's side")
    candidate_run_hash: Text = column("Run hash of the candidate")
    baseline_dataset_version: Text = column("Dataset version of the baseline")
    baseline_dataset_hash: Text = column("Dataset hash of the baseline's side")
    baseline_run_hash: Text = column("Run hash of the baseline")

    class Config:
        unique = [*ATTRIBUTED, "dimension", "slice", "axis", "figure", "part"]
        metadata = {
            "keys": ATTRIBUTED,
            "row_id": [
                "candidate_run", "baseline_run", "dimension", "slice", "axis", "figure", "part",
            ],
        }  # fmt: skip
