"""A rubric with every key filled in, its canonical form and its identity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.reading.fingerprint import canonical_json, hash_json
from rag_eval_pipeline.scores.rubric.keys import (
    CHOOSERS,
    MEASURES,
    OVERRIDES,
    SECTIONS,
    WHEN,
    Section,
    Value,
    defaults,
    measure_of,
)
from rag_eval_pipeline.tables.model import AXES


@dataclass(frozen=True, slots=True)
class Override:
    """Other keys of some axes for the cases of some categories and risks.

    `when` maps category and risk to the values it asks for; a dimension it lacks may be anything.
    """

    when: Mapping[str, tuple[str, ...]]
    sections: Mapping[str, Section]

    def concerns(self, category: str, risk: str) -> bool:
        """Whether a case of that category and risk takes its keys."""
        found = {"category": category, "risk": risk}
        return all(found[dimension] in values for dimension, values in self.when.items())

    def canonical(self, axis: str) -> dict[str, object]:
        """What it says of one axis."""
        return {WHEN: {name: sorted(self.when[name]) for name in self.when}} | {
            name: _plain(value) for name, value in self.sections[axis].items()
        }


@dataclass(frozen=True, slots=True)
class Rubric:
    """A rubric with every key filled in; sections by axis name and `pass`.

    `version_text` is the author's own version, `left_out` the sections its file does not hold.
    """

    name: str
    sections: Mapping[str, Section]
    source: str
    overrides: tuple[Override, ...] = ()
    version_text: str | None = None
    left_out: tuple[str, ...] = ()

    def canonical(self, section: str) -> dict[str, object]:
        """What a section says, in the one form that is hashed and stored.

        Overrides that touch the axis are in it, keys added to rubrics later only where they differ
        from their defaults: the hash of what was written before stays.
        """
        body = self.sections[section]
        measure = measure_of(section, str(body.get(CHOOSERS[section])))
        keys = () if measure is None else measure.keys
        quiet = {key.name: key.default for key in keys if key.quiet}
        form = {
            name: _plain(value)
            for name, value in body.items()
            if name not in quiet or value != quiet[name]
        }
        touching = [each.canonical(section) for each in self.overrides_of(section)]
        return form | ({OVERRIDES: touching} if touching else {})

    def axis_hash(self, section: str) -> str:
        """Hash of a section's canonical form: comments, spacing and order do not count."""
        return hash_json({section: self.canonical(section)})

    @property
    def version(self) -> str:
        """`name@` and the first 8 hex of the hash of the canonical form."""
        whole = hash_json({section: self.canonical(section) for section in self.sections})
        return f"{self.name}@{whole[:8]}"

    def overrides_of(self, section: str) -> list[Override]:
        """The overrides that touch a section, in their order."""
        return [each for each in self.overrides if section in each.sections]

    def of_case(self, category: str, risk: str) -> Rubric:
        """The rubric as it judges a case of that category and risk, without overrides.

        Of several overrides that concern the case the first to have a key decides it.
        """
        concerning = [each for each in self.overrides if each.concerns(category, risk)]
        sections = dict(self.sections)
        for override in reversed(concerning):
            for axis, keys in override.sections.items():
                sections[axis] = MappingProxyType({**sections[axis], **keys})
        return Rubric(
            self.name, MappingProxyType(sections), self.source, (), self.version_text, self.left_out
        )

    @property
    def deciding_axes(self) -> tuple[str, ...]:
        """The axes that decide whether an item passes."""
        chosen = self._of_pass("axes")
        return chosen if isinstance(chosen, tuple) else AXES

    @property
    def diagnosis_order(self) -> tuple[str, ...]:
        """Causes that are looked for before the others."""
        order = self._of_pass("diagnosis_order")
        return order if isinstance(order, tuple) else ()

    @property
    def trials(self) -> str:
        """When a case with several trials passes: `majority`, `all` or `any` (R8)."""
        return str(self._of_pass("trials"))

    @property
    def min_core(self) -> float:
        """Least share of the candidate's cases that a comparison must keep (R9)."""
        return self._number("min_core")

    @property
    def min_measured(self) -> float:
        """Least share of the core that must be measured on both sides for a verdict (R9)."""
        return self._number("min_measured")

    @property
    def tolerance(self) -> float:
        """Largest paired difference that is no change, a share; the file says points (R9)."""
        return self._number("tolerance") / 100

    @property
    def figure_tolerances(self) -> Mapping[str, float]:
        """Per figure beside the scores the change that is none.

        Percent of the baseline's figure for latency_p50, latency_p95 and cost_per_item, points for
        citation_rate and error_rate.
        """
        latency = self._number("latency_tolerance")
        return MappingProxyType(
            {
                "latency_p50": latency,
                "latency_p95": latency,
                "cost_per_item": self._number("cost_tolerance"),
                "citation_rate": self._number("citation_tolerance"),
                "error_rate": self._number("error_tolerance"),
            }
        )

    def frame(self) -> pl.DataFrame:
        """Its rows of the table `rubrics`."""
        version = self.version
        rows = [
            (
                version,
                self.name,
                section,
                self.axis_hash(section),
                canonical_json(self.canonical(section)),
                self.version_text,
            )
            for section in SECTIONS
        ]
        return pl.DataFrame(rows, schema=tables.columns("rubrics"), orient="row")

    def _of_pass(self, key: str) -> Value | None:
        """A key of `pass`; its default where the section was made without it."""
        return self.sections["pass"].get(key, _PASS_DEFAULTS.get(key))

    def _number(self, key: str) -> float:
        value = self._of_pass(key)
        if not isinstance(value, int | float):
            raise TypeError(f"pass.{key} is no number")
        return float(value)


_PASS_DEFAULTS = defaults("pass", MEASURES["pass"][0])


def of_canonical(name: str, bodies: Mapping[str, Mapping[str, object]], source: str) -> Rubric:
    """The rubric whose sections have these canonical forms (`Rubric.canonical`)."""
    sections: dict[str, Section] = {}
    pieces: list[tuple[dict[str, tuple[str, ...]], str, dict[str, Value]]] = []
    for section, body in bodies.items():
        measure = measure_of(section, str(body.get(CHOOSERS[section])))
        filled = {} if measure is None else defaults(section, measure)
        written = {key: _value(value) for key, value in body.items() if key != OVERRIDES}
        sections[section] = MappingProxyType({**filled, **written})
        listed = body.get(OVERRIDES)
        for each in listed if isinstance(listed, list) else []:
            when = {key: tuple(map(str, values)) for key, values in each[WHEN].items()}
            keys = {key: _value(value) for key, value in each.items() if key != WHEN}
            pieces.append((when, section, keys))
    # An override of two axes comes back as two; each is decided by those of its own axis alone.
    overrides = tuple(
        Override(MappingProxyType(when), MappingProxyType({axis: MappingProxyType(keys)}))
        for when, axis, keys in pieces
    )
    return Rubric(name, MappingProxyType(sections), source, overrides)


def _plain(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value


def _value(value: object) -> Value:
    if isinstance(value, list):
        return tuple(map(str, value))
    if isinstance(value, str | int | float):
        return value
    raise TypeError(f"a rubric holds no {type(value).__name__}")
