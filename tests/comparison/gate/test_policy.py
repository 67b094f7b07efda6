import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.gate.policy import (
    Policy,
    Rule,
    Scope,
    default_policy,
    parse_policy,
)
from rag_eval_pipeline.reading.errors import InputError


def policy(text: str) -> Policy:
    return parse_policy(text.encode(), "gate.yaml")


def limit(text: str, key: str, *scope: str) -> float | None:
    wanted = Scope(*scope) if scope else None
    found = [rule.limit for rule in policy(text).rules if (rule.key, rule.scope) == (key, wanted)]
    assert len(found) <= 1
    return found[0] if found else None


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as raised:
        policy(text)
    assert raised.value.file == "gate.yaml"
    return raised.value


def test_without_a_policy_no_axis_may_be_worse_and_no_case_of_high_risk_may_begin_to_fail() -> None:
    rules = {(rule.key, str(rule.scope)): rule.limit for rule in default_policy().rules}
    assert rules == {
        ("max_drop", "overall"): 0,
        ("max_drop", "search"): 0,
        ("max_drop", "evidence"): 0,
        ("max_drop", "behavior"): 0,
        ("max_drop", "format"): 0,
        ("min_measured", "overall"): 0.9,
        ("max_new_failures", "overall in risk high"): 0,
    }
    assert not default_policy().require_identical
    assert not any(rule.conclusive or rule.written for rule in default_policy().rules)


def test_each_section_gives_rules_of_its_scope() -> None:
    text = """\
description: what may be lost
axes:
  search: {max_drop: 2.5}
risk:
  high:
    must_pass: yes
    evidence: {max_new_failures: 1}
slices:
  category:
    negation_exception: {max_new_failures: 0}
  language: {ja: {search: {min_measured: 0.8}}}
run:
  max_latency_p95_ms: 4000
"""
    assert limit(text, "max_drop", "all", "all", "search") == 2.5
    assert limit(text, "max_drop", "all", "all", "overall") == 0
    assert limit(text, "must_pass", "risk", "high", "overall") == 1
    assert limit(text, "max_new_failures", "risk", "high", "evidence") == 1
    assert limit(text, "max_new_failures", "risk", "high", "overall") == 0
    assert limit(text, "max_new_failures", "category", "negation_exception", "overall") == 0
    assert limit(text, "min_measured", "language", "ja", "search") == 0.8
    assert limit(text, "max_latency_p95_ms") == 4000


@pytest.mark.parametrize("off", ["off", "OFF", "false"])
def test_off_takes_a_default_away(off: str) -> None:
    text = f"risk: {{high: {{max_new_failures: {off}}}}}"
    assert limit(text, "max_new_failures", "risk", "high", "overall") is None


@pytest.mark.parametrize(
    "nothing", ["", "axes:", "axes: {overall: }", "axes: {overall: {max_drop: null}}"]
)
def test_what_is_left_empty_takes_its_default(nothing: str) -> None:
    assert policy(nothing).rules == default_policy().rules


def test_written_rules_are_told_from_defaults() -> None:
    rules = policy("axes: {overall: {max_drop: 0}}").rules
    assert [rule.scope and rule.scope.axis for rule in rules if rule.written] == ["overall"]


def conclusive(text: str) -> set[str]:
    return {rule.name for rule in policy(text).rules if rule.conclusive and rule.key == "max_drop"}


def test_the_nearest_require_conclusive_decides() -> None:
    assert len(conclusive("require_conclusive: yes")) == 5
    assert conclusive("axes: {search: {require_conclusive: yes}}") == {"max_drop of search"}
    assert "max_drop of search" not in conclusive(
        "require_conclusive: yes\naxes: {search: {require_conclusive: no}}"
    )
    sliced = "risk: {low: {require_conclusive: yes, max_drop: 1, format: {max_drop: 2}}}"
    assert conclusive(sliced) == {
        "max_drop of overall in risk low",
        "max_drop of format in risk low",
    }


@pytest.mark.parametrize(
    ("text", "line", "field", "nearest"),
    [
        ("axis:\n  overall: {}\n", 1, "axis", "axes"),
        ("axes:\n  serach: {}\n", 2, "axes.serach", "search"),
        ("axes:\n  overall:\n    max_drop: 1\n    max_drops: 1\n", 4, "axes.overall.max_drops",
         "max_drop"),
        ("risk:\n  hgih: {}\n", 2, "risk.hgih", "high"),
        ("risk:\n  high:\n    evidense: {}\n", 3, "risk.high.evidense", "evidence"),
        ("slices:\n  catgory: {}\n", 2, "slices.catgory", "category"),
        ("slices:\n  language:\n    ja:\n      mst_pass: yes\n", 4, "slices.language.ja.mst_pass",
         "must_pass"),
        ("run:\n  max_latency_ms_p95: 1\n", 2, "run.max_latency_ms_p95", "max_latency_p95_ms"),
        # Right words in the wrong place are told where they belong.
        ("max_drop: 1\n", 1, "max_drop", "axes.overall.max_drop"),
        ("max_missing: 1\n", 1, "max_missing", "run.max_missing"),
        ("run:\n  require_identical: yes\n", 2, "run.require_identical", "require_identical"),
    ],
)  # fmt: skip
def test_an_unknown_key_is_named_with_its_line_and_the_nearest_one(
    text: str, line: int, field: str, nearest: str
) -> None:
    problem = refused(text)
    assert (problem.code, problem.line, problem.field) == ("unknown_key", line, field)
    assert f"did you mean {nearest!r}?" in problem.todo


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        ("axes: 3", "not_a_section", "axes"),
        ("axes: [a]", "not_a_section", "axes"),
        ("slices: {category: {direct: 0}}", "not_a_section", "slices.category.direct"),
        ("axes: {overall: {max_drop: -1}}", "not_in_range", "axes.overall.max_drop"),
        ("axes: {overall: {max_drop: 101}}", "not_in_range", "axes.overall.max_drop"),
        ("axes: {overall: {max_drop: nan}}", "not_in_range", "axes.overall.max_drop"),
        ("axes: {overall: {max_drop: 2 %}}", "not_in_range", "axes.overall.max_drop"),
        ("axes: {overall: {max_drop: [2]}}", "not_in_range", "axes.overall.max_drop"),
        ("axes: {overall: {max_new_failures: 1.5}}", "not_in_range",
         "axes.overall.max_new_failures"),
        ("axes: {overall: {min_measured: 90}}", "not_in_range", "axes.overall.min_measured"),
        ("risk: {high: {must_pass: 1}}", "not_yes_or_no", "risk.high.must_pass"),
        ("require_identical: {}", "not_yes_or_no", "require_identical"),
        ("run: {max_cost_usd: inf}", "not_in_range", "run.max_cost_usd"),
        ("run: {max_missing: 1}\nrun: {}", "duplicate_key", "run"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_meant_is_refused(text: str, code: str, field: str) -> None:
    problem = refused(text)
    assert (problem.code, problem.field) == (code, field)


WORDS = st.sampled_from(
    ["axes", "overall", "search", "risk", "high", "slices", "category", "run", "max_drop",
     "min_measured", "must_pass", "max_missing", "require_conclusive", "description", "x"]
)  # fmt: skip
BODIES = st.recursive(
    st.one_of(st.sampled_from(["1", "yes", "off", "-1", "9e999"]), st.none(), st.text(max_size=5)),
    lambda below: st.one_of(st.dictionaries(WORDS, below, max_size=3), st.lists(below, max_size=2)),
    max_leaves=8,
)


@given(st.dictionaries(WORDS, BODIES, max_size=3))
def test_any_mapping_is_a_policy_or_told_what_is_wrong(body: dict[str, object]) -> None:
    data = json.dumps(body).encode()
    problem, rules = "", list[Rule]()
    try:
        rules = list(parse_policy(data, "gate.yaml").rules)
    except InputError as error:
        problem = str(error)
    assert not problem or problem.startswith("gate.yaml, line 1")
    assert len({(rule.key, rule.scope) for rule in rules}) == len(rules)


def test_cases_for_development_are_in_no_gate() -> None:
    found = refused("slices:\n  split:\n    development: {max_drop: 1}\n")
    assert (found.code, found.line, found.field) == (
        "never_gated", 3, "slices.split.development",
    )  # fmt: skip
    text = "slices: {split: {test: {max_drop: 1}}, category: {development: {max_drop: 1}}}"
    assert limit(text, "max_drop", "split", "test", "overall") == 1


def test_a_first_run_may_be_let_through() -> None:
    assert not default_policy().allow_no_baseline
    assert policy("allow_no_baseline: yes").allow_no_baseline
