"""Idioms and names that hold a number word: 一般, 十分, one of, first come, first served."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KANJI_NUMBER = "〇一二三四五六七八九十百千"
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
SIGN = re.compile(rf"[{_KANJI_NUMBER}万億]")
# Idioms in which something else comes before the number sign.
LED = re.compile(
    "|".join(f"{sign}[十百千万億兆]{{1,3}}" for sign in "数何幾")
    + "|第[一二三四五六](?!営業|回|日|週|月|四|平日|稼働|[0-9]|章|条)"
    "|ひとりひとり|ひとつひとつ|ひと(?:つ|り)も(?=な|あり|ご|受|行|い|し|出)"
    "|もう(?:一つ|ひとつ)|いま(?:一度|ひとつ)|今一[度つ]"
    "|の(?:一つ|ひとつ|1つ|一人|ひとり)(?=で|に|と(?!も)|が|は|を|。|、|も|$)"
    "|半期|廿日市|東証[一二]部|" + "|".join(f"{sign}一" for sign in "唯随統単均同択逐画専不")
)
ENGLISH = re.compile(
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
# Without one of these words no English idiom stands in a text.
_LISTED = (
    "one two three four five six seven eight nine ten sixes nines first second third zero fifty "
    "hundred thousand million billion dozen once catch"
)
WORDS = frozenset(_LISTED.split())


def japanese(text: str) -> Iterator[tuple[int, int]]:
    """Spans of idioms that begin with a number sign."""
    for sign in SIGN.finditer(text):
        idiom = _STARTS[sign.group()].match(text, sign.start())
        if idiom:
            yield idiom.span()
