"""The policy sample says what its table of causes promises, read without the product."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

SAMPLE = Path(__file__).resolve().parents[2] / "data"
DATASET = SAMPLE / "datasets/shop-policy/v1"
Row = dict[str, Any]

# run: {case, or case/trial: the cause a careful reader names}; every other item passes.
EXPECTED = {
    "policy-baseline": {
        "p14": "wrong_answer",
        "p18": "over_refusal",
        "p19": "missed_clarification",
        "p21": "incomplete_answer",
        "p24": "retrieval_miss",
        "p25": "forbidden_claim",
        "p29": "missed_abstention",
        "p36": "gold_problem",
        "p40": "forbidden_access",
        "e07": "incomplete_abstention",
        "e10": "stale_evidence",
    },
    "policy-short-context": {
        "p02": "system_error",
        "p09": "stale_evidence",
        "p10": "malformed_output",
        "p12": "stale_evidence",
        "p14": "over_refusal",
        "p16": "retrieval_miss",
        "p18": "wrong_answer",
        "p20": "missed_clarification",
        "p21": "retrieval_miss",
        "p22": "retrieval_miss",
        "p23": "retrieval_miss",
        "p24": "retrieval_miss",
        "p25": "retrieval_miss",
        "p26": "malformed_output",
        "p28": "retrieval_miss",
        "p31": "missed_abstention",
        "p32": "stale_evidence",
        "p35": "retrieval_miss",
        "p36": "gold_problem",
        "p38": "forbidden_access",
        "e03": "system_error",
        "e05": "malformed_output",
        "e06": "retrieval_miss",
        "e11": "forbidden_access",
        "e12": "retrieval_miss",
    },
    "policy-candidate": {
        "p04": "unused_evidence",
        "p05": "ungrounded_claim",
        "p06": "wrong_source",
        "p15": "needless_clarification",
        "p16": "needs_review",
        "p20": "missed_clarification",
        "p25": "forbidden_claim",
        "p36": "gold_problem",
        "e04": "needs_review",
    },
    "policy-trials": {
        "p10/2": "ungrounded_claim",
        "p15/1": "over_refusal",
        "p16/2": "needs_review",
        "p19/2": "missed_clarification",
        "p21/1": "incomplete_answer",
        "p25/1": "forbidden_claim",
        "p25/3": "forbidden_claim",
        "p28/3": "retrieval_miss",
        "p29/2": "missed_abstention",
        "p29/3": "missed_abstention",
        "p31/3": "incomplete_abstention",
        "p36/1": "gold_problem",
        "p36/2": "gold_problem",
        "p36/3": "gold_problem",
        "p37/3": "wrong_answer",
        "p40/2": "missed_abstention",
        "e01/2": "system_error",
        "e04/1": "forbidden_claim",
        "e08/2": "incomplete_abstention",
        "e10/3": "forbidden_claim",
    },
}

CODES = (
    "gold_problem",
    "system_error",
    "malformed_output",
    "forbidden_access",
    "stale_evidence",
    "retrieval_miss",
    "missed_abstention",
    "missed_clarification",
    "over_refusal",
    "needless_clarification",
    "forbidden_claim",
    "wrong_answer",
    "ungrounded_claim",
    "unused_evidence",
    "incomplete_answer",
    "wrong_source",
    "incomplete_abstention",
    "needs_review",
)
# Right answers that state a number otherwise than the documents do: 17時 as 午後5時 or 17:00,
# two years as 24 months or 2-year.
RESTATED = {"p05": {"5", "00"}, "e05": {"2", "24"}}


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def manifest(path: Path) -> Row:
    loaded: Row = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


CASES = {row["case_id"]: row for row in rows(DATASET / "cases.jsonl")}
MANIFEST = manifest(DATASET / "dataset.yaml")
# The live knowledge has moved on; the version is pinned to what it read.
SNAPSHOT = SAMPLE / "snapshots/shop-policy" / f"{MANIFEST['snapshot']}.jsonl"
PINNED_BYTES = SNAPSHOT.read_bytes()
PINNED = rows(SNAPSHOT)
DOCUMENTS = {row["doc_id"]: row for row in PINNED}
SECTIONS = {
    f"{doc_id}#{section['section_id']}": section["text"]
    for doc_id, row in DOCUMENTS.items()
    for section in row["sections"]
}
AS_OF = MANIFEST["as_of"]


def key(item: Row) -> str:
    return f"{item['case_id']}/{item['trial']}" if "trial" in item else str(item["case_id"])


ITEMS = {
    run: {key(item): item for item in rows(SAMPLE / "runs" / run / "items.jsonl")}
    for run in EXPECTED
}
FAULTY = [(run, item, code) for run, table in EXPECTED.items() for item, code in table.items()]
RIGHT = [(run, name) for run, items in ITEMS.items() for name in items if name not in EXPECTED[run]]


def groups(case: Row) -> list[set[str]]:
    written = case.get("evidence_groups") or [[each] for each in case["reference_evidence_ids"]]
    return [set(group) for group in written]


def retrieved(item: Row) -> list[str]:
    return [slot["id"] for slot in item["retrieved"] or []]


def missed(case: Row, item: Row) -> list[set[str]]:
    return [group for group in groups(case) if not group & set(retrieved(item))]


def outdated(evidence_id: str, case: Row) -> bool:
    document = DOCUMENTS[evidence_id.split("#")[0]]
    return bool(document.get("effective_until", "9999") < case.get("as_of", AS_OF))


def forbidden(evidence_id: str, case: Row) -> bool:
    access = DOCUMENTS.get(evidence_id.split("#")[0], {}).get("access", [])
    return bool(access) and not set(access) & set(case["user_roles"])


def numbers(text: str) -> set[str]:
    plain = unicodedata.normalize("NFKC", text).replace(",", "")
    return set(re.findall(r"[0-9]+", plain))


def without_marks(answer: str) -> str:
    return re.sub(r"\[[^\]]*\]|【[0-9]+】", "", answer)


def without_ground(case: Row, item: Row) -> set[str]:
    """Numbers of an answer that stand neither in what was retrieved nor in the question."""
    texts = [slot.get("text") or SECTIONS[slot["id"]] for slot in item["retrieved"]]
    ground = numbers(" ".join([case["question"], *texts]))
    return numbers(without_marks(item["answer"])) - ground


def gold_documents(case: Row) -> set[str]:
    return {each.split("#")[0] for group in groups(case) for each in group}


def statuses(expected: str, observed: str) -> Callable[[Row, Row], bool]:
    return lambda case, item: (case["expected_status"], item["status"]) == (expected, observed)


# What can be seen without reading the answer, in order of precedence.
SEEN: dict[str, Callable[[Row, Row], bool]] = {
    "gold_problem": lambda case, _: any(
        all(outdated(each, case) for each in group) for group in groups(case)
    ),
    "system_error": lambda _, item: bool(item.get("error")),
    "malformed_output": lambda _, item: (
        item["retrieved"] is None
        or "answer" not in item
        or item["status"] not in ("answer", "unknown", "clarify")
    ),
    "forbidden_access": lambda case, item: any(forbidden(e, case) for e in retrieved(item)),
    "stale_evidence": lambda case, item: (
        item["source"] in retrieved(item) and outdated(item["source"], case)
    ),
    "retrieval_miss": lambda case, item: bool(missed(case, item)),
    "missed_abstention": statuses("unknown", "answer"),
    "missed_clarification": statuses("clarify", "answer"),
    "over_refusal": statuses("answer", "unknown"),
    "needless_clarification": statuses("answer", "clarify"),
}
# What the rest must show at least, in the item itself.
READ: dict[str, Callable[[Row, Row], bool]] = {
    "forbidden_claim": lambda case, _: "forbidden_claims" in case,
    "wrong_answer": lambda case, _: "required_claims" in case,
    "ungrounded_claim": lambda case, item: bool(without_ground(case, item)),
    "unused_evidence": lambda case, item: not numbers(without_marks(item["answer"])),
    "incomplete_answer": lambda case, item: (
        len(case["required_claims"]) > 1 and not without_ground(case, item)
    ),
    "wrong_source": lambda case, item: item["source"].split("#")[0] not in gold_documents(case),
    "incomplete_abstention": lambda case, _: case["expected_status"] == "unknown",
    "needs_review": lambda _, item: bool(re.search(r"かもしれ|思われ|\bmay\b", item["answer"])),
}


def test_cases_cover_languages_categories_splits_and_risks() -> None:
    languages = Counter(case["language"] for case in CASES.values())
    categories = Counter(case["category"] for case in CASES.values())

    assert languages == {"ja": 40, "en": 12}
    assert set(categories) == set(manifest(DATASET / "dataset.yaml")["targets"])
    assert min(categories.values()) >= 5
    assert {case["split"] for case in CASES.values()} == {"development", "validation", "test"}
    assert {case["risk"] for case in CASES.values()} == {"low", "medium", "high"}
    assert len({case["question"] for case in CASES.values()}) == len(CASES)


def test_gold_is_in_the_knowledge_base_and_open_to_those_who_ask() -> None:
    gold = {(each, name) for name, case in CASES.items() for g in groups(case) for each in g}

    assert not [each for each, _ in gold if each not in SECTIONS]
    assert not [(each, name) for each, name in gold if forbidden(each, CASES[name])]


def test_gold_holds_on_its_day_except_where_that_is_the_point() -> None:
    ended = {
        name
        for name, case in CASES.items()
        for g in groups(case)
        if all(outdated(e, case) for e in g)
    }
    early = {
        name
        for name, case in CASES.items()
        for each in set().union(*groups(case))
        if DOCUMENTS[each.split("#")[0]]["effective_from"] > case.get("as_of", AS_OF)
    }

    assert ended == {"p36"}
    assert early == set()


def test_knowledge_holds_every_stage_of_a_document_s_life() -> None:
    lives = {row.get("lifecycle", "active") for row in DOCUMENTS.values()}
    future = [name for name, row in DOCUMENTS.items() if row["effective_from"] > AS_OF]
    internal = {name for name, row in DOCUMENTS.items() if row.get("access")}

    assert lives == {"active", "superseded", "expired"}
    assert future == ["returns-2026"]
    assert internal == {"expenses", "leave", "price-rules"}
    assert all(old in DOCUMENTS for row in DOCUMENTS.values() for old in row.get("supersedes", []))


def test_numbers_of_required_claims_stand_in_the_gold_or_the_question() -> None:
    words = {"twelve": "12", "two": "2"}
    foreign = {}
    for name, case in CASES.items():
        gold = " ".join(SECTIONS[each] for group in groups(case) for each in group)
        for word, digits in words.items():
            gold = gold.replace(f" {word} ", f" {digits} ")
        for claim in case.get("required_claims", []):
            text = claim if isinstance(claim, str) else claim["text"]
            if strange := numbers(text) - numbers(gold + case["question"]):
                foreign[name] = strange

    assert foreign == {}


def test_quotes_stand_in_the_gold_word_for_word() -> None:
    quoted = {
        name: case["evidence_quotes"] for name, case in CASES.items() if "evidence_quotes" in case
    }

    assert len(quoted) >= 3
    for name, quotes in quoted.items():
        gold = "".join(SECTIONS[each] for group in groups(CASES[name]) for each in group)
        assert [quote for quote in quotes if quote not in gold] == []


def test_what_should_not_be_answered_has_a_policy() -> None:
    asked = {name for name, case in CASES.items() if "abstain_policy" in case}
    policies = [CASES[name]["abstain_policy"] for name in asked]

    assert asked == {name for name, c in CASES.items() if c["expected_status"] != "answer"}
    assert {policy["escalation"] for policy in policies} == {"required", "allowed", "none"}
    for condition in ("must_not_invent", "missing_conditions", "next_action", "escalate_to"):
        assert any(policy.get(condition) for policy in policies)


def test_scenarios_have_variants() -> None:
    sizes = Counter(case["scenario_id"] for case in CASES.values() if "scenario_id" in case)

    assert len(sizes) >= 4
    assert min(sizes.values()) >= 2


def test_version_is_frozen_with_all_its_cases_on_a_snapshot_that_is_there() -> None:
    dataset, record = (
        manifest(DATASET / "dataset.yaml"),
        json.loads((DATASET / "frozen.json").read_text()),
    )

    assert set(record["cases"]) == set(CASES)
    assert (record["snapshot"], record["dataset_hash"]) == (
        dataset["snapshot"],
        dataset["dataset_hash"],
    )
    assert dataset["snapshot"] == hashlib.sha256(PINNED_BYTES).hexdigest()[:12]
    assert dataset["rubrics"] == ["claims"]
    assert dataset["baseline"] in EXPECTED


@pytest.mark.parametrize("run", EXPECTED)
def test_run_says_what_it_is_and_starts_after_the_day_of_the_gold(run: str) -> None:
    found = manifest(SAMPLE / "runs" / run / "run.yaml")

    assert (found["run_id"], found["dataset"], found["kind"]) == (run, "shop-policy@v1", "fixture")
    assert found["started_at"][:10] > AS_OF
    assert found.get("indexed_snapshot") in (None, manifest(DATASET / "dataset.yaml")["snapshot"])


@pytest.mark.parametrize("run", EXPECTED)
def test_run_tries_every_case_equally_often(run: str) -> None:
    found = rows(SAMPLE / "runs" / run / "items.jsonl")

    tries = 3 if run == "policy-trials" else 1
    assert len(ITEMS[run]) == len(found)
    assert Counter(item["case_id"] for item in found) == dict.fromkeys(CASES, tries)


def test_table_names_every_cause_and_only_items_that_exist() -> None:
    assert {code for *_, code in FAULTY} == set(CODES) == {*SEEN, *READ}
    assert [(run, name) for run, name, _ in FAULTY if name not in ITEMS[run]] == []


def test_headline_split_shows_every_cause() -> None:
    shown = {code for _, name, code in FAULTY if CASES[name.split("/")[0]]["split"] == "validation"}

    assert shown == set(CODES)


@pytest.mark.parametrize(("run", "name", "code"), FAULTY)
def test_first_cause_that_can_be_seen_is_the_one_named(run: str, name: str, code: str) -> None:
    item = ITEMS[run][name]

    first = next(
        (each for each, holds in SEEN.items() if holds(CASES[item["case_id"]], item)), None
    )
    assert first == (code if code in SEEN else None)


@pytest.mark.parametrize(("run", "name", "code"), [each for each in FAULTY if each[2] not in SEEN])
def test_cause_that_must_be_read_shows_in_an_answer_that_no_right_item_gives(
    run: str, name: str, code: str
) -> None:
    item = ITEMS[run][name]
    right = {
        without_marks(ITEMS[other][each]["answer"])
        for other, each in RIGHT
        if ITEMS[other][each]["case_id"] == item["case_id"]
    }

    assert READ[code](CASES[item["case_id"]], item)
    if code != "wrong_source":
        assert without_marks(item["answer"]) not in right


@pytest.mark.parametrize("run", EXPECTED)
def test_right_items_have_the_gold_the_status_and_a_source(run: str) -> None:
    for name in (name for other, name in RIGHT if other == run):
        item = ITEMS[run][name]
        case = CASES[item["case_id"]]
        assert missed(case, item) == [], name
        assert not [each for each in retrieved(item) if forbidden(each, case)], name
        assert item["status"] == case["expected_status"], name
        if item["status"] == "answer":
            assert item["source"].split("#")[0] in gold_documents(case), name
        strange = without_ground(case, item) - RESTATED.get(item["case_id"], set())
        assert strange == set(), name


def test_right_items_keep_to_the_escalation_their_case_asks_for() -> None:
    for run, name in RIGHT:
        item = ITEMS[run][name]
        policy = CASES[item["case_id"]].get("abstain_policy", {})
        named = [desk for desk in policy.get("escalate_to", []) if desk in item["answer"]]
        if policy.get("escalation") == "required":
            assert item.get("escalated") or named, (run, name)
            assert named, (run, name)
        elif "escalated" in item:
            assert item["escalated"] is False, (run, name)


@pytest.mark.parametrize(
    ("run", "mark"),
    [
        ("policy-baseline", r"\[([0-9]+)\]"),
        ("policy-trials", r"【([0-9]+)】"),
        ("policy-candidate", r"\[([^\]]+)\]"),
    ],
)
def test_citations_in_the_answers_point_into_the_retrieved_list(run: str, mark: str) -> None:
    found = [
        (each, retrieved(item))
        for item in ITEMS[run].values()
        for each in re.findall(mark, item["answer"] or "")
    ]

    assert len(found) > len(CASES) / 2
    for each, ids in found:
        assert each in ids or (each.isdigit() and 1 <= int(each) <= len(ids))


@pytest.mark.parametrize("run", EXPECTED)
def test_ranks_count_up_and_scores_fall(run: str) -> None:
    for item in ITEMS[run].values():
        slots = item["retrieved"] or []
        scores = [slot["score"] for slot in slots]
        assert [slot["rank"] for slot in slots] == list(range(1, len(slots) + 1))
        assert scores == sorted(set(scores), reverse=True)


def test_some_cases_are_flaky() -> None:
    table = EXPECTED["policy-trials"]
    outcomes = {case: {table.get(f"{case}/{n}") for n in (1, 2, 3)} for case in CASES}

    flaky = [case for case, seen in outcomes.items() if len(seen) > 1]
    assert len(flaky) >= 5
    assert {"p25", "p29"} <= set(flaky)


def test_candidate_mends_and_breaks_something() -> None:
    before, after = set(EXPECTED["policy-baseline"]), set(EXPECTED["policy-candidate"])

    assert before - after
    assert after - before
