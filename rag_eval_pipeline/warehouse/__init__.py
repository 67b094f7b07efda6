"""Where tables are kept: a small protocol, its DuckDB file, what is due, and SQL models."""
