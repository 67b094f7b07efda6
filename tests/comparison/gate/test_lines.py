import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.gate.decide import decide
from rag_eval_pipeline.comparison.gate.lines import one_line, some_ids, text_lines
from rag_eval_pipeline.comparison.gate.policy import default_policy
from tests.comparison.gate.compared import HOSTILE, case, decision_of, facts, row


def test_failing_cases_come_first_then_rules_then_the_sum() -> None:
    given = facts(
        row("evidence", "worse", difference=-0.12, low=-0.2, high=-0.04, p_value=0.0123),
        cases=(
            case("q7", risk="high", reason="wrong_answer: 3 days, gold 5 days"),
            case("q8"),
        ),
        reason="compared on 50 of 52 cases",
    )
    lines = text_lines(decide(default_policy(), given))
    expected = (
        "FAIL case q7 (risk high; overall): passed before, fails now; wrong_answer: 3 days, gold "
        "5 days [max_new_failures of overall in risk high]\n"
        "WARN case q8 (risk low; overall): passed before, fails now\n"
        "FAIL rule max_drop of evidence: worse, n = 50, -12.0 points, p = 0.0123, 95 % interval "
        "-20.0 to -4.0; 0 points allowed\n"
        "FAIL rule max_new_failures of overall in risk high: passed before and fails now: 1 case; "
        "0 allowed"
    )
    assert "\n".join(lines[:4]) == expected
    assert lines[-1] == (
        "Gate by the default policy: tonight against yesterday: blocked: 2 of 8 rules failed. "
        "Exit code 1."
    )


def test_rules_with_nothing_to_say_can_be_left_out() -> None:
    given = facts(row("search", "insufficient_data", n_core=0, n_pairs=0))
    decision = decide(default_policy(), given)
    assert any(line.startswith("none rule max_drop of search") for line in text_lines(decision))
    assert not any(line.startswith("none") for line in text_lines(decision, every_rule=False))


@settings(deadline=None)
@given(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30)))
def test_no_text_breaks_a_line_or_gives_a_command(text: str) -> None:
    for line in text_lines(decision_of(text)):
        line.encode()
        assert line.splitlines() == [line]
        assert line.split(" ", 1)[0] in ("FAIL", "OPEN", "WARN", "pass", "none", "note", "Gate")
        assert "##[" not in line
        assert not {"\x1b", "\x00", "\u202e"} & set(line)


@pytest.mark.parametrize(("n", "told"), [(0, ""), (2, "q0, q1"), (12, ", q9 and 2 more")])
def test_many_ids_are_cut_and_counted(n: int, told: str) -> None:
    assert some_ids(tuple(f"q{number}" for number in range(n))).endswith(told)


def test_long_texts_are_cut() -> None:
    assert one_line("x" * 300, 200) == "x" * 199 + "…"
    assert one_line("x" * 300) == "x" * 300


def test_cases_that_no_rule_on_pairs_sees_are_named_with_why() -> None:
    given = facts(left_out=(("gold changed", ("q1", "q2")), ("held out", ("q3",))))
    assert text_lines(decide(default_policy(), given))[-3:-1] == [
        "note not compared, gold changed: q1, q2",
        "note not compared, held out: q3",
    ]
