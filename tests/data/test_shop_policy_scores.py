"""The policy sample scored by the product: its table of causes is what a nightly finds."""

from __future__ import annotations

import re
import shutil
from typing import Any

import pytest

from tests.data import test_shop_policy as v1
from tests.data import test_shop_policy_v2 as v2
from tests.data.test_shop_policy import CODES, SAMPLE, groups
from tests.end_to_end.data_root import Root

Row = dict[str, Any]

EXPECTED = v1.EXPECTED | v2.EXPECTED
ITEMS = v1.ITEMS | v2.ITEMS
CASES = dict.fromkeys(v1.EXPECTED, v1.CASES) | dict.fromkeys(v2.EXPECTED, v2.CASES)

LONGEST_REASON = 120
# What a reason of these codes must show: an id of gold or claim, or the value found.
OF_EVIDENCE = (
    "gold_problem",
    "forbidden_access",
    "stale_evidence",
    "retrieval_miss",
    "forbidden_claim",
    "wrong_answer",
    "ungrounded_claim",
    "unused_evidence",
    "incomplete_answer",
    "wrong_source",
    "needs_review",
)
OF_STATUS = (
    "missed_abstention",
    "missed_clarification",
    "over_refusal",
    "needless_clarification",
)


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """One nightly over a copy of the data root that holds the policy sample and nothing else."""
    root = Root(tmp_path_factory.mktemp("policy"))
    parts = ("knowledge", "snapshots", "datasets")
    for folder in (*(f"{part}/shop-policy" for part in parts), "rubrics"):
        shutil.copytree(SAMPLE / folder, root.data / folder)
    for run in EXPECTED:
        shutil.copytree(SAMPLE / "runs" / run, root.data / "runs" / run)
    said = root.run("nightly")
    assert said.code == 0, said.err
    return root


@pytest.fixture(scope="module")
def scored(night: Root) -> list[Row]:
    return night.sql("SELECT * FROM case_scores WHERE current ORDER BY run_id, case_id, trial")


def name_of(row: Row) -> str:
    tried = len([item for item in ITEMS[row["run_id"]] if item.split("/")[0] == row["case_id"]])
    return f"{row['case_id']}/{row['trial']}" if tried > 1 else str(row["case_id"])


def claim_ids(case: Row) -> set[str]:
    found = set()
    for kind, letter in (("required_claims", "r"), ("forbidden_claims", "f")):
        for number, claim in enumerate(case.get(kind, []), start=1):
            written = claim.get("id") if isinstance(claim, dict) else None
            found.add(written or f"{letter}{number}")
    return found


def shown_in(reason: str, row: Row) -> set[str]:
    """The ids of gold, retrieved documents and claims a reason shows, and values of the answer."""
    case, item = CASES[row["run_id"]][row["case_id"]], ITEMS[row["run_id"]][name_of(row)]
    ids = {each for group in groups(case) for each in group} | claim_ids(case)
    ids |= {slot["id"] for slot in item["retrieved"] or []}
    words = set(re.findall(r"[A-Za-z0-9#-]+", reason))
    values = re.findall(r"[0-9][0-9,.]*", item["answer"] or "")
    return (ids & words) | {value for value in values if value in reason}


def test_every_item_has_the_cause_that_the_table_names(scored: list[Row]) -> None:
    found = {(row["run_id"], name_of(row)): row["diagnosis"] for row in scored}
    named = {(run, name): EXPECTED[run].get(name) for run, items in ITEMS.items() for name in items}

    assert {key: found[key] for key in named if found[key] != named[key]} == {}
    assert set(found) == set(named)


def test_items_without_a_cause_pass_and_the_others_do_not(scored: list[Row]) -> None:
    for row in scored:
        if row["diagnosis"] is None:
            assert row["passed"] is True, (row["run_id"], row["case_id"])
        else:
            assert row["passed"] is not True, (row["run_id"], row["case_id"])
            assert row["diagnosis"] in row["also"]


def test_every_cause_occurs(scored: list[Row]) -> None:
    assert {row["diagnosis"] for row in scored} == {None, *CODES}


def test_reasons_are_short(scored: list[Row]) -> None:
    assert [row["reason"] for row in scored if len(row["reason"]) > LONGEST_REASON] == []


@pytest.mark.parametrize("code", OF_EVIDENCE)
def test_reason_shows_the_evidence(scored: list[Row], code: str) -> None:
    rows = [row for row in scored if row["diagnosis"] == code]

    assert rows
    assert [row["reason"] for row in rows if not shown_in(row["reason"], row)] == []


@pytest.mark.parametrize("code", OF_STATUS)
def test_reason_shows_the_status(scored: list[Row], code: str) -> None:
    rows = [row for row in scored if row["diagnosis"] == code]

    assert rows
    for row in rows:
        wanted = CASES[row["run_id"]][row["case_id"]]["expected_status"]
        status = ITEMS[row["run_id"]][name_of(row)]["status"]
        assert f"status {status}, expected {wanted}" in row["reason"]


def test_every_cause_says_where_to_mend(scored: list[Row]) -> None:
    where = {row["diagnosis"]: row["where_to_mend"] for row in scored}

    assert where.pop(None) is None
    assert set(where.values()) == {"retrieval", "generation", "behavior", "system", "dataset"}


def test_nothing_is_in_quarantine(night: Root) -> None:
    assert night.sql("SELECT * FROM quarantine") == []


@pytest.mark.parametrize("mart", ["scenario_summary", "retrieval_at_k", "failure_summary"])
def test_mart_has_rows_of_every_run(night: Root, mart: str) -> None:
    rows = night.sql(f"SELECT DISTINCT run_id FROM {mart}")

    assert {row["run_id"] for row in rows} == set(EXPECTED)


def test_no_number_is_nan(night: Root) -> None:
    columns = night.sql(
        "SELECT table_name, column_name FROM information_schema.columns WHERE data_type = 'DOUBLE'"
    )

    assert len(columns) > 20
    bad = [
        f"SELECT '{table}.{name}' AS place FROM \"{table}\" "
        f'WHERE isnan("{name}") OR isinf("{name}")'
        for table, name in (tuple(row.values()) for row in columns)
    ]
    assert night.sql(" UNION ALL ".join(bad)) == []


def test_old_index_is_judged_on_what_it_was_built_from(night: Root) -> None:
    rows = night.sql(
        "SELECT run_id, index_basis, sum(n_unresolved) AS holes FROM retrieval_measures "
        "GROUP BY ALL"
    )
    told = {row["run_id"]: (row["index_basis"], row["holes"]) for row in rows}

    assert told["policy-old-index"] == ("indexed", 0)
    assert told["policy-new-index"] == ("pinned", 0)
    assert told["policy-short-context"][0] == "index_unknown"


@pytest.mark.parametrize("run", v2.EXPECTED)
def test_each_part_of_the_move_from_the_version_before_is_there(night: Root, run: str) -> None:
    rows = night.sql(
        "SELECT part, label, amount, baseline_headline AS before, candidate_headline AS after "
        "FROM score_change_attribution WHERE current AND dimension = 'all' AND axis = 'overall' "
        f"AND figure = 'passed' AND candidate_run = '{run}' AND baseline_run = 'policy-candidate'"
    )

    assert len(rows) == 5
    for row in rows:
        assert abs(row["amount"]) > 0.001, row["part"]
    moved = rows[0]["after"] - rows[0]["before"]
    assert sum(row["amount"] for row in rows) == pytest.approx(moved)
    labels = {row["part"]: row["label"] for row in rows}
    old, new = v1.MANIFEST["snapshot"], v2.MANIFEST["snapshot"]
    index = {"policy-old-index": "system", "policy-new-index": f"index {old}→{new}"}
    assert labels["system"] == index[run]


def test_what_makes_up_a_part_can_be_seen(night: Root) -> None:
    said = night.run("why", "policy-candidate", "policy-new-index", "--cases", "--axis", "overall")

    assert said.code == 0, said.err
    rows = [re.split(r"\s*│\s*", line.strip("│ ")) for line in said.out.splitlines()]
    told = {tuple(row[:2]): row[3] for row in rows if len(row) == 5}
    assert told["rubric", "p05"] == "fail → pass"
    assert told["reference", "p01"] == "pass → fail"
    assert told["mix", "p41"] == "added: fail"
    assert told["measurability", "p12"].startswith("pass → unmeasured")
    assert "evidence.ungrounded: zero → report" in said.out
