import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.knowledge.evidence_ids import KnownIds, resolve, split_id

EMPTY = KnownIds(frozenset(), frozenset(), held=False)


def known(*ids: str | tuple[str, str]) -> KnownIds:
    """Documents as text, sections as (document, section); a section's document is known too."""
    pairs = {each for each in ids if isinstance(each, tuple)}
    documents = {each for each in ids if isinstance(each, str)} | {doc for doc, _ in pairs}
    return KnownIds(frozenset(documents), frozenset(pairs), held=True)


def test_a_document_and_a_section_of_it_are_told_apart() -> None:
    of = known(("shipping", "fee"))
    assert split_id("shipping", of) == ("shipping", None, True)
    assert split_id("shipping#fee", of) == ("shipping", "fee", True)


def test_an_exact_doc_id_comes_before_any_section() -> None:
    assert split_id("a#b", known("a#b", ("a", "b"))) == ("a#b", None, True)


def test_the_longest_document_comes_first() -> None:
    of = known(("a", "b#c"), ("a#b", "c"))
    assert split_id("a#b#c", of) == ("a#b", "c", True)
    assert split_id("a#b#c", known(("a", "b#c"))) == ("a", "b#c", True)


def test_a_section_is_matched_whole() -> None:
    of = known(("doc", "sec-4"), ("doc", "sec-4-2"))
    assert split_id("doc#sec-4-2", of) == ("doc", "sec-4-2", True)
    assert split_id("doc#sec-4-3", of) == ("doc", "sec-4-3", False)


def test_an_unknown_id_is_split_at_its_last_mark_and_unresolved() -> None:
    assert split_id("a#b#c", known("x")) == ("a#b", "c", False)
    assert split_id("a", known("x")) == ("a", None, False)


def test_a_mark_at_the_ends_separates_nothing() -> None:
    for odd in ("#a", "a#", "#", "##"):
        document, section, _ = split_id(odd, known("x"))
        assert document
        assert section != ""


def test_without_a_knowledge_base_nothing_is_dangling() -> None:
    assert split_id("shipping#fee", EMPTY) == ("shipping", "fee", None)


ids = st.text(alphabet="ab#", min_size=1, max_size=5)


@given(ids, st.lists(st.tuples(ids, ids), max_size=5))
def test_the_parts_always_make_up_the_id_again(
    evidence_id: str, sections: list[tuple[str, str]]
) -> None:
    of = known(*sections) if sections else EMPTY
    document, section, resolved = split_id(evidence_id, of)
    assert evidence_id == (document if section is None else f"{document}#{section}")
    if resolved:
        assert document in of.documents if section is None else (document, section) in of.sections
    else:
        assert evidence_id not in of.documents


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=5))
def test_every_id_of_the_snapshot_resolves(sections: list[tuple[str, str]]) -> None:
    of = known(*sections)
    for document, section in sections:
        assert split_id(f"{document}#{section}", of)[2] is True


def test_ids_come_from_the_tables_of_a_snapshot() -> None:
    sections = pl.DataFrame(
        {"doc_id": ["a", "b"], "section_id": ["s", None]},
        schema={"doc_id": pl.String, "section_id": pl.String},
    )
    of = KnownIds.of(sections, pl.DataFrame({"doc_id": ["a", "b"]}))
    assert of == KnownIds(frozenset({"a", "b"}), frozenset({("a", "s")}), held=True)
    assert KnownIds.of(sections.clear(), pl.DataFrame({"doc_id": []})).held is False


def test_distinct_ids_are_resolved_once() -> None:
    found = resolve(["a#s", None, "x", "a#s"], known(("a", "s")))
    assert found.rows() == [("a#s", "a", "s", True), ("x", "x", None, False)]
