"""Why the score moved between two runs: the parts of the move, and the cases behind each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from rag_eval_pipeline import terminal
from rag_eval_pipeline.commands.compared import print_changes
from rag_eval_pipeline.commands.context import DONE, INSUFFICIENT, Context, nearest
from rag_eval_pipeline.commands.night import Night, run_all
from rag_eval_pipeline.comparison.attribution import PARTS, shown_points
from rag_eval_pipeline.comparison.gold_changes import gold_changes
from rag_eval_pipeline.comparison.pairs import ASKED, ASKED_IDENTICAL
from rag_eval_pipeline.comparison.slices import WHOLE
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.rubric_changes import rubric_changes
from rag_eval_pipeline.scores.stored import stored_rubric
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.warehouse import Warehouse

AXES_AND_OVERALL = (*AXES, "overall")
FIGURES = dict.fromkeys(AXES, "score") | {"overall": "passed"}
"""The headline of an axis is its mean score, of the whole the share of cases that pass."""
SPLIT = ("compared", "insufficient_data")
"""States of a comparison of which the move is split."""
NAMES = {"score": "mean score", "passed": "cases that pass"}
NONE = "–"
NAMED = 5
"""Cases of a part that are named without --cases."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The pair, and what is to be shown of it."""

    base: str
    candidate: str
    axis: str | None = None
    slice: str | None = None
    cases: bool = False
    base_rubric: str | None = None

    @property
    def dimension(self) -> tuple[str, str]:
        """Dimension and slice; the headline where none is asked for.

        Raises
        ------
        InputError
            The slice is not written as DIM=VALUE.
        """
        if self.slice is None:
            return WHOLE, WHOLE
        dimension, given, value = self.slice.partition("=")
        if not (dimension and given and value):
            raise InputError(
                code="slice_form",
                field="--slice",
                found=repr(self.slice),
                expected="DIM=VALUE, such as category=direct",
                todo="write dimension and value with an equals sign between",
            )
        return dimension, value


def why(context: Context, asked: Asked) -> int:
    """Split the move from BASE to CANDIDATE and show it; 3 if it is not split."""
    dimension = asked.dimension
    version = _version_of(context, asked)
    night = _computed(context, asked, version)
    with (warehouse := context.warehouse()).reading():
        parts = _parts(warehouse, asked)
        comparison = _comparison(warehouse, asked, parts)
        details = Details.of(warehouse, parts) if parts.height else None
        changes = warehouse.read(
            "regressions", comparison.select("dataset_version", "comparison_id")
        )
    shown = _chosen(parts, dimension, asked)
    code = night.exit_code or (DONE if parts.height else INSUFFICIENT)
    if context.json:
        told = shown if details is None else details.with_reasons(shown)
        terminal.print_json(
            night.as_json(code)
            | {
                "comparisons": terminal.rows(comparison),
                "attribution": terminal.rows(told),
                "regressions": terminal.rows(changes) if parts.is_empty() else [],
            }
        )
        return code
    if details is None:
        for row in comparison.iter_rows(named=True):
            print_changes(row, changes)
    else:
        details.tell(comparison.row(0, named=True), dimension)
        for axis, rows in shown.group_by("axis", maintain_order=True):
            _print_axis(str(axis[0]), details.with_reasons(rows), whole=asked.cases)
        if not asked.cases:
            terminal.say("Every case with what happened to it and why: add --cases")
        if comparison["state"][0] != "compared":
            terminal.say(f"No verdict rests on this: {comparison['reason'][0]}")
    night.tell()
    return code


@dataclass(frozen=True, slots=True)
class Details:
    """What stands behind the parts: changed gold, changed rubric keys, reasons of both sides."""

    gold: dict[str, str]
    rubric: dict[str, list[str]]
    reasons: dict[str, dict[str, str]]

    @classmethod
    def of(cls, warehouse: Warehouse, parts: pl.DataFrame) -> Details:
        """Read them; `parts` are the pair's rows of the attribution."""
        row = parts.row(0, named=True)
        sides = {
            "old": (row["baseline_dataset_version"], "baseline", row["baseline_rubric_version"]),
            "new": (row["dataset_version"], "candidate", row["rubric_version"]),
        }
        gold, reasons, bodies = [], {}, []
        for side, (version, name, rubric) in sides.items():
            of_version = pl.DataFrame({"dataset_version": [version]})
            gold.append(
                {
                    table: warehouse.read(table, of_version)
                    for table in ("cases", "case_evidence", "case_claims")
                }
            )
            scores = warehouse.read(
                "case_scores",
                of_version.with_columns(
                    run_id=pl.lit(row[f"{name}_run"]), rubric_version=pl.lit(rubric)
                ),
            ).filter(
                (pl.col("run_hash") == row[f"{name}_run_hash"])
                & (pl.col("dataset_hash") == row[f"{name}_dataset_hash"])
            )
            reasons[side] = _reasons(scores)
            bodies.append(warehouse.read("rubrics", pl.DataFrame({"rubric_version": [rubric]})))
        changed = gold_changes(gold[0], gold[1]).select(
            "case_id", pl.col("changed").list.join(", ")
        )
        return cls(dict(changed.iter_rows()), _rubric_changes(*bodies), reasons)

    def with_reasons(self, parts: pl.DataFrame) -> pl.DataFrame:
        """The parts with `reasons` beside `case_ids`: why what happened to each case happened."""
        return parts.with_columns(
            reasons=pl.Series(
                [
                    [self._reason(part, axis, *each) for each in zip(cases, changes, strict=True)]
                    for part, axis, cases, changes in parts.select(
                        "part", "axis", "case_ids", "changes"
                    ).iter_rows()
                ],
                dtype=pl.List(pl.String),
            )
        )

    def _reason(self, part: str, axis: str, case_id: str, change: str) -> str:
        cause = change.rpartition(" by ")[2] if part == "measurability" else part
        if cause == "rubric":
            keys = self.rubric.get(axis) or [key for each in self.rubric.values() for key in each]
            return "; ".join(keys)
        if cause == "reference":
            return f"gold changed: {self.gold.get(case_id, 'what its documents say')}"
        side = "old" if change.startswith("removed") else "new"
        return self.reasons[side].get(case_id, "")

    def tell(self, comparison: dict[str, object], dimension: tuple[str, str]) -> None:
        """Print what is compared and what changed beside the answers."""
        of_slice = "" if dimension[0] == WHOLE else f", {dimension[0]} {dimension[1]}"
        terminal.say(
            f"Why {comparison['candidate_run']} ({comparison['dataset_version']}) stands elsewhere "
            f"than {comparison['baseline_run']} ({comparison['baseline_dataset_version']})"
            f"{of_slice}"
        )
        for keys in self.rubric.values():
            terminal.say(f"  rubric: {'; '.join(keys)}")
        if self.gold:
            terminal.say(f"  gold changed: {terminal.listed(sorted(self.gold), 20)}")


def _reasons(scores: pl.DataFrame) -> dict[str, str]:
    """Reason by case: of the latest measures, the first trial that does not pass, if one."""
    passed = pl.col("passed").fill_null(value=False)
    first = scores.sort(
        ["case_id", pl.col("scored_at").rank("dense", descending=True), passed, "trial"]
    ).unique("case_id", keep="first", maintain_order=True)
    return dict(first.select("case_id", "reason").iter_rows())


def _print_axis(axis: str, parts: pl.DataFrame, *, whole: bool) -> None:
    first = parts.row(0, named=True)
    before, after = first["baseline_headline"], first["candidate_headline"]
    counts = f"(n {first['n_baseline']}) → "
    heading = f"{axis}, {NAMES[first['figure']]}: "
    if before is None or after is None:
        none = "nothing measured" if first["dimension"] == WHOLE else "too few cases for a rate"
        heading += f"{none} {counts}(n {first['n_candidate']})"
        points: list[float | None] = [None] * parts.height
        total = []
    else:
        points = list(shown_points(parts["amount"].to_list(), before, after))
        moved = _signed(round(after * 1000) / 10 - round(before * 1000) / 10)
        total = [("sum", moved, f"= {after * 100:.1f} − {before * 100:.1f}")]
        heading += (
            f"{before * 100:.1f} % {counts}{after * 100:.1f} % (n {first['n_candidate']}), "
            f"{moved} points"
        )
    rows = [
        (_label(row), _signed(shown), _named(row, whole=whole))
        for row, shown in zip(parts.iter_rows(named=True), points, strict=True)
    ]
    if all(cases == NONE for *_, cases in rows):
        terminal.say(f"{heading}: no part of it moved")
        return
    schema = {"part": pl.String, "points": pl.String, "cases": pl.String}
    terminal.print_table(pl.DataFrame([*rows, *total], schema=schema, orient="row"), heading)
    if whole:
        _print_cases(parts)


def _label(row: dict[str, Any]) -> str:
    named = str(row["label"])
    return named if named == row["part"] else f"{row['part']}: {named}"


def _named(row: dict[str, Any], *, whole: bool) -> str:
    """The cases of a part, or how many there are; those that add nothing are left out."""
    told = [
        f"{case} {_signed(amount * 100)} ({change})"
        for case, amount, change in zip(
            row["case_ids"], row["contributions"], row["changes"], strict=True
        )
        if amount != 0
    ]
    if not told:
        return NONE
    if whole:
        return f"{len(told)} cases" if len(told) > 1 else "1 case"
    more = f"; and {len(told) - NAMED} more" if len(told) > NAMED else ""
    return "; ".join(told[:NAMED]) + more


def _print_cases(parts: pl.DataFrame) -> None:
    rows = (
        parts.select("part", "case_ids", "contributions", "changes", "reasons")
        .explode("case_ids", "contributions", "changes", "reasons", empty_as_null=False)
        .filter(pl.col("contributions") != 0)
        .with_columns(
            points=pl.col("contributions").mul(100).map_elements(_signed, return_dtype=pl.String)
        )
    )
    if rows.height:
        terminal.print_table(
            rows,
            None,
            {
                "part": "part",
                "case_ids": "case",
                "points": "points",
                "changes": "what happened",
                "reasons": "why",
            },
        )


def _signed(value: float | None) -> str | None:
    """Points with sign, a true minus and one decimal; what rounds to 0 has no sign."""
    if value is None:
        return None
    shown = f"{abs(value):.1f}"
    if float(shown) == 0:
        return "0.0"
    return ("+" if value > 0 else "−") + shown


def _rubric_changes(old: pl.DataFrame, new: pl.DataFrame) -> dict[str, list[str]]:
    """Per section the keys two stored rubrics set differently, as `section.key: old → new`."""
    changed: dict[str, list[str]] = {}
    for each in rubric_changes(stored_rubric(old), stored_rubric(new)):
        changed.setdefault(each.section, []).append(each.sentence)
    return changed


def _version_of(context: Context, asked: Asked) -> str:
    runs = context.warehouse().read("runs", columns=["run_id", "dataset_version"])
    for name, run_id in (("BASE", asked.base), ("CANDIDATE", asked.candidate)):
        if run_id not in runs["run_id"]:
            known = sorted(runs["run_id"])
            raise InputError(
                code="unknown_run",
                field=name,
                found=f"the run {run_id!r}, which no dataset version holds",
                expected=f"one of {terminal.listed(known)}",
                todo="correct the id, or run `rag-eval nightly` to take it in"
                f"{nearest(run_id, known)}",
            )
    _known(asked.axis, list(AXES_AND_OVERALL), "--axis")
    if asked.base_rubric is not None:
        stored = context.warehouse().held("rubrics")["rubric_version"].to_list()
        _known(asked.base_rubric, stored, "--base-rubric")
    version = runs.filter(pl.col("run_id") == asked.candidate)["dataset_version"][0]
    return str(version)


def _known(wanted: str | None, there: list[str], field: str) -> None:
    if wanted is not None and wanted not in there:
        raise InputError(
            code="unknown_value",
            field=field,
            found=repr(wanted),
            expected=f"one of {terminal.listed(there, 20)}",
            todo=f"correct it{nearest(wanted, there)}",
        )


def _computed(context: Context, asked: Asked, version: str) -> Night:
    """Have the pair compared and split where that is not stored yet.

    What a nightly made is taken as it stands; news are for the next nightly.
    """
    with (warehouse := context.warehouse()).reading():
        pairs = _pairs(warehouse, asked)
        split = _parts(warehouse, asked).height > 0
    if split or (pairs.height and not pairs["state"].is_in(SPLIT).any()):
        return Night()
    ops: dict[str, dict[str, object]] = {}
    if asked.base_rubric is not None:
        ops["attribution"] = {
            "candidate": asked.candidate,
            "baseline": asked.base,
            "base_rubric": asked.base_rubric,
        }
    if pairs.is_empty():
        ops["comparison"] = {"candidate": asked.candidate, "baseline": asked.base}
    return run_all(context, "nightly", version, config=ops)


def _pairs(warehouse: Warehouse, asked: Asked) -> pl.DataFrame:
    """Comparisons of the pair that hold today, the one a rule gives first."""
    ids = pl.DataFrame({"candidate_run": [asked.candidate], "baseline_run": [asked.base]})
    return (
        warehouse.read("comparisons")
        .join(ids, on=ids.columns, how="semi")
        .filter(pl.col("superseded_at").is_null() & (pl.col("baseline_rule") != ASKED_IDENTICAL))
        .sort(pl.col("baseline_rule") == ASKED, "rubric_version")
    )


def _parts(warehouse: Warehouse, asked: Asked) -> pl.DataFrame:
    """Rows of the attribution of the pair: with the rubric asked for, else the recorded one."""
    pairs = _pairs(warehouse, asked).select("dataset_version", "comparison_id")
    rows = warehouse.read("score_change_attribution", pairs)
    rows = rows.filter(
        pl.col("current")
        if asked.base_rubric is None
        else pl.col("baseline_rubric_version") == asked.base_rubric
    )
    if rows.is_empty():
        return rows
    first = pairs.join(rows, on="comparison_id", how="semi", maintain_order="left")
    return rows.filter(pl.col("comparison_id") == first["comparison_id"][0])


def _comparison(warehouse: Warehouse, asked: Asked, parts: pl.DataFrame) -> pl.DataFrame:
    pairs = _pairs(warehouse, asked)
    if parts.is_empty():
        return pairs
    return pairs.filter(pl.col("comparison_id") == parts["comparison_id"][0])


def _chosen(parts: pl.DataFrame, dimension: tuple[str, str], asked: Asked) -> pl.DataFrame:
    """The rows to show, in order of axes and parts, one figure an axis.

    Raises
    ------
    InputError
        There is no slice of that name.
    """
    if parts.is_empty():
        return parts
    known = parts.select("dimension", "slice").unique().sort("dimension", "slice")
    if dimension not in known.rows():
        of = [f"{name}={value}" for name, value in known.iter_rows() if name != WHOLE]
        _known("=".join(dimension), of, "--slice")
    axes = [asked.axis] if asked.axis is not None else list(AXES_AND_OVERALL)
    figures = pl.DataFrame({"axis": list(FIGURES), "figure": list(FIGURES.values())})
    order = [
        pl.col(column).replace_strict(
            {name: place for place, name in enumerate(names)}, return_dtype=pl.Int64
        )
        for column, names in (("axis", AXES_AND_OVERALL), ("part", PARTS))
    ]
    return (
        parts.filter(
            (pl.col("dimension") == dimension[0])
            & (pl.col("slice") == dimension[1])
            & pl.col("axis").is_in(axes)
        )
        .join(figures, on=["axis", "figure"], how="semi")
        .sort(order)
    )
