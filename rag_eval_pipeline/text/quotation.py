"""What a text only quotes: somebody's words, which it may affirm, deny or leave open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_QUOTE = re.compile(
    r"「([^「」]{1,200})」|『([^『』]{1,200})』|“([^“”]{1,200})”|\"([^\"]{1,200})\""
    r"|(?<![a-z])'([^']{8,200})'(?![a-z])"
)
# Only something that is said can be denied; a bare name in quotation marks is just emphasis.
_SAYS = re.compile(
    r"(?:です|ます|ません|である|だ|する|した|される|れる|ない|なる|ある|ください"
    r"|可能|不可|必要|不要|無料|有料|できる|可|禁止|対象外|対象|必須|任意|返金|同じ"
    r"|のみ|ほしい|欲しい|たい|いい|下さい|か|。|！)$"
    r"|\b(?:is|are|was|be|can|cannot|can't|must|may|will|do|does|has|have|not|no"
    r"|free|required|guaranteed|always|never|need)\b"
)
_AFFIRMED = re.compile(
    r"^(?:[^。]{0,12}?)(?:と|旨(?:が|の|を)?|との)(?:も)?(?:、)?(?:はっきり"
    r"|明確に)?(?:(?:記載|規定|明記|記述|明示|掲載|表示|案内|ご案内|説明|定義"
    r"|回答)(?:(?:が|も)?(?:あり|ござい|ある)|され(?:て(?:い|お)|ま)|して(?:い|お)"
    r"|しま|の(?:通|とお)り)|(?:書かれ|書い|定められ|記され|示され|うたわれ"
    r"|決められ)て(?:い|お|あ)|定め(?:て(?:い|お)|が)|あり(?:ます|$|、)|なって(?:い"
    r"|お)|され(?:て(?:い|お)|ます))"
)
_AFFIRMED_BEFORE = re.compile(
    r"\b(?:policy|document|manual|rule|rules|regulation|page|guide|handbook|terms"
    r"|section|it|faq) (?:clearly |explicitly )?(?:states?|says?|specif(?:y|ies)"
    r"|reads?|notes?)(?: that)?[:,]? ?$"
)
_NEGATED_AFFIRMATION = re.compile(r"(?:ません|ない|なく|not|n't|never)")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Span of the quoted words without their marks, and what the text around makes of them."""

    start: int
    end: int
    stance: Literal["affirmed", "reported"]


def quotations(text: str) -> tuple[Quotation, ...]:
    """Quoted statements of a text that is folded and in lower case; names in quotes are none."""
    found: list[Quotation] = []
    for match in _QUOTE.finditer(text):
        group = match.lastindex
        if group is None or _SAYS.search(match.group(group).strip()) is None:
            continue
        start, end = match.span(group)
        behind = _AFFIRMED.match(text[match.end() : match.end() + 60])
        before = _AFFIRMED_BEFORE.search(text[max(0, match.start() - 40) : match.start()])
        around = text[match.end() : match.end() + 60]
        denied = _NEGATED_AFFIRMATION.search(around) is not None
        affirmed = (behind is not None or before is not None) and not denied
        found.append(Quotation(start, end, "affirmed" if affirmed else "reported"))
    return tuple(found)
