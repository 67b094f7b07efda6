"""The four corners of pairs: old and new answers, gold and rubric, read for many pairs at once."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from rag_eval_pipeline.comparison.attribution import Corners
from rag_eval_pipeline.comparison.pairs import Side
from rag_eval_pipeline.comparison.regressions import RESULT, case_results
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.measures import reference_of
from rag_eval_pipeline.defs.results import results_of_runs
from rag_eval_pipeline.defs.scores import described, unanswered
from rag_eval_pipeline.measures.fields import not_logged
from rag_eval_pipeline.measures.tables import Reference
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.missing import missing_cases
from rag_eval_pipeline.scores.rubric import Rubric
from rag_eval_pipeline.scores.stored import stored_rubric


class Corner(NamedTuple):
    """A run, the dataset version whose gold it is held against, and the rubric that scores it."""

    side: Side
    gold_of: str
    rubric_version: str


class Wanted(NamedTuple):
    """A pair and the two rubrics: of the baseline's headline, and of the candidate's."""

    candidate: Side
    baseline: Side
    old_rubric: str
    new_rubric: str

    @property
    def corners(self) -> tuple[Corner, Corner, Corner, Corner]:
        """In the order in which what changed is followed (R10)."""
        old, new = self.baseline.dataset_version, self.candidate.dataset_version
        return (
            Corner(self.baseline, old, self.old_rubric),
            Corner(self.baseline, old, self.new_rubric),
            Corner(self.baseline, new, self.new_rubric),
            Corner(self.candidate, new, self.new_rubric),
        )


@dataclass(slots=True)
class Source:
    """Reads results of corners; what the pairs read before needed too is read once.

    `runs` are rows of the table `runs`.
    """

    evaluation: Evaluation
    runs: pl.DataFrame
    rubrics: dict[str, Rubric] = field(default_factory=dict)
    references: dict[str, Reference] = field(default_factory=dict)
    results: dict[Corner, pl.DataFrame] = field(default_factory=dict)

    def reference(self, version: str) -> Reference:
        """The gold of a dataset version."""
        if version not in self.references:
            self.references[version] = reference_of(self.evaluation, version)
        return self.references[version]

    def rubric(self, version: str) -> Rubric:
        """A rubric of today, else a stored one.

        Raises
        ------
        InputError
            No rubric of that version ever scored in this home.
        """
        if version not in self.rubrics:
            stored = self.evaluation.warehouse.read(
                "rubrics", pl.DataFrame({"rubric_version": [version]})
            )
            if stored.is_empty():
                raise _unknown_rubric(self.evaluation, version)
            self.rubrics[version] = stored_rubric(stored)
        return self.rubrics[version]

    def read(self, pairs: Iterable[Wanted]) -> None:
        """Have the results of some pairs at hand, and of no others."""
        needed = dict.fromkeys(corner for pair in pairs for corner in pair.corners)
        self.results = {corner: found for corner, found in self.results.items() if corner in needed}
        together: dict[tuple[str, str, str], list[Side]] = {}
        for corner in needed:
            if corner not in self.results:
                key = (corner.side.dataset_version, corner.gold_of, corner.rubric_version)
                together.setdefault(key, []).append(corner.side)
        for (version, gold_of, rubric_version), sides in together.items():
            reference, rubric = self.reference(gold_of), self.rubric(rubric_version)
            run_ids = pl.Series([side.run_id for side in sides], dtype=pl.String)
            found, _ = results_of_runs(self.evaluation, version, run_ids, reference, rubric)
            for side in sides:
                of_run = found.filter(pl.col("run_id") == side.run_id).select(RESULT)
                whole = self._with_missing(of_run, side, reference, rubric)
                self.results[Corner(side, gold_of, rubric_version)] = whole

    def corners(self, pair: Wanted) -> Corners:
        """The corners of a pair that was read; those in between hold cases of both sides."""
        old, new = (
            self.reference(side.dataset_version).approved.select("case_id")
            for side in (pair.baseline, pair.candidate)
        )
        both = old.join(new, on="case_id", how="semi")
        cases = (old, both, both, new)
        return Corners(
            *(
                self.results[corner].join(of_corner, on="case_id", how="semi")
                for corner, of_corner in zip(pair.corners, cases, strict=True)
            )
        )

    def _with_missing(
        self, results: pl.DataFrame, side: Side, reference: Reference, rubric: Rubric
    ) -> pl.DataFrame:
        """The results, with rows for the approved cases the run has no item for.

        Which axes apply to such a case is told by its gold and by what the run logs elsewhere.
        """
        absent = reference.approved.join(results, on="case_id", how="anti")
        if absent.is_empty():
            return results
        gold_of = str(absent["dataset_version"][0])
        items = self.evaluation.rows(
            "run_items", side.dataset_version, runs=pl.Series([side.run_id])
        )
        logged = not_logged(items)
        if logged.is_empty():
            # An empty log: nothing is known of what the run would have logged.
            logged = pl.DataFrame(
                {"run_id": [side.run_id], "not_logged": [[]]}, schema=logged.schema
            )
        run = self.runs.filter(
            (pl.col("run_id") == side.run_id) & (pl.col("dataset_version") == side.dataset_version)
        ).row(0, named=True)
        gone = unanswered(reference, results, run, self.evaluation.dataset_of(gold_of)).join(
            described(reference, logged),
            on=["run_id", "case_id"],
            how="left",
            maintain_order="left",
        )
        rows = missing_cases(gone, side.run_id, rubric)
        return pl.concat([results, case_results(rows, trials=rubric.trials)])


def _unknown_rubric(evaluation: Evaluation, version: str) -> InputError:
    held = evaluation.warehouse.held("rubrics")["rubric_version"].to_list()
    return InputError(
        code="unknown_rubric",
        field="base_rubric",
        found=repr(version),
        expected=f"one of {', '.join(held)}",
        todo="correct it",
    )
