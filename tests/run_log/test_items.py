import datetime as dt
import gzip
import json
import time
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.run_log.items import read_against


def item(runs: Any, **row: Any) -> dict[str, Any]:
    """The run item of a row that is right but for what is given; null takes a field out."""
    whole = {"case_id": "q1", **row}
    runs.rows("night.jsonl", {key: value for key, value in whole.items() if value != "absent"})
    read = runs.read()
    assert read.quarantine.is_empty()
    return dict(read.items.row(0, named=True))


def left_out(runs: Any, *rows: Any) -> list[tuple[str, int, str | None]]:
    """Code, line and field of what is quarantined."""
    runs.rows("night.jsonl", *rows)
    found: list[tuple[str, int, str | None]] = (
        runs.read().quarantine.select("code", "line", "field").rows()
    )
    return found


@pytest.fixture(params=["UTC", "Asia/Tokyo", "America/New_York"])
def host_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


# --- which case


def test_a_row_belongs_to_the_case_it_names(runs: Any) -> None:
    assert item(runs)["case_id"] == "q1"
    assert item(runs, case_id="absent", id="q1")["case_id"] == "q1"


def test_numeric_case_ids_are_their_digits(runs: Any) -> None:
    found = left_out(runs, '{"case_id": 1e5}')
    assert found == [("unknown_case", 1, "case_id")]
    assert "'1e5'" in runs.read().quarantine["reason"].item()


def test_an_unknown_case_is_quarantined_with_a_hint(runs: Any) -> None:
    assert left_out(runs, {"case_id": "Ｑ1"}, {"case_id": "q9"}) == [
        ("unknown_case", 1, "case_id"),
        ("unknown_case", 2, "case_id"),
    ]
    hint, plain = runs.read().quarantine["reason"]
    assert "looks like 'q1'" in hint
    assert "looks like" not in plain


def test_a_question_is_a_key_where_it_names_one_case(runs: Any) -> None:
    found = item(runs, case_id="absent", question=" 送料は?　")
    assert found["case_id"] == "q1"
    assert "case_id:by_question" in found["flags"]


def test_a_question_of_several_cases_is_ambiguous(runs: Any) -> None:
    rows = [{"question": "返品は？"}, {"question": "別の質問"}, {}]
    assert left_out(runs, *rows) == [
        ("ambiguous_question", 1, "question"),
        ("unknown_case", 2, "question"),
        ("missing_field", 3, "case_id"),
    ]
    assert "'q2', 'q3'" in runs.read().quarantine["reason"][0]


def test_an_id_beside_a_case_id_is_just_another_field(runs: Any) -> None:
    assert json.loads(item(runs, id="row-7")["extra"]) == {"id": "row-7"}


def test_an_id_that_names_no_case_gives_way_to_the_question(runs: Any) -> None:
    found = item(runs, case_id="absent", id="row-7", question="送料は？")
    assert found["case_id"] == "q1"
    assert json.loads(found["extra"]) == {"id": "row-7"}


# --- trials


def test_without_a_trial_different_rows_are_trials_in_an_order_of_their_own(runs: Any) -> None:
    rows = [{"case_id": "q1", "answer": str(n)} for n in range(3)]
    runs.rows("night.jsonl", *rows)
    forth = runs.read().items
    runs.rows("night.jsonl", *reversed(rows))
    back = runs.read().items
    assert forth["trial"].to_list() == [1, 2, 3]
    assert forth["answer"].to_list() == back["answer"].to_list()
    assert all("trial:by_row_hash" in flags for flags in forth["flags"])


def test_equal_rows_are_one_in_any_order_of_their_keys(runs: Any) -> None:
    row = {"case_id": "q1", "trial": 2}
    assert left_out(runs, row, dict(reversed(row.items()))) == [("exact_duplicate", 2, None)]
    found = runs.read().items
    assert found["trial"].to_list() == [2]
    assert found["flags"].to_list() == [["exact_duplicate"]]


def test_one_trial_twice_with_other_contents_is_left_out_twice(runs: Any) -> None:
    rows = [
        {"case_id": "q1", "trial": 1, "answer": "a"},
        {"case_id": "q1", "trial": 2, "answer": "b"},
        {"case_id": "q1", "trial": 1, "answer": "c"},
    ]
    assert left_out(runs, *rows) == [
        ("duplicate_trial", 1, "trial"),
        ("duplicate_trial", 3, "trial"),
    ]
    assert runs.read().items["answer"].to_list() == ["b"]


def test_rows_without_trial_take_the_numbers_that_are_free(runs: Any) -> None:
    runs.rows(
        "night.jsonl",
        {"case_id": "q1", "trial": 2, "answer": "a"},
        {"case_id": "q1", "answer": "b"},
        {"case_id": "q1", "answer": "c"},
    )
    found = dict(runs.read().items.select("trial", "answer").iter_rows())
    assert found[2] == "a"
    assert sorted(found) == [1, 2, 3]


@pytest.mark.parametrize("trial", [0, -1])
def test_trials_are_counted_from_1(runs: Any, trial: int) -> None:
    assert left_out(runs, {"case_id": "q1", "trial": trial}) == [("bad_trial", 1, "trial")]


def test_a_trial_may_be_written_as_text(runs: Any) -> None:
    assert item(runs, trial="3")["trial"] == 3


# --- fields and their types


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("text", "text"),
        (5, "number"),
        (None, "null"),
        (True, "boolean"),
        (["a"], "list"),
        ({"a": 1}, "object"),
        ("absent", "absent"),
    ],
)
@pytest.mark.parametrize("name", ["answer", "source", "status", "retrieved"])
def test_the_type_found_is_kept_for_the_rubric(runs: Any, name: str, value: Any, kind: str) -> None:
    row = {"case_id": "q1", "answer": "a", "source": "s", "status": "answer", "retrieved": []}
    row[name] = value
    if value == "absent":
        del row[name]
    runs.file("night.jsonl", json.dumps(row))
    assert runs.read().items[f"{name}_type"].item() == kind


def test_a_number_where_text_belongs_becomes_its_digits(runs: Any) -> None:
    runs.file("night.jsonl", '{"case_id": "q1", "answer": 1.50, "source": 7}')
    found = runs.read().items.row(0, named=True)
    assert (found["answer"], found["source"]) == ("1.50", "7")
    assert {"answer:number_as_text", "source:number_as_text"} <= set(found["flags"])


def test_a_source_that_cannot_be_an_id_is_noted_and_not_used(runs: Any) -> None:
    found = item(runs, source="a\u200b")
    assert (found["source"], found["source_type"]) == (None, "refused_id")
    assert any(flag.startswith("source:refused_id") for flag in found["flags"])


def test_a_source_is_split_into_document_and_section(runs: Any) -> None:
    found = item(runs, source="shipping#fee")
    assert (found["source_doc_id"], found["source_section_id"]) == ("shipping", "fee")


def test_citations_are_ids_as_text_or_objects(runs: Any) -> None:
    found = item(runs, citations=["a", {"id": "b"}, {"doc_id": "c"}, 4])
    assert found["citations"] == ["a", "b", "c", "4"]
    assert item(runs, citations="a")["citations"] == ["a"]
    odd = item(runs, citations=["a", None, {"x": 1}])
    assert odd["citations"] == ["a"]
    assert "citations:not_an_id" in odd["flags"]


@pytest.mark.parametrize(
    ("row", "name", "value"),
    [
        ({"latency_ms": 120}, "latency_ms", 120.0),
        ({"latency_s": 1.5}, "latency_ms", 1500.0),
        ({"latency_ms": 7, "latency_s": 9}, "latency_ms", 7.0),
        ({"latency_ms": "120"}, "latency_ms", 120.0),
        ({"input_tokens": 3.0}, "input_tokens", 3),
        ({"cost_usd": "0.02"}, "cost_usd", 0.02),
        ({"escalated": True}, "escalated", "true"),
        ({"escalated": "support"}, "escalated", "support"),
        ({"error": "timeout"}, "error", "timeout"),
        ({"error": {"code": 500}}, "error", '{"code":500}'),
        ({"error": ""}, "error", None),
        ({"error": False}, "error", None),
    ],
)
def test_further_fields_are_read(runs: Any, row: dict[str, Any], name: str, value: Any) -> None:
    assert item(runs, **row)[name] == value


@pytest.mark.parametrize(
    ("name", "value", "note"),
    [
        ("latency_ms", -1, "out_of_range"),
        ("latency_ms", 86_400_001, "out_of_range"),
        ("latency_s", 86_401, None),
        ("input_tokens", -1, "out_of_range"),
        ("output_tokens", 1.5, "not_an_integer"),
        ("cost_usd", -0.01, "out_of_range"),
        ("latency_ms", True, "not_a_number"),
        ("cost_usd", 1e300, None),
    ],
)
def test_numbers_out_of_range_are_left_out_and_noted(
    runs: Any, name: str, value: Any, note: str | None
) -> None:
    found = item(runs, **{name: value})
    if name == "cost_usd" and note is None:
        assert found[name] == 1e300
        return
    shown = "latency_ms" if name == "latency_s" else name
    assert found[shown] is None
    assert f"{shown}:{note or 'out_of_range'}" in found["flags"]


def test_unknown_fields_are_kept(runs: Any) -> None:
    assert json.loads(item(runs, session="s1")["extra"]) == {"session": "s1"}


def test_lost_characters_are_replaced_and_noted(runs: Any) -> None:
    runs.file("night.jsonl", '{"case_id": "q1", "answer": "a\\ud800\\u0000b"}')
    found = runs.read().items.row(0, named=True)
    assert found["answer"] == "a\ufffd\ufffdb"
    assert "text_sanitised" in found["flags"]


# --- time


@pytest.mark.usefixtures("host_zone")
@pytest.mark.parametrize(
    ("written", "utc", "day", "note"),
    [
        ("2026-09-30T15:10:00Z", "2026-09-30T15:10:00", "2026-10-01", None),
        ("2026-09-30T23:30:00+09:00", "2026-09-30T14:30:00", "2026-09-30", None),
        ("2026-10-01T00:10:00", "2026-09-30T15:10:00", "2026-10-01", "no_zone"),
        ("2026-10-01 00:10", "2026-09-30T15:10:00", "2026-10-01", "no_zone"),
        (1790781000000, "2026-09-30T15:10:00", "2026-10-01", "epoch_ms"),
        ("yesterday", None, None, "not_a_time"),
        ("2026-11-31T00:00:00Z", None, None, "not_a_time"),
        (None, None, None, None),
    ],
)
def test_times_and_days_are_those_of_the_dataset_s_zone_whatever_the_host_s(
    runs: Any, written: Any, utc: str | None, day: str | None, note: str | None
) -> None:
    found = item(runs, started_at=written)
    assert found["started_at"] == (
        None if utc is None else dt.datetime.fromisoformat(utc).replace(tzinfo=dt.UTC)
    )
    assert found["local_date"] == (None if day is None else dt.date.fromisoformat(day))
    notes = [flag for flag in found["flags"] if flag.startswith("started_at")]
    assert notes == ([] if note is None else [f"started_at:{note}"])


def test_a_day_follows_the_zone_of_the_dataset(runs: Any) -> None:
    runs.zone = "America/New_York"
    found = item(runs, started_at="2026-11-01T05:30:00Z")
    assert found["local_date"] == dt.date(2026, 11, 1)
    assert item(runs, started_at="2026-11-01T03:59:00Z")["local_date"] == dt.date(2026, 10, 31)


def test_a_run_starts_with_its_first_dated_item_that_is_not_of_the_future(runs: Any) -> None:
    runs.rows(
        "night.jsonl",
        {"case_id": "q3"},
        {"case_id": "q2", "started_at": "2099-01-01T00:00:00Z"},
        {"case_id": "q1", "started_at": "2026-04-02T00:00:00Z"},
    )
    read = runs.read()
    assert read.run["started_at"].item() == dt.datetime(2026, 4, 2, tzinfo=dt.UTC)
    assert read.items.filter(pl.col("case_id") == "q2")["started_at"].item().year == 2099


def test_the_manifest_s_start_comes_first_in_the_dataset_s_zone(runs: Any) -> None:
    runs.rows("night/items.jsonl", {"case_id": "q1", "started_at": "2026-04-02T00:00:00Z"})
    runs.file("night/run.yaml", "started_at: 2026-04-01 09:00\n")
    run = runs.read().run.row(0, named=True)
    assert run["started_at"] == dt.datetime(2026, 4, 1, tzinfo=dt.UTC)
    assert run["flags"] == ["started_at:no_zone"]


@pytest.mark.usefixtures("host_zone")
def test_the_day_a_run_was_first_read_is_that_of_the_dataset_s_zone_and_stays(runs: Any) -> None:
    runs.rows("night.jsonl", {"case_id": "q1"})
    late = dt.datetime(2026, 10, 1, 15, 30, tzinfo=dt.UTC)
    assert runs.read(now=late).run["first_read_on"].item() == dt.date(2026, 10, 2)
    earlier = dt.date(2026, 9, 1)
    assert runs.read(first_read_on=earlier).run["first_read_on"].item() == earlier


# --- the run as a whole


def test_the_manifest_of_a_run_may_stand_in_each_row(runs: Any) -> None:
    runs.rows(
        "x.jsonl",
        {"case_id": "q1", "run_id": "night", "system": "bot", "kind": "live", "model": "m1",
         "settings": {"k": 5}},
        {"case_id": "q2", "run_id": "night", "system": "bot", "model": "m2"},
    )  # fmt: skip
    run = runs.read("x").run.row(0, named=True)
    assert (run["run_id"], run["system"], run["kind"]) == ("night", "bot", "live")
    assert (run["model"], run["settings"]) == ("m1", '{"k":5}')
    assert run["flags"] == ["model:varies"]
    assert run["extra"] is None


def test_a_row_of_another_run_or_dataset_is_left_out(runs: Any) -> None:
    rows = [
        {"case_id": "q1", "run_id": "night", "dataset": "faq@v1"},
        {"case_id": "q2", "run_id": "other"},
        {"case_id": "q3", "dataset": "faq@v2"},
        {"case_id": "q3", "dataset_version": "faq@v2"},
        {"case_id": "q2", "run_id": "night", "dataset_version": "faq@v1"},
    ]
    assert left_out(runs, *rows) == [
        ("other_run_id", 2, "run_id"),
        ("other_dataset", 3, "dataset"),
        ("other_dataset", 4, "dataset"),
    ]


def test_the_name_of_a_file_is_the_run_s_id_where_nothing_else_says(runs: Any) -> None:
    runs.rows("2026-01-02.jsonl", {"case_id": "q1"})
    assert runs.read("2026-01-02").run["run_id"].item() == "2026-01-02"


def test_a_run_marked_incomplete_says_so(runs: Any) -> None:
    runs.rows("night/items.jsonl", {"case_id": "q1"})
    assert runs.read().run["complete"].item() is True
    runs.file("night/run.yaml", "complete: no\nteam: a\n")
    run = runs.read().run.row(0, named=True)
    assert run["complete"] is False
    assert run["extra"] == '{"team":"a"}'


def test_fields_that_carry_a_value_are_listed(runs: Any) -> None:
    runs.file("night.jsonl", '{"case_id": "q1", "answer": null, "team": 1, "model": "m"}')
    assert runs.read().run["logged_fields"].to_list() == [["case_id", "model", "team"]]


def test_an_empty_run_is_a_run(runs: Any) -> None:
    runs.file("night.jsonl", b"")
    read = runs.read()
    assert (read.n_rows, read.items.height, read.flags) == (0, 0, ["empty_run"])
    assert read.run["n_items"].item() == 0


def test_one_bad_line_is_left_out_and_a_cut_last_line_is_noted(runs: Any) -> None:
    runs.file(
        "night.jsonl",
        '{"case_id": "q1"}\n\n{"case_id": "q2", "latency_ms": NaN}\n[1]\nnull\n'
        '{"case_id": "q3"} x\n{"case_id": "q2", "ans',
    )
    read = runs.read()
    assert read.items["case_id"].to_list() == ["q1"]
    assert read.quarantine["line"].to_list() == [3, 4, 5, 6, 7]
    assert read.flags == ["last_line_incomplete"]


def test_packed_runs_are_read(runs: Any) -> None:
    runs.file("night.jsonl.gz", gzip.compress(b'{"case_id": "q1"}\n'))
    assert runs.read().items.height == 1
    runs.file("cut.jsonl.gz", gzip.compress(b'{"case_id": "q1"}\n' * 99)[:-9])
    with pytest.raises(InputError) as raised:
        runs.read("cut")
    assert raised.value.code == "cut_archive"


def test_excerpts_of_rows_left_out_hide_secrets(runs: Any) -> None:
    left_out(runs, {"case_id": "q9", "api_key": "sk-123456789012345"})
    excerpt = runs.read().quarantine["excerpt"].item()
    assert "123456789012345" not in excerpt


def test_the_hash_of_a_run_is_that_of_its_rows_in_any_order_and_spacing(runs: Any) -> None:
    runs.file("night.jsonl", '{"case_id": "q1", "answer": "a"}\n{"case_id": "q2"}\n')
    first = runs.read()
    runs.file("night.jsonl", '\n{"case_id":"q2"}\n{"answer":  "a","case_id":"q1"}')
    assert runs.read().run_hash == first.run_hash
    assert runs.read().row_hashes == first.row_hashes
    runs.file("night.jsonl", '{"case_id": "q1", "answer": "b"}\n{"case_id": "q2"}\n')
    assert runs.read().run_hash != first.run_hash


def test_the_manifest_is_in_the_hash_of_a_run(runs: Any) -> None:
    runs.rows("night/items.jsonl", {"case_id": "q1"})
    hashes = set()
    for manifest in ("model: a\n", "model: b\n"):
        runs.file("night/run.yaml", manifest)
        hashes.add(runs.read().run_hash)
    assert len(hashes) == 2


def test_retrieved_slots_have_positions_parts_and_notes(runs: Any) -> None:
    runs.rows(
        "night.jsonl",
        {"case_id": "q1", "retrieved": [{"id": "shipping#fee", "text": "t"}, "gone#x", "gone#x"]},
    )
    found = runs.read().retrieved
    assert found.select("position", "evidence_id", "doc_id", "section_id", "flags").rows() == [
        (1, "shipping#fee", "shipping", "fee", []),
        (2, "gone#x", "gone", "x", ["unresolved_id"]),
        (3, "gone#x", "gone", "x", ["duplicate", "unresolved_id"]),
    ]
    assert found["text_sha256"].is_null().to_list() == [False, True, True]


def test_rows_are_read_again_when_what_they_are_matched_with_changes(runs: Any) -> None:
    dataset = runs.dataset
    cases = pl.DataFrame({"case_id": ["a", "b"], "question": ["x", "y"]})
    before = read_against(dataset(), cases, "s1")
    assert read_against(dataset(), cases.reverse(), "s1") == before
    for other in (
        read_against(dataset(), cases.head(1), "s1"),
        read_against(dataset(), cases, "s2"),
        read_against(dataset(zone="UTC"), cases, "s1"),
    ):
        assert other != before


LINES = st.sampled_from(
    [
        '{"case_id": "q1"}',
        '{"case_id": "q1", "answer": "a"}',
        '{"case_id": "q1", "trial": 1}',
        '{"case_id": "q1", "trial": 1, "answer": "b"}',
        '{"case_id": "q2", "trial": 0}',
        '{"case_id": "q9"}',
        '{"question": "返品は？"}',
        '{"case_id": "q2", "run_id": "other"}',
        '{"case_id": true}',
        "[]",
        "{",
        "",
        '{"case_id": "q3", "retrieved": [1, null, "a"], "error": "e"}',
    ]
)


@given(st.lists(LINES, max_size=8))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_row_is_used_or_quarantined(runs: Any, lines: list[str]) -> None:
    runs.file("night.jsonl", '{"case_id": "q3", "run_id": "night"}\n' + "\n".join(lines))
    read = runs.read()
    assert read.n_rows == 1 + sum(bool(line) for line in lines)
    items = read.items.select("case_id", "trial")
    assert items.is_unique().all()
    for trials in items.group_by("case_id").agg("trial")["trial"].to_list():
        assert min(trials) >= 1
