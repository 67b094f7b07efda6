"""What looks like a number and is no value: names, references, idioms. Hidden before reading.

A hidden character becomes NUL, which no rule matches, so that offsets stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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
_COUNTED_ANYWAY = (
    "部件枚点個つ通年月日時分秒円回人名社冊本種万千%割文字桁株歳才箇か倍泊台度kgmcl営週"
)
_REFERRED_EN = frozenset(
    [
        "v",
        "ver",
        "version",
        "build",
        "release",
        "page",
        "pages",
        "p",
        "pp",
        "section",
        "sections",
        "sec",
        "article",
        "articles",
        "clause",
        "chapter",
        "appendix",
        "annex",
        "exhibit",
        "table",
        "figure",
        "fig",
        "schedule",
        "room",
        "suite",
        "apartment",
        "apt",
        "gate",
        "step",
        "level",
        "phase",
        "tier",
        "type",
        "class",
        "rule",
        "option",
        "part",
        "paragraph",
        "question",
        "model",
        "port",
        "error",
        "http",
        "status",
        "no",
        "nos",
        "number",
        "id",
        "ticket",
        "invoice",
        "form",
        "policy",
        "unit",
        "terminal",
        "lot",
        "batch",
        "note",
        "item",
        "ext",
        "extension",
        "building",
        "bldg",
        "route",
        "highway",
        "seat",
        "row",
        "grade",
        "stage",
        "bullet",
        "footnote",
        "python",
        "windows",
        "win",
        "macos",
        "ios",
        "ipados",
        "android",
        "microsoft",
        "iphone",
        "ipad",
        "galaxy",
        "pixel",
        "java",
        "node",
        "node.js",
        "ubuntu",
        "debian",
        "php",
        "ruby",
        "mysql",
        "postgres",
        "postgresql",
        "oracle",
        "chrome",
        "firefox",
        "safari",
        "tls",
        "ssl",
        "usb",
        "bluetooth",
        "wi-fi",
        "wifi",
        "ipv",
        "hdmi",
        "playstation",
        "xbox",
        "covid",
        "rfc",
        "iso",
        "iso/iec",
        "jis",
        "iec",
        "ieee",
        "nist",
        "pep",
        "utf",
        "sha",
        "aes",
        "rsa",
        "gpt",
        "claude",
        "gemini",
        "llama",
        "soc",
        "switch",
        "surface",
        "ryzen",
        "rtx",
        "gtx",
    ]
)
_HYPHENATED_WORDS = (
    "am- pm- mid- pre- post- non- max- min- sub- to- from- and- or- is- of- top- "
    "jan- feb- mar- apr- may- june- july- aug- sep- sept- oct- nov- dec-"
)
_HYPHENATED = frozenset(_HYPHENATED_WORDS.split())
_LAST_WORD = re.compile(r"(?<![a-z])([a-z][a-z./-]{0,11})[ #-]{0,2}\Z")
_OFFICE_YEAR = re.compile(r"(?:office|excel|word|windows server) \Z")
_AFTER_REFERENCE = re.compile(
    r"[0-9]*(?:[.:][0-9]+)*[a-z]?(?![a-z%])(?:\s?[-,]\s?[0-9]{1,4}(?![0-9]))?"
)
_JIS = re.compile(r"jis [a-z] \Z")
_AFTER_REFERENCE_JA = re.compile(
    rf"[0-9]{{1,9}}(?![.,]?[0-9])(?![{_COUNTED_ANYWAY}])(?:-[0-9]{{1,4}}|の[0-9]{{1,3}}(?![0-9]))?"
)
_NUMBER_START = re.compile(r"(?<![0-9.,])[0-9]")
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
_QUARTER = re.compile(r"(?<![a-z])q[1-4](?![0-9a-z])")
# Each pattern is tried only where one of its signs occurs.
_SIGNED_TRAPS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (
        ("://", "www.", "@"),
        re.compile(
            r"https?://[^\s「」（）()<>、。]+|www\.[^\s「」（）()<>、。]+"
            r"|(?<![a-z0-9._%+-])[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,100}"
        ),
    ),
    (
        ("[", "【"),
        re.compile(
            r"\[[0-9]{1,3}(?:[,~-] ?[0-9]{1,3}){0,9}\]|\[[^\[\]\s]{0,80}#[^\[\]]{0,80}\]"
            r"|【[0-9]+(?:[:†][^【】]{0,60})?】"
        ),
    ),
    (("〒",), re.compile(r"〒\s?[0-9]{3}-?[0-9]{4}")),
    (
        ("-",),
        re.compile(
            r"(?=[0-9+])(?<![0-9-])(?!(?:19|20)[0-9]{2}-[0-9]{1,2}-[0-9]{1,2}(?![0-9-]))"
            r"(?!(?:0?[1-9]|1[0-2])-[0-9]{1,2}-20[0-9]{2}(?![0-9-]))"
            r"\+?[0-9]{1,5}-[0-9]{1,5}-[0-9]{1,5}(?:-[0-9]{1,5})?(?![0-9-])"
        ),
    ),
    (
        ("tel", "phone", "fax", "電話", "内線", "ダイヤル"),
        re.compile(
            r"(?:tel|phone|fax|電話番号|電話|内線|ダイヤル)[:.\s]{0,3}(?:は"
            r"|番号は)?[0-9+(][0-9()+-]{1,20}"
        ),
    ),
    (("24/", "24-7"), re.compile(r"24/7|24/365|24-7")),
    (
        (".",),
        re.compile(
            r"(?=[0-9])(?<![0-9.a-z])(?!(?:19"
            r"|20)[0-9]{2}\.)[0-9]{1,5}\.[0-9]{1,5}\.[0-9]{1,5}(?:\.[0-9]{1,5})?"
        ),
    ),
    (tuple("⁰¹²³⁴⁵⁶⁷⁸⁹"), re.compile(r"[0-9][0-9.]{0,20}[⁰¹²³⁴⁵⁶⁷⁸⁹]+")),
    (("\u20e3",), re.compile("[0-9]\ufe0f?\u20e3")),
    (
        tuple("目地室線館条版生次年店街号通代元数法等陸期称"),
        re.compile(
            r"[0-9]{1,4}(?:丁目|番地|号室|番線|番館|条|版|年生|年次|学年|号店|番街|月号"
            r"|番通り)(?:[0-9]{1,4}(?:番地?|号)){0,3}"
            r"|[0-9]{1,4}(?:代|時代|次元|進数|進法|親等|大陸|半期|人称)(?!わり)"
        ),
    ),
    (
        ("数",),
        re.compile(
            r"[十百千0-9]{1,6}数(?=[年月日人名件個回万百千社枚本時分])[年月日人名件個回万百千社枚本時分]"
        ),
    ),
)
_LIST_START = re.compile(r"\s*[0-9(]")
_LIST_MARK = re.compile(r"(?m:^)[ \t]{0,20}(?:[0-9]{1,3}[.)](?=\s)|\([0-9]{1,3}\)(?!\S?[0-9]))")
_SPACED_PHONE = re.compile(
    r"(?=[+(0])(?<![0-9])\+?\(?0[0-9]{1,4}\)? ?[0-9]{2,4}[ -][0-9]{3,4}(?![0-9])"
)
_FREE_STANDING = rf"(?<![{_KANJI_NUMBER}0-9])"
# What follows a number sign in words that are no numbers, by the sign they begin with.
_IDIOMS_BY_SIGN: dict[str, str] = {
    "二": (
        "度寝|者択一|輪|日市|宮|子玉川|日酔|束|人三脚|枚舌|枚目俳優|枚貝|つ返事"
        "|つとな|人羽織|[階度]建|言目|足の|部上場|級"
    ),
    "一": (
        "度に(?!つき)|票の格差|次|切|般|緒|旦|方|面|連|律|括|概|見|応|層|種(?!類)"
        r"|体|定|新|覧|番|流|助|環|因|員|家|角|式|致|目|筋|息|人前(?!\d)"
        "|人暮らし|人っ子|人芝居|人(?:一人|ひとり)|つ(?:一つ|ひとつ)"
        "|つ(?:に|と)(?:は|し|な|ま)|日も早|日千秋|刻|瞬|生|年中|日中|晩中"
        "|両日|昨[日年]|晩|本化|本道|本釣|枚岩|枚看板|枚上手|点張|点[もの物]"
        "|足[先飛]|行(?!目|あたり|以|まで|ずつ)|線|石|期一会|攫千金|長一短"
        "|喜一憂|朝一夕|段(?:と|落)|口(?:に|メモ|サイズ)|件落着|巡|役|歩"
        "|部始終|社会人|個人|市民|企業|消費者|社員|市町|世|躍|変|品|通り|回り"
        "|眼|貫|周|夜|代|存|丸|同|任|挙|報|文(?!字)|命|手|例|説|様|転|掃|気"
        "|着(?=で)|個(?:体|の人)|群|族|座|党|室(?=に)|隅|端|斉|礼|睡|蹴"
        "|理|興|計|策|案|宮|関|之|橋|万円札|つ屋根|部上場|級|枚[噛か]"
    ),
    "四": ("半期|半世紀|角|季|国|条|日市|ツ谷|谷|苦八苦|六時中|捨五入|つ角|つ葉|面楚歌"),
    "三": (
        "角|脚(?!以)|軒茶屋|重(?=県|市)|井|菱|越|宅|洋|鷹|田|島|原|浦|条|宮|茶|ノ宮|日月"
        "|日坊主|日天下|寒|枚目|枚おろし|役|権|大|つ巴|つ編み|つ星|面|拍子|本柱"
        "|本締|種の神器|枚肉|段論法|段跳"
    ),
    "九": ("州|条|段|十九里|九(?!%)"),
    "千": ("葉|代田|歳|早|駄|円札|鳥|分率|差|秋|人針|里|載"),
    "五": (
        "条|反田|日市|島|所川原|稜郭|百円玉|輪|分五分|分(?=の状)|月雨|月病"
        "|月人形|十音|十肩|感|体|穀|里霧中"
    ),
    "七": ("条|尾|里|夕|五三|転|つ道具|福|つの海|光"),
    "六": ("本木|日町|甲|法"),
    "八": ("王子|戸|幡|代|尾|千代|日市|丁堀|百屋|百長|百万の|つ当|方|つ裂|頭身"),
    "十": ("日町|和田|字|二支|人十色|八番|中八九"),
    "百": ("道|舌|貨店|科|合|円ショップ|円均一|円玉|分率|戦|発百中|聞|も承知|鬼"),
    "万": "札|全|一|が一|引|能|年|里|国|有",
    "億": "劫|万",
}
_ANY_SIGN = (
    r"[一二三四五六七八九十]年[生次]|[一二三]人称|[一二三四]次(?![0-9])|[一二三四]者|[二三四]重"
    r"|[二三]次元|[一二]度(?:と|手間)|[一二三]等(?!分)"
    rf"|一時(?<![前後]一時)(?!間|半|から|まで|ちょうど|以降|頃|ごろ|[0-9{_KANJI_NUMBER}]{{1,3}}分)"
    rf"|一部(?!ずつ|あたり|につき|当たり|[0-9{_KANJI_NUMBER}])"
    r"|一度(?<!に一度)(?!まで|のみ|だけ|以上|限り|を超)"
    r"|(?<=[一-鿿])(?<!金)一円(?!玉|単位|以|未)"
    r"|一(?:つ|とつ|人|とり|回|度|件|円|個|枚|名|秒)も(?=な|あり|ご|受|行|い|し|出)"
    r"|十分(?!間|以内|以上|以下|未満|前|後|ほど|おき|ごと|毎|を超|を過|程度|まで|遅|早|経|刻|単位"
    r"|くらい|ぐらい|以降)"
)
_STARTS = {
    sign: re.compile(
        rf"{_FREE_STANDING}(?:{sign}(?:{_IDIOMS_BY_SIGN.get(sign, '(?!)')})|{_ANY_SIGN})"
    )
    for sign in f"{_KANJI_NUMBER}万億"
}
_SIGN = re.compile(rf"[{_KANJI_NUMBER}万億]")
# Idioms in which something else comes before the number sign.
_LED = re.compile(
    r"[数何幾][十百千万億兆]{1,3}|第[一二三四五六](?!営業|回|日|週|月|四|平日|稼働|[0-9]|章|条)"
    r"|ひとりひとり|ひとつひとつ|ひと(?:つ|り)も(?=な|あり|ご|受|行|い|し|出)"
    r"|もう(?:一つ|ひとつ)|いま(?:一度|ひとつ)|今一[度つ]|の(?:一つ|ひとつ|1つ|一人|ひとり)(?=で"
    r"|に|と(?!も)|が|は|を|。|、|も|$)"
    r"|半期|廿日市|東証[一二]部|[唯随統単均同択逐画専不]一"
)
_IDIOMS_EN = re.compile(
    r"""(?<![a-z])(?:
    one\ of | one\ another | one-on-one | one-(?:time|stop|way|off|size|sided|click|liner|shot
      |third-party)
    | (?:no|any|some|the|this|that|which|each|every|another|new|only)\ one(?!\ (?:hundred
      |thousand|day|week|month|year|hour|time|person|item|coupon|request))
    | one's | one\ by\ one | number\ one | day\ one | square\ one | one\ at\ a\ time
    | one\ or\ the\ other | one\ way
    | (?:for\ )?one\ thing | one\ and\ only | on(?:\ the)?\ one\ hand | one\ day(?=,|\ you
      |\ soon|\ we|\ i\ )
    | in\ the\ first\ place | first\ of\ all | at\ first | first[- ]come | first\ and\ foremost
    | second\ to\ none | second[- ](?:hand|thought|guess|nature|opinion|best|class)
    | third[- ]part(?:y|ies) | third[- ]person
    | fifty-fifty | nine-to-five | zero[- ](?:tolerance|day|trust|sum|based|knowledge)
    | two-(?:way|step|factor|tier|fold|sided|thirds-) | two\ factor | three-way | four-wheel
    | one-third-party
    | (?:one|two|three|four|five|six|seven|eight|nine|ten)-(?:star|digit-code|pronged|lane|door
      |legged)
    | (?:several|a\ few|few|many|a\ couple\ of|a\ couple)\ (?:hundred|thousand|dozen|million
      |billion)
    | cloud\ nine | at\ one\ time | in\ one\ place | once\ in\ a\ while | catch[- ]22
    | at\ sixes | a\ million\ thanks | a\ thousand\ (?:thanks|apologies|times)
    | high\ five | take\ five | six\ sigma | hundred\ percent\ sure | dressed\ to\ the\ nines
    )(?![a-z])""",
    re.VERBOSE,
)


def hide_digit_traps(text: str) -> str:
    """Hide addresses, references, versions and other names with numbers."""
    if _ANY_DIGIT.search(text):
        for signs, pattern in _SIGNED_TRAPS:
            if any(sign in text for sign in signs):
                text = pattern.sub(_hidden, text)
        if _LIST_START.match(text) or "\n" in text:
            text = _LIST_MARK.sub(_hidden, text)
        if "0" in text and " " in text:
            text = _SPACED_PHONE.sub(_hidden, text)
        text = _without(text, _references(text))
    if "第" in text:
        text = _STATUTE.sub(_hidden_but_last, text)
        text = _ORDERED.sub(_hidden, text)
    return text


def _references(text: str) -> Iterator[tuple[int, int]]:
    """Spans of numbers that name something by its place or version."""
    for found in _NUMBER_START.finditer(text):
        start = found.start()
        before = text[max(0, start - 14) : start]
        if before[-1:] and ("a" <= before[-1] <= "z" or before[-1] in " #-.§"):
            if not _names_a_thing(before):
                continue
            after = _AFTER_REFERENCE.match(text, start)
        elif before.rstrip(" :は").endswith(_REFERRED_JA):
            after = _AFTER_REFERENCE_JA.match(text, start)
        else:
            continue
        if after is not None and after.end() > start:
            yield start, after.end()


def _names_a_thing(before: str) -> bool:
    """Does a word before a number make it a name or a place (Section 3, covid-19, #5)?"""
    if before.rstrip(" ").endswith(("#", "§")):
        return True
    found = _LAST_WORD.search(before)
    if found is None:
        return False
    word = found.group(1)
    if word.endswith("-"):
        return len(word) <= 6 and word not in _HYPHENATED
    return (
        word.rstrip(".") in _REFERRED_EN
        or _OFFICE_YEAR.search(before) is not None
        or _JIS.search(before) is not None
    )


def hide_word_traps(text: str) -> str:
    """Hide idioms and names that hold a number word."""
    spans = []
    for found in _SIGN.finditer(text):
        idiom = _STARTS[found.group()].match(text, found.start())
        if idiom:
            spans.append(idiom.span())
    text = _without(text, spans)
    text = _LED.sub(_hidden, text)
    if _LATIN.search(text):
        text = _NUMBERED_NOUN.sub(_hidden, _QUARTER.sub(_hidden, text))
        text = _IDIOMS_EN.sub(_hidden, text)
    return text


_LATIN = re.compile("[a-z]{3}")


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


def _hidden(found: re.Match[str]) -> str:
    return "\0" * len(found.group())
