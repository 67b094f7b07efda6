"""RAGChecker's metrics and claim shares, against plain Python by formula."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline import tables
from rag_eval_pipeline.measures.claims.ragchecker import (
    METRICS,
    NO_GOLD,
    claim_shares,
    ragchecker,
)
from rag_eval_pipeline.scores.facts import claims_by_state

RowsOf = Callable[..., pl.DataFrame]
ITEM = {"run_id": "r", "case_id": "q", "trial": 1}
Cell = bool | None
LABEL = {True: ("supported", "full"), False: ("undecided", "none"), None: ("undecided", "full")}


@dataclass(frozen=True)
class Matrix:
    """Cells of one item: true, false or open; a document whose text is unknown has none."""

    right: tuple[Cell, ...]  # answer claim, against gold
    answered: tuple[Cell, ...]  # gold claim, against the answer
    answer_in: tuple[tuple[Cell, ...], ...]  # document by answer claim
    gold_in: tuple[tuple[Cell, ...], ...]  # document by gold claim
    unknown: frozenset[int] = field(default_factory=frozenset)

    def cells(self) -> list[Cell]:
        inner = (*self.answer_in, *self.gold_in)
        return [*self.right, *self.answered, *itertools.chain.from_iterable(inner)]

    def with_cells(self, cells: list[Cell]) -> Matrix:
        left = iter(cells)
        take = lambda like: tuple(next(left) for _ in like)  # noqa: E731
        return replace(
            self,
            right=take(self.right),
            answered=take(self.answered),
            answer_in=tuple(take(row) for row in self.answer_in),
            gold_in=tuple(take(row) for row in self.gold_in),
            unknown=frozenset(),
        )

    def completions(self) -> Iterator[Matrix]:
        """The matrix with every open cell, those of unknown documents too, filled in all ways."""
        cells = self.cells()
        wide = len(self.right)
        offset = wide + len(self.answered)
        for number, row in enumerate(self.answer_in):
            for place in range(len(row)):
                if number in self.unknown:
                    cells[offset + place] = None
            offset += len(row)
        for number, row in enumerate(self.gold_in):
            for place in range(len(row)):
                if number in self.unknown:
                    cells[offset + place] = None
            offset += len(row)
        open_places = [place for place, cell in enumerate(cells) if cell is None]
        for filling in itertools.product((True, False), repeat=len(open_places)):
            full = list(cells)
            for place, cell in zip(open_places, filling, strict=True):
                full[place] = cell
            yield self.with_cells(full)


def by_formula(matrix: Matrix) -> dict[str, float | None]:
    """The definitions, for a matrix without open cells."""
    claims, gold = range(len(matrix.right)), range(len(matrix.answered))
    documents = range(len(matrix.answer_in))
    relevant = [any(matrix.gold_in[d]) for d in documents]
    recalled = [any(matrix.gold_in[d][g] for d in documents) for g in gold]
    supported = [any(matrix.answer_in[d][c] for d in documents) for c in claims]

    def share(truths: list[Any], *, defined: bool) -> float | None:
        return sum(truths) / len(truths) if defined and truths else None

    in_relevant = [any(relevant[d] and matrix.answer_in[d][c] for d in documents) for c in claims]
    in_irrelevant = [
        any(not relevant[d] and matrix.answer_in[d][c] for d in documents) for c in claims
    ]
    wrong = [not right for right in matrix.right]
    has_documents = len(documents) > 0
    noise = has_documents and len(gold) > 0
    precision = share(list(matrix.right), defined=True)
    recall = share(list(matrix.answered), defined=True)
    if precision is None or recall is None:
        f1 = None
    else:
        f1 = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "claim_recall": share(recalled, defined=has_documents),
        "context_precision": share(relevant, defined=len(gold) > 0),
        "context_utilization": share(
            [matrix.answered[g] for g in gold if recalled[g]], defined=has_documents
        ),
        "noise_sensitivity_in_relevant": share(
            [w and r for w, r in zip(wrong, in_relevant, strict=True)], defined=noise
        ),
        "noise_sensitivity_in_irrelevant": share(
            [w and i and not r for w, i, r in zip(wrong, in_irrelevant, in_relevant, strict=True)],
            defined=noise,
        ),
        "hallucination": share(
            [w and not s for w, s in zip(wrong, supported, strict=True)], defined=has_documents
        ),
        "self_knowledge": share(
            [not w and not s for w, s in zip(wrong, supported, strict=True)], defined=has_documents
        ),
        "faithfulness": share(supported, defined=has_documents),
    }


def row(claim_id: str, origin: str, target: str, cell: Cell, **other: Any) -> dict[str, Any]:
    verdict, mention = LABEL[cell]
    kind = "required" if origin == "gold" else "answer"
    return {
        **ITEM,
        "claim_id": claim_id,
        "origin": origin,
        "kind": kind,
        "importance": "vital" if origin == "gold" else None,
        "target": target,
        "verdict": verdict,
        "mention": mention,
        **other,
    }


def measured_metrics(rows_of: RowsOf, matrix: Matrix, *, sparse: bool = True) -> dict[str, Any]:
    rows = [row(f"c{n}", "answer", "gold", cell) for n, cell in enumerate(matrix.right)]
    rows += [row(f"g{n}", "gold", "answer", cell) for n, cell in enumerate(matrix.answered)]
    for origin, name, table in (
        ("answer", "c", matrix.answer_in),
        ("gold", "g", matrix.gold_in),
    ):
        for document, cells in enumerate(table):
            rows += [
                row(f"{name}{n}", origin, f"doc:{document + 1}", cell)
                for n, cell in enumerate(cells)
                if document not in matrix.unknown and not (sparse and cell is False)
            ]
    slots = [
        {**ITEM, "position": number + 1, "text": None if number in matrix.unknown else "x"}
        for number in range(len(matrix.answer_in))
    ]
    found = ragchecker(
        pl.DataFrame([ITEM]),
        pl.DataFrame(slots, schema=slot_schema()),
        rows_of("claim_verdicts", *rows),
    )
    assert found.height == 1
    return found.select(METRICS).row(0, named=True)


def slot_schema() -> dict[str, Any]:
    types = tables.columns("retrieved")
    return {name: types[name] for name in (*ITEM, "position", "text")}


@st.composite
def matrices(draw: st.DrawFn, *, most: int = 4, some_open: int = 0) -> Matrix:
    sizes = st.integers(0, most)
    claims, gold, documents = draw(sizes), draw(sizes), draw(sizes)
    cells = st.booleans()
    rows_of = lambda wide: tuple(  # noqa: E731
        tuple(draw(cells) for _ in range(wide)) for _ in range(documents)
    )
    matrix = Matrix(
        tuple(draw(cells) for _ in range(claims)),
        tuple(draw(cells) for _ in range(gold)),
        rows_of(claims),
        rows_of(gold),
    )
    filled = matrix.cells()
    for place in draw(st.lists(st.integers(0, max(len(filled) - 1, 0)), max_size=some_open)):
        if filled:
            filled[place] = None
    unknown = draw(st.sets(st.integers(0, most), max_size=1)) if some_open else set()
    return replace(
        matrix.with_cells(filled), unknown=frozenset(d for d in unknown if d < documents)
    )


@given(matrix=matrices(), sparse=st.booleans())
def test_a_decided_matrix_gives_the_metrics_of_the_formulas(
    rows_of: RowsOf, matrix: Matrix, sparse: bool
) -> None:
    assert measured_metrics(rows_of, matrix, sparse=sparse) == pytest.approx(by_formula(matrix))


@given(matrix=matrices())
def test_ragchecker_s_identities_hold(rows_of: RowsOf, matrix: Matrix) -> None:
    found = measured_metrics(rows_of, matrix)
    if found["faithfulness"] is not None:
        parts = (found["faithfulness"], found["hallucination"], found["self_knowledge"])
        assert sum(parts) == pytest.approx(1)
    noise = (
        found["noise_sensitivity_in_relevant"],
        found["noise_sensitivity_in_irrelevant"],
    )
    if noise[0] is not None:
        assert 1 - found["precision"] == pytest.approx(found["hallucination"] + sum(noise))


@given(matrix=matrices(most=2, some_open=4))
def test_a_metric_is_null_exactly_where_an_open_cell_could_change_it(
    rows_of: RowsOf, matrix: Matrix
) -> None:
    outcomes = [by_formula(each) for each in matrix.completions()]
    found = measured_metrics(rows_of, matrix)
    for metric in METRICS:
        possible = {outcome[metric] for outcome in outcomes}
        expected = possible.pop() if len(possible) == 1 else None
        assert found[metric] == pytest.approx(expected), metric


def test_a_claim_contradicted_is_not_entailed(rows_of: RowsOf) -> None:
    verdicts = rows_of(
        "claim_verdicts",
        row("g1", "gold", "answer", False, verdict="contradicted", mention="full"),
    )
    found = ragchecker(pl.DataFrame([ITEM]), pl.DataFrame([], schema=slot_schema()), verdicts)
    assert found["recall"].to_list() == [0.0]


def test_an_item_without_retrieved_documents_has_no_metric_of_documents(rows_of: RowsOf) -> None:
    found = measured_metrics(rows_of, Matrix((True,), (True,), (), ()))
    assert found.pop("precision") == found.pop("recall") == found.pop("f1") == 1.0
    assert set(found.values()) == {None}


def test_documents_beyond_the_depth_do_not_count(rows_of: RowsOf) -> None:
    slots = pl.DataFrame(
        [{**ITEM, "position": number, "text": "x"} for number in (1, 2, 3, 4)],
        schema=slot_schema(),
    )
    verdicts = rows_of(
        "claim_verdicts", row("g", "gold", "answer", True), row("g", "gold", "doc:1", True)
    )
    shares = [
        ragchecker(pl.DataFrame([ITEM]), slots, verdicts, depth=depth)["context_precision"].item()
        for depth in (1, 2, 10)
    ]
    assert shares == [1.0, 0.5, 0.25]


def test_without_gold_what_the_context_says_is_still_measured(rows_of: RowsOf) -> None:
    slots = pl.DataFrame([{**ITEM, "position": 1, "text": "x"}], schema=slot_schema())
    verdicts = rows_of(
        "claim_verdicts",
        row("c1", "answer", "gold", False, rule=NO_GOLD),
        row("c1", "answer", "doc:1", True),
    )
    found = ragchecker(pl.DataFrame([ITEM]), slots, verdicts).row(0, named=True)
    assert found["faithfulness"] == 1.0
    assert found["precision"] is None
    # An answer claim of the documents is no hallucination, right or wrong.
    assert (found["hallucination"], found["self_knowledge"]) == (0.0, 0.0)


def test_accepted_answers_are_alternatives_of_one_gold_claim(rows_of: RowsOf) -> None:
    slots = pl.DataFrame(
        [{**ITEM, "position": number, "text": "x"} for number in (1, 2)], schema=slot_schema()
    )
    verdicts = rows_of(
        "claim_verdicts",
        row("a1", "gold", "answer", False, kind="derived"),
        row("a2", "gold", "answer", True, kind="derived"),
        row("a1", "gold", "doc:2", True, kind="derived"),
    )
    found = ragchecker(pl.DataFrame([ITEM]), slots, verdicts).row(0, named=True)
    names = ("recall", "claim_recall", "context_precision", "context_utilization")
    assert tuple(found[name] for name in names) == (1.0, 1.0, 0.5, 1.0)


def test_forbidden_claims_are_no_gold_claims(rows_of: RowsOf) -> None:
    verdicts = rows_of(
        "claim_verdicts",
        row("g1", "gold", "answer", True),
        row("f1", "gold", "answer", True, kind="forbidden"),
        row("f2", "gold", "answer", False, kind="forbidden"),
    )
    found = ragchecker(pl.DataFrame([ITEM]), pl.DataFrame([], schema=slot_schema()), verdicts)
    assert found["recall"].to_list() == [1.0]


def test_each_item_has_its_own_metrics(rows_of: RowsOf) -> None:
    items = [{**ITEM, "trial": trial} for trial in (1, 2, 3)]
    verdicts = rows_of(
        "claim_verdicts",
        row("g1", "gold", "answer", True, trial=1),
        row("g1", "gold", "answer", False, trial=3),
    )
    found = ragchecker(pl.DataFrame(items), pl.DataFrame([], schema=slot_schema()), verdicts)
    assert found.select("trial", "recall").rows() == [(1, 1.0), (2, None), (3, 0.0)]


def shares(rows_of: RowsOf, *rows: dict[str, Any]) -> tuple[Any, ...]:
    found = claim_shares(rows_of("claim_verdicts", *rows))
    return found.select("completeness", "correctness", "n_violations").row(0)


def gold(claim_id: str, verdict: str, mention: str = "full", **other: Any) -> dict[str, Any]:
    return row(claim_id, "gold", "answer", None, verdict=verdict, mention=mention, **other)


def test_completeness_is_null_only_while_a_claim_the_answer_speaks_of_is_open(
    rows_of: RowsOf,
) -> None:
    met = gold("g1", "supported")
    assert shares(rows_of, met, gold("g2", "undecided", "none"))[0] == 0.5
    assert shares(rows_of, met, gold("g2", "undecided", "partial"))[0] == 0.5
    assert shares(rows_of, met, gold("g2", "undecided", "full"))[0] is None
    assert shares(rows_of, met, gold("g2", "contradicted"))[0] == 0.5


def test_correctness_speaks_only_of_claims_that_the_answer_decides(rows_of: RowsOf) -> None:
    met, contradicted = gold("g1", "supported"), gold("g2", "contradicted")
    assert shares(rows_of, met, gold("g2", "undecided", "none"))[1] == 1.0
    assert shares(rows_of, met, contradicted)[1] == 0.5
    assert shares(rows_of, gold("g1", "undecided"))[1] is None


def test_a_forbidden_claim_denied_is_right_asserted_wrong_and_not_spoken_of_nothing(
    rows_of: RowsOf,
) -> None:
    forbidden = {"kind": "forbidden"}
    assert shares(rows_of, gold("f", "contradicted", "full", **forbidden)) == (None, 1.0, 0)
    assert shares(rows_of, gold("f", "supported", "full", **forbidden)) == (None, 0.0, 1)
    assert shares(rows_of, gold("f", "contradicted", "none", **forbidden)) == (None, None, 0)


def test_violations_are_null_where_nothing_is_forbidden(rows_of: RowsOf) -> None:
    assert shares(rows_of, gold("g1", "supported"))[2] is None


def test_verdicts_against_other_texts_do_not_count_as_said(rows_of: RowsOf) -> None:
    rows = gold("g1", "undecided", "none"), row("g1", "gold", "doc:1", True)
    assert shares(rows_of, *rows) == (0.0, None, None)


judgements = st.tuples(
    st.sampled_from(("required", "forbidden", "derived")),
    st.sampled_from(("supported", "contradicted", "undecided")),
    st.sampled_from(("full", "partial", "none")),
    st.sampled_from(("vital", "okay")),
)


@given(claims=st.lists(judgements, min_size=1, max_size=6))
def test_completeness_agrees_with_the_states_that_scores_are_made_of(
    rows_of: RowsOf, claims: list[tuple[str, str, str, str]]
) -> None:
    rows = [
        gold(f"g{n}", verdict, mention, kind=kind, importance=importance)
        for n, (kind, verdict, mention, importance) in enumerate(claims)
    ]
    verdicts = rows_of("claim_verdicts", *rows)
    states = claims_by_state(verdicts).row(0, named=True)
    count = lambda *names: sum(len(states[name]) for name in names)  # noqa: E731
    met, some_open = count("vital_met", "okay_met"), count("vital_open", "okay_open")
    unmet = count("vital_contradicted", "vital_absent", "okay_unmet")
    completeness, _, n_violations = shares(rows_of, *rows)
    if some_open or met + unmet == 0:
        assert completeness is None
    else:
        assert completeness == pytest.approx(met / (met + unmet))
    assert (n_violations or 0) == count("forbidden_asserted")
