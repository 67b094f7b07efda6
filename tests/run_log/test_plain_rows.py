"""Reading in bulk and row by row: the same tables, quarantine, flags and hashes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rag_eval_pipeline.reading.fingerprint import hash_json
from rag_eval_pipeline.reading.json_lines import Row, read_json_line
from rag_eval_pipeline.run_log import items
from rag_eval_pipeline.run_log.items import RunRead
from rag_eval_pipeline.run_log.plain_rows import PlainReader, PlainRows


# JSON texts of values: first those that are plain, then those that need care somewhere.
def either(plain: list[str], odd: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from(plain) | st.sampled_from(plain) | st.sampled_from(odd)


TEXTS = either(
    ['"a"', '""', '"送料は500円"', '"a: b, \\"c\\": 1"', '"\\u3042\\n\\ud83d\\ude9a"', "null"],
    ['" \\/\\u007f"', '"\\ud83d"', '"\\u0000x"', '"\\\\u0000"', '"\\u003a"', "1.5", "true", "[]"],
)  # fmt: skip
IDS = either(
    ['"shipping"', '"returns"', '"shipping#fee"', '"gone#x#y"', '"送料"', '"a b"', '"ガ"'],
    ['""', '" "', '"カ\u3099"', '"a\u200b"', '"\\t"', "7", "null", "false", '"\ufffd"', '"\x7f"'],
)
NUMBERS = either(
    ["1", "0", "2.50", "1e2", "12", "null"],
    ["-0", "-1", "1E400", "86400001", "99999999999999999999", '"3"', "true", "1.", "NaN"],
)
TRIALS = either(["1", "2", "3", "null"], ["0", "1.0", '"2"', "-1"])
TIMES = either(
    ['"2026-09-30T15:10:00Z"', '"2026-10-01T00:00:00+09:00"', "null"],
    ['"2026-10-01 00:10"', "1790781000000", '"2099-01-01T00:00:00Z"', '"soon"'],
)
SETTINGS = either(
    ['{"k": 5}', '{"b": [1, 2.0], "a": {"d": null, "c": "x"}}', "null", '"x"'],
    ['{"k": 1, "k": 2}', '{"k": "\\ud800"}', "[" * 60 + "]" * 60, "[" * 200 + "]" * 200],
)
SPACE = st.sampled_from(["", "", " ", "  ", "\t", "\r"])


@st.composite
def objects(draw: st.DrawFn, fields: dict[str, st.SearchStrategy[str]]) -> str:
    """The text of an object with some of the fields, in any order, now and then one twice."""
    names = draw(st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=len(fields)))
    if names and draw(st.integers(0, 15)) == 0:
        names.append(draw(st.sampled_from(names)))
    pairs = [
        f"{draw(SPACE)}{json.dumps(name)}{draw(SPACE)}:{draw(SPACE)}{draw(fields[name])}"
        for name in names
    ]
    return "{" + ",".join(pairs) + "}"


SLOTS = objects(
    dict.fromkeys(("id", "evidence_id", "doc_id", "section_id"), IDS)
    | {"rank": NUMBERS, "score": NUMBERS, "text": TEXTS, "page": NUMBERS}
)


@st.composite
def rankings(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["ids", "ids", "ranked", "any", "none"]))
    if kind == "none":
        return draw(TEXTS)
    if kind == "ranked":
        ids = draw(st.lists(IDS, max_size=4))
        slots = [f'{{"id": {each}, "rank": {n}}}' for n, each in enumerate(ids, start=1)]
    else:
        slots = draw(st.lists(IDS if kind == "ids" else IDS | SLOTS, max_size=4))
    return "[" + ", ".join(slots) + "]"


FIELDS: dict[str, st.SearchStrategy[str]] = {
    "id": st.sampled_from(['"q1"', '"q2"', '"row"', "3", "null"]),
    "trial": TRIALS,
    "question": st.sampled_from(['"送料は？"', '"返品は？"', "null", '"x"']),
    "retrieved": rankings(),
    "answer": TEXTS,
    "source": IDS,
    "citations": st.lists(IDS, max_size=2).map(lambda each: "[" + ",".join(each) + "]") | IDS,
    "status": TEXTS,
    "escalated": TEXTS,
    "latency_ms": NUMBERS,
    "latency_s": NUMBERS,
    "input_tokens": NUMBERS,
    "output_tokens": NUMBERS,
    "cost_usd": NUMBERS,
    "error": TEXTS,
    "started_at": TIMES,
    "run_id": st.sampled_from(['"night"', "null", '"other"', "5"]),
    "dataset": st.sampled_from(['"faq@v1"', '"faq"', '"faq@v2"']),
    "dataset_version": st.sampled_from(['"faq@v1"', "null"]),
    "system": TEXTS,
    "model": TEXTS,
    "settings": SETTINGS,
    "team": TEXTS,
}
CASES = st.sampled_from(['"q1"', '"q2"', '"q3"', '"q3"', '"q9"', "1", "null", '"ｑ1"'])
ROWS = st.builds(
    lambda case, rest, space: f'{space}{{"case_id":{case}{"," if rest != "{}" else ""}{rest[1:]}',
    CASES,
    objects(FIELDS),
    st.sampled_from(["", "", "", " "]),
)
COMMON = st.builds(
    '{{"case_id": "{}", "retrieved": {}, "answer": {}, "trial": {}}}'.format,
    st.sampled_from(["q1", "q2", "q3"]),
    rankings(),
    TEXTS,
    TRIALS,
)
LINES = (
    COMMON
    | ROWS
    | objects(FIELDS)
    | st.sampled_from(["", " ", "\u3000", "{}{}", "{", "[]", '{"case_id": ', '"q1"}', "\ufeff{}"])
)  # fmt: skip
FIRST = '{"case_id": "q3", "run_id": "night", "system": "bot"}'


def read_both(runs: Any, data: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[RunRead, RunRead]:
    runs.file("night.jsonl", data)
    with monkeypatch.context() as patch:
        patch.setattr(items, "BLOCK_BYTES", 150)
        fast = runs.read()
        none = PlainRows([], [], [], frozenset())
        patch.setattr(PlainReader, "read", lambda _self, _block, lines: (none, list(lines)))
        careful = runs.read()
    return fast, careful


def assert_same(fast: RunRead, careful: RunRead) -> None:
    for table in ("run", "items", "retrieved", "quarantine"):
        assert_frame_equal(getattr(fast, table), getattr(careful, table), check_exact=True)
    assert fast.row_hashes == careful.row_hashes
    assert (fast.run_hash, fast.n_rows, fast.flags, fast.encoding) == (
        careful.run_hash,
        careful.n_rows,
        careful.flags,
        careful.encoding,
    )


@given(
    st.lists(LINES, max_size=8),
    st.sampled_from(["\n", "\n", "\r\n", "\n\n"]),
    st.sampled_from(["", "\n", "\n  ", '\n{"case_id": "q1", "ans']),
    st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "cp932", "utf-16"]),
)
@example(['{"case_id":\n"q1"}{"case_id": "q2"}'], "\n", "", "utf-8")
@example(['{"case_id": "q1", "answer": "a", "answer": "\\u003a"}'], "\n", "", "utf-8")
@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
def test_rows_read_in_bulk_are_those_read_one_by_one(
    runs: Any,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[str],
    end: str,
    last: str,
    encoding: str,
) -> None:
    data = (end.join([FIRST, *lines]) + last).encode(encoding, "replace")
    assert_same(*read_both(runs, data, monkeypatch))


@given(st.binary(max_size=60))
@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
def test_any_bytes_in_a_text_are_read_alike(
    runs: Any, monkeypatch: pytest.MonkeyPatch, noise: bytes
) -> None:
    text = noise.decode("utf-8", "ignore")
    row = f'{{"case_id": "q1", "answer": "{text}", "retrieved": ["{text}"]}}'
    assert_same(*read_both(runs, f"{FIRST}\n{row}\n{row}".encode(), monkeypatch))


@given(
    st.dictionaries(st.sampled_from(["answer", "question", "status", "model"]), st.text()),
    st.lists(st.text()),
    st.booleans(),
)
def test_a_plain_row_has_the_hash_of_its_canonical_form(
    texts: dict[str, str], retrieved: list[str], ascii_only: bool
) -> None:
    written = json.dumps(
        {"case_id": "q1", **texts, "retrieved": retrieved}, ensure_ascii=ascii_only
    ).encode("utf-8", "surrogatepass")
    plain, others = PlainReader().read(written, range(1, 2))
    if others:
        # Only what is no text, or may hide a second key, is left to the careful reading.
        assert (
            b"\\u0000" in written
            or b"\\u003" in written
            or b"\xed" in written
            or b"\\ud" in written
        )
        return
    row = read_json_line(1, written.decode())
    assert isinstance(row, Row)
    assert plain.hashes == [hash_json(row.fields)]


def test_one_bad_line_leaves_the_rest_of_its_block_plain() -> None:
    good = b'{"case_id": "q1", "answer": "a", "latency_ms": 1.50}\n'
    bad = b'{"case_id": "q1", "answer": "a", "answer": "b"}\n'
    plain, others = PlainReader().read(good + bad + good + b"\n" + b"{\n", range(7, 12))
    assert (list(plain.lines), others) == ([7, 9], [8, 10, 11])


def test_settings_that_differ_only_in_spacing_and_order_are_one() -> None:
    rows = [
        b'{"case_id": "q1", "settings": {"b": 1.0, "a": 2}}',
        b'{"settings":{"a":2,"b":1.0},"case_id":"q1"}',
    ]
    plain, others = PlainReader().read(b"\n".join(rows), range(1, 3))
    assert others == []
    assert len(set(plain.hashes)) == 1


def test_most_rows_of_an_ordinary_log_are_plain() -> None:
    row = {
        "case_id": "q1",
        "trial": 1,
        "retrieved": [{"id": "送料#1", "rank": 1, "score": 0.5, "text": "送料は\n500円"}],
        "answer": "500円です。\n「税込」",
        "source": "送料#1",
        "citations": ["送料#1"],
        "status": "answer",
        "latency_ms": 812.5,
        "input_tokens": 3,
        "started_at": "2026-10-01T00:00:00Z",
        "run_id": "night",
        "system": "bot",
        "settings": {"k": 5},
    }
    for ascii_only in (True, False):
        line = (json.dumps(row, ensure_ascii=ascii_only) + "\n").encode()
        plain, others = PlainReader().read(line * 3, range(1, 4))
        assert (len(plain.rows), others) == (3, [])
