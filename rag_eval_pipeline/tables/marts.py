"""Contracts of the SQL marts."""

from rag_eval_pipeline.tables.model import (
    AXES,
    Aggregate,
    Boolean,
    Instant,
    Integer,
    Number,
    OfMeasure,
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
    n_failed_items: Integer = column("Items with this diagnosis", ge=1)
    n_failed_cases: Integer = column("Cases with at least one such item", ge=1)
    case_ids: Texts = column("Those cases, sorted")

    class Config:
        unique = [*RUN_KEYS, "diagnosis"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "rubric_version", "diagnosis"]}


class RunTrend(Rates):
    """Headline figures of all runs of a dataset name in order of time."""

    started_at: Instant = column("Start of the run", nullable=True)

    class Config:
        unique = [*RUN_KEYS, "axis"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "rubric_version", "axis"]}


class AbstentionMatrix(Aggregate):
    """Expected against observed status, counted."""

    expected_status: Text = column("Status a right system gives")
    observed_status: Text = column("Status the items have")
    n_pairs: Integer = column("Items in the cell", ge=0)

    class Config:
        unique = [*RUN_KEYS, "expected_status", "observed_status"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "expected_status", "observed_status"]}


class RetrievalGenerationMatrix(OfMeasure):
    """Evidence in the top k against answer right, per slice."""

    rubric_version: Text = column("Rubric the scores were made with")
    model_hash: Text = column("Hash of the SQL that made the row")
    dimension: Text = column("Dimension of the slice, or `all`")
    slice: Text = column("Value of the dimension")
    k: Integer = column("Cut of the ranking", ge=1)
    evidence_found: Boolean = column("Whether all gold groups are in the top k")
    answer_right: Boolean = column("Whether the evidence axis passes")
    n_cases: Integer = column("Cases in the cell", ge=0)

    class Config:
        unique = [*RUN_KEYS, "dimension", "slice", "k", "evidence_found", "answer_right"]
        metadata = {"keys": RUN_KEYS, "row_id": ["run_id", "dimension", "slice"]}
