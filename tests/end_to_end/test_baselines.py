"""Baselines set by people, and indexes that read otherwise than the gold."""

import json

import pytest

from rag_eval_pipeline.knowledge.snapshot import load_snapshot, write_snapshot
from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, answer, case

FEES, RETURNS = "fees#s1", "returns#s1"
IDS = [f"q{number:02}" for number in range(12)]
CASES = [case(each, evidence=FEES if each < "q02" else RETURNS) for each in IDS]
MANIFEST = "# the shop's questions\nrubrics: strict\nbaseline: previous # agreed weekly\n"
RUNS = (
    "SELECT candidate_run, baseline_run, baseline_rule FROM comparisons WHERE superseded_at IS NULL"
)


def document(doc_id: str, text: str) -> dict[str, object]:
    return {"doc_id": doc_id, "sections": [{"section_id": "s1", "text": text}]}


def night(
    root: Root, number: int, index: str, *, wrong: tuple[str, ...] = (), slow: int = 1
) -> None:
    items = [
        answer(
            each,
            retrieved=["fees", "returns"],
            source="fees" if each < "q02" else "returns",
            latency_ms=100 * slow,
        )
        | ({"answer": "no"} if each in wrong else {})
        for each in IDS
    ]
    root.put(f"runs/night-{number}/items.jsonl", items)
    root.put(
        f"runs/night-{number}/run.yaml",
        f"dataset: shop@v1\nstarted_at: 2026-05-0{number}T00:00:00Z\nindexed_snapshot: {index}\n",
    )


@pytest.fixture(scope="module")
def indexes(root: Root) -> tuple[str, str]:
    """The pinned snapshot and the one of the revised fees."""
    found = sorted((root.data / "snapshots/shop").iterdir(), key=lambda path: path.stat().st_mtime)
    return found[0].stem, found[1].stem


@pytest.fixture(scope="module")
def root(make_root: MakeRoot) -> Root:
    root = make_root("baselines")
    root.put("knowledge/shop/documents.jsonl", [
        document("fees", "The fee is 500 yen."), document("returns", "Within 30 days."),
    ])  # fmt: skip
    root.put("datasets/shop/v1/cases.jsonl", CASES)
    root.put("datasets/shop/v1/dataset.yaml", MANIFEST)
    root.put("datasets/other/v1/cases.jsonl", [case("c1", evidence=None)])
    root.put("runs/elsewhere.jsonl", [answer("c1", dataset="other@v1")])
    assert root.run("freeze", "shop@v1").code == 0
    pinned = next((root.data / "snapshots/shop").iterdir()).stem
    revised = load_snapshot(root.data, "shop", pinned)
    revised[0]["sections"] = [{"section_id": "s1", "text": "The fee is 600 yen."}]
    new = write_snapshot(root.data, "shop", revised)
    night(root, 1, pinned)
    night(root, 2, pinned, wrong=("q11",))
    night(root, 3, new, wrong=("q00", "q10"), slow=2)
    night(root, 4, "zz-unknown")
    assert root.run("nightly").code == 0
    return root


def test_cases_whose_gold_reads_otherwise_in_an_index_are_held_out_and_listed(
    root: Root, indexes: tuple[str, str]
) -> None:
    pinned, new = indexes
    (row,) = root.sql(
        "SELECT * FROM comparisons WHERE candidate_run = 'night-3' AND superseded_at IS NULL"
    )
    assert (row["baseline_run"], row["state"], row["n_core"]) == ("night-2", "compared", 10)
    assert row["reason"] == "compared on 10 of 12 cases"
    assert f"indexed_snapshot: {pinned} → {new}" in row["differences"]
    assert any(
        note.startswith("evidence drifted: the gold text of 2 cases") for note in row["notes"]
    )
    changes = root.sql(
        "SELECT case_id, change, reason FROM regressions "
        f"WHERE comparison_id = '{row['comparison_id']}' AND axis = 'overall' ORDER BY case_id"
    )
    assert [(each["case_id"], each["change"]) for each in changes] == [
        ("q00", "evidence_drifted"),
        ("q01", "evidence_drifted"),
        ("q10", "regressed"),
        ("q11", "recovered"),
    ]
    assert changes[0]["reason"] == (
        f"candidate: another text in the index {new} than pinned ({pinned}): {FEES}"
    )


def test_an_index_that_is_not_held_is_said_and_the_comparison_goes_on(root: Root) -> None:
    (row,) = root.sql("SELECT * FROM comparisons WHERE candidate_run = 'night-4'")
    assert row["state"] == "compared"
    assert any(
        "the index of the candidate (zz-unknown) is no snap" in note for note in row["notes"]
    )


def test_figures_stand_beside_the_verdicts(root: Root) -> None:
    rows = root.pairs(
        "SELECT figure, standing FROM comparison_figures WHERE candidate_run = 'night-3'"
    )
    assert rows["latency_p50_ms"] == "worse"
    assert rows["latency_p95_ms"] == "too_few"
    assert rows["cost_usd"] == "not_logged"
    assert rows["citation_shown_rate"] == "within_tolerance"


def test_what_is_no_whole_run_of_the_dataset_cannot_be_its_baseline(root: Root) -> None:
    before = (root.data / "datasets/shop/v1/dataset.yaml").read_bytes()
    unknown = root.run("baseline", "set", "shop@v1", "night-l", "--reason", "x")
    assert unknown.code == 2
    assert "did you mean 'night-" in unknown.problem("RUN", "'night-l'")
    elsewhere = root.run("baseline", "set", "shop@v1", "elsewhere", "--reason", "x")
    assert elsewhere.code == 2
    assert "which is on other@v1" in elsewhere.problem("RUN")
    assert root.run("baseline", "set", "shop@v1", "previous", "--reason", "x").code == 2
    assert root.run("baseline", "set", "shop@v1", "night-1", "--reason", " ").code == 2
    assert root.run("baseline", "set", "nobody", "night-1", "--reason", "x").code == 2
    assert (root.data / "datasets/shop/v1/dataset.yaml").read_bytes() == before


def test_a_baseline_is_set_with_who_when_and_why_and_holds_until_cleared(root: Root) -> None:
    assert root.pairs("SELECT candidate_run, baseline_run FROM comparisons")["night-4"] == "night-3"
    said = root.run("baseline", "set", "shop@v1", "night-1", "--reason", "release", "--by", "Mori")
    assert said.code == 0, said.err
    manifest = root.data / "datasets/shop/v1/dataset.yaml"
    assert 'baseline: "night-1" # agreed weekly\n' in manifest.read_text()
    assert manifest.read_text().startswith("# the shop's questions\n")
    (line,) = (root.data / "datasets/shop/v1/baselines.jsonl").read_text().splitlines()
    entry = json.loads(line)
    assert (entry["by"], entry["baseline"], entry["previous"], entry["reason"]) == (
        "Mori", "night-1", "previous", "release",
    )  # fmt: skip

    night_after = root.run("nightly", "--dataset", "shop@v1")
    assert night_after.code == 0, "frozen as before"
    assert "night-4 against night-1" in night_after.out
    assert f"pinned by Mori on {entry['at'][:10]}: release" in night_after.out
    held = {tuple(row.values()) for row in root.sql(RUNS)}
    assert held >= {(f"night-{n}", "night-1", "pinned") for n in (2, 3, 4)}
    kept = root.sql("SELECT * FROM comparisons WHERE superseded_at IS NOT NULL")
    assert len(kept) == 4, "superseded, not deleted"
    assert root.sql(
        f"SELECT * FROM comparison_summary WHERE comparison_id = '{kept[-1]['comparison_id']}'"
    )

    shown = root.run("baseline", "show", "shop@v1", "--json").json()["datasets"][0]
    assert (shown["baseline"], len(shown["history"])) == ("night-1", 1)
    assert shown["told"].startswith("pinned by Mori")
    assert {each["baseline_rule"] for each in shown["compared"]} == {"pinned"}

    assert root.run("baseline", "clear", "shop@v1", "--reason", "nightly", "--by", "Abe").code == 0
    told = root.run("baseline", "show")
    assert "shop@v1: baseline previous (the latest earlier run of the same system)" in told.out
    assert "Mori" in told.out
    assert "Abe" in told.out
    assert "elsewhere" in told.out


def test_lists_stand_above_the_verdicts_and_verdicts_above_the_figures(root: Root) -> None:
    said = root.run("compare", "night-2", "night-3")
    assert said.code == 0, said.err
    order = ["regressed: q10", "evidence drifted: q00, q01", "On which axes", "Verdict per axis",
             "Figures", "What differs", "index "]  # fmt: skip
    places = [said.out.index(each) for each in order]
    assert places == sorted(places)
    assert "no change detected; this n (10) could show drops of" in said.out

    whole = root.pairs(
        "SELECT DISTINCT axis, [worse, better, n_pairs] FROM comparison_summary "
        "WHERE candidate_run = 'night-3' AND baseline_run = 'night-2' AND dimension = 'all'"
    )
    assert whole["evidence"] == whole["overall"] == [1, 1, 10]
    assert whole["search"] == [0, 0, 10]


def test_a_baseline_cannot_be_set_before_anything_was_taken_in(make_root: MakeRoot) -> None:
    root = make_root("nothing_yet")
    root.put("datasets/shop/v1/cases.jsonl", CASES)
    said = root.run("baseline", "set", "shop", "night-1", "--reason", "x")
    assert said.code == 2
    assert "rag-eval nightly" in said.err
