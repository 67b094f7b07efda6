"""Measures: facts about run items, frames in and frames out, one subject a module."""

MEASURE_VERSION = "2"
"""Version of the measuring rules; raised when a rule changes, so that old rows are not served."""
