"""n-grams, and finding a passage again in texts that are cut otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.ngrams import Passage, Searched, characters, ngrams, parts_words

JA = "返品は商品の到着後十四日以内に限り、未開封の場合に承ります。"
EN = "Unopened goods may be sent back within fourteen days of delivery at our own cost."


def covered_at(parts: list[str], texts: list[str | None]) -> int | None:
    return Passage.of(parts).covered_at(
        [None if text is None else Searched.of(text) for text in texts]
    )


def test_japanese_is_cut_into_five_characters_and_english_into_three_words() -> None:
    assert ngrams("送料は無料です") == {"送料は無料", "料は無料で", "は無料です"}
    assert ngrams("Goods may be sent") == {"goods may be", "may be sent"}


def test_the_script_that_prevails_decides() -> None:
    assert parts_words("The sign reads 出口 in large letters")
    assert not parts_words("AWS Lambda の設定は Console から変更します")
    assert not parts_words("")
    assert parts_words("500 yen")


def test_width_case_and_white_space_do_not_count() -> None:
    assert characters("Ｐｏｓ 端末\n ﾃﾞｰﾀ") == "pos端末データ"
    assert ngrams("ＧＯＯＤＳ  may\nbe") == ngrams("goods may be")
    assert ngrams("返品は 商品の\n到着後") == ngrams("返品は商品の到着後")


def test_texts_shorter_than_an_n_gram_have_none() -> None:
    assert ngrams("送料無料") == ngrams("two words") == ngrams("") == frozenset()


@pytest.mark.parametrize("passage", [JA, EN])
def test_a_passage_cut_in_two_is_covered_once_both_parts_are_there(passage: str) -> None:
    cut = len(passage) // 2
    first, second = passage[: cut + 6], passage[cut - 6 :]
    assert covered_at([passage], [first, "Anything else. 別の話です。", second]) == 3
    assert covered_at([passage], [second, first]) == 2
    assert covered_at([passage], [first]) is None


@pytest.mark.parametrize("passage", [JA, EN])
def test_a_passage_inside_a_larger_chunk_is_covered_there(passage: str) -> None:
    assert covered_at([passage], ["x", f"Before. 前。{passage}後。 After."]) == 2


def test_seven_tenths_of_the_n_grams_are_enough_and_less_is_not() -> None:
    passage = "一二三四五六七八九十百千万億兆京垓甲乙丙丁戊己庚"  # 24 characters, 20 n-grams
    assert len(ngrams(passage)) == 20
    assert covered_at([passage], [passage[:18]]) == 1  # 14 of 20
    assert covered_at([passage], [passage[:17]]) is None


def test_a_short_passage_has_to_stand_there_as_it_is() -> None:
    assert covered_at(["送料は五百円です。"], ["送料は 五百円です。ほか"]) == 1
    assert covered_at(["送料は五百円です。"], ["送料は五百", "円です。"]) is None
    assert covered_at(["Fee: 500 yen"], ["The FEE:  500 yen applies"]) == 1


def test_all_short_quotes_are_needed_and_long_ones_are_counted_together() -> None:
    assert covered_at(["送料は五百円", "手数料は三百円"], ["送料は五百円", "手数料は三百円"]) == 2
    assert covered_at([JA, "送料は五百円"], [JA, "送料は五百円"]) == 2


def test_a_long_text_without_n_grams_has_to_stand_there_as_it_is() -> None:
    word = "pneumonoultramicroscopicsilicovolcanoconiosis"
    assert covered_at([word], [f"so called {word.upper()}!"]) == 1
    assert covered_at([word], ["something else"]) is None


def test_nothing_to_look_for_is_nowhere() -> None:
    assert covered_at([], [JA]) is None
    assert covered_at(["", " \u3000"], [JA]) is None


def test_an_unknown_text_holds_nothing_but_keeps_its_place() -> None:
    assert covered_at([JA], [None, JA]) == 2


passages = st.text(alphabet="あいうえ送料円 ab\n。、", max_size=60) | st.text(max_size=60)


@given(passages)
def test_a_passage_is_covered_by_itself_unless_it_is_empty(passage: str) -> None:
    assert covered_at([passage], [passage]) == (1 if characters(passage) else None)


@given(passages, st.lists(passages, max_size=4), passages)
def test_a_further_text_never_undoes_what_is_covered(
    passage: str, texts: list[str], further: str
) -> None:
    found = covered_at([passage], texts)
    if found is not None:
        assert covered_at([passage], [*texts, further]) == found
        assert covered_at([passage], texts[:found]) == found
        assert covered_at([passage], texts[: found - 1]) is None


@given(st.text(alphabet=st.characters(codec=None, categories=None)))
def test_any_string_is_read(text: str) -> None:
    assert all(gram for gram in ngrams(text))
    assert Passage.of([text]).covered_at([Searched.of(text)]) in (None, 1)


@pytest.mark.parametrize("piece", ["返品の条件", "a b ", "\ud800", "１２３", "👩‍💻"])
def test_a_text_of_a_million_characters_is_read(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert covered_at([text[:400]], [text]) == 1
