import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.polarity import predicates


def signs(text: str) -> set[tuple[str, int]]:
    return {(p.axis, p.sign) for p in predicates(text) if not p.weak}


@pytest.mark.parametrize(
    ("text", "axis", "sign"),
    [
        ("予約が必要です", "need", 1),
        ("予約は必要ありません", "need", -1),
        ("予約は不要です", "need", -1),
        ("予約は不要ではありません", "need", 1),
        ("予約しなければなりません", "need", 1),
        ("予約しなくてもかまいません", "need", -1),
        ("予約がないと入れません", "need", 1),
        ("予約なしで入館できます", "need", -1),
        ("予約なしでは入館できません", "need", 1),
        ("予約は要りません", "need", -1),
        ("許可を得てから撮影してください", "need", 1),
        ("撮影は可能です", "do", 1),
        ("撮影はできません", "do", -1),
        ("撮影はご遠慮ください", "do", -1),
        ("撮影は対象外です", "do", -1),
        ("撮影は受け付けておりません", "do", -1),
        ("撮影しないでください", "do", -1),
        ("撮影しても構いません", "do", 1),
        ("入館料は無料です", "charge", -1),
        ("入館料はかかりません", "charge", -1),
        ("入館料がかかります", "charge", 1),
        ("入館料は不要です", "charge", -1),
        ("送料はお客様のご負担となります", "bear", 1),
        ("送料は当館が負担します", "do", 1),
        ("送料は当社が負担します", "bear", -1),
        ("送料は客が負担する", "bear", 1),
        ("送料は買主が負担します", "bear", 1),
        ("税込みです", "include", 1),
        ("税を含みます", "include", 1),
        ("税は含まれていません", "include", -1),
        ("条件は同じです", "same", 1),
        ("条件は異なります", "same", -1),
        ("条件に変わりはありません", "same", 1),
        ("日曜は営業しています", "open", 1),
        ("日曜は休業です", "open", -1),
        ("大会は開催します", "do", 1),
        ("you do not have to pay for parking", "charge", -1),
        ("we don't pay a cancellation fee", "charge", -1),
        ("your stay is below the minimum for free parking", "charge", 1),
        ("you do not qualify for free parking", "charge", 1),
        ("the policy covers theft", "do", 1),
        ("a ticket is required", "need", 1),
        ("a ticket is not required", "need", -1),
        ("tickets are optional", "need", -1),
        ("no ticket is needed", "need", -1),
        ("you don't have to book", "need", -1),
        ("without a ticket you cannot enter", "need", 1),
        ("you can enter without a ticket", "need", -1),
        ("you cannot enter unless you have a ticket", "need", 1),
        ("tickets cannot be returned", "do", -1),
        ("tickets can be returned", "do", 1),
        ("tickets are non-refundable", "do", -1),
        ("tickets are no longer accepted", "do", -1),
        ("you must not enter", "do", -1),
        ("entry is free of charge", "charge", -1),
        ("entry is not free", "charge", 1),
        ("meals are excluded", "include", -1),
        ("meals are not included", "include", -1),
        ("the price is the same", "same", 1),
        ("the museum is closed", "open", -1),
    ],
)
def test_a_predicate_has_an_axis_and_a_side(text: str, axis: str, sign: int) -> None:
    found = signs(text)
    if axis == "do" and not any(name == "do" for name, _ in found):
        found = {(p.axis, p.sign) for p in predicates(text)}
    assert (axis, sign) in found
    assert (axis, -sign) not in found


def test_no_later_than_is_no_negation() -> None:
    assert all(sign > 0 for _, sign in signs("tickets are required no later than friday"))


@given(st.text(max_size=80))
def test_each_segment_has_a_predicate_inside_it(text: str) -> None:
    found = predicates(text)
    assert found
    assert all(0 <= p.start <= p.end <= len(text) for p in found)


@pytest.mark.parametrize(
    ("text", "axis"),
    [
        ("お申し込みいただけます", "include"),
        ("書き込みはできます", "include"),
        ("お振込みください", "include"),
        ("the minimum for free parking is 3 hours", "charge"),
    ],
)
def test_a_part_of_a_word_or_a_name_is_no_predicate(text: str, axis: str) -> None:
    assert axis not in {found for found, _ in signs(text)}
