"""Faults of rubric files: all of them, each with its line, key and the nearest valid one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.rubric import RubricRead, parse_rubric, read_rubric


def read(text: str) -> RubricRead:
    return read_rubric(text.encode(), "rubrics/own.yaml", "own")


def faults(text: str) -> list[tuple[str, int | None, str | None]]:
    found = read(text)
    assert (found.rubric is None) == bool(found.problems)
    assert all(each.file == "rubrics/own.yaml" for each in found.problems)
    return [(each.code, each.line, each.field) for each in found.problems]


def test_all_faults_of_a_file_are_told_in_the_order_of_its_lines() -> None:
    text = """\
nmae: own
search:
  measure: recall
  k: 0
  level: chapter
pass:
  tolerence: 2
  rule: chosen_axes
overrides:
  - when:
      category: [direct]
    search:
      kk: 3
  - when: {risk: [low, hihg]}
    evidence:
      source: ignore
"""
    assert faults(text) == [
        ("unknown_key", 1, "nmae"),
        ("not_in_range", 4, "search.k"),
        ("unknown_value", 5, "search.level"),
        ("missing_key", 6, "pass.axes"),
        ("unknown_key", 7, "pass.tolerence"),
        ("unknown_key", 13, "overrides[1].search.kk"),
        ("unknown_value", 14, "overrides[2].when.risk[2]"),
        ("unknown_key", 16, "overrides[2].evidence.source"),
    ]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("nmae: own", "'name'"),
        ("pass: {tolerence: 2}", "'pass.tolerance'"),
        ("tolerance: 2", "'pass.tolerance'"),
        ("search: {tolerance: 2}", "'pass.tolerance'"),
        ("k: 3", "'search.k'"),
        ("search: {measure: reccall}", "'recall'"),
        ("pass: {trials: al}", "'all'"),
        ("pass: {diagnosis_order: [wrong_anser]}", "'wrong_answer'"),
        ("evidence: {measure: claims, pass_at: vitl}", "'vital'"),
        ("overrides: [{when: {categry: direct}, search: {malformed: zero}}]", "'category'"),
        ("overrides: [{when: {risk: hi}, search: {malformed: ignore}, serch: 1}]", "'search'"),
        ("overides: []", "'overrides'"),
    ],
)
def test_the_nearest_valid_one_is_named(text: str, near: str) -> None:
    assert any(f"did you mean {near}?" in each.todo for each in read(text).problems)


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        ("search: recall", "not_a_section", "search"),
        ("search: [recall]", "not_a_section", "search"),
        ("search: {measure: [recall]}", "unknown_value", "search.measure"),
        ("search: {measure: recall, k: .inf}", "not_in_range", "search.k"),
        ("search: {measure: recall, k: 1e400}", "not_in_range", "search.k"),
        (f"search: {{measure: recall, k: {'9' * 5000}}}", "not_in_range", "search.k"),
        ("search: {measure: recall, k: {a: 1}}", "not_in_range", "search.k"),
        ("search: {measure: recall, k: true}", "not_in_range", "search.k"),
        ("search: {measure: recall, pass_at: 0}", "not_in_range", "search.pass_at"),
        ("search: {measure: recall, pass_at: 50%}", "not_in_range", "search.pass_at"),
        ("evidence: {measure: claims, vital_weight: 0}", "not_in_range", "evidence.vital_weight"),
        ("behavior: {measure: abstain_policy, pass_at: vital}", "not_in_range", "behavior.pass_at"),
        ("pass: {tolerance: nan}", "not_in_range", "pass.tolerance"),
        ("pass: {tolerance: -1}", "not_in_range", "pass.tolerance"),
        ("pass: {rule: chosen_axes, axes: []}", "not_a_list", "pass.axes"),
        ("pass: {rule: chosen_axes, axes: {search: 1}}", "not_a_list", "pass.axes"),
        ("pass: {rule: chosen_axes, axes: [search, search]}", "named_twice", "pass.axes[2]"),
        ("pass: {axes: [search]}", "unknown_key", "pass.axes"),
        ("pass: {diagnosis_order: [gold_problem]}", "unknown_value", "pass.diagnosis_order[1]"),
        ("version: [1]", "not_a_text", "version"),
        ("version: ''", "not_a_text", "version"),
        ("description: {a: b}", "not_a_text", "description"),
        ("overrides: {when: {risk: high}}", "not_a_list", "overrides"),
        ("overrides: [text]", "not_a_section", "overrides[1]"),
        ("overrides: [{search: {malformed: zero}}]", "missing_key", "overrides[1].when"),
        ("overrides: [{when: {}, search: {malformed: zero}}]", "missing_key", "overrides[1].when"),
        ("overrides: [{when: {risk: high}}]", "missing_key", "overrides[1]"),
        ("overrides: [{when: {risk: high}, search: {}}]", "missing_key", "overrides[1].search"),
        ("overrides: [{when: {category: []}, search: {malformed: zero}}]", "not_a_list",
         "overrides[1].when.category"),
        ("overrides: [{when: {category: [[a]]}, search: {malformed: zero}}]", "not_a_text",
         "overrides[1].when.category[1]"),
        ("overrides: [{when: {risk: high}, pass: {tolerance: 1}}]", "unknown_key",
         "overrides[1].pass"),
        ("overrides: [{when: {risk: high}, search: {measure: recall}}]", "not_overridable",
         "overrides[1].search.measure"),
        ("search: {measure: recall}\noverrides: [{when: {risk: low}, search: {level: section}}]",
         "not_overridable", "overrides[1].search.level"),
        ("a: &a {b: 1}\nc: *a", "yaml_alias", None),
        ("search: {k: 1, k: 2}", "duplicate_key", "k"),
        ("search: !!python/object:os.system x", "yaml_tag", None),
        ("search: " + "[" * 600 + "]" * 600, "too_deep", None),
        ("[1, 2]", "not_a_mapping", None),
        ("search: {", "invalid_yaml", None),
    ],
)  # fmt: skip
def test_what_no_rubric_can_say_is_refused(text: str, code: str, field: str | None) -> None:
    found = read(text)
    assert found.rubric is None
    first = found.problems[0]
    assert code in [each.code for each in found.problems], [str(each) for each in found.problems]
    if field is not None:
        (told,) = [each for each in found.problems if each.code == code]
        assert told.field == field
        assert told.line is not None
    with pytest.raises(InputError) as raised:
        parse_rubric(text.encode(), "rubrics/own.yaml", "own")
    assert str(raised.value) == str(first)


def test_a_name_that_yaml_reads_otherwise_is_a_name() -> None:
    assert parse_rubric(b"name: no", "rubrics/no.yaml", "no").name == "no"
    assert parse_rubric(b"name: 007", "rubrics/007.yaml", "007").name == "007"


def test_many_faults_end_somewhere() -> None:
    text = "".join(f"key_{number}: 1\n" for number in range(5000))
    assert len(read(text).problems) == 100


def test_sections_left_out_are_told_with_the_defaults_they_take() -> None:
    found = read("search: {measure: recall}\npass:\n")
    assert found.rubric is not None
    assert found.rubric.left_out == ("evidence", "behavior", "format", "pass")
    told = {doubt.field: doubt for doubt in found.doubts}
    assert list(told) == ["evidence", "behavior", "format", "pass"]
    assert "measure: exact_match, malformed: zero" in told["evidence"].message
    assert told["evidence"].line is None
    assert told["pass"].line == 2


def test_a_category_close_to_a_usual_one_is_told() -> None:
    text = "overrides:\n- when: {category: [multi-evidence, 返品]}\n  search: {malformed: ignore}\n"
    (doubt,) = [doubt for doubt in read(text).doubts if doubt.code == "own_category"]
    assert "did you mean 'multi_evidence'?" in doubt.message
    assert doubt.line == 2


def test_categories_are_folded_as_the_cases_are() -> None:
    text = "overrides: [{when: {category: ＦＡＱ　一般}, search: {malformed: ignore}}]"
    rubric = parse_rubric(text.encode(), "rubrics/own.yaml", "own")
    assert rubric.overrides[0].when["category"] == ("FAQ 一般",)


def test_a_wrong_measure_is_told_once_and_not_for_each_key_that_follows_from_it() -> None:
    text = """
search: {measure: reccall, k: 3}
overrides: [{when: {risk: high}, search: {k: 5}}]
"""
    assert faults(text) == [("unknown_value", 2, "search.measure")]


@given(st.text(max_size=80) | st.binary(max_size=80))
def test_whatever_the_file_holds_it_is_a_rubric_or_has_a_problem(data: str | bytes) -> None:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    found = read_rubric(raw, "own.yaml", "own")
    assert (found.rubric is None) == bool(found.problems)
    assert all(str(each) for each in (*found.problems, *found.doubts))
