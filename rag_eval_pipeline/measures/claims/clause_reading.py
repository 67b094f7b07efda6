"""A clause taken apart into statements."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from rag_eval_pipeline.measures.claims.implied import bearing, implied, needed
from rag_eval_pipeline.measures.claims.statement import Statement
from rag_eval_pipeline.text.conditions import conditions, makes_exception
from rag_eval_pipeline.text.fold import fold_width
from rag_eval_pipeline.text.force import PLAIN, force, without_marks
from rag_eval_pipeline.text.polarity import predicates
from rag_eval_pipeline.text.quotation import quotations
from rag_eval_pipeline.text.topic import Term, stem, terms
from rag_eval_pipeline.text.values import Value, values

_FIRST_MARK = 0xE000
_MOST_VALUES = 6000
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_EMPHASIS = re.compile(r"[*_`~#]+|\|")
_SPACE = re.compile(r"\s+")
_CUT_JA = re.compile(
    r"(?:(?:です|ます|ません|でした|ました|である|(?<=[^で])だ|る|た|ない|い)(?:が"
    r"|けど|けれど|けれども|ものの|(?<!ただ)し|ので|ため|一方で?|のに対し(?:て)?)"
    r"|(?:不要|必要|無料|有料|可|可能|不可|対象外?|必須|任意|禁止|同じ|別"
    r"|[\ue000-\uf8ff])(?:で(?:あり|すが|すので|あるが|あるため)?|なので|のため"
    r"|ため|ですので|となり|とし|だが)"
    r"|(?<=[\ue000-\uf8ff])(?=、[^、]{1,20}(?:は|が|：|:)[^、]{0,6}[\ue000-\uf8ff])"
    r"|(?:でき|なり|かかり|異なり|含まれ|いただけ|なく|せず|できず))[、,]\s*"
    # 500円ではなく600円です: what is denied, then what holds.
    r"|(?<!だけ)(?<!のみ)(?<!ばかり)(?<!わけ)(?:では|じゃ)なくて?(?!な[るりっ])[、,]?\s*"
    r"|[;；]\s*|(?<=[\ue000-\uf8ff])(?:、|,|/|／)\s*(?=[^、,]{1,20}(?:は|が|："
    r"|:)[^、,]{0,6}[\ue000-\uf8ff])"
)
_CUT_EN = re.compile(
    r"\s*;\s*|(?<=[a-z\ue000-\uf8ff]):\s+(?=[^:]{0,80}?\b(?:is|are|can|cannot|can't|must|may|do"
    r"|does|will|has|have|costs?|ships?|requires?)\b)|,?\s+(?:but|whereas|while|although|however|though)\s+,?|,\s+(?:and\s+|but\s+)?(?=(?:not|never)\s+(?!only\b|later\b|more\b|less\b|fewer\b"
    r"|exceeding\b))|,\s+(?:and|so"
    r"|which|as)\s+(?=[^,]{0,80}?\b(?:is|are|was|can|cannot|can't|must|may|do|does"
    r"|will|has|have|cost|costs|require|requires)\b)"
    r"|\s+and\s+(?=[a-z ]{3,40}?\b(?:is|are|costs?"
    r"|takes?)\b[^,.]{0,20}[\ue000-\uf8ff])|\s+because\s+|\s+since\s+(?=the|it|you"
    r"|we)"
)
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_YES = re.compile(
    r"^(?:はい|ええ|その通りです|そのとおりです|おっしゃる通りです)(?:[、,。!！\s]+"
    r"|$)|^(?:yes|yeah|correct|right|that's right|that is correct"
    r"|sure)\b(?:[,.!:;\s–—-]+|$)"
)
_NO = re.compile(
    r"^(?:いいえ|いえ|違います|そうではありません)(?:[、,。!！\s]+|$)|^(?:no"
    r"|nope)(?:[,.!:;–—]+\s*|$)"
)
_WORDS = re.compile(r"[^\s\x1f「」『』“”\"'。、.,]")
_LONGEST_WORD = 14
_SHORTEST_SEGMENT = 4
_LONGEST_SEGMENT = 1000
_LONGEST_KEPT = 2000


_KEY = re.compile(r"[\s。．.!！?？、,「」『』\"'*_`]+")


def folded_key(text: str) -> str:
    """A text without width, case, space and marks: equal for texts of the same words."""
    return _KEY.sub("", fold_width(text).lower())


def read_clause(clause: str, *, quoted: bool) -> tuple[Statement, ...]:
    """Statements of one clause; `quoted` where it is one quotation and nothing else.

    Each distinct clause is read once, wherever it stands: the statements have no place yet.
    """
    return _read_kept(clause, quoted) if len(clause) <= _LONGEST_KEPT else _read(clause, quoted)


def _read(clause: str, quoted: bool) -> tuple[Statement, ...]:
    read: list[Value] = []
    masked: list[str] = []
    raw = _PRIVATE.sub(" ", clause)
    at = 0
    for value in values(raw):
        if value.start < at or len(read) >= _MOST_VALUES:
            continue
        masked.append(raw[at : value.start])
        if value.kind == "money" and value.n == "0":
            masked.append("無料" if _JAPANESE.search(raw) else " free ")
        else:
            masked.append(chr(_FIRST_MARK + len(read)))
            read.append(value)
        at = value.end
    masked.append(raw[at:])
    text = _EMPHASIS.sub(" ", fold_width("".join(masked)).lower())
    text = _SPACE.sub(" ", text).strip()
    found: list[Statement] = []
    quotes = quotations(text)
    outer = text
    for quotation in reversed(quotes):
        outer = outer[: quotation.start] + "\x1f" + outer[quotation.end :]
    around = force(outer) if quotes else PLAIN
    for quotation in quotes:
        inner = _statement(text[quotation.start : quotation.end], read)
        if quotation.stance == "affirmed":
            found.append(inner)
        elif around.absent:
            found.append(inner._replace(force=replace(inner.force, absent=True)))
        elif around.denied:
            found.append(inner._replace(force=replace(inner.force, denied=not inner.force.denied)))
        else:
            found.append(inner._replace(quoted=True))
    if quotes and (around.denied or around.absent or not _WORDS.search(outer)):
        return tuple(found)
    for piece in _segments(outer):
        statement = _statement(piece, read)
        if quoted:
            statement = statement._replace(quoted=True)
        found.append(statement)
    return tuple(found)


_read_kept = lru_cache(maxsize=16_384)(_read)

_NUMBER = re.compile(
    "[0-9,.:/~%〇一二三四五六七八九十百千万億]+|以上|以下|以内|以降|以前|未満|超え?"
    "|程度|前後|営業日|[約歳円日年月週時分秒人名個台回件本枚点泊倍割]"
)


@lru_cache(maxsize=20_000)
def _words_of(quote: str) -> tuple[Term, ...]:
    words = _NUMBER.sub(" ", fold_width(quote).lower())
    return tuple(term for term in terms(words) if not term.generic and len(term.surface) > 1)


def _inside(held: tuple[Value, ...], marks: list[re.Match[str]]) -> list[Term]:
    """Words that stand inside a value: 定員 in 定員30名, the counter in 1ライセンス."""
    return [
        replace(term, start=mark.start(), end=mark.end())
        for value, mark in zip(held, marks, strict=True)
        for term in _words_of(value.quote)
    ]


_LATIN_WORD = re.compile(r"[a-z0-9']+")


def _wording(text: str) -> frozenset[str]:
    if _JAPANESE.search(text) is None:
        return frozenset(map(stem, _LATIN_WORD.findall(text)))
    bare = _KEY.sub("", text)
    return frozenset(bare[at : at + 2] for at in range(len(bare) - 1))


def _segments(text: str) -> list[str]:
    cut = _CUT_JA if _JAPANESE.search(text) else _CUT_EN
    ends = [match.end() for match in cut.finditer(text) if match.end() < len(text)]
    pieces: list[str] = []
    at = 0
    for end in (*ends, len(text)):
        if end - at < _SHORTEST_SEGMENT and end < len(text):
            continue
        # Rules look at a segment as a whole: one without an end is read in parts.
        pieces.extend(
            text[part : min(part + _LONGEST_SEGMENT, end)]
            for part in range(at, end, _LONGEST_SEGMENT)
        )
        at = end
    return [piece.strip() for piece in pieces if piece.strip(" 、,")]


def _statement(piece: str, read: list[Value]) -> Statement:
    answer = 0
    text = piece.strip()
    for sign, pattern in ((1, _YES), (-1, _NO)):
        begins = pattern.match(text)
        if begins is not None:
            answer = sign
            text = text[begins.end() :]
            break
    text = text.strip(" 、,。.")
    marks = list(_PRIVATE.finditer(text))
    held = tuple(read[ord(mark) - _FIRST_MARK] for mark in _PRIVATE.findall(text))
    stated = predicates(without_marks(text))
    bare = text
    for predicate in stated:
        # A turn of phrase that reaches over other words keeps them as terms.
        if text[predicate.start : predicate.end].endswith("able"):
            continue
        if not predicate.weak and predicate.end - predicate.start <= _LONGEST_WORD:
            hidden = "\x1f" * (predicate.end - predicate.start)
            bare = bare[: predicate.start] + hidden + bare[predicate.end :]
    named = terms(bare)
    inner = tuple(_inside(held, marks))
    hinted = implied(text, named, held, stated)
    wording = _wording(text)
    wanted = needed(named, inner, held)
    return Statement(
        text=text,
        values=held,
        terms=named,
        inner=inner,
        marks=tuple(mark.start() for mark in marks),
        bearing=bearing(text) if held else frozenset(),
        predicates=stated,
        conditions=conditions(text),
        force=force(piece),
        excepts=makes_exception(text),
        answer=answer,
        wording=wording,
        needed=wanted,
        implied=hinted,
        topics=tuple(term for term in named if not term.generic),
        about=_about(wanted),
        told=_about((*named, *inner)) | hinted | wording,
    )


def _about(named: tuple[Term, ...]) -> frozenset[str]:
    keys = {name for term in named for name in term.keys}
    pairs = {
        term.surface[at : at + 2]
        for term in named
        if not term.surface.isascii()
        for at in range(len(term.surface) - 1)
    }
    return frozenset(keys | pairs)
