"""What people edit, observed: files of knowledge, datasets, runs and rubrics.

Each gives a data version per dataset version, so that an edit makes exactly what depends on it
stale. Observing reads names, sizes and manifests; nothing is computed here.
"""

from collections.abc import Callable, Mapping

import dagster as dg

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset.cases import cases_file
from rag_eval_pipeline.dataset.manifest import (
    DatasetVersion,
    discover_datasets,
    knowledge_bases,
)
from rag_eval_pipeline.dataset.reference import cases_against
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.partitions import DATASET_VERSIONS
from rag_eval_pipeline.knowledge.documents import read_knowledge
from rag_eval_pipeline.knowledge.snapshot import snapshot_id
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.reading.stored import stored_sha256
from rag_eval_pipeline.run_log.discover import discover
from rag_eval_pipeline.scores.overrides import slices_hash
from rag_eval_pipeline.scores.rubric import SECTIONS

KNOWLEDGE_FILES = dg.AssetKey(["files", "knowledge"])
DATASET_FILES = dg.AssetKey(["files", "dataset"])
RUN_FILES = dg.AssetKey(["files", "runs"])
LIVE_KNOWLEDGE = dg.AssetKey(["files", "live_knowledge"])


def rubric_key(section: str) -> dg.AssetKey:
    """Key of the observed section of the rubrics."""
    return dg.AssetKey(["rubric", section])


def knowledge_version(evaluation: Evaluation, dataset: DatasetVersion) -> str:
    """The pinned snapshot; for a draft the id the live knowledge would have."""
    if dataset.knowledge is None:
        return "none"
    if dataset.snapshot is not None:
        return dataset.snapshot
    return snapshot_id(read_knowledge(evaluation.data_root, dataset.knowledge).documents)


def dataset_version(evaluation: Evaluation, dataset: DatasetVersion) -> str:
    """Hash of the cases file and of what the manifest says."""
    cases = stored_sha256(cases_file(dataset, evaluation.data_root))
    said = [str(getattr(dataset, name)) for name in DatasetVersion.__dataclass_fields__
            if name not in ("folder", "manifest_path")]  # fmt: skip
    return hash_json([cases, said])


def rubric_version(evaluation: Evaluation, dataset: DatasetVersion, section: str) -> str:
    """Hash of one section over all listed rubrics, and of the cases that overrides concern."""
    rubrics = evaluation.rubrics(dataset)
    said: list[list[str]] = [[rubric.name, rubric.axis_hash(section)] for rubric in rubrics]
    if any(rubric.overrides_of(section) for rubric in rubrics):
        # Category and risk are the same whatever the gold is judged against.
        nothing = (tables.empty("documents"), tables.empty("sections"))
        cases = cases_against(dataset, evaluation.data_root, *nothing).cases
        said.append([slices_hash(cases, rubric, section) for rubric in rubrics])
    return hash_json(said)


def run_files_versions(
    evaluation: Evaluation, datasets: Mapping[str, DatasetVersion]
) -> dict[str, str]:
    """Per partition key the hash of its (run_id, content hash) pairs."""
    files = discover(evaluation.data_root, evaluation.warehouse.read("run_files"), datasets)
    usable = files.filter(files["state"].is_in(["stable", "ingested"]))
    return {
        dataset.partition_key: hash_json(
            sorted(
                [run_id, sha256]
                for version, run_id, sha256 in usable.select(
                    "dataset_version", "run_id", "sha256"
                ).iter_rows()
                if version == key
            )
        )
        for key, dataset in datasets.items()
    }


@dg.observable_source_asset(
    key=KNOWLEDGE_FILES,
    partitions_def=DATASET_VERSIONS,
    group_name="sources",
    description="What a dataset version is judged against: its pinned snapshot, for a draft the "
    "live knowledge base.",
)
def knowledge_files(
    context: dg.OpExecutionContext, evaluation: Evaluation
) -> dg.DataVersionsByPartition:
    """Observe what each dataset version is judged against."""
    return _observed(context, evaluation, lambda each: knowledge_version(evaluation, each))


@dg.observable_source_asset(
    key=DATASET_FILES,
    partitions_def=DATASET_VERSIONS,
    group_name="sources",
    description="The cases file and dataset.yaml of a dataset version.",
)
def dataset_files(
    context: dg.OpExecutionContext, evaluation: Evaluation
) -> dg.DataVersionsByPartition:
    """Observe cases and manifest of each dataset version."""
    return _observed(context, evaluation, lambda each: dataset_version(evaluation, each))


@dg.observable_source_asset(
    key=RUN_FILES,
    partitions_def=DATASET_VERSIONS,
    group_name="sources",
    description="The run logs of a dataset version: files below runs/, by run and content.",
)
def run_files(context: dg.OpExecutionContext, evaluation: Evaluation) -> dg.DataVersionsByPartition:
    """Observe the run logs of each dataset version."""
    datasets = discover_datasets(evaluation.data_root).versions
    return _wanted(context, run_files_versions(evaluation, datasets))


@dg.observable_source_asset(
    key=LIVE_KNOWLEDGE,
    group_name="sources",
    description="The live knowledge bases as they stand, upstream of nothing: frozen versions are "
    "judged on their snapshots, drift is measured against this.",
)
def live_knowledge(evaluation: Evaluation) -> dg.DataVersion:
    """Observe the live knowledge bases."""
    found: dict[str, str] = {}
    for name in knowledge_bases(evaluation.data_root):
        try:
            found[name] = snapshot_id(read_knowledge(evaluation.data_root, name).documents)
        except InputError as problem:
            found[name] = problem.code
    return dg.DataVersion(hash_json(found))


def _rubric_source(section: str) -> dg.SourceAsset:
    @dg.observable_source_asset(
        key=rubric_key(section),
        partitions_def=DATASET_VERSIONS,
        group_name="sources",
        description=f"The section `{section}` of the rubrics a dataset version is scored with.",
    )
    def rubric_section(
        context: dg.OpExecutionContext, evaluation: Evaluation
    ) -> dg.DataVersionsByPartition:
        return _observed(
            context, evaluation, lambda each: rubric_version(evaluation, each, section)
        )

    return rubric_section


def _observed(
    context: dg.OpExecutionContext,
    evaluation: Evaluation,
    version: Callable[[DatasetVersion], str],
) -> dg.DataVersionsByPartition:
    """The version of each dataset version; one whose files cannot be read has none."""
    found: dict[str, str] = {}
    for dataset in discover_datasets(evaluation.data_root).versions.values():
        if context.has_partition_key and dataset.partition_key != context.partition_key:
            continue
        try:
            found[dataset.partition_key] = version(dataset)
        except (InputError, OSError):
            continue
    return dg.DataVersionsByPartition(_known(context, found))


def _wanted(context: dg.OpExecutionContext, found: dict[str, str]) -> dg.DataVersionsByPartition:
    if context.has_partition_key:
        found = {key: value for key, value in found.items() if key == context.partition_key}
    return dg.DataVersionsByPartition(_known(context, found))


def _known(context: dg.OpExecutionContext, found: dict[str, str]) -> dict[str, str]:
    """Only partitions Dagster knows may be reported."""
    keys = set(context.instance.get_dynamic_partitions(str(DATASET_VERSIONS.name)))
    return {key: value for key, value in found.items() if key in keys}


SOURCES = [
    knowledge_files,
    dataset_files,
    run_files,
    live_knowledge,
    *(_rubric_source(section) for section in SECTIONS),
]
