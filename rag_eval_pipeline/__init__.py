"""Evaluation of RAG systems: which axis failed, why, and whether tonight is worse."""

__version__ = "0.1.0"
