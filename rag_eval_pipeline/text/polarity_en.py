"""English predicates that have an opposite (`polarity`)."""

from __future__ import annotations

import re

from rag_eval_pipeline.text.predicate import Axis, Predicate, blank

_PHRASES: tuple[tuple[Axis, int, re.Pattern[str]], ...] = (
    (
        "need",
        1,
        re.compile(
            r"\b(?:can ?not|can't|may not|not (?:be )?(?:able|allowed"
            r"|possible))\b[^.;\x1f]{0,60}?\bunless\b"
        ),
    ),
    (
        "need",
        1,
        re.compile(
            r"\bwithout\b[^.;\x1f]{1,60}?\b(?:can ?not|can't|unable|not|no|denied|rejected"
            r"|refused)\b"
        ),
    ),
    (
        "need",
        1,
        re.compile(
            r"\b(?:can ?not|can't|unable|not able|not possible|not|never"
            r"|no)\b[^.;\x1f]{0,60}?\bwithout\b"
        ),
    ),
    (
        "need",
        -1,
        re.compile(
            r"\bwithout (?:the |a |an |any |prior |needing )?(?=[^.;]{0,60}?\b(?:can|may"
            r"|is fine|are fine|possible|ok)\b)"
        ),
    ),
    (
        "need",
        -1,
        re.compile(
            r"\b(?:can|may|possible|able|allowed|works?|accepted|eligible|fine|ok|approved"
            r"|available)\b[^.;,\x1f]{0,60}?\bwithout\b"
        ),
    ),
    (
        "charge",
        -1,
        re.compile(
            r"(?:(?<=\bnot )|(?<=n't ))(?:have to |need to )?pay"
            r"(?=(?: (?:anything|extra|any))?(?: (?:a|the))? (?:for|[a-z]+ fees?)\b)"
        ),
    ),
    (
        "charge",
        -1,
        re.compile(
            r"\b(?:free of charge|at no (?:extra |additional |further )?(?:cost|charge)"
            r"|without (?:any |extra )?(?:charge|cost|fee)"
            r"|no (?:extra |additional )?(?:[a-z]+ ){0,2}(?:charge|cost|fee)s?\b|for free\b"
            r"|complimentary|(?:is|are) waived|on the house|(?:do|does)(?: not"
            r"|n't) (?:charge|cost))\b"
        ),
    ),
    (
        "bear",
        1,
        re.compile(
            r"\b(?:customers?|buyers?|purchasers?|users?|tenants?|you) (?:must |will "
            r"|has to |have to |should )?(?:pays?|covers?|bears?|(?:is"
            r"|are) responsible for)\b"
            r"|\bat (?:your|the customer's|the buyer's) (?:own )?(?:expense|cost)\b"
            r"|\b(?:borne|paid|covered) by (?:the )?(?:customer|buyer|purchaser|you)\b"
        ),
    ),
    (
        "bear",
        -1,
        re.compile(
            r"\b(?:we|the company|the seller|the store|the shop) (?:will )?(?:pays? for"
            r"|covers?|bears?)\b"
            r"|\bat (?:our|the company's|the seller's) (?:own )?(?:expense|cost)\b"
            r"|\b(?:borne|paid|covered) by (?:us|the company|the seller|the store)\b"
        ),
    ),
    (
        "same",
        1,
        re.compile(r"\b(?:no difference|(?:do|does)(?: not|n't) differ|not different|unchanged)\b"),
    ),
)
_WORDS_EN = """
need    + required require requires requiring needed need needs necessary mandatory must
need    + compulsory obligatory essential obliged prerequisite imperative
need    - optional unnecessary exempt exempted voluntary needn't
do      + can may able allowed permitted permit permits allow allows accepted accept accepts
do      + eligible possible available qualify qualifies qualified entitled offer offers offered
do      + supports supported valid cover covers covered acceptable welcome apply applies
do      - cannot can't prohibited prohibit prohibits forbidden forbid forbids banned unable
do      - ineligible impossible unavailable invalid disallowed refuse refused refuses reject
do      - rejected rejects declined void denied unsupported unacceptable mustn't
charge  - free
charge  + charged charges payable chargeable
include + included includes include inclusive
include - excluded excludes exclude exclusive
same    + same identical equal equally
same    - different differ differs separate separately distinct vary varies
open    + open opens
open    - closed closes
"""


_AXIS: dict[str, Axis] = {
    "need": "need",
    "charge": "charge",
    "include": "include",
    "same": "same",
    "open": "open",
    "do": "do",
}


def _bases() -> dict[str, tuple[Axis, int]]:
    signed: dict[str, tuple[Axis, int]] = {}
    for line in _WORDS_EN.strip().splitlines():
        axis, sign, *words = line.split()
        for word in words:
            signed[word] = (_AXIS[axis], 1 if sign == "+" else -1)
    return signed


_BASES_EN = _bases()
_ABLE = re.compile(
    r"(?P<no>non-?|un|in|not-)?(?P<root>refund|return|exchang|transfer|cancel"
    r"|reimburs|deduct|adjust|renew|negoti)(?:e|l)?able"
)
_NEGATORS = frozenset(
    ["not", "never", "no", "cannot", "nor", "neither", "none", "nobody", "nothing", "hardly", "nt"]
)
_TOKEN = re.compile(r"[a-z]+(?:['’-][a-z]+)*|[;:.,?!]")
_NOT_FREE = re.compile(
    r"\b(?:below|under|short of|(?:not|n't) (?:reach|meet|met|qualify|eligible|entitled))"
    r" (?:the |our |a )?(?:[a-z]+ ){0,3}?(?:for |of |to )?free\b"
)
_NAMES_FREE = re.compile(
    r"\b(?:limit|threshold|minimum|requirement|condition|criteri(?:a|on))s? (?:for |of )?free\b"
)
_NOT_NEGATION = re.compile(
    r"\b(?:no (?:later|more|less|fewer|sooner|earlier) than|not only|no\.? ?\d+|no,"
    r"|no\.|whether or not|if not|not later than|not more than|not less than)"
)
_HAVE_TO = re.compile(r"\b(?:have|has|had) to\b")
_PERSONAL = re.compile(
    r"\b(?:you|customers?|employees?|members?|users?|students?|staff|guests?"
    r"|visitors?|everyone|anyone|they|we|workers?|managers?|buyers?|residents?)\b"
)
_ASKS_EN = re.compile(
    r"^(?:please|kindly|then|first|always|and|yes,|no,|\s|,)*(?:submit|attach|bring"
    r"|provide|use|file|send|obtain|get|show|present|enter|keep|apply|"
    r"register|ask|fill|complete|sign|return|contact|include|make sure|ensure"
    r"|request|pay|notify|report|choose|select|wear|lock|"
    r"change|upload|save|have|give|hand|check|see|refer|visit|call|email|confirm"
    r"|inform)\b"
    r"|\bplease\b|\bshould\b|\bmake sure\b"
)


def english(text: str) -> list[Predicate]:
    """Predicates of an English segment; at least one on the axis `do`."""
    found: list[Predicate] = []
    rest = text.replace("’", "'")
    for match in _NOT_NEGATION.finditer(rest):
        rest = blank(rest, match.start(), match.end())
    for match in _NOT_FREE.finditer(rest):
        found.append(Predicate("charge", 1, match.start(), match.end()))
        rest = blank(rest, match.start(), match.end())
    # "The minimum for free shipping" tells of no shipping that it is free.
    rest = _NAMES_FREE.sub(lambda match: "\x1f" * len(match.group()), rest)
    for axis, sign, pattern in _PHRASES:
        for match in pattern.finditer(rest):
            found.append(Predicate(axis, sign, match.start(), match.end()))
            rest = blank(rest, match.start(), match.end())
    rest = _HAVE_TO.sub(lambda match: "need".ljust(len(match.group())), rest)
    negated_at: tuple[int, int, int] | None = None
    read_upto = 0
    for place, token in enumerate(_TOKEN.finditer(rest)):
        word, start, end = token.group(), token.start(), token.end()
        if start < read_upto:
            continue
        if word in ";.!?" or (
            word in ",:" and negated_at is not None and place - negated_at[0] > 3
        ):
            if negated_at is not None:
                found.append(Predicate("do", -1, negated_at[1], negated_at[2], weak=True))
            negated_at = None
            continue
        base = _BASES_EN.get(word)
        able = _ABLE.fullmatch(word) if word.endswith("able") else None
        if able is not None:
            base = ("do", -1 if able.group("no") else 1)
        if base is not None:
            axis, sign = base
            near = negated_at is not None and place - negated_at[0] <= 7
            follows = _NOT_BEHIND.match(rest, end)
            if follows is not None:
                # "must not" and "may not" forbid; "need not" frees.
                axis = "do" if word in ("must", "may", "can") else axis
                sign = -sign
                end = read_upto = follows.end()
            elif near:
                sign = -sign
            if near:
                negated_at = None
            found.append(Predicate(axis, sign, start, end))
            continue
        if negated_at is None and (word in _NEGATORS or word.endswith("n't")):
            negated_at = (place, start, end)
    if negated_at is not None:
        found.append(Predicate("do", -1, negated_at[1], negated_at[2], weak=True))
    asks = _ASKS_EN.search(rest)
    if asks is not None:
        found.append(Predicate("need", 1, asks.start(), asks.start(), weak=True, asks=True))
    if not any(predicate.axis == "do" for predicate in found):
        found.append(Predicate("do", 1, len(text), len(text), weak=True))
    return found


_NOT_BEHIND = re.compile(r" (?:not|never|no longer|no)\b")
