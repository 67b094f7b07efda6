"""The gate from the command line: who is judged, by which policy, and how it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from rag_eval_pipeline.commands.gating import exit_code
from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, Said, answer, case, command

HOSTILE = "</testcase><script>x</script>|`::error::"
CASES = [
    *(case(f"h{number}", risk="high") for number in range(3)),
    *(case(f"m{number:02}", risk="medium", category="direct") for number in range(18)),
    case(HOSTILE, risk="high"),
    case("dev", split="development"),
]
MAY = "2026-05-{:02}T00:00:00Z"


def run(root: Root, run_id: str, day: int, items: list[dict[str, object]], **manifest: str) -> None:
    root.put(f"runs/{run_id}/items.jsonl", items)
    lines = {"dataset": "faq@v1", "started_at": MAY.format(day)} | manifest
    root.put(f"runs/{run_id}/run.yaml", "".join(f"{key}: {text}\n" for key, text in lines.items()))


def answers(*wrong: str, **fields: object) -> list[dict[str, object]]:
    """An item per case; those named give a wrong answer."""
    return [
        answer(each["id"], **fields, **({"answer": "no"} if each["id"] in wrong else {}))
        for each in CASES
    ]


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    """faq@v1 with five systems, a dataset without a run, and a log that cannot be read."""
    root = make_root("gate")
    root.put("datasets/faq/v1/cases.jsonl", CASES)
    run(root, "bot-1", 1, answers("m01"), system="bot")
    run(root, "bot-2", 2, answers(HOSTILE, "m00", "dev"), system="bot", model="m2")
    run(root, "calm-1", 1, answers("m01", latency_ms=100), system="calm")
    run(root, "calm-2", 2, answers("m01", "dev", latency_ms=150), system="calm")
    run(root, "empty-1", 1, answers(), system="empty")
    run(root, "empty-2", 2, [], system="empty")
    run(root, "broken-1", 1, answers(), system="broken")
    run(root, "broken-2", 2, answers()[:5], system="broken", complete="false")
    run(root, "first-1", 1, answers(), system="first")
    root.put("datasets/none/v1/cases.jsonl", [case("c1")])
    root.put("runs/cut.jsonl.gz", b"\x1f\x8bcut")
    return root


@pytest.fixture(scope="module")
def first(root: Root) -> Said:
    """The gate without arguments, which takes in everything."""
    files = ("--junit", str(root.home / "out" / "gate.xml"), "--markdown", str(markdown(root)))
    return root.run("gate", "--json", *files)


def markdown(root: Root) -> Path:
    return root.home / "out" / "gate.md"


def gates(said: Said) -> dict[str, dict[str, Any]]:
    return {each["candidate_run"]: each for each in said.json()["gates"]}


def judged(root: Root, run_id: str, policy: str | None = None, *options: str) -> dict[str, Any]:
    """One run by what is stored; the exit code is that of its decision."""
    given: tuple[str, ...] = ()
    if policy is not None:
        path = root.home / "policy.yaml"
        path.write_text(policy)
        given = ("--policy", str(path))
    said = root.run("gate", "--stored", "--run", run_id, "--json", *given, *options)
    gate = gates(said)[run_id]
    assert said.code == gate["exit_code"], said.err
    return gate


def outcomes(gate: dict[str, Any]) -> dict[str, str]:
    return {each["rule"]: each["outcome"] for each in gate["outcomes"]}


def test_the_latest_run_of_each_system_on_each_dataset_is_judged_and_the_worst_counts(
    first: Said,
) -> None:
    assert first.code == 1, first.err
    told = [
        (each["dataset_version"], each["candidate_run"], each["baseline_run"], each["exit_code"])
        for each in first.json()["gates"]
    ]
    assert told == [
        ("faq@v1", "bot-2", "bot-1", 1),
        ("faq@v1", "broken-2", None, 3),
        ("faq@v1", "empty-2", "empty-1", 3),
        ("faq@v1", "first-1", None, 3),
        ("none", "", None, 3),
        ("faq@v1", "calm-2", "calm-1", 0),
    ]


def test_a_case_of_high_risk_that_began_to_fail_blocks_and_stands_first(
    root: Root, first: Said
) -> None:
    gate = gates(first)["bot-2"]
    assert [(each["case_id"], each["outcome"]) for each in gate["cases"]] == [
        (HOSTILE, "failed"),
        ("m00", "warned"),
    ]
    assert gate["cases"][0]["axes"] == ["evidence"]
    assert gate["differences"] == ["model: none → m2"]
    said = root.run("gate", "--stored", "--run", "bot-2")
    assert said.code == 1
    lines = said.out.splitlines()
    assert lines[0].startswith(f"FAIL case {HOSTILE} (risk high; evidence): passed before, fails")
    assert lines[1].startswith("WARN case m00 ")
    assert lines[2].startswith("FAIL rule max_new_failures of overall in risk high: ")
    assert "blocked" in [line for line in lines if line][-1]
    assert "dev" not in " ".join(lines)


def test_an_empty_run_one_that_broke_off_and_a_first_one_do_not_pass(first: Said) -> None:
    found = gates(first)
    assert outcomes(found["empty-2"])["complete"] == "warned"
    assert {each["said"] for each in found["empty-2"]["cases"]} == {"missing"}
    assert len(found["empty-2"]["cases"]) == len(CASES) - 1
    for run_id, words in (
        ("empty-2", "insufficient data"),
        ("broken-2", "marked incomplete"),
        ("first-1", "allow_no_baseline"),
        ("", "no run of this dataset"),
    ):
        comparable = next(
            each for each in found[run_id]["outcomes"] if each["rule"] == "comparable"
        )
        assert comparable["outcome"] == "undecided"
        assert words in comparable["reason"]


def test_a_first_run_passes_where_the_policy_lets_it(root: Root, first: Said) -> None:
    assert judged(root, "first-1", "allow_no_baseline: yes")["exit_code"] == 0
    must = "allow_no_baseline: yes\nrisk: {high: {must_pass: yes}}"
    assert judged(root, "first-1", must)["exit_code"] == 0


@pytest.mark.parametrize(
    ("run_id", "policy", "exit_code", "rule"),
    [
        ("calm-2", "axes: {overall: {must_pass: yes}}", 1, "must_pass of overall"),
        ("calm-2", "slices: {category: {direct: {max_new_failures: 0}}}", 0,
         "max_new_failures of overall in category direct"),
        ("calm-2", "slices: {category: {dircet: {max_new_failures: 0}}}", 3,
         "max_new_failures of overall in category dircet"),
        ("calm-2", "run: {max_latency_p50_ms: 150}", 0, "max_latency_p50_ms"),
        ("calm-2", "run: {max_latency_p95_ms: 149}", 1, "max_latency_p95_ms"),
        ("calm-2", "run: {max_latency_p50_rise: 50}", 0, "max_latency_p50_rise"),
        ("calm-2", "run: {max_latency_p50_rise: 49}", 1, "max_latency_p50_rise"),
        ("calm-2", "run: {max_cost_usd: 1}", 3, "max_cost_usd"),
        ("calm-2", "run: {min_citation_rate: 1, max_error_rate: 0, max_missing: 0}", 0,
         "max_missing"),
        ("empty-2", "run: {max_missing: 0}", 1, "max_missing"),
        ("bot-2", "risk: {high: {max_new_failures: 1}}", 0,
         "max_new_failures of overall in risk high"),
    ],
)  # fmt: skip
def test_the_policy_decides(
    root: Root, first: Said, run_id: str, policy: str, exit_code: int, rule: str
) -> None:
    gate = judged(root, run_id, policy)
    assert gate["exit_code"] == exit_code
    expected = {0: "passed", 1: "failed", 3: "undecided"}[exit_code]
    assert outcomes(gate)[rule] == expected


def test_junit_holds_a_suite_for_each_and_any_id(root: Root, first: Said) -> None:
    suites = ET.parse(root.home / "out" / "gate.xml").getroot()
    assert suites[0].get("name") == "faq@v1: bot-2 against bot-1"
    assert len(suites) == 6
    case_ = suites[0].find("testcase")
    assert case_ is not None
    assert case_.get("name") == HOSTILE
    assert case_.find("failure") is not None
    assert suites.get("failures") == "2"


def test_the_comment_is_markdown_that_no_id_breaks(root: Root, first: Said) -> None:
    comment = markdown(root).read_text()
    assert comment.startswith("<!-- rag-eval gate -->\n\n### RAG evaluation gate: blocked: 1 of 6")
    assert "<script" not in comment
    assert comment.index("passed before, fails now") < comment.index("| axis | n |")
    assert "What differs beside the answers: model: none → m2" in comment


def test_on_github_there_are_annotations_and_a_summary_of_the_step(
    root: Root, first: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    arguments = ("gate", "--stored", "--run", "bot-2")
    assert "::error" not in "\n" + root.run(*arguments).out.replace(HOSTILE, "")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    said = root.run(*arguments)
    assert said.code == 1
    commands = [line for line in said.out.splitlines() if line.startswith("::")]
    assert commands[0].startswith("::error title=RAG evaluation gate%3A case::</testcase>")
    assert commands[-1].startswith("::notice ")
    assert summary.read_text().startswith("before\n<!-- rag-eval gate -->")
    as_json = root.run(*arguments, "--json")
    assert gates(as_json)["bot-2"]["exit_code"] == 1
    assert commands[0] in as_json.err.splitlines()
    plain = root.run(*arguments, "--no-annotations")
    assert not any(line.startswith("::") for line in plain.out.splitlines())


def test_a_policy_that_cannot_be_read_is_bad_input_before_anything_is_computed(
    make_root: MakeRoot,
) -> None:
    root = make_root("bad_policy")
    root.put("datasets/faq/v1/cases.jsonl", [case("c1")])
    root.put("gate.yaml", "axes:\n  serch: {max_drop: 1}\n")
    said = root.run("gate")
    assert said.code == 2
    assert "did you mean 'search'?" in said.problem("gate.yaml", "line 2", "serch")
    assert not root.home.exists()
    said = root.run("gate", "--policy", str(root.data / "nowhere.yaml"))
    assert said.code == 2
    assert "nowhere.yaml" in said.err


def test_the_policy_of_the_dataset_comes_before_that_of_the_root(root: Root, first: Said) -> None:
    def source(run_id: str) -> str:
        return str(judged(root, run_id)["policy"])

    assert source("calm-2") == "the default policy"
    whole = root.put("gate.yaml", "description: of all\n")
    own = root.put("datasets/faq/gate.yaml", "description: of one\n")
    other = root.put("datasets/none/gate.yaml", "description: of another\n")
    assert source("calm-2") == "datasets/faq/gate.yaml"
    own.unlink()
    assert source("calm-2") == "gate.yaml"
    whole.unlink()
    other.unlink()


def test_two_runs_can_be_named_a_new_log_is_taken_in_and_nothing_else_computed(
    root: Root, first: Said
) -> None:
    run(root, "pr-17", 3, answers("m01"), system="pr")
    tables = ("comparisons", "regressions", "case_scores", "run_items")
    queries = [
        f"SELECT * FROM {table} WHERE "
        f"{'run_id' if table in ('case_scores', 'run_items') else 'candidate_run'} <> 'pr-17' "
        "ORDER BY ALL"
        for table in tables
    ]
    before = [root.sql(query) for query in queries]
    said = root.run("gate", "calm-2", "pr-17", "--json")
    assert said.code == 0, said.err
    assert list(gates(said)) == ["pr-17"]
    assert gates(said)["pr-17"]["baseline_run"] == "calm-2"
    assert [root.sql(query) for query in queries] == before
    assert all(before)
    # By its rule it has no baseline; the pair that was asked for does not stand in for it.
    assert judged(root, "pr-17")["exit_code"] == 3
    never = root.run("gate", "--stored", "pr-17", "bot-2")
    assert never.code == 3
    assert "nothing is stored of this pair" in never.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--stored", "--run", "calm-3"), "did you mean 'calm-2'?"),
        (("--stored", "calm-0", "calm-2"), "field BASE: found the run 'calm-0'"),
        (("--stored", "--dataset", "fqa"), "faq@v1"),
        (("--stored", "--run", "calm-2", "--dataset", "none"), "'calm-2'"),
        (("calm-1",), "name both runs"),
        (("calm-1", "calm-2", "--run", "calm-2"), "without --run"),
    ],
)
def test_what_is_not_there_is_bad_input_that_names_it(
    root: Root, first: Said, arguments: tuple[str, ...], words: str
) -> None:
    said = root.run("gate", *arguments)
    assert said.code == 2
    assert words in said.err


def test_a_log_that_cannot_be_read_is_told_and_no_pass(first: Said) -> None:
    told = first.json()
    assert "cut.jsonl.gz" in told["problems"][0]
    assert first.problem("cut.jsonl.gz")


@pytest.mark.parametrize(
    ("codes", "expected"),
    [((0,), 0), ((0, 3), 3), ((2, 3, 0), 2), ((2, 1, 3), 1), ((4, 1, 2), 4)],
)
def test_a_known_failure_outranks_bad_input_and_that_what_is_not_decided(
    codes: tuple[int, ...], expected: int
) -> None:
    assert exit_code(*codes) == expected


def test_the_schema_is_printed_without_any_data() -> None:
    said = command("gate", "--schema")
    assert said.code == 0
    assert said.json()["title"] == "Gate policy of rag-eval"
