"""Citation marks inside an answer: what they cite and where they stand.

Marks are

- numbers: `[1]`, `[1, 2]`, `[1-3]`, `[^1]`, `【1】`, `【1†source】`, `［１］`, also `[Doc 1]` and
  `[出典1]`;
- ids: `[doc#page]`, `[file.pdf]`, `【shipping#s1】`, `【4:0†file.pdf】`, several divided by commas
  or semicolons, and every bracket that holds ids the caller knows;
- named: `(出典: shipping)`, `（参照：…）`, `(source: a, b)`, and a line `Sources: a, b`.

No marks are: words in brackets (`[optional]`, `【重要】`), numbers of four digits (`[2024]`), text
in code, and superscripts, since m² and 10³ are values. A Markdown link cites only if its text is a
mark (`[1](https://…)`): a link's target is an address, not an evidence id.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from rag_eval_pipeline.text.fold import fold


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark: its span in the text as given (end exclusive) and the ids it cites."""

    start: int
    end: int
    ids: tuple[str, ...]


_LONGEST_RANGE = 20

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_BRACKETS = re.compile(r"(?:\[|［|〔)([^\[\]［］〔〕\n]{1,300})(?:\]|］|〕)|【([^【】\n]{1,300})】")
_LINK_TARGET = re.compile(
    r"\((?:https?://|mailto:|/|#|\.)[^()\s]{0,2000}(?:\s+\"[^\"\n]{0,200}\")?\)"
)
_NAMES = (
    r"(?:出典元?|参照元?|参考(?:文献|資料)?|引用元?|根拠|典拠|情報源|ソース"
    r"|[Ss]ources?|SOURCES?|[Rr]ef(?:erence)?s?|[Cc]itations?|[Ss]ee)"
)
_NAMED = re.compile(r"[(（]\s{0,3}" + _NAMES + r"\s{0,3}[:：]\s{0,3}([^()（）\n]{1,300})[)）]")
_LINE = re.compile(
    r"^[ \t>*\-]{0,6}(?:\*\*)?"
    + _NAMES
    + r"(?:\*\*)?\s{0,3}[:：](?:\*\*)?[ \t]{0,3}(\S[^\n]{0,300})$",
    re.MULTILINE,
)
_LABELLED = re.compile(_NAMES + r"\s?[:：]\s?(\S.{0,200})")
_DIVIDERS = re.compile(r"\s*[,、;；，]\s*")
_NUMBER = re.compile(r"\^?(\d{1,3})", re.ASCII)
_RANGE = re.compile(r"(\d{1,3})\s?[-–—~〜～]\s?(\d{1,3})", re.ASCII)
_NUMBERED = re.compile(
    r"(?:doc(?:ument)?s?|sources?|ref(?:erence)?s?|passages?|contexts?|chunks?|citations?"
    r"|文書|資料|出典|参照|引用|参考|根拠)"
    r"[ _:#.\-]?\s?(\d{1,3})",
    re.IGNORECASE | re.ASCII,
)
_DAGGER = re.compile(r"([^†]{1,100})†([^†]{0,200})")
_FILE = re.compile(
    r"[^\s/][^,;\n]{0,200}\.(?:pdf|md|markdown|html?|txt|docx?|xlsx?|pptx?|csv|json|jsonl"
    r"|ya?ml|rst|xml)"
    r"(?:[#?:][^\s]{1,80})?",
    re.IGNORECASE,
)
_WITH_SECTION = re.compile(r"[^\s#][^\s#]{0,150}(?:#[^\s#]{1,80}){1,3}")


def citation_marks(text: str, *, known: Collection[str] = ()) -> tuple[Mark, ...]:
    """The citation marks of a text, in order, not overlapping.

    Parameters
    ----------
    text
        An answer as given.
    known
        Ids that are marks wherever they stand in brackets, e.g. those of the knowledge base.

    Returns
    -------
    Marks with the ids as written, width folded; a number stays a number (`"1"`), whatever it
    points at. `[0]` is a mark that points at nothing.
    """
    return tuple(mark for mark in _spans(text, known) if mark.ids)


def without_citations(text: str) -> str:
    """The text with its citation marks, and the targets of links, as spaces: offsets stay."""
    pieces: list[str] = []
    last = 0
    for mark in _spans(text, ()):
        pieces += [text[last : mark.start], " " * (mark.end - mark.start)]
        last = mark.end
    return "".join([*pieces, text[last:]])


def _spans(text: str, known: Collection[str]) -> list[Mark]:
    """Marks, and link targets as marks without ids."""
    code = [found.span() for found in _CODE.finditer(text)] if "`" in text else []
    found: list[Mark] = []
    for bracket in _BRACKETS.finditer(text):
        ids = _ids(bracket[1] if bracket[1] is not None else bracket[2], known)
        target = _LINK_TARGET.match(text, bracket.end())
        if ids:
            found.append(Mark(bracket.start(), target.end() if target else bracket.end(), ids))
        elif target:
            found.append(Mark(target.start(), target.end(), ()))
    for pattern in (_NAMED, _LINE):
        for named in pattern.finditer(text):
            ids = _named_ids(named[1], known)
            if ids:
                found.append(Mark(named.start(), named.end(), ids))
    return _apart(found, code)


def _apart(found: list[Mark], code: list[tuple[int, int]]) -> list[Mark]:
    """In order, the longer of two that overlap, none that stands in code."""
    kept: list[Mark] = []
    block = 0
    for mark in sorted(found, key=lambda each: (each.start, -each.end)):
        while block < len(code) and code[block][1] <= mark.start:
            block += 1
        in_code = block < len(code) and code[block][0] <= mark.start
        if not in_code and (not kept or mark.start >= kept[-1].end):
            kept.append(mark)
    return kept


def _ids(content: str, known: Collection[str]) -> tuple[str, ...]:
    """Ids a bracket cites; none if a part of it is no id."""
    whole = fold(content)
    if whole in known:
        return (whole,)
    dagger = _DAGGER.fullmatch(whole)
    if dagger:
        name = dagger[2].strip()
        return (name if _FILE.fullmatch(name) or name in known else dagger[1].strip(),)
    ids: list[str] = []
    for part in _DIVIDERS.split(whole):
        read = _id(part, known)
        if not read:
            return ()
        ids.extend(read)
    return tuple(dict.fromkeys(ids))


def _id(part: str, known: Collection[str]) -> tuple[str, ...]:
    part = part.strip("\"'` ")
    if part in known:
        return (part,)
    labelled = _LABELLED.fullmatch(part)
    part = labelled[1] if labelled else part
    number = _NUMBER.fullmatch(part)
    if number:
        return (number[1],)
    between = _RANGE.fullmatch(part)
    if between:
        first, last = int(between[1]), int(between[2])
        if 0 < first < last < first + _LONGEST_RANGE:
            return tuple(str(each) for each in range(first, last + 1))
        return ()
    if _NUMBERED.fullmatch(part) or _FILE.fullmatch(part) or _WITH_SECTION.fullmatch(part):
        return (part,)
    return ()


def _named_ids(content: str, known: Collection[str]) -> tuple[str, ...]:
    """Ids after `出典:`; the name says that a citation follows, so plain words are ids too."""
    whole = _BETWEEN.sub(",", fold(content)).strip("[]【】 ")
    if whole in known:
        return (whole,)
    ids: list[str] = []
    for part in _DIVIDERS.split(whole):
        part = part.strip("[]【】\"'`*「」『』.。 ")
        if not part:
            continue
        if len(part) > _LONGEST_NAME or _SENTENCE.search(part):
            return ()
        ids.extend(_id(part, known) or (part,))
    return tuple(dict.fromkeys(ids))


_LONGEST_NAME = 80
_BETWEEN = re.compile(r"[\]】]\s{0,3}[,、;]?\s{0,3}[\[【]")
_SENTENCE = re.compile(
    r"[。！？!?]|ください|下さい|です$|ます$|https?://|\s\S{1,80}\s\S{1,80}\s\S{1,80}\s"
)


def cited_position(cited: str) -> int | None:
    """The place in the ranking a numeric mark points at (`"2"`, `"Doc 2"`), else None."""
    number = _NUMBER.fullmatch(cited) or _NUMBERED.fullmatch(cited)
    return int(number[1]) if number else None
