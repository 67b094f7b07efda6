"""Contracts of the SQL marts."""

from rag_eval_pipeline.tables.model import (
    AXES,
    STATUSES,
    Aggregate,
    Boolean,
    Instant,
    Integer,
    Number,
    Text,
    Texts,
    column,
    share,
)

RUN_KEYS = [
    "dataset_version",
    "dataset_hash",
    "run_id",
    "run_hash",
    "measure_version",
    "rubric_version",
    "model_hash",
]
PRACTICES = (
    "retrieval miss",
    "departure from evidence",
    "incomplete answer",
    "unwarranted assertion",
)
AXES_AND_OVERALL = (*AXES, "overall")


class Rates(Aggregate):
    """Scores and pass rates of a scope; null where nothing is measured."""

    axis: Text = column("Axis, or `overall` for the item as a whole", isin=AXES_AND_OVERALL)
    n_passed: Integer = column("Cases that pass", ge=0)
    n_failed: Integer = column("Cases that fail; missing ones are counted in n_missing", ge=0)
    mean_score: float = share("Mean score over measured and missing cases, missing as 0 (R8)")
    pass_rate: float = share("Share of passes over measured and missing cases (R8)")
    pass_rate_low: float = share("Share of passes over all eligible, open ones as failed (R1)")
    pass_rate_high: float = share("Share of passes over all eligible, open ones as passed (R1)")
    answered_only_mean_score: float = share("Mean score over measured cases without system errors")
    answered_only_pass_rate: float = share(
        "Share of passes over measured cases without system errors"
    )


class RunSummary(Rates):
    """The headline of a run: validation cases if there are any, else all not in development."""

    scope: Text = column("headline, development or test: the split's cases the row speaks of")
    kind: Text = column("live, recorded or fixture", nullable=True)
    draft: Boolean = column("Whether the dataset version was a draft")
    started_at: Instant = column("Start of the run", nullable=True)
    citation_shown_rate: float = share("Share of items with a source or citation")
    latency_p50_ms: Number = column("Median latency, interpolated", nullable=True, ge=0.0)
    latency_p95_ms: Number = column(
        "95th percentile, interpolated, from n ≥ 20", nullable=True, ge=0.0
    )
    n_latency: Integer = column("Items with a valid latency", ge=0)
    error_rate: float = share("Share of items with a system error")
    input_tokens: Integer = column("Tokens in, summed; null if none logged", nullable=True, ge=0)
    output_tokens: Integer = column("Tokens out, summed; null if none logged", nullable=True, ge=0)
    cost_usd: Number = column("Cost, summed; null if none logged", nullable=True, ge=0.0)
    n_rankings: Integer = column("Cases with a ranking that is not empty", ge=0)
    hole_share: Number = share("Slots whose id the snapshot does not have / slots; mean of cases")
    stale_share: Number = share("Slots of outdated documents / slots; mean of cases")
    forbidden_share: Number = share("Slots the asker may not read / slots; of cases with roles")
    duplicate_share: Number = share("Slots that repeat an id / slots; mean of cases")

    class Config:
        unique = [*RUN_KEYS, "scope", "axis"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "rubric_version", "scope", "axis"]}


class SliceSummary(Rates):
    """The same per slice; under 5 cases the rates are null and only counts are shown (R8)."""

    dimension: Text = column("category, split, risk or language")
    slice: Text = column("Value of the dimension; `unclassified` if the case has none")

    class Config:
        unique = [*RUN_KEYS, "dimension", "slice", "axis"]
        metadata = {
            "keys": RUN_KEYS,
            "row_id": ["run_id", "rubric_version", "dimension", "slice", "axis"],
        }


class FailureSummary(Aggregate):
    """Failed items of a run by diagnosis and place to mend; one row a diagnosis that occurs."""

    diagnosis: Text = column("Cause named for the failed items")
    where_to_mend: Text = column("retrieval, generation, behavior, system or dataset")
    practice: Text = column(
        "The cause in the words of practice: retrieval miss (検索漏れ), departure from evidence "
        "(根拠逸脱), incomplete answer (回答不足), unwarranted assertion (不適切な断定); "
        "null where it lies outside of the answer",
        nullable=True,
        isin=PRACTICES,
    )
    n_failed_items: Integer = column("Items with this diagnosis", ge=1)
    n_failed_cases: Integer = column("Cases with at least one such item", ge=1)
    case_ids: Texts = column("Those cases, sorted")

    class Config:
        unique = [*RUN_KEYS, "diagnosis"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "rubric_version", "diagnosis"]}


class RunTrend(Rates):
    """Headline of every run with its verdict, and which runs may be drawn as one line.

    A line joins the runs of one `system` and one `series`, by `started_at` and `run_id`: figures
    of two states of a dataset, a snapshot, a rubric or the rules are never on one line (R9).
    """

    dataset: Text = column("Dataset name; its versions are one history of several series")
    system: Text = column("System that answered", nullable=True)
    kind: Text = column("live, recorded or fixture", nullable=True)
    draft: Boolean = column("Whether the dataset version was a draft")
    started_at: Instant = column("Start of the run", nullable=True)
    snapshot_id: Text = column("Snapshot the gold is judged on", nullable=True)
    indexed_snapshot: Text = column(
        "Snapshot the run's index was built from, as logged", nullable=True
    )
    series: Text = column(
        "First 8 hex of the hash of dataset version and hash, snapshot, rubric and measuring rules"
    )
    comparison_id: Text = column(
        "Comparison with the baseline its rule gives; null without one", nullable=True
    )
    baseline_run: Text = column("That baseline", nullable=True)
    comparison_state: Text = column("State of that comparison", nullable=True)
    verdict: Text = column("Verdict of R9 on the axis; null if not compared", nullable=True)
    difference: Number = column("Mean paired difference from the baseline", nullable=True)
    interval_low: Number = column("Lower end of its 95 % interval", nullable=True)
    interval_high: Number = column("Upper end of its 95 % interval", nullable=True)
    n_pairs: Integer = column("Cases paired; null if not compared", nullable=True, ge=0)

    class Config:
        unique = [*RUN_KEYS, "axis"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "rubric_version", "axis"]}


class AbstentionMatrix(Aggregate):
    """Expected against observed status over the headline; one row a cell that occurs (R3)."""

    expected_status: Text = column("Status a right system gives")
    observed_status: Text = column(
        "Status the items have; `none` if they have none, `error` for a system error",
        isin=(*STATUSES, "none", "error"),
    )
    is_right: Boolean = column("Whether the cases accept it")
    n_pairs: Integer = column("Items in the cell", ge=1)
    n_pair_cases: Integer = column("Cases with an item in the cell", ge=1)
    case_ids: Texts = column("Those cases, sorted")

    class Config:
        unique = [*RUN_KEYS, "expected_status", "observed_status"]
        metadata = {
            "keys": RUN_KEYS,
            "row_id": ["run_id", "rubric_version", "expected_status", "observed_status"],
        }


class AbstentionSummary(Aggregate):
    """How the system answers, abstains and asks back over the headline, each rate with its n.

    A case counts once, by the share of its trials; a missing case counts as not done (R8).
    """

    n_answerable: Integer = column("Cases that expect an answer", ge=0)
    answered_rate: Number = share("Share of them that was answered")
    over_refusal_rate: Number = share("Share of them on which the system wrongly abstained")
    n_unanswerable: Integer = column("Cases that expect unknown", ge=0)
    correct_abstention_rate: Number = share("Share of them with a right status")
    missed_abstention_rate: Number = share("Share of them that was answered")
    n_underspecified: Integer = column("Cases that expect a question back", ge=0)
    correct_clarification_rate: Number = share("Share of them with a right status")
    missed_clarification_rate: Number = share("Share of them that was answered")
    needless_clarification_rate: Number = share(
        "Share of answerable and unanswerable cases on which the system wrongly asked back"
    )
    n_no_invented_value: Integer = column("Items whose values are judged by policy", ge=0)
    no_invented_value_rate: Number = share("Share of them without an invented value")
    n_names_missing_condition: Integer = column("Items that should name conditions", ge=0)
    names_missing_condition_rate: Number = share("Share of them that name all")
    n_gives_next_action: Integer = column("Items that should give a next action", ge=0)
    gives_next_action_rate: Number = share("Share of them that give one")
    n_escalates_as_allowed: Integer = column("Items whose escalation is ruled", ge=0)
    escalates_as_allowed_rate: Number = share("Share of them that keep to it")

    class Config:
        unique = RUN_KEYS
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "rubric_version"]}


class RetrievalGenerationMatrix(Aggregate):
    """Evidence in the top k against answer right: what retrieval and generation could mend at most.

    Of the cases with gold evidence whose ranking and answer are both decided. n counts the slice
    on the evidence axis.
    """

    dimension: Text = column("all, category, split, risk or language")
    slice: Text = column("Value of the dimension; `headline` for all")
    k: Integer = column("Cut of the rubric; null: the whole ranking", nullable=True, ge=1)
    evidence_found: Boolean = column(
        "Whether all gold groups are in the top k, or in that of an override that concerns the case"
    )
    answer_right: Boolean = column("Whether the evidence axis passes")
    mendable_by: Text = column(
        "What could mend the cell: retrieval, generation, or nothing where the answer is right",
        isin=("retrieval", "generation", "nothing"),
    )
    n_cell: Integer = column("Cases in the cell", ge=1)
    n_crossed: Integer = column("Cases in all cells of the slice", ge=1)
    case_ids: Texts = column("Cases in the cell, sorted")

    class Config:
        unique = [*RUN_KEYS, "dimension", "slice", "evidence_found", "answer_right"]
        metadata = {
            "keys": RUN_KEYS,
            "row_id": ["run_id", "rubric_version", "dimension", "slice"],
        }


class RetrievalAtK(Aggregate):
    """Rank measures of the headline at each cut k from 1 to 20, and what another cut would catch.

    Means over the cases with gold evidence: those ranked, and as 0 those unanswered (R8).
    """

    k: Integer = column("Cut of the ranking", ge=1)
    rubric_k: Integer = column("Cut of the rubric; null: the whole ranking", nullable=True, ge=1)
    n_ranked: Integer = column("Headline cases with gold evidence and a measured ranking", ge=1)
    n_unanswered: Integer = column("Headline cases with gold, but missing or a system error", ge=0)
    hit: float = share("Share of cases with a gold group in the top k", nullable=False)
    recall: float = share("Gold groups in the top k / gold groups", nullable=False)
    precision: float = share("Earning slots in the top k / k", nullable=False)
    precision_ceiling: float = share("Precision of a perfect ranking, of those ranked")
    reciprocal_rank: float = share("1 / place of the first gold group in the top k", nullable=False)
    average_precision: float = share("Average precision in the top k", nullable=False)
    ndcg: float = share("Discounted gain of the top k / that of a perfect ranking", nullable=False)
    n_covered: Integer = column("Ranked cases with all gold groups in the top k", ge=0)
    n_missed: Integer = column("Ranked cases without by the rubric's cut", ge=0)
    n_caught: Integer = column("Missed cases that this k would have covered", ge=0)

    class Config:
        unique = [*RUN_KEYS, "k"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "rubric_version", "k"]}


class ScenarioSummary(Aggregate):
    """Variants of one question side by side: the worst of them, and values that contradict."""

    scenario_id: Text = column("Scenario the variants belong to")
    n_passed: Integer = column("Variants that pass", ge=0)
    n_failed: Integer = column("Variants that fail or are missing", ge=0)
    all_pass: Boolean = column(
        "Whether the worst variant passes; null while an open one decides", nullable=True
    )
    is_split: Boolean = column("Whether some variants pass and others fail")
    worst_score: Number = share("Lowest score of a variant, missing as 0")
    case_ids: Texts = column("The variants, sorted")
    failed_case_ids: Texts = column("Those that fail or are missing, sorted")
    contradicting_values: Texts = column("Values of the same kind that differ between answers")

    class Config:
        unique = [*RUN_KEYS, "scenario_id"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "rubric_version", "scenario_id"]}
