import json
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading import yaml_text
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.json_lines import RowFile
from rag_eval_pipeline.reading.yaml_text import front_matter, read_yaml_mapping, read_yaml_rows


def mapping(text: str) -> dict[str, object]:
    return read_yaml_mapping(text.encode(), "dataset.yaml")[0]


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read_yaml_mapping(text.encode(), "dataset.yaml")
    assert caught.value.file == "dataset.yaml"
    return caught.value


def rows(text: str) -> RowFile:
    return read_yaml_rows(text.encode(), "cases.yaml")


@pytest.mark.parametrize(
    "scalar",
    ["010", "no", "yes", "true", "12:30", "1.10", "1e5", "0x1F", "2026-01-02", ".nan", "1_000"],
)
def test_scalars_stay_as_written(scalar: str) -> None:
    assert mapping(f"a: {scalar}") == {"a": scalar}
    assert mapping(f"{scalar}: [{scalar}]") == {scalar: [scalar]}


@pytest.mark.parametrize("scalar", ["", "~", "null", "Null", "NULL"])
def test_plain_nulls_are_none_and_quoted_ones_are_text(scalar: str) -> None:
    assert mapping(f"a: {scalar}\nb: [x]") == {"a": None, "b": ["x"]}
    assert mapping(f'a: "{scalar}"') == {"a": scalar}
    assert mapping(f"a: '{scalar}'") == {"a": scalar}


def test_values_and_lines_of_the_keys() -> None:
    text = (
        "# comment\nname: shop\n\nowners:\n  dataset: a\nnotes: |\n  one\n  two\n"
        "last: [1, {b: c}]\n"
    )
    values, lines = read_yaml_mapping(text.encode(), "x")
    assert values == {
        "name": "shop",
        "owners": {"dataset": "a"},
        "notes": "one\ntwo\n",
        "last": ["1", {"b": "c"}],
    }
    assert lines == {"name": 2, "owners": 4, "notes": 6, "last": 9}


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "~", "\n\n"])
def test_an_empty_file_is_an_empty_mapping(text: str) -> None:
    assert read_yaml_mapping(text.encode(), "x") == ({}, {})


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        ("a: 1\nb: !!str 2", "yaml_tag", 2, "!!str"),
        ("a: !!python/object/apply:os.system [ls]", "yaml_tag", 1, "python"),
        ("a: !foo {b: c}", "yaml_tag", 1, "!foo"),
        ("a: ! x", "yaml_tag", 1, "!"),
        ("!!map\na: 1", "yaml_tag", 1, "!!map"),
        ("a: &x [1]\nb: *x", "yaml_alias", 1, "&x"),
        ("a: *x", "yaml_alias", 1, "*x"),
        ("a:\n  <<: {b: 1}", "yaml_alias", 2, "<<"),
        ("a: 1\nb: 2\na: 3", "duplicate_key", 3, "line 1 and again on line 3"),
        ("x:\n  - {a: 1, b: 2, a: 3}", "duplicate_key", 2, '"a"'),
        ('"a": 1\na: 2', "duplicate_key", 2, '"a"'),
        ("? [a]\n: 1", "key_not_text", 1, "list"),
        ("~: 1", "key_not_text", 1, "null"),
        ("?\n: 1", "key_not_text", 1, "empty"),
        ("- a\n- b", "not_a_mapping", 1, "a list"),
        ("just text", "not_a_mapping", 1, "just text"),
        ("a: 1\n---\nb: 2", "several_documents", 2, "second document"),
        ("a: [1, 2", "invalid_yaml", None, "flow sequence"),
        ("a: 1\nb: c: d", "invalid_yaml", 2, "column 5"),
        ("a: 1\nb: @x", "invalid_yaml", 2, "column 4"),
        ("a: 1\nb: x\x07y", "invalid_yaml", 2, "U+0007"),
        ("a: " + "[" * 150 + "]" * 150, "too_deep", 1, "100 levels"),
        ("a: " + "{a: " * 150 + "}" * 150, "too_deep", 1, "100 levels"),
    ],
)
def test_what_makes_yaml_surprising_is_refused(
    text: str, code: str, line: int | None, words: str
) -> None:
    error = refused(text)
    assert error.code == code
    assert words in str(error)
    if line is not None:
        assert error.line == line


def test_a_merge_sign_in_quotes_is_a_key() -> None:
    assert mapping('"<<": 1') == {"<<": "1"}


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    start = time.perf_counter()
    assert refused(bomb).code == "yaml_alias"
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("text", ["[" * 20_000, "a: " + "[" * 20_000, "- " * 5_000 + "a"])
def test_any_depth_ends_in_an_input_error(text: str) -> None:
    with pytest.raises(InputError):
        read_yaml_mapping(text.encode(), "x")


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ('"500\\0円"', "500\ufffd円"),
        ('"500円\\ud83d"', "500円\ufffd"),
        ('"\\ud83d\\ude9a"', "🚚"),
        ("🚚", "🚚"),
        ("500\x00円", "500\ufffd円"),
    ],
)
def test_text_that_cannot_be_stored_is_replaced(scalar: str, value: str) -> None:
    assert mapping(f"a: {scalar}") == {"a": value}
    read = rows(f"- a: {scalar}\n- a: b\n")
    assert [row.fields["a"] for row in read.rows] == [value, "b"]
    assert read.rows[0].flags == (("text_sanitised",) if "\ufffd" in value else ())
    assert read.rows[1].flags == ()


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
def test_separators_inside_a_text_are_characters_and_do_not_count_as_lines(char: str) -> None:
    values, lines = read_yaml_mapping(f"a: x{char}y\nb: 'p{char}q'\nc: z\n".encode(), "x")
    assert values == {"a": f"x{char}y", "b": f"p{char}q", "c": "z"}
    assert lines == {"a": 1, "b": 2, "c": 3}
    both = mapping(f"a: x{char}\U000f0000y")
    assert both == {"a": f"x{char}\U000f0000y"}


def test_json_is_yaml() -> None:
    assert mapping('{"a": [1, "x\\n", {"b": null}]}') == {"a": ["1", "x\n", {"b": None}]}


def test_rows_of_a_list_know_their_lines_and_text() -> None:
    read = rows("# c\n- id: q1\n  a: [x]\n\n- {id: q2}\n- id: q3\n  b: |\n    t\n")
    assert [(row.line, row.fields) for row in read.rows] == [
        (2, {"id": "q1", "a": ["x"]}),
        (5, {"id": "q2"}),
        (6, {"id": "q3", "b": "t\n"}),
    ]
    assert read.rows[1].raw == "- {id: q2}"
    assert read.rows[0].raw.startswith("- id: q1\n  a: [x]")
    assert "q2" not in read.rows[0].raw
    assert read.n_rows == 3


@pytest.mark.parametrize("key", ["cases", "items", "documents"])
def test_rows_may_stand_under_one_key(key: str) -> None:
    read = rows(f"{key}:\n  - id: q1\n  - id: q2\n")
    assert [(row.line, row.fields["id"]) for row in read.rows] == [(2, "q1"), (3, "q2")]
    assert rows(f"{key}:\n").n_rows == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("id: q1\nquestion: x\n", "not_a_list"),
        ("cases: {id: q1}\n", "not_a_list"),
        ("cases: []\nversion: 1\n", "not_a_list"),
        ("{}", "not_a_list"),
        ("text", "not_a_list"),
        ("cases: !x []", "yaml_tag"),
        ("- id: q1\n---\n- id: q2\n", "several_documents"),
        ("- id: q1\n- id: [\n", "invalid_yaml"),
    ],
)
def test_a_file_that_holds_no_list_of_rows_is_refused(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        rows(text)
    assert caught.value.code == code


def test_an_empty_file_has_no_rows() -> None:
    assert rows("").n_rows == 0
    assert rows("[]").n_rows == 0


def test_one_bad_row_does_not_touch_the_others() -> None:
    read = rows(
        "- id: q1\n"
        "- text\n"
        "- {id: q2, id: q3}\n"
        "- [a]\n"
        "-\n"
        "- id: &x q4\n"
        "- id: *x\n"
        "- id: !!int 5\n"
        "- a: " + "[" * 120 + "]" * 120 + "\n"
        '- {"a\\0": 1, "a\ufffd": 2}\n'
        "- id: q9\n"
    )
    assert [(row.line, row.fields["id"]) for row in read.rows] == [(1, "q1"), (11, "q9")]
    assert [(fault.line, fault.code) for fault in read.rejected] == [
        (2, "not_an_object"),
        (3, "duplicate_key"),
        (4, "not_an_object"),
        (5, "not_an_object"),
        (6, "yaml_alias"),
        (7, "yaml_alias"),
        (8, "yaml_tag"),
        (9, "too_deep"),
        (10, "duplicate_key"),
    ]
    assert read.n_rows == 11
    assert read.rejected[1].field == "id"
    assert "line 3" in read.rejected[1].reason


def test_a_rejected_row_shows_its_start_without_secrets() -> None:
    read = rows("- {id: q1, id: q1, mail: taro@example.com}\n- id: q2\n")
    excerpt = read.rejected[0].excerpt
    assert excerpt is not None
    assert "id: q1" in excerpt
    assert "taro" not in excerpt
    assert "q2" not in excerpt


def test_both_parsers_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "- id: 010\n  a: |\n    x\n  b: 'no'\n- {id: ~, c: [1, 2]}\n- [x]\n"
    fast = rows(text)
    monkeypatch.setattr(yaml_text, "_FAST_LOADER", yaml.SafeLoader)
    slow = rows(text)
    assert [row.fields for row in slow.rows] == [row.fields for row in fast.rows]
    assert [row.line for row in slow.rows] == [row.line for row in fast.rows]
    assert [fault.code for fault in slow.rejected] == [fault.code for fault in fast.rejected]


printable = st.text(
    alphabet=st.characters(exclude_categories=["Cc", "Cs", "Cn"], exclude_characters="\ufeff")
)
# YAML allows keys of at most 1,024 characters, counted as they are written.
keys = printable.map(lambda text: text[:50])
trees = st.recursive(
    st.none() | printable,
    lambda inner: st.lists(inner) | st.dictionaries(keys, inner),
    max_leaves=10,
)


@given(st.dictionaries(keys, trees))
def test_json_texts_come_back_whole(value: dict[str, object]) -> None:
    assert mapping(json.dumps(value, ensure_ascii=True)) == value
    assert mapping(json.dumps(value, ensure_ascii=False)) == value


@given(st.text(alphabet="ab:- \n\t[]{},#&*!|>'\"%@`?<~\\u0送\u2028", max_size=40) | st.text())
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    for read in (read_yaml_mapping, read_yaml_rows):
        problem = ""
        try:
            read(text.encode(), "x")
        except InputError as error:
            problem = str(error)
        problem.encode()
        assert not set(problem) & set("\n\r\x00\x85\u2028")


def test_front_matter_body_and_the_line_it_starts_on() -> None:
    text = "---\ndoc_id: 010\naccess: []\n---\n# 送料\n\n500円\n"
    assert front_matter(text, "a.md") == ({"doc_id": "010", "access": []}, "# 送料\n\n500円\n", 5)
    assert front_matter(text.replace("\n", "\r\n"), "a.md")[0]["doc_id"] == "010"


@pytest.mark.parametrize("text", ["# 送料\n---\nx\n", "", "----\na: 1\n---\n"])
def test_a_text_without_front_matter_is_all_body(text: str) -> None:
    assert front_matter(text, "a.md") == ({}, text, 1)


def test_empty_front_matter_is_an_empty_mapping() -> None:
    assert front_matter("---\n---\nbody", "a.md") == ({}, "body", 3)


def test_faults_of_front_matter_name_the_line_of_the_file() -> None:
    with pytest.raises(InputError) as caught:
        front_matter("---\na: 1\na: 2\n---\n", "a.md")
    assert (caught.value.code, caught.value.line) == ("duplicate_key", 3)
    with pytest.raises(InputError) as caught:
        front_matter("---\na: 1\nb: c: d\n---\n", "a.md")
    assert (caught.value.code, caught.value.line) == ("invalid_yaml", 3)


def test_front_matter_that_is_never_closed_is_refused() -> None:
    with pytest.raises(InputError, match="second one") as caught:
        front_matter("---\na: 1\n", "a.md")
    assert caught.value.code == "front_matter_open"
