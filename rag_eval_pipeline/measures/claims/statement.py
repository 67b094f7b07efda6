"""One thing said: the unit in which claims and texts are held against each other."""

from __future__ import annotations

from typing import NamedTuple

from rag_eval_pipeline.text.clauses import Clause
from rag_eval_pipeline.text.conditions import Condition
from rag_eval_pipeline.text.force import Force
from rag_eval_pipeline.text.polarity import Predicate
from rag_eval_pipeline.text.topic import Term
from rag_eval_pipeline.text.values import Value

NOWHERE = Clause(0, 0, "")


class Statement(NamedTuple):
    """One segment of a clause.

    Attributes
    ----------
    text
        The segment, folded and in lower case; each value stands as one private character.
    values, terms, predicates, conditions, force
        What the rules of `text` read in it. Free of charge is no value here but a predicate.
    marks
        Where its values stand.
    bearing
        What its values bear on (`implied.bearing`).
    inner
        Words that stand inside a value (定員 in 定員30名).
    quoted
        The words are only reported; nobody asserts them.
    excepts
        It takes something back from the statement before (ただし, however).
    answer
        +1 for はい / yes at its beginning, -1 for いいえ / no, else 0.
    wording
        Its words (English) and pairs of characters (Japanese), whatever they are.
    needed, implied
        What decides what it is about, and what it speaks of without a word (`implied`).
    topics
        Its terms that name a topic.
    about
        The names of what is needed, and the pairs of characters of their words.
    told
        The same of all its terms, with `wording` and `implied`, to hold an `about` against.
    clause
        The clause of the text as given that holds it.
    before
        Terms of the statements before it that it may silently go on about.
    near
        Of these the ones of the statement right before it.
    """

    text: str
    values: tuple[Value, ...]
    terms: tuple[Term, ...]
    predicates: tuple[Predicate, ...]
    conditions: tuple[Condition, ...]
    force: Force
    marks: tuple[int, ...] = ()
    inner: tuple[Term, ...] = ()
    bearing: frozenset[str] = frozenset()
    quoted: bool = False
    excepts: bool = False
    answer: int = 0
    wording: frozenset[str] = frozenset()
    needed: tuple[Term, ...] = ()
    implied: frozenset[str] = frozenset()
    topics: tuple[Term, ...] = ()
    about: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    clause: Clause = NOWHERE
    before: tuple[Term, ...] = ()
    near: tuple[Term, ...] = ()

    def placed(self, clause: Clause, before: tuple[Term, ...], near: tuple[Term, ...]) -> Statement:
        """The statement where it stands: `_replace`, without its price."""
        return Statement(*self[:-3], clause, before, near)
