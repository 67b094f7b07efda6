"""The gate: whether a candidate may pass, by a policy in YAML, and how that is told."""
