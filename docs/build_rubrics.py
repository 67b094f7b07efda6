"""Writes the tables of keys in docs/rubrics.md from the table of keys of rubrics.

Run by `make docs`. What stands between a `begin` and an `end` mark is made here, the rest by hand.
"""

from __future__ import annotations

import re
from pathlib import Path

from rag_eval_pipeline.scores.rubric import rubric_reference
from rag_eval_pipeline.scores.rubric.keys import CAUSES

PAGE = Path(__file__).resolve().parent / "rubrics.md"
PARTS = {
    "keys": rubric_reference(),
    "causes": ", ".join(f"`{cause}`" for cause in CAUSES) + ".\n",
}


def build(page: str) -> str:
    """The page with the parts that are made from code renewed."""
    for name, made in PARTS.items():
        marks = re.compile(rf"(<!-- {name}: begin[^\n]*-->\n).*?(<!-- {name}: end -->)", re.DOTALL)
        page, n = marks.subn(lambda found, made=made: f"{found[1]}{made}{found[2]}", page)
        if n != 1:
            raise ValueError(f"rubrics.md has {n} parts {name}; expected one")
    return page


if __name__ == "__main__":
    PAGE.write_text(build(PAGE.read_text("utf-8")), "utf-8")
