import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.sanitise import KeysCollideError, sanitise, sanitise_text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("500\x00円", "500\ufffd円"),
        ("500円\ud83d", "500円\ufffd"),
        ("\ude9a\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude9a", "🚚"),
        ("🚚", "🚚"),
    ],
)
def test_only_what_cannot_be_stored_is_replaced(text: str, clean: str) -> None:
    assert sanitise_text(text) == clean


def test_loss_is_reported_at_any_depth_and_for_keys() -> None:
    assert sanitise({"a": [{"b": "x\x00"}]}) == ({"a": [{"b": "x\ufffd"}]}, True)
    assert sanitise({"a\x00": 1}) == ({"a\ufffd": 1}, True)


def test_a_joined_pair_and_a_literal_replacement_character_are_no_loss() -> None:
    assert sanitise(["\ud83d\ude9a", "\ufffd", None]) == (["🚚", "\ufffd", None], False)


def test_keys_that_become_one_are_refused() -> None:
    with pytest.raises(KeysCollideError) as caught:
        sanitise({"a\x00": 1, "a\ufffd": 2})
    assert caught.value.key == "a\ufffd"


@given(st.text(alphabet=st.characters(codec=None, categories=None), max_size=20))
def test_a_clean_text_can_be_stored_and_is_left_alone(text: str) -> None:
    clean = sanitise_text(text)
    clean.encode()
    assert "\x00" not in clean
    assert sanitise_text(clean) == clean
