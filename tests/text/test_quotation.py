import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.quotation import quotations


@pytest.mark.parametrize(
    ("text", "said", "stance"),
    [
        ("規程には「入館は無料です」と記載されています", "入館は無料です", "affirmed"),
        ("「入館は無料です」とは記載されていません", "入館は無料です", "reported"),
        ("「入館は無料です」という声があります", "入館は無料です", "reported"),
        ('the policy states "entry is free"', "entry is free", "affirmed"),
        ('some say "entry is free"', "entry is free", "reported"),
    ],
)
def test_quoted_words_are_affirmed_or_reported(text: str, said: str, stance: str) -> None:
    assert [(text[q.start : q.end], q.stance) for q in quotations(text)] == [(said, stance)]


def test_a_name_in_quotation_marks_is_no_statement() -> None:
    assert quotations("「総務課」へお越しください") == ()


@given(st.text(alphabet="「」『』\"“”'入館は無料ですと記載。 isfre", max_size=60))
def test_quotations_lie_inside_the_text(text: str) -> None:
    assert all(0 < q.start < q.end < len(text) for q in quotations(text))
