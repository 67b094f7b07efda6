"""What can go wrong in the warehouse, worded for the person who has to act on it."""

# ruff: noqa: N818 - the names say what is the case: `except WarehouseLocked`

from __future__ import annotations


class WarehouseError(Exception):
    """Base of everything the warehouse refuses or cannot do."""


class WarehouseLocked(WarehouseError):
    """Another process kept the warehouse open for longer than we wait."""


class WarehouseTooNew(WarehouseError):
    """The file was made by a newer version of this software or of DuckDB."""


class WarehouseUnreadable(WarehouseError):
    """The file is no warehouse, is damaged or may not be opened."""


class QueryError(WarehouseError):
    """A query that DuckDB rejects, or that does more than read."""


class ModelError(WarehouseError):
    """A SQL model or its schema.yml is at fault."""
