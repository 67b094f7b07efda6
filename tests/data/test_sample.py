"""The sample data says what the README and the demo promise, read without the product."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

SAMPLE = Path(__file__).resolve().parents[2] / "data"

# case: expected answer, evidence document, expected status
GOLD_V1 = {
    "q01": ("500円", "shipping", "answer"),
    "q02": ("到着から30日以内", "returns", "answer"),
    "q03": ("クレジットカードと銀行振込", "payment", "answer"),
    "q04": ("無料", "shipping", "answer"),
    "q05": ("到着から30日以内", "returns", "answer"),
    "q06": ("記載なし", "shipping", "unknown"),
    "q07": ("記載なし", None, "unknown"),
    "q08": ("配送先と注文額を確認", "shipping", "clarify"),
    "q09": ("使用状態と到着日を確認", "returns", "clarify"),
    "q10": ("500円", "shipping", "answer"),
}
GOLD_V2 = GOLD_V1 | {
    "q01": ("600円", "shipping", "answer"),
    "q10": ("600円", "shipping", "answer"),
}
GOLD = {"v1": GOLD_V1, "v2": GOLD_V2}
RUNS = {
    "expected": "shop-faq@v1",
    "faulty": "shop-faq@v1",
    "malformed": "shop-faq@v1",
    "expected-v2": "shop-faq@v2",
}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def items(run: str) -> dict[str, dict[str, Any]]:
    found = rows(SAMPLE / "runs" / run / "items.jsonl")
    by_case = {row["case_id"]: row for row in found}
    assert len(by_case) == len(found)
    return by_case


def manifest(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def perfect(gold: dict[str, tuple[str, str | None, str]]) -> dict[str, dict[str, Any]]:
    return {
        case: {
            "case_id": case,
            "retrieved": [evidence] if evidence else [],
            "answer": answer,
            "source": evidence,
            "status": status,
        }
        for case, (answer, evidence, status) in gold.items()
    }


def test_live_knowledge_holds_the_three_documents_with_their_facts() -> None:
    documents = {row["doc_id"]: row for row in rows(SAMPLE / "knowledge/shop/documents.jsonl")}

    assert sorted(documents) == ["payment", "returns", "shipping"]
    assert "600円" in documents["shipping"]["text"]
    assert "5,000円以上" in documents["shipping"]["text"]
    assert "無料" in documents["shipping"]["text"]
    assert "到着から30日以内" in documents["returns"]["text"]
    assert "クレジットカードと銀行振込" in documents["payment"]["text"]


def test_what_the_cases_call_unstated_is_stated_nowhere() -> None:
    text = "".join(row["text"] for row in rows(SAMPLE / "knowledge/shop/documents.jsonl"))

    assert not [word for word in ("海外", "使用済", "中古", "営業時間") if word in text]


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_ten_cases_carry_the_gold_of_their_version(version: str) -> None:
    cases = rows(SAMPLE / "datasets/shop-faq" / version / "cases.jsonl")

    gold = {row["id"]: (row["expected"], row["evidence"], row["status"]) for row in cases}
    assert gold == GOLD[version]
    assert len(cases) == 10
    assert len({row["question"] for row in cases}) == 10


def test_versions_differ_in_the_gold_of_two_cases_and_in_nothing_else() -> None:
    old, new = (
        {row["id"]: row for row in rows(SAMPLE / "datasets/shop-faq" / version / "cases.jsonl")}
        for version in ("v1", "v2")
    )

    changed = {case: set(old[case].items()) ^ set(new[case].items()) for case in old}
    fields = {case: {key for key, _ in diff} for case, diff in changed.items() if diff}
    assert fields == {"q01": {"expected"}, "q10": {"expected"}}


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_dataset_manifest_names_knowledge_rubric_and_owners(version: str) -> None:
    dataset = manifest(SAMPLE / "datasets/shop-faq" / version / "dataset.yaml")

    assert (dataset["name"], dataset["version"]) == ("shop-faq", version)
    assert dataset["knowledge"] == "shop"
    assert dataset["rubrics"] == "strict"
    assert set(dataset["owners"]) == {"dataset", "revision", "incident"}


@pytest.mark.parametrize(("run", "dataset"), RUNS.items())
def test_every_run_says_that_it_is_a_fixture(run: str, dataset: str) -> None:
    found = manifest(SAMPLE / "runs" / run / "run.yaml")

    assert (found["run_id"], found["dataset"], found["kind"]) == (run, dataset, "fixture")


def test_there_are_no_other_runs() -> None:
    names = {path.name for path in (SAMPLE / "runs").iterdir()}

    assert {name for name in names if not name.startswith("policy-")} == set(RUNS)


@pytest.mark.parametrize(("run", "version"), [("expected", "v1"), ("expected-v2", "v2")])
def test_expected_runs_answer_exactly_as_gold(run: str, version: str) -> None:
    assert items(run) == perfect(GOLD[version])


def test_faulty_run_differs_from_gold_in_three_items() -> None:
    gold, faulty = perfect(GOLD_V1), items("faulty")

    differences = {
        case: {key: row[key] for key in row if row[key] != gold[case][key]}
        for case, row in faulty.items()
        if row != gold[case]
    }
    assert set(faulty) == set(gold)
    assert differences == {
        "q06": {"answer": "2000円", "status": "answer"},
        "q08": {"answer": "500円", "status": "answer"},
        "q10": {"retrieved": ["payment"], "answer": "無料", "source": "payment"},
    }


def test_malformed_run_breaks_one_field_in_each_of_its_three_items() -> None:
    gold, malformed = perfect(GOLD_V1), items("malformed")
    null, text, short = malformed.values()

    assert null == gold[null["case_id"]] | {"retrieved": None}
    assert text == gold[text["case_id"]] | {"retrieved": gold[text["case_id"]]["source"]}
    assert short == {k: v for k, v in gold[short["case_id"]].items() if k != "answer"}


def test_fee_change_is_in_force_when_the_second_version_is_answered() -> None:
    shipping = next(
        row
        for row in rows(SAMPLE / "knowledge/shop/documents.jsonl")
        if row["doc_id"] == "shipping"
    )
    nights = {run: manifest(SAMPLE / "runs" / run / "run.yaml")["started_at"] for run in RUNS}

    assert nights["faulty"] < shipping["effective_from"] <= nights["expected-v2"]
    assert list(nights.values()) == sorted(nights.values())
