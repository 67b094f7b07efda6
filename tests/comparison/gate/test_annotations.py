import re

from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.gate.annotations import MOST, annotation_lines
from rag_eval_pipeline.comparison.gate.decide import decide
from rag_eval_pipeline.comparison.gate.policy import default_policy
from tests.comparison.gate.compared import HOSTILE, case, decision_of, facts, row

# As the runner reads a line: command, properties, message.
COMMAND = re.compile(r"::(error|warning|notice) title=([^:,]*)::(.*)")


def read(line: str) -> tuple[str, str, str]:
    found = COMMAND.fullmatch(line)
    assert found is not None, line
    level, title, message = found.groups()
    for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        title, message = title.replace(code, char), message.replace(code, char)
    return level, title, message


def test_cases_that_fail_are_errors_and_stand_first() -> None:
    given_facts = facts(
        row("format", "inconclusive"),
        cases=(case("q1", risk="high", reason="5 % said, 8 % in the gold"), case("q2")),
    )
    lines = annotation_lines(decide(default_policy(), given_facts))
    assert lines[0] == (
        "::error title=RAG evaluation gate%3A case::q1 (risk high; overall): passed before, fails "
        "now; 5 %25 said, 8 %25 in the gold [max_new_failures of overall in risk high]"
    )
    assert [read(line)[0] for line in lines] == ["error", "error", "warning", "warning", "notice"]
    assert read(lines[1])[2].endswith("0 allowed (q1)")
    assert read(lines[-1])[2] == "blocked: 1 of 8 rules failed, 1 warned"


def test_a_run_that_passes_gives_a_notice_only() -> None:
    assert [read(line)[0] for line in annotation_lines(decide(default_policy(), facts()))] == [
        "notice"
    ]


def test_no_more_are_given_than_are_shown_and_the_rest_is_counted() -> None:
    cases = tuple(case(f"q{number:02}", risk="high") for number in range(30))
    lines = [read(line) for line in annotation_lines(decide(default_policy(), facts(cases=cases)))]
    errors = [message for level, _, message in lines if level == "error"]
    assert len(errors) == MOST
    assert errors[-1] == "22 more are in the log"


@settings(deadline=None)
@given(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30)))
def test_no_text_gives_a_command_of_its_own(text: str) -> None:
    for line in annotation_lines(decision_of(text)):
        assert line.splitlines() == [line]
        line.encode()
        read(line)
        assert "##[" not in line


def test_several_decisions_share_the_room_and_name_their_pair() -> None:
    cases = tuple(case(f"q{number:02}", risk="high") for number in range(8))
    both = [
        decide(default_policy(), facts(cases=cases, dataset_version=version))
        for version in ("faq@v1", "faq@v2")
    ]
    lines = [read(line) for line in annotation_lines(*both)]
    errors = [message for level, _, message in lines if level == "error"]
    assert len(errors) == MOST
    assert errors[0].startswith("faq@v1: tonight against yesterday: q00 ")
    assert errors[-1] == "9 more are in the log"
    assert [message for level, _, message in lines if level == "notice"] == [
        f"faq@{version}: tonight against yesterday: {both[0].sentence}" for version in ("v1", "v2")
    ]
