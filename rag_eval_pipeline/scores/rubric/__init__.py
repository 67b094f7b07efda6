"""Rubrics: YAML files that turn measures into scores, one section an axis, and their identity."""

from rag_eval_pipeline.scores.rubric.files import (
    MINIMAL_DEFAULT,
    RICH_DEFAULT,
    SHIPPED,
    default_rubrics,
    find_rubric,
    load_rubric,
    own_names,
    reused_versions,
    unread_files,
)
from rag_eval_pipeline.scores.rubric.keys import SECTIONS, Section, Value
from rag_eval_pipeline.scores.rubric.model import Override, Rubric, of_canonical
from rag_eval_pipeline.scores.rubric.parse import Doubt, RubricRead, parse_rubric, read_rubric
from rag_eval_pipeline.scores.rubric.schema import rubric_reference, rubric_schema
from rag_eval_pipeline.scores.rubric.written import as_object, as_yaml

__all__ = [
    "MINIMAL_DEFAULT",
    "RICH_DEFAULT",
    "SECTIONS",
    "SHIPPED",
    "Doubt",
    "Override",
    "Rubric",
    "RubricRead",
    "Section",
    "Value",
    "as_object",
    "as_yaml",
    "default_rubrics",
    "find_rubric",
    "load_rubric",
    "of_canonical",
    "own_names",
    "parse_rubric",
    "read_rubric",
    "reused_versions",
    "rubric_reference",
    "rubric_schema",
    "unread_files",
]
