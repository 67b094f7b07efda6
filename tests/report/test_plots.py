from __future__ import annotations

import datetime as dt
import xml.etree.ElementTree as ET
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from rag_eval_pipeline.report.plots import Picture, trend_picture, xml_text
from rag_eval_pipeline.report.trend import history

RowsOf = Callable[..., pl.DataFrame]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>x</script>\"'&\x00\x0b\uffff\u202e"


@pytest.fixture
def drawn(rows_of: RowsOf) -> Callable[..., Picture]:
    def draw(*rates: float | None, **values: list[Any]) -> Picture:
        rows = [
            {"run_id": f"r{place}", "axis": "overall", "pass_rate": rate, "pass_rate_low": rate,
             "pass_rate_high": rate, "n_measured": 8, "n_missing": 0, "system": "bot",
             "started_at": dt.datetime(2026, 4, 1 + place, tzinfo=dt.UTC),
             **{name: given[place] for name, given in values.items()}}
            for place, rate in enumerate(rates)
        ]  # fmt: skip
        return trend_picture(history(rows_of("run_trend", *rows)), "Trend of <b>")

    return draw


def lines(picture: Picture) -> list[int]:
    """How many runs each line goes through."""
    paths = [
        each.get("d", "")
        for each in ET.fromstring(picture.svg).iter(f"{SVG}path")
        if each.get("fill") == "none"
    ]
    return [piece.count("L") + 1 for path in paths for piece in path.split("M")[1:]]


def test_same_points_give_the_same_bytes(drawn: Any) -> None:
    assert drawn(0.5, 0.75) == drawn(0.5, 0.75)


def test_a_line_joins_the_runs_of_one_series(drawn: Any) -> None:
    assert lines(drawn(0.5, 0.75, 1.0)) == [3]


def test_two_series_are_never_on_one_line_and_what_changed_can_be_read(drawn: Any) -> None:
    picture = drawn(
        0.5, 0.6, 0.7, 0.8, series=["a", "a", "b", "b"], dataset_version=["f@1"] * 2 + ["f@2"] * 2
    )

    assert lines(picture) == [2, 2]
    assert "<title>dataset f@1 → f@2</title>" in picture.svg


def test_two_systems_are_two_lines_with_their_names(drawn: Any) -> None:
    picture = drawn(0.5, 0.6, 0.7, 0.8, system=["a", "b", "a", None])

    assert lines(picture) == [2]
    words = [text.strip() for text in ET.fromstring(picture.svg).itertext()]
    assert {"a", "b", "system not named"} <= set(words)


def test_a_line_stops_where_nothing_is_measured(drawn: Any) -> None:
    assert lines(drawn(0.5, 0.6, None, 0.7, 0.8)) == [2, 2]


def test_a_verdict_is_told_by_shape_and_in_words(drawn: Any) -> None:
    picture = drawn(0.9, 0.5, verdict=[None, "worse"], baseline_run=[None, "r0"])

    assert "50.0 % (n = 8), worse against r0" in picture.text
    better = drawn(0.9, 0.5, verdict=[None, "better"], baseline_run=[None, "r0"])
    assert "h12l-6 10z" in picture.svg
    assert "h12l-6 -10z" in better.svg


def test_open_answers_are_a_bar_between_the_bounds(drawn: Any) -> None:
    shut, wide = drawn(0.5), drawn(0.5, pass_rate_low=[0.25], pass_rate_high=[0.75])

    assert wide.svg.count("<path") == shut.svg.count("<path") + 1
    assert "between 25.0 % and 75.0 %" in wide.text


def test_hostile_names_leave_one_well_formed_picture(drawn: Any) -> None:
    picture = drawn(
        0.5, 0.6, run_id=[HOSTILE, "b"], system=[HOSTILE, "b"], series=["a", HOSTILE],
        dataset_version=[HOSTILE, HOSTILE + "2"],
    )  # fmt: skip

    root = ET.fromstring(picture.svg)
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        "svg", "g", "path", "text", "tspan", "title", "circle", "rect"
    }  # fmt: skip
    assert root.get("role") == "img"
    assert "<b>" not in picture.svg
    assert b64decode(picture.data_uri.partition(",")[2]) == picture.svg.encode()


def test_text_for_xml_keeps_what_people_wrote() -> None:
    assert xml_text("質問 <1> & 2") == "質問 &lt;1&gt; &amp; 2"


def test_text_for_xml_can_be_written_whatever_it_was() -> None:
    assert xml_text("a\ud800b\x00c").encode()
