"""Folding of width and space, so that the same text in two spellings compares equal.

NFKC as a whole would turn ① into 1 and 10² into 102, so only the blocks of full-width and
half-width forms are normalised, then the text is composed (NFC).
"""

from __future__ import annotations

import re
import unicodedata

_WIDTH_FORMS = re.compile("[\uff01-\uffef\u3000]+")
_SPACE = re.compile(r"\s+")


def fold_width(text: str) -> str:
    """Full-width letters, digits and marks to ASCII, half-width kana to full width; composed."""
    narrowed = _WIDTH_FORMS.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
    return unicodedata.normalize("NFC", narrowed)


def fold(text: str) -> str:
    """Width folded, runs of white space as one space, none at the ends. Case is kept."""
    return _SPACE.sub(" ", fold_width(text)).strip()
