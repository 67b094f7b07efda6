import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.status import read_status

OURS = Path(__file__).with_name("behaviour.jsonl")
GIVEN = os.environ.get("RAG_EVAL_TEXT_CASES")


def rows(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(row["text"], row["label"]) for row in map(json.loads, lines)]


def misread(labelled: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    return [
        (text, label, read_status(text).label)
        for text, label in labelled
        if read_status(text).label != label
    ]


def test_the_labelled_rows_are_read_as_people_read_them() -> None:
    assert misread(rows(OURS)) == []


@pytest.mark.skipif(GIVEN is None, reason="RAG_EVAL_TEXT_CASES is not set")
def test_at_least_95_percent_of_the_given_rows_are_read_right() -> None:
    labelled = rows(Path(str(GIVEN)) / "behaviour.jsonl")
    assert len(misread(labelled)) <= 0.05 * len(labelled)


@pytest.mark.parametrize("text", ["", " \n\u3000", "。", "---", "[1]"])
def test_text_without_words_abstains_by_the_rule_empty(text: str) -> None:
    read = read_status(text)
    assert (read.label, read.rule, read.quote, read.mixed) == ("abstain", "empty", None, False)


@pytest.mark.parametrize(
    "text",
    [
        "国内の送料は600円です。海外については記載がありません。",
        "海外については記載がありませんが、国内の送料は600円です。",
        "The fee is 600 yen, but the documents do not mention overseas orders.",
        "I'm not sure about overseas orders. Domestic orders ship for 600 yen.",
    ],
)
def test_partial_help_is_an_answer_marked_mixed(text: str) -> None:
    read = read_status(text)
    assert (read.label, read.mixed, read.rule) == ("answer", True, "partial_help")


@pytest.mark.parametrize(
    "text",
    [
        "海外への配送については記載がありません。詳しくは配送センターへお問い合わせください。",
        "申し訳ありません。資料には国内の配送のみ記載されており、海外については記載がありません。",
        "I couldn't find that. Please contact the travel desk.",
        "The documents only discuss domestic trips. They do not mention trips abroad.",
    ],
)
def test_a_desk_or_what_the_documents_do_hold_is_no_partial_help(text: str) -> None:
    read = read_status(text)
    assert (read.label, read.mixed) == ("abstain", False)


def test_a_question_the_text_itself_answers_is_no_question_back() -> None:
    assert read_status("費用はいくらでしょうか？一律800円です。").label == "answer"
    assert (
        read_status("費用は条件によって異なります。ご住所はどちらでしょうか？").label == "clarify"
    )


def test_a_yes_no_question_after_a_fact_is_politeness_and_one_alone_is_not() -> None:
    assert read_status("年会費は無料です。お申し込みになりますか？").label == "answer"
    assert read_status("ご利用者は学生の方ですか？").label == "clarify"


def test_choices_after_a_question_do_not_answer_it() -> None:
    assert (
        read_status("どの手続きについてでしょうか？\n- 住所の変更\n- 名義の変更").label == "clarify"
    )
    assert read_status("Which one do you mean?\n- Basic plan\n- Team plan").label == "clarify"


def test_what_is_quoted_does_not_speak_for_the_answer() -> None:
    assert read_status("「該当なし」と表示されたら再検索してください。").label == "answer"
    assert read_status('The label "not specified" means standard delivery.').label == "answer"


def test_a_wholly_quoted_answer_is_read() -> None:
    assert read_status("「わかりません。」").label == "abstain"


def test_the_quote_is_the_deciding_clause_as_written() -> None:
    text = "恐れ入ります。「特急便」の料金は　記載がありません [1]。"
    read = read_status(text)
    assert read.quote == "「特急便」の料金は　記載がありません [1]。"
    assert read.quote in text


@pytest.mark.parametrize("mark", ["[1]", "【2†source】", " (出典: fees)"])
def test_citation_marks_change_nothing(mark: str) -> None:
    for text, label in rows(OURS):
        assert read_status(text + mark).label == label, text


def test_a_long_text_is_read_at_both_ends() -> None:
    filler = "手続きは窓口で行います。" * 2000
    assert read_status(filler).label == "answer"
    assert read_status("どの手続きについてでしょうか？" + filler).label == "answer"
    assert read_status(filler + "なお、期限は不明です。").mixed


@given(st.text(max_size=80))
def test_any_text_has_a_status_and_quotes_itself(text: str) -> None:
    read = read_status(text)
    assert read.label in ("answer", "abstain", "clarify")
    assert read.quote is None or read.quote in text
    assert not read.mixed or read.label == "answer"


@pytest.mark.parametrize(
    "piece", ["「", '"', "記載", "資料に", "no ", "if a ", "が、", "\ud800", "?"]
)
def test_hostile_repetition_is_read(piece: str) -> None:
    assert read_status(piece * 50_000).label in ("answer", "abstain", "clarify")
