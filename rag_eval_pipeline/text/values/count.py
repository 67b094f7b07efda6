"""Counts: Japanese counters, and English nouns under the counter a Japanese text would use."""

from __future__ import annotations

_PEOPLE = "人 名 名様 人様 人さま 名さま ユーザー ユーザ 人分 名分"
_COUNTERS = (
    "本 枚 冊 台 桁 社 部 箱 点 種類 ページ 項目 泊 席 室 部屋 歳 問 階 組 着 足 杯 袋 缶 匹 "
    "頭 羽 通 通り 口 口座 票 行 列 段 段階 校 店 店舗 拠点 機種 セット パック ケース 品目 品 "
    "曲 巻 話 便 単位 コマ クラス チーム グループ ファイル フォルダ ライセンス アカウント "
    "画面 ポイント マイル 世帯 棟 戸 軒 株 基 機 隻 両 束 玉 粒 錠 滴 食 皿 膳 章 文 語 単語 "
    "科目 カテゴリ 部門 工程 ステップ 都市 候補 案 区画 包 試合 名義 回線 チャンネル スレッド "
    "レコード リクエスト トークン クリック ダウンロード コイン スタンプ ロット カートン "
    "フロア 市町村 州 脚 切れ"
)
# Written form -> unit. Forms that begin other words carry what must not follow in NOT_BEFORE.
WORDS: dict[str, str] = {
    **dict.fromkeys(_PEOPLE.split(), "人"),
    **dict.fromkeys(("回", "回分", "度"), "回"),
    "件": "件",
    **dict.fromkeys(("個", "つ", "コ", "こ", "ケ", "ヶ", "個口"), "個"),
    **{word: word for word in _COUNTERS.split()},
    **dict.fromkeys(("文字", "字"), "文字"),
    **dict.fromkeys(("才",), "歳"),
    **dict.fromkeys(("種",), "種類"),
    **dict.fromkeys(("頁",), "ページ"),
    **dict.fromkeys(("デバイス", "端末"), "台"),
    **dict.fromkeys(("か所", "カ所", "箇所", "個所", "ケ所"), "か所"),
    **dict.fromkeys(("か国", "カ国", "箇国", "ケ国", "ヶ国"), "か国"),
    "か国語": "か国語", "カ国語": "か国語",
    "階層": "階層", "組織": "組織", "団体": "団体", "人日": "人日", "人月": "人月",
    "人時": "人時", "人工": "人工",
}  # fmt: skip

# A counter followed by one of these is the beginning of another word (3人事部, 2名義).
NOT_BEFORE: dict[str, str] = {
    "人": "事材権員気体口種称格文物類為",
    "名": "前称刺札簿古誉",
    "回": "答収転復帰避線路顧",
    "件": "名",
    "個": "人別性室体",
    "本": "[人社部体件日店文来格名籍拠]|当(?!た)",
    "枚": "挙",
    "台": "風帳所紙湾",
    "社": "員会長内外宅名屋交訓則債団",
    "部": "門署長品屋下会隊族類位活",
    "点": "検数灯字滅線",
    "席": "上順",
    "室": "内外長温",
    "問": "題合い診",
    "階": "級段層",
    "組": "織合み込立",
    "着": "信席手陸払用任目",
    "足": "りらし元",
    "通": "常知信貨勤学過話達例報帳行院訳路念",
    "口": "座頭コ調径",
    "行": "うえいきわっ動政為員事使程方列政",
    "列": "車島",
    "段": "階取差落",
    "段階": "認評",
    "校": "正長則了閲",
    "店": "舗員長頭内",
    "品": "質番目名薬種位",
    "巻": "き頭末",
    "話": "し題す者",
    "便": "利宜箋器覧",
    "種": "類目別子",
    "字": "幕体数句",
    "基": "本準づ礎金盤地調",
    "機": "能器械会種関構密",
    "両": "方者面親立替",
    "戸": "籍建",
    "株": "式主価",
    "食": "べ事品料費堂",
    "文": "書字章化言面献",
    "語": "学句彙",
    "章": "程",
    "度": "合数外々",
    "包": "装括丁含",
    "玉": "石",
    "束": "縛",
    "案": "内件",
    "桁": "違",
    "頭": "金書文部",
    "コ": "ードースメピーン",
    "こ": "とのれこそちん",
    "ケ": "ース月所国年",
    "箱": "根",
    "泊": "ま",
    "セット": "アップ",
    "クラス": "ター",
    "グループ": "ウェア",
    "機種": "変",
    "歳": "出入暮費",
    "缶": "詰",
    "州": "都",
}

_EN: dict[str, str] = {
    "人": (
        "person persons people employee employees member members user users customer customers "
        "guest guests "
        "participant participants adult adults child children staff attendee attendees applicant "
        "applicants worker "
        "workers individual individuals student students passenger passengers patient patients "
        "visitor visitors "
        "resident residents subscriber subscribers dependent dependents dependant dependants "
        "tenant tenants men women "
        "manager managers approver approvers reviewer reviewers administrator administrators "
        "admin admins "
        "interviewer interviewers candidate candidates buyer buyers colleague colleagues "
        "beneficiary beneficiaries "
        "referee referees referrer witness witnesses headcount players player travelers "
        "travellers traveler contractors "
        "contractor volunteers volunteer recipients recipient agents agent engineers"
    ),
    "回": (
        "time times attempt attempts occurrence occurrences login logins retry retries try tries "
        "visit visits "
        "session sessions instalment instalments installment installments payment payments "
        "reschedules changes change "
        "renewals renewal extension extensions occasions occasion revisions revision withdrawals "
        "transfers tries uses "
        "rounds round reminders warnings warning interviews interview downloads"
    ),
    "個": (
        "item items unit units piece pieces product products package packages parcel parcels "
        "article articles "
        "object objects bag bags luggage suitcases suitcase carry-on egg eggs carton cartons goods"
    ),
    "文字": "character characters letter letters char chars",
    "語": "word words",
    "桁": "digit digits",
    "ページ": "page pages",
    "台": (
        "device devices machine machines computer computers vehicle vehicles car cars laptop "
        "laptops monitor monitors terminals screens printers bicycle bicycles phones smartphones "
        "servers server"
    ),
    "部": "copy copies",
    "枚": (
        "sheet sheets photo photos ticket tickets coupon coupons image images card cards slides "
        "slide shirts voucher vouchers plates"
    ),
    "本": "bottle bottles video videos pens umbrella umbrellas",
    "冊": "book books",
    "泊": "night nights",
    "室": "room rooms",
    "席": "seat seats",
    "社": "company companies supplier suppliers vendor vendors firms",
    "件": (
        "case cases request requests order orders record records application applications "
        "inquiry inquiries enquiry "
        "transaction transactions complaint complaints claim claims quote quotes quotations "
        "invoice invoices reservation "
        "reservations booking bookings entry entries result results message messages email "
        "emails notification "
        "notifications incident incidents listing listings review reviews comments references "
        "transactions row"
    ),
    "種類": "type types kind kinds variety varieties",
    "か所": "location locations place places site sites office offices",
    "か国": "country countries",
    "歳": "years old years-old year old year-old years of age",
    "ポイント": "point points",
    "点": "marks",
    "問": "question questions",
    "項目": "field fields",
    "店舗": "store stores shop shops branch branches",
    "箱": "box boxes",
    "組": "pair pairs group groups team teams",
    "階": "floor floors",
    "ファイル": "file files attachment attachments",
    "アカウント": "account accounts",
    "ライセンス": "license licenses licence licences",
    "セット": "set sets",
    "行": "line lines row rows",
    "列": "column columns",
    "杯": "cup cups glass glasses",
    "株": "share shares",
    "トークン": "token tokens",
    "段階": "stage stages step steps",
    "錠": "tablet tablets pill pills",
    "匹": "pet pets dog dogs cat cats",
}
_SEVERAL_WORDS = (
    "years old", "years-old", "year old", "year-old", "years of age", "year olds", "year-olds",
    "years or older", "years and older", "years or over", "years and over", "years or younger",
)  # fmt: skip
ENGLISH_WORDS: dict[str, str] = {
    **{word: unit for unit, words in _EN.items() if unit != "歳" for word in words.split()},
    **dict.fromkeys(_SEVERAL_WORDS, "歳"),
}
