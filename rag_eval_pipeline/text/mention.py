"""Does a text name a thing: a missing condition, a next action, a desk?

Japanese phrases and texts are reduced to what carries meaning: width and case folded, politeness
prefixes and hiragana left out, so that ご注文金額, 注文の金額 and 注文した金額 are one. A phrase
is named in a sentence if

- its reduced form stands there, or
- all its pieces do, close together, in any order, or
- its head (…日, …金額, …先) is asked for by the question word that stands for it (いつ, いくら,
  どこ).

English words are compared by their stems, in any order, close together. A negated mention names
the thing all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rag_eval_pipeline.text.fold import fold

# How far apart the pieces of a phrase may stand, beyond their own length.
_SLACK_CHARACTERS = 14
_SLACK_WORDS = 6

_SENTENCE = re.compile(r"[。！？!?\n\r]+|\.(?=\s|$)")
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u9fff々〆ヶ]")
_PIECE = re.compile("[\u3400-\u9fff々〆ヶ]+|[\u30a1-\u30fa\u30fc-\u30ff]+|[a-z0-9]+")
_KANJI = re.compile("[\u3400-\u9fff々〆ヶ]+")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_OPENING = re.compile("(?:御|貴)(?=[\u3400-\u9fff])")
_MARKS = re.compile(r"[^\w\u3005\u30fc]+")

# Spellings and words that practice uses for one another.
_SAME = (
    (
        "配送先",
        ("届先", "送先", "送付先", "配達先", "発送先", "宛先", "送届先", "届先住所", "配送先住所"),
    ),
    ("問合", ("問合", "問合先", "問合窓口", "連絡", "相談", "照会", "尋", "聞", "確認", "電話")),
    ("連絡", ("問合", "相談", "照会", "尋", "確認", "電話", "報告")),
    ("相談", ("問合", "連絡", "照会", "確認", "電話")),
    ("確認", ("参照", "覧", "照会", "問合", "見", "調", "連絡")),
    ("金額", ("総額", "合計", "代金", "合計額", "額")),
    ("日", ("日付", "年月日", "日時", "日程", "時期")),
    ("番号", ("ナンバー", "no")),
    ("種別", ("種類", "区分", "ランク", "タイプ")),
    ("種類", ("種別", "区分", "タイプ")),
)
_ASKED_BY = (
    (
        re.compile(r"(?:日|日付|日時|時期|年月日|期日|時刻|期間)$"),
        re.compile(r"いつ|何日|何月|何年|何時"),
    ),
    (
        re.compile(r"(?:金額|料金|価格|代金|総額|費用|額|合計)$"),
        re.compile(r"いくら|何円|どのくらい|どれくらい|おいくら"),
    ),
    (
        re.compile(r"(?:先|住所|場所|地域|国|所在地|勤務地|都道府県|エリア)$"),
        re.compile(r"どこ|どちら|どの(?:国|地域|都道府県|エリア)"),
    ),
    (
        re.compile(r"(?:者|人|担当|氏名|名前)$"),
        re.compile(r"誰|だれ|どなた|何(?:と|て)(?:いう|おっしゃ)"),
    ),
    (
        re.compile(r"(?:数|数量|個数|人数|枚数|回数|点数|台数)$"),
        re.compile(r"いくつ|何(?:個|名|人|枚|回|点|台|つ|本|冊)"),
    ),
    (
        re.compile(r"(?:種別|種類|区分|プラン|コース|商品|製品|機種|ランク|方法)$"),
        re.compile(r"どの|どちらの|どれ|何の|いずれ|どんな|どういった"),
    ),
    (
        re.compile(r"(?:年数|期間|月数|日数|年齢)$"),
        re.compile(r"何(?:年|か月|ヶ月|カ月|月|日|歳)|どのくらい|どれくらい|いつから|おいくつ"),
    ),
)
# A head alone names the thing only where no other word claims it (送料の金額 is not 注文金額).
_BARE_HEADS = frozenset(
    {"金額", "日付", "住所", "番号", "地域", "種類", "種別", "氏名", "数量", "プラン"}
)
_DESK_HEAD = re.compile(r"(窓口|センター|デスク|担当者?|係|チーム|部門|課|部|室|サポート)$")
_DESK_HEADS = r"(?:窓口|センター|デスク|担当|係|チーム|部門|部|課|室|サポート)"

_STOP = frozenset(
    _WORD.findall(
        "a an the your my our their his her its of to for with at in on by and or is are was were "
        "be been do does did please this that you we i it they from as about into will would can "
        "could should any some"
    )
)
_SAME_WORDS = {
    "contact": (
        "call",
        "email",
        "reach",
        "touch",
        "consult",
        "ask",
        "speak",
        "talk",
        "message",
        "write",
        "ticket",
    ),
    "ask": ("contact", "consult", "speak", "check", "reach"),
    "check": ("verify", "confirm", "consult", "see", "review", "look", "refer"),
    "amount": ("total", "value", "sum"),
    "total": ("amount", "sum"),
    "purchase": ("bought", "buy"),
    "buy": ("purchase", "bought"),
    "destination": ("shipping address", "delivery address"),
    "desk": ("team", "department", "centre", "center", "line", "staff"),
    "team": ("desk", "department", "centre", "center", "staff"),
    "department": ("team", "desk"),
    "delivery": ("deliver", "ship"),
    "shipping": ("deliver", "delivery"),
    "hr": ("human resource", "human resources"),
}
_ASKED_BY_WORDS = {
    "date": ("when",),
    "day": ("when",),
    "amount": ("how much",),
    "total": ("how much",),
    "price": ("how much",),
    "country": ("where",),
    "address": ("where",),
    "location": ("where",),
    "destination": ("where",),
    "region": ("where",),
    "quantity": ("how many",),
    "number": ("how many",),
    "person": ("who",),
    "type": ("which", "what kind"),
    "kind": ("which",),
    "plan": ("which",),
}
_DESK_WORDS = frozenset({"desk", "team", "department", "centre", "center", "staff", "line"})


def mentions(phrase: str, text: str) -> bool:
    """Whether the text names the thing the phrase stands for.

    Parameters
    ----------
    phrase
        A thing or an action in a few words: `ご注文金額`, `人事部に問い合わせる`, `order date`.
    text
        An answer.

    Returns
    -------
    True if some sentence of the text names it; False for a phrase without words.
    """
    wanted = _read_phrase(phrase)
    if wanted is None:
        return False
    return any(_named(wanted, sentence) for sentence in _sentences(text))


@dataclass(frozen=True, slots=True)
class _Phrase:
    folded: str
    reduced: str
    pieces: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    folded: str
    reduced: str
    words: tuple[str, ...]


@lru_cache(maxsize=4096)
def _read_phrase(phrase: str) -> _Phrase | None:
    folded = _plain(phrase)
    if not any(each.isalnum() for each in folded):
        return None
    if _JAPANESE.search(folded):
        reduced = _reduce(folded).replace("|", "")
        return _Phrase(folded, reduced, tuple(_pieces(folded)), ())
    words = tuple(word for word in _words(folded) if word not in _STOP)
    return _Phrase(folded, "", (), words or tuple(_words(folded)))


@lru_cache(maxsize=512)
def _sentences(text: str) -> tuple[_Sentence, ...]:
    parts = [_plain(part) for part in _SENTENCE.split(text)]
    return tuple(
        _Sentence(part, _reduce(part) if _JAPANESE.search(part) else "", tuple(_words(part)))
        for part in parts
        if part
    )


def _plain(text: str) -> str:
    return _OPENING.sub("", fold(text).casefold()).replace("helpdesk", "help desk")


def _reduce(folded: str) -> str:
    """Kanji, katakana, letters and digits; punctuation as `|`."""
    return _HIRAGANA.sub("", _MARKS.sub("|", folded.replace(" ", "")))


def _pieces(folded: str) -> list[str]:
    """Words of a Japanese phrase; compounds of four kanji and more in pairs."""
    # Kana inside a word (申し込み, 届け先, 問い合わせ) does not divide it; a particle does.
    joined = re.sub(r"(?<=[申届問受引取払打])[しけいきち](?=[込先合取継渡])", "", folded)
    pieces: list[str] = []
    for found in _PIECE.finditer(joined):
        piece = found.group()
        if _KANJI.fullmatch(piece) and len(piece) in (4, 6):
            pieces.extend(piece[start : start + 2] for start in range(0, len(piece), 2))
        else:
            pieces.append(piece)
    return pieces


def _named(wanted: _Phrase, sentence: _Sentence) -> bool:
    if wanted.words:
        return _words_named(wanted.words, sentence)
    if _stands_in(wanted.folded, sentence.folded):
        return True
    if len(wanted.reduced) < 2:
        return False
    if _stands_in(wanted.reduced, sentence.reduced):
        return True
    return (
        _pieces_named(wanted.pieces, sentence.reduced)
        or _asked_for(wanted, sentence)
        or _bare_head(wanted, sentence)
        or _desk_named(wanted, sentence)
    )


def _stands_in(needle: str, text: str) -> bool:
    """Containment; a Latin word or number must not continue a longer one."""
    start = text.find(needle)
    while start >= 0:
        before = text[start - 1 : start] if start else ""
        after = text[start + len(needle) : start + len(needle) + 1]
        if not (_continues(before, needle[0]) or _continues(needle[-1], after)):
            return True
        start = text.find(needle, start + 1)
    return False


def _continues(left: str, right: str) -> bool:
    return (
        bool(left)
        and bool(right)
        and all(each.isascii() and each.isalnum() for each in (left, right))
    )


def _spellings(piece: str) -> tuple[str, ...]:
    for name, others in _SAME:
        if piece == name or (piece in others and name == "配送先"):
            return (piece, name, *others)
    return (piece,)


def _pieces_named(pieces: tuple[str, ...], reduced: str) -> bool:
    """All pieces, close together; a single character is no word of its own."""
    if not pieces or (len(pieces) == 1 and len(_spellings(pieces[0])) == 1):
        return False
    if any(len(piece) < 2 for piece in pieces) and len(pieces) < 3:
        return False
    places = [
        [
            found.start()
            for spelling in _spellings(piece)
            for found in re.finditer(re.escape(spelling), reduced)
        ]
        for piece in pieces
    ]
    room = sum(len(piece) for piece in pieces) + _SLACK_CHARACTERS
    return _close(places, room)


def _close(places: list[list[int]], room: int) -> bool:
    """Whether one place of each can be picked within `room`."""
    if not all(places):
        return False
    points = sorted((place, which) for which, each in enumerate(places) for place in each)
    latest: dict[int, int] = {}
    for place, which in points:
        latest[which] = place
        if len(latest) == len(places) and place - min(latest.values()) <= room:
            return True
    return False


def _asked_for(wanted: _Phrase, sentence: _Sentence) -> bool:
    """ご購入はいつですか names 購入日."""
    for head, question in _ASKED_BY:
        found = head.search(wanted.reduced)
        if found is None or not question.search(sentence.folded):
            continue
        rest = wanted.reduced[: found.start()]
        if len(rest) >= 2 and rest in sentence.reduced:
            return True
    return False


def _bare_head(wanted: _Phrase, sentence: _Sentence) -> bool:
    """金額を教えてください names 注文金額, as long as nothing else claims the head."""
    head = next((each for each in _BARE_HEADS if wanted.reduced.endswith(each)), None)
    if head is None or len(wanted.reduced) > len(head) + 4:
        return False
    return bool(
        re.search(
            r"(?:^|[、,:\s(「・]|[はがをにでと]|ご|お)" + head + r"(?=[はがをのもで、,:\s?」]|$)",
            sentence.folded,
        )
    )


def _desk_named(wanted: _Phrase, sentence: _Sentence) -> bool:
    """A desk under another word for the desk: サポート窓口, サポートセンター; 人事部, 人事担当."""
    found = _DESK_HEAD.search(wanted.reduced)
    if found is None or found.start() < 2:
        return False
    name = re.escape(wanted.reduced[: found.start()])
    return bool(
        re.search(name + _DESK_HEADS, sentence.reduced)
        or re.search(name + r"(?:の(?:方|担当|者|窓口))?(?:に|へ|まで|宛)", sentence.folded)
    )


def _words(folded: str) -> list[str]:
    return [_stem(found.group()) for found in _WORD.finditer(folded)]


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    if len(word) > 4:
        for ending, put in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", "")):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return (word[: -len(ending)] + put).removesuffix("e")
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word


def _words_named(wanted: tuple[str, ...], sentence: _Sentence) -> bool:
    places: list[list[int]] = []
    several = len(wanted) > 1
    for word in wanted:
        here = [place for place, each in enumerate(sentence.words) if each == word]
        for other in _OTHERS.get(word, ()):
            here.extend(_runs(other, sentence.words))
        if several:
            for asked in _ASKING.get(word, ()):
                here.extend(_runs(asked, sentence.words))
        if not here and several and word in _DESK_WORDS:
            continue
        places.append(here)
    return _close(places, len(wanted) + _SLACK_WORDS)


def _runs(run: tuple[str, ...], words: tuple[str, ...]) -> list[int]:
    return [
        place
        for place in range(len(words) - len(run) + 1)
        if words[place : place + len(run)] == run
    ]


def _stemmed(table: dict[str, tuple[str, ...]]) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {
        _stem(word): tuple(tuple(_words(other)) for other in others)
        for word, others in table.items()
    }


_OTHERS = _stemmed(_SAME_WORDS)
_ASKING = _stemmed(_ASKED_BY_WORDS)
