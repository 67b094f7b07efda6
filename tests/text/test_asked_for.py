import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.asked_for import answers_kind, asked_for


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("いつまで返品できますか？", "when"),
        ("申請の締切はいつですか", "when"),
        ("返品期限は？", "when"),
        ("何時から営業していますか", "when"),
        ("When does the sale end?", "when"),
        ("What is the deadline for claims?", "when"),
        ("送料は？", "how_much"),
        ("キャンセル料は何円ですか", "how_much"),
        ("手数料はどのくらいかかりますか", "how_much"),
        ("How much does shipping cost?", "how_much"),
        ("What is the annual fee?", "how_much"),
        ("保証期間はどれくらいですか", "how_long"),
        ("配送には何日かかりますか", "how_long"),
        ("How long is the warranty?", "how_long"),
        ("1人何個まで買えますか", "how_many"),
        ("How many people can attend?", "how_many"),
        ("How much storage do I get?", "how_many"),
        ("割引率は何%ですか", "how_many_percent"),
        ("What percentage is refunded?", "how_many_percent"),
        ("返品できますか？", "yes_no"),
        ("いつでも解約できますか", "yes_no"),
        ("Is a receipt required?", "yes_no"),
        ("When I buy online, can I return in store?", "yes_no"),
        ("どこに連絡すればいいですか", "where"),
        ("Where is the office?", "where"),
        ("誰が承認しますか", "who"),
        ("Who approves expenses?", "who"),
        ("返品の手順を教えてください", None),
        ("なぜ返品できないのですか", None),
        ("How do I return an item?", None),
        ("What happens when I cancel?", None),
        ("", None),
    ],
)
def test_the_kind_a_question_asks_for(question: str, kind: str | None) -> None:
    assert asked_for(question) == kind


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("いつまで返品できますか？", "はい、可能です。"),
        ("送料はいくらですか？", "全国に配送します。"),
        ("定員は何名ですか", "満員になり次第締め切ります。"),
        ("割引率は何%ですか", "会員向けの割引です。"),
        ("When does the sale end?", "The sale offers many products."),
        ("How long is the warranty?", "It covers parts and labor."),
        ("How much does shipping cost?", "We ship worldwide."),
        ("返品できますか？", ""),
        ("返品の手順を教えてください", " 。[1]"),
    ],
)
def test_empty_and_off_kind_answers_do_not_answer(question: str, answer: str) -> None:
    assert answers_kind(question, answer) is False


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("いつまで返品できますか？", "到着後30日以内です。"),
        ("いつまで返品できますか？", "返品はできません。"),
        ("いつ発送されますか", "ご入金を確認してからになります。"),
        ("送料はいくらですか？", "無料です。"),
        ("送料はいくらですか？", "実費をご負担いただきます。"),
        ("返金までどのくらいかかりますか", "3営業日です。"),
        ("定員は何名ですか", "二十名です。"),
        ("What percentage is refunded?", "We refund half."),
        ("When does the sale end?", "It ends on Friday."),
        ("How much does shipping cost?", "It is included."),
        ("返品できますか？", "送料は500円です。"),
    ],
)
def test_rules_never_say_that_an_answer_does_answer(question: str, answer: str) -> None:
    assert answers_kind(question, answer) is None


@pytest.mark.parametrize("answer", ["資料に情報が見当たりません。", "どの地域への配送ですか？"])
def test_abstaining_or_asking_back_is_not_off_kind(answer: str) -> None:
    assert answers_kind("送料はいくらですか？", answer) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_pair_of_texts_is_judged(question: str, answer: str) -> None:
    assert answers_kind(question, answer) in (False, None)
