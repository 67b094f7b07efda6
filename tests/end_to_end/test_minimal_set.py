"""Ten cases in the minimal form, with nothing beside them, go through one nightly."""

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, answer, case

CASES = [
    case("m01", question="開館時間は何時からですか。", expected="9時", evidence="hours"),
    case("m02", question="休館日はいつですか。", expected="月曜日", evidence="hours"),
    case("m03", question="貸出は何冊までですか。", expected="5冊", evidence="loans"),
    case("m04", question="返却が遅れたらどうなりますか。", expected="貸出停止", evidence="loans"),
    case("m05", question="駐車場はありますか。", expected="記載なし", evidence=None,
         status="unknown"),
    case("m06", question="館長の名前は。", expected="記載なし", evidence=None, status="unknown"),
    case("m07", question="延長できますか。", expected="予約の有無を確認", evidence="loans",
         status="clarify"),
    case("m08", question="何時まで開いていますか。", expected="曜日を確認", evidence="hours",
         status="clarify"),
    case("m09", question="日曜は18時まで開いているのですよね。", expected="17時", evidence="hours"),
    case("m10", question="CDは何枚借りられますか。", expected="3枚", evidence="loans"),
]  # fmt: skip
ALL = [1, 1, 1, 1]


def right(item: dict[str, object]) -> dict[str, object]:
    evidence = item["evidence"]
    return {
        "case_id": item["id"],
        "retrieved": [] if evidence is None else [evidence],
        "answer": item["expected"],
        "source": evidence,
        "status": item["status"],
    }


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("minimal")
    root.put("datasets/library/v1/cases.jsonl", CASES)
    good = [right(each) for each in CASES]
    root.put("runs/a_good.jsonl", good)
    bad = [dict(each) for each in good]
    bad[0] |= {"retrieved": ["loans"], "source": "loans"}
    bad[1] |= {"answer": "火曜日"}
    bad[4] |= {"answer": "10台分あります", "status": "answer"}
    bad[6] |= {"answer": "できます", "status": "answer"}
    bad[8] |= {"retrieved": ["loans"], "answer": "18時", "source": "loans"}
    bad[9] |= {"answer": "わかりません", "source": None, "status": "unknown"}
    root.put("runs/b_bad.jsonl", bad)
    odd = [dict(each) for each in good[:4]]
    del odd[0]["status"]
    odd[1]["retrieved"] = "hours"
    odd[2]["answer"] = None
    odd[3]["status"] = "maybe"
    root.put("runs/c_odd.jsonl", odd)
    said = root.run("nightly")
    assert said.code == 0, said.err
    return root


def test_a_run_like_the_gold_passes_every_case(root: Root) -> None:
    assert root.marks("a_good") == {each["id"]: ALL for each in CASES}


def test_each_deviation_costs_its_own_axes(root: Root) -> None:
    assert root.marks("b_bad") == {each["id"]: ALL for each in CASES} | {
        "m01": [0, 0, 1, 1],
        "m02": [1, 0, 1, 1],
        "m05": [1, 0, 0, 1],
        "m07": [1, 0, 0, 1],
        "m09": [0, 0, 1, 1],
        "m10": [1, 0, 0, 1],
    }


def test_reasons_are_the_failed_axes_in_order_of_the_axes(root: Root) -> None:
    reasons = root.pairs("SELECT case_id, reason FROM case_scores WHERE run_id = 'b_bad'")
    assert reasons["m01"] == "search,evidence"
    assert reasons["m02"] == "evidence"
    assert reasons["m05"] == "evidence,behavior"
    assert reasons["m03"] == "all checks passed"


def test_each_failure_has_one_cause(root: Root) -> None:
    assert root.pairs(
        "SELECT case_id, diagnosis FROM case_scores "
        "WHERE run_id = 'b_bad' AND diagnosis IS NOT NULL"
    ) == {
        "m01": "retrieval_miss",
        "m02": "wrong_answer",
        "m05": "missed_abstention",
        "m07": "missed_clarification",
        "m09": "retrieval_miss",
        "m10": "over_refusal",
    }


def test_a_malformed_item_counts_zero_on_all_axes_and_the_rest_is_missing(root: Root) -> None:
    marks = root.marks("c_odd")
    assert {marks[f"m0{number}"] == [0, 0, 0, 0] for number in range(1, 5)} == {True}
    assert {tuple(marks[f"m{number:02}"]) for number in range(5, 11)} == {(None,) * 4}
    assert root.pairs(
        "SELECT axis, [n_cases, n_measured, n_missing, n_passed] FROM run_summary "
        "WHERE run_id = 'c_odd' AND scope = 'headline' AND axis IN ('search', 'overall')"
    ) == {"search": [10, 4, 6, 0], "overall": [10, 4, 6, 0]}


def test_every_number_of_the_summary_adds_up(root: Root) -> None:
    off = root.sql(
        "SELECT * FROM run_summary WHERE n_cases <> "
        "n_measured + n_unmeasured + n_not_applicable + n_held_out + n_missing"
    )
    assert off == []
    assert root.pairs(
        "SELECT run_id, pass_rate FROM run_summary WHERE axis = 'overall' AND scope = 'headline'"
    ) == {"a_good": 1.0, "b_bad": 0.4, "c_odd": 0.0}


def test_the_run_after_the_good_one_shows_what_regressed(root: Root) -> None:
    regressed = root.sql(
        "SELECT case_id FROM regressions WHERE candidate_run = 'b_bad' "
        "AND axis = 'overall' AND change = 'regressed'"
    )
    assert [row["case_id"] for row in regressed] == ["m01", "m02", "m05", "m07", "m09", "m10"]


def test_a_case_the_run_lacks_is_shown_as_missing(root: Root) -> None:
    said = root.run("explain", "item", "c_odd", "m10")
    assert said.code == 0
    assert "no usable item" in said.out
    assert answer("m10")["case_id"] in said.out


def test_answering_abstaining_and_asking_back_have_rates_of_their_own(root: Root) -> None:
    (row,) = root.sql("SELECT * FROM abstention_summary WHERE run_id = 'b_bad' AND current")
    assert (row["n_answerable"], row["answered_rate"]) == (6, pytest.approx(5 / 6))
    assert row["over_refusal_rate"] == pytest.approx(1 / 6)
    assert (row["n_unanswerable"], row["correct_abstention_rate"]) == (2, 0.5)
    assert (row["n_underspecified"], row["correct_clarification_rate"]) == (2, 0.5)
    assert (row["missed_abstention_rate"], row["missed_clarification_rate"]) == (0.5, 0.5)


def test_retrieval_is_crossed_with_generation_under_any_rubric(root: Root) -> None:
    rows = root.sql(
        "SELECT evidence_found, answer_right, case_ids FROM retrieval_generation_matrix "
        "WHERE run_id = 'b_bad' AND current AND dimension = 'all'"
    )
    assert {(row["evidence_found"], row["answer_right"]): row["case_ids"] for row in rows} == {
        (False, False): ["m01", "m09"],
        (True, False): ["m02", "m07", "m10"],
        (True, True): ["m03", "m04", "m08"],
    }
