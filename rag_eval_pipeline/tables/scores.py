"""Contracts of scores: what a rubric makes of measures, per axis and joined per run item."""

from rag_eval_pipeline.tables.model import (
    AXES,
    STATES,
    Boolean,
    Instant,
    ItemMeasure,
    Number,
    Table,
    Text,
    Texts,
    column,
    share,
)

AXIS_KEYS = [
    "dataset_version",
    "dataset_hash",
    "run_id",
    "run_hash",
    "measure_version",
    "axis_hash",
    "slices_hash",
]
CASE_KEYS = [
    "dataset_version",
    "dataset_hash",
    "run_id",
    "run_hash",
    "measure_version",
    "rubric_version",
    "slices_hash",
]
ITEM = ["run_id", "case_id", "trial"]
SLICES_HASH = (
    "Hash of which cases the rubric's overrides concern, by category and risk; empty if none"
)


class Rubrics(Table):
    """Every rubric scores were ever made with, one row a section."""

    rubric_version: Text = column("name@ and the first 8 hex of the hash of the canonical form")
    name: Text = column("Rubric name")
    axis: Text = column("Section: an axis or `pass`", isin=(*AXES, "pass"))
    axis_hash: Text = column("Hash of the section's canonical form")
    body: Text = column("The section as canonical JSON")
    version_text: Text = column("The author's own version, as last read", nullable=True)

    class Config:
        unique = ["rubric_version", "axis"]
        metadata = {"keys": ["rubric_version"], "row_id": ["rubric_version", "axis"]}


class AxisScores(ItemMeasure):
    """What the four axis tables share: one score a run item and section of a rubric."""

    axis_hash: Text = column("Hash of the rubric section that scored")
    slices_hash: Text = column(SLICES_HASH)
    snapshot_id: Text = column("Snapshot the gold is judged on", nullable=True)
    score: Number = share("Score; null unless measured")
    score_low: Number = share("Score with open conditions counted as not met")
    score_high: Number = share("Score with open conditions counted as met")
    passed: Boolean = column("Whether the axis passes; null unless measured", nullable=True)
    state: Text = column("State of the result", isin=STATES)
    reason_code: Text = column("Machine-readable reason")
    reason: Text = column("Why, for people")
    code_version: Text = column("Version of the software that scored")
    scored_at: Instant = column("When it was scored")

    class Config:
        unique = [*AXIS_KEYS, "case_id", "trial"]
        metadata = {"keys": AXIS_KEYS, "row_id": ITEM}


class SearchScores(AxisScores):
    """Did the retriever find the gold evidence?"""


class EvidenceScores(AxisScores):
    """Is the answer right and taken from the gold evidence?"""


class BehaviorScores(AxisScores):
    """Did the system answer, abstain or ask back as it should?"""


class FormatScores(AxisScores):
    """Has the item the fields it must have?"""


class CaseScores(ItemMeasure):
    """The four axes of a run item side by side, per rubric version; missing cases included."""

    rubric_version: Text = column("Rubric the scores were made with")
    slices_hash: Text = column(SLICES_HASH)
    current: Boolean = column("Whether data, run, rubric and rules are today's")
    snapshot_id: Text = column("Snapshot the gold is judged on", nullable=True)
    draft: Boolean = column("Whether the dataset version was a draft")
    search_score: Number = share("Search score; null unless measured")
    search_passed: Boolean = column("Search passes; null unless measured", nullable=True)
    search_state: Text = column("State of the search axis", isin=STATES)
    evidence_score: Number = share("Evidence score; null unless measured")
    evidence_passed: Boolean = column("Evidence passes; null unless measured", nullable=True)
    evidence_state: Text = column("State of the evidence axis", isin=STATES)
    behavior_score: Number = share("Behavior score; null unless measured")
    behavior_passed: Boolean = column("Behavior passes; null unless measured", nullable=True)
    behavior_state: Text = column("State of the behavior axis", isin=STATES)
    format_score: Number = share("Format score; null unless measured")
    format_passed: Boolean = column("Format passes; null unless measured", nullable=True)
    format_state: Text = column("State of the format axis", isin=STATES)
    score: Number = share("Mean over the applicable axes; null unless all are measured")
    score_low: Number = share("That mean with open conditions counted as not met")
    score_high: Number = share("That mean with open conditions counted as met")
    state: Text = column("State of the item over its applicable axes", isin=STATES)
    passed: Boolean = column("Kleene AND over the applicable axes (R1)", nullable=True)
    failed_axes: Texts = column("Axes that failed, in axis order")
    diagnosis: Text = column("The one cause named for a failed item (R13)", nullable=True)
    also: Texts = column("All causes that hold")
    where_to_mend: Text = column(
        "retrieval, generation, behavior, system or dataset", nullable=True
    )
    reason: Text = column("Why, for people")
    code_version: Text = column("Version of the software that scored")
    scored_at: Instant = column("When it was scored")

    class Config:
        unique = [*CASE_KEYS, "case_id", "trial"]
        metadata = {"keys": CASE_KEYS, "row_id": [*ITEM, "rubric_version"]}
