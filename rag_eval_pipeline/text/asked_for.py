"""What kind of thing a question asks for, and whether an answer is of that kind.

Rules can only say *no*: an answer without any time to a question for a time is off the question.
That an answer does answer is left to a judge or a person.
"""

from __future__ import annotations

import re
from typing import Literal

from rag_eval_pipeline.text.citation_marks import without_citations
from rag_eval_pipeline.text.fold import fold
from rag_eval_pipeline.text.status import read_status
from rag_eval_pipeline.text.values import values

Asked = Literal[
    "when", "how_much", "how_long", "how_many", "how_many_percent", "yes_no", "where", "who"
]

# In order: the first that is found names the kind.
_KINDS: tuple[tuple[Asked, re.Pattern[str]], ...] = (
    (
        "how_many_percent",
        re.compile(
            r"何(?:%|パーセント|割|％)|(?:率|割合|利率|パーセン(?:ト|テージ))は(?:何|いくつ"
            r"|いくら|どの|どれ|[?？]|$)"
            r"|\b(?:what|how many|which) (?:\w+ )?(?:percent(?:age)?|%)|\bwhat (?:is|are"
            r"|'s) the (?:[\w-]+ ){0,3}(?:rate|percentage)\b"
        ),
    ),
    (
        "how_much",
        re.compile(
            r"(?:料金?|費用?|値段|価格|金額|代金?|手当|給与?)(?:は|って|が)(?:、)?(?:どの"
            r"|どれ)(?:くらい|ぐらい|ほど)"
            r"|(?:料金|費用|値段|価格|送料|手数料|金額|年会費|月額|代金|会費|時給)(?:を"
            r"|が)(?:教え|知り|確認し)"
        ),
    ),
    (
        "how_long",
        re.compile(
            r"何(?:日(?!に|から|まで|ごろ|頃|か|で|$|[?？])|週|週間|か月|ヶ月|ヵ月|カ月"
            r"|年(?!に|から|まで|ごろ|頃|か|で|$|[?？])|時間|分|営業日|日(?:まで(?:可能|使"
            r"|有効)|かか))"
            r"|(?:期間|所要時間|日数|年数)は|(?:どれ|どの)(?:くらい|ぐらい|ほど"
            r"|位)[^。]{0,12}(?:期間|時間|日数|かか|待|有効|保存|保管)"
            r"|\bhow long\b|\bhow many (?:[\w-]+ )?(?:days|weeks|months|years|hours|minutes)\b"
        ),
    ),
    (
        "when",
        re.compile(
            r"いつ(?!でも|も)|何(?:日|月|年|時|曜日)(?:に|から|まで|ごろ|頃|か|です|で|$"
            r"|[?？])|(?:期限|締め?切り?|期日|開始日|終了日|施行日)は(?:何|いつ|[?？]|$"
            r"|どう)"
            r"|\bwhen (?:is|are|am|do|does|did|can|could|will|would|should|must|may|was"
            r"|were|has|have|shall)\b"
            r"|\b(?:since|until|till|by|from|know|me|us) when\b|^when\W*$|\bwhat (?:time"
            r"|date|day|month|year|days)\b|\bby what (?:date|time)\b|\bwhat(?:'s"
            r"| is) the (?:[\w-]+ ){0,3}(?:deadline|due date)\b"
        ),
    ),
    (
        "how_many",
        re.compile(
            r"何(?:個|名|人|回|件|台|本|冊|枚|点|社|箇所|か所|種類|つ|文字|歳|才|度|階"
            r"|ポイント|泊|通|kg|g|cm|MB|GB)|いくつ|(?:人数|個数|回数|件数|台数|枚数|数量"
            r"|上限数)は"
            r"|\bhow many\b|\bhow much (?!(?:is|are|was|does|do|did|will|would|should|must"
            r"|can|it|to|money|for|(?:[\w-]+ )?(?:cost|fee|tax))\b)\w"
        ),
    ),
    (
        "how_much",
        re.compile(
            r"いくら(?!でも)|何円|何ドル|何ユーロ|(?:料金|費用|値段|価格|送料|手数料|金額"
            r"|年会費|月額|代金|会費|時給|給与)は(?:[?？]|$|どの|どれ|いくら|おいくら|何)"
            r"|\bhow much\b|\bwhat(?:'s| is| are| does| do)[^?]{0,60}\b(?:costs?|fees?"
            r"|price|charge|amount|fare)\b|\bhow expensive\b"
        ),
    ),
    ("where", re.compile(r"どこ|(?:場所|住所|所在地)は|\bwhere\b")),
    ("who", re.compile(r"誰|だれ|どなた|\bwho(?:m|se)?\b")),
)
_OTHER_QUESTION = re.compile(
    r"どう|なぜ|どの|どれ|どちら|どんな|何|なに|なん|\b(?:why|how|what|which)\b"
)
_YES_NO = re.compile(
    r"(?:ます|です|ません|でしょう|れる|える|せる|できる|可能|いい|よい|だめ|ある|いる|る"
    r"|た|い|の)か?[?？]?$"
    r"|(?:^|, )(?:is|are|was|were|am|do|does|did|can|could|may|might|must|shall|should|will"
    r"|would|has|have|had)\b"
)
_YES_NO_END = re.compile(r"か[?？]?$|[?？]$")

_TIME_KINDS = frozenset({"date", "time", "duration", "deadline"})
_TIME_WORDS = re.compile(
    r"[月火水木金土日]曜|即(?:日|時)|随時|当日|翌(?:日|月|週|年)|前(?:日|月|週|年)|同日"
    r"|毎[日週月年朝晩]|いつでも|常時|今(?:日|週|月|年)|明日|昨日|本日|来[週月年]|先[週月]"
    r"|月末|月初|年末|年度|期末|週末|平日|祝日|休日"
    r"|後(?:に|で|、|すぐ)|前(?:に|まで|日)|以[降前後]|まで|から|次第|ただちに|直ちに|すぐ"
    r"|期限|期間|無期限|永久|時点|直後|のち|際に|とき|場合|たら|上旬|中旬|下旬|午[前後]"
    r"|正午|深夜|[春夏秋冬]|[0-9〇一二三四五六七八九十]+(?:営業)?(?:時|日|月|年|週|分|秒)"
    r"|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekdays?|weekends?|daily|weekly"
    r"|monthly|annual(?:ly)?|yearly|quarterly|today|tomorrow|yesterday|immediate(?:ly)?"
    r"|instant(?:ly)?|any ?time|always|never|soon|upon|after|before|until|till|by|once|when"
    r"|while|during|since|next|last|later|within|end of|beginning|start of|ongoing"
    r"|permanent(?:ly)?|indefinite(?:ly)?|forever|morning|afternoon|evening|night|noon"
    r"|midnight|day|days|week|weeks|month|months|year|years|hours?|minutes?|overnight"
    r"|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|spring|summer|autumn|fall|winter|quarter|deadline|period)\b"
)
_AMOUNT_WORDS = re.compile(
    r"無料|無償|タダ|ただ(?:です|。|$)|実費|全額|半額|同額|定額|定価|不要|ゼロ|なし|円|ドル"
    r"|ユーロ|ポイント|着払い|負担|含まれ|込み"
    r"|\b(?:free|no (?:charge|cost|fee)|nothing|complimentary|included|waived|half|full"
    r"|double|same|zero|covered|yen|dollars?|euros?|usd|jpy|eur|cents?|points?)\b"
)
_COUNT_WORDS = re.compile(
    r"[0-9]|[〇一二三四五六七八九十百千万]|無制限|制限(?:は|が)?(?:な|あ)|上限|すべて|全て"
    r"|全[員部]|なし|ゼロ|ひと|ふた|複数|数[個名人回件]|両方|いくつでも|何[個名人回]でも"
    r"|半分"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty"
    r"|forty|fifty|hundred|thousand|dozen|once|twice|single|none|no|zero|unlimited|all"
    r"|every|both|half|several|multiple|any|as many|a few|a couple|an?)\b"
)
_SHARE_WORDS = re.compile(
    r"[%％]|割(?!引|増|安|り当)|半(?:額|分)|全額|全部|すべて|無料|倍|パーセント"
    r"|\b(?:percent|half|all|full|quarter|third|none|zero|double|twice|free|entire)\b"
)
# An answer that denies what the question takes for granted answers it:
# いつまで返品できますか, 返品できません。
_DENIES = re.compile(
    r"ません|ない|なし|不可|不要|対象外|いいえ|禁止|廃止|終了|\b(?:no|not|never|none|cannot"
    r"|without|nothing|neither|unavailable)\b|n't\b"
)


def asked_for(question: str) -> Asked | None:
    """The kind of thing a question asks for, Japanese or English.

    Returns
    -------
    when (a date, time, deadline), how_much (an amount of money), how_long (a period), how_many (a
    number of anything else), how_many_percent, yes_no, where, who; None for other questions and
    for text that asks nothing.
    """
    folded = fold(question).casefold().replace("’", "'")
    if len(folded) > _LONGEST:
        folded = folded[-_LONGEST:]
    for kind, pattern in _KINDS:
        if pattern.search(folded):
            return kind
    if _OTHER_QUESTION.search(folded):
        return None
    if _YES_NO.search(folded) and (_YES_NO_END.search(folded) or folded[:1].isascii()):
        return "yes_no"
    return None


_LONGEST = 2000


def answers_kind(question: str, answer: str) -> bool | None:
    """False where the answer is empty or holds nothing of the kind asked for, else None.

    A question for a time wants a date, time, period, deadline or a word of time in the answer; one
    for a price an amount or a word like free; one for a number a number; one for a share a ratio.
    An answer that abstains, asks back or denies the question's premise is not off-kind.
    """
    text = without_citations(answer)
    if not any(each.isalnum() for each in text):
        return False
    kind = asked_for(question)
    if kind in (None, "yes_no", "where", "who"):
        return None
    if read_status(answer).label != "answer":
        return None
    folded = fold(text).casefold().replace("’", "'")
    if _DENIES.search(folded) or _holds(kind, text, folded):
        return None
    return False


def _holds(kind: Asked | None, text: str, folded: str) -> bool:
    kinds = {each.kind for each in values(text)}
    if kind in ("when", "how_long"):
        return bool(kinds & _TIME_KINDS) or bool(_TIME_WORDS.search(folded))
    if kind == "how_much":
        return bool(kinds & {"money", "ratio"}) or bool(_AMOUNT_WORDS.search(folded))
    if kind == "how_many_percent":
        return "ratio" in kinds or bool(_SHARE_WORDS.search(folded))
    return bool(kinds) or bool(_COUNT_WORDS.search(folded))
