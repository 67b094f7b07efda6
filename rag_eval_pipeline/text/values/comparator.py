"""Bounds said before or after a number: 以上, まで, at least, no more than, and their negations."""

from __future__ import annotations

import re

from rag_eval_pipeline.text.values import scan
from rag_eval_pipeline.text.values.core import Core
from rag_eval_pipeline.text.values.normal import Normal

# Group names are the comparator and a serial number. Negated forms come first.
_NOT = (
    r"(?:ない|ず|ません|ぬ|ては(?:なら|いけ|だめ)|てはなりま|ることは(?:でき|あり)?(?:ない|ま)"
    r"|ることができ(?:ない|ま))"
)
_AFTER_JA = re.compile(
    rf"""\s?(?:
      (?P<le1>[をはが]?(?:超え|越え|こえ)(?!ても){_NOT}|[をはが]?超過(?:し(?:ない|ません)|せず
        |しては)|[をはが]?上回(?:ら(?:ない|ず|ません)|っては|ることは))
    | (?P<ge1>[をはが]?下回(?:ら(?:ない|ず|ません)|っては|ることは)|[をはが]?(?:割|切
      |下)ら(?:ない|ず|ません))
    | (?P<lt1>以上(?:では?(?:ない|なく、|ありません)|じゃない))
    | (?P<gt1>以[下内](?:では?(?:ない|なく、|ありません)|じゃない))
    | (?P<ge2>未満では?(?:ない|ありません))
    | (?P<lt2>(?:に満たない|に達しない|に及ばない|に達していない)|未満|を下回|を切|を割(?!り?引)
      |より(?:も)?(?:少|安|低|小さ|短|下|早|軽|若|手前|前|以前))
    | (?P<gt2>を?超(?!過料金|音|高)(?:え(?:る|た|て|ると|れば|、)?|過)?|[をが]越え|を上回
      |(?:[をが]|は)?(?:経)?過(?:ぎ|した|し、|して|後|する)|を経て|すぎ|オーバー|より(?:も)?(?:多
      |高|大き|長|上|後|遅|重|古)|を経過|経過)
    | (?P<ge3>以上|以降|以後|以来|を下限|が下限|を最低|が最低|(?:が|を)最小|からの?(?=利用|申|注
      |受|購|ご|お|適|施|開|有|発|予|参)|から)
    | (?P<le2>以下|以内|以前|いっぱい|必着|厳守|締め?切り?|〆切|までに?|迄に?|を(?:上限|限度
      |最大)|が(?:上限|限度|最大|限界)|限り(?!で)|内(?=に|で|の|、|。|$|は|\)|で)|に限り)
    | (?P<approx1>程度|ほど|ぐらい|くらい|位(?!置)|前後|頃|ごろ|ころ|弱(?!点)|強(?!制|く)|余り
      |見当|目安|内外|そこそこ)
    | (?P<ge4>より(?!も)|スタート|~(?![0-9]))
    )""",
    re.VERBOSE,
)
_NOUN = (
    r"(?:容量|サイズ|人数|件数|回数|文字数|字数|枚数|額|金額|値|数|日数|期間|時間|重量|長さ|個数"
    r"|年数|泊数|台数|桁数|料金|価格|購入数|購入額|購入金額|注文金額|注文額|支給額|補償額|割引率"
    r"|率|利率|年齢|滞在日数|保存期間|保管期間|契約期間|利用期間|勤続年数|賃金|ロット|出力|速度"
    r"|温度|同時接続数|参加人数|定員|ページ数|利用時間|在籍期間|稼働率|個体数)?"
)
_LEAD = (
    r"(?:は|が|を|の|で|でも|合計|合計で|:|=|、|\s|お一人様|1人|1回|月|年|各|計|原則|原則として"
    r"|\(|約|さらに|のみ){0,4}"
)
_BEFORE_JA = re.compile(
    rf"""(?:
      (?P<le1>(?:上限|限度|限度額|定員|満席){_NOUN}{_LEAD}|最(?:大限?|高|長|多)(?!の特
        |の理){_NOUN}{_LEAD}|多くとも|多くても?|せいぜい|高々|たかだか|長くとも|長くても|遅くとも
        |遅くても|高くても|高くとも|≦|<=|≤)
    | (?P<ge1>(?:下限){_NOUN}{_LEAD}|最(?:小限?|低限?|短|少){_NOUN}{_LEAD}|少なくとも|少なくても
      |早くとも|早くても|短くとも|短くても|安くても|若くとも|≧|>=|≥)
    | (?P<approx1>約|およそ|おおよそ|概ね|おおむね|だいたい|大体|ほぼ|凡そ|おそらく|推定
      |平均(?:して|で)?|目安(?:は|として)?:?|ざっと|ざっくり)
    | (?P<gt1>(?<![a-z0-9=\-])>|>)
    | (?P<lt1><)
    )\s?\Z""",
    re.VERBOSE,
)
_START_JA = scan.heads(
    [
        *"最高約概大凡推平<>≦≧≤≥",
        *("上限", "下限", "限度", "定員", "満席", "多く", "少な", "早く", "遅く", "長く", "短く"),
        *("安く", "若く", "目安", "せいぜい", "たかだか", "およそ", "おお", "おそらく", "だいたい"),
        *("ほぼ", "ざっ"),
    ]
)
# What a bound after the value may begin with, white space left out.
_AFTER_JA_SIGNS = frozenset(
    "をはが超越こ上下割切以未によ経過すオか必厳締〆ま迄限内い程ほぐく位前後頃ご弱強余見目そス~"
)
_JA_WINDOW = 22
_DEADLINE_BEFORE = re.compile(
    r"(?:期限|締め?切り?日?|〆切日?|納期|締切時刻|提出日限|期日|(?<![a-z])(?:deadline|due date"
    r"|cut-?off(?: time| date)?|due|closing date|closes|expires|expiry date))"
    r"(?:日時|日|時刻|時間)?(?:は|が|を|の|:|=|、|/|\s|is|are|was|will|be|falls|on|for|of|no "
    r"later than|by|at|,|the|毎月|原則|原則として|利用月の|購入月の|発生月の|支払月の|請求月の"
    r"|[一-鿿]{1,6}(?:月|日)の){0,6}\s?\Z"
)
_DUE = re.compile("期限|期日|締|〆|納期|日限|dead|due|cut|clos|expir")
_LEADING_RANGE = re.compile(r"(?<![0-9a-z一-鿿ぁ-んァ-ヶ)%℃])~\s?\Z")
_JAPANESE_SIGN = re.compile("[ぁ-んァ-ヶ一-鿿]")

_FILL = (
    r"(?:(?:a|an|the|first|next|last|past|initial|following|total\ of|a\ total\ of|only|just|of"
    r"|one|your|each|one's)\ ){0,3}"
)
_BEFORE_EN = re.compile(
    rf"""(?:(?<![a-z])(?:
      (?P<le1>(?:no|not|never|n't|nor|neither)\ (?:be\ |to\ be\ |go\ )?(?:more|greater|longer
        |higher|larger|later|over|above|exceed(?:ing)?|older|further|in\ excess|heavier|bigger
        |farther)(?:\ than|\ of)?|(?:not|never|n't|cannot|can't)\ (?:to\ |be\ )?(?:exceed(?:s|ed
        |ing)?|go\ over|surpass|be\ over|total\ more\ than))
    | (?P<ge1>(?:no|not|never|n't)\ (?:be\ )?(?:less|fewer|lower|shorter|smaller|earlier|younger
      |under|below|sooner|before|until)(?:\ than)?|(?:not|never)\ (?:fall|drop|go)\ below)
    | (?P<ge2>at\ least|at\ the\ very\ least|at\ a\ minimum(?:\ of)?|minimum
      \ (?:order\ |purchase\ |spend\ |length\ |age\ )?(?:of|is)|(?:a\ )?min(?:imum
      |\.)?(?:\ [a-z]{{2,14}}){{0,3}}(?:\ of|\ is|\ are|:)?|starting(?:\ (?:at|from|on))?
      |starts?\ (?:at|from|on)|beginning(?:\ (?:on|from|in|at))?|commencing(?:\ on)?
      |begins?\ (?:on|at)|effective(?:\ from|\ on|\ as\ of)?|as\ of|on\ or\ after|since|as\ (?:low
      |little|early|few)\ as|takes?\ effect\ on|from(?!\ now))
    | (?P<le2>at\ most|at\ the\ most|at\ a\ maximum(?:\ of)?|up\ to(?:\ and\ including)?
      |(?:a\ )?max(?:imum|\.)?(?:\ [a-z]{{2,14}}){{0,3}}(?:\ of|\ is|\ are|:)?|(?:capped|limited
      |restricted)\ (?:at|to)|(?:cap|limit|ceiling)\ (?:of|is|at)|as\ (?:many|much|long|high
      |late)\ as|within|inside|on\ or\ before|by|until|till|through|prior\ to\ or\ on|up\ until
      |not\ after|upper\ limit\ of)
    | (?P<gt1>more\ than|over|above|exceed(?:s|ing|ed)?|in\ excess\ of|(?:greater|longer|higher
      |larger|later|older|heavier|bigger)\ than|beyond|past|upwards\ of|surpass(?:es|ing)?|after)
    | (?P<lt1>less\ than|under|below|(?:fewer|shorter|lower|smaller|cheaper|earlier|younger
      |lighter|sooner)\ than|before|prior\ to|short\ of|ahead\ of)
    | (?P<approx1>about|around|approximately|approx\.?|roughly|nearly|almost|circa|some(?!\ of)
      |an\ estimated|close\ to|on\ average|in\ about|or\ so)
    )\ (?:{_FILL})|(?P<gt2>>)\s?|(?P<lt2><)\s?|(?P<ge3>>=|≥|≧)\s?|(?P<le3><=|≤|≦)\s?
      |(?P<approx2>(?<![0-9a-z])~|≈)\s?)\Z""",
    re.VERBOSE,
)
# The words of a bound and its fillers (a total of, the first).
_WORDS_OF_BOUNDS = (
    "no not never nor neither cannot be to go more greater longer higher larger later over above "
    "exceed exceeds exceeded exceeding older further in excess heavier bigger farther than of "
    "surpass surpasses surpassing total less fewer lower shorter smaller earlier younger under "
    "below sooner before until till fall drop at least the very a starting start starts from on "
    "beginning commencing begin begins effective as or after since low little early few take takes "
    "effect most up including and capped limited restricted cap limit ceiling is many much long "
    "high late within inside by through prior upper beyond past upwards cheaper lighter short "
    "ahead about around approximately approx roughly nearly almost circa some an estimated close "
    "average so first next last initial following only just one your each"
)
_BOUND_WORDS = frozenset(_WORDS_OF_BOUNDS.split())
# What certainly belongs to no bound; with other marks a word may hide one ("within, n't).
_OTHER_WORD = re.compile(r"[a-z]*[,;!?)]?|[0-9.]+[,;!?)]?")
_START_EN = re.compile("[a-z](?<![a-z][a-z])")
_SYMBOLS = frozenset("<>≤≥≦≧~≈")
_SYMBOL = re.compile("[<>≤≥≦≧~≈]")
_EN_WINDOW = 44
# What a bound after the value may begin with.
_EN_SIGNS = (" ", ",", "+", "-")
_AFTER_EN = re.compile(
    r"(?:(?P<ge1>,? (?:or|and) (?:more|above|over|older|up|later|longer|greater|higher|onwards?"
    r"|after|beyond|upwards)|\+(?![0-9])|,? (?:at )?(?:a )?minimum(?! [a-z]+ of)|,? at (?:the "
    r")?(?:very )?least| onwards?| or heavier|-plus)"
    r"|(?P<le1>,? (?:or|and) (?:less|fewer|below|under|earlier|sooner|shorter|lower|smaller"
    r"|younger|before|cheaper|faster)| or lighter|,? at (?:the )?most| (?:at )?(?:a "
    r")?max(?:imum)?|,? tops| or less)"
    r"|(?P<approx1> or so|,? approximately|,? give or take|-ish))(?![a-z])"
)
_AFTER_NOUN_EN = re.compile(r" (?:old|of age|each|in total|total|apiece)(?![a-z])")

# "by", "from", "after" and the like bound days, not amounts (increased by 10%).
_DAYS_ONLY_WORDS = "by until till through before after since past effective"
_DAYS_ONLY = frozenset(
    {*_DAYS_ONLY_WORDS.split(), "prior to", "ahead of", "as of", "effective from", "effective on"}
)
_UNTIL = (
    "まで", "迄", "以前", "必着", "締", "遅く", "最遅", "by", "up to", "up until", "until", "till",
    "no later", "not later",
)  # fmt: skip
_FROM = (
    "から", "以降", "以後", "より", "早く", "from", "starting", "beginning", "since", "no earlier",
    "not earlier", "no sooner",
)  # fmt: skip
_CALENDAR = frozenset({"date", "time", "deadline"})
_CODE = {"le": "le", "ge": "ge", "lt": "lt", "gt": "gt", "ap": "approx"}


def read_after(text: Normal, core: Core, sign: str) -> None:
    """Take the comparator that follows the value; `sign` is the first one after it."""
    found = None
    if sign in _AFTER_JA_SIGNS:
        found = _AFTER_JA.match(text.low, core.end)
    english = found is None
    if found is None and (text.latin or sign == "+") and text.low.startswith(_EN_SIGNS, core.end):
        at = core.end
        noun = _AFTER_NOUN_EN.match(text.low, at)
        found = _AFTER_EN.match(text.low, noun.end() if noun else at)
    if found is None or found.lastgroup is None:
        return
    code = _CODE[found.lastgroup[:2]]
    word = found.group(found.lastgroup)
    if core.kind == "deadline" and word in ("締切", "締め切り", "〆切", "締切り"):
        code = "le"
    if word.startswith("過") and core.kind in ("count", "money", "quantity", "ratio"):
        return
    if word == "以前" and core.kind == "duration":
        return
    if word.startswith(("内", "位")) and core.kind not in (
        "duration",
        "deadline",
        "count",
        "quantity",
        "money",
    ):
        return
    if word == "より" and core.kind not in ("date", "time", "money", "deadline"):
        return
    if word == "強" and core.kind in ("date", "time"):
        return
    if core.qual == "before":
        code = _turned(code, word)
    if core.cmp == "range":
        core.open_high = code == "lt"
        core.end = found.end()
        return
    if not english and code == "approx" and _bound_before(text, core):
        core.end = found.end()
        return
    core.cmp, core.bound, core.bound_after = code, True, True
    core.end = found.end()


def _turned(code: str, word: str) -> str:
    """Until 7 days before an event is 7 days or more before it, from 7 days before is 7 or less."""
    if code == "le" and word.startswith(_UNTIL):
        return "ge"
    if code == "ge" and word.startswith(_FROM):
        return "le"
    return code


def _bound_before(text: Normal, core: Core) -> bool:
    before = _before_ja(text.low, core.start)
    return before is not None and (before.lastgroup or "").startswith(("le", "ge"))


def _before_ja(low: str, start: int) -> re.Match[str] | None:
    return scan.search(_BEFORE_JA, _START_JA, low, max(0, start - _JA_WINDOW), start)


def _before_en(low: str, start: int) -> re.Match[str] | None:
    window = max(0, start - _EN_WINDOW)
    if scan.sign_before(low, start) in _SYMBOLS:
        return scan.search(_BEFORE_EN, _SYMBOL, low, window, start)
    if low[start - 1 : start] != " ":
        return None
    written = low[window:start]
    # Any words may stand between minimum and the number.
    if "min" in written or "max" in written:
        return scan.search(_BEFORE_EN, _START_EN, low, window, start)
    # Else a bound and its fillers are words of bounds only: the first other one ends the search.
    begin = start
    for word in written.split(" ")[-2::-1]:
        if word not in _BOUND_WORDS:
            if not _OTHER_WORD.fullmatch(word):
                begin = window
            break
        begin -= len(word) + 1
    if begin == start:
        return None
    return scan.search(_BEFORE_EN, _START_EN, low, begin, start)


def read_before(text: Normal, core: Core) -> None:
    """Take the comparator that stands before the value, unless one after it decided."""
    low = text.low
    found = _before_ja(low, core.start)
    if found is not None and found.lastgroup is not None:
        code = _CODE[found.lastgroup[:2]]
        if core.kind == "ratio" and found.group().endswith("の"):
            return
        if core.qual == "before":
            code = _turned(code, found.group(found.lastgroup))
        if core.cmp == "range" or (core.bound and core.cmp != "approx"):
            if core.cmp == "eq":
                core.cmp = code
            return
        core.cmp, core.bound = code, True
        core.start = found.start()
        return
    leading = None
    if "~" in low[max(0, core.start - 2) : core.start]:
        leading = _LEADING_RANGE.search(low, max(0, core.start - 3), core.start)
    if (
        leading
        and not core.bound
        and core.cmp == "eq"
        and core.kind != "deadline"
        and _JAPANESE_SIGN.search(low, core.start, core.end)
    ):
        core.cmp, core.bound, core.start = "le", True, leading.start()
        return
    found = None
    if text.latin or scan.sign_before(low, core.start) in _SYMBOLS:
        found = _before_en(low, core.start)
    if found is not None and found.lastgroup is not None:
        word = found.group(found.lastgroup).strip()
        if word in _DAYS_ONLY and core.kind not in _CALENDAR and core.qual != "before":
            return
        if word == "from" and core.kind in ("duration", "ratio", "count", "quantity"):
            return
        if word == "past" and core.kind == "duration":
            return
        if core.bound or core.cmp == "range":
            return
        code = _CODE[found.lastgroup[:2]]
        core.cmp = _turned(code, word) if core.qual == "before" else code
        core.bound = True
        core.start = found.start()
        return
    if core.bound or core.cmp == "range":
        return
    if (
        core.kind in _CALENDAR
        and core.cmp == "eq"
        and _DUE.search(low, max(0, core.start - 40), core.start)
    ):
        due = _DEADLINE_BEFORE.search(low, max(0, core.start - 40), core.start)
        if due:
            core.cmp, core.bound = "le", True
            return
