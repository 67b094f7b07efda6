import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.clauses import clauses


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("入館は無料です。予約は不要！本当？", ["入館は無料です。", "予約は不要！", "本当？"]),
        ("係は「席はない。」と言う。次へ", ["係は「席はない。」と言う。", "次へ"]),
        ("係は（例。これ）です。", ["係は（例。これ）です。"]),
        ("「閉じない。次の文。", ["「閉じない。", "次の文。"]),
        ("# 案内\n- 無料\n1. 申請する\n・予約", ["案内", "無料", "申請する", "予約"]),
        ("| 階 | 室 |\n|---|---|\n| 2 | 会議室 |", ["| 階 | 室 |", "| 2 | 会議室 |"]),
        (
            "It weighs 1.5 kg. See e.g. a.txt, No. 5.",
            ["It weighs 1.5 kg.", "See e.g. a.txt, No. 5."],
        ),
        ("No. Seats are free.", ["No.", "Seats are free."]),
        ("We close at 5 p.m. Then we leave.", ["We close at 5 p.m.", "Then we leave."]),
        ("Ask Dr. Ito. Thanks!", ["Ask Dr. Ito.", "Thanks!"]),
        ('"Seats are free." That is false.', ['"Seats are free."', "That is false."]),
        ('The note "Seats are free." is false.', ['The note "Seats are free." is false.']),
        ("See https://example.org/a?b=c. Bye", ["See https://example.org/a?b=c.", "Bye"]),
        ("料金は２．５倍です．次", ["料金は２．５倍です．", "次"]),
        ("!!!\n---\n", []),
        ("", []),
    ],
)
def test_text_is_split_into_clauses(text: str, pieces: list[str]) -> None:
    assert [clause.text for clause in clauses(text)] == pieces


def test_a_clause_that_is_only_a_quotation_is_marked() -> None:
    assert [clause.quoted for clause in clauses("「席はない。」\n係は「席はない」と言う。")] == [
        True,
        False,
    ]


@given(st.text(max_size=200))
def test_clauses_stand_in_order_where_they_say(text: str) -> None:
    upto = 0
    for clause in clauses(text):
        assert clause.start >= upto
        assert clause.text == text[clause.start : clause.end] == clause.text.strip()
        upto = clause.end


@given(st.text(alphabet="あア亜aA1。.「」（）()\"'!?\n -*|", max_size=80))
def test_no_word_is_lost(text: str) -> None:
    kept = "".join(clause.text for clause in clauses(text))
    words = [character for character in text if character in "あア亜aA"]
    assert [character for character in kept if character in "あア亜aA"] == words


@pytest.mark.parametrize("part", ["「", "(", '"', "a. ", "。", "- ", "|", "\ud800", ".", "（）"])
def test_long_hostile_text_is_split(part: str) -> None:
    text = part * (200_000 // len(part))
    assert sum(len(clause.text) for clause in clauses(text)) <= len(text)
