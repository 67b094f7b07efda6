"""n-grams by which a passage is found again in other texts, however they are cut (R5).

Texts in Japanese or Chinese, which do not part words, are compared by 5 characters, other texts by
3 words. Width, case and white space do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag_eval_pipeline.text.fold import fold_width

CHARACTERS, WORDS = 5, 3
COVERED_PERCENT = 70
SHORT = 20
"""A passage of fewer characters is looked for as it is."""

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_WORDLESS = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)


def ngrams(text: str) -> frozenset[str]:
    """Distinct n-grams of a text: 5 folded characters, or 3 words with a space between them.

    Empty for a text with fewer characters or words than that.
    """
    return _word_grams(words(text)) if parts_words(text) else _character_grams(characters(text))


def characters(text: str) -> str:
    """The text with width and case folded and white space taken out."""
    return _SPACE.sub("", fold_width(text).casefold())


def words(text: str) -> str:
    """The words of the text, folded, with one space before and after each."""
    return f" {' '.join(_WORD.findall(fold_width(text).casefold()))} "


def parts_words(text: str) -> bool:
    """Whether the text has more words than characters of scripts that do not part them."""
    spaced, found = _WORDLESS.subn(" ", fold_width(text))
    return len(_WORD.findall(spaced)) > found


@dataclass(frozen=True, slots=True)
class Searched:
    """A text to be searched in, folded once."""

    characters: str
    words: str

    @classmethod
    def of(cls, text: str) -> Searched:
        """Fold a text."""
        return cls(characters(text), words(text))


@dataclass(frozen=True, slots=True)
class Passage:
    """What has to be found of a passage: n-grams, and short parts as they are."""

    characters: frozenset[str]
    words: frozenset[str]
    exact: frozenset[str]

    @classmethod
    def of(cls, parts: Iterable[str]) -> Passage:
        """The passage that consists of some texts: a section, or quotes from one.

        A part of fewer than 20 folded characters, or without an n-gram, has to be found as it is.
        """
        by_characters: frozenset[str] = frozenset()
        by_words: frozenset[str] = frozenset()
        exact = set()
        for part in parts:
            folded = characters(part)
            grams = frozenset() if len(folded) < SHORT else ngrams(part)
            if not grams:
                exact.add(folded)
            elif parts_words(part):
                by_words |= grams
            else:
                by_characters |= grams
        return cls(by_characters, by_words, frozenset(exact - {""}))

    def covered_at(self, texts: Sequence[Searched | None]) -> int | None:
        """The smallest k, from 1, at which the first k texts together hold the passage.

        Held are at least 0.7 of its n-grams, and each short part within one text. None if all
        texts do not; a text that is None holds nothing. An empty passage is in no text.
        """
        by_characters, by_words = set(self.characters), set(self.words)
        exact = set(self.exact)
        total = len(by_characters) + len(by_words)
        if not total and not exact:
            return None
        for k, text in enumerate(texts, start=1):
            if text is None:
                continue
            exact -= {part for part in exact if part in text.characters}
            by_characters -= {gram for gram in by_characters if gram in text.characters}
            by_words -= {gram for gram in by_words if f" {gram} " in text.words}
            found = total - len(by_characters) - len(by_words)
            if not exact and found * 100 >= COVERED_PERCENT * total:
                return k
        return None


def _character_grams(folded: str) -> frozenset[str]:
    return frozenset(
        folded[start : start + CHARACTERS] for start in range(len(folded) - CHARACTERS + 1)
    )


def _word_grams(spaced: str) -> frozenset[str]:
    parts = spaced.split()
    return frozenset(
        " ".join(parts[start : start + WORDS]) for start in range(len(parts) - WORDS + 1)
    )
