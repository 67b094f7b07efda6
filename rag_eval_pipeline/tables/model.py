"""What every table contract shares: the base class, column types and column groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pandera.polars as pa
import polars as pl

if TYPE_CHECKING:
    import datetime as dt

    Text = str
    Texts = list[str]
    Integer = int
    Integers = list[int]
    Number = float
    Numbers = list[float]
    Boolean = bool
    Day = dt.date
    Instant = dt.datetime
else:
    Text = pl.String
    Texts = pl.List(pl.String)
    Integer = pl.Int64
    Integers = pl.List(pl.Int64)
    Number = pl.Float64
    Numbers = pl.List(pl.Float64)
    Boolean = pl.Boolean
    Day = pl.Date
    Instant = pl.Datetime("us", "UTC")

AXES = ("search", "evidence", "behavior", "format")
STATES = ("measured", "unmeasured", "not_applicable", "held_out", "missing")
STATUSES = ("answer", "unknown", "clarify")
SPLITS = ("development", "validation", "test")
RISKS = ("low", "medium", "high")
CATEGORIES = (
    "direct",
    "paraphrase",
    "conditional",
    "multi_evidence",
    "negation_exception",
    "unanswerable",
    "update_conflict",
    "access_restricted",
)


def column(description: str, *, nullable: bool = False, **checks: Any) -> Any:
    """A described column of a table contract; `checks` are pandera's (`isin`, `ge`, `le`, …)."""
    return pa.Field(description=description, nullable=nullable, **checks)


def share(description: str, *, nullable: bool = True) -> Any:
    """A column holding a number in [0, 1]."""
    return column(description, nullable=nullable, ge=0.0, le=1.0)


class Table(pa.DataFrameModel):
    """Base of all contracts: the columns are exactly these, in this order, with these types.

    `Config.metadata` of a table holds `keys` (the columns by which rows are exchanged in the
    warehouse) and `row_id` (the columns that name one row to a person).
    """

    class Config:
        strict = True
        metadata: ClassVar[dict[str, list[str]]]


class Partitioned(Table):
    """Rows of one dataset version."""

    dataset_version: Text = column("Dataset version `name@version`, the partition of every asset")


class OfRun(Partitioned):
    """Rows of one run as its log was read."""

    run_id: Text = column("Run, as the log names it")
    run_hash: Text = column("sha256 of the run's sorted canonical rows and manifest (R11)")


class OfMeasure(Partitioned):
    """Keys of everything measured: never served from old rows when gold or run change."""

    dataset_hash: Text = column("sha256 over the (case_id, case_hash) pairs measured against (R11)")
    run_id: Text = column("Run, as the log names it")
    run_hash: Text = column("sha256 of the run's sorted canonical rows and manifest (R11)")
    measure_version: Text = column(
        "Version of the measuring rules; of a draft with the snapshot it was judged against"
    )


class ItemMeasure(OfMeasure):
    """A measure of one run item."""

    case_id: Text = column("Case of the run item")
    trial: Integer = column("Trial of the case within the run, from 1", ge=1)


class Aggregate(OfMeasure):
    """Counts that stand beside every aggregate; n counts cases, items are `n_items` (R1)."""

    rubric_version: Text = column("Rubric the scores were made with")
    current: Boolean = column("Whether data, run, rubric and rules are today's")
    model_hash: Text = column("Hash of the SQL and of the cases' slices the row was made from")
    n_cases: Integer = column("Cases in the row's scope", ge=0)
    n_measured: Integer = column("Cases with a measured result", ge=0)
    n_unmeasured: Integer = column("Cases whose result is open", ge=0)
    n_not_applicable: Integer = column("Cases the axis makes no sense for", ge=0)
    n_held_out: Integer = column("Cases whose gold is in doubt", ge=0)
    n_missing: Integer = column("Cases the run has no item for", ge=0)
    n_items: Integer = column("Run items behind the row", ge=0)

    @pa.dataframe_check(name="r1_identity")
    def r1_identity(cls, data: pa.PolarsData) -> pl.LazyFrame:
        """n_cases = n_measured + n_unmeasured + n_not_applicable + n_held_out + n_missing."""
        parts = ("measured", "unmeasured", "not_applicable", "held_out", "missing")
        total = pl.sum_horizontal(*(pl.col(f"n_{part}") for part in parts))
        return data.lazyframe.select(pl.col("n_cases") == total)
