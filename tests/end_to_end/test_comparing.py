"""Comparisons from run to run: gold that changed, cases that came and went, baselines."""

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, answer, case

ALIKE = [case(f"alike-{number}") for number in range(6)]
V1 = [*ALIKE, case("same"), case("gold"), case("worse"), case("better"), case("gone"), case("off"),
      case("reordered", question="返品期限は？", tags=["a"])]  # fmt: skip
V2 = [
    *(each for each in V1 if each["id"] not in ("gone", "gold", "reordered")),
    case("gold", expected="perhaps"),
    dict(reversed(list(case("reordered", question=" 返品期限は？ ", tags=["b"]).items()))),
    case("fresh"),
]


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("comparing")
    root.put("datasets/faq/v1/cases.jsonl", V1)
    root.put("datasets/faq/v2/cases.jsonl", V2)
    root.put("datasets/pinned/v1/cases.jsonl", [case("c1")])
    root.put("datasets/pinned/v1/dataset.yaml", "baseline: nobody\n")
    base = [answer(each["id"]) for each in V1]
    base[9] |= {"answer": "no"}
    root.put("runs/z_base/items.jsonl", base)
    root.put("runs/z_base/run.yaml", "dataset: faq@v1\nstarted_at: 2026-05-01T00:00:00Z\n")
    night = [answer(each["id"]) for each in V2 if each["id"] != "off"]
    night[7] |= {"answer": "no"}
    root.put("runs/a_night/items.jsonl", night)
    root.put("runs/a_night/run.yaml", "dataset: faq@v2\nstarted_at: 2026-05-02T00:00:00Z\n")
    root.put("runs/other/items.jsonl", [answer("same", dataset="faq@v2", system="another")])
    root.put("runs/lone/items.jsonl", [answer("c1", dataset="pinned@v1")])
    assert root.run("nightly").code == 0
    return root


def changes(root: Root, candidate: str) -> dict[str, list[str]]:
    return root.pairs(
        "SELECT change, list(case_id ORDER BY case_id) FROM regressions "
        f"WHERE candidate_run = '{candidate}' AND axis = 'overall' GROUP BY change"
    )


def states(root: Root, candidate: str) -> list[tuple[object, ...]]:
    rows = root.sql(
        "SELECT baseline_run, baseline_rule, state, reason_code FROM comparisons "
        f"WHERE candidate_run = '{candidate}' AND superseded_at IS NULL ORDER BY ALL"
    )
    return [tuple(row.values()) for row in rows]


def test_only_cases_with_the_same_gold_are_compared(root: Root) -> None:
    assert states(root, "a_night") == [("z_base", "previous", "compared", "compared")]
    assert changes(root, "a_night") == {
        "regressed": ["worse"],
        "recovered": ["better"],
        "missing": ["off"],
        "gold_changed": ["gold"],
        "new": ["fresh"],
        "removed": ["gone"],
    }
    assert root.sql(
        "SELECT core_case_ids AS core, n_core FROM comparisons WHERE candidate_run = 'a_night'"
    ) == [{"core": [*sorted(each["id"] for each in ALIKE), "better", "off", "reordered", "same",
                  "worse"], "n_core": 11}]  # fmt: skip


def test_the_axis_that_changed_is_named(root: Root) -> None:
    rows = root.sql("SELECT axis FROM regressions WHERE case_id = 'worse' AND axis <> 'overall'")
    assert rows == [{"axis": "evidence"}]


def test_both_versions_stay_readable(root: Root) -> None:
    assert root.pairs(
        "SELECT dataset_version, reference_answer FROM cases WHERE case_id = 'gold'"
    ) == {"faq@v1": "yes", "faq@v2": "perhaps"}
    assert root.marks("z_base")["gold"] == [1, 1, 1, 1]
    assert root.marks("a_night")["gold"] == [1, 0, 1, 1]


def test_a_first_run_has_no_baseline_and_no_list(root: Root) -> None:
    for run_id in ("z_base", "other"):
        assert states(root, run_id) == [(None, "previous", "no_baseline", "no_earlier_run")]
        assert changes(root, run_id) == {}


def test_a_pinned_baseline_that_is_absent_is_said_so_and_scores_stay(root: Root) -> None:
    assert states(root, "lone") == [(None, "pinned", "no_baseline", "pinned_absent")]
    assert root.marks("lone") == {"c1": [1, 1, 1, 1]}


def test_an_unknown_run_is_an_error_that_names_it(root: Root) -> None:
    before = root.sql("SELECT count(*) AS n FROM case_scores")
    said = root.run("compare", "nightly-2026-04-31", "a_night")
    assert said.code == 2
    assert "nightly-2026-04-31" in said.problem("BASE")
    assert "did you mean 'a_night'?" in root.run("compare", "z_base", "a_nigth").err
    assert root.sql("SELECT count(*) AS n FROM case_scores") == before


def test_a_run_against_itself_is_refused(root: Root) -> None:
    said = root.run("compare", "a_night", "a_night", "--json")
    assert said.code == 3
    told = said.json()
    assert told["exit_code"] == 3
    assert [(each["state"], each["reason_code"]) for each in told["comparisons"]] == [
        ("refused", "same_run")
    ]
    assert told["regressions"] == []


def test_runs_can_be_compared_against_time(root: Root) -> None:
    said = root.run("compare", "a_night", "z_base")
    assert said.code == 0, said.err
    assert "worse" in said.out
    rows = root.pairs(
        "SELECT case_id, change FROM regressions WHERE candidate_run = 'z_base' "
        "AND axis = 'overall' AND change IN ('regressed', 'recovered')"
    )
    assert rows == {"worse": "recovered", "better": "regressed"}


def test_identical_references_can_be_demanded(root: Root) -> None:
    said = root.run("compare", "z_base", "a_night", "--require-identical")
    assert said.code == 3
    assert "the references differ" in said.out


def test_a_second_nightly_changes_no_row_and_a_pair_asked_for_does_not_come_back(
    root: Root,
) -> None:
    tables = ("run_items", "retrieved", "case_scores", "run_summary", "comparisons", "regressions")
    before = {table: root.sql(f"SELECT * FROM {table} ORDER BY ALL") for table in tables}
    assert all(before.values())
    said = root.run("nightly", "--dataset", "faq@v2")
    assert said.code == 0
    assert {table: root.sql(f"SELECT * FROM {table} ORDER BY ALL") for table in tables} == before
    assert said.out.count("a_night against z_base") == 1
    assert "a_night against a_night" not in said.out


def test_an_appended_row_is_taken_and_a_changed_one_refused(make_root: MakeRoot) -> None:
    root = make_root("resent")

    def answers() -> dict[str, str]:
        return root.pairs("SELECT case_id, answer FROM run_items")

    root.put("datasets/faq/v1/cases.jsonl", [case("c1"), case("c2")])
    root.put("runs/r.jsonl", [answer("c1")])
    assert root.run("check").code == root.run("ingest").code == 0
    root.put("runs/r.jsonl", [answer("c2"), dict(reversed(list(answer("c1").items())))])
    assert root.run("ingest").code == 0
    assert answers() == {"c1": "yes", "c2": "yes"}

    root.put("runs/r.jsonl", [answer("c1", answer="no"), answer("c2")])
    said = root.run("ingest")
    assert said.code == 2
    assert "1 of 2 rows" in said.problem("runs/r.jsonl", "'c1'", "--replace")
    assert answers() == {"c1": "yes", "c2": "yes"}

    assert root.run("ingest", "--replace").code == 0
    assert answers() == {"c1": "no", "c2": "yes"}
