"""A claim as its author wrote it, and the assertion inside an instruction not to assert."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Claim:
    """What an answer must say (`required`) or must not say (`forbidden`), with the author's hints.

    `any_of`: wordings of which one is enough. `values`: values that all must be there.
    `not_any_of`: wordings that must not be asserted.
    """

    text: str
    kind: Literal["required", "forbidden"] = "required"
    any_of: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    not_any_of: tuple[str, ...] = ()


_SAYING = (
    "断定|断言|案内|回答|返答|返信|答え|応え|言わ|言い切|述べ|伝え|説明|主張|記載"
    "|明言|約束|確約|保証|判断|表現|書か|示さ|示|示唆|紹介|誘導|誤案内|推測|"
    "決めつけ|発言|表示|通知|告知|提示|言及|宣言|認め|話さ|しゃべら|教え|思わせ"
    "|解釈|扱わ|扱|みなさ|助言|推奨|報告|言"
)
_NOT_DOING = (
    "(?:行わない|行なわない|しない|せず|ない|してはいけない|してはならない"
    "|てはいけない|てはならない|してはいけません|してはなりません|べきではない"
    "|べきでない|するべきではない|すべきではない|"
    "しません|ません|することを避ける|するのを避ける|を避ける|は避ける"
    "|しないで(?:ください)?|は(?:禁止|不可|しない)|することは(?:禁止|不可)"
    "|するのは(?:禁止|不可)|禁止|は?ng|しないよう(?:に|にする)?|控える|を控える)"
)
_INSTRUCTION_JA = re.compile(
    "^(?P<said>.{1,400}?)[、,]?(?P<joint>(?:である|だ)?と(?:いう|いった"
    "|の)?(?:ような|旨|趣旨|内容)?(?:の|に|を|は|も)?|などと|かのように|ように"
    "|ものと|"
    "ことを|旨を|を|」と(?:は)?|)"
    f"[、,]?(?:安易に|勝手に|誤って|回答で|回答に|明確に"
    f"|はっきり)?(?:{_SAYING})(?:を|は)?{_NOT_DOING}(?:こと|事|ものとする)?[。.]?$"
)
_AS = re.compile("^(?P<topic>[^はがも]{1,60})を(?P<value>[^をは]{1,60})$")
_INSTRUCTION_EN = re.compile(
    (
        r"^\s*(?:please\s+)?(?:(?:the\s+)?(?:answer|response|assistant|bot|system|agent"
        r"|model|you|it)\s+)?(?:do\s+not|don'?t|don’t|never|must\s+not|should\s+not"
        r"|may\s+not|shall\s+not|cannot|must\s+never|should\s+never|avoid|refrain\s+from"
        r"|not)\s+"
        r"(?:to\s+)?(?P<verb>claim|say|state|assert|tell|promise|suggest|imply|mention"
        r"|answer|guarantee|present|indicate|conclude|advise|inform|"
        r"declare|confirm|write|report|assume|describe|announce|respond|reply|insist"
        r"|maintain|pretend|quote|give)(?:ing|s|ming)?"
        r"(?:\s+(?:the\s+)?(?:user|users|customer|customers|reader|asker|them|people"
        r"|employee|employees))?(?:\s+that|\s*[:,])?\s+(?P<said>.{1,400})$"
    ),
    re.IGNORECASE | re.DOTALL,
)
_AS_EN = re.compile(
    r"^(?P<topic>.{1,120}?)\s+(?:as|to be|at)\s+(?P<value>.{1,120})$", re.IGNORECASE
)
_OPEN_QUOTE = "「『“\"'"
_CLOSE_QUOTE = "」』”\"'"


def assertion(text: str) -> str:
    """The assertion inside an instruction not to assert it; any other text as it is.

    「領収書が不要である、と断定しない」 → 領収書が不要である
    「送料を500円と案内しない」 → 送料は500円
    "Do not claim that refunds are guaranteed" → "refunds are guaranteed".
    """
    bare = text.strip()
    if len(bare) > 1000:
        return bare
    english = _INSTRUCTION_EN.match(bare)
    if english is not None:
        said = english.group("said").strip()
        said = re.sub(r"^that\s+", "", said, flags=re.IGNORECASE)
        verb = english.group("verb").lower()
        if verb in ("present", "describe", "quote", "give", "report", "state", "announce"):
            named = _AS_EN.match(said)
            if named is not None:
                said = f"{named.group('topic')} is {named.group('value')}"
        return _unquoted(said)
    japanese = _INSTRUCTION_JA.match(bare)
    if japanese is None:
        return bare
    said = japanese.group("said").strip().rstrip("、,")
    named = _AS.match(said)
    if named is not None:
        said = f"{named.group('topic')}は{named.group('value')}"
    return _unquoted(said)


def _unquoted(said: str) -> str:
    said = said.strip().rstrip("、,。.")
    if len(said) > 2 and said[0] in _OPEN_QUOTE:
        at = _OPEN_QUOTE.index(said[0])
        if said[-1] == _CLOSE_QUOTE[at]:
            return said[1:-1]
        if _CLOSE_QUOTE[at] not in said[1:]:
            return said[1:]
    return said
