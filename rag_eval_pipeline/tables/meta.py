"""Contracts of the warehouse's own tables."""

from rag_eval_pipeline.tables.model import Integer, Table, Text, column


class Meta(Table):
    """Version of the warehouse's layout; one row."""

    schema_version: Integer = column(
        "Layout version; a newer one is refused, an older one rebuilt", ge=1
    )

    class Config:
        metadata = {"keys": [], "row_id": ["schema_version"]}


class PartitionNames(Table):
    """Dagster partition keys and the dataset versions they stand for."""

    partition_key: Text = column("Encoded key")
    dataset_version: Text = column("Dataset version `name@version`")

    class Config:
        unique = ["partition_key"]
        metadata = {"keys": ["partition_key"], "row_id": ["partition_key"]}
