"""From the list as logged to measures: which slot comes first, and what a repeated id costs."""

import polars as pl
import pytest

from rag_eval_pipeline.measures.retrieval.depths import at_depths
from rag_eval_pipeline.measures.retrieval.ranks import group_ranks
from rag_eval_pipeline.run_log.retrieved import Ranking, read_ranking

ITEM = {"run_id": "night", "case_id": "q", "trial": 1}
TYPES = {
    "evidence_id": pl.String,
    "doc_id": pl.String,
    "section_id": pl.String,
    "position": pl.Int64,
}


def parts(evidence_id: str) -> tuple[str, str | None]:
    document, _, section = evidence_id.partition("#")
    return document, section or None


def measured(ranking: Ranking, gold: str, k: int) -> dict[str, float]:
    rows = [
        (slot.evidence_id, *parts(slot.evidence_id), position)
        for position, slot in enumerate(ranking.slots, start=1)
    ]
    retrieved = pl.DataFrame(rows, schema=TYPES, orient="row").with_columns(
        **{name: pl.lit(value) for name, value in ITEM.items()}
    )
    evidence = pl.DataFrame(
        [("q", 1, gold, *parts(gold), 1)],
        schema=["case_id", "group_no", "evidence_id", "doc_id", "section_id", "grade"],
        schema_overrides={"section_id": pl.String},
        orient="row",
    )
    ranks = group_ranks(pl.DataFrame([ITEM]), retrieved, evidence)
    return ranks.select("n_duplicates", *at_depths([1, k])).row(0, named=True)


def test_a_passage_retrieved_again_and_again_stays_at_its_first_place() -> None:
    entries = [
        {"id": "returns#2", "rank": rank, "text": "14日以内に返品できます。"} for rank in (1, 2, 3)
    ]
    entries.append({"id": "gifts#1", "rank": 4, "text": "ギフト包装は300円です。"})
    found = measured(read_ranking(entries), "returns#2", 3)
    assert found["n_duplicates"] == 2
    assert found["precision_at_3"] == pytest.approx(1 / 3)
    for name in ("recall", "reciprocal_rank", "average_precision", "ndcg"):
        assert found[f"{name}_at_3"] == 1.0


@pytest.mark.parametrize(
    ("entries", "gold", "rr", "flag"),
    [
        (
            [{"id": "b", "rank": 1}, {"id": "a", "rank": 0}, {"id": "c", "rank": 2}],
            "b",
            1 / 2,
            "rank:zero_based",
        ),
        (
            [{"id": "z", "rank": 9}, {"id": "x", "rank": 1}, {"id": "g", "rank": 4}],
            "g",
            1 / 2,
            "rank:gap",
        ),
        (
            [{"id": "x", "rank": "1"}, {"id": "z", "rank": "11"}, {"id": "y", "rank": "3"}],
            "z",
            1 / 3,
            "rank:gap",
        ),
        ([{"id": "m"}, {"id": "n"}], "n", 1 / 2, None),
    ],
    ids=["from 0", "with gaps", "as text", "without rank"],
)
def test_places_are_counted_from_one_in_the_order_of_the_rank_as_a_number(
    entries: list[dict[str, object]], gold: str, rr: float, flag: str | None
) -> None:
    ranking = read_ranking(entries)
    found = measured(ranking, gold, 5)
    assert found["reciprocal_rank_at_5"] == pytest.approx(rr)
    assert found["hit_at_1"] == 0.0
    assert flag is None or flag in ranking.flags
