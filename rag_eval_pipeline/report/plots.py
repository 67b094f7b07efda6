"""A trend as SVG, drawn by hand: a few lines and marks need no plotting library."""

from __future__ import annotations

import datetime as dt
import html
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from rag_eval_pipeline.reading.sanitise import sanitise_text
from rag_eval_pipeline.report.words import percent

WIDTH, NARROW, HEIGHT = 720, 420, 190
LEFT, RIGHT, TOP, BOTTOM = 44, 16, 20, 26
LETTER = 6
DATE_WIDTH = 70

# Told apart by people who do not see all colours, on light and on dark ground (Okabe and Ito);
# the two of the verdicts are no system's.
COLOURS = ("#0072B2", "#CC79A7", "#8B7500", "#56B4E9", "#7F7F7F")
WORSE, BETTER = "#D55E00", "#009E73"
_NOT_XML = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]"
)


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG and the same in words, for whoever does not see it."""

    svg: str
    text: str

    @property
    def data_uri(self) -> str:
        """The picture as an address that holds it, for an image in Markdown."""
        return "data:image/svg+xml;base64," + b64encode(self.svg.encode()).decode()


def xml_text(text: str) -> str:
    """Text for an element or a quoted attribute of XML or HTML: nothing in it acts."""
    return html.escape(_NOT_XML.sub(" ", sanitise_text(text)), quote=True)


def trend_picture(points: pl.DataFrame, title: str, *, ground: bool = False) -> Picture:
    """Pass rates over the runs, a line for each system and series, marks by verdict.

    Parameters
    ----------
    points
        Rows of `trend.history` of one rubric and axis.
    title
        What is drawn.
    ground
        Whether to lay white ground under it and keep it narrow, for an image in a small window
        that does not hand down its colours.
    """
    sheet = _Sheet(
        NARROW if ground else WIDTH,
        int(points["place"].max() or 1),  # type: ignore[arg-type]
        titled=not ground,
    )
    text = _in_words(points, title)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {sheet.width} {HEIGHT}" role="img" '
        f'aria-label="{xml_text(text)}" font-family="sans-serif" font-size="11" '
        f'color="{"#222" if ground else "currentColor"}">'
    )
    parts = [
        opening,
        *([f'<rect width="{sheet.width}" height="{HEIGHT}" fill="#fff"/>'] if ground else []),
        *_grid(sheet),
    ]
    for changed, place in points.filter(pl.col("changed").is_not_null()).select(
        "changed", "place").unique(maintain_order=True).iter_rows():  # fmt: skip
        x = (sheet.x(place) + sheet.x(place - 1)) / 2
        parts.append(
            f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="currentColor" '
            f'stroke-dasharray="2 3">{sheet.title(changed)}</path>'
        )
    colours: dict[str | None, str] = {}
    for (system, _, superseded), line in points.group_by(
        "system", "series", "superseded", maintain_order=True
    ):
        colour = colours.setdefault(system, COLOURS[len(colours) % len(COLOURS)])
        drawn = "".join(_line(line, sheet, colour) + _marks(line, sheet, colour))
        parts.append(f'<g opacity="0.4">{drawn}</g>' if superseded else drawn)
    parts += _dates(points, sheet)
    parts += _names(colours, sheet)
    return Picture("".join([*parts, "</svg>"]), text)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """How wide the picture is, how many places it has, whether its marks tell what they are.

    In an image no mark can be pointed at: what they tell would only make it larger.
    """

    width: int
    last: int
    titled: bool

    def title(self, text: str) -> str:
        return f"<title>{xml_text(text)}</title>" if self.titled else ""

    @property
    def inner(self) -> int:
        return self.width - LEFT - RIGHT

    def x(self, place: int) -> float:
        return LEFT + (place - 0.5) / self.last * self.inner


def _y(rate: float) -> float:
    return HEIGHT - BOTTOM - rate * (HEIGHT - TOP - BOTTOM)


def _grid(sheet: _Sheet) -> Iterator[str]:
    for grade in (0, 25, 50, 75, 100):
        y = _y(grade / 100)
        yield (
            f'<path d="M{LEFT} {y:.1f}H{sheet.width - RIGHT}" stroke="currentColor" opacity="0.2"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="currentColor">'
            f"{grade} %</text>"
        )


def _line(line: pl.DataFrame, sheet: _Sheet, colour: str) -> list[str]:
    """The line through its runs; it stops where nothing is measured."""
    pieces: list[list[str]] = [[]]
    for place, rate in line.select("place", "pass_rate").iter_rows():
        if rate is None:
            pieces.append([])
        else:
            pieces[-1].append(f"{sheet.x(place):.1f} {_y(rate):.1f}")
    path = "".join(f"M{'L'.join(piece)}" for piece in pieces if len(piece) > 1)
    return [f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'] if path else []


def _marks(line: pl.DataFrame, sheet: _Sheet, colour: str) -> list[str]:
    """A mark a run, its shape by the verdict, a bar between the bounds where answers are open."""
    marks = []
    for row in line.filter(pl.col("pass_rate").is_not_null()).iter_rows(named=True):
        x, y = sheet.x(row["place"]), _y(row["pass_rate"])
        low, high = row["pass_rate_low"], row["pass_rate_high"]
        bar = "" if low is None or high is None or low == high else (
            f'<path d="M{x:.1f} {_y(low):.1f}V{_y(high):.1f}" stroke="{colour}"/>'
        )  # fmt: skip
        shape = {
            "worse": f'<path d="M{x - 6:.1f} {y - 5:.1f}h12l-6 10z" fill="{WORSE}"/>',
            "better": f'<path d="M{x - 6:.1f} {y + 5:.1f}h12l-6 -10z" fill="{BETTER}"/>',
            "inconclusive": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" '
            f'stroke="{colour}" stroke-width="1.5"/>',
        }.get(row["verdict"], f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        marks.append(f"<g>{sheet.title(_point_in_words(row))}{bar}{shape}</g>")
    return marks


def _dates(points: pl.DataFrame, sheet: _Sheet) -> Iterator[str]:
    """Day of the last run, and of the first where there is room for it."""
    days = points.filter(pl.col("started_at").is_not_null()).sort("place")
    ends = [(row[0], row[1].date()) for row in days.select("place", "started_at").iter_rows()]
    if ends:
        (first, first_day), (place, day) = ends[0], ends[-1]
        if sheet.x(place) - sheet.x(first) > 2 * DATE_WIDTH:
            yield _date(sheet.x(first), first_day, "start")
        yield _date(sheet.x(place), day, "end")


def _date(x: float, day: dt.date, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="{anchor}" fill="currentColor">'
        f"{day.isoformat()}</text>"
    )


def _names(colours: dict[str | None, str], sheet: _Sheet) -> Iterator[str]:
    """Which system has which colour, where there is more than one."""
    step = sheet.inner / max(len(colours), 1)
    for place, (system, colour) in enumerate(colours.items() if len(colours) > 1 else ()):
        name = system or "system not named"
        length = max(int(step / LETTER) - 3, 1)
        short = name if len(name) <= length else name[: length - 1] + "…"
        yield (
            f'<text x="{LEFT + place * step:.1f}" y="11" fill="currentColor">'
            f'<tspan fill="{colour}">●</tspan> {xml_text(short)}</text>'
        )


def _point_in_words(row: dict[str, object]) -> str:
    rate, low, high = (
        float(str(row[name])) for name in ("pass_rate", "pass_rate_low", "pass_rate_high")
    )
    between = f", between {percent(low)} and {percent(high)}" if low != high else ""
    verdict = str(row["verdict"]).replace("_", " ")
    against = f", {verdict} against {row['baseline_run']}" if row["verdict"] is not None else ""
    earlier = f", by the earlier {row['rubric_version']}" if row["superseded"] else ""
    return (
        f"{row['run_id']} on {row['dataset_version']}: {percent(rate)} (n = {row['n']}{between})"
        f"{against}{earlier}"
    )


def _in_words(points: pl.DataFrame, title: str) -> str:
    """Title, how many runs and lines, and the latest run of each system."""
    measured = points.filter(~pl.col("superseded") & pl.col("pass_rate").is_not_null())
    latest = measured.sort("place").unique("system", keep="last", maintain_order=True)
    n_lines = measured.select("system", "series").n_unique()
    counts = f"{points['place'].n_unique()} runs in {n_lines} {'line' if n_lines == 1 else 'lines'}"
    said = [f"{title}: {counts}", *(_point_in_words(row) for row in latest.iter_rows(named=True))]
    return "; ".join(said)
