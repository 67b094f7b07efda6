import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.mention import mentions


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("ご注文金額", "注文金額を教えてください。"),
        ("注文金額", "ご注文の金額はおいくらですか？"),
        ("注文金額", "ご注文の合計金額によって異なります。"),
        ("注文金額", "金額をお知らせください。"),
        ("お届け先", "配送先はどちらですか？"),
        ("配送先", "お届け先の都道府県をお知らせください。"),
        ("購入日", "ご購入はいつですか？"),
        ("購入日", "購入された日を教えてください。"),
        ("申込日", "お申し込みの日はいつですか？"),
        ("雇用形態", "雇用の形態によって異なります。"),
        ("契約プラン", "どのプランをご契約ですか？"),
        ("勤続年数", "何年勤続されていますか？"),
        ("サポート窓口", "サポートセンターにお問い合わせください。"),
        ("サポート窓口", "サポートまでご連絡ください。"),
        ("人事部", "人事担当へご相談ください。"),
        ("人事部", "人事部ではお答えできません。"),
        ("人事部に問い合わせる", "人事部までご連絡ください。"),
        ("注文履歴を確認する", "マイページで注文履歴をご確認ください。"),
        ("ＩＤ番号", "id番号"),
        ("order amount", "What is the amount of your order?"),
        ("order amount", "How much is your order?"),
        ("order date", "When did you place the order?"),
        ("delivery country", "Which country should it be delivered to?"),
        ("contact support", "Please reach out to our support team."),
        ("support desk", "Please contact the support team."),
        ("HR", "Please contact Human Resources."),
        ("IT help desk", "Call the IT helpdesk."),
    ],
)
def test_a_thing_is_named_in_the_words_people_use(phrase: str, text: str) -> None:
    assert mentions(phrase, text)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("注文金額", "送料の金額は500円です。"),
        ("注文金額", "ご注文ありがとうございます。"),
        ("電話番号", "会員番号を教えてください。"),
        ("購入日", "購入後30日以内に返品できます。"),
        ("購入日", "ご購入ありがとうございます。発送日はいつですか？"),
        ("人事部", "人事評価は年2回です。"),
        ("人事部に問い合わせる", "総務部にお問い合わせください。"),
        ("雇用形態", "お住まいはどちらですか？"),
        ("ID", "COVID"),
        ("HR", "THREE days"),
        ("order date", "Your order was shipped."),
        ("contact support", "Contact your manager. The plan includes support."),
        ("", "何か"),
        ("。", "何か。"),
    ],
)
def test_what_is_not_named_is_not_found(phrase: str, text: str) -> None:
    assert not mentions(phrase, text)


WORDS = st.text(alphabet="会員番号住所日付カナab1", min_size=1, max_size=8)


@given(WORDS)
def test_a_phrase_names_itself(phrase: str) -> None:
    assert mentions(phrase, phrase)
    assert mentions(phrase, f"「{phrase}」を教えてください。")


@given(st.text(max_size=20), st.text(max_size=60))
def test_any_texts_can_be_compared(phrase: str, text: str) -> None:
    assert mentions(phrase, text) in (True, False)


@pytest.mark.parametrize("piece", ["注文", "order ", "金額", "a", "\ud800", "。"])
def test_hostile_repetition_is_read(piece: str) -> None:
    assert mentions("注文した金額", piece * 50_000) in (True, False)
    assert mentions("order amount", piece * 50_000) in (True, False)
