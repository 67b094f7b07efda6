"""Verdict matrix: which texts support, contradict or leave open which claims.

Claims are the gold claims of the case (required, forbidden, derived) and the claims of the answer:
without a model to take it apart, its clauses. Clauses that only ask, greet, apologise, name a desk,
say that something is not known or quote are no claims, and an item that does not answer makes none.
The text `gold` is the reference answer, the accepted answers and the required claims: of several
the one that decides. Documents are the first ten of the ranking; one that does not speak of a claim
has no row for it.

Formula:
- each gold claim is held against `answer`
- each required or derived claim against the documents
- each claim of the answer against `gold` and against the documents
Source: RAGChecker (Ru et al. 2024), with rules in place of a model; R14
Gives: claim_verdicts (claim_id, origin, kind, importance, claim, target, method)
Needs: `case.required_claims`, `case.forbidden_claims`, `case.reference_answer`,
  `case.accepted_answers`, `case.expected_status`, `log.answer`, `log.status`, `log.retrieved`,
  `log.retrieved.text`, `document.text`
Absent:
- `case.required_claims` where an answer is expected: a derived claim for each accepted answer, of
  which one has to be met
- `case.forbidden_claims`: no row
- `case.reference_answer`, `case.accepted_answers` and required claims: the claims of the answer are
  undecided, by the rule no_gold
- `case.expected_status`: answer
- `log.answer`: gold claims are held against an empty text, and there are no claims of the answer
- `log.status` in every item: the wording of the answer says whether it answers
- `log.retrieved`: no row against a document
- `log.retrieved.text`: the text of its id in the knowledge base
- `log.retrieved.text` and `document.text`: no row against that document
"""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from rag_eval_pipeline.measures.claims.claim import Claim
from rag_eval_pipeline.measures.claims.ragchecker import DEPTH, NO_GOLD
from rag_eval_pipeline.measures.claims.statements import Parsed, parse
from rag_eval_pipeline.measures.claims.verdict import Verdict, judge
from rag_eval_pipeline.measures.distinct import with_facts
from rag_eval_pipeline.tables.model import STATUSES
from rag_eval_pipeline.text.citation_marks import without_citations
from rag_eval_pipeline.text.clauses import clauses
from rag_eval_pipeline.text.fold import fold
from rag_eval_pipeline.text.status import read_status
from rag_eval_pipeline.text.topic import terms
from rag_eval_pipeline.text.values import values

MOST_ANSWER_CLAIMS = 100
"""Clauses of one answer that are taken as its claims; what follows is not judged on its own."""

ITEM = ["run_id", "case_id", "trial"]
KEYS = ["dataset_version", "dataset_hash", "run_id", "run_hash", "measure_version"]
_HINTS = ["any_of", "values", "not_any_of"]
_NUMBERS = ["claim_no", "text_no", "question_no"]
_JUDGED = {
    "verdict": pl.String,
    "mention": pl.String,
    "rule": pl.String,
    "quote": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "reason": pl.String,
}
_NO_TEXTS = pl.lit([], pl.List(pl.String))
_NO_TEXT = pl.lit(None, pl.String)
_NOWHERE = pl.lit(None, pl.Int64)
_END_MARKS = " 。．.！!"
# Where a citation mark stood.
_GAP_AT_END = re.compile(r"\s+(?=[。、．，.,!?！？]|$)")
_GAP = re.compile(r"\s{2,}")


def claim_verdicts(
    measured: pl.DataFrame,
    slots: pl.DataFrame,
    wanted_claims: pl.DataFrame,
    approved_cases: pl.DataFrame,
    *,
    depth: int = DEPTH,
) -> pl.DataFrame:
    """Judge the claims of cases and answers.

    Rows are: each gold claim against `answer`; each required or derived claim against those
    documents that speak of it; each claim of the answer against `gold` and against those documents
    that speak of it. `gold` is the reference answer, the accepted answers and the required claims
    of the case: a claim is supported if one of them supports it, else contradicted if one of them
    contradicts it. Where the case has none of them the row is undecided, by the rule `no_gold`.

    An answer that equals the claim, width, spaces and closing marks aside, supports it. Clauses
    that only ask, greet, apologise, name a desk, say that something is not known or quote are no
    claims of the answer, and an item that does not answer (by its status, by its wording where the
    run logs none) makes none.

    Parameters
    ----------
    measured
        run_id, case_id, trial and the other keys of the table; question, answer, status,
        not_logged (fields the run never carries).
    slots
        run_id, case_id, trial, position, text (null where not known: such slots have no rows).
    wanted_claims
        case_id, claim_id, kind, importance, claim, any_of, values, not_any_of
        (`derived.case_claims`).
    approved_cases
        case_id, reference_answer, accepted_answers.
    depth
        Positions of the ranking that claims are held against.

    Returns
    -------
    The columns of the table `claim_verdicts`, in the order of items, claims and documents.
    """
    judge = _Judge()
    items = _items(measured)
    asked = _asked(items, wanted_claims, judge)
    texts = with_facts(
        pl.concat(
            [
                items.select("item_no", "text", target=pl.lit("answer"), position=_NOWHERE),
                _gold_texts(items, wanted_claims, approved_cases),
                _documents(items, slots, depth),
            ]
        ),
        ["text"],
        judge.text_no,
        {"text_no": pl.Int64},
    ).drop("text")
    # A document is no reply: what it leaves unnamed is not what was asked for. Only a claim without
    # a topic (500円) needs the question there too.
    question = pl.when(pl.col("position").is_null() | ~pl.col("has_topic")).then("question_no")
    pairs = (
        asked.join(texts, on="item_no", maintain_order="left")
        .filter(_is_judged())
        .with_columns(question_no=question)
    )
    judged = with_facts(
        pairs.select("asked_no", "target", "position", *_NUMBERS), _NUMBERS, judge.verdict, _JUDGED
    ).drop(_NUMBERS)
    rows = _decisive(judged)
    return (
        pl.concat([rows, _without_gold(asked, rows)])
        .join(asked, on="asked_no", maintain_order="left")
        .join(items, on="item_no", maintain_order="left")
        .sort("item_no", "asked_no", "position")
        .select(
            *KEYS,
            "case_id",
            "trial",
            "claim_id",
            "origin",
            "kind",
            "importance",
            "claim",
            "target",
            "verdict",
            "mention",
            "rule",
            "start",
            "end",
            "reason",
            method=pl.lit("rule"),
            # The answer is judged without its citation marks, and shown with them.
            quote=pl.when(pl.col("target") == "answer")
            .then(pl.col("answer").str.slice("start", pl.col("end") - pl.col("start")))
            .otherwise("quote"),
        )
    )


class _Judge:
    """Judges claims against texts; equal ones bear one number, and a text is read at most once."""

    def __init__(self) -> None:
        self._claims: dict[Claim, int] = {}
        self._texts: dict[str, int] = {}
        self._claim_of: list[Claim] = []
        self._text_of: list[str] = []
        self._read: dict[int, Parsed] = {}

    def claim_no(
        self, text: str, kind: str, any_of: list[str], values: list[str], not_any_of: list[str]
    ) -> tuple[int, bool]:
        """The number of a claim, and whether it names what it speaks of."""
        claim = Claim(
            text=text,
            kind="forbidden" if kind == "forbidden" else "required",
            any_of=tuple(any_of),
            values=tuple(values),
            not_any_of=tuple(not_any_of),
        )
        number = self._claims.setdefault(claim, len(self._claims))
        if number == len(self._claim_of):
            self._claim_of.append(claim)
        return number, _has_topic(text)

    def text_no(self, text: str | None) -> tuple[int | None]:
        """The number of a text; none for none."""
        if text is None:
            return (None,)
        number = self._texts.setdefault(text, len(self._texts))
        if number == len(self._text_of):
            self._text_of.append(text)
        return (number,)

    def verdict(self, claim_no: int, text_no: int, question_no: int | None) -> tuple[Any, ...]:
        """What the rules say of a claim, a text and the question they answer."""
        claim, text = self._claim_of[claim_no], self._text_of[text_no]
        question = None if question_no is None else self._parsed(question_no)
        found = _equal(claim, text) or judge(claim, self._parsed(text_no), question)
        return (
            found.label,
            found.mention,
            found.rule,
            found.quote,
            found.start,
            found.end,
            found.reason,
        )

    def _parsed(self, number: int) -> Parsed:
        read = self._read.get(number)
        if read is None:
            read = self._read[number] = parse(self._text_of[number])
        return read


def _equal(claim: Claim, text: str) -> Verdict | None:
    """The verdict on a text that is the claim; with hints, or forbidden, rules decide."""
    if claim.kind == "forbidden" or claim.any_of or claim.values or claim.not_any_of:
        return None
    said = fold(text).rstrip(_END_MARKS)
    if not said or said != fold(claim.text).rstrip(_END_MARKS):
        return None
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return Verdict(
        label="supported",
        mention="full",
        rule="equal",
        quote=text[start:end],
        start=start,
        end=end,
        reason="the text is the claim",
    )


def _items(measured: pl.DataFrame) -> pl.DataFrame:
    """The items numbered, with `text` (the answer without citation marks) and `answers`."""
    read = with_facts(
        measured.select(*KEYS, "case_id", "trial", "question", "answer", "status", "not_logged"),
        ["answer"],
        _read_answer,
        {"text": pl.String, "wording_answers": pl.Boolean},
    )
    unlogged = pl.col("not_logged").list.contains("status")
    return read.with_row_index("item_no").select(
        pl.exclude("status", "not_logged", "wording_answers"),
        answers=pl.when(pl.col("status").is_in(STATUSES))
        .then(pl.col("status") == "answer")
        .otherwise(pl.col("wording_answers") | ~unlogged),
    )


def _read_answer(answer: str | None) -> tuple[str, bool]:
    if answer is None:
        return "", False
    return without_citations(answer), read_status(answer).label == "answer"


def _asked(items: pl.DataFrame, wanted: pl.DataFrame, judge: _Judge) -> pl.DataFrame:
    """The claims of each item, numbered: item_no, origin, claim_id, …, claim_no, question_no."""
    columns = ["item_no", "question", "origin", *wanted.columns]
    gold = items.join(wanted, on="case_id", maintain_order="left").with_columns(
        origin=pl.lit("gold")
    )
    stated = (
        with_facts(items.filter("answers"), ["text"], _answer_claims, {"claim": pl.List(pl.String)})
        .explode("claim", empty_as_null=False)
        .with_columns(
            number=pl.int_range(1, pl.len() + 1).over("item_no"),
            origin=pl.lit("answer"),
            kind=pl.lit("answer"),
            importance=_NO_TEXT,
            **dict.fromkeys(_HINTS, _NO_TEXTS),
        )
        .with_columns(claim_id=pl.format("c{}", "number"))
    )
    asked = pl.concat([gold.select(columns), stated.select(columns)]).with_row_index("asked_no")
    asked = with_facts(
        asked,
        ["claim", "kind", *_HINTS],
        judge.claim_no,
        {"claim_no": pl.Int64, "has_topic": pl.Boolean},
    )
    asked = with_facts(asked, ["question"], judge.text_no, {"question_no": pl.Int64})
    return asked.drop("case_id", "question", *_HINTS)


def _answer_claims(text: str) -> tuple[list[str]]:
    """The clauses of an answer that state something, as they are written."""
    found: list[str] = []
    for clause in clauses(text):
        if len(found) == MOST_ANSWER_CLAIMS:
            break
        if not clause.quoted and _states_something(clause.text):
            found.append(_GAP.sub(" ", _GAP_AT_END.sub("", clause.text)))
    return (found,)


def _states_something(clause: str) -> bool:
    reading = read_status(clause)
    if reading.label != "answer" or reading.quote is None:
        return False
    return _has_topic(clause) or bool(values(clause))


def _has_topic(text: str) -> bool:
    return any(not term.generic for term in terms(fold(text).lower()))


def _gold_texts(items: pl.DataFrame, wanted: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """What the answer's claims are held against: item_no, text, target `gold`, position null."""
    accepted = cases.select(
        "case_id", text=pl.concat_list("reference_answer", "accepted_answers")
    ).explode("text", empty_as_null=False)
    required = wanted.filter(pl.col("kind") == "required").select("case_id", text="claim")
    gold = (
        pl.concat([accepted, required])
        .filter(pl.col("text").str.strip_chars() != "")
        .unique(maintain_order=True)
    )
    return (
        items.select("item_no", "case_id")
        .join(gold, on="case_id", maintain_order="left")
        .select("item_no", "text", target=pl.lit("gold"), position=_NOWHERE)
    )


def _documents(items: pl.DataFrame, slots: pl.DataFrame, depth: int) -> pl.DataFrame:
    """Documents with a text: item_no, text, target, position."""
    held = slots.filter((pl.col("position") <= depth) & pl.col("text").is_not_null())
    return (
        items.select("item_no", *ITEM)
        .join(held.select(*ITEM, "position", "text"), on=ITEM, maintain_order="left")
        .select("item_no", "text", target=pl.format("doc:{}", "position"), position="position")
    )


def _is_judged() -> pl.Expr:
    gold, target = pl.col("origin") == "gold", pl.col("target")
    document = pl.col("position").is_not_null() & (pl.col("kind") != "forbidden")
    return document | (gold & (target == "answer")) | (~gold & (target == "gold"))


def _decisive(judged: pl.DataFrame) -> pl.DataFrame:
    """One row a claim and target: of gold texts the one that decides, and no silent document."""
    silent = (
        pl.col("position").is_not_null()
        & (pl.col("verdict") == "undecided")
        & (pl.col("mention") == "none")
    )
    weight = {
        "verdict": ["supported", "contradicted", "undecided"],
        "mention": ["full", "partial", "none"],
    }
    heaviest = [
        pl.col(name).replace_strict(order, range(len(order)), return_dtype=pl.Int8)
        for name, order in weight.items()
    ]
    return (
        judged.filter(~silent)
        .sort(heaviest, maintain_order=True)
        .unique(["asked_no", "target"], keep="first", maintain_order=True)
    )


def _without_gold(asked: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows for claims of answers whose case has no gold text."""
    held = rows.filter(pl.col("target") == "gold")
    nothing: dict[str, Any] = {
        "target": "gold",
        "verdict": "undecided",
        "mention": "none",
        "rule": NO_GOLD,
        "reason": "the case gives no text to hold the claim against",
    }
    return (
        asked.filter(pl.col("origin") == "answer")
        .join(held, on="asked_no", how="anti", maintain_order="left")
        .select(
            "asked_no",
            *(pl.lit(nothing.get(name), dtype).alias(name) for name, dtype in rows.schema.items()
              if name != "asked_no"),
        )
    )  # fmt: skip
