"""A predicate that has an opposite: its axis, its side, its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Axis = Literal["need", "charge", "bear", "include", "same", "open", "do"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """`weak`: a plain verb or nothing but です, without a word that states the axis.

    `asks`: the text asks somebody to do it (提出してください, please submit).
    """

    axis: Axis
    sign: int
    start: int
    end: int
    weak: bool = False
    asks: bool = False


def blank(text: str, start: int, end: int) -> str:
    """The text with a span made unreadable for the rules that follow; offsets stay."""
    return text[:start] + "\x1f" * (end - start) + text[end:]
