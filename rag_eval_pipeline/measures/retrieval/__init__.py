"""Measures of the ranking: which gold groups were retrieved, and where."""
