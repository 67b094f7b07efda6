"""The question: what it speaks of, which claim and text may take up silently, and in which part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from rag_eval_pipeline.measures.claims.implied import bearing
from rag_eval_pipeline.measures.claims.statements import parse
from rag_eval_pipeline.text.compare_values import compare
from rag_eval_pipeline.text.fold import fold_width
from rag_eval_pipeline.text.topic import Term, terms
from rag_eval_pipeline.text.value_extents import numeric_extent
from rag_eval_pipeline.text.values import Value

# A question holds a few facts of its case; a table pasted into it is none.
_MOST_VALUES = 20
_MOST_TERMS = 500
_TOPICAL = frozenset({"は", "には", "では"})
_JOINS = re.compile(
    r"(?:と|や|および|及び|ならびに|並びに|または|又は|、|・)+|.*(?:\band\b|\bor\b|[,;]).*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the rules need it.

    Attributes
    ----------
    terms
        Its terms, which claim and text may take up silently.
    about
        Their names and the pairs of characters of their words.
    bearing
        What it bears on (`implied.bearing`).
    values
        The first values it holds, facts of the case asked about.
    parts
        Of a name the parts of the question that speak of it: "A and B?" has two.
    """

    terms: tuple[Term, ...] = ()
    about: frozenset[str] = frozenset()
    bearing: frozenset[str] = frozenset()
    values: tuple[Value, ...] = ()
    parts: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def apart(self, one: tuple[Term, ...], other: Term) -> bool:
        """Tell whether the question asks of `other` only in a part that speaks of none of `one`."""
        others = self.parts_of((other,))
        return bool(others) and others.isdisjoint(self.parts_of(one))

    def meets(self, value: Value) -> bool:
        """Tell whether a value of the case asked about keeps a bound or is the same."""
        return any(_within(held, value) or compare(held, value) == "same" for held in self.values)

    def rules_out(self, value: Value) -> bool:
        """Tell whether the values asked about of the value's kind all lie beyond it."""
        alike = [held for held in self.values if (held.kind, held.unit) == (value.kind, value.unit)]
        return bool(alike) and not any(_within(held, value) for held in alike)

    def parts_of(self, named: tuple[Term, ...]) -> frozenset[int]:
        """The parts of the question that speak of a term."""
        found = [self.parts[name] for term in named for name in term.keys if name in self.parts]
        return frozenset().union(*found)


NOT_ASKED = Asked()


def _within(held: Value, value: Value) -> bool:
    """Tell whether one number lies within the bounds of a value (2,500円 in 3,000円未満)."""
    point, extent = (numeric_extent(v.kind, v.unit, v.cmp, v.n) for v in (held, value))
    if point is None or extent is None or not point.is_point or point.low is None:
        return False
    at, low, high = point.low, extent.low, extent.high
    if any(bound is not None and bound.line != at.line for bound in (low, high)):
        return False
    above = low is None or at.at > low.at or (at.at == low.at and not low.is_open)
    below = high is None or at.at < high.at or (at.at == high.at and not high.is_open)
    return above and below


@lru_cache(maxsize=4096)
def asked_of(question: str) -> Asked:
    """Read a question."""
    read = parse(question).statements
    folded = fold_width(question).lower()
    return Asked(
        terms=_distinct(term for statement in read for term in statement.terms),
        about=frozenset(name for statement in read for name in statement.about),
        bearing=bearing(folded),
        values=tuple(value for statement in read for value in statement.values)[:_MOST_VALUES],
        parts=_parts(folded),
    )


def _distinct(found: Iterable[Term]) -> tuple[Term, ...]:
    first = {(term.keys, term.surface): term for term in islice(found, _MOST_TERMS)}
    return tuple(first.values())


def _parts(text: str) -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    part = 0
    topical = False
    before: Term | None = None
    for term in terms(text):
        if before is not None:
            between = text[before.end : term.start]
            changes = topical and term.after in _TOPICAL and re.search("[、。]", between)
            if _JOINS.fullmatch(between) or changes:
                part += 1
                topical = False
        topical = topical or term.after in _TOPICAL
        for name in term.keys:
            found[name] = found.get(name, frozenset()) | {part}
        before = term
    return found
