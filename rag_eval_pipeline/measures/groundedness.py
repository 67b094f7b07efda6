"""Value groundedness: the share of the answer's values that are not invented: the retrieved context
has them, or something else accounts for them.

It is made by rule and speaks of values alone: money, shares, spans, dates, times, counts,
quantities. A value is the first of these that holds:

- grounded: the context has it: the same value, or the same number where only comparator, anchor or
  qualifier are left open, or a bound of a range;
- self_knowledge: a required claim that the answer meets has it, the context has not;
- echoed: the question has it;
- open: a retrieved text is not known, or has a value it may be converted or rounded from;
- ungrounded: none of these.

The context of a slot is the text in the log, else the text its id has in the knowledge base: in the
snapshot the run's index was built from where that is held, else in the pinned one. An empty ranking
is an empty context. Citation marks are no values. Values that only outdated documents or older
versions have are stale.

Formula: value_groundedness = 1 − ungrounded values / values of the answer
Source: R6, R15; groundedness over statements, as judged by a model, is another measure
Gives:
- answer_measures (n_values, ungrounded_values, open_values, echoed_values, self_knowledge_values)
- answer_measures (stale_values, value_groundedness, context_from)
Needs: `log.answer`, `log.retrieved`, `log.retrieved.text`, `log.question`, `document.text`,
  `case.required_claims`
Absent:
- `log.answer`: n_values and value_groundedness are null
- values in `log.answer`: n_values is 0, value_groundedness null
- `log.retrieved` in an item: its values are without ground, value_groundedness is null
- `log.retrieved` in every item: null, and the lists of values are empty
- `log.retrieved.text`: the text of its id in the knowledge base
- `log.retrieved.text` and `document.text`: a value not found is open, and the share null with it
- `log.question`: the question of the case
- `case.required_claims`: the accepted answers stand in for them
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import Any

import polars as pl

from rag_eval_pipeline.measures.distinct import with_facts
from rag_eval_pipeline.text.citation_marks import without_citations
from rag_eval_pipeline.text.clauses import clauses
from rag_eval_pipeline.text.compare_values import names_deadline
from rag_eval_pipeline.text.value_grounds import ground
from rag_eval_pipeline.text.value_units import is_bare_kilo
from rag_eval_pipeline.text.values import Value, values

ITEM = ["run_id", "case_id", "trial"]
STANDINGS = ("grounded", "self_knowledge", "echoed", "open", "ungrounded")
# Beyond so many of an item, distinct values are only looked for as they are: every pair is compared
# otherwise, and a table of a million numbers has none to spare.
_MOST_SAID, _MOST_FOUND = 200, 2000
_READ = pl.List(pl.Struct({"number": pl.Int64, "quote": pl.String, "deadline": pl.Boolean}))


def value_groundedness(items: pl.DataFrame, slots: pl.DataFrame) -> pl.DataFrame:
    """Where the values of each answer are from.

    A value is the first of these that holds

    - grounded: a slot has it (`text.value_grounds`): the same value, or the same number where only
      comparator, anchor or qualifier are left open, or a bound of a range;
    - self_knowledge: a required claim that the answer meets has it, the context has not;
    - echoed: the question has it;
    - open: a slot's text is not known, or a slot has a value it may be converted or rounded from;
    - ungrounded.

    Citation marks are no values. An empty ranking is an empty context. So is a ranking that is
    missing or malformed in one item of a run that logs it, but then there is no share.

    Parameters
    ----------
    items
        run_id, case_id, trial, question, answer, retrieved_type, retrieved_logged (whether the run
        logs rankings at all), met_claims (texts of the required claims the answer meets).
    slots
        run_id, case_id, trial, position, text (null where not known), text_from (logged, snapshot
        or null), outdated.

    Returns
    -------
    run_id, case_id, trial, n_values (null without an answer), the quotes from the answer in order
    ungrounded_values, open_values, echoed_values, self_knowledge_values, stale_values (grounded by
    outdated slots only), value_groundedness (null without values, without a known context, while
    values are open), context_from (logged, snapshot, both, null). Of a run that logs no rankings
    nothing is known: lists are empty and the rest is null, but for the 0 of an answer without
    values.
    """
    reader = _Reader()
    said, found = _values(items, slots, reader)
    standings = (
        _grounds(said, found, reader)
        .join(_context(slots), on=ITEM, how="left", maintain_order="left")
        .with_columns(standing=_standing())
        .group_by(ITEM, maintain_order=True)
        .agg(
            n_said=pl.len().cast(pl.Int64),
            stale_values=pl.col("quote").filter("stale"),
            **{f"{name}_values": _quotes(name) for name in STANDINGS if name != "grounded"},
        )
    )
    lists = ["stale_values", *(f"{name}_values" for name in STANDINGS if name != "grounded")]
    logged = pl.col("retrieved_logged")
    n_values = pl.when(pl.col("answer").is_not_null()).then(pl.col("n_said").fill_null(0))
    told = (
        items.select(*ITEM, "answer", "retrieved_type", "retrieved_logged")
        .join(standings, on=ITEM, how="left", maintain_order="left")
        .join(_context(slots), on=ITEM, how="left", maintain_order="left")
        .with_columns(
            pl.when(logged).then(pl.col(lists)).fill_null([]),
            n_values=pl.when(logged | (n_values == 0)).then(n_values),
            context_from=pl.when(logged).then("context_from"),
        )
    )
    n_ungrounded, n_open = (pl.col(f"{name}_values").list.len() for name in ("ungrounded", "open"))
    known = logged & (pl.col("retrieved_type") == "list") & (n_open == 0)
    return told.select(
        *ITEM,
        "n_values",
        *lists,
        "context_from",
        value_groundedness=pl.when(known & (pl.col("n_values") > 0)).then(
            1 - n_ungrounded / pl.col("n_values")
        ),
    )


class _Reader:
    """Reads texts and compares values; equal values bear one number."""

    def __init__(self) -> None:
        self._values: list[Value] = []
        self._numbers: dict[Value, int] = {}

    def read(self, text: str) -> tuple[list[dict[str, Any]]]:
        """The values of a text: number, quote, whether their clause speaks of a deadline."""
        found = values(text)
        if not found:
            return ([],)
        parts = clauses(text)
        starts = [part.start for part in parts]
        of_deadline = [names_deadline(part.text) for part in parts]
        return (
            [
                {
                    "number": self._number(value),
                    "quote": value.quote,
                    # The last clause that begins at or before the value.
                    "deadline": at > 0 and of_deadline[at - 1],
                }
                for value in found
                for at in [bisect_right(starts, value.start)]
            ],
        )

    def ground(self, said: int, found: int, deadline: bool) -> tuple[str]:
        """What the value numbered `found` is to the one numbered `said`."""
        return (ground(self._values[said], self._values[found], deadline=deadline),)

    def _number(self, value: Value) -> int:
        # Of the wording only that a bare キロ was said matters to comparing.
        quote = value.quote if value.unit == "kg" and is_bare_kilo(value.quote) else ""
        bare = replace(value, start=0, end=0, quote=quote, rule="")
        number = self._numbers.setdefault(bare, len(self._values))
        if number == len(self._values):
            self._values.append(bare)
        return number


def _values(
    items: pl.DataFrame, slots: pl.DataFrame, reader: _Reader
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Values of the answers, one row each in order, and distinct values they may be from."""
    answers = with_facts(items.select(*ITEM, "answer"), ["answer"], _uncited, {"text": pl.String})
    claims = items.select(*ITEM, text="met_claims").explode("text", empty_as_null=False)
    texts = pl.concat(
        [
            answers.select(*ITEM, "text", role=pl.lit("answer")),
            slots.select(*ITEM, "text", role=_by_age()),
            claims.select(*ITEM, "text", role=pl.lit("claim")),
            items.select(*ITEM, text="question", role=pl.lit("question")),
        ]
    ).filter(pl.col("text").is_not_null())
    read = (
        with_facts(texts, ["text"], reader.read, {"read": _READ})
        .drop("text")
        .explode("read", empty_as_null=False)
        .unnest("read")
    )
    asked = with_facts(
        items.select(*ITEM, "question"), ["question"], _asks_deadline, {"asked": pl.Boolean}
    )
    is_answer = pl.col("role") == "answer"
    said = (
        read.filter(is_answer)
        .join(asked.select(*ITEM, "asked"), on=ITEM, maintain_order="left")
        .select(*ITEM, "number", "quote", deadline=pl.col("deadline") | pl.col("asked"))
        .with_row_index("place")
    )
    found = (
        read.filter(~is_answer)
        .select(*ITEM, "role", found="number", found_deadline="deadline")
        .unique(maintain_order=True)
    )
    return said, found


def _grounds(said: pl.DataFrame, found: pl.DataFrame, reader: _Reader) -> pl.DataFrame:
    """The said values with what grounds them: found_in, a list of roles, and may_be, stale."""
    equal = said.join(
        found.select(*ITEM, "role", number="found"), on=[*ITEM, "number"], maintain_order="left"
    ).select("place", "role", ground=pl.lit("found"))
    # A value that the context has as it is needs no comparing with the rest of it.
    left = said.join(
        equal.filter(pl.col("role") == "context"), on="place", how="anti", maintain_order="left"
    )
    pairs = left.filter(_nth_distinct("number") <= _MOST_SAID).join(
        found.filter(_nth_distinct("found") <= _MOST_FOUND), on=ITEM, maintain_order="left"
    )
    compared = with_facts(
        pairs.select("place", "role", "number", "found",
                     deadline=pl.col("deadline") | pl.col("found_deadline")),
        ["number", "found", "deadline"],
        reader.ground,
        {"ground": pl.String},
    ).select("place", "role", "ground")  # fmt: skip
    grounds = (
        pl.concat([equal, compared])
        .group_by("place")
        .agg(
            grounded=_has("context", "outdated"),
            stale=~_has("context"),
            known=_has("claim"),
            echoed=_has("question"),
            may_be=(_in("context", "outdated") & (pl.col("ground") != "none")).any(),
        )
        .with_columns(stale=pl.col("stale") & pl.col("grounded"))
    )
    return said.join(grounds, on="place", how="left", maintain_order="left").with_columns(
        pl.col("grounded", "stale", "known", "echoed", "may_be").fill_null(value=False)
    )


def _standing() -> pl.Expr:
    unknown = pl.col("some_unknown").fill_null(value=False)
    return (
        pl.when("grounded")
        .then(pl.lit("grounded"))
        .when("known")
        .then(pl.lit("self_knowledge"))
        .when("echoed")
        .then(pl.lit("echoed"))
        .when(pl.col("may_be") | unknown)
        .then(pl.lit("open"))
        .otherwise(pl.lit("ungrounded"))
    )


def _quotes(standing: str) -> pl.Expr:
    return pl.col("quote").filter(pl.col("standing") == standing)


def _in(*roles: str) -> pl.Expr:
    return pl.col("role").is_in(roles)


def _has(*roles: str) -> pl.Expr:
    """Whether texts of these roles have the value, or both bounds of it."""
    place, ground = _in(*roles), pl.col("ground")
    bounds = (place & (ground == "low")).any() & (place & (ground == "high")).any()
    return (place & (ground == "found")).any() | bounds


def _nth_distinct(number: str) -> pl.Expr:
    """Of the distinct values of an item in order of appearance, which one a row holds."""
    return (pl.col(number).is_first_distinct().cum_sum()).over(ITEM)


def _by_age() -> pl.Expr:
    return pl.when("outdated").then(pl.lit("outdated")).otherwise(pl.lit("context"))


def _context(slots: pl.DataFrame) -> pl.DataFrame:
    """Of each item with slots: some_unknown, context_from."""
    logged, held = ((pl.col("text_from") == name).any() for name in ("logged", "snapshot"))
    return slots.group_by(ITEM, maintain_order=True).agg(
        some_unknown=pl.col("text").is_null().any(),
        context_from=pl.when(logged & held)
        .then(pl.lit("both"))
        .when(logged)
        .then(pl.lit("logged"))
        .when(held)
        .then(pl.lit("snapshot")),
    )


def _uncited(answer: str | None) -> tuple[str | None]:
    return (None if answer is None else without_citations(answer),)


def _asks_deadline(question: str | None) -> tuple[bool]:
    return (question is not None and names_deadline(question),)
