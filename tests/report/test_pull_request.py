import re

from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.gate.decide import decide
from rag_eval_pipeline.comparison.gate.policy import default_policy
from rag_eval_pipeline.report.pull_request import MARKER, pull_request_comment
from tests.comparison.gate.compared import HOSTILE, case, decision_of, facts, row

ROW = re.compile(r"(?<!\\)\|")


def test_the_sentence_and_the_failing_cases_stand_above_the_rules() -> None:
    given_facts = facts(
        row("evidence", "worse", difference=-0.1),
        cases=(case("q1", risk="high", reason="said 3 days"), case("q2")),
    )
    comment = pull_request_comment(decide(default_policy(), given_facts))
    assert comment.startswith(
        f"{MARKER}\n\n### RAG evaluation gate: blocked: 2 of 8 rules failed\n"
    )
    order = [
        "| q1 | failed | high | overall | passed before, fails now | said 3 days |",
        "| q2 | warned | low |",
        "| max_drop of evidence | failed | worse, n = 50, -10.0 points; 0 points allowed |",
        "<details><summary>Rules without complaint: 6</summary>",
        "| max_drop of search | passed |",
        "</details>",
    ]
    places = [comment.index(text) for text in order]
    assert places == sorted(places)


def test_a_run_that_passes_has_no_table_of_cases() -> None:
    comment = pull_request_comment(decide(default_policy(), facts()))
    assert "| case |" not in comment
    assert comment.count("| rule |") == 1


@settings(deadline=None)
@given(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30)))
def test_no_text_becomes_markup(text: str) -> None:
    comment = pull_request_comment(decision_of(text, policy=text))
    comment.encode()
    for shown in (MARKER, "<details>", "</details>", "<summary>", "</summary>"):
        comment = comment.replace(shown, "")
    assert not re.search(r"[<>`\[\]]", comment)
    widths = {len(ROW.findall(line)) for line in comment.splitlines() if line.startswith("|")}
    assert widths <= {8, 5, 9}


def test_a_comment_fits_however_many_cases_fail() -> None:
    cases = tuple(
        case(f"q{number:04}" + "|" * 200, risk="high", reason="<" * 500) for number in range(2000)
    )
    comment = pull_request_comment(decide(default_policy(), facts(cases=cases)))
    assert len(comment) < 65_536
    shown = comment.count("| failed | high |")
    assert f"{2000 - shown} more are in the log." in comment


def test_verdicts_differences_and_left_out_cases_are_shown() -> None:
    search = row("search", "worse", baseline=0.9, candidate=0.8, difference=-0.1, low=-0.2,
                 high=-0.05, p_value=0.0123)  # fmt: skip
    given_facts = facts(
        search,
        dataset_version="faq@v1",
        rubric_version="strict@1",
        differences=("model: a → b", "prompt_version: 1 → 2"),
        left_out=(("gold changed", ("q8",)),),
    )
    comment = pull_request_comment(decide(default_policy(), given_facts))
    assert "\n\nfaq@v1: tonight against yesterday.\n\n" in comment
    assert "| search | 50 | 90.0 | 80.0 | -10.0 | -20.0 to -5.0 | 0.0123 | worse |" in comment
    assert "What differs beside the answers: model: a → b, prompt_version: 1 → 2" in comment
    assert "Not compared, gold changed: q8" in comment


def test_several_decisions_have_a_section_each_and_fit() -> None:
    cases = tuple(case(f"q{number:04}" + "<" * 200, risk="high") for number in range(300))
    one = decide(default_policy(), facts(cases=cases, dataset_version="faq@v1"))
    passed = decide(default_policy(), facts(dataset_version="faq@v2"))
    comment = pull_request_comment(one, passed)
    assert "### RAG evaluation gate: blocked: 1 of 2 comparisons passed\n" in comment
    assert comment.count("\n#### ") == 2
    assert "#### faq@v2: tonight against yesterday: passed: 8 of 8 rules hold" in comment
    many = pull_request_comment(*[one] * 2000)
    assert len(many) < 65_536
    shown = many.count("\n#### ")
    assert 0 < shown < 2000
    assert f"{2000 - shown} more comparisons are in the log." in many
