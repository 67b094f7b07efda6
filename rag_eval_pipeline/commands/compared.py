"""Showing a comparison: the cases by id first, then what to know of it, then verdicts (R9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rag_eval_pipeline import tables, terminal
from rag_eval_pipeline.comparison.slices import WHOLE
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.warehouse import Warehouse

CHANGES = (
    "regressed", "recovered", "missing", "unmeasured", "gold_changed", "evidence_drifted", "new",
    "removed",
)  # fmt: skip
_OF_AXIS = CHANGES[:4]
ORDER = {axis: place for place, axis in enumerate(("overall", *AXES))}
"""Axes as they are shown: the whole first."""
LISTED = 20
"""Most ids of a list, and most slices, that are shown."""
_WORST_FIRST = {"worse": 0, "better": 1, "insufficient_data": 2, "inconclusive": 3}
_LISTS = {"system_error_case_ids": "system error", "flaky_case_ids": "flaky"}
_OF_PAIR = ["dataset_version", "comparison_id"]


@dataclass(slots=True)
class Compared:
    """Comparisons (rows of `comparisons`) and their rows of the other tables."""

    comparisons: pl.DataFrame
    changes: pl.DataFrame
    summary: pl.DataFrame
    figures: pl.DataFrame

    @classmethod
    def of(cls, warehouse: Warehouse, comparisons: pl.DataFrame) -> Compared:
        """Read what belongs to some comparisons."""
        keys = comparisons.select(_OF_PAIR)
        return cls(
            comparisons=comparisons,
            changes=warehouse.read("regressions", keys),
            summary=warehouse.read("comparison_summary", keys),
            figures=warehouse.read("comparison_figures", keys),
        )

    @classmethod
    def current(
        cls, warehouse: Warehouse, versions: pl.DataFrame, shown: pl.DataFrame | None
    ) -> Compared:
        """Comparisons of some dataset versions that hold today.

        `shown` names the candidates whose comparisons are read in full (dataset_version,
        candidate_run); None = all. Of the others no more is read than what became of them.
        """
        every = tables.columns("comparisons")
        # The ids on the core are many, and are not shown to people.
        columns = [name for name in every if shown is None or name != "core_case_ids"]
        rows = warehouse.read("comparisons", versions, columns).filter(
            pl.col("superseded_at").is_null()
        )
        if shown is None:
            return cls.of(warehouse, rows)
        named = rows.join(shown, on=shown.columns, how="semi", maintain_order="left")
        return replace(cls.of(warehouse, named), comparisons=rows)

    def as_json(self, *, slices: bool = True) -> dict[str, object]:
        """Their rows for programs; without `slices` the summary is of the whole only."""
        whole = pl.lit(value=True) if slices else pl.col("dimension") == WHOLE
        return {
            "comparisons": terminal.rows(self.comparisons),
            "regressions": terminal.rows(self.changes),
            "comparison_summary": terminal.rows(self.summary.filter(whole)),
            "comparison_figures": terminal.rows(self.figures),
        }

    def only(self, chosen: pl.Expr) -> Compared:
        """Those that a condition on `comparisons` holds for."""
        kept = self.comparisons.filter(chosen)
        return Compared(
            kept,
            *(
                rows.join(kept, on=_OF_PAIR, how="semi", maintain_order="left")
                for rows in (self.changes, self.summary, self.figures)
            ),
        )


def print_changes(comparison: dict[str, Any], changes: pl.DataFrame) -> None:
    """One comparison: its sides, its standing, its cases that changed as a whole, and notes."""
    _print_lists(comparison, changes)
    _print_notes(comparison)


def print_short(comparison: dict[str, Any], among: Compared) -> None:
    """One comparison in a few lines: its cases that changed as a whole, and its verdicts."""
    mine = _mine(comparison, among)
    print_changes(comparison, mine.changes)
    told = [_in_short(row) for row in _axes(mine.summary)]
    if told:
        terminal.say(f"  verdict: {'; '.join(told)}")


def print_whole(comparison: dict[str, Any], among: Compared) -> None:
    """All of one comparison: lists, notes, verdicts per axis and slice, figures, differences."""
    mine = _mine(comparison, among)
    _print_lists(comparison, mine.changes)
    _print_lists_by_axis(mine.changes)
    _print_notes(comparison)
    _print_axes(mine.summary)
    _print_slices(mine.summary)
    _print_figures(mine.figures)
    if comparison["differences"]:
        terminal.say("What differs beside the answers:")
        for each in comparison["differences"]:
            terminal.say(f"  {_as_index(each)}")


def standing(comparison: dict[str, Any]) -> str:
    """What became of a comparison, in words."""
    said = {"refused": "refused, ", "insufficient_data": "insufficient data, "}
    return said.get(comparison["state"], "") + str(comparison["reason"])


def _mine(comparison: dict[str, Any], among: Compared) -> Compared:
    return among.only(pl.col("comparison_id") == comparison["comparison_id"])


def _sides(comparison: dict[str, Any]) -> str:
    return f"{comparison['candidate_run']} against {comparison['baseline_run']}"


def _print_lists(comparison: dict[str, Any], changes: pl.DataFrame) -> None:
    """The cases that changed as a whole, by id."""
    terminal.say(f"{_sides(comparison)}: {standing(comparison)}")
    overall = changes.filter(
        (pl.col("comparison_id") == comparison["comparison_id"]) & (pl.col("axis") == "overall")
    )
    for change in CHANGES:
        cases = overall.filter(pl.col("change") == change)["case_id"].to_list()
        if cases:
            terminal.say(f"  {change.replace('_', ' ')}: {terminal.listed(cases, LISTED)}")
    for column, word in _LISTS.items():
        if comparison[column]:
            terminal.say(f"  {word}: {terminal.listed(comparison[column], LISTED)}")
    if comparison["state"] == "compared" and overall.is_empty():
        terminal.say("  no case changed")


def _print_notes(comparison: dict[str, Any]) -> None:
    for note in comparison["notes"]:
        terminal.say(f"  note: {note}")


def _print_lists_by_axis(changes: pl.DataFrame) -> None:
    """The axes on which cases of the core changed; the other lists are the same on every axis."""
    on_core = changes.filter(pl.col("change").is_in(_OF_AXIS))
    if on_core.is_empty():
        return
    ids = pl.col("case_id").sort()
    shown = (
        pl.when(ids.len() > LISTED)
        .then(pl.format("{} and {} more", ids.head(LISTED).str.join(", "), ids.len() - LISTED))
        .otherwise(ids.str.join(", "))
    )
    by_axis = (
        on_core.group_by("axis", "change")
        .agg(shown.alias("cases"))
        .pivot(on="change", index="axis", values="cases", on_columns=list(_OF_AXIS))
        .sort(pl.col("axis").replace_strict(ORDER, return_dtype=pl.Int64))
    )
    present = [change for change in _OF_AXIS if by_axis[change].is_not_null().any()]
    terminal.print_table(
        by_axis, "On which axes", {"axis": "axis"} | {change: change for change in present}
    )


def _axes(summary: pl.DataFrame) -> Iterable[dict[str, Any]]:
    """Rows of the whole that a case can be paired on, `overall` first."""
    return (
        summary.filter((pl.col("dimension") == WHOLE) & (pl.col("n_core") > 0))
        .sort(pl.col("axis").replace_strict(ORDER, return_dtype=pl.Int64))
        .iter_rows(named=True)
    )


def _print_axes(summary: pl.DataFrame) -> None:
    rows = list(_axes(summary))
    if not rows:
        return
    terminal.print_table(_table(rows, ["axis"]), "Verdict per axis (scores and rates in %)")
    for row in rows:
        terminal.say(f"{row['axis']}: {row['told']}")


def _print_slices(summary: pl.DataFrame) -> None:
    whole = summary.filter(pl.col("dimension") == WHOLE).select("axis", n_whole="n_core")
    chosen = (
        summary.join(whole, on="axis")
        .filter(
            (pl.col("dimension") != WHOLE)
            & pl.col("verdict").is_not_null()
            & (pl.col("verdict") != "within_noise")
            & (pl.col("n_core") > 0)
            # A slice that holds every case says nothing that the whole does not.
            & ((pl.col("n_core") != pl.col("n_whole")) | (pl.col("slice") == "development"))
        )
        .sort(
            pl.col("verdict").replace_strict(_WORST_FIRST, return_dtype=pl.Int64),
            pl.col("difference").abs(),
            "dimension",
            "slice",
            "axis",
            descending=[False, True, False, False, False],
            nulls_last=True,
        )
    )
    if chosen.is_empty():
        return
    rows = [
        row | {"slice": f"{row['dimension']} {row['slice']}"}
        for row in chosen.head(LISTED).iter_rows(named=True)
    ]
    terminal.print_table(_table(rows, ["slice", "axis"]), "Slices that are not within noise")
    if chosen.height > LISTED:
        more = chosen.height - LISTED
        terminal.say(f"and {more} more, in the table comparison_summary")


def _table(rows: Sequence[dict[str, Any]], named: Sequence[str]) -> pl.DataFrame:
    shown = [
        {name: row[name] for name in named}
        | {
            "n": f"{row['n_pairs']}/{row['n_core']}",
            "before": _percent(row["baseline"]),
            "after": _percent(row["candidate"]),
            "points": _points(row["difference"]),
            "95 % interval": _interval(row),
            "p": _p(row["p_value"]),
            "p Holm": _p(row["p_adjusted"]),
            "verdict": row["verdict"].replace("_", " "),
        }
        for row in rows
    ]
    return pl.DataFrame(shown, schema=dict.fromkeys(shown[0], pl.String), orient="row")


def _print_figures(figures: pl.DataFrame) -> None:
    logged = figures.filter(pl.col("standing") != "not_logged")
    if logged.height:
        rows = [
            {
                "figure": row["figure"],
                "n before": str(row["n_baseline"]),
                "n after": str(row["n_candidate"]),
                "before": _figure(row["baseline"], row["unit"]),
                "after": _figure(row["candidate"], row["unit"]),
                "change": _figure(row["change"], row["unit"], sign=True),
                "tolerance": _figure(row["tolerance"], row["unit"]),
                "standing": row["standing"].replace("_", " "),
            }
            for row in logged.iter_rows(named=True)
        ]
        terminal.print_table(
            pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String), orient="row"),
            "Figures, over the headline's cases that both runs have",
        )
    absent = figures.filter(pl.col("standing") == "not_logged")["figure"].to_list()
    if absent:
        terminal.say(f"not logged on both sides: {', '.join(absent)}")


def _in_short(row: dict[str, Any]) -> str:
    said = f"{row['axis']} {row['verdict'].replace('_', ' ')}"
    if row["verdict"] == "within_noise" and row["worse"] == row["better"] == 0:
        return f"{said} (n {row['n_pairs']})"
    if row["difference"] is None:
        return f"{said} ({row['told']})"
    return f"{said} ({_points(row['difference'])} points, {_interval(row)}, n {row['n_pairs']})"


def _as_index(difference: str) -> str:
    """The index by the name it has elsewhere: `index A→B`."""
    name, _, moved = difference.partition(": ")
    return f"index {moved.replace(' → ', '→')}" if name == "indexed_snapshot" else difference


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share * 100:.1f}"


def _points(share: float | None) -> str:
    # Half a tenth of a point is shown as no point, without a sign.
    return "–" if share is None else f"{round(share * 100, 1) + 0.0:+.1f}"


def _interval(row: dict[str, Any]) -> str:
    if row["interval_low"] is None:
        return "–"
    return f"{_points(row['interval_low'])} to {_points(row['interval_high'])}"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value >= 0.001 else "< 0.001"


def _figure(value: float | None, unit: str, *, sign: bool = False) -> str:
    if value is None:
        return "–"
    plus = "+" if sign else ""
    if unit == "share":
        return f"{value * 100:{plus}.1f} {'points' if sign else '%'}"
    if unit == "usd":
        return f"{value:{plus}.4g} USD"
    return f"{value:{plus},.0f} {unit}"
