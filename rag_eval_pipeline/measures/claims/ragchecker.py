"""Claim metrics: what the answer says of what it should, and RAGChecker's eleven metrics.

They follow from the verdict matrix. R are the claims of the answer, G the required gold claims, D
the retrieved documents; E(c, t) says that the text t entails the claim c. *Relevant* are documents
that entail some g. The accepted answers of a case are alternatives: the claims derived from them
count as one, entailed where one of them is. Over cases each metric is averaged as it is, f1 too.

Rules leave cells open. An open cell makes a metric null where it could change it, and only there.
Where RAGChecker says 0 because there is nothing to divide by, the metric is null. Hence

- faithfulness + hallucination + self_knowledge = 1;
- 1 − precision = hallucination + the two noise sensitivities.

Formula:
- completeness = required claims met / required claims
- correctness = claims the answer gets right / claims it decides, required and forbidden
- n_violations = forbidden claims that the answer asserts
- precision = mean over R of E(c, gold)
- recall = mean over G of E(g, answer)
- f1 = harmonic mean of precision and recall, 0 where either is 0
- claim_recall = share of G that some d entails
- context_precision = share of D that is relevant
- context_utilization = of the G that some d entails, the share that the answer entails
- noise_sensitivity_in_relevant = share of R that gold does not entail and a relevant d does
- noise_sensitivity_in_irrelevant = share of R that gold does not entail and only irrelevant d do
- hallucination = share of R that neither gold nor any d entails
- self_knowledge = share of R that gold entails and no d does
- faithfulness = share of R that some d entails
Source: RAGChecker (Ru et al. 2024), `ragchecker/computation.py`, with cells from rules in place of
  a model; completeness after the nuggets of the TREC 2024 RAG track (`strict_all`); R4, R14
Gives:
- answer_measures (completeness, correctness, n_violations, precision, recall, f1, claim_recall)
- answer_measures (context_precision, context_utilization, noise_sensitivity_in_relevant)
- answer_measures (noise_sensitivity_in_irrelevant, hallucination, self_knowledge, faithfulness)
Needs: `case.required_claims`, `case.forbidden_claims`, `case.reference_answer`,
  `case.accepted_answers`, `log.answer`, `log.retrieved`, `log.retrieved.text`, `document.text`
Absent:
- `case.required_claims`: the reference answer and the accepted answers stand in for them
- `case.required_claims`, `case.reference_answer` and `case.accepted_answers`: what needs gold is
  null; n_violations, correctness over forbidden claims and faithfulness are left
- `case.forbidden_claims`: n_violations is null
- `log.answer`: completeness, recall and context_utilization are 0; correctness, and what is
  averaged over R, is null
- `log.retrieved`: what speaks of documents is null
- `log.retrieved.text`: the text of its id in the knowledge base
- `log.retrieved.text` and `document.text`: the document may entail any claim, so a metric that this
  could change is null
"""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]
DEPTH = 10
"""Positions of the ranking that claims are held against unless told otherwise."""
NO_GOLD = "no_gold"
"""Rule in the row of an answer claim whose case has no text to hold it against."""
METRICS = (
    "precision",
    "recall",
    "f1",
    "claim_recall",
    "context_precision",
    "context_utilization",
    "noise_sensitivity_in_relevant",
    "noise_sensitivity_in_irrelevant",
    "hallucination",
    "self_knowledge",
    "faithfulness",
)
_GOLD = pl.col("origin") == "gold"
_REQUIRED = _GOLD & (pl.col("kind") != "forbidden")
_UNIT = [*ITEM, "unit"]
_OPEN = pl.lit(None, pl.Boolean)


def claim_shares(verdicts: pl.DataFrame) -> pl.DataFrame:
    """How much of what was asked for the answers say, and how much of what they say is right.

    A required claim is met if supported. Undecided it is open where the answer speaks of all of
    it, else not met. The answer decides a claim that it supports or contradicts in so many words: a
    forbidden claim that it does not speak of is not violated, and nothing that it got right.

    Parameters
    ----------
    verdicts
        The table `claim_verdicts`.

    Returns
    -------
    run_id, case_id, trial, one row per item with gold claims: completeness (met / required
    claims; null while one is open and without required claims), correctness (required claims
    supported and forbidden ones contradicted / claims decided; null if none is), n_violations
    (forbidden claims supported; null without forbidden claims).
    """
    verdict, forbidden = pl.col("verdict"), pl.col("kind") == "forbidden"
    judged = verdicts.filter(_GOLD & (pl.col("target") == "answer")).select(
        *ITEM,
        unit=_unit(),
        forbidden=forbidden,
        supported=verdict == "supported",
        contradicted=(verdict == "contradicted") & (pl.col("mention") != "none"),
        open=(verdict == "undecided") & (pl.col("mention") == "full"),
    )
    # Alternatives count as the best of them: met, else open, else contradicted, else absent.
    claims = (
        judged.group_by([*_UNIT, "forbidden"], maintain_order=True)
        .agg(pl.col("supported", "contradicted", "open").any())
        .with_columns(open=pl.col("open") & ~pl.col("supported"))
        .with_columns(
            contradicted=pl.col("contradicted") & ~pl.col("supported") & ~pl.col("open"),
        )
    )
    required = ~pl.col("forbidden")
    right = pl.when(pl.col("forbidden")).then("contradicted").otherwise("supported")
    decided = pl.col("supported") | pl.col("contradicted")
    return (
        claims.group_by(ITEM, maintain_order=True)
        .agg(
            n_required=required.sum(),
            n_open=(required & pl.col("open")).sum(),
            n_met=(required & pl.col("supported")).sum(),
            n_decided=decided.sum(),
            n_right=right.sum(),
            n_forbidden=pl.col("forbidden").sum(),
            n_asserted=(pl.col("forbidden") & pl.col("supported")).sum(),
        )
        .select(
            *ITEM,
            completeness=pl.when((pl.col("n_required") > 0) & (pl.col("n_open") == 0)).then(
                pl.col("n_met") / pl.col("n_required")
            ),
            correctness=pl.when(pl.col("n_decided") > 0).then(
                pl.col("n_right") / pl.col("n_decided")
            ),
            n_violations=pl.when(pl.col("n_forbidden") > 0).then(
                pl.col("n_asserted").cast(pl.Int64)
            ),
        )
    )


def ragchecker(
    measured: pl.DataFrame, slots: pl.DataFrame, verdicts: pl.DataFrame, *, depth: int = DEPTH
) -> pl.DataFrame:
    """The eleven metrics of each item.

    Parameters
    ----------
    measured
        run_id, case_id, trial.
    slots
        run_id, case_id, trial, position, text (null where it is not known).
    verdicts
        The table `claim_verdicts`: answer claims have a row against `gold`, gold claims one
        against `answer`; a claim without a row for a document is not entailed by it, unless the
        document's text is not known.
    depth
        Positions held against the claims when the verdicts were made.

    Returns
    -------
    run_id, case_id, trial and `METRICS`, each in [0, 1] or null.
    """
    documents = slots.filter(pl.col("position") <= depth).select(
        *ITEM, "position", unknown=pl.col("text").is_null()
    )
    cells = verdicts.select(
        *ITEM,
        "origin",
        "kind",
        "target",
        unit=_unit(),
        entailed=_entailed(),
        position=pl.col("target").str.extract("^doc:([0-9]{1,9})$").cast(pl.Int64),
    )
    relevance = _relevance(documents, cells)
    shelf = relevance.group_by(ITEM, maintain_order=True).agg(
        n_documents=pl.len(),
        some_unknown=pl.col("unknown").any(),
        context_precision=_share(pl.col("relevant")),
    )
    found = (
        measured.select(ITEM)
        .join(shelf, on=ITEM, how="left", maintain_order="left")
        .join(_of_gold(cells, shelf), on=ITEM, how="left", maintain_order="left")
        .join(_of_answer(cells, relevance, shelf), on=ITEM, how="left", maintain_order="left")
    )
    documents_given = pl.col("n_documents").fill_null(0) > 0
    gold_given = pl.col("n_gold").fill_null(0) > 0
    answer_given = pl.col("n_answer").fill_null(0) > 0
    of_gold = ["claim_recall", "context_precision", "context_utilization"]
    of_answer = ["hallucination", "self_knowledge", "faithfulness"]
    of_both = ["noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant"]
    return found.with_columns(
        pl.when(documents_given & gold_given).then(pl.col(of_gold)),
        pl.when(documents_given & answer_given).then(pl.col(of_answer)),
        pl.when(documents_given & gold_given & answer_given).then(pl.col(of_both)),
        f1=pl.when(gold_given & answer_given).then(_f1()),
    ).select(*ITEM, *METRICS)


def _of_gold(cells: pl.DataFrame, shelf: pl.DataFrame) -> pl.DataFrame:
    """n_gold, recall, claim_recall, context_utilization of the items with gold claims."""
    gold = cells.filter(_REQUIRED)
    answered = (
        gold.filter(pl.col("target") == "answer")
        .group_by(_UNIT, maintain_order=True)
        .agg(answered=_any(pl.col("entailed")))
    )
    in_documents = gold.filter(pl.col("position").is_not_null())
    held = (
        answered.join(
            in_documents.select(*_UNIT, "position", "entailed"),
            on=_UNIT, how="left", maintain_order="left",
        )
        .group_by([*_UNIT, "answered"], maintain_order=True)
        .agg(retrieved=_any(_found("entailed")))
    )  # fmt: skip
    return (
        held.join(shelf, on=ITEM, how="left", maintain_order="left")
        .with_columns(retrieved=pl.col("retrieved") | _unknown())
        .group_by(ITEM, maintain_order=True)
        .agg(
            n_gold=pl.len(),
            recall=_share(pl.col("answered")),
            claim_recall=_share(pl.col("retrieved")),
            context_utilization=_utilization(),
        )
    )


def _of_answer(cells: pl.DataFrame, relevance: pl.DataFrame, shelf: pl.DataFrame) -> pl.DataFrame:
    """n_answer and the metrics over answer claims, of the items with such claims."""
    answer = cells.filter(pl.col("origin") == "answer")
    right = answer.filter(pl.col("target") == "gold").select(*_UNIT, right="entailed")
    in_documents = answer.filter(pl.col("position").is_not_null()).join(
        relevance.select(*ITEM, "position", "relevant"),
        on=[*ITEM, "position"], maintain_order="left",
    )  # fmt: skip
    entailed, relevant = _found("entailed"), pl.col("relevant")
    held = (
        right.join(
            in_documents.select(*_UNIT, "position", "entailed", "relevant"),
            on=_UNIT, how="left", maintain_order="left",
        )
        .group_by([*_UNIT, "right"], maintain_order=True)
        .agg(
            supported=_any(entailed),
            by_relevant=_any(entailed & relevant),
            by_irrelevant=_any(entailed & ~relevant),
        )
        .join(shelf, on=ITEM, how="left", maintain_order="left")
        .with_columns(pl.col("supported", "by_relevant", "by_irrelevant") | _unknown())
    )  # fmt: skip
    correct, supported = pl.col("right"), pl.col("supported")
    by_relevant = pl.col("by_relevant")
    return held.group_by(ITEM, maintain_order=True).agg(
        n_answer=pl.len(),
        precision=_share(correct),
        noise_sensitivity_in_relevant=_share(~correct & by_relevant),
        noise_sensitivity_in_irrelevant=_share(~correct & ~by_relevant & pl.col("by_irrelevant")),
        hallucination=_share(~correct & ~supported),
        self_knowledge=_share(correct & ~supported),
        faithfulness=_share(supported),
    )


def _relevance(documents: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Documents with `relevant`: whether they entail a gold claim, null while that is open."""
    speaking = (
        cells.filter(_REQUIRED & pl.col("position").is_not_null())
        .group_by([*ITEM, "position"])
        .agg(relevant=_any(pl.col("entailed")), speaks=pl.lit(value=True))
    )
    return documents.join(
        speaking, on=[*ITEM, "position"], how="left", maintain_order="left"
    ).with_columns(
        relevant=pl.when(pl.col("speaks"))
        .then(pl.col("relevant"))
        .when(~pl.col("unknown"))
        .then(pl.lit(value=False))
    )


def _unit() -> pl.Expr:
    """What counts as one claim: alternatives derived from accepted answers do so together."""
    return pl.when(pl.col("kind") == "derived").then(pl.lit("derived")).otherwise("claim_id")


def _entailed() -> pl.Expr:
    """R14: true, false, or null where the verdict leaves it open."""
    verdict = pl.col("verdict")
    nothing = (verdict == "contradicted") | (pl.col("mention") == "none")
    return (
        pl.when((pl.col("rule") == NO_GOLD).fill_null(value=False))
        .then(_OPEN)
        .when(verdict == "supported")
        .then(pl.lit(value=True))
        .when(nothing)
        .then(pl.lit(value=False))
    )


def _found(cell: str) -> pl.Expr:
    """The cell of a claim's document, false in the row of a claim that has none."""
    return pl.when(pl.col("position").is_null()).then(pl.lit(value=False)).otherwise(pl.col(cell))


def _unknown() -> pl.Expr:
    """What documents whose text is not known add to an `any`: it may be one of them."""
    return pl.when(~pl.col("some_unknown").fill_null(value=False)).then(pl.lit(value=False))


def _any(cell: pl.Expr) -> pl.Expr:
    return cell.any(ignore_nulls=False)


def _share(cell: pl.Expr) -> pl.Expr:
    """Mean of truths, null while one is open."""
    return pl.when(cell.is_not_null().all()).then(cell.mean())


def _utilization() -> pl.Expr:
    """Retrieved and answered / retrieved, null where its bounds over the open cells differ."""
    retrieved, answered = pl.col("retrieved"), pl.col("answered")
    surely = retrieved.fill_null(value=False)
    maybe = retrieved.is_null()
    used, unused = answered.fill_null(value=False), (~answered).fill_null(value=False)
    n = surely.sum()
    low = (surely & used).sum() / (n + (maybe & ~used).sum())
    high = (surely & ~unused).sum() + (maybe & ~unused).sum()
    high = high / (n + (maybe & ~unused).sum())
    return pl.when((n > 0) & (low == high)).then(low)


def _f1() -> pl.Expr:
    precision, recall = pl.col("precision"), pl.col("recall")
    nothing = ((precision == 0) | (recall == 0)).fill_null(value=False)
    return pl.when(nothing).then(0.0).otherwise(2 * precision * recall / (precision + recall))
