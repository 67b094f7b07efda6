"""What every asset needs: the data root, the warehouse under the home, and the present."""

import datetime as dt
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

import dagster as dg
import polars as pl

from rag_eval_pipeline.dataset.cases import cases_file, uses_more_than_minimal
from rag_eval_pipeline.dataset.manifest import DatasetVersion, discover_datasets
from rag_eval_pipeline.knowledge.snapshot import frames, holds_snapshot, load_snapshot
from rag_eval_pipeline.measures.tables import Index
from rag_eval_pipeline.measures.version import measure_version
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.ids import encode_id
from rag_eval_pipeline.scores.rubric import Rubric, default_rubrics, load_rubric
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.errors import WarehouseError
from rag_eval_pipeline.warehouse.process import this_process
from rag_eval_pipeline.warehouse.sole_use import sole_use
from rag_eval_pipeline.warehouse.warehouse import Warehouse

WAREHOUSE = "warehouse.duckdb"
PROCESS_TAG = "rag_eval/process"
SHOWN_ROWS = 20


class Evaluation(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The data root (the truth) and the home (warehouse, instance, reports; derived)."""

    data: str
    home: str

    @contextmanager
    def yield_for_execution(
        self, context: dg.InitResourceContext
    ) -> Generator["Evaluation", None, None]:
        """Let one run at a time compute in the home, whether the launcher or the UI started it.

        The run is tagged with its process, so that a run left behind by a killed one is told.
        """
        run, instance = context.run, context.instance
        if run is None or instance is None:
            # A schedule looks at the data root and must not wait for a run.
            yield self
            return
        if PROCESS_TAG not in run.tags:
            instance.add_run_tags(run.run_id, {PROCESS_TAG: this_process()})

        def waiting() -> None:
            if context.log is not None:
                context.log.info(f"another run is computing in {self.home}; waiting for it to end")  # noqa: G004

        home = Path(self.home)
        home.mkdir(parents=True, exist_ok=True)
        with sole_use(home, waiting):
            yield self

    @property
    def data_root(self) -> Path:
        """Folder of the data root."""
        return Path(self.data)

    @property
    def warehouse(self) -> Warehouse:
        """The warehouse of the home."""
        return _warehouse(Path(self.home) / WAREHOUSE)

    @property
    def reports(self) -> Path:
        """Folder of the reports."""
        return Path(self.home) / "reports"

    def now(self) -> dt.datetime:
        """The present, in UTC."""
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

    def sample(self, table: str, dataset_version: str) -> tuple[int, pl.DataFrame]:
        """How many rows a table has of a dataset version, and the first of its first keys."""
        version = pl.DataFrame({"dataset_version": [dataset_version]})
        # Not of all: to find the first rows, a database sorts what it is given.
        first_keys = self.warehouse.held(table, version).head(SHOWN_ROWS)
        first = self.warehouse.read(table, first_keys, limit=SHOWN_ROWS)
        return self.warehouse.count(table, version), first

    def measure_keys(self, dataset_version: str) -> pl.DataFrame:
        """The keys measures should be held for: every run as it is, under the gold as it is."""
        runs = self.rows(
            "runs", dataset_version, "dataset_version", "run_id", "run_hash", "indexed_snapshot"
        )
        version = pl.DataFrame({"dataset_version": [dataset_version]})
        gold = self.warehouse.read(
            "cases", version, ["dataset_hash", "draft", "snapshot_id"], distinct=True
        )
        pinned = gold["snapshot_id"].first() if gold.height else None
        other = runs["indexed_snapshot"].drop_nulls().unique().sort().to_list()
        held = [
            name
            for name in other
            if pinned is not None and name != pinned and self.holds_index(dataset_version, name)
        ]
        index = pl.when(pl.col("indexed_snapshot").is_in(held)).then("indexed_snapshot")
        return runs.join(gold, how="cross").select(
            "dataset_version",
            "dataset_hash",
            "run_id",
            "run_hash",
            measure_version=measure_version(index),
        )

    def holds_index(self, dataset_version: str, snapshot: str) -> bool:
        """Whether a snapshot of the version's knowledge base is held as a file."""
        knowledge = self._knowledge(dataset_version)
        return knowledge is not None and holds_snapshot(self.data_root, knowledge, snapshot)

    def index_of(self, dataset_version: str, snapshot: str) -> Index | None:
        """What an index was built from; None where that snapshot is not held.

        Raises
        ------
        InputError
            The file no longer gives its id.
        """
        knowledge = self._knowledge(dataset_version)
        if knowledge is None or not holds_snapshot(self.data_root, knowledge, snapshot):
            return None
        return _index(self.data_root, knowledge, snapshot, dataset_version)

    def _knowledge(self, dataset_version: str) -> str | None:
        """Name of the knowledge base the version was last judged against."""
        version = pl.DataFrame({"dataset_version": [dataset_version]})
        found = self.warehouse.read("documents", version, ["knowledge"], limit=1)
        return str(found["knowledge"][0]) if found.height else None

    def rubrics(self, dataset: DatasetVersion) -> list[Rubric]:
        """The rubrics of a dataset version; where its manifest names none, the default."""
        names = dataset.rubrics or default_rubrics(
            rich=_uses_more_than_minimal(dataset, self.data_root, *_stamp(dataset, self.data_root))
        )
        return [load_rubric(name, self.data_root, named_in=dataset.manifest_path) for name in names]


@lru_cache(maxsize=4)
def _index(data_root: Path, knowledge: str, snapshot: str, dataset_version: str) -> Index:
    """A snapshot is named by its contents, so that what was read once stays right."""
    documents, sections = frames(
        load_snapshot(data_root, knowledge, snapshot),
        dataset_version=dataset_version,
        knowledge=knowledge,
        snapshot=snapshot,
        pinned=False,
    )
    return Index(documents, sections)


@cache
def _warehouse(path: Path) -> DuckDBFile:
    return DuckDBFile(path)


@cache
def _uses_more_than_minimal(
    dataset: DatasetVersion,
    data_root: Path,
    _modified: int,  # with the size: what tells one state of the file from another
    _size: int,
) -> bool:
    return uses_more_than_minimal(dataset, data_root)


def _stamp(dataset: DatasetVersion, data_root: Path) -> tuple[int, int]:
    try:
        found = cases_file(dataset, data_root).stat()
    except (InputError, OSError):
        return 0, 0
    return found.st_mtime_ns, found.st_size


@contextmanager
def explained() -> Iterator[None]:
    """Turn what a person can mend into a step failure that says so, without a stack."""
    try:
        yield
    except InputError as problem:
        raise dg.Failure(
            str(problem), metadata={"code": problem.code}, allow_retries=False
        ) from None
    except WarehouseError as problem:
        raise dg.Failure(
            str(problem), metadata={"code": type(problem).__name__}, allow_retries=False
        ) from None
