"""A text taken apart into statements: what is said of what, in which sense and how firmly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from rag_eval_pipeline.measures.claims.clause_reading import folded_key, read_clause
from rag_eval_pipeline.measures.claims.statement import Statement
from rag_eval_pipeline.text.citation_marks import without_citations
from rag_eval_pipeline.text.clauses import Clause, clauses
from rag_eval_pipeline.text.topic import Term

__all__ = ["Parsed", "Statement", "folded_key", "parse"]

# How many statements before (and, in one clause, behind) may lend a topic.
_NEAR = 3
_LONGEST_KEPT = 20_000
_TOPICAL = frozenset({"は", "も", "には", "では"})


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text and its statements in order."""

    text: str
    folded: str
    statements: tuple[Statement, ...]


def parse(text: str) -> Parsed:
    """Read a text once: statements of its clauses, citation marks left out.

    Texts of usual length are kept, so that claims and questions that come again are not read again.
    """
    return _parse_kept(text) if len(text) <= _LONGEST_KEPT else _parse(text)


def _parse(text: str) -> Parsed:
    found: list[Statement] = []
    for clause in clauses(without_citations(text)):
        place = Clause(clause.start, clause.end, text[clause.start : clause.end], clause.quoted)
        together = read_clause(clause.text, quoted=clause.quoted)
        earlier = _topics(found[-_NEAR:])
        if len(together) == 1:
            found.append(together[0].placed(place, earlier, found[-1].topics if found else ()))
            continue
        for number, statement in enumerate(together):
            here = _topics(together[max(number - _NEAR, 0) : number])
            # 国内は500円、海外は2000円の送料です: what comes later, but no subject of its own.
            later = [
                term
                for term in _topics(together[number + 1 : number + 1 + _NEAR])
                if term.after not in _TOPICAL
            ]
            near = found[-1].topics if found else ()
            found.append(statement.placed(place, (*earlier, *here, *later), near))
    return Parsed(text, folded_key(text), tuple(found))


_parse_kept = lru_cache(maxsize=4096)(_parse)


def _topics(statements: Sequence[Statement]) -> tuple[Term, ...]:
    return tuple(chain.from_iterable([statement.topics for statement in statements]))
