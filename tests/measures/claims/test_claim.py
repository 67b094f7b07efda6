import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.measures.claims.claim import assertion


@pytest.mark.parametrize(
    ("written", "inside"),
    [
        ("見積書が不要である、と断定しない", "見積書が不要である"),
        ("延滞料を300円と案内しない", "延滞料は300円"),
        ("「予約は不要」と回答しない", "予約は不要"),
        ("予約が不要だと言わない", "予約が不要"),
        ("席があるかのように伝えない", "席がある"),
        ("予約なしで入れるという説明をしない", "予約なしで入れる"),
        ("全員が対象であるとの案内はしない", "全員が対象"),
        ("全員が対象だと断言してはいけない。", "全員が対象"),
        ("Do not claim that seats are guaranteed", "seats are guaranteed"),
        ("Never say seats are free", "seats are free"),
        ("Don't tell customers that seats are free.", "seats are free"),
        ("The answer must not state that a ticket is optional", "a ticket is optional"),
        ("Avoid saying that it is free", "it is free"),
        ("Do not present the fee as 300 yen", "the fee is 300 yen"),
    ],
)
def test_the_assertion_inside_an_instruction_is_found(written: str, inside: str) -> None:
    assert assertion(written) == inside


@pytest.mark.parametrize(
    "written",
    [
        "予約は必要ない",
        "席は選べない",
        "Tickets are not refunded",
        "必ず入れる",
        "Do not enter",
        "",
    ],
)
def test_a_plain_assertion_stays(written: str) -> None:
    assert assertion(written) == written


@given(st.text(max_size=200))
def test_any_text_has_an_assertion(written: str) -> None:
    assert len(assertion(written)) <= len(written) + len(" is ")
