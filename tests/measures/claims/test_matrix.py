"""Which claims are held against which texts, and that each pair is judged once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.measures.claims import matrix
from rag_eval_pipeline.measures.claims.claim import Claim
from rag_eval_pipeline.measures.claims.derived import case_claims
from rag_eval_pipeline.measures.claims.matrix import MOST_ANSWER_CLAIMS, claim_verdicts
from rag_eval_pipeline.measures.claims.ragchecker import NO_GOLD
from rag_eval_pipeline.measures.claims.statements import Parsed, parse
from rag_eval_pipeline.measures.claims.verdict import Verdict
from rag_eval_pipeline.tables.contract import violations

RowsOf = Callable[..., pl.DataFrame]
SLOTS = {
    "run_id": pl.String,
    "case_id": pl.String,
    "trial": pl.Int64,
    "position": pl.Int64,
    "text": pl.String,
}


def plain_verdict(claim: Claim, read: Parsed, question: Parsed | None = None) -> Verdict:
    """A rule for tests: a text supports what it holds, denies what it calls wrong, else nothing."""
    text = read.text
    start = text.find(claim.text)
    if start >= 0:
        end = start + len(claim.text)
        denied = text[end:].startswith("は誤り")
        label = "contradicted" if denied else "supported"
        return Verdict(label, "full", "plain", claim.text, start, end, "it says so")
    label = "contradicted" if claim.kind == "forbidden" else "undecided"
    mention = "partial" if claim.text[:2] in text else "none"
    return Verdict(label, mention, "plain", None, None, None, "it does not say so")


class World:
    """Cases, items and documents; judged by a rule that tests can foresee."""

    def __init__(self, rows_of: RowsOf) -> None:
        self.rows_of = rows_of
        self.case: dict[str, Any] = {
            "case_id": "q",
            "expected_status": "answer",
            "reference_answer": None,
        }
        self.claims: list[dict[str, Any]] = []
        self.items: list[dict[str, Any]] = []
        self.documents: list[dict[str, Any]] = []

    def item(self, answer: str | None, **other: Any) -> None:
        given = {"run_id": "r", "run_hash": "h", "case_id": "q", "trial": 1, "status": "answer"}
        self.items.append({**given, "question": "保管料は?", "answer": answer, **other})

    def document(self, text: str | None, position: int = 1, **other: Any) -> None:
        item = {"run_id": "r", "case_id": "q", "trial": 1}
        self.documents.append({**item, "position": position, "text": text, **other})

    def claim(self, claim_id: str, text: str, **other: Any) -> None:
        given = {"case_id": "q", "kind": "required", "importance": "vital"}
        self.claims.append({**given, "claim_id": claim_id, "text": text, **other})

    def verdicts(self, *, unlogged: tuple[str, ...] = (), **options: Any) -> pl.DataFrame:
        cases = self.rows_of("cases", self.case)
        measured = self.rows_of("run_items", *self.items).with_columns(
            dataset_hash=pl.lit("gold"),
            measure_version=pl.lit("1"),
            not_logged=pl.lit(list(unlogged), pl.List(pl.String)),
        )
        found = claim_verdicts(
            measured,
            pl.DataFrame(self.documents, schema=SLOTS),
            case_claims(cases, self.rows_of("case_claims", *self.claims)),
            cases,
            **options,
        )
        ordered = found.select(*self.rows_of("claim_verdicts").columns)
        assert violations("claim_verdicts", ordered) == []
        return found

    def cells(self, **options: Any) -> dict[tuple[str, str], str]:
        rows = self.verdicts(**options).select("claim_id", "target", "verdict", "mention").rows()
        return {
            (claim, target): verdict if verdict != "undecided" else mention
            for claim, target, verdict, mention in rows
        }


@pytest.fixture
def world(rows_of: RowsOf, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(matrix, "judge", plain_verdict)
    return World(rows_of)


def test_every_gold_claim_has_a_row_against_the_answer(world: World) -> None:
    world.claim("g1", "保管料は200円")
    world.claim("g2", "支払いは月末", importance="okay")
    world.claim("f1", "保管料は無料", kind="forbidden")
    world.item("保管料は200円、です")
    found = world.verdicts().filter(origin="gold")
    assert found.select("claim_id", "kind", "importance", "verdict").rows() == [
        ("g1", "required", "vital", "supported"),
        ("g2", "required", "okay", "undecided"),
        ("f1", "forbidden", "vital", "contradicted"),
    ]
    assert found["target"].unique().to_list() == ["answer"]


def test_a_verdict_tells_rule_quote_and_place(world: World) -> None:
    world.claim("g1", "保管料は200円")
    world.item("はい、保管料は200円、です")
    row = world.verdicts().filter(origin="gold").row(0, named=True)
    assert (row["rule"], row["method"], row["reason"]) == ("plain", "rule", "it says so")
    assert (row["quote"], row["start"], row["end"]) == ("保管料は200円", 3, 11)


@pytest.mark.parametrize("answer", [None, "", " \n"])
def test_no_answer_is_an_absent_text(world: World, answer: str | None) -> None:
    world.claim("g1", "保管料は200円")
    world.claim("f1", "保管料は無料", kind="forbidden")
    world.item(answer)
    assert world.cells() == {("g1", "answer"): "none", ("f1", "answer"): "contradicted"}


def test_documents_have_rows_only_where_they_speak_of_the_claim(world: World) -> None:
    world.claim("g1", "保管料は200円")
    world.claim("f1", "保管料は無料", kind="forbidden")
    world.item(None)
    world.document("送料の話", 1)
    world.document("保管料は200円", 2)
    world.document("保管の話", 3)
    world.document("保管料は200円は誤り", 4)
    world.document(None, 5)
    found = {key: cell for key, cell in world.cells().items() if key[1] != "answer"}
    assert found == {
        ("g1", "doc:2"): "supported",
        ("g1", "doc:3"): "partial",
        ("g1", "doc:4"): "contradicted",
    }


def test_only_the_first_positions_are_held_against_the_claims(world: World) -> None:
    world.claim("g1", "保管料は200円")
    world.item(None)
    for position in range(1, 13):
        world.document("保管料は200円", position)
    assert world.verdicts().filter(pl.col("target") != "answer").height == 10
    assert world.verdicts(depth=2)["target"].to_list() == ["answer", "doc:1", "doc:2"]


def test_the_answer_s_claims_are_its_clauses_held_against_gold_and_documents(
    world: World,
) -> None:
    world.claim("g1", "保管料は200円です。")
    world.item("保管料は200円です。支払いは月末です。")
    world.document("規程: 支払いは月末です。", 1)
    found = world.verdicts().filter(origin="answer")
    assert found.select("claim_id", "kind", "importance", "claim", "target", "verdict").rows() == [
        ("c1", "answer", None, "保管料は200円です。", "gold", "supported"),
        ("c2", "answer", None, "支払いは月末です。", "gold", "undecided"),
        ("c2", "answer", None, "支払いは月末です。", "doc:1", "supported"),
    ]


def test_gold_supports_where_one_of_its_texts_does_and_else_contradicts_where_one_does(
    world: World,
) -> None:
    world.case |= {
        "reference_answer": "支払いは月末です。は誤り",
        "accepted_answers": ["保管料は200円です。", "支払いの話"],
    }
    world.claim("g1", "保管料は200円です。は誤り")
    world.item("保管料は200円です。支払いは月末です。解約は自由です。")
    cells = world.cells()
    assert [cells[f"c{n}", "gold"] for n in (1, 2, 3)] == ["supported", "contradicted", "none"]


def test_a_case_without_any_gold_text_leaves_the_answer_s_claims_open(world: World) -> None:
    world.claim("f1", "保管料は無料", kind="forbidden")
    world.item("保管料は200円です。")
    found = world.verdicts().filter(origin="answer")
    assert found.select("claim_id", "target", "verdict", "rule").rows() == [
        ("c1", "gold", "undecided", NO_GOLD)
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "お問い合わせありがとうございます。\n保管料は200円です。\nよろしくお願いいたします。",
        "Thank you for contacting us.\n保管料は200円です。",
        "- 保管料は200円です。\n- 海外については記載がありません。",
        "保管料は200円です。「支払いは翌月です。」",
        "保管料は200円です。詳しくは管理課へお問い合わせください。",
    ],
)
def test_what_states_nothing_is_no_claim(world: World, answer: str) -> None:
    world.item(answer)
    found = world.verdicts()
    assert found["claim"].to_list() == ["保管料は200円です。"]


def test_citation_marks_are_in_the_quote_and_not_in_the_claim(world: World) -> None:
    world.claim("g1", "保管料は200円です。")
    answer = "保管料は200円です[1]。【rate#2】支払いは月末です[2]。"
    world.item(answer)
    found = world.verdicts()
    stated = found.filter(pl.col("origin") == "answer")["claim"].unique(maintain_order=True)
    assert stated.to_list() == ["保管料は200円です。", "支払いは月末です。"]
    world.claims[0]["text"] = "支払いは月末です"
    row = world.verdicts().filter(origin="gold").row(0, named=True)
    assert row["quote"] == answer[row["start"] : row["end"]] == "支払いは月末です"


@pytest.mark.parametrize("status", ["unknown", "clarify"])
def test_an_item_that_does_not_answer_makes_no_claims(world: World, status: str) -> None:
    world.claim("g1", "保管料は200円")
    world.item("保管料は200円です。", status=status)
    assert world.verdicts()["origin"].to_list() == ["gold"]


def test_the_wording_tells_whether_a_run_without_status_answers(world: World) -> None:
    world.item("保管料についての記載は見つかりませんでした。", status=None)
    assert world.verdicts(unlogged=("status",)).is_empty()
    world.items.clear()
    world.item("保管料は200円です。", status=None)
    assert world.verdicts(unlogged=("status",)).height == 1


@pytest.mark.parametrize(
    ("claim", "answer"),
    [("200円", "２００ 円".replace(" ", "")), ("月末 払い", " 月末　払い。"), ("Yes", "Yes.")],
)
def test_an_answer_that_is_the_claim_supports_it(world: World, claim: str, answer: str) -> None:
    world.claim("g1", claim)
    world.item(answer)
    row = world.verdicts().filter(origin="gold").row(0, named=True)
    assert (row["verdict"], row["mention"], row["rule"]) == ("supported", "full", "equal")
    assert row["quote"] == answer.strip()


def test_equality_does_not_overrule_hints_nor_what_must_not_be_said(world: World) -> None:
    world.claim("g1", "200円", values=["300円"])
    world.claim("f1", "無料と案内しない", kind="forbidden")
    world.item("200円")
    assert set(world.verdicts().filter(origin="gold")["rule"]) == {"plain"}


def test_hints_reach_the_rules(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Claim] = []

    def kept(claim: Claim, read: Parsed, question: Parsed | None = None) -> Verdict:
        seen.append(claim)
        return plain_verdict(claim, read, question)

    monkeypatch.setattr(matrix, "judge", kept)
    hints = {"any_of": ["甲", "乙"], "values": ["200円"], "not_any_of": ["無料"]}
    world.claim("g1", "保管料がかかる", **hints)
    world.item(None)
    world.verdicts()
    assert seen == [Claim("保管料がかかる", "required", ("甲", "乙"), ("200円",), ("無料",))]


def test_each_distinct_claim_text_and_question_is_judged_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[tuple[Claim, str, str | None]] = []
    read: list[str] = []

    def counted(claim: Claim, text: Parsed, question: Parsed | None = None) -> Verdict:
        judged.append((claim, text.text, question.text if question else None))
        return plain_verdict(claim, text, question)

    def reading(text: str) -> Parsed:
        read.append(text)
        return parse(text)

    monkeypatch.setattr(matrix, "parse", reading)
    monkeypatch.setattr(matrix, "judge", counted)
    world.claim("g1", "保管料は200円")
    for trial in range(1, 6):
        world.item("保管料は200円です。支払いは月末です。", trial=trial)
        for position in (1, 2, 3):
            world.document("保管料は200円、支払いは月末です。", position, trial=trial)
    found = world.verdicts()
    assert len(judged) == len(set(judged))
    # The gold claim against answer and document, two clauses against gold and document.
    assert len(judged) == 6
    assert found.height == 5 * (1 + 3 + 2 + 2 * 3)
    assert sorted(read) == sorted(
        [
            "保管料は?",
            "保管料は200円です。支払いは月末です。",
            "保管料は200円、支払いは月末です。",
            "保管料は200円",
        ]
    )


def test_an_answer_is_a_reply_to_the_question_and_a_document_is_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, str | None] = {}

    def kept(claim: Claim, read: Parsed, question: Parsed | None = None) -> Verdict:
        asked[read.text] = question.text if question else None
        return plain_verdict(claim, read, question)

    monkeypatch.setattr(matrix, "judge", kept)
    world.claim("g1", "保管料は200円")
    world.item("答えは別紙のとおりです。", question="保管料は?")
    world.document("規程の本文です。")
    world.verdicts()
    assert asked == {
        "答えは別紙のとおりです。": "保管料は?",
        "規程の本文です。": None,
        "保管料は200円": "保管料は?",
    }


def test_a_claim_without_a_topic_takes_the_question_s_wherever_it_is_held(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, str | None] = {}

    def kept(claim: Claim, read: Parsed, question: Parsed | None = None) -> Verdict:
        asked[read.text] = question.text if question else None
        return plain_verdict(claim, read, question)

    monkeypatch.setattr(matrix, "judge", kept)
    world.claim("g1", "200円")
    world.item(None, question="保管料は?")
    world.document("規程の本文です。")
    world.verdicts()
    assert asked == {"": "保管料は?", "規程の本文です。": "保管料は?"}


def test_an_endless_answer_is_judged_by_its_first_clauses(world: World) -> None:
    world.item("\n".join(f"保管料{n}は{n}円です。" for n in range(3 * MOST_ANSWER_CLAIMS)))
    assert world.verdicts().height == MOST_ANSWER_CLAIMS


def test_nothing_to_judge_gives_no_rows(world: World) -> None:
    world.item(None)
    assert world.verdicts().is_empty()
    world.items.clear()
    assert world.verdicts().is_empty()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(answer=st.text(max_size=30), document=st.text(max_size=30))
def test_any_text_can_be_judged(rows_of: RowsOf, answer: str, document: str) -> None:
    world = World(rows_of)
    world.claim("g1", "保管料は200円")
    world.item(answer.encode("utf-8", "replace").decode())
    world.document(document.encode("utf-8", "replace").decode())
    assert ("g1", "answer") in world.cells()


def test_the_rules_decide_values_said_and_denied(rows_of: RowsOf) -> None:
    world = World(rows_of)
    world.claim("g1", "保管料は200円である")
    world.item("保管料は200円です。", trial=1)
    world.item("保管料は900円です。", trial=2)
    world.item("駐車場は裏手にあります。", trial=3)
    world.document("保管料: 1か月200円", trial=2)
    found = world.verdicts().filter(origin="gold")
    assert found.select("trial", "target", "verdict").rows() == [
        (1, "answer", "supported"),
        (2, "answer", "contradicted"),
        (2, "doc:1", "supported"),
        (3, "answer", "undecided"),
    ]
    assert found["mention"].to_list()[-1] == "none"
