"""Values of answers against the context, the question and the claims met."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.measures import groundedness
from rag_eval_pipeline.measures.groundedness import STANDINGS, value_groundedness

ITEM = {"run_id": "r", "case_id": "q", "trial": 1}
ITEMS = {
    "run_id": pl.String,
    "case_id": pl.String,
    "trial": pl.Int64,
    "question": pl.String,
    "answer": pl.String,
    "retrieved_type": pl.String,
    "retrieved_logged": pl.Boolean,
    "met_claims": pl.List(pl.String),
}
SLOTS = {
    "run_id": pl.String,
    "case_id": pl.String,
    "trial": pl.Int64,
    "position": pl.Int64,
    "text": pl.String,
    "text_from": pl.String,
    "outdated": pl.Boolean,
}


def item(answer: str | None, **other: Any) -> dict[str, Any]:
    return {
        **ITEM,
        "question": "手数料は?",
        "answer": answer,
        "retrieved_type": "list",
        "retrieved_logged": True,
        "met_claims": [],
        **other,
    }


def slot(text: str | None, position: int = 1, **other: Any) -> dict[str, Any]:
    text_from = None if text is None else "logged"
    return {
        **ITEM,
        "position": position,
        "text": text,
        "text_from": text_from,
        "outdated": False,
        **other,
    }


def measure(items: list[dict[str, Any]], slots: list[dict[str, Any]]) -> pl.DataFrame:
    return value_groundedness(pl.DataFrame(items, schema=ITEMS), pl.DataFrame(slots, schema=SLOTS))


def facts(answer: str | None, *slots: dict[str, Any], **other: Any) -> dict[str, Any]:
    found = measure([item(answer, **other)], list(slots))
    assert found.height == 1
    return found.row(0, named=True)


def quotes(found: dict[str, Any]) -> dict[str, list[str]]:
    """The lists that are not empty, by standing."""
    names = [*(each for each in STANDINGS if each != "grounded"), "stale"]
    return {name: found[f"{name}_values"] for name in names if found[f"{name}_values"]}


def test_a_value_of_the_context_is_grounded_and_another_is_not() -> None:
    found = facts("手数料は300円、再発行は800円です。", slot("手数料: ３００円"))
    assert quotes(found) == {"ungrounded": ["800円"]}
    assert found["n_values"] == 2
    assert found["value_groundedness"] == 0.5


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("90分かかります。", "所要時間は1時間30分です。"),
        ("三百円です。", "料金は300円。"),
        ("30日以内に届け出ます。", "届け出は30日。"),
        ("上限は10件です。", "10件以下とする。"),
        ("遅くとも20日で届きます。", "10〜20日で届きます。"),
        ("10〜20日で届きます。", "早ければ10日で届き、遅くても20日で届きます。"),
        ("It takes 2 weeks.", "Processing takes 14 days."),
    ],
)
def test_what_only_comparator_unit_or_form_tells_apart_is_grounded(
    answer: str, context: str
) -> None:
    found = facts(answer, slot(context))
    assert quotes(found) == {}
    assert found["value_groundedness"] == 1.0


def test_a_value_that_differs_is_not_grounded_by_the_same_number_of_another_unit() -> None:
    found = facts("送料は30円です。", slot("送料は30ドルです。受付は30日です。"))
    assert quotes(found) == {"ungrounded": ["30円"]}


def test_a_value_of_a_claim_the_answer_meets_is_self_knowledge_not_ungrounded() -> None:
    found = facts("手数料は300円です。", slot("手数料について"), met_claims=["手数料は300円"])
    assert quotes(found) == {"self_knowledge": ["300円"]}
    assert found["value_groundedness"] == 1.0


def test_a_value_of_the_question_is_echoed() -> None:
    question = "800円の品の手数料は?"
    found = facts("800円の品なら300円です。", slot("手数料は300円"), question=question)
    assert quotes(found) == {"echoed": ["800円"]}


def test_the_context_comes_before_the_claim_and_the_claim_before_the_question() -> None:
    other = {"met_claims": ["300円"], "question": "300円ですか?"}
    assert quotes(facts("300円です。", slot("300円"), **other)) == {}
    assert quotes(facts("300円です。", slot("x"), **other)) == {"self_knowledge": ["300円"]}


def test_a_value_not_found_is_open_while_a_text_is_unknown_and_one_found_stands() -> None:
    found = facts("300円と800円です。", slot("300円"), slot(None, 2))
    assert quotes(found) == {"open": ["800円"]}
    assert found["value_groundedness"] is None


def test_a_value_that_may_be_converted_is_open() -> None:
    found = facts("1か月です。", slot("30日です。"))
    assert quotes(found) == {"open": ["1か月"]}


def test_a_value_that_no_conversion_gives_is_ungrounded() -> None:
    found = facts("3か月です。", slot("30日です。"))
    assert quotes(found) == {"ungrounded": ["3か月"]}


def test_self_knowledge_and_echo_are_told_before_open() -> None:
    unknown = slot(None)
    assert quotes(facts("300円です。", unknown, met_claims=["300円"])) == {
        "self_knowledge": ["300円"]
    }
    assert quotes(facts("300円です。", unknown, question="300円?")) == {"echoed": ["300円"]}


def test_an_empty_ranking_is_an_empty_context() -> None:
    found = facts("手数料は300円です。")
    assert quotes(found) == {"ungrounded": ["300円"]}
    assert found["value_groundedness"] == 0.0
    assert found["context_from"] is None


def test_a_ranking_missing_in_one_item_grounds_nothing_and_has_no_share() -> None:
    found = facts("手数料は300円です。", retrieved_type="absent")
    assert quotes(found) == {"ungrounded": ["300円"]}
    assert found["value_groundedness"] is None


def test_of_a_run_that_logs_no_rankings_nothing_is_said() -> None:
    other = {"retrieved_type": "absent", "retrieved_logged": False}
    found = facts("手数料は300円です。", **other)
    assert quotes(found) == {}
    assert found["n_values"] is None
    assert found["value_groundedness"] is None
    assert facts("わかりません。", **other)["n_values"] == 0


def test_no_answer_and_an_answer_without_values() -> None:
    assert facts(None, slot("300円"))["n_values"] is None
    without = facts("はい、できます。", slot("300円"))
    assert without["n_values"] == 0
    assert without["value_groundedness"] is None


def test_citation_marks_hold_no_values() -> None:
    found = facts("手数料は300円です[1]。【price-2026-04#3】", slot("300円"))
    assert found["n_values"] == 1
    assert quotes(found) == {}


def test_a_value_that_only_outdated_documents_have_is_stale() -> None:
    old = slot("手数料は300円", outdated=True)
    assert quotes(facts("300円です。", old)) == {"stale": ["300円"]}
    assert quotes(facts("300円です。", old, slot("300円", 2))) == {}
    assert quotes(facts("300円です。", old, slot("300円以内", 2))) == {}


@pytest.mark.parametrize(
    ("origins", "expected"),
    [
        (["logged"], "logged"),
        (["snapshot"], "snapshot"),
        (["logged", "snapshot"], "both"),
        ([None], None),
    ],
)
def test_where_the_context_is_from(origins: list[str | None], expected: str | None) -> None:
    slots = [
        slot(None if origin is None else "x", number, text_from=origin)
        for number, origin in enumerate(origins, start=1)
    ]
    assert facts("はい", *slots)["context_from"] == expected


def test_a_deadline_asked_for_makes_a_duration_mean_no_later() -> None:
    question = "返却の期限は?"
    found = facts("30日です。", slot("返却は30日以内です。"), question=question)
    assert quotes(found) == {}


def test_each_item_has_its_own_context() -> None:
    items = [item("300円です。", trial=trial) for trial in (1, 2)]
    found = measure(items, [slot("300円", trial=2)])
    assert found.select("trial", "value_groundedness").rows() == [(1, 0.0), (2, 1.0)]


def test_no_items_no_rows() -> None:
    assert measure([], []).is_empty()


def test_each_distinct_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = groundedness.values

    def counted(text: str) -> Any:
        read.append(text)
        return real(text)

    monkeypatch.setattr(groundedness, "values", counted)
    answer = "手数料は300円です。"
    items = [item(answer, trial=trial, met_claims=[answer]) for trial in range(1, 6)]
    measure(items, [slot(answer, position, trial=2) for position in (1, 2, 3)])
    assert sorted(read) == sorted(["手数料は?", answer])


PIECES = st.sampled_from(
    [
        "300円",
        "500円",
        "10日以内",
        "2日",
        "1か月",
        "30日",
        "約3割",
        "2〜5件",
        "4月1日",
        "です。",
        " ",
        "か\n",
    ]
)
TEXTS = st.lists(PIECES, max_size=6).map("".join)


@given(answer=TEXTS, question=TEXTS, context=st.lists(TEXTS, max_size=3))
def test_every_value_has_one_standing_and_more_context_accuses_no_more(
    answer: str, question: str, context: list[str]
) -> None:
    slots = [slot(text, number) for number, text in enumerate(context, start=1)]
    found = facts(answer, *slots, question=question)
    told = quotes(found)
    told.pop("stale", None)
    assert sum(map(len, told.values())) <= found["n_values"]
    same = facts(answer, *slots, slot(answer, len(slots) + 1), question=question)
    assert quotes(same) == {}
    if found["value_groundedness"] is not None:
        shares = 1 - len(found["ungrounded_values"]) / found["n_values"]
        assert found["value_groundedness"] == pytest.approx(shares)


@given(text=st.text(max_size=40))
def test_any_text_can_be_measured(text: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    assert facts(clean, slot(clean), question=clean)["ungrounded_values"] == []
