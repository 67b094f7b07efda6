"""The Dagster assets, one file a stage: what is due, read, one pure function, replace."""
