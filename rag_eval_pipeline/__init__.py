"""Evaluation of retrieval-augmented generation: which axis failed, why, and whether tonight is worse."""

__version__ = "0.1.0"
