import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.text.citation_marks import (
    citation_marks,
    cited_position,
    without_citations,
)


def ids(text: str, *known: str) -> list[tuple[str, ...]]:
    return [mark.ids for mark in citation_marks(text, known=frozenset(known))]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Free above 40 dollars [1].", [("1",)]),
        ("a [1, 2] b [3][4]", [("1", "2"), ("3",), ("4",)]),
        ("a [2-4]", [("2", "3", "4")]),
        ("a [^1]", [("1",)]),
        ("無料です【1】。", [("1",)]),
        ("無料です【3†source】。", [("3",)]),
        ("無料です【4:0†fees.pdf】。", [("fees.pdf",)]),
        ("無料です【fees#s2】。", [("fees#s2",)]),
        ("無料です［１］。", [("1",)]),
        ("a [Doc 2] b [出典3]", [("Doc 2",), ("出典3",)]),
        ("a [guide.pdf]", [("guide.pdf",)]),
        ("a [guide.pdf#page=3, fees.md]", [("guide.pdf#page=3", "fees.md")]),
        ("a [社内規程#第3条]", [("社内規程#第3条",)]),
        ("無料です（出典: fees）。", [("fees",)]),
        ("無料です（参照：fees、trips）。", [("fees", "trips")]),
        ("a (source: fees)", [("fees",)]),
        ("無料です。\n出典：fees", [("fees",)]),
        ("a\nSources: [1], [2]", [("1", "2")]),
        ("a\nSources: [fees#s1][trips#s2]", [("fees#s1", "trips#s2")]),
        ("a [0]", [("0",)]),
        ("a [1](https://example.org/fees)", [("1",)]),
    ],
)
def test_marks_are_found_with_their_ids(text: str, cited: list[tuple[str, ...]]) -> None:
    assert ids(text) == cited


@pytest.mark.parametrize(
    "text",
    [
        "[注意] 期限があります",
        "【重要】",
        "[optional] field",
        "in [2024]",
        "[10%] off",
        "at [10:30]",
        "- [ ] open task",
        "- [x] done",
        "[#1]",
        "see `rows[0]` and `x [1]`",
        "```\na [1]\n```",
        "[terms](https://example.org/1)",
        "10² m² ¹",
        "（参照：詳しくは規程をご覧ください。）",
        "(source: https://example.org)",
        "",
    ],
)
def test_these_are_no_marks(text: str) -> None:
    assert ids(text) == []


def test_plain_words_in_brackets_are_marks_if_the_caller_knows_them() -> None:
    assert ids("a [fees] b [trips, fees] c [optional]", "fees", "trips") == [
        ("fees",),
        ("trips", "fees"),
    ]
    assert ids("a [fees, later]", "fees") == []


def test_a_mark_spans_what_is_written() -> None:
    text = "無料です【fees#s1】。"
    (mark,) = citation_marks(text)
    assert text[mark.start : mark.end] == "【fees#s1】"


def test_without_citations_blanks_marks_and_the_targets_of_links() -> None:
    text = "500円です[1]。[料金表](https://example.org/900)を参照（出典: fees）"
    bare = without_citations(text)
    assert len(bare) == len(text)
    assert "500円です" in bare
    assert "[料金表]" in bare
    assert not any(each in bare for each in ("[1]", "900", "fees"))


def test_only_numeric_marks_point_at_a_place() -> None:
    assert [cited_position(each) for each in ("1", "Doc 12", "資料3", "fees#s1", "fees.pdf")] == [
        1,
        12,
        3,
        None,
        None,
    ]


PIECES = st.lists(
    st.sampled_from(
        [
            "[1]",
            "[",
            "]",
            "【",
            "】",
            "(出典: a)",
            "（",
            "）",
            "`",
            "\n",
            "a#b",
            ", ",
            "†",
            "円",
            "](x",
        ]
    ),
    max_size=25,
).map("".join)


@given(st.one_of(PIECES, st.text(max_size=60)))
def test_marks_lie_apart_in_order_and_removing_them_keeps_every_offset(text: str) -> None:
    marks = citation_marks(text)
    ends = [0, *(mark.end for mark in marks)]
    assert all(before <= mark.start < mark.end for before, mark in zip(ends, marks, strict=False))
    assert all(mark.ids for mark in marks)
    bare = without_citations(text)
    assert len(bare) == len(text)
    assert all(old == new or new == " " for old, new in zip(text, bare, strict=True))


@pytest.mark.parametrize("piece", ["[", "[1", "【1†", "(出典: ", "`", "a#", "[a](", "\ud800"])
def test_hostile_repetition_is_read(piece: str) -> None:
    text = piece * 50_000
    assert len(without_citations(text)) == len(text)
