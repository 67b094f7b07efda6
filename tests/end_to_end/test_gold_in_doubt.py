"""Gold that no longer holds is the dataset's problem, and no gold at all is no failed search."""

import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, Said, answer, case

DOCUMENTS = [
    {"doc_id": "old", "valid_to": "2025-03-31", "text": "300円"},
    {"doc_id": "new", "valid_from": "2025-04-01", "text": "400円"},
]
LAST_MINUTES = "2025-04-01T03:50:00Z"  # still March in New York
FIRST_MINUTES = "2025-04-01T04:10:00Z"


@pytest.fixture(scope="module")
def night(make_root: MakeRoot) -> tuple[Root, Said]:
    root = make_root("doubt")
    root.put("knowledge/fees/documents.jsonl", DOCUMENTS)
    root.put(
        "datasets/fees/v1/cases.jsonl",
        [
            case("fee", evidence="old", expected="300円"),
            case("typo", evidence="odl", expected="300円"),
        ],
    )
    root.put("datasets/fees/v1/dataset.yaml", "timezone: America/New_York\n")
    for run_id, moment, source, said in (
        ("march", LAST_MINUTES, "old", "300円"),
        ("right", FIRST_MINUTES, "new", "400円"),
        ("stale", FIRST_MINUTES, "old", "300円"),
    ):
        items = [
            answer(each, retrieved=[source], source=source, answer=said, started_at=moment)
            for each in ("fee", "typo")
        ]
        root.put(f"runs/{run_id}/items.jsonl", items)
        root.put(f"runs/{run_id}/run.yaml", "dataset: fees\nsystem: desk\n")
    root.put(
        "datasets/silent/v1/cases.jsonl",
        [
            case("none", evidence=None, expected="-", status="unknown"),
            case("list", evidence=[], expected="-", status="unknown"),
            case("made_up", evidence=None, expected="-", status="unknown"),
        ],
    )
    silent = {"answer": "-", "source": None, "status": "unknown", "dataset": "silent@v1"}
    root.put(
        "runs/silent.jsonl",
        [
            answer("none", retrieved=[], **silent),
            answer("list", retrieved=["new"], **silent),
            answer("made_up", retrieved=["new"], source="new", dataset="silent@v1"),
        ],
    )
    root.put("datasets/drafts/v1/cases.jsonl", [case("idea", lifecycle="draft")])
    root.put("runs/drafts.jsonl", [answer("idea", dataset="drafts")])
    return root, root.run("nightly")


@pytest.fixture(scope="module")
def root(night: tuple[Root, Said]) -> Root:
    return night[0]


def test_the_last_valid_day_ends_at_midnight_of_the_dataset_s_zone(root: Root) -> None:
    assert root.marks("march")["fee"] == [1, 1, 1, 1]
    states = root.pairs(
        "SELECT run_id, [state, diagnosis, where_to_mend] FROM case_scores WHERE case_id = 'fee'"
    )
    assert states["right"] == states["stale"] == ["held_out", "gold_problem", "dataset"]


def test_gold_that_is_not_in_the_knowledge_base_is_held_out(root: Root) -> None:
    states = root.pairs("SELECT run_id, state FROM case_scores WHERE case_id = 'typo'")
    assert set(states.values()) == {"held_out"}


def test_what_is_held_out_is_in_no_denominator(root: Root) -> None:
    assert root.pairs(
        "SELECT run_id, [n_cases, n_measured, n_held_out, pass_rate] FROM run_summary "
        "WHERE axis = 'overall' AND scope = 'headline' AND dataset_version = 'fees@v1'"
    ) == {"march": [2, 1, 1, 1.0], "right": [2, 0, 2, None], "stale": [2, 0, 2, None]}


def test_what_is_held_out_never_regresses(root: Root) -> None:
    changes = root.sql("SELECT DISTINCT change FROM regressions")
    assert changes == [{"change": "unmeasured"}]


def test_without_gold_the_search_cannot_fail_and_has_no_rank(root: Root) -> None:
    assert root.marks("silent") == {
        "none": [1, 1, 1, 1],
        "list": [1, 1, 1, 1],
        "made_up": [1, 0, 0, 1],
    }
    assert root.sql(
        "SELECT DISTINCT n_groups, reciprocal_rank FROM retrieval_measures WHERE run_id = 'silent'"
    ) == [{"n_groups": 0, "reciprocal_rank": None}]
    assert root.pairs(
        "SELECT case_id, diagnosis FROM case_scores WHERE run_id = 'silent' AND NOT passed"
    ) == {"made_up": "missed_abstention"}


def test_a_dataset_without_an_approved_case_scores_nothing_and_says_so(
    night: tuple[Root, Said],
) -> None:
    root, said = night
    assert said.code == 0, said.err
    said.problem("warning: drafts@v1", "no case is approved")
    assert root.sql("SELECT case_id FROM case_scores WHERE dataset_version = 'drafts@v1'") == []
    assert root.sql("SELECT n_items FROM runs WHERE run_id = 'drafts'") == [{"n_items": 1}]
