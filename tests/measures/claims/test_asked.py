"""What a question lends to claims and texts: in which part, and which facts of the case."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.measures.claims.asked import Asked, asked_of
from rag_eval_pipeline.measures.claims.claim import Claim
from rag_eval_pipeline.measures.claims.verdict import verdict
from rag_eval_pipeline.text.topic import Term, terms
from rag_eval_pipeline.text.values import values


def word(text: str) -> Term:
    (term,) = terms(text)
    return term


def meets(asked: Asked, text: str) -> bool:
    (value,) = values(text)
    return asked.meets(value)


def rules_out(asked: Asked, text: str) -> bool:
    (value,) = values(text)
    return asked.rules_out(value)


@pytest.mark.parametrize(
    ("question", "one", "other", "apart"),
    [
        ("駐車場と宿泊の料金は？", "駐車場", "宿泊", True),
        ("研修はだれが受け、試験はいつですか。", "研修", "試験", True),
        ("How long is the training, and when is the exam?", "training", "exam", True),
        ("駐車場の割引は？", "駐車場", "割引", False),
        ("駐車場は無料ですか。", "駐車場", "試験", False),
    ],
)
def test_a_question_of_two_things_has_parts(
    question: str, one: str, other: str, apart: bool
) -> None:
    asked = asked_of(question)
    assert asked.apart((word(one),), word(other)) is apart


@pytest.mark.parametrize(
    ("question", "said", "met", "out"),
    [
        ("2,500円の品を買いました。", "3,000円未満", True, False),
        ("3,000円の品を買いました。", "3,000円未満", False, True),
        ("3,000円の品を買いました。", "3,000円以下", True, False),
        ("12名で使います。", "10名以上", True, False),
        ("12名で使います。", "10名まで", False, True),
        ("12名で使います。", "3,000円以上", False, False),
        ("何名で使えますか。", "10名まで", False, False),
    ],
)
def test_values_asked_about_keep_a_bound_or_lie_beyond_it(
    question: str, said: str, met: bool, out: bool
) -> None:
    asked = asked_of(question)
    assert (meets(asked, said), rules_out(asked, said)) == (met, out)


def test_a_condition_that_the_case_meets_narrows_nothing() -> None:
    claim = Claim("受講料は無料")
    text = "3回以上のお申し込みで受講料は無料です。"
    assert verdict(claim, text, "4回申し込みました。受講料はかかりますか。").label == "supported"
    assert verdict(claim, text, "2回申し込みました。受講料はかかりますか。").label == "undecided"
    assert verdict(claim, text).label == "undecided"


def test_an_answer_to_one_part_is_none_to_the_other() -> None:
    question = "研修と試験の費用はいくらですか。"
    text = "研修は3,000円です。試験は5,000円です。"
    for claim in ("研修の費用は3,000円", "試験の費用は5,000円"):
        assert verdict(Claim(claim), text, question).label == "supported"
    assert verdict(Claim("試験の費用は3,000円"), text, question).label == "contradicted"
    assert (
        verdict(Claim("試験の費用は5,000円"), "研修は3,000円です。", question).label == "undecided"
    )


@given(st.text(max_size=60))
def test_any_question_is_read(question: str) -> None:
    asked = asked_of(question)
    assert all(part >= 0 for parts in asked.parts.values() for part in parts)
