import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.conditions import conditions, makes_exception


@pytest.mark.parametrize(
    ("text", "kind", "part"),
    [
        ("会員の場合は、無料です", "if", "会員の場合は"),
        ("雨なら、休みます", "if", "雨なら"),
        ("予約すれば、入れます", "if", "予約すれば"),
        ("雨の時は、室内で行います", "if", "雨の時は"),
        ("休日を除き、無料です", "except", "休日を除き"),
        ("会員以外は有料です", "except", "会員以外は"),
        ("無料です(ただし離島は対象外)", "except", "ただし離島は対象外"),
        ("free if you book early, else not", "if", "if you book early"),
        ("open except on sundays", "except", "except on sundays"),
        ("closed unless booked", "except", "unless booked"),
    ],
)
def test_a_condition_is_found(text: str, kind: str, part: str) -> None:
    assert (kind, part) in {(c.kind, text[c.start : c.end]) for c in conditions(text)}


@pytest.mark.parametrize(
    "text",
    [
        "休む場合があります",
        "どの場合でも無料です",
        "it is free",
        # What follows is said of its own, and excepted from nothing.
        "ただし、離島は対象外です",
    ],
)
def test_what_sets_no_condition_is_none(text: str) -> None:
    assert conditions(text) == ()


def test_a_segment_may_take_back_the_one_before() -> None:
    assert makes_exception("ただし、休日は有料です")
    assert makes_exception("however, sundays cost more")
    assert not makes_exception("休日は有料です")


@given(st.text(alphabet="会員場合はの、除きない限りif unless,.と", max_size=60))
def test_conditions_lie_inside_the_text(text: str) -> None:
    assert all(0 <= c.start < c.end <= len(text) for c in conditions(text))
