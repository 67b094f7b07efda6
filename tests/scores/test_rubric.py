from pathlib import Path

import pytest

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.rubric import (
    SECTIONS,
    Rubric,
    default_rubrics,
    load_rubric,
    parse_rubric,
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
    }
    assert [shipped.sections[each]["measure"] for each in ("evidence", "behavior", "format")] == [
        "claims",
        "abstain_policy",
        "logged_fields",
    ]


def test_the_strict_rubric_keeps_its_version(tmp_path: Path) -> None:
    assert load_rubric("strict", tmp_path).version == "strict@6acab85a"
