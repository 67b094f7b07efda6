"""How a text stands behind what it says: plainly, guardedly, at times, always, or not at all."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Force:
    """Marks of one segment (folded, in lower case).

    Attributes
    ----------
    question
        It asks, or names what is to be found out, and asserts nothing.
    absent
        It says that nothing is known or written about its topic.
    referral
        It sends the reader to a desk or a document.
    hedged
        It is guarded (かもしれません, probably).
    sometimes
        It holds in some cases only (場合があります, in some cases).
    always
        It holds without exception (必ず, guaranteed).
    denied
        It denies that what it says holds (とは限りません, it is not true that …).
    only
        It holds for what it names and nothing else (のみ, only).
    """

    question: bool = False
    absent: bool = False
    referral: bool = False
    hedged: bool = False
    sometimes: bool = False
    always: bool = False
    denied: bool = False
    only: bool = False


PLAIN = Force()

_NOT = "(?:ません(?:でした)?|ない|なく|なかった|ず|無い|なし|かね(?:ます|る))"
_QUESTION = re.compile(
    r"(?:\?|(?:です|ます|でしょう|ません|だろう|ない|である)か。?|(?:でしょう"
    r"|ましょう)か[。?]?)[\"'」』）)\s]*$"
    r"|(?:^|,\s)(?:is|are|do|does|did|can|could|may|must|should|will|would|what|when"
    r"|where|which|who|how|why)\b[^.]{0,400}\?"
)
# What is to be found out is not said: 返品の可否を確認するため, 要否は担当者が判断します.
_WHETHER = re.compile(
    "(?:可否|要否|当否|適否|諾否|是非|か否か)(?:に(?:つい|関し)て|[はがをの])?[^。、]{0,12}?"
    "(?:確認|確かめ|判断|判定|ご?案内|お?調べ|検討|審査|お?答え|回答|お?伝え|お?知らせ|決)"
    "|(?:確認|判断|判定|ご?案内|検討|審査|回答|お?調べ|お?答え)(?:いた|致)?(?:する|します|しの)ために?、?$"
)
_ABSENT = re.compile(
    (
        "(?:"
        "(?:記載|明記|言及|記述|掲載|定め|規定|規程|取り決め|情報|資料|記録|該当)(?:内"
        "|中|上)?(?:が|は|も|に|には|で|では|について)?"
        "(?:され|られ|見当た|見つか|特に)?(?:て|ら|られて)?(?:は)?(?:おり|い|あり"
        "|ござい|り)?"
    )
    + _NOT
    + "|"
    "見(?:つけ|つか|当た|受け)(?:ら|り|られ|ること(?:が|は)でき)?" + _NOT + "|"
    "(?:わか|分か|判)(?:り|ら|りかね)" + _NOT + "|存じ(?:上げ)?" + _NOT + "|"
    "把握(?:し|でき)(?:ており|てい)?"
    + _NOT
    + (
        "|"
        "(?:確認|回答|返答|お答え|判断|特定|お伝え|断定|断言|確定|明言|案内|説明"
        "|お知らせ|判別|答え)(?:は|が|を|も|することは|することが)?"
        "(?:いたし|致し|し|でき|出来|取れ|とれ|られ)(?:ており|てい|て)?"
    )
    + _NOT
    + (
        "|"
        "(?:書かれて|載って|触れられて|示されて|記されて|公開(?:され|し)て|公表(?:され"
        "|し)て)(?:は)?(?:おり|い)?"
    )
    + _NOT
    + "|"
    "(?:か)?どうか[^。]{0,30}" + _NOT + ")(?!場合|限り|とき|際|もの|商品|方は|ので)"
    "|不明(?!な|点|瞭)|未定|未記載|未確認"
)
_ABSENT_EN = re.compile(
    r"\b(?:could(?: not|n't)|can(?: ?not|'t)|unable to|not able to|did(?: not|n't)"
    r"|do(?: not|n't)) (?:find|determine|confirm|verify|locate|tell|say|answer|see"
    r"|know|have (?:any |that |this |the |enough |sufficient )?(?:information"
    r"|details|data|access))\b"
    r"|\bno (?:information|mention|details?|data|record|reference|statement"
    r"|indication)\b"
    r"|\b(?:not|n't|never) (?:specified|specify|mentioned?|stated?|documented?"
    r"|listed?|described?|addressed?|indicated?|clear|covered in|found"
    r"|contain(?:ed)?|say|given in|provided in|available in the|in the (?:documents?"
    r"|provided|knowledge))\b"
    r"|\b(?:unknown|unclear|undisclosed|unspecified|not sure|no idea|not aware)\b"
    r"|\bwhether\b[^.]{0,80}\b(?:not|unable|cannot|unclear|unknown)\b|\b(?:silent on"
    r"|lacks? (?:any )?information)\b"
)
_REFERRAL = re.compile(
    "(?:ご?確認|お?問い?合わ?せ|ご?連絡|ご?相談|ご?参照|ご覧"
    "|お尋ね)[ぁ-ん]{0,6}(?:ください|下さい|お願い|いただ|頂|願)"
    r"|\b(?:please |kindly )?(?:contact|refer to|check with|check the|check our"
    r"|consult|reach out|get in touch|speak (?:to|with)|ask (?:your|the|our|hr|it)"
    r"|see the|see our)\b"
)
_HEDGED = re.compile(
    "か(?:も|と)(?:しれ|知れ)|可能性|と(?:思われ|思い|思う|考えられ|見られ|推測"
    "|推定|想定|聞い)|(?:でしょう|だろう)(?!か)|おそらく|恐らく|たぶん|多分|見込み|"
    "(?:る|い|た|な|の)ようです|らしい|みたい|はず(?:です|だ|で|$)|(?:る|ない|た"
    "|です|ます|要|能|可)か(?:どうか)?(?:は|を|について|、)|不確か|確かでは"
    "|おおむね|概ね|思います"
    r"|\b(?:might|perhaps|probably|possibly|likely|unlikely|seems?|appears?"
    r"|apparently|presumably|i think|i believe|i guess|supposedly|could be|maybe|"
    r"it is possible that|should be able)\b"
)
_MAY = re.compile(r"\bmay\b(?! not\b)")
_SOMETIMES = re.compile(
    "(?:場合|こと|ケース|とき|時|可能性|例)(?:が|も|は)(?:あり(?!ません)"
    "|ござい(?!ません)|ある)|場合によ|ことも(?:ある|あり)|ときどき|時々|たまに"
    "|一部の|ものもあ"
    r"|\b(?:sometimes|in some cases|in certain cases|occasionally|not all"
    r"|some (?:items?|customers?|products?|cases?)|case.by.case|at times"
    r"|from time to time|depending on|depends on|usually|often|generally"
    r"|typically)\b"
)
_ALWAYS = re.compile(
    "保証(?=し|さ|いた|付|が|と)|必ず(?!し)|常に|全(?!国|体|般|力|然|角|文|長|館|額|部|く)[一-龥]|いつでも"
    "|すべて|全て|全商品|全員|全品|全額|例外なく|いかなる|どんな|どの(?:商品|場合"
    "|よう)|どなたでも|誰でも|だれでも|何度でも|いつも|一切|完全に|あらゆる|無条件|一律|永久|無制限|絶対|確実に|間違いなく"
    r"|\b(?:always|guaranteed?|guarantees|every|all|any time|without exception"
    r"|no exceptions?|in all cases|in every case|unconditional(?:ly)?|anyone"
    r"|everyone|unlimited|never|definitely|certainly|automatically|100 ?%)\b"
)
_PROMISES = (
    "(?:を|は|まで)?(?:お)?(?:約束|保証|確約)(?:は|を|する(?:もので|ことは|ことが))?(?:は)?(?:いた|致)?"
    "(?:し|でき|出来|さ)[ぁ-ん]{0,6}?(?:ません|ない|かね)|保証(?:は|が)?(?:ありません|ない)|保証の限りでは|"
)
_DENIALS = (
    "(?:わけ|訳)で?(?:は|も)?(?:ない|ありません|なく|ございません)|(?:わけ|訳)には|"
    "(?:と|とは|とも|に)は?限(?:りません|らない|らず|ったことでは)|"
    "と(?:は|も)?言(?:えません|えない|い切れ(?:ません|ない))|とはいえ(?:ません"
    "|ない)|とは断(?:定|言)(?:は)?(?:でき|し)|"
    "(?:という|といった|との)(?:こと|もの|意味|趣旨)で?(?:は|も)(?:ない|ありません"
    "|なく|ございません)|という(?:こと|事実|規定|ルール|決まり)は(?:ない|ありません"
    "|なく|ございません)|"
    "必ずしも|"
    "(?:誤り|誤った|間違い|間違って|誤解|誤情報|嘘|デマ|虚偽)(?:です|で|だ|と|に|$"
    "|。|、|の)|誤って(?:い|お)|正しく(?:は)?(?:ありません|ない|なく)"
    "|事実(?:では(?:ない|ありません|なく|ございません)|と異な|に反)|不正確"
    "|当てはま(?:りません|らない)|"
    "(?<!だけ)(?<!のみ)(?<!ばかり)(?:ではなく|じゃなく)|なわけで"
    r"|\b(?:not necessarily|(?:it is|it's|is|are|was) (?:not true|not correct"
    r"|not the case|not accurate|false|untrue|incorrect|wrong|inaccurate|mistaken"
    r"|a myth|a misconception|misleading|outdated)|"
    r"not mean|no guarantee|(?:not|n't|never|cannot) (?:be )?(?:guaranteed?"
    r"|promised?|always|automatic(?:ally)?)|incorrect to (?:say|state)|myth"
    r"|contrary to|(?:it is|it's) (?:incorrect|wrong|false|not true|untrue) (?:that"
    r"|to say)|not all|not every)\b"
)
_DENIED = re.compile(_PROMISES + _DENIALS)
# Of breakage 保証されません is a rule of the warranty, and denies nothing.
_DENIED_OF_REPAIRS = re.compile(_DENIALS)
_WARRANTED = re.compile("故障|破損|損傷|不具合|不良|劣化|修理|消耗")
_ONLY = re.compile(
    r"のみ|(?<!いた)(?<!頂)だけ(?!で(?:なく|は))|に限(?:り(?!ません)|ら?れ|る)|限定"
    r"|しか|\b(?:only|solely|exclusively)\b"
)
_PERSONAL = re.compile(
    r"\b(?:you|customers?|employees?|members?|users?|students?|staff|guests?"
    r"|visitors?|everyone|anyone|they|we|workers?|managers?|buyers?|residents?"
    r"|applicants?)\s+(?:\w+\s+){0,2}may\b"
)


_GUARDS = re.compile("か(?:も|と)(?:しれ|知れ)(?:ません|ない|ず)")


_SOME_CASES = re.compile("(?:場合|こと|ケース)(?:が|も)(?:あり|ござい|ある)(?!ません)(?:ます)?")


def without_marks(text: str) -> str:
    """The segment with its denials and guards blanked, so that they turn no predicate around."""
    denies = _DENIED if _WARRANTED.search(text) is None else _DENIED_OF_REPAIRS
    for pattern in (_GUARDS, denies, _SOME_CASES):
        text = pattern.sub(lambda found: "\x1f" * len(found.group()), text)
    return text


def force(text: str) -> Force:
    """Read the marks of one segment that is folded and in lower case."""
    absent = _ABSENT.search(text) is not None or _ABSENT_EN.search(text) is not None
    may = _MAY.search(text) is not None and _PERSONAL.search(text) is None
    warranted = _WARRANTED.search(text) is not None
    denied = (_DENIED_OF_REPAIRS if warranted else _DENIED).search(text) is not None
    always = None if denied else _ALWAYS.search(text)
    if always is not None and warranted and always.group() == "保証":
        always = _ALWAYS.search(text.replace("保証", "  "))
    found = Force(
        question=_QUESTION.search(text) is not None or _WHETHER.search(text) is not None,
        absent=absent,
        referral=_REFERRAL.search(text) is not None,
        hedged=_HEDGED.search(text) is not None or may,
        sometimes=_SOMETIMES.search(text) is not None,
        always=always is not None,
        denied=denied,
        only=_ONLY.search(text) is not None,
    )
    return PLAIN if found == PLAIN else found
