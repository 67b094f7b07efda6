"""Claims that are a value and nothing else, as accepted answers of a minimal dataset are."""

import pytest

from rag_eval_pipeline.measures.claims.verdict import Claim, verdict

FEE = "離島への3000円の荷物の送料は？"


@pytest.mark.parametrize(
    ("claim", "answer", "question", "label"),
    [
        ("700円", "７００円です", FEE, "supported"),
        ("700円", "送料は七百 円となります。", FEE, "supported"),
        ("700円", "700 円（税込）", FEE, "supported"),
        ("700円", "送料は7000円です。", FEE, "contradicted"),
        ("700円", "1,700円", FEE, "contradicted"),
        ("700円", "送料は無料です。", FEE, "contradicted"),
        ("700円", "送料は700円ではありません。", FEE, "contradicted"),
        ("700円", "3,000円の荷物の送料は700円です。手数料は200円です。", FEE, "supported"),
        ("700円", "梱包料は200円です。", FEE, "undecided"),
        ("700円", "送料は700円かもしれません。", FEE, "undecided"),
        ("700円", "3,000円の荷物ですね。担当が確認します。", FEE, "undecided"),
        ("700円", "資料に記載がありません。", FEE, "undecided"),
        ("700円", "٧٠٠円", FEE, "undecided"),
        ("3営業日以内", "三営業日以内に発送します。", "発送はいつですか", "supported"),
        ("18時", "閉館は18:00です。", None, "supported"),
        ("18時", "閉館は17時です。", None, "contradicted"),
        ("$8", "Shipping is 8 dollars.", "How much is shipping?", "supported"),
        ("$8", "Shipping is $9.", "How much is shipping?", "contradicted"),
    ],
)
def test_a_bare_value_takes_the_topic_of_the_question(
    claim: str, answer: str, question: str | None, label: str
) -> None:
    assert verdict(Claim(claim), answer, question).label == label


def test_another_value_of_another_topic_is_no_mention_in_full() -> None:
    assert verdict(Claim("700円"), "梱包料は200円です。", FEE).mention == "partial"
