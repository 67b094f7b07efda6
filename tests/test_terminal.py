"""What reaches a terminal, a spreadsheet or a program."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import polars as pl
import pytest

from rag_eval_pipeline import terminal


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (0.123456, "0.1235"),
        (float("nan"), "–"),
        ([], ""),
        (["a", None], "a, –"),
        ({"k": 1}, '{"k": 1}'),
        (b"\xaa", "aa"),
        (dt.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=dt.UTC), "2026-01-02T03:04:05+00:00"),
        ("a\x1b[2Jb\u202ec", "a\ufffd[2Jb\ufffdc"),
        ("two\nlines\tx", "two\nlines\tx"),
    ],
)
def test_a_value_is_shown_short_and_without_surprises(value: object, text: str) -> None:
    assert terminal.shown(value) == text


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("-inf"), [float("inf")], {"a": {"b": [float("nan")]}}],
)
def test_what_is_no_number_is_null_in_json(value: object) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    json.loads(terminal.as_json(value), parse_constant=refuse)


def test_json_keeps_whole_numbers_and_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal.print_json({"n": 9007199254740993, "d": Decimal("1.50"), "t": "規程 🚚", "b": False})
    out = capsys.readouterr().out
    assert out == '{"n": 9007199254740993, "d": 1.5, "t": "規程 🚚", "b": false}\n'


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", " =", "＝", "＋", "－", "＠"])
def test_text_that_starts_a_formula_is_guarded_in_csv(start: str) -> None:
    frame = pl.DataFrame({"text": [f"{start}1"], "list": [[f"{start}1"]], "n": [-1]})
    line = terminal.as_csv(frame).split("\n", 1)[1]
    assert line.lstrip('"').startswith("'")
    assert line.endswith(",-1\n")


def test_markup_in_a_cell_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_table(pl.DataFrame({"[bold]a": ["[red]x[/red]"]}), "[b]title")
    out = capsys.readouterr().out
    assert "[red]x[/red]" in out
    assert "[bold]a" in out
    assert "[b]title" in out


def test_a_frame_too_wide_is_printed_row_by_row(capsys: pytest.CaptureFixture[str]) -> None:
    wide = pl.DataFrame({f"a_rather_long_name_{number}": [number] for number in range(12)})
    terminal.print_table(wide, "numbers")
    out = capsys.readouterr().out.splitlines()
    assert out[:2] == ["numbers", "─── row 1 ───"]
    assert out[-1].split() == ["a_rather_long_name_11", "11"]
    terminal.print_table(wide.clear())
    assert capsys.readouterr().out.startswith("columns: a_rather_long_name_0, ")


def test_problems_go_to_the_error_stream_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.problem("x" * 500 + "[red]")
    terminal.problem("beware", "warning")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"error: {'x' * 500}[red]\nwarning: beware\n"


def test_a_long_list_says_how_much_is_left_out() -> None:
    assert terminal.listed(["a", "b"]) == "a, b"
    assert terminal.listed(list("abcd"), most=2) == "a, b and 2 more"
