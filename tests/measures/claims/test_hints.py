import pytest

from rag_eval_pipeline.measures.claims.claim import Claim
from rag_eval_pipeline.measures.claims.verdict import verdict


def test_a_wording_of_the_author_is_enough() -> None:
    claim = Claim("連絡先を案内する", any_of=("総務課", "general affairs"))
    assert verdict(claim, "受付は1階です。").label == "undecided"
    told = verdict(claim, "総務課までお越しください。")
    assert (told.label, told.rule, told.quote) == (
        "supported",
        "hint",
        "総務課までお越しください。",
    )


@pytest.mark.parametrize(
    "text",
    [
        "総務課では受け付けておりません。",
        "「総務課で受け付けます」という案内は誤りです。",
        "総務課でしょうか？",
        "総務課かもしれません。",
        "総務課かどうかは確認できません。",
    ],
)
def test_a_wording_that_is_not_asserted_is_not_enough(text: str) -> None:
    assert verdict(Claim("連絡先を案内する", any_of=("総務課",)), text).label == "undecided"


def test_values_must_all_be_there() -> None:
    claim = Claim("会議室の条件を伝える", values=("8名", "2時間"))
    assert verdict(claim, "定員は八名、利用は2時間です。").label == "supported"
    assert verdict(claim, "定員は8名です。").label == "undecided"
    assert verdict(claim, "定員は8名、利用は3時間です。").label != "supported"


def test_a_missing_value_withdraws_support() -> None:
    claim = Claim("会議室は予約が必要", values=("8名",))
    told = verdict(claim, "会議室は予約が必要です。")
    assert (told.label, told.rule) == ("undecided", "hint_missing")


def test_a_wording_ruled_out_contradicts_where_it_is_asserted() -> None:
    claim = Claim("会議室は予約が必要", not_any_of=("先着順",))
    told = verdict(claim, "会議室は予約が必要です。空室は先着順です。")
    assert (told.label, told.rule) == ("contradicted", "hint_not")
    assert verdict(claim, "会議室は予約が必要です。先着順ではありません。").label == "supported"
