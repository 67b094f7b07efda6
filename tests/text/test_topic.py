import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rag_eval_pipeline.text.synonyms import IRREGULAR, SIBLINGS, THINGS
from rag_eval_pipeline.text.topic import rivals, stem, terms


def names(text: str) -> set[str]:
    return {name for term in terms(text) if not term.generic for name in term.keys}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("送料", "shipping fee"),
        ("配送料金", "送料"),
        ("領収書", "レシート"),
        ("払い戻し", "refunds"),
        ("クレジットカード", "credit cards"),
        ("在宅勤務", "working remotely"),
        ("returned", "returns"),
        ("cancelling", "cancelled"),
        ("non-refundable", "refund"),
    ],
)
def test_words_for_one_thing_share_a_name(one: str, other: str) -> None:
    assert names(one) & names(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("未使用", "使用済み"),
        ("領収書", "請求書"),
        ("カードキー", "カード"),
        ("manager", "employee"),
    ],
)
def test_words_for_two_things_share_none(one: str, other: str) -> None:
    assert not names(one) & names(other)


def test_compounds_are_cut() -> None:
    assert [term.surface for term in terms("国内送料")] == ["国内", "送料"]
    assert [term.surface for term in terms("図書館案内")] == ["図書", "館", "案内"]


def test_a_term_knows_its_particle() -> None:
    assert [term.after for term in terms("販売店が客に鍵を")] == ["が", "が", "に", "を"]
    assert [term.after for term in terms("refund for members")] == ["", "for"]


def test_generic_words_name_no_topic() -> None:
    assert names("この場合の方法") == set()
    assert names("in this case you can do it") == set()


def test_nouns_in_hiragana_count_at_the_beginning() -> None:
    assert names("りんごの返品") - names("返品") == {"りんご"}


def test_rivals_stand_in_each_others_place() -> None:
    domestic, overseas = (terms(word)[0].keys for word in ("国内", "海外"))
    assert rivals(domestic, overseas)
    assert rivals(overseas, domestic)
    assert not rivals(domestic, domestic)


def test_siblings_are_known_things() -> None:
    assert set(SIBLINGS) <= set(THINGS)
    assert all(name not in others for name, others in SIBLINGS.items())


def test_each_thing_has_words_in_both_languages() -> None:
    assert [
        name for name, (japanese, english) in THINGS.items() if not (japanese and english)
    ] == []


@pytest.mark.parametrize("text", ["品物を返したい", "品物を返すには", "送り返します"])
def test_a_verb_stands_for_the_thing_it_does(text: str) -> None:
    assert "RETURN" in {name for term in terms(text) for name in term.keys}


@pytest.mark.parametrize("text", ["繰り返します", "折り返しお電話します", "聞き返す"])
def test_a_verb_inside_another_stands_for_nothing(text: str) -> None:
    assert "RETURN" not in {name for term in terms(text) for name in term.keys}


def test_who_applies_is_no_application() -> None:
    (who,), (what,) = terms("申込者"), terms("申込")
    assert who.keys.isdisjoint(what.keys)


@pytest.mark.parametrize(("word", "root"), [("paid", "pay"), ("sent", "send"), ("given", "give")])
def test_irregular_forms_have_the_stem_of_their_verb(word: str, root: str) -> None:
    assert stem(word) == stem(root)


@given(st.text(max_size=80))
def test_terms_stand_where_they_say_in_order(text: str) -> None:
    found = terms(text)
    assert [term.start for term in found] == sorted(term.start for term in found)
    assert all(0 <= term.start < term.end <= len(text) for term in found)


@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_a_stem_begins_the_word_or_ends_in_y(word: str) -> None:
    assume(word not in IRREGULAR)
    assert word.startswith(stem(word).removesuffix("y"))
