"""Why the score moved: the parts of a move in a real home, and the command that shows them."""

from __future__ import annotations

import os
import re
from typing import Any

import dagster as dg
import pytest

from rag_eval_pipeline import launch
from rag_eval_pipeline.comparison.attribution import PARTS
from rag_eval_pipeline.defs.attribution import attribution
from rag_eval_pipeline.defs.evaluation import Evaluation
from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, Said, answer, case

RUBRIC = """\
name: own
search: {measure: gold_retrieved, malformed: zero}
evidence: {measure: exact_match, malformed: zero}
behavior: {measure: status_match, malformed: zero}
format: {measure: required_fields}
"""
LENIENT = RUBRIC.replace("gold_retrieved, malformed: zero", "gold_retrieved, malformed: ignore")

# Twelve headline cases in two categories, of which one is too small for a rate; and the others.
V1 = [
    *(case(f"c{n}", split="validation", category="direct", risk="low") for n in range(9)),
    *(case(f"s{n}", split="validation", category="conditional", language="ja") for n in range(3)),
    case("none", split="validation", category="direct", evidence=None),
    case("dev", split="development", category="direct"),
    case("kept", split="test"),
]
V2 = [
    *(each for each in V1 if each["id"] not in ("c6", "c7", "c8")),
    case("c7", split="validation", category="direct", risk="low", expected="perhaps"),
    case("c8", split="validation", category="conditional", risk="low"),
    case("n1", split="validation", category="direct"),
]


def log(root: Root, run_id: str, dataset: str, day: int, items: list[dict[str, object]]) -> None:
    root.put(f"runs/{run_id}/items.jsonl", items)
    root.put(
        f"runs/{run_id}/run.yaml",
        f"dataset: {dataset}\nsystem: bot\nstarted_at: 2026-05-{day:02}T00:00:00Z\n",
    )


def answers(cases: list[dict[str, object]], **changed: dict[str, object]) -> list[dict[str, Any]]:
    return [
        answer(each["id"], source=each["evidence"]) | changed.get(str(each["id"]), {})
        for each in cases
    ]


WRONG: dict[str, object] = {"answer": "no"}


def without_status(items: list[dict[str, Any]], case_id: str) -> list[dict[str, Any]]:
    """The items, one of them malformed."""
    return [
        {key: value for key, value in each.items() if each["case_id"] != case_id or key != "status"}
        for each in items
    ]


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    """Two versions, the second decided by another rubric; what moves is named in `night`."""
    root = make_root("why")
    root.put("datasets/faq/v1/cases.jsonl", V1)
    root.put("datasets/faq/v1/dataset.yaml", "rubrics: strict\n")
    root.put("datasets/faq/v2/cases.jsonl", V2)
    root.put("datasets/faq/v2/dataset.yaml", "rubrics: own\n")
    root.put("rubrics/own.yaml", LENIENT)
    base = answers(V1, c0=WRONG, c1=WRONG, s0=WRONG, dev=WRONG)
    log(root, "base", "faq@v1", 1, without_status(base, "c2"))
    night = answers(V2, c1=WRONG, c3=WRONG, c4={"error": "timeout"}, s1={"retrieved": ["other"]})
    night = [each for each in night if each["case_id"] not in ("c5", "none", "dev")]
    log(root, "night", "faq@v2", 2, without_status(night, "c2"))
    tried = [each | {"trial": n} for n in (1, 2) for each in answers(V2)]
    tried[0] |= WRONG
    log(root, "tried", "faq@v2", 3, tried)
    assert root.run("nightly").code == 0
    return root


def parts(root: Root, candidate: str, where: str = "TRUE") -> dict[str, float]:
    return root.pairs(
        "SELECT part, amount FROM score_change_attribution WHERE current AND dimension = 'all' "
        f"AND candidate_run = '{candidate}' AND {where}"
    )


def test_the_headlines_are_those_of_the_summaries(root: Root) -> None:
    rows = root.sql(
        "WITH shown AS ("
        "  SELECT dataset_version, run_id, rubric_version, axis, 'all' AS dimension, "
        "    'all' AS slice, mean_score, pass_rate, n_cases "
        "  FROM run_summary WHERE current AND scope = 'headline' "
        "  UNION ALL "
        "  SELECT dataset_version, run_id, rubric_version, axis, dimension, slice, mean_score, "
        "    pass_rate, n_cases FROM slice_summary WHERE current), "
        "sides AS ("
        "  SELECT candidate_run AS pair, candidate_run AS run_id, dataset_version, "
        "    rubric_version, dimension, slice, axis, figure, candidate_headline AS headline "
        "  FROM score_change_attribution WHERE current AND part = 'mix' "
        "  UNION ALL "
        "  SELECT candidate_run, baseline_run, baseline_dataset_version, "
        "    baseline_rubric_version, dimension, slice, axis, figure, baseline_headline "
        "  FROM score_change_attribution WHERE current AND part = 'mix') "
        "SELECT pair, run_id, dimension, slice, axis, figure, headline, "
        "  CASE figure WHEN 'score' THEN mean_score ELSE pass_rate END AS summary, n_cases "
        "FROM sides LEFT JOIN shown "
        "USING (dataset_version, run_id, rubric_version, dimension, slice, axis)"
    )
    pairs = {("night", "base"), ("night", "night"), ("tried", "night"), ("tried", "tried")}
    assert {(row["pair"], row["run_id"]) for row in rows} == pairs
    assert {row["dimension"] for row in rows} == {"all", "category", "split", "risk", "language"}
    shown = [row for row in rows if row["headline"] is not None]
    for row in shown:
        assert row["headline"] == pytest.approx(row["summary"], abs=1e-12), row
    assert len(shown) > 100
    # A slice that is too small on one side has no numbers on either.
    whole = [row for row in rows if row["dimension"] == "all"]
    assert [row for row in whole if row["headline"] is None] == []


def test_the_parts_add_up_and_each_of_them_is_there(root: Root) -> None:
    rows = root.sql(
        "SELECT sum(amount) AS parts, any_value(candidate_headline - baseline_headline) AS moved, "
        "count(*) AS n, count(amount) AS shown FROM score_change_attribution WHERE current "
        "GROUP BY comparison_id, dimension, slice, axis, figure"
    )
    assert {row["n"] for row in rows} == {len(PARTS)}
    assert {row["shown"] for row in rows} == {0, len(PARTS)}
    for row in rows:
        if row["shown"]:
            assert row["parts"] == pytest.approx(row["moved"], abs=1e-12)
    found = parts(root, "night", "axis = 'search' AND figure = 'score'")
    assert found["rubric"] > 0  # c2 is malformed and may be scored now
    assert parts(root, "night", "axis = 'evidence' AND figure = 'score'")["reference"] < 0
    for part in ("system", "mix", "measurability"):
        assert found[part] != 0, part


def test_a_case_that_is_missing_keeps_the_axes_that_do_not_apply_to_it(root: Root) -> None:
    rows = root.sql(
        "SELECT part, unnest(case_ids) AS case_id, unnest(changes) AS change "
        "FROM score_change_attribution WHERE current AND candidate_run = 'night' "
        "AND dimension = 'all' AND axis = 'evidence' AND figure = 'passed'"
    )
    told = {(row["part"], row["case_id"]): row["change"] for row in rows}
    assert told["measurability", "c5"] == "pass → missing by system"
    assert told["system", "c4"] == "pass → fail"
    assert told["reference", "c7"] == "pass → fail"
    assert told["mix", "n1"] == "added: pass"
    assert told["mix", "c6"] == "removed: pass"
    assert not {"dev", "kept"} & {case_id for _, case_id in told}


def numbers(said: Said, part: str) -> list[float]:
    """Points of a part, per axis, as printed."""
    found = re.findall(rf"^│ {part}[^│]*│ ([+−]?[0-9.]+) ", said.out, re.MULTILINE)
    return [float(each.replace("−", "-")) for each in found]


def test_the_command_shows_parts_that_add_up_as_they_are_printed(root: Root) -> None:
    said = root.run("why", "base", "night")
    assert said.code == 0, said.err
    sums = numbers(said, "sum")
    assert len(sums) == 5
    shown = [numbers(said, part) for part in PARTS]
    for place, total in enumerate(sums):
        assert sum(each[place] for each in shown) == pytest.approx(total, abs=1e-9)
    headlines = re.findall(r"mean score: ([0-9.]+) % \(n 13\) → ([0-9.]+) % \(n ", said.out)
    assert [round(float(new) - float(old), 1) for old, new in headlines] == sums[:4]
    assert "rubric: search.malformed: zero → ignore" in said.out
    assert "gold changed: c7" in said.out


def test_every_case_is_listed_with_what_happened_and_why(root: Root) -> None:
    said = root.run("why", "base", "night", "--cases", "--axis", "evidence")
    rows = [re.split(r"\s*│\s*", line.strip("│ ")) for line in said.out.splitlines()]
    told = {tuple(row[:2]): row[3:] for row in rows if len(row) == 5}
    assert told["reference", "c7"] == ["1 → 0", "gold changed: reference_answer"]
    assert told["system", "c3"] == ["1 → 0", "evidence"]
    assert told["measurability", "c5"][0] == "1 → missing by system"
    assert "has no item for this case" in told["measurability", "c5"][1]
    assert told["mix", "n1"] == ["added: 1", "all checks passed"]
    rubric = root.run("why", "base", "night", "--cases", "--axis", "search")
    assert re.search(r"│ rubric +│ c2 .*│ 0 → 1 +│ search.malformed: zero → ignore", rubric.out)


def test_a_slice_has_its_own_parts_and_a_small_one_only_lists(root: Root) -> None:
    said = root.run("why", "base", "night", "--slice", "category=direct", "--axis", "overall")
    assert said.code == 0, said.err
    assert "category direct" in said.out
    assert "(n 10)" in said.out
    # c8 went from one category to the other.
    assert "c8" in said.out
    small = root.run("why", "base", "night", "--slice", "category=conditional")
    assert "too few cases for a rate (n 3) → (n 4)" in small.out
    assert numbers(small, "sum") == []


def test_programs_get_the_same(root: Root) -> None:
    said = root.run("why", "base", "night", "--axis", "search", "--json").json()
    assert said["exit_code"] == 0
    assert [row["part"] for row in said["attribution"]] == list(PARTS)
    assert {row["axis"] for row in said["attribution"]} == {"search"}
    for row in said["attribution"]:
        n = len(row["case_ids"])
        assert n == len(row["contributions"]) == len(row["changes"]) == len(row["reasons"])
    (comparison,) = said["comparisons"]
    assert (comparison["candidate_run"], comparison["baseline_run"]) == ("night", "base")


@pytest.mark.parametrize(
    ("arguments", "parts_of_error"),
    [
        (["base", "nigth"], ["CANDIDATE", "did you mean 'night'?"]),
        (["bsae", "night"], ["BASE", "did you mean 'base'?"]),
        (["base", "night", "--axis", "serch"], ["--axis", "did you mean 'search'?"]),
        (["base", "night", "--slice", "category"], ["--slice", "category=direct"]),
        (["base", "night", "--slice", "category=drect"], ["did you mean 'category=direct'?"]),
        (["base", "night", "--base-rubric", "own@0"], ["--base-rubric", "own@"]),
    ],
)
def test_what_is_not_there_is_named_with_what_is(
    root: Root, arguments: list[str], parts_of_error: list[str]
) -> None:
    said = root.run("why", *arguments)
    assert said.code == 2
    said.problem(*parts_of_error)


def test_a_refused_pair_has_a_reason_and_no_parts(root: Root) -> None:
    said = root.run("why", "night", "night")
    assert said.code == 3
    assert "a run is not compared with itself" in said.out
    assert "points" not in said.out
    told = root.run("why", "night", "night", "--json").json()
    assert (told["exit_code"], told["attribution"]) == (3, [])
    assert root.sql("SELECT 1 FROM score_change_attribution WHERE baseline_run = 'tried'") == []


def test_a_pair_no_rule_gives_is_asked_for_and_a_rubric_may_be_named(root: Root) -> None:
    (own,) = {row["rubric_version"] for row in root.sql(
        "SELECT rubric_version FROM comparisons WHERE candidate_run = 'tried'")}  # fmt: skip
    as_new = root.run("why", "base", "tried", "--base-rubric", own, "--axis", "search", "--json")
    assert as_new.code == 0, as_new.err
    by_part = {row["part"]: row for row in as_new.json()["attribution"]}
    assert by_part["rubric"]["amount"] == 0
    assert by_part["rubric"]["baseline_rubric_version"] == own
    # What was asked for stands beside what holds.
    found = parts(root, "tried", "baseline_run = 'base' AND axis = 'search' AND figure = 'score'")
    assert found["rubric"] > 0
    recorded = root.run("why", "base", "tried", "--axis", "search", "--json").json()
    (version,) = {row["baseline_rubric_version"] for row in recorded["attribution"]}
    assert version.startswith("strict@")


@pytest.fixture(scope="module")
def edited(make_root: MakeRoot) -> Root:
    """A rubric edited after the first night; then a night on each of two versions."""
    root = make_root("edited")
    for version in ("v1", "v2"):
        root.put(f"datasets/faq/{version}/cases.jsonl", V1)
        root.put(f"datasets/faq/{version}/dataset.yaml", "rubrics: own\nbaseline: first\n")
    root.put("rubrics/own.yaml", RUBRIC)
    log(root, "first", "faq@v1", 1, without_status(answers(V1), "c2"))
    assert root.run("nightly", "--dataset", "faq@v1").code == 0
    root.put("rubrics/own.yaml", LENIENT)
    log(root, "same", "faq@v1", 2, answers(V1))
    log(root, "other", "faq@v2", 3, answers(V1))
    assert root.run("nightly").code == 0
    return root


OF_SEARCH = "axis = 'search' AND figure = 'score'"


@pytest.mark.parametrize("candidate", ["same", "other"])
def test_an_edit_of_the_rubric_between_two_nights_is_the_rubric_part(
    edited: Root, candidate: str
) -> None:
    # Also where the baseline's version was scored anew before the candidate's in the same night.
    found = parts(edited, candidate, OF_SEARCH)
    assert found["rubric"] == pytest.approx(1 / 13)
    assert [part for part in PARTS if found[part] != 0] == ["rubric"]
    assert "search.malformed: zero → ignore" in edited.run("why", "first", candidate).out


def test_later_nights_have_their_own_rubric_and_a_changed_side_fails_the_check(
    edited: Root,
) -> None:
    query = (
        "SELECT * FROM score_change_attribution WHERE candidate_run = 'other' "
        "AND comparison_id IN ({}) ORDER BY ALL"
    )
    (pair,) = {row["comparison_id"] for row in edited.sql(
        "SELECT comparison_id FROM score_change_attribution WHERE candidate_run = 'other'"
    )}  # fmt: skip
    stored = edited.sql(query.format(f"'{pair}'"))
    log(edited, "first", "faq@v1", 1, without_status(answers(V1, c1=WRONG), "c2"))
    log(edited, "later", "faq@v1", 4, answers(V1))
    assert edited.run("nightly", "--dataset", "faq@v1", "--replace").code == 0
    # The baseline had been scored by the edited rubric before this night came.
    assert parts(edited, "later", OF_SEARCH)["rubric"] == 0

    check = attribution_check(edited, "faq@v2")
    assert not check.passed
    assert check.severity == dg.AssetCheckSeverity.WARN
    assert "1 runs or their gold changed" in str(check.description)
    assert ": first;" in str(check.description)
    assert edited.sql(query.format(f"'{pair}'")) == stored

    assert edited.run("nightly", "--dataset", "faq@v2").code == 0
    assert attribution_check(edited, "faq@v2").passed
    kept = edited.sql(query.format(f"'{pair}'"))
    assert [row | {"current": True} for row in kept] == stored
    assert not any(row["current"] for row in kept)
    hashes = edited.sql(
        "SELECT DISTINCT baseline_run_hash FROM score_change_attribution "
        "WHERE current AND candidate_run = 'other'"
    )
    assert hashes == edited.sql(
        "SELECT run_hash AS baseline_run_hash FROM runs WHERE run_id = 'first'"
    )


def attribution_check(root: Root, partition: str) -> dg.AssetCheckEvaluation:
    """The check after the asset alone was materialized."""
    launch.prepare_home(root.home, root.data)
    with dg.DagsterInstance.from_config(os.fspath(root.home)) as instance:
        result = dg.materialize(
            [attribution],
            instance=instance,
            partition_key=partition,
            resources={"evaluation": Evaluation(data=str(root.data), home=str(root.home))},
        )
    (check,) = [
        each
        for each in result.get_asset_check_evaluations()
        if each.check_name == "attribution_inputs_current"
    ]
    return check
