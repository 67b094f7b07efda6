"""Japanese predicates that have an opposite (`polarity`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_eval_pipeline.text.predicate import Axis, Predicate, blank


@dataclass(frozen=True, slots=True)
class _Turn:
    """A word or turn of phrase. `holds`: without one of these parts the pattern cannot match."""

    axis: Axis
    sign: int
    pattern: re.Pattern[str]
    holds: tuple[str, ...] = ()
    asks: bool = False


def _turn(
    axis: Axis, sign: int, pattern: str, *, holds: tuple[str, ...] = (), asks: bool = False
) -> _Turn:
    return _Turn(axis, sign, re.compile(pattern), holds, asks)


_CANNOT = (
    "(?:でき(?:ません|ない|かね|ず)|(?:いただけ|頂け|られ|認め|受け付け|承れ|承り"
    "|使え|返せ|え|め|け)"
    "(?:ておりま|ていま|て)?(?:せん|ません|ない|かね)|不可(?!欠)|対象外|お?断り"
    "|禁止|無効)"
)
_CAN = (
    "(?:でき(?:ます|る|て|ま)|可能(?!性)|可(?=です|と|$|。|、)|いただけ(?:ます|る)"
    "|頂け(?:ます|る)|ok|大丈夫|問題(?:あり|ござい)ません|(?:かま|構)いません)"
)
_FEE = "(?:料|費|費用|代|代金|料金|手数料|金|コスト)"

# Whole turns of phrase, tried first: each is blanked before single words are looked for.
_PHRASES: tuple[_Turn, ...] = (
    _turn(
        "need",
        1,
        "(?:なければ|なくては|ないと|ねば|なきゃ)(?:なりません|ならない|ならず|なら"
        "|いけません|いけない|いけ)",
        holds=(
            "なけれ",
            "なくて",
            "ないと",
            "ねば",
            "なきゃ",
        ),
    ),
    _turn(
        "need",
        -1,
        "(?:が|は|の|を)?(?:なくて|無くて|しなくて|せず|ずと)も[^。、\x1f]{0,16}?"
        f"(?:よい|良い|いい|結構|よろし|{_CAN}|差し支え)[ぁ-ん]{{0,6}}",
        holds=(
            "なくても",
            "無くても",
            "せずも",
            "ずとも",
        ),
    ),
    _turn(
        "need",
        1,
        f"(?:なし|無し)(?:で|に|の)は?[^。\x1f]{{0,20}}?{_CANNOT}[ぁ-ん]{{0,4}}",
        holds=(
            "なし",
            "無し",
        ),
    ),
    _turn(
        "need",
        -1,
        f"(?:(?:なし|無し)(?:で|でも|に)"
        f"|(?<=[可認意絡請告知])なく|(?<=[わさせい経])ずに?)(?=[^。\x1f]{{0,20}}?(?:{_CAN}|し?て?い?ます|る$))",
        holds=(
            "なし",
            "無し",
            "なく",
        ),
    ),
    _turn(
        "need",
        1,
        "(?:が|の|は|を)?(?:し|提出し|いただか|得|出さ|受け)?(?:ない|無い|なければ|なき"
        "|ていない)(?:場合|限り|と|時|とき|際|もの)?"
        f"[^。\x1f]{{0,30}}?(?:{_CANNOT}[ぁ-ん]{{0,4}}|ません)",
        holds=(
            "ない",
            "無い",
            "なければ",
            "なき",
        ),
    ),
    _turn(
        "need",
        1,
        "(?:を|の)?(?:得て|得た|取って|取った|経て|経た|済ませて|受けて|受けた)(?:から"
        "|上で|うえで|のち|後に?|の上)?"
        "(?=[^。\x1f]{0,40}?(?:ください|下さい|ます|お願い|願い|すること|する))",
        holds=(
            "得",
            "取っ",
            "経",
            "済ま",
            "受け",
        ),
        asks=True,
    ),
    _turn(
        "need",
        1,
        "(?:て|で)から(?=[^。\x1f]{0,40}?(?:ください|下さい|お願い|願い|ます|る$|す$))",
        holds=("から",),
        asks=True,
    ),
    _turn(
        "charge",
        -1,
        f"{_FEE}(?:は|が|も|を)?(?:一切|全く|特に)?(?:不要|なし|無し|必要(?:は"
        f"|も)?(?:ありません|ない|なし|ございません)"
        "|(?:いただ|頂|頂戴し|申し受け|徴収し|請求し|取)(?:きま|いておりま|いていま"
        "|ておりま|ていま|ま|か)?(?:せん|ない)|0円|ゼロ)",
        holds=(
            "料",
            "費",
            "代",
            "金",
            "コスト",
        ),
    ),
    _turn(
        "charge",
        1,
        f"{_FEE}(?:は|が|も|を)?別?途?(?:が|を)?(?:必要|(?:いただ|頂)(?:きます|く|いて)"
        f"|頂戴|申し受け|徴収|請求)",
        holds=(
            "料",
            "費",
            "代",
            "金",
            "コスト",
        ),
    ),
    _turn(
        "charge",
        1,
        f"{_FEE}(?:は|が|も)?別途?(?:です|とな|にな)",
        holds=(
            "料",
            "費",
            "代",
            "金",
            "コスト",
        ),
    ),
    _turn(
        "bear",
        1,
        "(?:お客様|お客さま|客様|客|ご自身|購入者|買い?主|自己|利用者|申込者|借主|本人|注文者"
        "|お申込者|各自|受取人|消費者|申請者|契約者)"
        "(?:側)?(?:の|が|に|にて|で|に?は)?(?:全額)?(?:ご|お)?(?:負担"
        "|支払い)[ぁ-ん]{0,12}",
        holds=(
            "負担",
            "支払い",
        ),
    ),
    _turn(
        "bear",
        -1,
        "(?:当社|弊社|当店|会社|当方|ショップ|店舗|店|運営|販売者|売主"
        "|企業)(?:側)?(?:の|が|にて|で|に)?(?:全額)?"
        "(?:ご)?負担[ぁ-ん]{0,12}",
        holds=("負担",),
    ),
    _turn(
        "bear",
        1,
        "ご負担(?:ください|下さい|いただ|願|とな|をお願い|になり)[ぁ-ん]{0,8}",
        holds=("ご負担",),
    ),
    _turn(
        "do",
        -1,
        "ないで(?:ください|下さい)|ない(?:で)?よう(?:に|お願い|ご)|ないこと(?=$|。|と)"
        "|ことはありません",
        holds=(
            "ない",
            "こと",
        ),
    ),
    _turn(
        "same",
        1,
        "(?:変わ(?:り|ら)|違い|差|差異|相違|区別)(?:は|が|も)?(?:あり|ござい)?(?:ません"
        "|ない|ありません|なし|なく)",
        holds=(
            "変わ",
            "違い",
            "差",
            "相違",
            "区別",
        ),
    ),
    _turn("need", 1, "欠かせ(?:ません|ない|ず)", holds=("欠かせ",)),
    _turn(
        "do",
        1,
        "(?:かま|構)い(?:ません|ない)|(?:差し支え|差支え|問題)(?:は)?(?:あり"
        "|ござい)?(?:ません|ない|なく|なし)",
        holds=(
            "かま",
            "構",
            "差し支え",
            "差支え",
            "問題",
        ),
    ),
)

# Single words: their sign is turned by a negation in the kana behind them.
_WORDS: tuple[_Turn, ...] = (
    _turn(
        "need",
        1,
        "必要|必須|不可欠|義務|要件(?=です|とな|とし|であ)"
        "|(?<![不必重主概需法])要(?=する|します|しま|です$)|求められ|求めて"
        "|(?:条件|前提)(?=です|とな|とし|であ|に)",
    ),
    _turn("need", -1, "不要|任意|免除|省略|不問"),
    _turn(
        "need",
        1,
        "(?:要り|(?<![ぁ-ん])いり)(?=ます|ません)|(?<=[がはも])いら(?=ない|ず)|要ら(?=ない|ず)",
    ),
    _turn("charge", -1, "無料|無償|フリー(?=です)|0円(?=です|で$)"),
    _turn("charge", 1, "有料|有償"),
    _turn(
        "charge",
        1,
        "(?:かか(?=り|る|ら|っ)|掛か(?=り|る|ら|っ)|発生(?=し|する|い|は)|課金|徴収|課され|加算)",
    ),
    _turn(
        "include",
        1,
        # 送料込み, but no 申し込み.
        "含(?=ま|み|む|め|ん)|(?<![しちびりきいみえけげせ振申見])込(?:み(?!入)|(?=です|$))",
    ),
    _turn("include", -1, "除外|別売り?|別料金"),
    _turn("same", 1, "同じ|同一|同様|共通|等しい|一律"),
    _turn("same", -1, "異な|違(?=い|う|っ|わ)|別(?=の|です|々|に[あ定設])|個別"),
    _turn("open", 1, "営業(?=し|です|いた|中|して|を行|する|とな)|開館|開店"),
    _turn("open", -1, "(?<![児護後])休業|定休|休館|閉店|閉館|休み(?=です|で|と|を|に|$|。|、)"),
    _turn(
        "do",
        -1,
        "除き(?=ます)|除く$|除かれ|対象から外|不可(?!欠|能|避)|不可能|禁止|禁じ|対象外"
        "|適用外|お?断り|断って|厳禁|(?<![a-z])ng(?![a-z])|非対応|未対応"
        "|遠慮|控え(?=て|く)|対応外|補償外|保証外|範囲外|やめ(?=て|る)|廃止|中止|失効"
        "|無効|取りやめ|拒否|非公開|品切れ?|売り?切れ|欠品|満席|満室|切れ(?=て|です|と"
        "|$)",
    ),
    _turn(
        "do",
        1,
        "でき(?!る限り|るだけ|上が|あが|次第)|出来(?=ま|る|な)|可能(?!性)|可(?=です|と"
        "|$|。|、|」|）|\\))|いただけ|頂け|受け付け|受付(?=て|し|い|可|ま|を行)"
        "|承(?=っ|り|る)|対応(?=し|い|でき|可|て|とな)|認め|許可(?=し|さ|いた)|許され"
        "|対象(?=です|と|に(?:な|含)|で(?:す|あ)|内)"
        "|適用(?=さ|し|い|対|可|とな)|支給(?=さ|し|い|とな)|(?<![a-z])ok(?![a-z])"
        "|大丈夫|付与|実施|提供|設け|用意|付属|有効(?!期)|開催(?=し|いた|され|です|$)|決行",
    ),
    _turn(
        "do",
        1,
        "(?<=[がはもの])(?:あり(?=ます|ません)|ござい(?=ま)|ある(?=$|。|、|ため|ので|が|と|こと))",
    ),
    _turn(
        "do",
        -1,
        "(?:(?<=[がはも])な(?:い|く)(?=$|。|、|です|ため|ので|が|と|、)|なし(?=です|$"
        "|。|、|と)|無し|無(?=$|。))",
    ),
)
_REFUSES = re.compile("かね(?=ま|る|て)")
_ASKS_JA = re.compile(
    "(?:ください|下さい|くださ|お願い(?:し|いた|申|で|$)|願い(?:ます|いたし)"
    "|ものとする|べき(?=で|だ|$)|こと(?=$|。))"
)
_KANA = re.compile("[ぁ-んー]*(?:致し|出来|頂|上げ|切れ|言|有り|無い)?[ぁ-ん]*")
_NEGATION_JA = re.compile(
    "ません(?:でした)?|(?:(?<=[^少危])ない(?!し(?=は|、))|なかっ|なく(?!なる前)"
    "|ざる|ぬ(?=$)|ず(?=$|に|、|とも)|無い|かね(?=ま|る|て))"
)
_ENDS_NEGATIVE = re.compile(
    "(?:ません(?:でした)?|ない|なかった|ず|ぬ|なく)(?=[。、!！]?$|です|が$|が、"
    "|ので|ため|と|けど|けれど|し$|もの|、|$)"
)


_MONEY_WORD = re.compile(f"{_FEE}|円|無料|有料|￥|¥|\\$|ドル")


def japanese(text: str) -> list[Predicate]:
    """Predicates of a Japanese segment; at least one on the axis `do`."""
    found: list[Predicate] = []
    rest = text
    for turn in _PHRASES:
        if not any(part in rest for part in turn.holds):
            continue
        for match in turn.pattern.finditer(rest):
            found.append(Predicate(turn.axis, turn.sign, *match.span(), asks=turn.asks))
            rest = blank(rest, *match.span())
    about_money = _MONEY_WORD.search(text) is not None
    for turn in _WORDS:
        for match in turn.pattern.finditer(rest):
            start, end = match.span()
            if turn.axis == "charge" and match.group()[0] in "か掛発加課徴" and not about_money:
                continue
            kana = _KANA.match(rest, end, min(end + 24, len(rest)))
            upto = kana.end() if kana is not None else end
            turned = len(_NEGATION_JA.findall(rest, end, upto)) % 2
            found.append(Predicate(turn.axis, -turn.sign if turned else turn.sign, start, upto))
            rest = blank(rest, start, upto if turned else end)
    found.extend(Predicate("do", -1, *match.span()) for match in _REFUSES.finditer(rest))
    found.extend(
        Predicate("need", 1, *match.span(), weak=True, asks=True)
        for match in _ASKS_JA.finditer(rest)
    )
    negative = _ENDS_NEGATIVE.search(rest)
    if negative is not None:
        found.append(Predicate("do", -1, negative.start(), negative.end(), weak=True))
    elif not any(predicate.axis == "do" for predicate in found):
        found.append(Predicate("do", 1, len(text), len(text), weak=True))
    return found
