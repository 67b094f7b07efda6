"""Words that policy and help texts use for one thing, Japanese and English side by side.

One line is one thing: a name, the Japanese words, the English words and phrases (an indented line
goes on). Only words that are exchangeable in the rules of shops, offices and IT desks are put
together; what is merely related stays apart. A word may stand for several things ("submit"): it
then matches each of them.
"""

from __future__ import annotations

_THINGS = """
SHIPFEE | 送料 配送料 配送費 配送料金 配達料 配送手数料 運賃 輸送費 発送料 | shipping fee,
   shipping cost, shipping charge, delivery fee, delivery charge, delivery cost, postage,
   shipping rate, cost of shipping, cost of delivery
SHIP | 配送 発送 出荷 配達 お届け 届け 届く 届き 輸送 送付 郵送 荷物 お荷物 | parcel, arrive,
   arrival, ship, shipment, shipping, deliver, delivery, dispatch, mail
RETURN | 返品 返却 返送 返す 返し 返せ 返さ 返そ 送り返す 送り返し 送り返せ 送り返さ | send back,
   return
RETURNFEE | 返送料 返送料金 返品送料 | return postage, return shipping fee, return shipping
   cost, return shipping
EXCHANGE | 交換 取り替え 取替え 取替 取り換え | exchange, replace, replacement, swap
REFUND | 返金 払い戻し 払戻し 払戻 返還 | money back, refund, reimburse, reimbursement
CANCEL | キャンセル 取消 取消し 取り消し 解除 | cancel, cancellation, cancelation
TERMINATE | 解約 退会 契約終了 | terminate, termination, unsubscribe
PURCHASE | 購入 お買い上げ 買い上げ 買上げ 買上 お買い求め 注文 ご注文 発注 買い物 | purchase,
   order, buy, bought
RECEIPT | 領収書 領収証 レシート 領収 | receipt
INVOICE | 請求書 インボイス | invoice, bill
PAY | 支払い 支払 お支払い お支払 払い 払 決済 精算 納付 | pay, payment, settle
PAYMETHOD | 支払い方法 支払方法 お支払い方法 お支払方法 決済方法 決済手段 支払手段 支払い手段
   | payment method, method of payment, payment option, form of payment, pay by, payment is
   by, payment by
CARD | クレジットカード クレジット カード | credit card, credit cards, card
TRANSFER | 銀行振込 銀行振り込み 振込 振り込み 口座振込 | bank transfer, wire transfer
COD | 代金引換 代引き 代引 | cash on delivery
CASH | 現金 キャッシュ | cash
CONVENI | コンビニ コンビニエンスストア | convenience store
FEE | 手数料 | handling charge, fee, commission
DISCOUNT | 割引 値引き 値引 割り引き オフ ディスカウント | discount, off, reduction
DISCOUNTRATE | 割引率 値引き率 値引率 | discount rate, rate of discount
POINT | ポイント | point, points
COUPON | クーポン 割引券 | promo code, coupon, voucher
MEMBER | 会員 メンバー | member, membership
SIGNUP | 会員登録 新規登録 登録 サインアップ | sign up, register, registration, enroll,
   enrollment, enrol
APPLY | 申請 申込 申し込み 申込み 申し込 届出 届け出 | apply, application, request, file,
   submit, submission, claim, filing
APPLICANT | 申込者 申し込み者 申請者 応募者 | applicant
SUBMIT | 提出 | hand in, submit, submission
ATTACH | 添付 | attach, attachment, enclose
APPROVE | 承認 許諾 決裁 承諾 | approve, approval, sign-off, authorization, authorisation
BOSS | 上長 上司 所属長 マネージャー マネジャー 管理者 | manager, supervisor, boss, superior,
   line manager
DEPTHEAD | 部長 | department head
EMPLOYEE | 社員 従業員 職員 スタッフ | employee, staff, worker
REGULAR | 正社員 | full-time employee, permanent employee, full-time, regular employee
PARTTIME | パート アルバイト パートタイム 非常勤 | part-time employee, part-time, part-timer,
   part time
CONTRACTOR | 契約社員 派遣社員 業務委託 | contract worker, contractor
EXPENSE | 経費 立替 立替金 | expense, expenses
TRIP | 出張 | business trip, travel, trip, business travel
OVERSEAS | 海外 国外 国際 | overseas, international, abroad, internationally, foreign
DOMESTIC | 国内 | domestic, domestically
REMOTEISLAND | 離島 | remote island, remote islands
OKINAWA | 沖縄 | okinawa
HOKKAIDO | 北海道 | hokkaido
RESIGN | 退職 離職 | leave the company, resign, resignation
JOIN | 入社 採用 雇用開始 | join, hire, hired, hiring
PAIDLEAVE | 有給休暇 年次有給休暇 有休 有給 年休 | paid leave, annual leave, paid vacation,
   pto, vacation, paid time off, paid holiday
LEAVE | 休暇 | leave
SICKLEAVE | 病気休暇 傷病休暇 | sick leave
PARENTAL | 育児休業 育休 育児休暇 | parental leave, childcare leave
MATERNITY | 産休 産前産後休業 | maternity leave
OVERTIME | 残業 時間外労働 時間外勤務 超過勤務 | overtime
REMOTEWORK | テレワーク リモートワーク 在宅勤務 在宅ワーク 在宅 | remote work, work from home,
   telework, telecommuting, working from home, work remotely, working remotely
SALARY | 給与 給料 賃金 | salary, wage, payroll
BONUS | 賞与 ボーナス | bonus
COMMUTE | 通勤 | commute, commuting
COMMUTEPAY | 通勤手当 交通費 通勤費 | commuting allowance, commuter allowance, commuting
   expenses, transportation expenses, travel expenses
PARKING | 駐車場 パーキング | parking lot, parking, car park
PASSWORD | パスワード 暗証番号 | password, passcode
MFA | 多要素認証 二要素認証 2要素認証 二段階認証 2段階認証 ワンタイムパスワード | multi-factor
   authentication, two-factor authentication, mfa, 2fa, two-step verification
ACCOUNT | アカウント | account
LOGIN | ログイン サインイン | log in, login, sign in, log-in, logon
LOCK | ロック | lock, locked
RESET | リセット 再設定 初期化 | reset
CHANGE | 変更 修正 改める 切り替え | change, modify, modification, edit, update, switch
USER | ユーザー ユーザ 利用者 | user
DEVICE | 端末 デバイス 機器 | device
PC | パソコン コンピューター コンピュータ ノートpc | pc, laptop, computer
PHONE | 携帯電話 スマートフォン スマホ | smartphone, mobile phone, cell phone
TELEPHONE | 電話 | telephone, phone
EMAIL | メール 電子メール eメール | email, e-mail, mail
APP | アプリ アプリケーション | app
BACKUP | バックアップ | back up, backup
DELETE | 削除 消去 抹消 | delete, erase, remove, deletion, removal
STORE | 保存 保管 保持 | retain, retention, keep, kept, store, storage
SHARE | 共有 | share, sharing
BORROW | 貸与 貸出 貸し出し 貸出し 借り 借りる 貸す | lend, loan, borrow
TAKEOUT | 持ち出し 持出し 持出 | take out
USEDGOODS | 使用済み 使用済 使用後 使用した 中古 | used item, used product, used goods, used
   merchandise, used clothing, worn item
UNUSED | 未使用 | unused, unworn
UNOPENED | 未開封 | unopened, sealed
OPENED | 開封済み 開封済 開封後 開封した 開封 | opened, opened package, opened item
DEFECT | 不良品 不良 初期不良 欠陥 欠陥品 破損 破損品 故障 | defective, defect, faulty,
   damaged, damage, broken
SALEITEM | セール品 セール商品 セール対象品 特価品 | sale item, clearance item, sale product,
   discounted item
GIFT | ギフト 贈り物 プレゼント | gift
WRAP | ラッピング 包装 | wrap, wrapping
WARRANTY | 保証期間 品質保証 製品保証 | warranty
REPAIR | 修理 補修 | repair
STOCK | 在庫 | stock, inventory
PREORDER | 予約注文 予約商品 | pre-order, preorder
RESERVE | 予約 | reservation, reserve, booking, book
RECEIVE | 受け取り 受取り 受取 受け取 受領 | receipt of, receive
ARRIVE | 到着 着荷 届い 届く 届き 届け お届け お手元に届 商品到着 | arrive, arrival, deliver,
   delivery
HOURS | 営業時間 受付時間 開館時間 開店時間 利用時間 対応時間 | business hours, opening hours,
   office hours, operating hours, hours of operation, store hours, support hours, hours
OPENDAY | 営業日 | business day
CLOSEDDAY | 定休日 休業日 休館日 | closed day, regular holiday
HOLIDAY | 祝日 祭日 | public holiday, national holiday, holidays, holiday
WEEKEND | 土日 週末 土曜と日曜 土曜日と日曜日 土曜・日曜 土曜日・日曜日 土・日 土曜日、日曜日
   土曜、日曜 | weekend,
   weekends
WEEKDAY | 平日 | weekday, weekdays
SUPPORT | サポート サポート窓口 お客様窓口 カスタマーサポート カスタマーサービス | customer
   support, customer service, support
CONTACT | 問い合わせ 問合せ 問い合せ 問合わせ お問い合わせ 連絡 相談 申し出 申出 | contact,
   inquire, inquiry, enquiry
CHECK | 確認 参照 | check, confirm, verify, refer, see
COMPANY | 会社 企業 | company, employer
LEGALENTITY | 法人 | corporate, corporation
INDIVIDUAL | 個人 | individual
STUDENT | 学生 | student
MINOR | 未成年 未成年者 | minor, minors, underage
ADULT | 成人 大人 | adult
CHILD | 子供 子ども こども 小人 | child, children
GUARDIAN | 保護者 親権者 | guardian, parent
ID | 身分証 身分証明書 本人確認書類 本人確認 | id card, identification, identity document,
   proof of identity, photo id
SEAL | 印鑑 押印 捺印 ハンコ はんこ | seal, stamp
SIGN | 署名 サイン | signature, sign
DOCUMENT | 書類 文書 資料 | document, documents, paperwork
FORM | 申請書 申込書 様式 用紙 書式 | application form, form
CERTIFICATE | 証明書 証書 | certificate, proof
MEDICALCERT | 診断書 | medical certificate, doctor's note, doctor's certificate
ONLINE | オンライン ネット インターネット ウェブ | web, online, internet, website
INSTORE | 店頭 店舗 実店舗 | in store, in-store, shop, store
EFFECTIVE | 施行 発効 適用開始 | take effect, effective, come into force, enter into force, in
   force, takes effect, took effect
REVISE | 改定 改訂 改正 | revise, revision, amend, amendment
START | 開始 スタート | start, begin, commence, launch
END | 終了 | end, finish, conclude
DEADLINE | 期限 締切 締め切り 締切り 締め切 しめきり 〆切 期日 | due date, deadline, time
   limit, cutoff, due
PERIOD | 期間 | period, term
PROBATION | 試用期間 | probation, probationary period, probation period
CONTRACT | 契約 | contract, agreement
RENEW | 更新 | renew, renewal
YEARLY | 年額 年払い 毎年 | annual, yearly, per year, every year, each year
MONTHLY | 月額 月払い 月々 毎月 | monthly, per month, every month, each month
AUTO | 自動 自動的 | auto, automatic, automatically
ACCOMPANY | 同伴 お連れ 連れ 同行 | accompany, bring along
PRIZE | 景品 賞品 | prize
TRIAL | トライアル お試し 試用 無料体験 | trial
NOTICE | 通知 告知 お知らせ 事前通知 | notice, notify, notification
TRAINING | 研修 | training
EXAM | 試験 検定 | exam, examination, test
HEALTHCHECK | 健康診断 | health checkup, medical checkup, health check, medical examination
INSURANCE | 保険 | insurance
TAX | 税 税金 消費税 | tax
PETS | ペット | pet, pets
SMOKE | 喫煙 たばこ タバコ 煙草 | smoke, smoking
FOOD | 飲食 食事 | food, eat, eating, meal
PHOTO | 撮影 写真撮影 | photography, take photo, photo
THIRDPARTY | 第三者 | third party
PROVIDE | 提供 開示 | provide, disclose, disclosure
PERSONALDATA | 個人情報 | personal information, personal data
COPY | コピー 複写 複製 写し | copy, copies, duplicate
ORIGINAL | 原本 | original
RESALE | 転売 再販 再販売 | resale, resell
TRANSFERABLE | 譲渡 | transfer, assign
COMBINE | 併用 同時利用 組み合わせ | used together, combine, combined
INSTALLMENT | 分割払い 分割 | installment, instalment, installments
LUMPSUM | 一括払い 一括 | lump sum, single payment
EVIDENCE | 証憑 証拠書類 | supporting document, documentation
AGE | 年齢 | age
ADDRESS | 住所 お届け先 配送先 届け先 | address
SEATCLASS | グリーン車 ビジネスクラス | business class
TAXI | タクシー | taxi, cab
SHINKANSEN | 新幹線 | bullet train, shinkansen
HOTEL | ホテル 宿泊 | hotel, accommodation, lodging
PERDIEM | 日当 | per diem, daily allowance
SIDEJOB | 副業 兼業 | side job, second job, outside employment, side business
ENTRY | 入場 入館 入室 | entry, admission, entrance
VISITOR | 来訪者 来客 訪問者 | visitor, guest
"""

_SIBLINGS = """
OVERSEAS DOMESTIC
OVERSEAS OKINAWA HOKKAIDO REMOTEISLAND
USEDGOODS UNUSED
OPENED UNOPENED
LEGALENTITY INDIVIDUAL
REGULAR PARTTIME CONTRACTOR
MINOR ADULT CHILD
ONLINE INSTORE
WEEKDAY WEEKEND HOLIDAY
COPY ORIGINAL
INSTALLMENT LUMPSUM
JOIN RESIGN
YEARLY MONTHLY
START END
TELEPHONE EMAIL
"""

_GENERIC_JA = """
商品 製品 品物 場合 以内 期限 期間 方法 時間 時刻 日時 対象 利用 使用 客様 お客様 当社 弊社 当店
当方 必要 可能 金額 費用 料金 上記 以下 下記 次 規定 規程 規則 定 定め 内容 際 時 後 前 中 旨 等
各 全 全て 必 必ず 日 月 年 回 数 率 額 事 物 者 方 人 分 間 点 件 通 別 他 全員 皆様 原則 基本
通常 現在 今 本 当 同 行 行い 行う 得 実施 対応 受付 受 承 取 扱 取扱 取り扱い 設定 指定 条件
手続 手続き 処理 場所 回数 最大 最低 最高 上限 下限 合計 総額 全額 一部 種類 結果 状態 状況 理由
情報 記載 記 入 入力 出 付 持 用 用意 為 所定 有無 範囲 単位 目安 下 上 内 外 計算 発生 負担
施行日 税込 税抜 消費 開始 有効 利用月 月分 当月 毎月 翌月 毎年 期日 締切 案内 ケース サービス
タイミング ルール ポリシー こと 済 済み 込 差 様 枚 個 名 歳 円 週 秒 曜日 日間 年間 月間 週間
営業 営業日 年度 以上 未満 超 起算 数え 最長 最短 最少 最多 最小 最終 実際 人数 パーセント ドル
ユーロ キロ グラム メートル センチ ミリ リットル トン ページ ヶ月 カ月 箇月 個月 ヵ月 半年 半分
一律 一人 誰 皆 可能性 保証 誤り 誤 間違い 間違 常 絶対 限 断定 断言 見込 見込み 不可 対象外
禁止 不要 必須 任意 無料 有料 有償 無償 例外 除 形 用件 事実 無条件 同様 同じ 別途 異 違 変 含
営 休 今後 従来 以前 以降 当該 各種 大変 申 訳 申し訳 恐 恐縮 存 思 考 認 許 断 控
何度 何回 何個 何枚 何人
"""

_GENERIC_EN = """
dollar yen euro percent kg gram usd jpy eur item product good thing case time day month year
week hour minute number method way policy rule term condition amount cost price fee charge rate
period date deadline customer user january february march april june july august september
october november december person people we you your our it they the business within following
next each every per total maximum minimum least most up limit detail information service process
use available option type kind follow apply application make made take get have be do will shall
please only also need require receive after before from until by between during guarantee always
necessarily probably true false statement say state mean correct incorrect wrong myth sorry
thank valid cover offer accept allow permit support able eligible possible cannot free however
complete undergo last lasting run continue give set keep exception regular normal standard
currently current full must can carry come long old tall wide
"""

_IRREGULAR = """
paid pay, sent send, made make, given give, gave give, taken take, took take, sold sell, held hold,
wrote write, written write, chosen choose, chose choose, lent lend, lost lose, shown show,
brought bring, spent spend, found find, broken break, broke break, got get, worn wear,
children child
"""


def _things() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    named = {}
    for line in _THINGS.replace("\n   ", " ").strip().splitlines():
        name, japanese, english = line.split("|")
        phrases = tuple(part.strip() for part in english.split(",") if part.strip())
        named[name.strip()] = (tuple(japanese.split()), phrases)
    return named


def _siblings() -> dict[str, frozenset[str]]:
    others: dict[str, frozenset[str]] = {}
    for line in _SIBLINGS.strip().splitlines():
        names = frozenset(line.split())
        for name in names:
            others[name] = others.get(name, frozenset()) | (names - {name})
    return others


THINGS = _things()
"""Name of a thing → its Japanese words, its English words and phrases."""

SIBLINGS = _siblings()
"""Name of a thing → the things that stand in its place in another rule (domestic, overseas)."""

GENERIC_JA = frozenset(_GENERIC_JA.split())
"""Japanese words that name no topic: a rule about them is a rule about what stands beside them."""

GENERIC_EN = frozenset(_GENERIC_EN.split())
"""English words that name no topic."""

IRREGULAR = {form.split()[0]: form.split()[1] for form in _IRREGULAR.split(",")}
"""English forms that no ending tells → the word they are of."""
