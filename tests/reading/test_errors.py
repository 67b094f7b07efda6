import pytest

from rag_eval_pipeline.reading.errors import InputError, code_point, shown, shown_char


def fault(**place: object) -> InputError:
    return InputError(
        "wrong_type",
        found='the text "x"',
        expected="a number",
        todo="write a number.",
        **place,  # type: ignore[arg-type]
    )


def test_sentence_names_place_fault_and_remedy() -> None:
    error = fault(file="runs/x.jsonl", line=3, field="rank")
    assert str(error) == (
        'runs/x.jsonl, line 3, field rank: found the text "x"; expected a number. '
        "Do: write a number."
    )
    assert error.code == "wrong_type"


def test_sentence_without_a_place_begins_with_what_was_found() -> None:
    assert str(fault()).startswith('Found the text "x"; expected')


def test_parts_of_a_place_that_are_unknown_are_left_out() -> None:
    assert str(fault(file="a.csv", field="id")).startswith("a.csv, field id: found")
    assert str(fault(line=7)).startswith("line 7: found")


def test_sentence_stays_on_one_line_and_holds_no_controls() -> None:
    error = InputError("x", found="a\nb\x1b[31m\u202e", expected="c\r\nd", todo="e", file="f\tg")
    assert str(error).isprintable()


def test_input_error_can_be_raised_and_caught_as_bad_value() -> None:
    with pytest.raises(ValueError, match="write a number"):
        raise fault()


def test_shown_text_is_cut_and_quoted() -> None:
    assert shown("a" * 50, 10) == '"' + "a" * 9 + '…"'
    assert shown("家族👩\u200d👧") == '"家族👩\u200d👧"'
    assert shown("a\nb") == '"a\ufffdb"'


@pytest.mark.parametrize(
    ("char", "words"),
    [
        ("x", '"x"'),
        ("送", '"送"'),
        ("\u200b", "U+200B ZERO WIDTH SPACE"),
        ("\x07", "U+0007 CONTROL"),
        ("\ufeff", "U+FEFF ZERO WIDTH NO-BREAK SPACE"),
        (" ", "U+0020 SPACE"),
    ],
)
def test_characters_that_cannot_be_seen_are_named(char: str, words: str) -> None:
    assert shown_char(char) == words


def test_code_point_has_a_word_for_characters_without_a_name() -> None:
    assert code_point("\ud83d") == "U+D83D SURROGATE"
    assert code_point("\ue000") == "U+E000 PRIVATE USE"
