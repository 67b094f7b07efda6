"""Values in Japanese and English text, as RULES R15 compares them."""

from __future__ import annotations

from rag_eval_pipeline.text.values.reader import values
from rag_eval_pipeline.text.values.value import Value

__all__ = ["Value", "values"]
