"""Comparisons that mislead where they are made carelessly, through `gate` and `compare`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Record, Root, Said, answer, case

MAY = "2026-05-{:02}T00:00:00Z"


def run(root: Root, run_id: str, dataset: str, day: int, items: list[Record], **more: str) -> None:
    root.put(f"runs/{run_id}/items.jsonl", items)
    manifest = {"dataset": dataset, "started_at": MAY.format(day)} | more
    lines = "".join(f"{key}: {text}\n" for key, text in manifest.items())
    root.put(f"runs/{run_id}/run.yaml", lines)


def answers(cases: list[dict[str, object]], wrong: set[object]) -> list[Record]:
    return [
        answer(each["id"], **({"answer": "no"} if each["id"] in wrong else {})) for each in cases
    ]


def group(category: str, prefix: str, numbers: range) -> list[dict[str, object]]:
    return [case(f"{prefix}{number:02}", category=category) for number in numbers]


# The mix turned from exceptions to direct questions: each category fell, the whole rose.
MIX_V1 = group("direct", "d", range(5)) + group("exception", "e", range(15))
MIX_V2 = group("direct", "d", range(15)) + group("exception", "e", range(5))
MIX_BEFORE = {f"e{number:02}" for number in range(15)} - {"e00", "e01", "e05", "e06", "e07"}
MIX_NOW = {"d00", "d10", "e01", "e02", "e03", "e04"}
# Beside them: gold that changed, an answer that fell, a case edited in what is no gold.
GOLD_V1 = [case("gold"), case("fell"), case("edited", question="返品期限は？", tags=["a"])]
GOLD_V2 = [
    case("gold", expected="perhaps"),
    case("fell"),
    dict(reversed(list(case("edited", question="返品期限は？ ", tags=["b"]).items()))),
]
FAQ_V1, FAQ_V2 = MIX_V1 + GOLD_V1, MIX_V2 + GOLD_V2
# Six of forty fell and none rose; twenty fail on both sides. Unpaired, p would be 0.18.
PAIRED = group("direct", "p", range(40))
PAIRED_BEFORE = {f"p{number:02}" for number in range(20, 34)}
PAIRED_NOW = PAIRED_BEFORE | {f"p{number:02}" for number in range(6)}
NIGHT = {"case_id": "q1", "retrieved": ["guide"], "answer": "yes", "source": "guide"}
NIGHTS: list[list[Record]] = [
    [NIGHT | {"status": "answer", "model": "m1"}],
    [dict(reversed(list((NIGHT | {"status": "answer", "reranker": "r2"}).items())))],
    [NIGHT | {"model": "m1"}],
    [],
]
# A night in Tokyo begins the day before in UTC; a start without zone is in the dataset's.
STARTS = {
    "c-first": "2026-11-30T23:00:00+09:00",
    "a-second": "2026-11-30T14:30:00Z",
    "b-third": "2026-12-01T00:00:00",
}
CLAIM = "The parcel arrives within 5 days."
VAGUE = "The parcel may arrive within 5 days."


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("comparison_traps")
    for version, cases in (("v1", FAQ_V1), ("v2", FAQ_V2)):
        root.put(f"datasets/faq/{version}/cases.jsonl", cases)
    run(root, "mix-1", "faq@v1", 1, answers(FAQ_V1, set(MIX_BEFORE)))
    run(root, "mix-2", "faq@v2", 2, answers(FAQ_V2, MIX_NOW | {"fell"}))
    root.put("datasets/paired/v1/cases.jsonl", PAIRED)
    root.put("datasets/paired/v1/dataset.yaml", "baseline: paired-1\nrubrics: mine\n")
    root.put("rubrics/mine.yaml", "pass: {tolerance: 2}\n")
    run(root, "paired-1", "paired@v1", 1, answers(PAIRED, PAIRED_BEFORE))
    run(root, "paired-0", "paired@v1", 2, answers(PAIRED, PAIRED_NOW))
    run(root, "paired-2", "paired@v1", 3, answers(PAIRED, PAIRED_NOW))
    claimed = [
        case("sure", risk="high", required_claims=[CLAIM], expected=None),
        *(case(f"s{n}", required_claims=[CLAIM], expected=None) for n in range(12)),
    ]
    root.put("datasets/open/v1/cases.jsonl", claimed)
    sure = [answer(each["id"], answer=CLAIM) for each in claimed]
    run(root, "open-1", "open@v1", 1, sure)
    run(root, "open-2", "open@v1", 2, [answer("sure", answer=VAGUE), *sure[1:]])
    root.put("datasets/nights/v1/cases.jsonl", [case("q1", risk="high")])
    run(root, "first-1", "nights@v1", 1, [answer("q1")], system="first")
    for number, items in enumerate(NIGHTS, start=1):
        run(root, f"night{number}", "nights@v1", number, items, system="columns")
    for run_id, start in STARTS.items():
        run(root, run_id, "nights@v1", 1, [answer("q1")], system="zones", started_at=f'"{start}"')
    return root


@pytest.fixture(scope="module")
def whole(root: Root) -> Said:
    """The gate over everything, on a host of another zone than the dataset's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "America/Los_Angeles")
        return root.run("gate", "--json")


def gate(whole: Said, run_id: str) -> dict[str, Any]:
    found = [each for each in whole.json()["gates"] if each["candidate_run"] == run_id]
    assert len(found) == 1
    return dict(found[0])


def rule(found: dict[str, Any], name: str) -> dict[str, Any]:
    mine = [each for each in found["outcomes"] if each["rule"] == name]
    assert len(mine) == 1
    return dict(mine[0])


def comparison(root: Root, candidate: str, baseline: str) -> dict[str, Any]:
    rows = root.sql(
        "SELECT * FROM comparisons WHERE superseded_at IS NULL AND baseline_rule <> 'asked' "
        f"AND candidate_run = '{candidate}' AND baseline_run = '{baseline}'"
    )
    assert len(rows) == 1
    return rows[0]


def test_a_mix_that_changed_is_said_and_never_called_better(root: Root, whole: Said) -> None:
    rates = root.pairs(
        "SELECT run_id, n_passed FROM run_summary WHERE current AND axis = 'overall' "
        "AND scope = 'headline' AND run_id LIKE 'mix%'"
    )
    # Of 23 each; the gold that changed fails now.
    assert rates == {"mix-1": 13, "mix-2": 15}
    found = gate(whole, "mix-2")
    assert any("the mix of cases changed: 10 new, 10 removed" in note for note in found["notes"])
    assert rule(found, "mix")["outcome"] == "warned"
    assert "better" not in {each["verdict"] for each in found["verdicts"]}
    assert [each["case_id"] for each in found["cases"]] == ["d00", "e01", "fell"]
    left_out = {why: len(ids) for why, ids in found["left_out"].items()}
    assert left_out == {"gold changed": 1, "new": 10, "removed": 10}
    row = comparison(root, "mix-2", "mix-1")
    assert (row["n_core"], row["n_candidate_cases"], row["state"]) == (12, 23, "compared")
    said = root.run("compare", "mix-1", "mix-2")
    assert said.code == 0
    assert "the mix of cases changed" in said.out
    assert not root.sql(
        "SELECT * FROM comparison_summary WHERE candidate_run = 'mix-2' AND verdict = 'better'"
    )


def test_gold_that_changed_is_no_regression_and_an_edit_of_its_spaces_no_change(
    root: Root, whole: Said
) -> None:
    found = gate(whole, "mix-2")
    assert found["left_out"]["gold changed"] == ["gold"]
    told = {each["case_id"]: each["said"] for each in found["cases"]}
    assert told["fell"] == "passed before, fails now"
    assert not {"gold", "edited"} & set(told)
    core = comparison(root, "mix-2", "mix-1")["core_case_ids"]
    assert {"fell", "edited"} <= set(core)
    assert "gold" not in core


def test_without_a_baseline_nothing_is_green(root: Root, whole: Said) -> None:
    found = gate(whole, "first-1")
    assert found["exit_code"] == 3
    assert "no earlier whole run" in rule(found, "comparable")["reason"]
    assert found["verdicts"] == []
    assert root.marks("first-1") == {"q1": [1, 1, 1, 1]}


def test_an_unknown_baseline_is_an_error_that_names_it(root: Root, whole: Said) -> None:
    for command in ("compare", "gate"):
        said = root.run(command, "nightly-2026-04-29", "first-1")
        assert said.code == 2
        assert "nightly-2026-04-29" in said.problem("BASE")
    assert root.marks("first-1") == {"q1": [1, 1, 1, 1]}


def test_pairs_are_tested_as_pairs(root: Root, whole: Said) -> None:
    found = gate(whole, "paired-2")
    assert found["exit_code"] == 1
    overall = next(each for each in found["verdicts"] if each["axis"] == "overall")
    assert overall["verdict"] == "worse"
    assert overall["p_value"] == pytest.approx(2 / 2**6)
    assert overall["difference"] == pytest.approx(-6 / 40)
    assert [each["case_id"] for each in found["cases"]] == [f"p0{number}" for number in range(6)]


def test_a_pinned_baseline_stays_until_somebody_sets_another(root: Root, whole: Said) -> None:
    # The run of the night before is as bad: against it nothing would have happened.
    assert gate(whole, "paired-2")["baseline_run"] == "paired-1"
    assert root.pairs(
        "SELECT run_id, n_passed FROM run_summary WHERE current AND axis = 'overall' "
        "AND scope = 'headline' AND run_id LIKE 'paired%'"
    ) == {"paired-1": 26, "paired-0": 20, "paired-2": 20}


def test_each_axis_has_a_limit_of_its_own(root: Root, whole: Said) -> None:
    def code(policy: str) -> int:
        path = root.put("limits.yaml", policy)
        return root.run("gate", "--stored", "--run", "paired-2", "--policy", str(path)).code

    assert code("axes: {overall: {max_drop: 15}, evidence: {max_drop: 15}}") == 0
    assert code("axes: {overall: {max_drop: 15}, evidence: {max_drop: 14.9}}") == 1


def test_what_is_unknown_blocks_with_a_message_of_its_own(root: Root, whole: Said) -> None:
    found = gate(whole, "open-2")
    assert found["exit_code"] == 3
    told = rule(found, "max_new_failures of overall in risk high")
    assert (told["outcome"], told["case_ids"]) == ("undecided", ["sure"])
    assert "not measured on both sides, so perhaps more: 1 case" in told["reason"]
    assert [(each["case_id"], each["outcome"]) for each in found["cases"]] == [
        ("sure", "undecided")
    ]
    row = root.sql("SELECT passed, evidence_score FROM case_scores WHERE run_id = 'open-2' "
                   "AND case_id = 'sure'")  # fmt: skip
    assert row == [{"passed": None, "evidence_score": None}]


@pytest.fixture(scope="module")
def itself(root: Root, whole: Said) -> Said:
    """After an edit of the rubric, a run against itself, by which its dataset is brought up."""
    root.put("rubrics/mine.yaml", "pass: {tolerance: 40}\n")
    return root.run("gate", "paired-2", "paired-2", "--json")


def test_a_run_against_itself_is_refused_without_a_number(root: Root, itself: Said) -> None:
    assert itself.code == 3
    found = gate(itself, "paired-2")
    assert "refused" in rule(found, "comparable")["reason"]
    assert (found["verdicts"], found["cases"]) == ([], [])
    for table in ("comparison_summary", "comparison_figures", "regressions"):
        assert not root.sql(f"SELECT * FROM {table} WHERE candidate_run = baseline_run")


def test_a_rubric_that_changed_compares_both_sides_anew_and_keeps_the_old_rows(
    root: Root, whole: Said, itself: Said
) -> None:
    # Within 40 points nothing counts; that cases began to fail is told all the same.
    said = root.run("gate", "--stored", "--run", "paired-2", "--json")
    now = gate(said, "paired-2")
    assert said.code == 0
    assert [each["outcome"] for each in now["cases"]] == ["warned"] * 6
    before = gate(whole, "paired-2")
    assert root.pairs(
        "SELECT rubric_version, superseded_at IS NULL FROM comparisons "
        "WHERE candidate_run = 'paired-2' AND baseline_rule = 'pinned'"
    ) == {before["rubric_version"]: False, now["rubric_version"]: True}
    assert root.pairs(
        "SELECT rubric_version, count(DISTINCT case_id) FROM case_scores "
        "WHERE run_id = 'paired-1' GROUP BY ALL"
    ) == {before["rubric_version"]: 40, now["rubric_version"]: 40}
    assert root.sql("SELECT DISTINCT measure_version IS NULL AS absent FROM comparisons") == [
        {"absent": False}
    ]


def test_columns_that_come_go_or_change_places_move_no_mark(root: Root, whole: Said) -> None:
    for run_id, code in (("night2", 0), ("night3", 1), ("night4", 3)):
        assert root.run("gate", "--stored", "--run", run_id).code == code
    assert root.marks("night1") == root.marks("night2") == {"q1": [1, 1, 1, 1]}
    assert root.marks("night3") == {"q1": [0, 0, 0, 0]}
    third = root.run("gate", "--stored", "--run", "night3", "--json")
    assert "malformed_output" in gate(third, "night3")["cases"][0]["reason"]


def test_an_empty_night_is_no_pass_and_those_before_it_stay(root: Root, whole: Said) -> None:
    found = gate(whole, "night4")
    assert [(each["case_id"], each["said"]) for each in found["cases"]] == [("q1", "missing")]
    assert rule(found, "complete")["reason"] == "1 missing and 0 open of 1 cases"
    assert root.marks("night1") == {"q1": [1, 1, 1, 1]}


def test_runs_are_put_in_order_by_instants_whatever_their_zone(root: Root, whole: Said) -> None:
    assert gate(whole, "b-third")["baseline_run"] == "a-second"
    assert root.pairs(
        "SELECT candidate_run, baseline_run FROM comparisons WHERE baseline_rule = 'previous' "
        f"AND candidate_run IN {tuple(STARTS)}"
    ) == {"c-first": None, "a-second": "c-first", "b-third": "a-second"}
