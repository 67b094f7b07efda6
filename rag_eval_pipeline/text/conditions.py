"""Where a rule speaks of its conditions and exceptions instead of what it rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Condition:
    """`kind` if: what follows holds where this does; except: it does not hold for this."""

    kind: Literal["if", "except"]
    start: int
    end: int


_IF_JA = re.compile(
    "場合(?!が|も|でも|であっても|によ)(?:に限り|に限って|のみ|には|は|に|、|$|で)"
    "|なら(?!な|ば?な)(?:ば)?|(?<=[っいだ])たら|[えけせてねめれげべ]ば(?!な)|(?<=[^に])限り(?!ません)"
    "|とき(?:は|に|のみ|、)|時(?:は|に|のみ)(?=、)|際(?:は|に|には)|と(?=、)"
)
_EXCEPT_JA = re.compile(
    "を除き|を除いて|を除く|を除いた|以外(?:は|の|で)?|のほかは?|でない限り|でなければ|除く"
)
# At the beginning of a segment it introduces what is said, and makes no exception of it.
_BUT_JA = re.compile("(?<!^)(?:ただし|但し)[^。]{1,60}?(?:除|対象外|別)")
_COMMA = re.compile("[、,。;\x1e]")
_LONGEST = 60
_IF_EN = re.compile(
    r"\b(?:only if|if|when|whenever|provided(?: that)?|as long as|in case(?: of)?"
    r"|on condition that|once|subject to)\b[^,.;\x1e]{1,120}"
)
_EXCEPT_EN = re.compile(
    r"\b(?:unless|except(?:ing)?(?: for| when| if| in)?|excluding|other than"
    r"|apart from|with the exception of|but not(?: for)?"
    r"|aside from)\b[^,.;\x1e]{1,120}"
)
_EXCEPTION_FOLLOWS = re.compile(
    r"^(?:ただし|但し|なお、?.{0,30}(?:除|対象外)|例外|however|exception|but\b|note that)"
)


def conditions(text: str) -> tuple[Condition, ...]:
    """Conditions and exceptions of one segment that is folded and in lower case."""
    found = [
        *_up_to(_EXCEPT_JA, "except", text),
        *(Condition("except", *match.span()) for match in _BUT_JA.finditer(text)),
        *(Condition("except", *match.span()) for match in _EXCEPT_EN.finditer(text)),
        *_up_to(_IF_JA, "if", text),
        *(Condition("if", *match.span()) for match in _IF_EN.finditer(text)),
    ]
    return tuple(sorted(found, key=lambda condition: condition.start))


def _up_to(marker: re.Pattern[str], kind: Literal["if", "except"], text: str) -> list[Condition]:
    """Japanese conditions end in their marker and begin after the comma before it."""
    found: list[Condition] = []
    free = 0
    for match in marker.finditer(text):
        start = max(free, match.start() - _LONGEST)
        for comma in _COMMA.finditer(text, start, match.start()):
            start = comma.end()
        if start < match.start():
            found.append(Condition(kind, start, match.end()))
        free = match.end()
    return found


def makes_exception(text: str) -> bool:
    """Tell whether a segment takes something back from the one before it (ただし, however)."""
    return _EXCEPTION_FOLLOWS.search(text) is not None
