"""A report as one HTML file: nothing is fetched, no script runs, all text is text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from rag_eval_pipeline.report.blocks import Block, Bullets, Folded, Heading, Plot, Rows, Sentence
from rag_eval_pipeline.report.plots import xml_text
from rag_eval_pipeline.report.words import shown

CELL_LENGTH = 400

# What a reader looks for first is told by colour and weight too, never by colour alone.
_BAD = frozenset({"worse", "regressed", "FAIL", "refused"})
_GOOD = frozenset({"better", "recovered"})
_CSS = """
:root{color-scheme:light dark;
--ink:#1c1c1e;--paper:#fff;--soft:#f3f3f5;--line:#d0d0d6;--bad:#b3261e;--good:#0b6b3a}
@media (prefers-color-scheme:dark){:root{
--ink:#e8e8ea;--paper:#17181a;--soft:#232427;--line:#45464b;--bad:#ff8a80;--good:#7bd6a4}}
body{margin:0 auto;max-width:72rem;padding:1rem;color:var(--ink);background:var(--paper);
font:16px/1.5 system-ui,"Hiragino Sans","Noto Sans JP",sans-serif;overflow-wrap:anywhere}
h1,h2,h3,h4{line-height:1.25;margin:1.6em 0 .5em}h1{margin-top:.2em}
h2{border-bottom:1px solid var(--line)}
.wide{overflow-x:auto;margin:.6em 0}table{border-collapse:collapse;font-size:.875rem}
th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top;
overflow-wrap:break-word;min-width:2.5rem;max-width:28rem}
th{background:var(--soft)}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bad{color:var(--bad);font-weight:600}.good{color:var(--good);font-weight:600}
.loud{border-left:4px solid var(--bad);padding:.4rem .8rem;background:var(--soft)}
svg{display:block;width:100%;min-width:32rem;max-width:46rem;height:auto}
summary{cursor:pointer;font-weight:600;margin:.4em 0}details{margin:.6em 0}
@media print{body{max-width:none;font-size:11px}.wide{overflow:visible}
tr,svg{break-inside:avoid}svg{min-width:0}}
"""


def html_page(title: str, blocks: Iterable[Block], *, language: str = "en") -> str:
    """Blocks as a whole HTML document, readable on a phone, in the dark and on paper."""
    body = "\n".join(_parts(blocks))
    return (
        f'<!DOCTYPE html>\n<html lang="{xml_text(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        # Should a hostile text ever get through, it still reaches nothing and runs nothing.
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{xml_text(title)}</title>\n<style>{_CSS}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _parts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(level, text):
                yield f"<h{level}>{xml_text(text)}</h{level}>"
            case Sentence(text, loud):
                opening = '<p class="loud" role="note">' if loud else "<p>"
                yield f"{opening}{xml_text(text)}</p>"
            case Bullets(items):
                yield "<ul>" + "".join(f"<li>{xml_text(item)}</li>" for item in items) + "</ul>"
            case Rows(frame):
                yield _table(frame)
            case Plot(picture):
                yield f'<div class="wide" tabindex="0">{picture.svg}</div>'
            case Folded(summary, inside):
                yield f"<details><summary>{xml_text(summary)}</summary>"
                yield from _parts(inside)
                yield "</details>"


def _table(frame: pl.DataFrame) -> str:
    if frame.is_empty():
        return "<p>none</p>"
    head = "".join(f'<th scope="col">{xml_text(name)}</th>' for name in frame.columns)
    rows = "".join(
        "<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in frame.iter_rows()
    )
    # Reachable by keyboard: a wide table scrolls on its own.
    return (
        f'<div class="wide" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        kind = ' class="n"'
    elif isinstance(value, str) and value in _BAD:
        kind = ' class="bad"'
    elif isinstance(value, str) and value in _GOOD:
        kind = ' class="good"'
    else:
        kind = ""
    return f"<td{kind}>{xml_text(shown(value, CELL_LENGTH))}</td>"
