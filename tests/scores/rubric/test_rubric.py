import json
from importlib import resources
from pathlib import Path

import polars as pl
import pytest

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.ids import encode_id
from rag_eval_pipeline.reading.yaml_text import read_yaml_mapping
from rag_eval_pipeline.scores.rubric import (
    SECTIONS,
    SHIPPED,
    Rubric,
    default_rubrics,
    load_rubric,
    of_canonical,
    own_names,
    parse_rubric,
    reused_versions,
    unread_files,
)
from rag_eval_pipeline.tables.contract import violations

WRITTEN = """\
name: own
description: our own
search:
  no_evidence: separate
pass:
  min_core: 0.6
"""


def rubric(text: str = WRITTEN) -> Rubric:
    return parse_rubric(text.encode(), "rubrics/own.yaml", "own")


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as raised:
        rubric(text)
    assert raised.value.file == "rubrics/own.yaml"
    return raised.value


def test_what_is_left_out_takes_its_default() -> None:
    assert rubric("").sections["search"]["no_evidence"] == "full_credit"
    assert rubric("").min_core == 0.5
    assert rubric().min_core == 0.6
    assert rubric().sections["evidence"] == {"measure": "exact_match", "malformed": "zero"}


@pytest.mark.parametrize(
    "same",
    [
        WRITTEN.replace("our own", "said otherwise"),
        WRITTEN.replace("name: own\n", ""),
        "# a comment\n" + WRITTEN,
        "pass: {min_core: 0.60}\nsearch: {no_evidence: separate}\n",
        WRITTEN + "behavior:\n  measure: status_match\n",
    ],
)
def test_comments_spacing_order_and_written_defaults_do_not_count(same: str) -> None:
    assert rubric(same).version == rubric().version
    assert [rubric(same).axis_hash(each) for each in SECTIONS] == [
        rubric().axis_hash(each) for each in SECTIONS
    ]


@pytest.mark.parametrize(
    ("edit", "section"),
    [
        (("separate", "full_credit"), "search"),
        (("0.6", "0.7"), "pass"),
        (("pass:", "evidence:\n  malformed: ignore\npass:"), "evidence"),
    ],
)
def test_an_edit_changes_the_version_and_the_hash_of_its_section_only(
    edit: tuple[str, str], section: str
) -> None:
    edited = rubric(WRITTEN.replace(*edit))
    assert edited.version != rubric().version
    changed = [each for each in SECTIONS if edited.axis_hash(each) != rubric().axis_hash(each)]
    assert changed == [section]


def test_the_version_is_the_name_and_eight_hex() -> None:
    name, _, digits = rubric().version.partition("@")
    assert name == "own"
    assert len(digits) == 8
    assert set(digits) <= set("0123456789abcdef")


def test_the_rows_of_a_rubric_keep_the_contract_one_a_section() -> None:
    assert violations("rubrics", rubric().frame()) == []
    assert rubric().frame()["axis"].to_list() == list(SECTIONS)


def test_an_unknown_section_is_named_with_its_line_and_the_nearest_one() -> None:
    problem = refused("name: own\nserach:\n  malformed: zero\n")
    assert (problem.code, problem.line, problem.field) == ("unknown_key", 2, "serach")
    assert "did you mean 'search'?" in problem.todo


def test_an_unknown_key_is_named_with_its_section() -> None:
    problem = refused("search:\n  no_evidense: separate\n")
    assert (problem.code, problem.field) == ("unknown_key", "search.no_evidense")
    assert "did you mean 'search.no_evidence'?" in problem.todo


def test_an_unknown_value_says_which_there_are() -> None:
    problem = refused("search:\n  no_evidence: seperate\n")
    assert (problem.code, problem.field) == ("unknown_value", "search.no_evidence")
    assert problem.expected == "one of full_credit, separate"
    assert "did you mean 'separate'?" in problem.todo


@pytest.mark.parametrize("number", ["1.5", "-0.1", "half", "nan", "[0.5]"])
def test_a_number_must_be_one_and_in_range(number: str) -> None:
    problem = refused(f"pass:\n  min_core: {number}\n")
    assert (problem.code, problem.field) == ("not_in_range", "pass.min_core")
    assert problem.expected == "a number from 0 to 1"


def test_a_section_must_hold_keys() -> None:
    assert refused("search: separate\n").code == "not_a_section"


def test_the_name_in_the_file_must_be_the_file_s() -> None:
    assert refused("name: other\n").field == "name"


def test_the_shipped_rubric_is_found_and_an_own_one_takes_its_place(tmp_path: Path) -> None:
    shipped = load_rubric("strict", tmp_path)
    assert shipped.sections["search"]["no_evidence"] == "full_credit"
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "strict.yaml").write_text("search: {no_evidence: separate}\n")
    own = load_rubric("strict", tmp_path)
    assert own.sections["search"]["no_evidence"] == "separate"
    assert own.version != shipped.version


def test_an_unknown_rubric_lists_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "own.yaml").write_text("")
    with pytest.raises(InputError) as raised:
        load_rubric("strickt", tmp_path)
    assert raised.value.expected == "one of claims, own, strict"
    assert "did you mean 'strict'?" in raised.value.todo


def test_a_rubric_s_name_never_leads_out_of_its_folder(tmp_path: Path) -> None:
    root = tmp_path / "data"
    (root / "rubrics").mkdir(parents=True)
    (tmp_path / "secret.yaml").write_text("")
    with pytest.raises(InputError, match="one of claims, strict"):
        load_rubric("../../secret", root)


def test_richer_gold_is_scored_by_claims_where_no_rubric_is_named() -> None:
    assert default_rubrics(rich=False) == ("strict",)
    assert default_rubrics(rich=True) == ("claims",)


def test_each_measure_has_keys_of_its_own() -> None:
    problem = refused("search:\n  k: 5\n")
    assert (problem.code, problem.field) == ("unknown_key", "search.k")
    assert "search.k with measure: recall" in problem.expected
    assert rubric("search: {measure: recall, k: 5}").sections["search"]["k"] == 5


@pytest.mark.parametrize("number", ["0", "2.5", "1001", "ten"])
def test_k_is_a_whole_number(number: str) -> None:
    problem = refused(f"search: {{measure: recall, k: {number}}}\n")
    assert problem.expected == "a whole number from 1 to 1000"


def test_the_shipped_claims_rubric_writes_out_every_key(tmp_path: Path) -> None:
    shipped = load_rubric("claims", tmp_path)
    assert shipped.sections["search"] == {
        "measure": "recall",
        "k": 10,
        "level": "auto",
        "forbidden_access": "fail",
        "pass_at": 1.0,
        "no_evidence": "separate",
    }
    assert [shipped.sections[each]["measure"] for each in ("evidence", "behavior", "format")] == [
        "claims",
        "abstain_policy",
        "logged_fields",
    ]


def test_the_shipped_rubrics_keep_their_versions_whatever_keys_are_added(tmp_path: Path) -> None:
    assert load_rubric("strict", tmp_path).version == "strict@6acab85a"
    assert load_rubric("claims", tmp_path).version == "claims@2776698f"


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_rubrics_write_out_every_key_but_no_other(name: str, tmp_path: Path) -> None:
    file = resources.files("rag_eval_pipeline.scores") / "rubrics" / f"{name}.yaml"
    written, _ = read_yaml_mapping(file.read_bytes(), name)
    shipped = load_rubric(name, tmp_path)
    assert {section: set(written[section]) for section in SECTIONS} == {
        section: set(shipped.sections[section]) for section in SECTIONS
    }
    assert shipped.left_out == ()


@pytest.mark.parametrize(
    ("edit", "section"),
    [
        ("search: {measure: recall, pass_at: 0.5}", "search"),
        ("search: {measure: recall, no_evidence: full_credit}", "search"),
        ("evidence: {measure: claims, pass_at: 0.8}", "evidence"),
        ("evidence: {measure: claims, vital_weight: 2}", "evidence"),
        ("evidence: {measure: claims, okay_weight: 0}", "evidence"),
        ("behavior: {measure: abstain_policy, pass_at: 0.5}", "behavior"),
        ("pass: {trials: all}", "pass"),
        ("pass: {tolerance: 3}", "pass"),
        ("pass: {diagnosis_order: [wrong_answer]}", "pass"),
        ("pass: {rule: chosen_axes, axes: [search]}", "pass"),
        ("overrides: [{when: {risk: high}, search: {k: 3}}]", "search"),
        ("overrides: [{when: {category: direct}, behavior: {pass_at: 0.5}}]", "behavior"),
    ],
)
def test_every_key_changes_the_hash_of_its_own_section_alone(edit: str, section: str) -> None:
    def of(text: str) -> Rubric:
        head = text.partition(":")[0]
        lines = [
            f"{axis}: {{measure: {measure}}}"
            for axis, measure in (
                ("search", "recall"), ("evidence", "claims"), ("behavior", "abstain_policy"),
            )
            if axis != head
        ]  # fmt: skip
        return rubric("\n".join([*lines, text]))

    plain = of("description: nothing else")
    edited = of(edit)
    changed = [each for each in SECTIONS if edited.axis_hash(each) != plain.axis_hash(each)]
    assert changed == [section]
    assert edited.version != plain.version


def test_the_figures_of_the_pass_section_have_their_units() -> None:
    plain = rubric("")
    assert (plain.tolerance, plain.min_measured, plain.trials) == (0.02, 0.9, "majority")
    assert plain.figure_tolerances == {
        "latency_p50": 10, "latency_p95": 10, "cost_per_item": 10, "citation_rate": 2,
        "error_rate": 1,
    }  # fmt: skip
    own = rubric("pass: {tolerance: 5, latency_tolerance: 20, error_tolerance: 0.5}")
    assert own.tolerance == 0.05
    assert own.figure_tolerances["latency_p95"] == 20
    assert own.figure_tolerances["error_rate"] == 0.5


def test_the_version_text_is_kept_and_no_part_of_the_identity() -> None:
    own = rubric(WRITTEN + "version: 2026.10\n")
    assert own.version_text == "2026.10"
    assert own.version == rubric().version
    assert own.frame()["version_text"].unique().to_list() == ["2026.10"]


def test_the_same_version_text_with_other_content_is_told() -> None:
    first, same = rubric(WRITTEN + "version: v1\n"), rubric("# again\n" + WRITTEN + "version: v1\n")
    edited = rubric(WRITTEN.replace("0.6", "0.7") + "version: v1\n")
    stored = first.frame().select("rubric_version", "name", "version_text")
    assert reused_versions([first, same, rubric()], stored) == []
    (doubt,) = reused_versions([edited], stored)
    assert first.version in doubt.message
    assert edited.version in doubt.message
    renamed = stored.with_columns(name=pl.lit("other"))
    assert reused_versions([edited], renamed) == []


def test_the_stored_form_is_the_same_rubric_again() -> None:
    text = """
search: {measure: recall, pass_at: 0.5}
pass: {rule: chosen_axes, axes: [format, search], diagnosis_order: [wrong_answer, system_error]}
overrides:
- when: {category: [direct, 独自], risk: high}
  search: {k: 3}
  format: {}
"""
    own = rubric(text.replace("  format: {}\n", ""))
    bodies = {axis: json.loads(body) for axis, body in own.frame().select("axis", "body").rows()}
    back = of_canonical("own", bodies, "stored")
    assert back.version == own.version
    assert back.sections == own.sections
    assert back.of_case("独自", "high").sections == own.of_case("独自", "high").sections
    assert back.deciding_axes == ("search", "format")
    assert back.diagnosis_order == ("wrong_answer", "system_error")


def test_a_file_that_no_name_leads_to_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "rubrics"
    folder.mkdir()
    for name in ("own.yaml", "strict.yml", "Own.yaml", "notes.txt", ".hidden.yaml"):
        (folder / name).write_text("")
    assert own_names(tmp_path) == ["own"]
    told = {doubt.file: doubt.message for doubt in unread_files(tmp_path)}
    assert sorted(told) == ["rubrics/Own.yaml", "rubrics/strict.yml"]
    assert "rubrics/strict.yaml" in told["rubrics/strict.yml"]
    assert f"rubrics/{encode_id('Own')}.yaml" in told["rubrics/Own.yaml"]
