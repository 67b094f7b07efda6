"""The cases that rows of a run log are matched against."""

from __future__ import annotations

from functools import cached_property

import polars as pl

from rag_eval_pipeline.text.fold import fold


class CaseIndex:
    """Ids of the cases of a dataset version, and ids by question and by looser spelling.

    Each is made when a row first asks for it: rows read in bulk are matched as columns.
    """

    def __init__(self, cases: pl.DataFrame) -> None:
        self._cases = cases.select("case_id", "question")

    def lacks(self, case_ids: pl.Series) -> pl.Series:
        """Whether no case has the id, for each of a column."""
        return ~case_ids.is_in(self._cases["case_id"].implode())

    @classmethod
    def of(cls, cases: pl.DataFrame) -> CaseIndex:
        """Index of the table `cases` of one dataset version."""
        return cls(cases)

    @cached_property
    def case_ids(self) -> frozenset[str]:
        """Ids of all cases."""
        return frozenset(self._cases["case_id"])

    @cached_property
    def by_question(self) -> dict[str, tuple[str, ...]]:
        """Ids of the cases that ask a question, by its folded text."""
        found: dict[str, tuple[str, ...]] = {}
        for case_id, question in self._cases.iter_rows():
            key = fold(question)
            found[key] = (*found.get(key, ()), case_id)
        return found

    def alike(self, case_id: str) -> list[str]:
        """Ids that differ from a text in width, case and white space at most, sorted."""
        return self._by_spelling.get(_loose(case_id), [])

    @cached_property
    def _by_spelling(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for each in sorted(self.case_ids):
            found.setdefault(_loose(each), []).append(each)
        return found


def _loose(text: str) -> str:
    return fold(text).casefold()
