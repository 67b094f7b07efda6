import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.fold import fold, fold_width


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("ＡＢＣ１２３！", "ABC123!"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("a\u3000b", "a b"),
        ("  送料は\n\t いくら  ", "送料は いくら"),
        ("か\u3099", "が"),
        ("Case Stays", "Case Stays"),
    ],
)
def test_width_and_space_are_folded(written: str, folded: str) -> None:
    assert fold(written) == folded


@pytest.mark.parametrize("text", ["①", "10²", "㈱髙橋", "ー〜", "½"])
def test_characters_that_are_no_width_forms_keep_their_meaning(text: str) -> None:
    assert fold_width(text) == text


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet="ab \t\n\u3000", max_size=20), st.text(alphabet=" \t\u3000", max_size=4))
def test_space_at_the_ends_never_counts(text: str, around: str) -> None:
    assert fold(around + text + around) == fold(text)
