"""The one partition dimension: dataset versions, by their encoded key."""

import dagster as dg

DATASET_VERSIONS = dg.DynamicPartitionsDefinition(name="dataset_version")
