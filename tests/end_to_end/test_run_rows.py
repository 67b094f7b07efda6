"""Rows of run logs, odd ones among them: one dataset version, many runs, one nightly."""

import gzip

import pyarrow as pa
import pytest

from tests.end_to_end.conftest import MakeRoot
from tests.end_to_end.data_root import Root, Said, answer, case, lines

ALL = [1, 1, 1, 1]
NONE = [0, 0, 0, 0]
IDS = [f"c{number}" for number in range(1, 9)]


@pytest.fixture(scope="module")
def night(make_root: MakeRoot) -> tuple[Root, Said]:
    root = make_root("rows")
    root.put("datasets/guide/v1/cases.jsonl", [case(each) for each in IDS])
    root.put("datasets/guide/v1/dataset.yaml", "timezone: Europe/Berlin\n")

    slots = [
        [{"id": "x", "rank": 1}, {"id": "guide", "rank": 0}],
        [{"id": "x", "rank": "10"}, {"id": "guide", "rank": "9"}, {"id": "y", "rank": "2"}],
        [{"id": "x", "rank": 3}, {"id": "guide", "rank": 3}],
        [{"id": "x", "rank": -1}, {"id": "guide", "rank": -2.5}],
        [{"id": "x", "rank": None}, {"id": "guide", "rank": True}],
        [{"id": "x"}, {"doc_id": "guide", "section_id": "1"}],
        ["x", "x", "guide"],
        [{"id": "guide", "rank": 10**30, "score": "0.5"}, {"id": "x", "rank": 1e300}],
    ]
    ranked = [answer(each, retrieved=slot) for each, slot in zip(IDS, slots, strict=True)]
    root.put("runs/ranks.jsonl", ranked)

    root.put(
        "runs/bad_rows.jsonl",
        lines([answer("c1")])
        + "\n \t\n"
        + lines([answer("c2")]).rstrip() + " tail\n"
        + '[]\nnull\n"text"\n7\n'
        + lines([answer("c3")])[:-2] + ', "latency_ms": NaN}\n'
        + '{"case_id": "c4", "case_id": "c5", "retrieved": []}\n'
        + lines([answer("c6"), answer("C7"), answer("c99"), answer(True), answer(None)])
        + '{"case_id": "c8", "retrieved": ["gui',
    )  # fmt: skip

    root.put(
        "runs/types.jsonl",
        [
            answer("c1", retrieved=None),
            answer("c2", retrieved=["guide", 7]),
            answer("c3", retrieved=[]),
            answer("c4", answer=12),
            answer("c5", source=7),
            answer("c6", status=None),
            answer("c7", latency_ms="250", input_tokens=10**40, cost_usd=-1, note={"a": [None]}),
            answer("c8", error="time-out"),
        ],
    )

    root.put(
        "runs/trials.jsonl",
        [
            answer("c1", trial=1), answer("c1", trial=2, answer="no"),
            answer("c2"), answer("c2", answer="no"), answer("c2"),
            answer("c3", trial=1), answer("c3", trial=1, answer="no"),
            answer("c4", trial="2"), answer("c4", trial=0), answer("c4", answer="no"),
        ],
    )  # fmt: skip

    moments = [
        "2026-03-29T00:59:59Z",
        "2026-03-28T23:30:00Z",
        "2026-10-25T02:30:00",
        "2026-02-30T10:00:00Z",
        1_782_000_000_000,
        "1782000000000",
        "2026-07-01T00:30:00+14:00",
        None,
    ]
    timed = [answer(each, started_at=at) for each, at in zip(IDS, moments, strict=True)]
    root.put("runs/times.jsonl", timed)

    root.put(
        "runs/text.jsonl",
        '{"case_id": "c1", "retrieved": ["guide"], "answer": "yes\\ud83d", "source": "guide",'
        ' "status": "answer"}\n'
        '{"case_id": "c2", "retrieved": ["guide"], "answer": "y\\u0000es", "source": "guide",'
        ' "status": "answer"}\n'
        '{"case_id": "c3", "retrieved": ["guide"], "answer": "yes\\ud83d\\ude9a",'
        ' "source": "guide", "status": "answer"}\n'
        + lines([answer("c4", answer="a\u2028b\u0085c")]),
    )

    root.put("runs/packed.jsonl.gz", gzip.compress(lines([answer("c1")]).encode()))
    packed = pa.compress(lines([answer("c1")]).encode(), codec="zstd", asbytes=True)
    root.put("runs/zstd/items.jsonl.zst", packed)
    root.put("runs/wide.jsonl", lines([answer("c1")]).encode("utf-16"))
    root.put("runs/marked.jsonl", b"\xef\xbb\xbf" + lines([answer("c1")]).encode())
    root.put("runs/excel.jsonl", lines([answer("c1", answer="①髙")]).encode("cp932"))
    root.put("runs/cut.jsonl.gz", gzip.compress(lines([answer("c1")] * 50).encode())[:-6])
    root.put("runs/empty.jsonl", "")

    root.put(
        "runs/asked.jsonl",
        [
            {**answer("c1"), "case_id": None, "question": "Ｗhat  of c1?"},
            {**answer("c2"), "case_id": None, "question": "Something else?"},
            {"id": "c3"} | {key: value for key, value in answer("c3").items() if key != "case_id"},
        ],
    )

    strangers = [answer("c2", run_id="other"), answer("c4", dataset="x@v1")]
    root.put(
        "runs/mixed.jsonl",
        [answer("c1"), strangers[0], answer("c3", dataset="guide"), strangers[1]],
    )

    for night, item in enumerate(
        [
            answer("c1", model="m1"),
            {key: answer("c1", reranker="r")[key] for key in
             ("status", "source", "reranker", "answer", "retrieved", "case_id")},
            {key: value for key, value in answer("c1").items() if key != "status"},
        ],
        start=1,
    ):  # fmt: skip
        root.put(f"runs/night{night}/items.jsonl", [item])
        root.put(
            f"runs/night{night}/run.yaml",
            f"system: drifting\nstarted_at: 2026-06-0{night}T01:00:00Z\n",
        )
    return root, root.run("nightly")


@pytest.fixture(scope="module")
def root(night: tuple[Root, Said]) -> Root:
    return night[0]


def positions(root: Root, run_id: str) -> dict[str, list[str]]:
    return root.pairs(
        "SELECT case_id, list(evidence_id ORDER BY position) FROM retrieved "
        f"WHERE run_id = '{run_id}' GROUP BY case_id"
    )


def flags(root: Root, run_id: str) -> dict[str, list[str]]:
    return root.pairs(f"SELECT case_id, flags FROM run_items WHERE run_id = '{run_id}'")


def test_rank_decides_the_order_as_a_number_and_ties_keep_the_list(root: Root) -> None:
    assert positions(root, "ranks") == {
        "c1": ["guide", "x"],
        "c2": ["y", "guide", "x"],
        "c3": ["x", "guide"],
        "c4": ["guide", "x"],
        "c5": ["x", "guide"],
        "c6": ["x", "guide#1"],
        "c7": ["x", "x", "guide"],
        "c8": ["guide", "x"],
    }
    assert root.pairs(
        "SELECT case_id, reciprocal_rank FROM retrieval_measures WHERE run_id = 'ranks'"
    ) == {"c1": 1, "c2": 0.5, "c3": 0.5, "c4": 1, "c5": 0.5, "c6": 0.5,
          "c7": pytest.approx(1 / 3), "c8": 1}  # fmt: skip


def test_odd_ranks_leave_a_note(root: Root) -> None:
    noted = flags(root, "ranks")
    assert "rank:zero_based" in noted["c1"]
    assert "rank:gap" in noted["c2"]
    assert "rank:tie" in noted["c3"]
    assert "rank:gap" in noted["c4"]
    assert noted["c6"] == []
    assert noted["c7"] == ["retrieved:duplicates"]


def test_a_bad_line_is_set_aside_with_its_number_and_the_rest_is_scored(root: Root) -> None:
    assert root.pairs("SELECT line, code FROM quarantine WHERE source_file LIKE '%bad_rows%'") == {
        4: "invalid_json",
        5: "not_an_object",
        6: "not_an_object",
        7: "not_an_object",
        8: "not_an_object",
        9: "not_json_number",
        10: "duplicate_key",
        12: "unknown_case",
        13: "unknown_case",
        14: "not_an_id",
        15: "missing_field",
        16: "invalid_json",
    }
    marks = root.marks("bad_rows")
    assert {case_id for case_id, each in marks.items() if each == ALL} == {"c1", "c6"}
    assert {case_id for case_id, each in marks.items() if each != ALL} == set(IDS) - {"c1", "c6"}


def test_an_id_of_other_case_is_hinted_at_and_never_matched(root: Root) -> None:
    rows = root.sql("SELECT reason FROM quarantine WHERE line = 12 AND run_id = 'bad_rows'")
    assert "looks like 'c7'" in rows[0]["reason"]


def test_rows_in_are_rows_used_and_rows_set_aside(root: Root) -> None:
    assert root.sql("SELECT path FROM run_files WHERE state = 'ingested' "
                    "AND n_rows <> n_used + n_quarantined") == []  # fmt: skip
    assert root.sql(
        "SELECT n_rows, n_used, n_quarantined, flags FROM run_files WHERE run_id = 'bad_rows'"
    ) == [{"n_rows": 14, "n_used": 2, "n_quarantined": 12, "flags": ["last_line_incomplete"]}]


def test_wrong_types_are_malformed_and_still_count(root: Root) -> None:
    assert root.marks("types") == {
        "c1": NONE,
        "c2": NONE,
        "c3": [0, 1, 1, 1],
        "c4": NONE,
        "c5": NONE,
        "c6": NONE,
        "c7": ALL,
        "c8": NONE,
    }
    assert root.pairs(
        "SELECT case_id, diagnosis FROM case_scores WHERE run_id = 'types' "
        "AND case_id IN ('c1', 'c8')"
    ) == {"c1": "malformed_output", "c8": "system_error"}


def test_a_number_as_text_is_read_and_an_impossible_one_left_out(root: Root) -> None:
    rows = root.sql(
        "SELECT latency_ms, input_tokens, cost_usd, extra, flags FROM run_items "
        "WHERE run_id = 'types' AND case_id = 'c7'"
    )
    assert rows[0]["latency_ms"] == 250
    assert rows[0]["input_tokens"] is None
    assert rows[0]["cost_usd"] is None
    assert rows[0]["extra"] == '{"note":{"a":[null]}}'
    assert "latency_ms:text_as_number" in rows[0]["flags"]


def test_trials_are_numbered_and_doubles_count_once(root: Root) -> None:
    answers = root.pairs(
        "SELECT case_id, list(answer ORDER BY trial) FROM run_items "
        "WHERE run_id = 'trials' GROUP BY case_id"
    )
    assert answers["c1"] == ["yes", "no"]
    assert sorted(answers["c2"]) == ["no", "yes"]
    assert answers["c4"] == ["no", "yes"]
    assert "c3" not in answers
    assert root.pairs("SELECT line, code FROM quarantine WHERE run_id = 'trials'") == {
        5: "exact_duplicate",
        6: "duplicate_trial",
        7: "duplicate_trial",
        9: "bad_trial",
    }


def test_a_case_whose_trials_tie_does_not_pass(root: Root) -> None:
    summary = root.sql(
        "SELECT n_cases, n_measured, n_missing, n_passed FROM run_summary "
        "WHERE run_id = 'trials' AND axis = 'overall' AND scope = 'headline'"
    )
    assert summary == [{"n_cases": 8, "n_measured": 3, "n_missing": 5, "n_passed": 0}]


def test_days_are_those_of_the_dataset_s_zone(root: Root) -> None:
    assert root.pairs("SELECT case_id, local_date FROM run_items WHERE run_id = 'times'") == {
        "c1": "2026-03-29",
        "c2": "2026-03-29",
        "c3": "2026-10-25",
        "c4": None,
        "c5": "2026-06-21",
        "c6": "2026-06-21",
        "c7": "2026-06-30",
        "c8": None,
    }
    noted = flags(root, "times")
    assert noted["c3"] == ["started_at:no_zone"]
    assert noted["c4"] == ["started_at:not_a_time"]
    assert noted["c5"] == ["started_at:epoch_ms"]
    assert noted["c8"] == []


def test_characters_that_cannot_be_stored_are_replaced_with_a_note(root: Root) -> None:
    assert root.pairs("SELECT case_id, answer FROM run_items WHERE run_id = 'text'") == {
        "c1": "yes\ufffd",
        "c2": "y\ufffdes",
        "c3": "yes🚚",
        "c4": "a\u2028b\u0085c",
    }
    noted = flags(root, "text")
    assert noted["c1"] == noted["c2"] == ["text_sanitised"]
    assert noted["c3"] == noted["c4"] == []


def test_packed_and_encoded_files_are_read(root: Root) -> None:
    assert root.pairs(
        "SELECT run_id, encoding FROM run_files WHERE run_id IN "
        "('packed', 'zstd', 'wide', 'marked', 'excel') AND n_used = 1"
    ) == {
        "packed": "utf-8",
        "zstd": "utf-8",
        "wide": "utf-16-le",
        "marked": "utf-8-sig",
        "excel": "cp932",
    }
    assert root.sql("SELECT answer FROM run_items WHERE run_id = 'excel'") == [{"answer": "①髙"}]


def test_a_cut_archive_is_refused_whole(night: tuple[Root, Said]) -> None:
    root, said = night
    assert said.code == 2
    assert "cut or damaged" in said.problem("runs/cut.jsonl.gz")
    assert root.sql("SELECT run_id FROM runs WHERE run_id = 'cut'") == []


def test_an_empty_run_lacks_every_case_and_is_warned_of(night: tuple[Root, Said]) -> None:
    root, said = night
    said.problem("warning", "runs/empty.jsonl", "every case is missing")
    assert root.sql(
        "SELECT n_cases, n_missing, pass_rate FROM run_summary "
        "WHERE run_id = 'empty' AND axis = 'search' AND scope = 'headline'"
    ) == [{"n_cases": 8, "n_missing": 8, "pass_rate": 0.0}]


def test_a_question_names_its_case(root: Root) -> None:
    assert sorted(flags(root, "asked")) == ["c1", "c3"]
    assert flags(root, "asked")["c1"] == ["case_id:by_question"]
    assert root.pairs("SELECT line, code FROM quarantine WHERE run_id = 'asked'") == {
        2: "unknown_case"
    }


def test_the_first_row_says_whose_file_it_is_and_strangers_are_set_aside(root: Root) -> None:
    assert sorted(flags(root, "mixed")) == ["c1", "c3"]
    assert root.pairs("SELECT line, code FROM quarantine WHERE run_id = 'mixed'") == {
        2: "other_run_id",
        4: "other_dataset",
    }
    assert root.sql("SELECT run_id FROM runs WHERE run_id = 'other'") == []


def test_fields_that_come_and_go_are_reported_and_key_order_means_nothing(root: Root) -> None:
    assert root.marks("night1")["c1"] == root.marks("night2")["c1"] == ALL
    assert root.marks("night3")["c1"] == NONE
    assert root.pairs(
        "SELECT subject, severity || ': ' || message FROM dataset_findings "
        "WHERE \"check\" = 'fields_changed' AND subject LIKE 'night%'"
    ) == {
        "night2": "note: fields differ from the run before: +reranker, -model",
        "night3": "warning: fields differ from the run before: -reranker, -status; "
        "missing required field: status",
    }
    assert root.pairs("SELECT run_id, [model, reranker] FROM runs WHERE run_id LIKE 'night%'") == {
        "night1": ["m1", None],
        "night2": [None, "r"],
        "night3": [None, None],
    }
