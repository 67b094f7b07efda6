"""Predicates that have an opposite, and on which side of it a text stands.

Each predicate lies on an axis: `need` (必要 / 不要, required / optional), `charge` (有料 / 無料),
`bear` (the customer pays / the company pays), `include` (含む / 含まない), `same` (同じ / 異なる),
`open` (営業 / 休業) and `do` (can, is, does / cannot, is not, does not). The sign is +1 for the
first of each pair; a negation turns it around, two negations turn it back.
"""

from __future__ import annotations

import re

from rag_eval_pipeline.text.polarity_en import english
from rag_eval_pipeline.text.polarity_ja import japanese
from rag_eval_pipeline.text.predicate import Axis, Predicate

__all__ = ["AXES", "Axis", "Predicate", "predicates"]

# What says most about a rule comes first: 必要な書類を提出できます speaks of a need.
AXES: tuple[Axis, ...] = ("bear", "charge", "same", "include", "need", "open", "do")

_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_LATIN = re.compile("[a-z]{2}")


def predicates(text: str) -> tuple[Predicate, ...]:
    """Predicates of one segment that is folded and in lower case, in order of start.

    Never empty: a segment without any says at least that something is so.
    """
    found: list[Predicate] = []
    if _JAPANESE.search(text):
        found.extend(japanese(text))
    if _LATIN.search(text):
        found.extend(english(text))
    if not found:
        found.append(Predicate("do", 1, len(text), len(text), weak=True))
    found.sort(key=lambda predicate: predicate.start)
    return tuple(found)
