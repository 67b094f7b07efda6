"""What a text speaks of: its content words, each under the names of the things it stands for.

No dictionary of the language is used. Japanese runs of one script are cut at known words
(`synonyms`) and else into words of two characters with their affixes; English words lose their
endings by a few rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from rag_eval_pipeline.text.synonyms import GENERIC_EN, GENERIC_JA, IRREGULAR, SIBLINGS, THINGS

_KANJI = "\u4e00-\u9fff々〆ヶ"
_KATAKANA = "ァ-ヴー"
_PREFIXES = frozenset("年月再全各非新旧要副元他本総初最現諸毎不未無準")
_EACH = {"年": frozenset({"YEARLY"}), "月": frozenset({"MONTHLY"})}
_NEGATING = frozenset("未不非無")
_SUFFIXES = frozenset(
    "書日月率者料費金額数券証品物状機器店社員所課部室場口先元時期年度制性的化用系版別順中内外上下前後間"
    "分枚名様方法表票届願案便線駅車人式類権力感館園院港"
)
_LIGHT = frozenset({"PURCHASE", "USER", "START", "DEADLINE", "PERIOD", "OPENDAY", "FEE", "CONTACT"})
_STOP_EN = frozenset(
    [
        "a",
        "an",
        "the",
        "this",
        "that",
        "these",
        "those",
        "there",
        "here",
        "it",
        "its",
        "they",
        "them",
        "their",
        "he",
        "she",
        "his",
        "her",
        "we",
        "us",
        "our",
        "you",
        "your",
        "i",
        "me",
        "my",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "do",
        "does",
        "did",
        "done",
        "has",
        "have",
        "had",
        "having",
        "will",
        "would",
        "shall",
        "should",
        "can",
        "could",
        "may",
        "might",
        "must",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "as",
        "into",
        "about",
        "than",
        "then",
        "and",
        "or",
        "but",
        "if",
        "so",
        "not",
        "never",
        "no",
        "yes",
        "nor",
        "any",
        "some",
        "such",
        "who",
        "whom",
        "which",
        "what",
        "when",
        "where",
        "why",
        "how",
        "all",
        "each",
        "every",
        "both",
        "either",
        "neither",
        "also",
        "too",
        "very",
        "just",
        "only",
        "more",
        "most",
        "much",
        "many",
        "few",
        "other",
        "another",
        "own",
        "same",
        "up",
        "out",
        "off",
        "over",
        "under",
        "again",
        "once",
        "per",
        "via",
        "upon",
        "within",
        "without",
        "until",
        "unless",
        "because",
        "while",
        "through",
        "please",
        "if's",
        "let",
        "us",
        "one's",
        "etc",
        "however",
        "therefore",
        "regarding",
        "according",
    ]
)


_PREPOSITIONS = frozenset({"of", "in", "on", "at", "to", "for", "from", "by", "with", "without"})


@dataclass(frozen=True, slots=True)
class Term:
    """A content word: `keys` names what it stands for, `start` and `end` span the folded text.

    `generic` words name no topic of their own; `light` ones matter less where a value is compared.
    `after` is the Japanese particle behind it, or the English preposition before it. `verb`: the
    stem of a Japanese verb written with one character (残る).
    """

    keys: frozenset[str]
    surface: str
    start: int
    end: int
    generic: bool
    after: str
    verb: bool = False

    @property
    def light(self) -> bool:
        """Whether a missing word of this kind is forgiven where values agree."""
        return bool(self.keys & _LIGHT)


def terms(text: str) -> tuple[Term, ...]:
    """Content words of a text that is folded and in lower case, in order of start."""
    found = [*_japanese(text), *_hiragana(text), *_english(text)]
    found.sort(key=lambda term: term.start)
    for place in range(len(found) - 2, -1, -1):
        term, behind = found[place], found[place + 1]
        # A suffix hands its particle on: 販売店が speaks of 販売 as the one who acts.
        if not term.after and behind.start == term.end and len(behind.surface) == 1:
            found[place] = replace(term, after=behind.after)
    return tuple(found)


def rivals(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether two words stand in each other's place (domestic, overseas)."""
    return any(other & SIBLINGS[name] for name in one if name in SIBLINGS)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """An English word in lower case without its ending: returns, returned, returning → return."""
    word = word.removesuffix("'s")
    word = IRREGULAR.get(word, word)
    if len(word) <= 3:
        return word
    if word.endswith("eed"):
        if len(word) < 8:
            return word
        word = word[:-1]
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= 3:
            word = word[: len(word) - len(ending)] + instead
            break
    if word.endswith("ell") and len(word) > 5:
        word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


_ENDINGS = (
    ("ies", "y"),
    ("ied", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("s", ""),
    ("ed", ""),
    ("eing", "e"),
    ("ing", ""),
    ("ly", ""),
)


def _trie(words: Iterable[str]) -> str:
    """A pattern that matches the longest of the words, walking each character once."""
    tree: dict[str, dict[str, object]] = {}
    for word in words:
        branch = tree
        for character in word:
            branch = branch.setdefault(character, {})  # type: ignore[assignment]
        branch[""] = {}
    return _branch(tree)


def _branch(tree: dict[str, dict[str, object]]) -> str:
    parts = [
        re.escape(character) + _branch(branch)  # type: ignore[arg-type]
        for character, branch in sorted(tree.items())
        if character
    ]
    if not parts:
        return ""
    pattern = parts[0] if len(parts) == 1 and "" not in tree else f"(?:{'|'.join(parts)})"
    return f"{pattern}?" if "" in tree else pattern


def _by_word() -> dict[str, frozenset[str]]:
    named: dict[str, set[str]] = {}
    for name, (japanese, _) in THINGS.items():
        for word in japanese:
            named.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in named.items()}


def _by_phrase() -> dict[tuple[str, ...], frozenset[str]]:
    named: dict[tuple[str, ...], set[str]] = {}
    for name, (_, english) in THINGS.items():
        for phrase in english:
            named.setdefault(tuple(map(stem, phrase.split())), set()).add(name)
    return {phrase: frozenset(names) for phrase, names in named.items()}


_NAMES_JA = _by_word()
_NAMES_EN = _by_phrase()
_LONGEST_PHRASE = max(map(len, _NAMES_EN))
_GENERIC_STEMS = frozenset(map(stem, GENERIC_EN))
_SCAN = re.compile(
    f"(?P<known>{_trie(_NAMES_JA)})|(?P<katakana>[{_KATAKANA}]{{2,}})|(?P<kanji>[{_KANJI}])"
)
_RUN = re.compile(f"[{_KATAKANA}]+")
_PARTICLE = re.compile(
    "(?:(?:い?たし|し|さ)?(?:た|て))?"
    "(には|では|とは|からは|までは|へは|への|からの|での|との|は|が|を|に|へ|から|より|の|と|や|で|も|まで|か)"
)
_AFTER_NOUN = frozenset({"を", "は", "が", "で", "に", "には", "では", "と", "も"})
_WORD = re.compile(r"[a-z][a-z0-9]*(?:['’-][a-z0-9]+)*")


_ABLE = re.compile(
    r"(?:non-?|un|in|not-)?(refund|return|exchang|transfer|cancel|reimburs|deduct|adjust|renew)(?:l?able)"
)


def _particle(text: str, end: int) -> str:
    found = _PARTICLE.match(text, end, end + 12)
    return found.group(1) if found is not None else ""


def _japanese(text: str) -> list[Term]:
    found: list[Term] = []
    unknown_from: int | None = None
    position = 0
    while match := _SCAN.search(text, position):
        start, end = match.span()
        kind = match.lastgroup
        if unknown_from is not None and (start != position or kind != "kanji"):
            _add_unknown(found, text, unknown_from, position)
            unknown_from = None
        if kind == "kanji":
            if unknown_from is None:
                unknown_from = start
        elif kind == "known" and not _cuts_a_word(text, start, end):
            _add_known(found, text, start, end)
        else:
            run = _RUN.match(text, start)
            if run is not None:
                end = run.end()
                _add_katakana(found, text, start, end)
        position = end
    if unknown_from is not None:
        _add_unknown(found, text, unknown_from, position)
    return found


_HIRAGANA = re.compile(
    "(?:^|(?<=[、。「」 \x1f]))([ぁ-ん]{2,8}?)(?=(?:は|が|を|の|に|も|で)[^ぁ-ん、。 ])"
)
_NO_NOUN = re.compile(
    "(?:こ|そ|あ|ど)(?:れ|の|こ|ちら|んな|なた)|ため|こと|もの|とき|ところ|ほう|また|なお|すべて|いずれ|いつ|"
    "ほか|うち|あなた|わたし|みな|さらに|よう|しかし|ただし|まず|もし|とも|なし|とは|では|には|など|お|ご|はい|いいえ"
)


def _hiragana(text: str) -> list[Term]:
    """Nouns written in hiragana, where they begin a segment: めがねは, りんごの."""
    return [
        Term(frozenset({match.group(1)}), match.group(1), *match.span(1), False, text[match.end()])
        for match in _HIRAGANA.finditer(text)
        if _NO_NOUN.match(match.group(1)) is None
    ]


_COMPOUNDS = frozenset("りいえきち")


def _is_katakana(character: str) -> bool:
    return "ァ" <= character <= "ヴ" or character == "ー"


def _cuts_a_word(text: str, start: int, end: int) -> bool:
    """Tell whether a known word is only a part of a longer one (繰り返す, プライスカード)."""
    if (
        text[start] == "返"
        and "ぁ" <= text[end - 1] <= "ん"
        and text[start - 1 : start] in _COMPOUNDS
    ):
        return True
    ends_inside = end < len(text) and _is_katakana(text[end]) and _is_katakana(text[end - 1])
    starts_inside = start > 0 and _is_katakana(text[start - 1]) and _is_katakana(text[start])
    return ends_inside or starts_inside


def _add_known(found: list[Term], text: str, start: int, end: int) -> None:
    word = text[start:end]
    keys = _NAMES_JA[word]
    if found and found[-1].end == start and found[-1].surface in _NEGATING:
        prefix = found.pop()
        keys = frozenset(f"{prefix.surface}{name}" for name in keys)
        start, word = prefix.start, prefix.surface + word
    found.append(Term(keys, word, start, end, word in GENERIC_JA, _particle(text, end)))


def _add_katakana(found: list[Term], text: str, start: int, end: int) -> None:
    word = text[start:end]
    keys = _NAMES_JA.get(word, frozenset({word}))
    found.append(Term(keys, word, start, end, word in GENERIC_JA, _particle(text, end)))


def _add_unknown(found: list[Term], text: str, start: int, end: int) -> None:
    pieces = _pieces(text[start:end])
    for piece in pieces:
        upto = start + len(piece)
        after = _particle(text, upto) if upto == end else ""
        keys = frozenset({piece})
        generic = piece in GENERIC_JA
        if len(piece) == 1 and len(pieces) > 1 and piece in _EACH and upto < end:
            keys, generic = _EACH[piece], False
        elif _is_verb(piece, text, upto, before=text[start - 1] if start else ""):
            found.append(Term(keys, piece, start, upto, True, after, verb=not generic))
            start = upto
            continue
        elif len(piece) == 1 and piece not in _NEGATING:
            # Alone and with a particle behind it a character is a noun (紙で), else the stem of
            # a verb or an affix.
            alone = len(pieces) == 1 and after in _AFTER_NOUN
            generic = generic or not alone or (bool(found) and found[-1].end == start)
        found.append(Term(keys, piece, start, upto, generic, after))
        start = upto


_VERB = re.compile(
    "(?:[うくぐすつぬぶむる]|[いきぎしちにびみり](?:ます|ません|た|て|、)|[わかがさたなばまら](?:ない|ず|れ)|[えけげせてねべめれ](?:る|ます|ません|ない|ば|て|た)|[っいん][ただてで])"
)


def _is_verb(piece: str, text: str, upto: int, *, before: str) -> bool:
    """Tell whether one character with an inflection behind it is a verb (残る, 届かない)."""
    if len(piece) != 1 or upto >= len(text) or "\u4e00" <= before <= "\u9fff":
        return False
    return _VERB.match(text, upto) is not None


@lru_cache(maxsize=20_000)
def _pieces(run: str) -> tuple[str, ...]:
    """Cut a run of kanji into words of two characters, a prefix or suffix apart or joined."""
    pieces: list[str] = []
    at = 0
    while at < len(run):
        left = len(run) - at
        if left > 2 and left % 2 == 1 and run[at] in _PREFIXES:
            joined = 3 if run[at] in _NEGATING else 1
            pieces.append(run[at : at + joined])
            at += joined
            continue
        pieces.append(run[at : at + 2])
        at += 2
        left = len(run) - at
        if left > 0 and left % 2 == 1 and run[at] in _SUFFIXES:
            pieces.append(run[at])
            at += 1
    return tuple(pieces)


def _joins_japanese(text: str, start: int, end: int) -> bool:
    return (start > 0 and text[start - 1] > "\u3000") or (end < len(text) and text[end] > "\u3000")


def _english(text: str) -> list[Term]:
    words = [(match.group().replace("’", "'"), match.span()) for match in _WORD.finditer(text)]
    stems = [stem(word) for word, _ in words]
    found: list[Term] = []
    at = 0
    before = ""
    while at < len(words):
        word, (start, end) = words[at]
        for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
            names = _NAMES_EN.get(tuple(stems[at : at + length]))
            if names is not None:
                end = words[at + length - 1][1][1]
                surface = " ".join(stems[at : at + length])
                found.append(Term(names, surface, start, end, surface in _GENERIC_STEMS, before))
                at += length
                before = ""
                break
        else:
            able = _ABLE.fullmatch(word)
            if able is not None:
                names = _NAMES_EN.get((stem(able.group(1)),), frozenset({stem(able.group(1))}))
                found.append(Term(names, word, start, end, False, before))
                at += 1
                before = ""
                continue
            if word in _STOP_EN and not (len(word) == 1 and _joins_japanese(text, start, end)):
                if word in _PREPOSITIONS or before not in _PREPOSITIONS:
                    before = word
            else:
                root = stems[at]
                found.append(
                    Term(
                        frozenset({root}),
                        root,
                        start,
                        end,
                        root in _GENERIC_STEMS,
                        _particle(text, end) or before,
                    )
                )
                before = ""
            at += 1
    return found
