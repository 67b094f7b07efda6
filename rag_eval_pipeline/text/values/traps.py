"""What looks like a number and is no value: names, references, idioms. Hidden before reading.

A hidden character becomes NUL, which no rule matches, so that offsets stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rag_eval_pipeline.text.values import idioms, scan

_ANY_DIGIT = re.compile(r"[0-9]")
_KANJI_NUMBER = "〇一二三四五六七八九十百千"

# A reference is a noun and a number: 別表1, Section 3. Where the noun may also be counted
# (資料3部, 質問は3件), a counter after the number keeps the value.
_REFERRED_JA = (
    "別表", "別紙", "別添", "別記", "様式", "書式", "付表", "附表", "附属書", "添付", "資料",
    "図表", "図", "表", "項番",
    "番号", "品番", "型番", "コード", "設問", "質問", "問", "手順", "ステップ", "フェーズ",
    "レベル", "ランク", "タイプ",
    "バージョン", "ビルド", "ページ", "注",
)  # fmt: skip
_REFERRED_JA_ENDS = frozenset(":は" + "".join(word[-1] for word in _REFERRED_JA))
_COUNTED_ANYWAY = (
    "部件枚点個つ通年月日時分秒円回人名社冊本種万千%割文字桁株歳才箇か倍泊台度kgmcl営週"
)
_REFERRED_EN_WORDS = (
    "v ver version build release page pages p pp section sections sec article articles "
    "clause chapter appendix annex exhibit table figure fig schedule room suite apartment "
    "apt gate step level phase tier type class rule option part paragraph question model "
    "port error http status no nos number id ticket invoice form policy unit terminal lot "
    "batch note item ext extension building bldg route highway seat row grade stage bullet "
    "footnote python windows win macos ios ipados android microsoft iphone ipad galaxy pixel "
    "java node node.js ubuntu debian php ruby mysql postgres postgresql oracle chrome "
    "firefox safari tls ssl usb bluetooth wi-fi wifi ipv hdmi playstation xbox covid rfc iso "
    "iso/iec jis iec ieee nist pep utf sha aes rsa gpt claude gemini llama soc switch "
    "surface ryzen rtx gtx"
)
_REFERRED_EN = frozenset(_REFERRED_EN_WORDS.split())
_HYPHENATED_WORDS = (
    "am- pm- mid- pre- post- non- max- min- sub- to- from- and- or- is- of- top- "
    "jan- feb- mar- apr- may- june- july- aug- sep- sept- oct- nov- dec-"
)
_HYPHENATED = frozenset(_HYPHENATED_WORDS.split())
# What may stand between a name and its number, or end the name.
_NAME_ENDS = frozenset(" #-.§")
_LAST_WORD = re.compile(r"(?<![a-z])([a-z][a-z./-]{0,11})[ #-]{0,2}\Z")
_OFFICE_YEAR = ("office ", "excel ", "word ", "windows server ")
_AFTER_REFERENCE = re.compile(
    r"[0-9]*(?:[.:][0-9]+)*[a-z]?(?![a-z%])(?:\s?[-,]\s?[0-9]{1,4}(?![0-9]))?"
)
_JIS = re.compile(r"jis [a-z] \Z")
_AFTER_REFERENCE_JA = re.compile(
    rf"[0-9]{{1,9}}(?![.,]?[0-9])(?![{_COUNTED_ANYWAY}])(?:-[0-9]{{1,4}}|の[0-9]{{1,3}}(?![0-9]))?"
)
_NUMBER_START = re.compile(r"[0-9](?<![0-9.,][0-9])")
_NUMBERED_NOUN = re.compile(
    r"(?<![a-z])(?:section|article|chapter|appendix|step|part|phase|level|tier|option|rule|type"
    r"|stage|"
    r"annex|clause|page|room|gate|table|figure) (?:one|two|three|four|five|six|seven|eight|nine"
    r"|ten)(?![a-z])"
)
_ORDERED = re.compile(
    rf"第[0-9{_KANJI_NUMBER}]{{1,5}}+(?:条|章|節|項|号|版|編|款|巻|部|類|種|級|期|世代|位|次|者"
    rf"|段階|四半期"
    rf"|段落|文|表|図|室|課|係|局|分科会|委員会|週"
    rf"|[月火水木金土日]曜)(?:の[0-9{_KANJI_NUMBER}]{{1,3}})?"
    rf"(?:第[0-9{_KANJI_NUMBER}]{{1,3}}項)?"
)
# 平成15年法律第57号
_STATUTE = re.compile(
    r"(?:明治|大正|昭和|平成|令和)[0-9元一二三四五六七八九十]{1,4}年(?:\w{0,4}(?:法律|政令|省令"
    r"|府令|告示|条例|規則|通達))第"
)
_QUARTER = re.compile(r"q(?<![a-z]q)[1-4](?![0-9a-z])")
_NUMBER_WORDS = frozenset(
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
)
_PHONE_START = re.compile(r"[0-9+](?<![0-9-][0-9+])")


@dataclass(frozen=True, slots=True)
class _Trap:
    """A pattern that is tried only where one of its signs occurs, from `head` where given."""

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    head: re.Pattern[str] | None = None


_SIGNED_TRAPS = (
    _Trap(
        ("://", "www.", "@"),
        re.compile(
            r"https?://[^\s「」（）()<>、。]+|www\.[^\s「」（）()<>、。]+"
            r"|(?<![a-z0-9._%+-])[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,100}"
        ),
    ),
    _Trap(
        ("[", "【"),
        re.compile(
            r"\[[0-9]{1,3}(?:[,~-] ?[0-9]{1,3}){0,9}\]|\[[^\[\]\s]{0,80}#[^\[\]]{0,80}\]"
            r"|【[0-9]+(?:[:†][^【】]{0,60})?】"
        ),
    ),
    _Trap(("〒",), re.compile(r"〒\s?[0-9]{3}-?[0-9]{4}")),
    _Trap(
        ("-",),
        re.compile(
            r"(?=[0-9+])(?<![0-9-])(?!(?:19|20)[0-9]{2}-[0-9]{1,2}-[0-9]{1,2}(?![0-9-]))"
            r"(?!(?:0?[1-9]|1[0-2])-[0-9]{1,2}-20[0-9]{2}(?![0-9-]))"
            r"\+?[0-9]{1,5}-[0-9]{1,5}-[0-9]{1,5}(?:-[0-9]{1,5})?(?![0-9-])"
        ),
        _PHONE_START,
    ),
    _Trap(
        ("tel", "phone", "fax", "電話", "内線", "ダイヤル"),
        re.compile(
            r"(?:tel|phone|fax|電話番号|電話|内線|ダイヤル)[:.\s]{0,3}(?:は"
            r"|番号は)?[0-9+(][0-9()+-]{1,20}"
        ),
    ),
    _Trap(("24/", "24-7"), re.compile(r"24/7|24/365|24-7")),
    _Trap(
        (".",),
        re.compile(
            r"(?=[0-9])(?<![0-9.a-z])(?!(?:19"
            r"|20)[0-9]{2}\.)[0-9]{1,5}\.[0-9]{1,5}\.[0-9]{1,5}(?:\.[0-9]{1,5})?"
        ),
        scan.numbers(5, r"\.[0-9]{1,5}\."),
    ),
    # An empty sign: these are found as fast as their signs are.
    _Trap(("",), re.compile(r"[0-9][0-9.]{0,20}[⁰¹²³⁴⁵⁶⁷⁸⁹]+")),
    _Trap(("\u20e3",), re.compile("[0-9]\ufe0f?\u20e3")),
    _Trap(
        ("",),
        re.compile(
            r"[0-9][0-9]{0,3}(?:(?:丁目|番地|号室|番線|番館|条|版|年生|年次|学年|号店|番街|月号"
            r"|番通り)(?:[0-9]{1,4}(?:番地?|号)){0,3}"
            r"|(?:代|時代|次元|進数|進法|親等|大陸|半期|人称)(?!わり))"
        ),
    ),
    _Trap(
        ("数",),
        re.compile(
            r"[十百千0-9][十百千0-9]{0,5}数(?=[年月日人名件個回万百千社枚本時分])"
            r"[年月日人名件個回万百千社枚本時分]"
        ),
    ),
)
_ASCII_TRAPS = tuple(
    trap for trap in _SIGNED_TRAPS if any(sign and sign.isascii() for sign in trap.signs)
)
_LIST_MARK = re.compile(r"[ \t]{0,20}(?:[0-9]{1,3}[.)](?=\s)|\([0-9]{1,3}\)(?!\S?[0-9]))")
_SPACED_PHONE = re.compile(
    r"(?=[+(0])(?<![0-9])\+?\(?0[0-9]{1,4}\)? ?[0-9]{2,4}[ -][0-9]{3,4}(?![0-9])"
)
_SPACED_PHONE_START = re.compile("[+(0]")


def hide_digit_traps(text: str) -> str:
    """Hide addresses, references, versions and other names with numbers."""
    if _ANY_DIGIT.search(text):
        for trap in _ASCII_TRAPS if text.isascii() else _SIGNED_TRAPS:
            for sign in trap.signs:
                if sign in text:
                    text = _hide(text, trap.pattern, trap.head)
                    break
        if "\n" in text or _LIST_MARK.match(text):
            text = _without(text, _list_marks(text))
        if "0" in text and " " in text:
            text = _hide(text, _SPACED_PHONE, _SPACED_PHONE_START)
        text = _without(text, _references(text))
    if "第" in text:
        text = _STATUTE.sub(_hidden_but_last, text)
        text = _hide(text, _ORDERED)
    return text


def _list_marks(text: str) -> Iterator[tuple[int, int]]:
    """Numbers of list items, at the beginning of a line."""
    line = 0
    while True:
        found = _LIST_MARK.match(text, line)
        if found:
            yield found.span()
        line = text.find("\n", line) + 1
        if line == 0:
            return


def _references(text: str) -> Iterator[tuple[int, int]]:
    """Spans of numbers that name something by its place or version."""
    for found in _NUMBER_START.finditer(text):
        start = found.start()
        sign = text[start - 1 : start]
        if "a" <= sign <= "z" or sign in _NAME_ENDS:
            if not _names_a_thing(text[max(0, start - 14) : start]):
                continue
            after = _AFTER_REFERENCE.match(text, start)
        elif sign in _REFERRED_JA_ENDS:
            before = text[max(0, start - 14) : start]
            if not before.rstrip(" :は").endswith(_REFERRED_JA):
                continue
            after = _AFTER_REFERENCE_JA.match(text, start)
        else:
            continue
        if after is not None and after.end() > start:
            yield start, after.end()


def _names_a_thing(before: str) -> bool:
    """Does a word before a number make it a name or a place (Section 3, covid-19, #5)?"""
    written = before.rstrip(" ")
    if written.endswith(("#", "§")):
        return True
    word = written.rpartition(" ")[2]
    if not (word.isascii() and word.isalpha()):
        found = _LAST_WORD.search(before)
        if found is None:
            return False
        word = found.group(1)
        if word.endswith("-"):
            return len(word) <= 6 and word not in _HYPHENATED
    elif len(before) - len(written) > 2:
        return False
    return (
        word.rstrip(".") in _REFERRED_EN
        or before.endswith(_OFFICE_YEAR)
        or (len(word) == 1 and _JIS.search(before) is not None)
    )


def hide_word_traps(text: str, words: frozenset[str]) -> str:
    """Hide idioms and names that hold a number word; `words` are the Latin words of the text."""
    if idioms.SIGN.search(text):
        text = _without(text, idioms.japanese(text))
    text = _hide(text, idioms.LED)
    if "q" in words and any(len(word) > 2 for word in words):
        text = _hide(text, _QUARTER)
    if not _NUMBER_WORDS.isdisjoint(words):
        text = _hide(text, _NUMBERED_NOUN)
    return text if idioms.WORDS.isdisjoint(words) else _hide(text, idioms.ENGLISH)


def _hide(text: str, pattern: re.Pattern[str], head: re.Pattern[str] | None = None) -> str:
    if (head or pattern).search(text) is None:
        return text
    found = pattern.finditer(text) if head is None else scan.finditer(pattern, head, text)
    return _without(text, (match.span() for match in found))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        if start < at:
            continue
        pieces += (text[at:start], "\0" * (end - start))
        at = end
    if not pieces:
        return text
    pieces.append(text[at:])
    return "".join(pieces)


def _hidden_but_last(found: re.Match[str]) -> str:
    return "\0" * (len(found.group()) - 1) + found.group()[-1]
