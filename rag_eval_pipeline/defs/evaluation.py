"""What every asset needs: the data root, the warehouse under the home, and the present."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import dagster as dg
import polars as pl

from rag_eval_pipeline.dataset.manifest import DatasetVersion, discover_datasets
from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.ids import encode_id
from rag_eval_pipeline.scores.rubric import Rubric, default_rubrics, load_rubric
from rag_eval_pipeline.tables.contract import ContractError
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.errors import WarehouseError
from rag_eval_pipeline.warehouse.warehouse import Warehouse

WAREHOUSE = "warehouse.duckdb"


class Evaluation(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The data root (the truth) and the home (warehouse, instance, reports; derived)."""

    data: str
    home: str

    @property
    def data_root(self) -> Path:
        return Path(self.data)

    @property
    def warehouse(self) -> Warehouse:
        return _warehouse(Path(self.home) / WAREHOUSE)

    @property
    def reports(self) -> Path:
        return Path(self.home) / "reports"

    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC)

    def dataset(self, partition_key: str) -> DatasetVersion:
        """The dataset version behind a partition key.

        Raises
        ------
        InputError
            Its folder is gone or its manifest cannot be used.
        """
        found = discover_datasets(self.data_root)
        for version in found.versions.values():
            if version.partition_key == partition_key:
                return version
        raise InputError(
            code="unknown_dataset",
            file="datasets/",
            found=f"no usable dataset version for the partition {partition_key!r}"
            + "".join(f"; {problem}" for problem in found.problems),
            expected="its folder with dataset.yaml and cases",
            todo="restore or mend the folder, or remove the partition",
        )

    def dataset_of(self, dataset_version: str) -> DatasetVersion:
        """The dataset version of a key `name@version`; raises as `dataset`."""
        return self.dataset(encode_id(dataset_version))

    def rows(
        self, table: str, dataset_version: str, *columns: str, runs: pl.Series | None = None
    ) -> pl.DataFrame:
        """Rows of a table of one dataset version, of some of its runs only if `runs` is given."""
        keys = pl.DataFrame({"dataset_version": [dataset_version]})
        if runs is not None:
            keys = keys.join(runs.rename("run_id").unique().to_frame(), how="cross")
        return self.warehouse.read(table, keys, columns or None)

    def measure_keys(self, dataset_version: str) -> pl.DataFrame:
        """The keys measures should be held for: every run as it is, under the gold as it is."""
        runs = self.rows("runs", dataset_version, "dataset_version", "run_id", "run_hash")
        gold = self.rows("cases", dataset_version, "dataset_hash").unique()
        return runs.join(gold, how="cross").select(
            "dataset_version",
            "dataset_hash",
            "run_id",
            "run_hash",
            measure_version=pl.lit(MEASURE_VERSION),
        )

    def rubrics(self, dataset: DatasetVersion) -> list[Rubric]:
        """The rubrics of a dataset version; where its manifest names none, the default."""
        names = dataset.rubrics or default_rubrics(rich=False)[0]
        return [load_rubric(name, self.data_root) for name in names]


@cache
def _warehouse(path: Path) -> DuckDBFile:
    return DuckDBFile(path)


@contextmanager
def explained() -> Iterator[None]:
    """Turn what a person can mend into a step failure that says so, without a stack."""
    try:
        yield
    except InputError as problem:
        raise dg.Failure(
            str(problem), metadata={"code": problem.code}, allow_retries=False
        ) from None
    except (ContractError, WarehouseError) as problem:
        raise dg.Failure(
            str(problem), metadata={"code": type(problem).__name__}, allow_retries=False
        ) from None
