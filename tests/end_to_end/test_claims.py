"""Free answers judged by their claims, from the files of a data root to diagnosis and reason."""

from typing import Any

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, case

DOCUMENTS: list[dict[str, Any]] = [
    {
        "doc_id": "fees",
        "sections": [
            {"section_id": "rental", "text": "会議室の利用料金は1時間あたり800円です。"},
            {"section_id": "cancel", "text": "利用日の3日前までは取消料がかかりません。"},
        ],
    },
    {
        "doc_id": "rules",
        "sections": [
            {"section_id": "food", "text": "会議室での飲食は禁止です。水は持ち込めます。"},
            {"section_id": "keys", "text": "鍵は受付に返却してください。"},
        ],
    },
    {"doc_id": "staff", "access": ["staff"], "text": "職員の手当は月5,000円です。"},
]
CASES = [
    case("fee", question="会議室の料金はいくらですか。", expected="1時間800円",
         evidence=["fees#rental"], required_claims=["料金は1時間あたり800円"]),
    case("food", question="会議室で食事をしてもよいですか。", expected="できない",
         evidence=["rules#food"], required_claims=["会議室での飲食は禁止"],
         forbidden_claims=["飲食は自由である、と断定しない"]),
    case("both", question="料金と鍵の返し方を教えてください。", expected="800円、受付に返却",
         evidence=["fees#rental", "rules#keys"],
         required_claims=["料金は1時間あたり800円", "鍵は受付に返却する"]),
    case("parking", question="駐車場は何台分ありますか。", expected="記載なし", evidence=None,
         status="unknown", abstain_policy={"must_not_invent": True}),
    case("which", question="取消料はかかりますか。", expected="利用日と取消日を確認",
         evidence=["fees#cancel"], status="clarify",
         abstain_policy={"missing_conditions": ["利用日", "取消日"]}),
    case("pay", question="職員の手当はいくらですか。", expected="記載なし", evidence=None,
         status="unknown", category="access_restricted", user_roles=["guest"]),
]  # fmt: skip

RIGHT: dict[str, dict[str, Any]] = {
    "fee": {"retrieved": ["fees#rental"], "answer": "会議室は一時間につき８００円です。",
            "source": "fees", "status": "answer"},
    "food": {"retrieved": ["rules#food"], "answer": "いいえ、会議室での飲食は禁止されています。",
             "source": "rules#food", "status": "answer"},
    "both": {"retrieved": ["fees#rental", "rules#keys"],
             "answer": "料金は1時間800円です[1]。鍵は受付に返却してください[2]。",
             "source": None, "citations": ["fees#rental", "rules#keys"], "status": "answer"},
    "parking": {"retrieved": ["rules#keys"], "answer": "駐車場については記載がありません。",
                "source": None, "status": "unknown"},
    "which": {"retrieved": ["fees#cancel"],
              "answer": "ご利用日と取消日を教えていただけますか？", "source": None,
              "status": "clarify"},
    "pay": {"retrieved": [], "answer": "その情報はお答えできません。", "source": None,
            "status": "unknown"},
}  # fmt: skip
FAULTS: dict[str, dict[str, Any]] = {
    "fee": {"answer": "会議室は1時間900円です。"},
    "food": {"answer": "はい、飲食は自由です。"},
    "both": {"retrieved": ["fees#rental"], "citations": ["fees#rental"],
             "answer": "料金は1時間800円です。"},
    "parking": {"answer": "駐車場は20台分あります。", "status": "answer"},
    "which": {"answer": "ご利用日を教えてください。"},
    "pay": {"retrieved": ["staff"], "answer": "職員の手当は月5,000円です。", "status": "answer"},
}  # fmt: skip


def run_of(changes: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"case_id": name, **RIGHT[name], **changes.get(name, {})} for name in RIGHT]


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("claims")
    root.put("knowledge/rooms/documents.jsonl", DOCUMENTS)
    root.put("datasets/rooms/v1/cases.jsonl", CASES)
    root.put("runs/a_right.jsonl", run_of({}))
    root.put("runs/b_faulty.jsonl", run_of(FAULTS))
    without_status = [
        {key: value for key, value in each.items() if key != "status"} for each in run_of({})
    ]
    root.put("runs/c_no_status.jsonl", without_status)
    retrieval_only = [
        {"case_id": each["case_id"], "retrieved": each["retrieved"]} for each in run_of({})
    ]
    root.put("runs/d_retrieval_only.jsonl", retrieval_only)
    said = root.run("nightly")
    assert said.code == 0, said.err
    return root


def scored(root: Root, run_id: str) -> dict[str, dict[str, Any]]:
    rows = root.sql(f"SELECT * FROM case_scores WHERE current AND run_id = '{run_id}'")
    return {row["case_id"]: row for row in rows}


def test_cases_with_claims_are_scored_by_the_claims_rubric_unasked(root: Root) -> None:
    assert {row["name"] for row in root.sql("SELECT DISTINCT name FROM rubrics")} == {"claims"}


def test_right_answers_in_free_words_pass(root: Root) -> None:
    rows = scored(root, "a_right")
    found = {name: (row["passed"], row["reason"]) for name, row in rows.items()}
    assert found == dict.fromkeys(RIGHT, (True, "all checks passed"))


def test_each_fault_has_its_cause(root: Root) -> None:
    rows = scored(root, "b_faulty")
    assert {name: row["diagnosis"] for name, row in rows.items()} == {
        "fee": "wrong_answer",
        "food": "forbidden_claim",
        "both": "retrieval_miss",
        "parking": "missed_abstention",
        "which": "incomplete_abstention",
        "pay": "forbidden_access",
    }


def test_reasons_name_what_was_found(root: Root) -> None:
    rows = scored(root, "b_faulty")
    assert "900円" in rows["fee"]["reason"]
    assert "rules#keys" in rows["both"]["reason"]
    assert "取消日" in rows["which"]["reason"]
    assert "staff" in rows["pay"]["reason"]


def test_a_run_without_status_is_judged_by_the_wording_of_its_answers(root: Root) -> None:
    rows = root.sql("SELECT * FROM behavior_measures WHERE run_id = 'c_no_status'")
    assert {row["status_from"] for row in rows} == {"pattern"}
    assert all(row["passed"] for row in scored(root, "c_no_status").values())


def test_a_retrieval_only_run_is_scored_on_its_search(root: Root) -> None:
    rows = scored(root, "d_retrieval_only")
    assert {row["search_state"] for name, row in rows.items() if name in ("fee", "both")} == {
        "measured"
    }
    assert {row["evidence_state"] for row in rows.values()} == {"not_applicable"}
    assert {row["behavior_state"] for row in rows.values()} == {"not_applicable"}


def test_no_table_holds_a_number_that_is_none(root: Root) -> None:
    for table in ("answer_measures", "retrieval_measures", "case_scores", "run_summary"):
        columns = root.sql(
            "SELECT column_name FROM information_schema.columns "
            f"WHERE table_name = '{table}' AND data_type = 'DOUBLE'"
        )
        for column in columns:
            name = column["column_name"]
            assert root.sql(f'SELECT 1 FROM {table} WHERE isnan("{name}")') == [], (table, name)


def test_a_negated_or_quoted_forbidden_claim_is_no_violation(make_root: MakeRoot) -> None:
    root = make_root("negated")
    forbidden = {"forbidden_claims": ["身分証は不要である"], "evidence": ["id"]}
    root.put("knowledge/k/documents.jsonl", [{"doc_id": "id", "text": "身分証が必要です。"}])
    names = ["asserted", "denied", "quoted", "right"]
    root.put(
        "datasets/ids/v1/cases.jsonl",
        [case(name, question="身分証は要りますか。", **forbidden) for name in names],
    )
    answers = {
        "asserted": "身分証は不要です。",
        "denied": "身分証が不要というわけではありません。お持ちください。",
        "quoted": "「身分証は不要である」という説明は間違いです。",
        "right": "身分証の提示が必要です。",
    }
    root.put(
        "runs/r.jsonl",
        [
            {"case_id": name, "retrieved": ["id"], "answer": text, "source": "id",
             "status": "answer"}
            for name, text in answers.items()
        ],
    )  # fmt: skip
    assert root.run("nightly").code == 0
    violations = root.pairs("SELECT case_id, n_violations FROM answer_measures")
    assert violations == {"asserted": 1, "denied": 0, "quoted": 0, "right": 0}
