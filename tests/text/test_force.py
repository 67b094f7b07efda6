import pytest

from rag_eval_pipeline.text.force import PLAIN, force, without_marks


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("予約は必要ですか。", "question"),
        ("is a ticket required?", "question"),
        ("返却の可否を確認するため、", "question"),
        ("返却の可否は係が判断します", "question"),
        ("料金をご案内するため、", "question"),
        ("予約の要否は記載がありません", "absent"),
        ("予約が必要かどうかは分かりません", "absent"),
        ("資料には見当たりません", "absent"),
        ("i could not find any information", "absent"),
        ("the fee is not specified", "absent"),
        ("受付へお問い合わせください", "referral"),
        ("please contact support", "referral"),
        ("必要かもしれません", "hedged"),
        ("必要だと思われます", "hedged"),
        ("it is probably free", "hedged"),
        ("entry may be free", "hedged"),
        ("休館する場合があります", "sometimes"),
        ("it is sometimes closed", "sometimes"),
        ("必ず返金します", "always"),
        ("全商品が対象です", "always"),
        ("entry is always free", "always"),
        ("無料とは限りません", "denied"),
        ("無料なわけではありません", "denied"),
        ("その説明は誤りです", "denied"),
        ("it is not true that entry is free", "denied"),
        ("refunds are not guaranteed", "denied"),
        ("会員のみです", "only"),
        ("members only", "only"),
    ],
)
def test_a_mark_is_read(text: str, mark: str) -> None:
    assert getattr(force(text), mark) is True


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("記載がない場合は受け付けません", "absent"),
        ("会員の方にご利用いただけます", "only"),
        ("you may enter", "hedged"),
        ("refunds are not guaranteed", "always"),
        ("ご不明な点はお尋ねください", "absent"),
    ],
)
def test_a_mark_is_not_seen_where_it_is_none(text: str, mark: str) -> None:
    assert getattr(force(text), mark) is False


def test_a_plain_statement_has_no_marks() -> None:
    assert force("入館料は500円です") == force("entry costs five dollars") == PLAIN


def test_denials_and_guards_can_be_blanked() -> None:
    text = "予約は不要かもしれません"
    blanked = without_marks(text)
    assert len(blanked) == len(text)
    assert "ません" not in blanked
    assert "不要" in blanked


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        # Of breakage it is a rule of the warranty.
        ("落下による故障は保証されません", "denied"),
        ("落下による故障は保証される", "always"),
        ("会員だけではなく誰でも使えます", "denied"),
        ("設備が古いため、", "question"),
    ],
)
def test_what_looks_like_a_mark_is_none(text: str, mark: str) -> None:
    assert getattr(force(text), mark) is False


def test_plain_speech_is_one_and_the_same() -> None:
    assert force("予約は要りません") is PLAIN
