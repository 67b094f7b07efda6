"""Which status the wording of an answer tells: it answers, abstains, or asks back (R3, R15).

Each clause is read for what it does; then the whole is judged:

- an open question or a request for what is missing, with no fact after it, is `clarify`; a
  yes/no question after a plain fact is not, and neither are closing words (anything else?),
  offers, or a question the text goes on to answer;
- a clause that says the answer is not known, not to be found or not to be told, with no fact
  beside it, is `abstain`; naming a desk, an apology or what the documents do speak of is no fact;
- the same with a fact beside it is `answer`, marked mixed;
- an apology with a desk and nothing else is `abstain`, everything else is `answer`.

Empty text holds no wording; it reads as `abstain` by the rule `empty`, so that a caller can tell a
malformed answer from one that says it does not know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rag_eval_pipeline.text.citation_marks import without_citations
from rag_eval_pipeline.text.clauses import clauses
from rag_eval_pipeline.text.fold import fold
from rag_eval_pipeline.text.status_en import depends_en, kind_en
from rag_eval_pipeline.text.status_ja import depends_ja, kind_ja

Status = Literal["answer", "abstain", "clarify"]

# Longer clauses than any abstention or question back; they are facts without being read.
_LONGEST = 600
# Of a text of more clauses than twice this, the beginning and the end are read.
_EACH_END = 200
_AROUND = '*_ `「」『』“”"'
_END_MARKS = '。｡！？!?.．… \t」』）)"”’*_'


@dataclass(frozen=True, slots=True)
class StatusReading:
    """Status, whether it both abstains and states a fact, and the clause and rule that decided."""

    label: Status
    mixed: bool
    quote: str | None
    rule: str


@dataclass(frozen=True, slots=True)
class _Clause:
    kind: str
    rule: str
    quote: str
    depends: bool


def read_status(text: str) -> StatusReading:
    """Read the status off the wording of an answer, Japanese or English.

    Parameters
    ----------
    text
        The answer as given, with or without citation marks.

    Returns
    -------
    The label, `mixed` (an abstaining clause beside a fact: label answer), the deciding clause as
    written (None where nothing decided) and the rule.
    """
    read = _read(text)
    if not read:
        return StatusReading("abstain", mixed=False, quote=None, rule="empty")
    abstaining = next((each for each in read if each.kind == "abstain"), None)
    fact = next((each for each in read if each.kind == "fact"), None)
    asking = _asking(read)
    if asking is not None:
        return StatusReading("clarify", mixed=False, quote=asking.quote, rule=asking.rule)
    if abstaining is not None:
        if fact is not None:
            return StatusReading("answer", mixed=True, quote=fact.quote, rule="partial_help")
        return StatusReading("abstain", mixed=False, quote=abstaining.quote, rule=abstaining.rule)
    if fact is None:
        kinds = {each.kind for each in read}
        sent_away = next(
            (each for each in read if each.kind in ("desk", "vague_desk", "escalation")), None
        )
        if sent_away is not None and kinds & {"apology", "vague_desk", "escalation"}:
            return StatusReading("abstain", mixed=False, quote=sent_away.quote, rule="sent_away")
        if kinds <= {"apology", "polite", "closing"} and "apology" in kinds:
            return StatusReading("abstain", mixed=False, quote=read[0].quote, rule="apology")
    return StatusReading(
        "answer", mixed=False, quote=fact.quote if fact else None, rule="no_pattern"
    )


def _asking(read: list[_Clause]) -> _Clause | None:
    """The clause that asks back, unless the text answers it itself."""
    last_fact = max(
        (place for place, each in enumerate(read) if each.kind == "fact" and not each.depends),
        default=-1,
    )
    open_ones = [each for each in read[last_fact + 1 :] if each.kind in ("ask", "ask_yes_no")]
    if not open_ones:
        return None
    wanting = next((each for each in open_ones if each.kind == "ask"), None)
    # After a plain fact a yes/no question is an offer or politeness.
    return wanting if last_fact >= 0 else wanting or open_ones[0]


_QUOTED = re.compile(
    r"「[^「」\n]{0,200}」|『[^『』\n]{0,200}』|“[^“”\n]{0,200}”|\"[^\"\n]{1,200}\""
)
_BULLET = re.compile(r"^[\s>*•・●○■□▪◦#|+\-–—]+|^\d{1,2}[.)]\s+")
# An entry of a list that states nothing by itself, e.g. one of the choices after a question.
_ITEM = re.compile(r"[\s>]*(?:[*•・●○■□▪◦+\-–—]|\(?\d{1,2}[.)）．])\s?")
_PREDICATE = re.compile(
    r"(?:です|ます|ません|した|だ|ない|る|ください|下さい|か|円|日|%|無料|不要|可能|なし"
    r"|不明|可|不可)(?:[。（(].*)?$"
    r"|\d|\b(?:is|are|was|were|can|cannot|may|must|not|no|n/a|unknown|free|do|does|will"
    r"|should|has|have|please)\b",
    re.IGNORECASE,
)
_LONGEST_ITEM = 30
_LABEL = re.compile(
    r"^(?:回答|答え|結論|A|Ans|Answer|Response|Final answer|Result|Note|注|補足)\s*[:：]\s*",
    re.IGNORECASE,
)
_KANA_KANJI = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_BREAK_JA = re.compile(
    r"(?P<but>(?:ます|です|せん|した|ない|なく|でき|ある|いる|する|れる|だ)(?:が|けれども?"
    r"|けど)|ものの|たところ)[、,]"
    r"|(?P<cause>ため|ので|(?:です|ます|ない|だ|い)から|なく|おらず|できず|られず|からず"
    r"|ことから)[、,]?(?<=[、,])"
)
_BREAK_EN_ASKED = re.compile(
    r"; |,? (?:but|however|although|though|whereas)\b,? |, (?:so|and so) |, yet | – | — | - "
    r"|, and (?=(?:i|we|there|it) )"
)
_BREAK_EN = re.compile(_BREAK_EN_ASKED.pattern + r"|: (?=\w)")
_NEUTRAL_FIRST = re.compile(
    r"^(?:sorry(?! for| about| to)|unfortunately|i'm sorry|i’m sorry|i am sorry|i'm afraid"
    r"|i am afraid|regrettably|apologies|my apologies|we're sorry|we are sorry|at this time"
    r"|as of now|currently|however|also|additionally|that said|hmm|well"
    # These end with a comma: without one, what follows cannot be told apart.
    r"|(?:based on [^,]{1,80}|according to [^,]{1,80}|from (?:the|what) [^,]{1,60}"
    r"|in the (?:provided|given) [^,]{1,40}|as an ai[^,]{0,40}|thank you for [^,]{1,40}"
    r"|thanks for [^,]{1,40})(?=,))[,:]? (?:but )?(?:that )?"
)


def _read(text: str) -> list[_Clause]:
    bare = without_citations(text)
    whole = bare.strip()
    if not (1 < len(whole) < _LONGEST and whole[0] in '「『"“' and whole[-1] in '」』"”'):
        bare = _QUOTED.sub(_blanked, bare)
    pieces = clauses(bare)
    if len(pieces) > 2 * _EACH_END:
        pieces = pieces[:_EACH_END] + pieces[-_EACH_END:]
    found: list[_Clause] = []
    for piece in pieces:
        line = bare.rfind("\n", max(0, piece.start - 60), piece.start) + 1
        marked = bool(bare[line : piece.start].strip()) if line else False
        quote = text[piece.start : piece.end]
        found.extend(_parts(piece.text, quote, listed=marked))
    return found


def _blanked(quoted: re.Match[str]) -> str:
    """Quotation marks around spaces: what is quoted does not speak for the answer."""
    words = quoted.group()
    return words[0] + " " * (len(words) - 2) + words[-1]


def _worded(sentence: str) -> bool:
    return any(each.isalnum() for each in sentence)


def _parts(sentence: str, quote: str, *, listed: bool) -> list[_Clause]:
    if len(sentence) > _LONGEST:
        return [_Clause("fact", "fact", quote[:_LONGEST], depends=False)]
    body = sentence.rstrip(_END_MARKS)
    asks = any(each in "？?" for each in sentence[len(body) :])
    clean = _LABEL.sub("", _BULLET.sub("", fold(body)).strip(_AROUND)).strip(_AROUND)
    if not _worded(clean):
        return []
    if (
        (listed or _ITEM.match(sentence))
        and len(clean) <= _LONGEST_ITEM
        and not _PREDICATE.search(clean)
    ):
        return [_Clause("item", "item", quote, depends=True)]
    if _KANA_KANJI.search(clean):
        return _japanese(clean, quote, asks=asks)
    return _english(clean.lower().replace("’", "'"), quote, asks=asks)


def _japanese(clean: str, quote: str, *, asks: bool) -> list[_Clause]:
    parts: list[tuple[str, bool]] = []
    start = 0
    for found in _BREAK_JA.finditer(clean):
        parts.append((clean[start : found.end() - 1], found["cause"] is not None))
        start = found.end()
    parts.append((clean[start:], False))
    read: list[_Clause] = []
    reasons: list[_Clause] = []
    last = len(parts) - 1
    for place, (part, cause) in enumerate(parts):
        if not _worded(part):
            continue
        kind, rule = kind_ja(part.strip(), asks=asks and place == last)
        clause = _Clause(kind, rule, quote, depends_ja(part))
        if cause:
            reasons.append(clause)
            continue
        # A reason is part of what follows; before a desk it is all there is to say.
        if kind not in ("fact", "abstain", "ask", "ask_yes_no"):
            read.extend(each for each in reasons if each.kind != "fact")
        reasons = []
        read.append(clause)
    return [*read, *reasons]


def _english(clean: str, quote: str, *, asks: bool) -> list[_Clause]:
    # A colon in a question leads to its alternatives.
    breaks = _BREAK_EN_ASKED if asks else _BREAK_EN
    parts = [part for part in breaks.split(clean) if _worded(part)]
    last = len(parts) - 1
    read: list[_Clause] = []
    for place, part in enumerate(parts):
        part = part.strip(" ,:;*_")
        opening = _NEUTRAL_FIRST.match(part)
        if opening and opening.end() < len(part):
            if re.match(
                r"(?:i'm |i am |we're |we are )?(?:sorry|apolog|my apol|unfort|regret)", part
            ):
                read.append(_Clause("apology", "apology", quote, depends=False))
            part = part[opening.end() :]
        kind, rule = kind_en(part, asks=asks and place == last)
        read.append(_Clause(kind, rule, quote, depends_en(part)))
    return read
