"""Hostile text is shown as text: read back by a small Markdown and HTML reader of our own."""

import datetime as dt
import html
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.report.markdown import CELL_LENGTH, cell, escape, table

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](http://evil.example/x.png)",
    "<http://evil.example>",
    "http://evil.example/a_b",
    "www.evil.example",
    "WWW.evil.example",
    "me@evil.example",
    "a | b",
    "`code`",
    "``` fence",
    "**bold** _it_ ~~gone~~",
    "# heading",
    "- item",
    "+ item",
    "> quote",
    "a\nb\r\n\n# c",
    "$$x$$",
    "&lt;script&gt;",
    "1. first",
    "@somebody",
    "snake_case stays",
    "\\`x\\`",
    "=cmd|' /C calc'!A0",
    ":smile:",
]
MARKED = re.compile(
    r"[\\`*{}\[\]<>|~$]|&(?!#\d+;)|(?<![^\W_])_|_(?![^\W_])|:\S|(?<!\w)@|@[\w-]*\."
    r"|^\s*[-=#]|^\s*\+(?=\s|$)"
)


def read_back(markdown: str) -> str:
    """The text a reader sees: entities undone."""
    return html.unescape(markdown)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_mark_of_markdown_or_html_is_left(text: str) -> None:
    escaped = escape(text)
    assert MARKED.search(escaped) is None
    assert "\n" not in escaped
    assert "\r" not in escaped
    assert re.search(r"www\.", escaped, re.IGNORECASE) is None
    assert not re.match(r"\s*(?:[-+#>=]|\d+[.)])", escaped)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_reader_sees_what_was_written(text: str) -> None:
    assert read_back(escape(text)) == re.sub(r"[\r\n]+", " ", text)


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=40))
def test_plain_text_is_read_back_whole_and_nothing_is_marked(text: str) -> None:
    assert read_back(escape(text)) == text
    assert MARKED.search(escape(text)) is None


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\u2028", "\ufeff", "\x00", "\U000e0041"])
def test_characters_that_hide_or_move_text_become_a_space(char: str) -> None:
    assert escape(f"a{char}b") == "a b"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (0.123456, "0.1235"),
        (1.0, "1"),
        (["a", "b"], "a, b"),
        (pl.Series(["a|b"]), "a&#124;b"),
        ([], ""),
        (dt.datetime(2026, 4, 1, 9, 30, 15, 999, tzinfo=dt.UTC), "2026-04-01T09:30:15+00:00"),
        (dt.date(2026, 4, 1), "2026-04-01"),
    ],
)
def test_values_are_shown_for_people(value: object, shown: str) -> None:
    assert cell(value) == shown


def test_a_long_text_is_cut_before_it_is_escaped() -> None:
    shown = cell("<" * 500)
    assert read_back(shown) == "<" * (CELL_LENGTH - 1) + "…"
    assert read_back(cell("<" * 9, length=5)) == "<<<<…"


def test_a_table_has_as_many_cells_in_each_line_whatever_they_hold() -> None:
    frame = pl.DataFrame({"a|b": HOSTILE, "n": range(len(HOSTILE))})
    lines = table(frame).split("\n")
    assert len(lines) == len(HOSTILE) + 2
    assert {line.count("|") for line in lines} == {3}


def test_figures_in_text_stay_plain_where_they_open_no_list() -> None:
    assert cell("100.0 % (n = 3)") == "100.0 % (n = 3)"
    assert cell("+6.7") == "+6.7"
    assert escape("1. first") == "1&#46; first"
    assert escape("+ first") == "&#43; first"


def test_columns_may_be_chosen_and_ordered() -> None:
    frame = pl.DataFrame({"a": [1], "b": [2], "c": [3]})
    assert table(frame, ["c", "a"]) == "| c | a |\n| --- | --- |\n| 3 | 1 |"


def test_a_table_without_rows_says_none() -> None:
    assert table(pl.DataFrame({"a": []})) == "none"
