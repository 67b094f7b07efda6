"""The facts of run items side by side: what axis scores and diagnosis are made of."""

from __future__ import annotations

import polars as pl

ITEM = ["run_id", "case_id", "trial"]
NOTE_LENGTH = 60

# Claims of an item by what became of them: lists of claim ids.
CLAIM_LISTS = (
    "vital_met",
    "vital_contradicted",
    "vital_absent",
    "vital_open",
    "okay_met",
    "okay_unmet",
    "okay_open",
    "forbidden_asserted",
    "forbidden_clear",
    "forbidden_open",
)
# The same for people: claim id and the clause that decided.
NOTE_LISTS = ("contradicted_notes", "asserted_notes")


def facts(
    retrieval: pl.DataFrame,
    answer: pl.DataFrame,
    behavior: pl.DataFrame,
    verdicts: pl.DataFrame,
    items: pl.DataFrame,
    evidence: pl.DataFrame,
) -> pl.DataFrame:
    """Join measures of the same keys per run item.

    Parameters
    ----------
    retrieval, answer, behavior, verdicts
        The tables `retrieval_measures`, `answer_measures`, `behavior_measures`, `claim_verdicts`
        of some keys.
    items
        run_id, case_id, trial, source, retrieved_type of the table `run_items`.
    evidence
        The table `case_evidence`.

    Returns
    -------
    The columns of the three tables of one row an item, `source`, `retrieved_type`, `gold_ids`
    (the case's gold ids in order of group, empty without gold), and the lists `CLAIM_LISTS` and
    `NOTE_LISTS`.
    """
    gold = (
        evidence.sort(["case_id", "group_no"], maintain_order=True)
        .group_by("case_id", maintain_order=True)
        .agg(gold_ids="evidence_id")
    )
    own = [name for name in answer.columns if name not in retrieval.columns]
    status = [name for name in behavior.columns if name not in retrieval.columns]
    lists = (*CLAIM_LISTS, *NOTE_LISTS)
    return (
        retrieval.join(answer.select(*ITEM, *own), on=ITEM, maintain_order="left")
        .join(behavior.select(*ITEM, *status), on=ITEM, maintain_order="left")
        .join(
            items.select(*ITEM, "source", "retrieved_type"),
            on=ITEM,
            how="left",
            maintain_order="left",
        )
        .join(gold, on="case_id", how="left", maintain_order="left")
        .join(claims_by_state(verdicts), on=ITEM, how="left", maintain_order="left")
        .with_columns(pl.col("gold_ids", *lists).fill_null([]).cast(pl.List(pl.String)))
    )


def claims_by_state(verdicts: pl.DataFrame) -> pl.DataFrame:
    """What became of the claims of each item (R4).

    A required claim is met if supported, contradicted if contradicted; undecided, it is open only
    where the answer speaks of all of it, else absent. A forbidden claim is asserted if supported;
    undecided, it is open only where the answer speaks of it. Of the claims derived from accepted
    answers one has to be met: they count as one.

    Parameters
    ----------
    verdicts
        The table `claim_verdicts`.

    Returns
    -------
    run_id, case_id, trial and the lists of claim ids `CLAIM_LISTS`, the lists of texts
    `NOTE_LISTS`; one row per item that has gold claims.
    """
    on_answer = verdicts.filter((pl.col("origin") == "gold") & (pl.col("target") == "answer"))
    verdict, mention = pl.col("verdict"), pl.col("mention")
    forbidden = pl.col("kind") == "forbidden"
    undecided = (
        pl.when(forbidden & (mention == "none"))
        .then(pl.lit("clear"))
        .when(forbidden | (mention == "full"))
        .then(pl.lit("open"))
        .otherwise(pl.lit("absent"))
    )
    state = (
        pl.when(verdict == "undecided")
        .then(undecided)
        .when(verdict == "supported")
        .then(pl.when(forbidden).then(pl.lit("asserted")).otherwise(pl.lit("met")))
        .otherwise(pl.when(forbidden).then(pl.lit("clear")).otherwise(pl.lit("contradicted")))
    )
    quote = pl.col("quote").fill_null("").str.strip_chars()
    cut = (
        pl.when(quote.str.len_chars() > NOTE_LENGTH)
        .then(quote.str.head(NOTE_LENGTH - 1) + "…")
        .otherwise(quote)
    )
    judged = on_answer.select(
        *ITEM, "claim_id", "kind", "importance",
        state=state, note=pl.format("{}: {}", "claim_id", cut),
    )  # fmt: skip
    derived = pl.col("kind") == "derived"
    # The best that any accepted answer gives is what the one derived claim gives.
    rank = pl.col("state").replace_strict(
        ["met", "open", "contradicted", "absent"], [0, 1, 2, 3], return_dtype=pl.Int8
    )
    best = (
        judged.filter(derived)
        .sort([*ITEM, rank, "claim_id"], maintain_order=True)
        .unique(ITEM, keep="first", maintain_order=True)
    )
    one_each = pl.concat([judged.filter(~derived), best]).sort([*ITEM, "claim_id"])
    vital, okay = pl.col("importance") == "vital", pl.col("importance") == "okay"
    required = pl.col("kind") != "forbidden"
    chosen = {
        **{f"vital_{each}": required & vital & (pl.col("state") == each)
           for each in ("met", "contradicted", "absent", "open")},
        "okay_met": required & okay & (pl.col("state") == "met"),
        "okay_unmet": required & okay & pl.col("state").is_in(["contradicted", "absent"]),
        "okay_open": required & okay & (pl.col("state") == "open"),
        **{f"forbidden_{each}": ~required & (pl.col("state") == each)
           for each in ("asserted", "clear", "open")},
    }  # fmt: skip
    return one_each.group_by(ITEM, maintain_order=True).agg(
        *(pl.col("claim_id").filter(which).alias(name) for name, which in chosen.items()),
        contradicted_notes=pl.col("note").filter(chosen["vital_contradicted"]),
        asserted_notes=pl.col("note").filter(chosen["forbidden_asserted"]),
    )
