import pytest

from rag_eval_pipeline.reading.yaml_lines import line_of_key

TEXT = """\
# a comment
axes:
  overall:
    max_drop: 2
  search: {min_measured: 0.5,
    max_drop: 1}
"日本\u2028語": x
run:
  - not: a mapping
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("axes",), 2),
        (("axes", "overall", "max_drop"), 4),
        (("axes", "search", "max_drop"), 6),
        (("axes", "overall", "absent"), 3),
        (("axes", "absent", "max_drop"), 2),
        (("run", "not"), 8),
        (("run", 0, "not"), 9),
        (("run", 0), 9),
        (("run", 1, "not"), 8),
        (("run", -1), 8),
        (("axes", 0), 2),
        (("absent",), None),
        ((), None),
    ],
)
def test_the_line_is_that_of_the_key_or_of_the_deepest_one_above_it(
    path: tuple[str | int, ...], line: int | None
) -> None:
    assert line_of_key(TEXT.encode(), "a.yaml", path) == line
    # A byte order mark, and line ends of another system, move no line.
    assert line_of_key(TEXT.replace("\n", "\r\n").encode("utf-8-sig"), "a.yaml", path) == line


@pytest.mark.parametrize(
    "text", ["", "just text", "- a list", "a: [", "a: *b", "\ufffe", "a: b: c"]
)
def test_what_is_no_mapping_has_no_such_line(text: str) -> None:
    assert line_of_key(text.encode(), "a.yaml", ("axes",)) is None
