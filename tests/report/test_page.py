from __future__ import annotations

from html.parser import HTMLParser

import polars as pl

from rag_eval_pipeline.report.blocks import Bullets, Folded, Heading, Rows, Sentence
from rag_eval_pipeline.report.markdown import page as markdown_page
from rag_eval_pipeline.report.page import html_page

HOSTILE = "<img src=x onerror=alert(1)>\"'</td></script>"
BLOCKS = [
    Heading(1, HOSTILE),
    Sentence(HOSTILE, loud=True),
    Bullets((HOSTILE,)),
    Rows(pl.DataFrame({HOSTILE: [HOSTILE], "n": [3], "verdict": ["worse"]})),
    Folded(HOSTILE, (Sentence("inside"),)),
]


class Tags(HTMLParser):
    """The tags of a page in order, and whether each is closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, _: object) -> None:
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_all_text_is_text_and_every_element_is_closed() -> None:
    tags = Tags(html_page(HOSTILE, BLOCKS))

    assert tags.open == []
    assert not {"img", "script", "a"} & set(tags.seen)
    assert tags.words.count(HOSTILE) == 7


def test_a_verdict_is_told_by_weight_and_a_number_stands_right() -> None:
    page = html_page("x", BLOCKS)

    assert '<td class="bad">worse</td>' in page
    assert '<td class="n">3</td>' in page


def test_folded_blocks_open_in_html_and_are_written_out_in_markdown() -> None:
    assert "<details>" in html_page("x", BLOCKS)
    assert markdown_page([Folded("More", (Sentence("inside"),))]) == "More:\n\ninside\n"


def test_an_empty_table_says_so() -> None:
    assert "<p>none</p>" in html_page("x", [Rows(pl.DataFrame({"a": []}))])
