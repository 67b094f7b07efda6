"""The keys of a rubric: one table that parser, JSON Schema and documentation are made from.

Each measure has keys of its own, so that a key which means nothing there is an error and not a
wish nobody hears.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from rag_eval_pipeline.tables.model import AXES, RISKS

Value: TypeAlias = str | float | tuple[str, ...]
Section: TypeAlias = Mapping[str, Value]

SECTIONS = (*AXES, "pass")
CHOOSERS: Mapping[str, str] = MappingProxyType(
    {section: "rule" if section == "pass" else "measure" for section in SECTIONS}
)
"""The key of each section that says which other keys it has."""

DIMENSIONS = ("category", "risk")
"""What an override may ask of a case."""
RISK_VALUES = (*RISKS, "unclassified")
TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "name": "the rubric's name, which is the file's",
        "description": "what it is for; not part of its identity",
        "version": "a version of your own, shown beside the hash; not part of its identity. The "
        "same text with other content is told as a warning",
    }
)
OVERRIDES = "overrides"
WHEN = "when"

CAUSES = (
    "system_error",
    "malformed_output",
    "forbidden_access",
    "stale_evidence",
    "retrieval_miss",
    "missed_abstention",
    "missed_clarification",
    "over_refusal",
    "needless_clarification",
    "forbidden_claim",
    "wrong_answer",
    "ungrounded_claim",
    "unused_evidence",
    "incomplete_answer",
    "wrong_source",
    "incomplete_abstention",
    "needs_review",
)
"""Causes whose order a rubric may change, in the order of R13; gold_problem stands before all."""


@dataclass(frozen=True, slots=True)
class Words:
    """One of some words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a range, or one of some words in its place."""

    lowest: float
    highest: float
    whole: bool = False
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Names:
    """A list of some words, each at most once; `ordered` where their order means something."""

    words: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """One key: what may stand there, what holds without it, its meaning.

    `default` None means that the key must be written. A `quiet` key is in the canonical form only
    where it differs from its default, so that a key added to the table changes no hash.
    """

    name: str
    values: Words | Number | Names
    default: Value | None
    meaning: str
    quiet: bool = False
    overridable: bool = True


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to judge a section, and the keys it has."""

    name: str
    meaning: str
    keys: tuple[Key, ...] = ()

    def key(self, name: str) -> Key | None:
        """The key of that name, if the measure has it."""
        return next((key for key in self.keys if key.name == name), None)


_PERCENT = Number(0.0, 1_000_000.0)
_POINTS = Number(0.0, 100.0)
_SHARE = Number(0.0, 1.0)
_THRESHOLD = Number(0.01, 1.0)
_MALFORMED = Key(
    "malformed",
    Words(("zero", "ignore")),
    "zero",
    "a malformed item scores 0; `ignore`: it is scored from what it has",
)
_PASS_KEYS = (
    Key(
        "min_core",
        _SHARE,
        0.5,
        "least share of a candidate's cases that a comparison must keep, else it is refused",
    ),
    Key(
        "min_measured",
        _SHARE,
        0.9,
        "least share of the compared cases that must be measured on both sides for a verdict",
        quiet=True,
    ),
    Key(
        "tolerance",
        _POINTS,
        2.0,
        "largest paired difference that counts as none, in points (hundredths of a mean or rate)",
        quiet=True,
    ),
    Key(
        "latency_tolerance",
        _PERCENT,
        10.0,
        "change of the latencies p50 and p95 that counts as none, in percent of the baseline's",
        quiet=True,
    ),
    Key(
        "cost_tolerance",
        _PERCENT,
        10.0,
        "change of the cost of an item that counts as none, in percent of the baseline's",
        quiet=True,
    ),
    Key(
        "citation_tolerance",
        _POINTS,
        2.0,
        "change of the share of items that show a source that counts as none, in points",
        quiet=True,
    ),
    Key(
        "error_tolerance",
        _POINTS,
        1.0,
        "change of the share of items with a system error that counts as none, in points",
        quiet=True,
    ),
    Key(
        "trials",
        Words(("majority", "all", "any")),
        "majority",
        "when a case that was tried several times passes: more than half of its trials do (a tie "
        "fails), `all`, or `any`",
        quiet=True,
    ),
    Key(
        "diagnosis_order",
        Names(CAUSES, ordered=True),
        (),
        "causes that are looked for before the others, first to last; the others follow in the "
        "usual order, and gold_problem stands before all",
        quiet=True,
    ),
)


def _counted(name: str, meaning: str) -> Key:
    return Key(name, Words(("count", "ignore")), "count", meaning)


# Section → measures; the first is the default.
MEASURES: Mapping[str, tuple[Measure, ...]] = MappingProxyType(
    {
        "search": (
            Measure(
                "gold_retrieved",
                "every gold evidence group is among the retrieved ids",
                (
                    Key(
                        "no_evidence",
                        Words(("full_credit", "separate")),
                        "full_credit",
                        "a case without gold passes; `separate`: it is not applicable",
                    ),
                    _MALFORMED,
                ),
            ),
            Measure(
                "recall",
                "gold evidence groups in the top k / gold evidence groups",
                (
                    Key("k", Number(1, 1000, whole=True), 10, "how many slots count"),
                    Key(
                        "level",
                        Words(("auto", "section", "document")),
                        "auto",
                        "section where both gold and log have sections, else document",
                        # A run is judged at one level (R2).
                        overridable=False,
                    ),
                    Key(
                        "forbidden_access",
                        Words(("fail", "ignore")),
                        "fail",
                        "a retrieved document that the asker may not read fails the axis",
                    ),
                    Key(
                        "pass_at",
                        _THRESHOLD,
                        1.0,
                        "the axis passes when the score reaches this",
                        quiet=True,
                    ),
                    Key(
                        "no_evidence",
                        Words(("separate", "full_credit")),
                        "separate",
                        "a case without gold is not applicable; `full_credit`: it passes",
                        quiet=True,
                    ),
                ),
            ),
        ),
        "evidence": (
            Measure(
                "exact_match",
                "the answer equals an accepted one and the source is gold",
                (_MALFORMED,),
            ),
            Measure(
                "claims",
                "weight of the claims met / weight of all; 0 if a forbidden one is asserted",
                (
                    Key(
                        "open_claims",
                        Words(("review", "fail")),
                        "review",
                        "what rules cannot decide stays open; `fail`: a required claim counts as "
                        "not met, a forbidden one as asserted",
                    ),
                    Key(
                        "ungrounded",
                        Words(("zero", "report")),
                        "zero",
                        "a value without ground makes the score 0; `report`: it only shows",
                    ),
                    Key(
                        "echoed",
                        Words(("ignore", "review", "fail")),
                        "ignore",
                        "a value found in the question alone: it does not count, leaves the axis "
                        "open, or counts as without ground",
                    ),
                    Key(
                        "source",
                        Words(("required", "ignore")),
                        "required",
                        "source or a citation must be of a gold document",
                    ),
                    Key(
                        "pass_at",
                        Number(0.01, 1.0, words=("vital",)),
                        "vital",
                        "the axis passes when every vital claim is met and okay claims never "
                        "decide; a number: when the score reaches it, okay claims included",
                        quiet=True,
                    ),
                    Key(
                        "vital_weight",
                        Number(0.01, 100.0),
                        1.0,
                        "weight of a vital claim in the score",
                        quiet=True,
                    ),
                    Key(
                        "okay_weight",
                        Number(0.0, 100.0),
                        0.5,
                        "weight of an okay claim in the score",
                        quiet=True,
                    ),
                ),
            ),
        ),
        "behavior": (
            Measure(
                "status_match",
                "the status is one the case accepts",
                (_MALFORMED,),
            ),
            Measure(
                "abstain_policy",
                "(1 + conditions met) / (1 + conditions asked for); 0 with a wrong status",
                (
                    _counted("no_invented_value", "no value is invented where none is known"),
                    _counted("names_missing_condition", "the missing condition is named"),
                    _counted("gives_next_action", "a next action is given"),
                    _counted(
                        "escalates_as_allowed", "escalation happens if required, only if allowed"
                    ),
                    Key(
                        "pass_at",
                        _THRESHOLD,
                        1.0,
                        "the axis passes when the score reaches this",
                        quiet=True,
                    ),
                ),
            ),
        ),
        "format": (
            Measure(
                "required_fields", "retrieved, answer, source, status are there with right types"
            ),
            Measure("logged_fields", "those of them that the run logs are there with right types"),
        ),
        "pass": (
            Measure("all_axes", "every applicable axis passes", _PASS_KEYS),
            Measure(
                "chosen_axes",
                "every applicable axis of those under `axes` passes; the others are only shown",
                (Key("axes", Names(AXES), None, "the axes that decide"), *_PASS_KEYS),
            ),
        ),
    }
)


def measure_of(section: str, name: str) -> Measure | None:
    """The measure of a section by name."""
    return next((each for each in MEASURES[section] if each.name == name), None)


def defaults(section: str, measure: Measure) -> dict[str, Value]:
    """The chooser and every key of a measure that has a default, with it."""
    filled: dict[str, Value] = {CHOOSERS[section]: measure.name}
    filled |= {key.name: key.default for key in measure.keys if key.default is not None}
    return filled
